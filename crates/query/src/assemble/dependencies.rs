//! Adds cards for definitions that the shown code depends on: base classes, called functions, types. Only the
//! few most needed ones, and after the bodies: ranked code is worth more than the code it uses.

use foldhash::HashMap;
use foveate_index::{Confidence, DefId, Files};
use foveate_model::{DefinitionKind, Role};

use super::card;
use super::entry::SectionKind;
use super::packed::EntryKind;
use super::plan::Plan;

/// A definition that shown definitions depend on.
#[derive(Clone, Copy, Debug)]
struct Dependency {
    id: DefId,
    /// The best of the shown definitions that depend on it.
    of: DefId,
    weight: f32,
}

/// Adds cards for the definitions that the `shown` ones need most. `shown` is sorted by rank, the best first.
pub(super) fn add_cards(plan: &mut Plan<'_>, shown: &[DefId]) {
    if plan.limits.max_needed_cards == 0 || !plan.has_room_for_card() {
        return;
    }
    // If these do not fit, others are not tried: a full context has no room for them either.
    let dependencies = dependencies(plan, shown).into_iter();
    for (position, dependency) in dependencies.take(plan.limits.max_needed_cards).enumerate() {
        let files = &plan.snapshot.files;
        let mut entry = card::compact(plan.snapshot, dependency.id, SectionKind::Definitions);
        let class = files.parent(dependency.of).unwrap_or(dependency.of);
        let is_base = plan.snapshot.graph.bases(class).contains(&dependency.id);
        let of = files.definition(dependency.of).qualified_name.to_string();
        entry.reason = if is_base {
            format!("base class of {}", files.definition(class).qualified_name)
        } else {
            format!("used by {of}")
        };
        entry.facts.push(("needed_by", of));
        plan.add_card(dependency.id, entry, (EntryKind::Link, position));
    }
}

/// Returns the definitions that the shown ones depend on, the most needed first. The weight grows with the
/// number and rank of the shown definitions that need it and the certainty of the references. It falls with
/// the number of uses elsewhere, since a definition that is used everywhere is known or says little.
fn dependencies(plan: &Plan<'_>, shown: &[DefId]) -> Vec<Dependency> {
    let (files, graph) = (&plan.snapshot.files, &plan.snapshot.graph);
    let mut found: HashMap<DefId, Dependency> = HashMap::default();
    for (position, of) in shown.iter().enumerate() {
        for (id, certainty) in needed_by(plan, *of) {
            let dependency = found.entry(id).or_insert(Dependency {
                id,
                of: *of,
                weight: 0.0,
            });
            dependency.weight += certainty / (position as f32 + 1.0);
        }
    }
    let mut found: Vec<Dependency> = found
        .into_values()
        .filter(|dependency| {
            is_informative(files, dependency.id) && !plan.shows_signature(dependency.id)
        })
        .collect();
    for dependency in &mut found {
        dependency.weight /= (1.0 + graph.uses_of(dependency.id).len() as f32).ln_1p();
    }
    found.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.id.cmp(&b.id)));
    found
}

/// Returns the definitions that a definition refers to and the bases of its class, each with the certainty of
/// the reference, 0.5 or 1.
fn needed_by(plan: &Plan<'_>, id: DefId) -> impl Iterator<Item = (DefId, f32)> {
    let (files, graph) = (&plan.snapshot.files, &plan.snapshot.graph);
    let certainty = |confidence| match confidence {
        Confidence::Certain => Some(1.0),
        Confidence::Likely => Some(0.5),
        Confidence::NameOnly => None,
    };
    let used = graph.used_by(id).iter();
    let class = files.parent(id).unwrap_or(id);
    let bases = graph.bases(class).iter().map(|base| (*base, 1.0));
    used.filter_map(move |(id, confidence)| Some((*id, certainty(*confidence)?)))
        .chain(bases)
}

/// Whether a card of a definition is useful to a reader: the line of a field or variable says little without
/// its surroundings.
fn is_informative(files: &Files, id: DefId) -> bool {
    use DefinitionKind::{EnumMember, Field, Module, Variable};
    let kind = files.definition(id).kind;
    files.role_of(id) == Role::Source && !matches!(kind, Field | EnumMember | Module | Variable)
}

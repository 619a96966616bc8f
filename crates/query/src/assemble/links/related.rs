//! Finds the definitions that a short question asks for by their relation to a named one: itself, the methods that override
//! it, the types that implement it without naming it, and the definitions that it refers to.

use foldhash::HashSet;
use foveate_index::{Confidence, DefId, FileId, Files, Snapshot};
use foveate_model::DefinitionKind;

use super::link::{Link, Relation};
use crate::assemble::card;
use crate::assemble::entry::{Entry, SectionKind};
use crate::assemble::hierarchy::{implementers, overriding, overriding_member};
use crate::assemble::packed::{EntryKind, ShownPart};
use crate::assemble::plan::{BudgetScope, Plan};
use crate::intent::LookUp;
use crate::issue::{self, Issue, IssueCode};

/// Returns the looked up definitions themselves.
pub(super) fn definitions(plan: &Plan<'_>) -> Vec<Link> {
    let definitions = plan.looked_up.definitions().iter();
    let links = definitions.map(|id| Link::Related {
        id: *id,
        of: *id,
        relation: Relation::Same,
    });
    links.collect()
}

/// Returns the methods that override the looked up ones.
pub(super) fn overrides(plan: &Plan<'_>) -> Vec<Link> {
    let snapshot = plan.snapshot;
    let (found, relation) = match plan.looked_up.inherited() {
        Some(name) => {
            let classes = plan.looked_up.definitions().iter();
            let found = classes.flat_map(|class| overriding_member(snapshot, *class, name));
            let found: Vec<(DefId, DefId)> = found.collect();
            (found, Relation::OverridesMember)
        }
        None => (
            overriding(snapshot, plan.looked_up.parts()),
            Relation::Overrides,
        ),
    };
    let found = found.into_iter().take(plan.config.links.max_named_uses);
    let links = found.map(|(id, of)| Link::Related { id, of, relation });
    links.collect()
}

/// Returns the types that implement one of the given types without naming it.
pub(super) fn implicit_implementers(plan: &Plan<'_>, types: &[DefId]) -> Vec<Link> {
    let links = types.iter().flat_map(|of| {
        let found = implementers(plan.snapshot, *of).into_iter();
        found.map(move |id| Link::Related {
            id,
            of: *of,
            relation: Relation::Implements,
        })
    });
    links.collect()
}

/// Returns the definitions that the bodies of the looked up ones refer to, with those of the functions inside them: those of
/// other files first, then those of the same file, in the order in which the bodies name them. Fields come last: the bodies
/// show how they are used. Where a question looks up files, theirs are left out.
pub(super) fn dependencies(plan: &Plan<'_>) -> Vec<Link> {
    let Snapshot { files, graph, .. } = plan.snapshot;
    let parts = plan.looked_up.parts();
    let together: HashSet<FileId> = plan.looked_up.modules().iter().copied().collect();
    let mut seen: HashSet<DefId> = parts.iter().copied().collect();
    let mut read: HashSet<DefId> = HashSet::default();
    let mut found = Vec::new();
    for of in parts {
        // A part may be inside another one: each body is read once.
        if !read.insert(*of) {
            continue;
        }
        let lines = files.definition(*of).lines;
        let first_use = |id: DefId| {
            let sites = graph.uses_of(id);
            let at = sites.partition_point(|site| (site.file, site.line) < (of.file, lines.start));
            let site = sites.get(at).filter(|site| site.file == of.file);
            site.map_or(u32::MAX, |site| site.line)
        };
        let inner = inside(files, *of).filter(|id| read.insert(*id));
        let bodies = std::iter::once(*of).chain(inner);
        for (id, confidence) in bodies.flat_map(|body| graph.used_by(body)) {
            let used = files.definition(*id);
            let is_within = id.file == of.file && lines.overlap(used.lines) > 0;
            let is_new =
                *confidence != Confidence::NameOnly && !is_within && !together.contains(&id.file);
            if is_new && seen.insert(*id) {
                let is_field = matches!(
                    used.kind,
                    DefinitionKind::Field | DefinitionKind::EnumMember
                );
                let order = (is_field, id.file == of.file, first_use(*id));
                found.push((order, *id, *of));
            }
        }
    }
    found.sort_unstable();
    let found = found.into_iter().take(plan.config.links.max_named_uses);
    let links = found.map(|(_, id, of)| Link::Related {
        id,
        of,
        relation: Relation::UsedBy,
    });
    links.collect()
}

/// Adds the issue that what a question for dependencies is about has none in the repository.
pub(super) fn note_no_dependency(plan: &mut Plan<'_>) {
    let (files, looked_up) = (&plan.snapshot.files, &plan.looked_up);
    if looked_up.asks() != Some(LookUp::Dependencies) {
        return;
    }
    let definitions = looked_up.definitions().iter();
    let names = definitions.map(|id| &*files.definition(*id).qualified_name);
    let paths = looked_up.modules().iter().map(|file| files.path(*file));
    let detail = format!(
        "no dependency of {} was found in the repository",
        issue::list(names.chain(paths))
    );
    plan.issues.push(Issue {
        code: IssueCode::NoneFound,
        detail,
    });
}

/// Returns the definitions inside a function, module or value, at any depth: it depends on what they use. A type has none:
/// its members are looked up themselves.
fn inside(files: &Files, outer: DefId) -> impl Iterator<Item = DefId> {
    let definition = files.definition(outer);
    let has_inner = !definition.kind.is_class();
    let later = files.definitions_of(outer.file);
    let later = later.skip(outer.local.0 as usize + 1);
    later
        .take_while(move |id| {
            has_inner && files.definition(*id).lines.start <= definition.lines.end
        })
        .filter(move |id| definition.span.contains(files.definition(*id).span))
}

/// Adds the signature of a definition that is related to `of`; returns its tokens as the error if it does not fit.
pub(super) fn add(
    plan: &mut Plan<'_>,
    id: DefId,
    (of, relation): (DefId, Relation),
    position: usize,
    pass: BudgetScope,
) -> Result<(), usize> {
    if plan.shows_signature(id) {
        return Ok(());
    }
    let files = &plan.snapshot.files;
    let name = &*files.definition(of).qualified_name;
    let name = match relation {
        Relation::OverridesMember => format!("{name}.{}", files.definition(id).name),
        _ => name.to_owned(),
    };
    let (section, reason, fact) = match relation {
        Relation::Same => {
            let reason = plan.source_of_name(of).to_owned();
            (SectionKind::Definitions, reason, None)
        }
        Relation::Overrides | Relation::OverridesMember => (
            SectionKind::Callers,
            format!("overrides {name}"),
            Some("overrides"),
        ),
        Relation::Implements => (
            SectionKind::Callers,
            format!("implements {name}"),
            Some("implements"),
        ),
        Relation::UsedBy => (
            SectionKind::Definitions,
            format!("used by {name}"),
            Some("needed_by"),
        ),
    };
    let mut entry = Entry {
        reason,
        ..card::compact(plan.snapshot, id, section)
    };
    entry.facts.extend(fact.map(|fact| (fact, name)));
    let shows = ShownPart::card_of(id);
    plan.try_add(entry, shows, (EntryKind::Link, position), pass)
}

/// Adds the signature of a type that implements an interface which the repository does not define; returns its tokens as the
/// error if it does not fit.
pub(super) fn add_implementer(
    plan: &mut Plan<'_>,
    id: DefId,
    interface: &str,
    position: usize,
    pass: BudgetScope,
) -> Result<(), usize> {
    if plan.shows_signature(id) {
        return Ok(());
    }
    let mut entry = Entry {
        reason: format!("implements {interface}"),
        ..card::compact(plan.snapshot, id, SectionKind::Callers)
    };
    entry.facts.push(("implements", interface.to_owned()));
    plan.try_add(
        entry,
        ShownPart::card_of(id),
        (EntryKind::Link, position),
        pass,
    )
}

//! Finds the definitions that a short question asks for by their relation to a named one: itself, the methods that override
//! it, the types that implement it without naming it, and the definitions that it refers to.

use foldhash::HashSet;
use foveate_index::{Confidence, DefId, FileId, Files, Snapshot};
use foveate_model::DefinitionKind;

use super::link::{Link, Linked};
use crate::assemble::entry::SectionKind;
use crate::assemble::hierarchy::{overriding, overriding_member};
use crate::assemble::plan::Plan;
use crate::intent::LookUp;
use crate::issue::{self, Issue, IssueCode};

/// Returns the looked up definitions themselves.
pub(super) fn definitions(plan: &Plan<'_>) -> Vec<Link> {
    let definitions = plan.looked_up.definitions.iter();
    let links = definitions.map(|id| Link {
        section: SectionKind::Definitions,
        reason: plan.source_of_name(*id).to_owned(),
        facts: Vec::new(),
        shows: Linked::Signature(*id),
    });
    links.collect()
}

/// Returns the methods that override the looked up ones.
pub(super) fn overrides(plan: &Plan<'_>) -> Vec<Link> {
    let (snapshot, looked_up) = (plan.snapshot, &plan.looked_up);
    let name = |id: DefId| snapshot.files.definition(id).qualified_name.to_string();
    let found: Vec<(DefId, String)> = match &looked_up.inherited {
        Some(method) => {
            let classes = looked_up.definitions.iter();
            let found = classes.flat_map(|class| overriding_member(snapshot, *class, method));
            found
                .map(|(id, class)| (id, format!("{}.{method}", name(class))))
                .collect()
        }
        None => {
            let found = overriding(snapshot, &looked_up.parts).into_iter();
            found.map(|(id, of)| (id, name(of))).collect()
        }
    };
    let found = found.into_iter().take(plan.config.links.max_named_uses);
    let relation = ("overrides", "overrides");
    let links = found.map(|(id, of)| Link::signature(SectionKind::Callers, id, relation, of));
    links.collect()
}

/// Makes the link to a type that implements the interface `of`, which its code does not name.
pub(super) fn implementer(id: DefId, of: &str) -> Link {
    let relation = ("implements", "implements");
    Link::signature(SectionKind::Callers, id, relation, of.to_owned())
}

/// Returns the definitions that the bodies of the looked up ones refer to, with those of the functions inside them: those of
/// other files first, then those of the same file, in the order in which the bodies name them. Fields come last: the bodies
/// show how they are used. Where a question looks up files, theirs are left out.
pub(super) fn dependencies(plan: &Plan<'_>) -> Vec<Link> {
    let Snapshot { files, graph, .. } = plan.snapshot;
    let parts = &plan.looked_up.parts;
    let together: HashSet<FileId> = plan.looked_up.modules.iter().copied().collect();
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
    let links = found.map(|(_, id, of)| {
        let of = files.definition(of).qualified_name.to_string();
        Link::signature(SectionKind::Definitions, id, ("needed_by", "used by"), of)
    });
    links.collect()
}

/// Adds the issue that what a question for dependencies is about has none in the repository.
pub(super) fn note_no_dependency(plan: &mut Plan<'_>) {
    let (files, looked_up) = (&plan.snapshot.files, &plan.looked_up);
    if looked_up.asks() != Some(LookUp::Dependencies) {
        return;
    }
    let definitions = looked_up.definitions.iter();
    let names = definitions.map(|id| &*files.definition(*id).qualified_name);
    let paths = looked_up.modules.iter().map(|file| files.path(*file));
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

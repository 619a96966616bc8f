//! Call sites of what is shown, each with the lines around it.

use foldhash::HashMap;
use foveate_index::graph::CallSite;
use foveate_index::{Confidence, DefId};
use foveate_model::{Lines, ReferenceKind, Role};

use super::{LINE, Link};
use crate::assemble::Fidelity;
use crate::assemble::packed::{LINK, Shows};
use crate::assemble::plan::{Pass, Plan};
use crate::assemble::render::{Entry, SectionKind, Shape};
use crate::assemble::source::{around, clean, one_line};

/// Call sites of the seeds, sure ones only: calls before other uses, source before tests, those in
/// the best functions first, then those in the best files.
pub(super) fn callers(plan: &Plan<'_>, seeds: &[DefId]) -> Vec<Link> {
    if plan.profile.callers == 0 {
        return Vec::new();
    }
    let files = &plan.snapshot.files;
    let mut place = HashMap::default();
    for (position, file) in plan.ranked.files.iter().enumerate() {
        place.insert(file.id, position);
    }
    let functions = plan.ranked.functions.iter().enumerate();
    let function_place: HashMap<DefId, usize> =
        functions.map(|(position, f)| (f.id, position)).collect();
    let key = |site: &CallSite| {
        let role = files.file(site.file).role;
        let kind = files
            .content(site.file)
            .and_then(|c| c.facts.references.get(site.reference as usize))
            .map(|r| r.kind);
        (
            kind != Some(ReferenceKind::Call),
            role == Role::Test,
            std::cmp::Reverse(site.confidence),
            site.enclosing
                .and_then(|id| function_place.get(&id).copied())
                .unwrap_or(usize::MAX),
            place.get(&site.file).copied().unwrap_or(usize::MAX),
            site.file,
            site.line,
            site.reference,
        )
    };
    let mut per_seed: Vec<Vec<Link>> = Vec::new();
    let most = plan.config.links.callers_of_one;
    for seed in seeds {
        let mut sites: Vec<_> = plan
            .snapshot
            .graph
            .uses_of(*seed)
            .iter()
            .filter(|site| site.confidence != Confidence::NameOnly && !is_within(plan, site, *seed))
            .map(|site| (key(site), *site))
            .collect();
        if sites.len() > most {
            sites.select_nth_unstable_by(most, |a, b| a.0.cmp(&b.0));
            sites.truncate(most);
        }
        sites.sort_by_key(|(key, _)| *key);
        sites.dedup_by_key(|(_, site)| (site.file, site.line));
        per_seed.push(
            sites
                .into_iter()
                .map(|(_, site)| Link::Caller { of: *seed, site })
                .collect(),
        );
    }
    // The best seed's callers are worth most, but one seed with many must not hide the others.
    let mut links = Vec::new();
    let rounds = per_seed.iter().map(Vec::len).max().unwrap_or(0);
    const IN_TURN: usize = 4;
    for round in (0..rounds).step_by(IN_TURN) {
        for list in &per_seed {
            links.extend(list.iter().skip(round).take(IN_TURN).cloned());
        }
    }
    links.truncate(plan.max_links(SectionKind::Callers));
    links
}

/// Whether a definition is used by itself: a recursion, or a class that names itself.
fn is_within(plan: &Plan<'_>, site: &CallSite, definition: DefId) -> bool {
    let files = &plan.snapshot.files;
    site.enclosing == Some(definition)
        || (site.file == files.file_of(definition)
            && files.definition(definition).lines.contains(site.line))
}

pub(super) fn add_caller(
    plan: &mut Plan<'_>,
    of: DefId,
    site: &CallSite,
    position: usize,
    pass: Pass,
) -> Result<(), usize> {
    let files = &plan.snapshot.files;
    let text = files.text(site.file);
    let reference = files
        .content(site.file)
        .and_then(|c| c.facts.references.get(site.reference as usize));
    let Some(at) = reference.map(|reference| reference.name.start as usize) else {
        return Ok(());
    };
    if plan
        .packed
        .shows_any(site.file, Lines::new(site.line, site.line))
    {
        return Ok(());
    }
    let (mut lines, mut code) = around(text, at, site.line, plan.profile.caller_context);
    if plan.packed.shows_any(site.file, lines) || code.len() > LINE * 4 {
        (lines, code) = around(text, at, site.line, 0);
    }
    let one = lines.count() == 1;
    let (shape, body) = if one {
        (Shape::Line, one_line(code, LINE))
    } else {
        (Shape::Block, clean(code).into_owned())
    };
    let entry = Entry {
        section: SectionKind::Callers,
        shape,
        path: files.path(site.file).to_owned(),
        name: enclosing(plan, site).unwrap_or_default(),
        kind: "",
        lines,
        // A line that stands alone is shown without its indentation, and cut where it is long.
        fidelity: if one {
            Fidelity::Compact
        } else {
            Fidelity::Full
        },
        cut: false,
        folded: false,
        scope: None,
        reason: format!("uses {}", files.definition(of).qualified_name),
        facts: vec![
            ("calls", files.definition(of).qualified_name.to_string()),
            ("confidence", site.confidence.name().to_owned()),
        ],
        language: files.file(site.file).language,
        body,
    };
    let shows = Shows {
        file: site.file,
        place: None,
        lines: vec![lines],
    };
    plan.try_add(entry, shows, (LINK, position), pass)
}

/// The name of the definition that a call stands in.
pub(super) fn enclosing(plan: &Plan<'_>, site: &CallSite) -> Option<String> {
    let id = site.enclosing?;
    Some(
        plan.snapshot
            .files
            .definition(id)
            .qualified_name
            .to_string(),
    )
}

//! Finds the tests that a short question asks for: those of a definition, of the members of a type, or of the definitions
//! of a file. Only test functions count, none of their helpers and fixtures.

use foldhash::HashMap;
use foveate_index::graph::TestLink;
use foveate_index::{Confidence, DefId, Files};
use foveate_model::Role;

use super::link::{Link, TestRelation};
use super::test_links::{test_link, whole_test};
use crate::assemble::plan::Plan;
use crate::assemble::verb::{Verb, verb};
use crate::deadline::Stage;
use crate::resolve::has_blocks;

/// Returns the tests, those with the most telling relation first, and of equal ones those of the first definition.
pub(super) fn tests(plan: &Plan<'_>) -> Vec<Link> {
    let mut best: HashMap<DefId, (TestRelation, usize, DefId)> = HashMap::default();
    for (position, of) in plan.looked_up.parts.iter().enumerate() {
        if !plan.deadline.allows(Stage::Links) {
            break;
        }
        for (test, relation) in tests_of(plan, *of) {
            let found = (relation, position, *of);
            let known = best.entry(test).or_insert(found);
            *known = (*known).min(found);
        }
    }
    let mut tests: Vec<_> = best
        .into_iter()
        .map(|(test, found)| (found, test))
        .collect();
    tests.sort_unstable();
    let tests = tests.into_iter().take(plan.config.links.max_named_uses);
    tests
        .map(|((relation, _, of), id)| test_link(&plan.snapshot.files, id, (of, relation)))
        .collect()
}

/// Returns the test functions of a definition, each with its relation to it.
fn tests_of(plan: &Plan<'_>, of: DefId) -> Vec<(DefId, TestRelation)> {
    let files = &plan.snapshot.files;
    let linked = plan.snapshot.graph.tests_of(of);
    if linked.is_empty() {
        return Vec::new();
    }
    let verbs = verbs_of_tests(plan, of);
    let tests = linked.iter().map(|(test, link)| {
        let relation = match (verbs.get(test), link) {
            _ if is_named_after(files, *test, of) => TestRelation::Names,
            (Some(Verb::Calls), _) => TestRelation::Calls,
            (_, TestLink::Indirect) => TestRelation::Indirect,
            _ => TestRelation::Uses,
        };
        (whole_test(files, *test), relation)
    });
    // The class of a test, and a block of several, are linked by what they share.
    let is_test = |id: DefId| files.definition(id).kind.is_function() && !has_blocks(files, id);
    tests.filter(|(test, _)| is_test(*test)).collect()
}

/// Returns what the tests that use a definition do with it, by each of the definitions around the use.
fn verbs_of_tests(plan: &Plan<'_>, of: DefId) -> HashMap<DefId, Verb> {
    let files = &plan.snapshot.files;
    let mut verbs: HashMap<DefId, Verb> = HashMap::default();
    for site in plan.snapshot.graph.uses_of(of) {
        if site.confidence == Confidence::NameOnly || site.role(files) != Role::Test {
            continue;
        }
        let verb = verb(files, of, site);
        for around in std::iter::successors(site.enclosing, |id| files.parent(*id)) {
            let known = verbs.entry(around).or_insert(verb);
            *known = (*known).min(verb);
        }
    }
    verbs
}

/// Whether the name of a test, or that of a class or block around it where a type is tested, contains the name of a
/// definition.
fn is_named_after(files: &Files, test: DefId, of: DefId) -> bool {
    let name = files.name_terms(of);
    let contains = |id: DefId| {
        let mut parts = files.name_terms(id).windows(name.len().max(1));
        parts.any(|part| part == name)
    };
    let mut around = std::iter::successors(files.parent(test), |id| files.parent(*id));
    contains(test) || files.definition(of).kind.is_class() && around.any(contains)
}

//! Adds tests of the shown definitions, whole or as signatures, and outlines of test files.

use foldhash::HashSet;
use foveate_index::{DefId, FileId, Files};

use super::link::{Link, TestRelation};
use crate::assemble::card;
use crate::assemble::entry::SectionKind;
use crate::assemble::near_duplicates::ComparedText;
use crate::assemble::packed::{EntryKind, ShownPart};
use crate::assemble::plan::{BudgetScope, Plan};
use crate::assemble::seen::WHOLE_FILE;
use crate::rank::{PlaceId, RankedPlace};
use crate::resolve::has_blocks;

/// Maximum tests considered per seed, the most certain first.
const TESTS_PER_SEED: usize = 40;
/// Maximum lines of a test that is shown instead of a function in it.
const MAX_TEST_LINES: u32 = 80;
/// Maximum test files per file of a seed.
const TEST_FILES: usize = 3;

/// Returns tests of the seeds, then test files of their files. A test weighs more the more seeds it tests, the
/// better they rank and the more certain its links are.
pub(super) fn tests(plan: &Plan<'_>, seeds: &[DefId]) -> Vec<Link> {
    let graph = &plan.snapshot.graph;
    let mut found: Vec<(DefId, f32, DefId)> = Vec::new();
    for (position, seed) in seeds.iter().enumerate() {
        for (test, link) in graph.tests_of(*seed).iter().take(TESTS_PER_SEED) {
            // The variants of `TestLink` are ordered by certainty, the weakest first.
            let weight = (1.0 + f32::from(*link as u8)) / (position as f32 + 1.0);
            found.push((whole_test(&plan.snapshot.files, *test), weight, *seed));
        }
    }
    // Stable, so that the weights of one test are summed in the order of the seeds.
    found.sort_by_key(|(test, ..)| *test);
    let mut summed: Vec<(DefId, f32, DefId)> = Vec::new();
    for (test, weight, of) in found {
        match summed.last_mut() {
            Some((last, sum, _)) if *last == test => *sum += weight,
            _ => summed.push((test, weight, of)),
        }
    }
    summed.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut links: Vec<Link> = summed
        .into_iter()
        .take(plan.max_links(SectionKind::Tests))
        .map(|(id, _, of)| Link::Test {
            id,
            of,
            relation: TestRelation::Linked,
        })
        .collect();
    let mut listed = HashSet::default();
    for link in &links {
        if let Link::Test { id, .. } = link {
            listed.insert(id.file);
        }
    }
    for seed in seeds {
        let file = seed.file;
        for (tests, _) in graph.test_files_of(file).iter().take(TEST_FILES) {
            if listed.insert(*tests) && links.len() < plan.max_links(SectionKind::Tests) * 2 {
                links.push(Link::TestFile {
                    file,
                    tests: *tests,
                });
            }
        }
    }
    links
}

/// Returns the test around a function in it, unless the test is long: a function that a test defines for itself says little
/// about what is tested. A block of several tests is no test.
pub(super) fn whole_test(files: &Files, id: DefId) -> DefId {
    let is_block = |id: DefId| files.definition(id).modifiers.is_block;
    if is_block(id) {
        return id;
    }
    let mut around = std::iter::successors(files.parent(id), |id| files.parent(*id));
    let test = around.find(|id| is_block(*id));
    let is_shown = |id: &DefId| {
        !has_blocks(files, *id) && files.definition(*id).lines.count() <= MAX_TEST_LINES
    };
    test.filter(is_shown).unwrap_or(id)
}

/// Returns the place of the whole test around a place in it: see [`whole_test`].
pub(in crate::assemble) fn in_whole_test(files: &Files, place: RankedPlace) -> RankedPlace {
    let PlaceId::Definition(id) = place.id else {
        return place;
    };
    let test = whole_test(files, id);
    if test == id {
        return place;
    }
    RankedPlace {
        score: place.score,
        probability: place.probability,
        share: place.share,
        signals: place.signals,
        ..RankedPlace::new(files, PlaceId::Definition(test))
    }
}

pub(super) fn add_test(
    plan: &mut Plan<'_>,
    id: DefId,
    (of, relation): (DefId, TestRelation),
    position: usize,
    whole: &mut usize,
    pass: BudgetScope,
) -> Result<(), usize> {
    let files = &plan.snapshot.files;
    let file = id.file;
    let definition = files.definition(id);
    let lines = definition.lines;
    let place = PlaceId::Definition(id);
    if plan.packed.has(place) || plan.packed.shows_any(file, lines) {
        return Ok(());
    }
    let shows = |lines| ShownPart {
        file,
        place: Some(place),
        lines,
    };
    let reason = relation.reason(&files.definition(of).qualified_name);
    let compared = ComparedText::of_definition(files, id);
    if *whole > 0 && definition.kind.is_function() && plan.find_near_duplicate(compared).is_none() {
        let mut entry = card::full(
            plan.snapshot,
            &RankedPlace::new(files, place),
            SectionKind::Tests,
        );
        entry.reason.clone_from(&reason);
        if plan
            .try_add(entry, shows(vec![lines]), (EntryKind::Link, position), pass)
            .is_ok()
        {
            *whole -= 1;
            plan.near_duplicates.show(compared);
            return Ok(());
        }
    }
    let mut entry = card::compact(plan.snapshot, id, SectionKind::Tests);
    entry.reason = reason;
    plan.try_add(entry, shows(Vec::new()), (EntryKind::Link, position), pass)
}

pub(super) fn add_test_file(
    plan: &mut Plan<'_>,
    file: FileId,
    tests: FileId,
    position: usize,
    pass: BudgetScope,
) -> Result<(), usize> {
    if plan.packed.shows_all(tests, WHOLE_FILE) {
        return Ok(());
    }
    let Some(mut entry) = card::outline(
        plan.snapshot,
        tests,
        SectionKind::Tests,
        plan.config.cards.max_members / 2,
    ) else {
        return Ok(());
    };
    let tested = plan.snapshot.files.path(file).to_owned();
    entry.reason = format!("tests {tested}");
    entry.facts.push(("tests", tested));
    let shows = ShownPart::card(tests, None);
    plan.try_add(entry, shows, (EntryKind::Link, position), pass)
}

#[cfg(test)]
mod tests {
    use foveate_fixture::snapshot::of_text;

    use super::*;

    #[test]
    fn function_in_a_test_is_shown_as_the_test() {
        let long = "    expect(1).toBe(1);\n".repeat(100);
        let text = format!(
            "//- cart.test.ts\ndescribe('cart', () => {{\n  function outer() {{\n    return 1;\n  }}\n\n  \
             it('sums', () => {{\n    function inner() {{\n      return sum();\n    }}\n    \
             expect(inner()).toBe(1);\n  }});\n\n  it('is long', () => {{\n    function alone() {{\n      \
             return sum();\n    }}\n{long}  }});\n}});\n"
        );
        let snapshot = of_text(&text);
        let files = &snapshot.files;
        for (name, shown) in [("inner", "sums"), ("outer", "outer"), ("alone", "alone")] {
            let id = snapshot.symbols.named(name)[0];
            let test = whole_test(files, id);
            assert_eq!(&*files.definition(test).name, shown, "{name}");
        }
    }
}

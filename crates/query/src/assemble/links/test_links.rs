//! Finds tests of the shown definitions, and the files of tests of theirs.

use foldhash::HashSet;
use foveate_index::graph::TestLink;
use foveate_index::{DefId, FileId, Files};

use super::link::{Link, Linked, TestRelation};
use crate::assemble::card;
use crate::assemble::entry::{Entry, SectionKind};
use crate::assemble::near_duplicates::ComparedText;
use crate::assemble::packed::{Order, ShownPart};
use crate::assemble::plan::{BudgetScope, Plan};
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
    let mut found: Vec<(DefId, f32, (DefId, TestLink))> = Vec::new();
    for (position, seed) in seeds.iter().enumerate() {
        for (test, link) in graph.tests_of(*seed).iter().take(TESTS_PER_SEED) {
            // The variants of `TestLink` are ordered by certainty, the weakest first.
            let weight = (1.0 + f32::from(*link as u8)) / (position as f32 + 1.0);
            let of = (*seed, *link);
            found.push((whole_test(&plan.snapshot.files, *test), weight, of));
        }
    }
    // Stable, so that the weights of one test are summed in the order of the seeds.
    found.sort_by_key(|(test, ..)| *test);
    let mut summed: Vec<(DefId, f32, (DefId, TestLink))> = Vec::new();
    for (test, weight, of) in found {
        match summed.last_mut() {
            Some((last, sum, first)) if *last == test => {
                *sum += weight;
                // A test is shown for what it tests itself, if there is any.
                if first.1 == TestLink::Indirect {
                    *first = of;
                }
            }
            _ => summed.push((test, weight, of)),
        }
    }
    summed.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    summed.truncate(plan.max_links(SectionKind::Tests));
    let files = &plan.snapshot.files;
    let mut listed: HashSet<FileId> = summed.iter().map(|(id, ..)| id.file).collect();
    let links = summed.into_iter();
    let links = links.map(|(id, _, (of, link))| test_link(files, id, (of, relation(link))));
    let mut links: Vec<Link> = links.collect();
    for seed in seeds {
        let tested = files.path(seed.file);
        for (tests, link) in graph.test_files_of(seed.file).iter().take(TEST_FILES) {
            if listed.insert(*tests) && links.len() < plan.max_links(SectionKind::Tests) * 2 {
                let verb = relation_of_files(*link);
                links.push(Link {
                    section: SectionKind::Tests,
                    reason: format!("{verb} {tested}"),
                    facts: vec![(verb, tested.to_owned())],
                    shows: Linked::TestFile(*tests),
                });
            }
        }
    }
    links
}

/// Returns how a test is connected with what it is linked to.
fn relation(link: TestLink) -> TestRelation {
    match link {
        TestLink::Indirect => TestRelation::Indirect,
        _ => TestRelation::Linked,
    }
}

/// Returns what a file of tests does with a file that it is linked to.
fn relation_of_files(link: TestLink) -> &'static str {
    match link {
        TestLink::Path | TestLink::Name => "tests",
        TestLink::Import => "imports",
        TestLink::Reference | TestLink::Indirect => "uses",
    }
}

/// Makes the link to a test of `of`.
pub(super) fn test_link(files: &Files, id: DefId, (of, relation): (DefId, TestRelation)) -> Link {
    Link {
        section: SectionKind::Tests,
        reason: relation.reason(&files.definition(of).qualified_name),
        facts: Vec::new(),
        shows: Linked::Test(id),
    }
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

/// Adds a whole test function unless it is a near-duplicate of a shown one; returns whether it was added.
pub(super) fn add_whole(
    plan: &mut Plan<'_>,
    id: DefId,
    reason: &str,
    order: Order,
    pass: BudgetScope,
) -> bool {
    let files = &plan.snapshot.files;
    let compared = ComparedText::of_definition(files, id);
    let definition = files.definition(id);
    if !definition.kind.is_function() || plan.find_near_duplicate(compared).is_some() {
        return false;
    }
    let place = PlaceId::Definition(id);
    let ranked = RankedPlace::new(files, place);
    let entry = Entry {
        reason: reason.to_owned(),
        ..card::full(plan.snapshot, &ranked, SectionKind::Tests)
    };
    let shows = ShownPart {
        file: id.file,
        place: Some(place),
        lines: vec![definition.lines],
    };
    let is_added = plan.try_add(entry, shows, order, pass).is_ok();
    if is_added {
        plan.near_duplicates.show(files, compared);
    }
    is_added
}

#[cfg(test)]
mod tests {
    use foveate_fixture::snapshot::of_text;

    use super::*;

    #[test]
    fn only_what_a_test_is_for_is_said_to_be_tested() {
        assert_eq!(relation(TestLink::Indirect), TestRelation::Indirect);
        assert_eq!(relation(TestLink::Reference), TestRelation::Linked);

        let of = [
            (TestLink::Path, "tests"),
            (TestLink::Import, "imports"),
            (TestLink::Reference, "uses"),
        ];
        for (link, relation) in of {
            assert_eq!(relation_of_files(link), relation);
        }
    }

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

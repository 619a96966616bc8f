//! Links tests to what they test: by references, by their names, by imports, and by paths that mirror the
//! paths of sources ([`super::test_evidence`]); and indirectly through other functions.

use std::sync::Arc;

use foveate_model::LocalId;

use crate::change::{Change, FileSet, Renumber};
use crate::files::{DefId, FileId, Files};
use crate::graph::dependencies::WithDependencies;
use crate::graph::relations::{Confidence, TestLink};
use crate::graph::rows::{FileRows, PreviousRows, Rows, by_file};
use crate::graph::stage::Stage;
use crate::graph::test_evidence::{TestEvidence, find_evidence, order};

pub(super) use crate::graph::test_evidence::Evidence;

/// Maximum number of tests of one definition; the strongest are kept.
const MAX_TESTS_OF_DEFINITION: usize = 48;
/// Maximum number of test files of one file; the strongest are kept.
const MAX_TEST_FILES_OF_FILE: usize = 96;
/// Maximum number of tests that a definition without its own tests takes over from its users.
const MAX_INDIRECT: usize = 8;
/// Maximum number of uses between a definition and such a test's target.
const INDIRECT_STEPS: usize = 2;

/// The tests of definitions and of files.
#[derive(Debug, Default)]
pub(super) struct TestLinks {
    /// The evidence that each file has as a test.
    found: Vec<Arc<WithDependencies<TestEvidence>>>,
    /// Tests of definitions by number of steps: direct tests only, then including those up to that many steps
    /// away.
    of_definitions: [FileRows<Link>; INDIRECT_STEPS + 1],
    /// The test files of each file, in its first row.
    of_files: FileRows<(FileId, TestLink)>,
}

/// A test, and why it is linked.
type Link = (DefId, TestLink);
impl TestLinks {
    /// Links all tests. Earlier links are reused except for the test files in `changed_tests`, whose
    /// references or imports resolve differently or whose content changed.
    pub(super) fn derive(
        evidence: &Evidence<'_>,
        before: Option<&Self>,
        stage: &Stage<'_>,
        changed_tests: &FileSet,
    ) -> Self {
        let files = evidence.files;
        let known = before.map(|before| &before.found[..]);
        let found = find_evidence(evidence, known, stage, changed_tests);
        let changed_targets = changed_targets(known, &found, stage);
        let known = before.zip(stage.change);
        let direct = direct(files, known, &found, &changed_targets);
        let of_files = of_files(files, known, &found, &changed_targets);
        let mut steps = [direct, FileRows::default(), FileRows::default()];
        let mut affected = changed_targets;
        for step in 1..steps.len() {
            let of_step =
                |step: usize| known.map(|(before, change)| (&before.of_definitions[step], change));
            // Affected are files whose own links changed, whose users changed, or whose users' links changed.
            let differing = steps[step - 1].differing(of_step(step - 1), &affected);
            affected = differing.clone();
            affected.extend(evidence.changed_uses.iter());
            affected.extend(stage.change.into_iter().flat_map(|c| c.changed()).copied());
            for user in differing.iter() {
                affected.extend(evidence.edges(user).iter().map(|edge| edge.target.file));
            }
            if stage.change.is_none() {
                affected = FileSet::all(files.len());
            }
            steps[step] = add_indirect(evidence, of_step(step), &steps[step - 1], &affected);
        }
        Self {
            found,
            of_definitions: steps,
            of_files,
        }
    }

    pub(super) fn of_definition(&self, id: DefId) -> &[Link] {
        self.of_definitions[INDIRECT_STEPS].row(id)
    }

    pub(super) fn of_file(&self, file: FileId) -> &[(FileId, TestLink)] {
        self.of_files.row(DefId::new(file, LocalId(0)))
    }

    pub(super) fn heap_bytes(&self) -> usize {
        let found = self.found.iter().map(|found| {
            let TestEvidence {
                mirrored,
                definitions,
                files,
            } = &found.value;
            let values = size_of_val(&**mirrored) + size_of_val(&**definitions);
            found.heap_bytes() + values + size_of_val(&**files)
        });
        let of_definitions = self.of_definitions.iter().map(FileRows::heap_bytes);
        found.sum::<usize>() + self.of_files.heap_bytes() + of_definitions.sum::<usize>()
    }
}

/// Returns the target files whose evidence was added, removed or changed.
fn changed_targets(
    known: Option<&[Arc<WithDependencies<TestEvidence>>]>,
    found: &[Arc<WithDependencies<TestEvidence>>],
    stage: &Stage<'_>,
) -> FileSet {
    let targets = |found: &TestEvidence| {
        let definitions = found.definitions.iter().map(|c| c.target.file);
        let files = found.files.iter().map(|c| c.target);
        definitions.chain(files).collect::<Vec<FileId>>()
    };
    let mut changed_targets = FileSet::none(found.len());
    let Some((known, change)) = known.zip(stage.change) else {
        return FileSet::all(found.len());
    };
    // Ids of tests are part of the links, so links of changed files are computed again.
    changed_targets.extend(change.changed().iter().copied());
    for (test, found) in (0..).map(FileId).zip(found) {
        let before = change.earlier_id(test);
        let before = before.and_then(|before| known.get(before.0 as usize));
        let Some(before) = before else {
            changed_targets.extend(targets(&found.value));
            continue;
        };
        let is_same = if change.is_stable() {
            Arc::ptr_eq(before, found)
        } else {
            before.value.renumbered(change).as_ref() == Some(&found.value)
        };
        if !is_same || change.is_changed(test) {
            changed_targets.extend(targets(&found.value));
            let before = targets(&before.value).into_iter();
            changed_targets.extend(before.filter_map(|file| change.later_id(file)));
        }
    }
    for test in change.gone() {
        if let Some(before) = known.get(test.0 as usize) {
            let before = targets(&before.value).into_iter();
            changed_targets.extend(before.filter_map(|file| change.later_id(file)));
        }
    }
    changed_targets
}

type Before<'a> = Option<(&'a TestLinks, &'a Change)>;

fn direct(
    files: &Files,
    before: Before<'_>,
    found: &[Arc<WithDependencies<TestEvidence>>],
    changed_targets: &FileSet,
) -> FileRows<Link> {
    let mut pairs = Vec::new();
    for (test, found) in files.ids().zip(found) {
        let candidates = found.value.definitions.iter();
        let candidates = candidates.filter(|c| changed_targets.contains(c.target.file));
        pairs.extend(candidates.map(|candidate| {
            let id = DefId::new(test, candidate.test);
            (candidate.target, (id, candidate.strength))
        }));
    }
    let grouped = by_file(files.len(), pairs);
    let known = before.map(|(before, change)| (&before.of_definitions[0], change));
    FileRows::derive(files.len(), known, changed_targets, |file| {
        let mut candidates = grouped.row(file.0).to_vec();
        candidates
            .sort_unstable_by_key(|(target, (test, strength))| (*target, order(*strength), *test));
        let by_target = candidates.chunk_by(|a, b| a.0 == b.0);
        let pairs: Vec<(u32, Link)> = by_target
            .flat_map(|candidates| candidates.iter().take(MAX_TESTS_OF_DEFINITION))
            .map(|(target, (test, strength))| (*target, (*test, strength.link)))
            .collect();
        Rows::from_pairs(files.definitions_of(file).len(), &pairs)
    })
}

fn of_files(
    files: &Files,
    before: Before<'_>,
    found: &[Arc<WithDependencies<TestEvidence>>],
    changed_targets: &FileSet,
) -> FileRows<(FileId, TestLink)> {
    let mut pairs = Vec::new();
    for (test, found) in files.ids().zip(found) {
        let candidates = found
            .value
            .files
            .iter()
            .filter(|c| changed_targets.contains(c.target));
        pairs.extend(candidates.map(|c| (c.target.0, (test, c.strength))));
    }
    let grouped = Rows::from_pairs(files.len(), &pairs);
    let known = before.map(|(before, change)| (&before.of_files, change));
    FileRows::derive(files.len(), known, changed_targets, |file| {
        let mut candidates = grouped.row(file.0).to_vec();
        candidates.sort_unstable_by_key(|(test, strength)| (order(*strength), *test));
        let candidates = candidates.iter().take(MAX_TEST_FILES_OF_FILE);
        let pairs: Vec<(u32, (FileId, TestLink))> = candidates
            .map(|(test, strength)| (0, (*test, strength.link)))
            .collect();
        Rows::from_pairs(1, &pairs)
    })
}

/// Gives functions without tests the tests of their users: a private function is tested through its callers.
fn add_indirect(
    evidence: &Evidence<'_>,
    known: PreviousRows<'_, Link>,
    direct: &FileRows<Link>,
    affected: &FileSet,
) -> FileRows<Link> {
    let files = evidence.files;
    FileRows::derive(files.len(), known, affected, |file| {
        let definitions = files.definitions_of(file);
        let rows = definitions.len();
        let pairs: Vec<(u32, Link)> = definitions
            .flat_map(|id| {
                let tests = direct_or_indirect_tests(evidence, direct, id).into_iter();
                tests.map(move |test| (id.local.0, test))
            })
            .collect();
        Rows::from_pairs(rows, &pairs)
    })
}

fn direct_or_indirect_tests(
    evidence: &Evidence<'_>,
    direct: &FileRows<Link>,
    id: DefId,
) -> Vec<Link> {
    let own = direct.row(id);
    let kind = evidence.files.definition(id).kind;
    if !own.is_empty() || !(kind.is_function() || kind.is_container()) {
        return own.to_vec();
    }
    let mut indirect: Vec<Link> = Vec::new();
    let sites = evidence.uses.row(id).iter().take(256);
    for site in sites.filter(|site| site.confidence > Confidence::NameOnly) {
        let Some(user) = site.enclosing else { continue };
        // Only the strongest tests of each user are taken, so that one user does not crowd out the others.
        for (test, _) in direct.row(user).iter().take(2) {
            if indirect.iter().all(|(known, _)| known != test) {
                indirect.push((*test, TestLink::Indirect));
            }
        }
        if indirect.len() >= MAX_INDIRECT {
            break;
        }
    }
    indirect.truncate(MAX_INDIRECT);
    indirect
}

//! Tests linked to what they test: by what they refer to, by their names, by imports, and by paths
//! that mirror the paths of sources ([`super::test_evidence`]); and through other functions.

use std::sync::Arc;

use crate::change::{Change, FileSet, Renumber};
use crate::files::{DefId, FileId, Files};
use crate::graph::csr::{FileRows, PreviousRows, Rows, by_file};
use crate::graph::dependencies::Resolved;
use crate::graph::relations::{Confidence, TestLink};
use crate::graph::stage::Stage;
use crate::graph::test_evidence::{TestEvidence, found, order};

pub(super) use crate::graph::test_evidence::Evidence;

/// Most tests that are kept of one definition, the surest ones.
pub(super) const MAX_TESTS_OF_DEFINITION: usize = 48;
/// Most test files that are kept of one file, the surest ones.
pub(super) const MAX_TEST_FILES_OF_FILE: usize = 96;
/// Most tests that a definition without its own takes over from those that use it.
const MAX_INDIRECT: usize = 8;
/// How many steps such a test may be away.
const INDIRECT_STEPS: usize = 2;

/// Both relations.
#[derive(Debug, Default)]
pub(super) struct TestLinks {
    /// By file of tests what it is evidence of.
    found: Vec<Arc<Resolved<TestEvidence>>>,
    /// Tests of definitions: direct ones, then with those that are so many steps away.
    of_definitions: [FileRows<Link>; INDIRECT_STEPS + 1],
    /// A row for each file.
    of_files: Vec<Arc<[(FileId, TestLink)]>>,
}

/// A test, and how it is linked.
type Link = (DefId, TestLink);
impl TestLinks {
    /// The links of all tests; those of before are used again, but for the tests in `concerned`
    /// files: their references or imports lead elsewhere, or they changed.
    pub(super) fn derive(
        evidence: &Evidence<'_>,
        before: Option<&Self>,
        stage: &Stage<'_>,
        concerned: &FileSet,
    ) -> Self {
        let files = evidence.files;
        let known = before.map(|before| &before.found[..]);
        let found = found(evidence, known, stage, concerned);
        let tested = tested(known, &found, stage);
        let known = before.zip(stage.change);
        let direct = direct(files, known, &found, &tested);
        let of_files = of_files(files, known, &found, &tested);
        let mut steps = [direct, FileRows::default(), FileRows::default()];
        let mut affected = tested;
        for step in 1..steps.len() {
            let of_step =
                |step: usize| known.map(|(before, change)| (&before.of_definitions[step], change));
            // Those whose own links changed, whose users did, or the links of their users.
            let differing = steps[step - 1].differing(of_step(step - 1), &affected);
            affected = differing.clone();
            affected.extend(evidence.reused.iter());
            affected.extend(stage.change.into_iter().flat_map(|c| c.changed()).copied());
            for user in differing.iter() {
                affected.extend(evidence.edges(user).iter().map(|edge| edge.target.file));
            }
            if stage.change.is_none() {
                affected = FileSet::all(files.len());
            }
            steps[step] = with_indirect(evidence, of_step(step), &steps[step - 1], &affected);
        }
        Self {
            found,
            of_definitions: steps,
            of_files,
        }
    }

    /// Tests of a definition.
    pub(super) fn of_definition(&self, id: DefId) -> &[Link] {
        self.of_definitions[INDIRECT_STEPS].row(id)
    }

    /// Test files of a file.
    pub(super) fn of_file(&self, file: FileId) -> &[(FileId, TestLink)] {
        self.of_files.get(file.0 as usize).map_or(&[], Arc::as_ref)
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
        let of_files = self.of_files.iter().map(|row| size_of_val(&**row) + 32);
        let of_definitions = self.of_definitions.iter().map(FileRows::heap_bytes);
        found.sum::<usize>() + of_files.sum::<usize>() + of_definitions.sum::<usize>()
    }
}

/// The files that tests are evidence of which were not known before, or are no longer.
fn tested(
    known: Option<&[Arc<Resolved<TestEvidence>>]>,
    found: &[Arc<Resolved<TestEvidence>>],
    stage: &Stage<'_>,
) -> FileSet {
    let targets = |found: &TestEvidence| {
        let definitions = found.definitions.iter().map(|c| c.target.file);
        let files = found.files.iter().map(|c| c.target);
        definitions.chain(files).collect::<Vec<FileId>>()
    };
    let mut tested = FileSet::none(found.len());
    let Some((known, change)) = known.zip(stage.change) else {
        return FileSet::all(found.len());
    };
    // Ids of tests are part of the links.
    tested.extend(change.changed().iter().copied());
    for (test, found) in (0..).map(FileId).zip(found) {
        let before = change.before(test);
        let before = before.and_then(|before| known.get(before.0 as usize));
        let Some(before) = before else {
            tested.extend(targets(&found.value));
            continue;
        };
        let is_same = if change.is_stable() {
            Arc::ptr_eq(before, found)
        } else {
            before.value.renumbered(change).as_ref() == Some(&found.value)
        };
        if !is_same || change.is_changed(test) {
            tested.extend(targets(&found.value));
            let before = targets(&before.value).into_iter();
            tested.extend(before.filter_map(|file| change.now(file)));
        }
    }
    for test in change.gone() {
        if let Some(before) = known.get(test.0 as usize) {
            let before = targets(&before.value).into_iter();
            tested.extend(before.filter_map(|file| change.now(file)));
        }
    }
    tested
}

type Before<'a> = Option<(&'a TestLinks, &'a Change)>;

fn direct(
    files: &Files,
    before: Before<'_>,
    found: &[Arc<Resolved<TestEvidence>>],
    tested: &FileSet,
) -> FileRows<Link> {
    let mut pairs = Vec::new();
    for (test, found) in files.ids().zip(found) {
        let candidates = found.value.definitions.iter();
        let candidates = candidates.filter(|c| tested.contains(c.target.file));
        pairs.extend(candidates.map(|candidate| {
            let id = files.global(test, candidate.test);
            (candidate.target, (id, candidate.strength))
        }));
    }
    let grouped = by_file(files.len(), pairs);
    let known = before.map(|(before, change)| (&before.of_definitions[0], change));
    FileRows::derive(files.len(), known, tested, |file| {
        let mut candidates = grouped.row(file.0).to_vec();
        candidates
            .sort_unstable_by_key(|(target, (test, strength))| (*target, order(*strength), *test));
        let by_target = candidates.chunk_by(|a, b| a.0 == b.0);
        let pairs: Vec<(u32, Link)> = by_target
            .flat_map(|candidates| candidates.iter().take(MAX_TESTS_OF_DEFINITION))
            .map(|(target, (test, strength))| (*target, (*test, strength.link)))
            .collect();
        if pairs.is_empty() {
            return Rows::default();
        }
        Rows::from_pairs(files.definitions_of(file).len(), &pairs)
    })
}

fn of_files(
    files: &Files,
    before: Before<'_>,
    found: &[Arc<Resolved<TestEvidence>>],
    tested: &FileSet,
) -> Vec<Arc<[(FileId, TestLink)]>> {
    let mut pairs = Vec::new();
    for (test, found) in files.ids().zip(found) {
        let candidates = found
            .value
            .files
            .iter()
            .filter(|c| tested.contains(c.target));
        pairs.extend(candidates.map(|c| (c.target.0, (test, c.strength))));
    }
    let grouped = Rows::from_pairs(files.len(), &pairs);
    let none: Arc<[(FileId, TestLink)]> = Arc::default();
    let row = |file: FileId| {
        let before = before.filter(|_| !tested.contains(file));
        let before = before.and_then(|(before, change)| {
            let row = before.of_files.get(change.before(file)?.0 as usize)?;
            if change.is_stable() || row.is_empty() {
                return Some(Arc::clone(row));
            }
            row.iter().map(|link| link.renumbered(change)).collect()
        });
        before.unwrap_or_else(|| {
            let mut candidates = grouped.row(file.0).to_vec();
            if candidates.is_empty() {
                return Arc::clone(&none);
            }
            candidates.sort_unstable_by_key(|(test, strength)| (order(*strength), *test));
            let candidates = candidates.iter().take(MAX_TEST_FILES_OF_FILE);
            candidates
                .map(|(test, strength)| (*test, strength.link))
                .collect()
        })
    };
    files.ids().map(row).collect()
}

/// Gives functions that no test refers to the tests of what uses them: a private function is tested
/// through its callers.
fn with_indirect(
    evidence: &Evidence<'_>,
    known: PreviousRows<'_, Link>,
    direct: &FileRows<Link>,
    affected: &FileSet,
) -> FileRows<Link> {
    let files = evidence.files;
    FileRows::derive(files.len(), known, affected, |file| {
        let rows: Vec<Vec<Link>> = files
            .definitions_of(file)
            .map(|id| tests_or_those_of_users(evidence, direct, id))
            .collect();
        if rows.iter().all(Vec::is_empty) {
            return Rows::default();
        }
        Rows::from_rows(&rows)
    })
}

fn tests_or_those_of_users(
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
        // The surest few of each user, so that one user does not crowd out the others.
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

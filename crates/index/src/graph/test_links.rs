//! Tests linked to what they test: by what they refer to, by their names, by imports, and by paths
//! that mirror the paths of sources.

use std::sync::Arc;

use foldhash::HashMap;
use foveate_model::{LocalId, Role};

use crate::change::{Change, FileSet, Renumber};
use crate::files::{DefId, FileId, Files};
use crate::graph::csr::{FileRows, Known, Rows, by_file};
use crate::graph::family::Family;
use crate::graph::reads::{Asked, Reads, Resolved};
use crate::graph::references::{Edge, Edges};
use crate::graph::stage::Stage;
use crate::graph::test_paths::Mirrors;
use crate::graph::{CallSite, Confidence, TestLink};
use crate::symbols::{Symbols, fold};

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
    found: Vec<Arc<Resolved<Found>>>,
    /// Tests of definitions: direct ones, then with those that are so many steps away.
    of_definitions: [FileRows<Link>; INDIRECT_STEPS + 1],
    /// A row for each file.
    of_files: Vec<Arc<[(FileId, TestLink)]>>,
}

/// A test, and how it is linked.
type Link = (DefId, TestLink);

/// What one file of tests is evidence of.
#[derive(Clone, Debug, Default, PartialEq)]
struct Found {
    /// The files that its path mirrors, sorted.
    mirrored: Box<[FileId]>,
    /// By definition that is tested, then by test.
    definitions: Box<[Candidate<DefId, LocalId>]>,
    /// By file that is tested.
    files: Box<[Candidate<FileId, ()>]>,
}

impl Renumber for Found {
    fn renumbered(&self, change: &Change) -> Option<Self> {
        Some(Self {
            mirrored: self.mirrored.renumbered(change)?,
            definitions: self.definitions.renumbered(change)?,
            files: self.files.renumbered(change)?,
        })
    }
}

/// What the links are found from.
pub(super) struct Evidence<'a> {
    pub(super) files: &'a Files,
    pub(super) symbols: &'a Symbols,
    pub(super) edges: &'a [Arc<Resolved<Edges>>],
    pub(super) imports: &'a [Arc<Resolved<Box<[FileId]>>>],
    pub(super) uses: &'a FileRows<CallSite>,
    /// Files whose uses may differ from those before.
    pub(super) reused: &'a FileSet,
}

impl Evidence<'_> {
    fn edges(&self, file: FileId) -> &[Edge] {
        let edges = self.edges.get(file.0 as usize);
        edges.map_or(&[], |edges| &edges.value.edges)
    }

    fn imports(&self, file: FileId) -> &[FileId] {
        let imports = self.imports.get(file.0 as usize);
        imports.map_or(&[], |imports| &imports.value)
    }
}

/// How strongly a test is tied to what it tests: the larger, the surer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Strength {
    link: TestLink,
    /// Whether the path of its file mirrors, or its name names, what it refers to.
    named: bool,
    mirrored: bool,
    uses: u32,
    certain: bool,
}

/// What a test, or its file, may be about and how strongly it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate<Target, Test> {
    target: Target,
    test: Test,
    strength: Strength,
}

impl<Target: Renumber, Test: Copy> Renumber for Candidate<Target, Test> {
    fn renumbered(&self, change: &Change) -> Option<Self> {
        Some(Self {
            target: self.target.renumbered(change)?,
            test: self.test,
            strength: self.strength,
        })
    }
}

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
            let Found {
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

fn found(
    evidence: &Evidence<'_>,
    known: Option<&[Arc<Resolved<Found>>]>,
    stage: &Stage<'_>,
    concerned: &FileSet,
) -> Vec<Arc<Resolved<Found>>> {
    let files = evidence.files;
    // Where files came or went, paths may mirror others.
    let mirrors = (!stage.is_stable()).then(|| Mirrors::new(files));
    let mirrored = |test: FileId| match &mirrors {
        Some(mirrors) => mirrors.of(files, test).into(),
        None => known
            .and_then(|known| known.get(test.0 as usize))
            .map_or_else(Box::default, |before| before.value.mirrored.clone()),
    };
    let still = |test: FileId, before: &Found| {
        !concerned.contains(test) && (mirrors.is_none() || before.mirrored == mirrored(test))
    };
    let (found, _) = stage.resolve_where(known, still, |test, reads| {
        if !is_test(files, test) {
            return Found::default();
        }
        let mirrored = mirrored(test);
        let tests = tests_in(files, test);
        let mut definitions = Vec::new();
        if tests.contains(&true) {
            by_reference(evidence, test, &tests, &mirrored, &mut definitions);
            by_name(evidence, test, (&tests, &mirrored), reads, &mut definitions);
        }
        Found {
            definitions: merged(definitions).into(),
            files: file_links(evidence, test, &mirrored).into(),
            mirrored,
        }
    });
    found
}

/// The files that tests are evidence of which were not known before, or are no longer.
fn tested(
    known: Option<&[Arc<Resolved<Found>>]>,
    found: &[Arc<Resolved<Found>>],
    stage: &Stage<'_>,
) -> FileSet {
    let targets = |found: &Found| {
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
    found: &[Arc<Resolved<Found>>],
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
    found: &[Arc<Resolved<Found>>],
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

fn is_test(files: &Files, id: FileId) -> bool {
    let file = files.file(id);
    file.role == Role::Test && file.language.is_code() && file.content.is_some()
}

/// What a test may be linked to: definitions and files that are not tests themselves.
fn is_tested(files: &Files, id: FileId) -> bool {
    matches!(files.file(id).role, Role::Source | Role::Configuration)
}

/// Which definitions of a test file are tests: functions named so, and classes named so that hold
/// such functions (a `TestServer` without any is what tests use, not a test).
fn tests_in(files: &Files, file: FileId) -> Vec<bool> {
    let definitions = files
        .content(file)
        .map_or(&[][..], |content| &content.facts.definitions);
    let mut tests = vec![false; definitions.len()];
    for (at, definition) in definitions.iter().enumerate() {
        if !definition.kind.is_function() || !is_test_function(&definition.name) {
            continue;
        }
        tests[at] = true;
        if let Some(parent) = definition.parent
            && definitions
                .get(parent.0 as usize)
                .is_some_and(|class| class.kind.is_container() && is_test_class(&class.name))
        {
            tests[parent.0 as usize] = true;
        }
    }
    tests
}

/// The test around a place in a test file: the function rather than its class.
fn test_around(
    files: &Files,
    file: FileId,
    tests: &[bool],
    mut inner: Option<LocalId>,
) -> Option<LocalId> {
    let facts = &files.content(file)?.facts;
    let mut class = None;
    while let Some(id) = inner {
        let definition = facts.definition(id)?;
        if tests.get(id.0 as usize) == Some(&true) {
            if definition.kind.is_function() {
                return Some(id);
            }
            class = class.or(Some(id));
        }
        inner = definition.parent;
    }
    class
}

fn is_test_function(name: &str) -> bool {
    name.strip_prefix("test").is_some_and(|rest| {
        rest.is_empty() || rest.starts_with(|c: char| c == '_' || c.is_ascii_uppercase())
    })
}

fn is_test_class(name: &str) -> bool {
    ["Test", "Tests", "TestCase", "Spec"]
        .iter()
        .any(|mark| name.ends_with(mark))
        || name.starts_with("Test")
}

fn by_reference(
    evidence: &Evidence<'_>,
    test: FileId,
    tests: &[bool],
    mirrored: &[FileId],
    candidates: &mut Vec<Candidate<DefId, LocalId>>,
) {
    let files = evidence.files;
    let Some(content) = files.content(test) else {
        return;
    };
    let edges = evidence.edges(test).iter();
    for edge in edges.filter(|e| e.confidence > Confidence::NameOnly) {
        let file = files.file_of(edge.target);
        if !is_tested(files, file) {
            continue;
        }
        let reference = content.facts.references.get(edge.reference as usize);
        let enclosing = reference.and_then(|reference| reference.enclosing);
        let Some(around) = test_around(files, test, tests, enclosing) else {
            continue;
        };
        let strength = Strength {
            link: TestLink::Reference,
            named: false,
            mirrored: mirrored.contains(&file),
            uses: 1,
            certain: edge.confidence == Confidence::Certain,
        };
        candidates.push(Candidate {
            target: edge.target,
            test: around,
            strength,
        });
    }
}

/// Tests whose names name a definition of a file that their file imports or mirrors.
fn by_name(
    evidence: &Evidence<'_>,
    test: FileId,
    (tests, mirrored): (&[bool], &[FileId]),
    reads: &Reads,
    candidates: &mut Vec<Candidate<DefId, LocalId>>,
) {
    let files = evidence.files;
    let imports = evidence.imports(test);
    let family = Family::of(files.file(test).language);
    let all = files.definitions_of(test).zip(tests);
    for (id, _) in all.filter(|(_, is_test)| **is_test) {
        let definition = files.definition(id);
        let stem = if definition.kind.is_function() {
            definition.name.trim_start_matches("test").trim_matches('_')
        } else {
            class_stem(&definition.name)
        };
        // `test_connect_twice`: the longest leading words that name something count.
        let mut words = stem;
        while words.len() > 2 {
            let folded = fold(words);
            let before = candidates.len();
            reads.asked(Asked::Folded, &folded);
            for target in evidence.symbols.folded(&folded).iter().take(64) {
                let file = files.file_of(*target);
                let near = mirrored.contains(&file) || imports.binary_search(&file).is_ok();
                if near && is_tested(files, file) && Family::of(files.file(file).language) == family
                {
                    let strength = Strength {
                        link: TestLink::Name,
                        named: true,
                        mirrored: mirrored.contains(&file),
                        uses: 0,
                        certain: true,
                    };
                    candidates.push(Candidate {
                        target: *target,
                        test: id.local,
                        strength,
                    });
                }
            }
            if candidates.len() > before {
                break;
            }
            words = words
                .rfind('_')
                .map_or("", |at| &words[..at])
                .trim_end_matches('_');
        }
    }
}

/// `TestClient`, `ClientTest` and `ClientTests` are about `Client`.
fn class_stem(name: &str) -> &str {
    let stem = name.strip_prefix("Test").unwrap_or(name);
    ["TestCase", "Tests", "Test", "Spec"]
        .iter()
        .find_map(|ending| stem.strip_suffix(ending))
        .unwrap_or(stem)
        .trim_matches('_')
}

/// Makes one candidate of all that tie the same test to the same definition.
fn merged(mut candidates: Vec<Candidate<DefId, LocalId>>) -> Vec<Candidate<DefId, LocalId>> {
    candidates.sort_unstable_by_key(|candidate| {
        let strength = std::cmp::Reverse(candidate.strength);
        (candidate.target, candidate.test, strength)
    });
    candidates.dedup_by(|later, kept| {
        let same = later.test == kept.test && later.target == kept.target;
        if same {
            kept.strength.named |= later.strength.named;
            kept.strength.certain |= later.strength.certain;
            kept.strength.uses += later.strength.uses;
        }
        same
    });
    candidates
}

fn file_links(
    evidence: &Evidence<'_>,
    test: FileId,
    mirrored: &[FileId],
) -> Vec<Candidate<FileId, ()>> {
    let files = evidence.files;
    let mut links: HashMap<FileId, Strength> = HashMap::default();
    let mut add = |file: FileId, link: TestLink, uses: u32| {
        if !is_tested(files, file) {
            return;
        }
        let strength = links.entry(file).or_insert(Strength {
            link,
            named: false,
            mirrored: mirrored.contains(&file),
            uses: 0,
            certain: true,
        });
        strength.link = strength.link.max(link);
        strength.uses += uses;
    };
    for file in mirrored {
        add(*file, TestLink::Path, 0);
    }
    for file in evidence.imports(test) {
        add(*file, TestLink::Import, 0);
    }
    let edges = evidence.edges(test).iter();
    for edge in edges.filter(|e| e.confidence > Confidence::NameOnly) {
        add(files.file_of(edge.target), TestLink::Reference, 1);
    }
    let mut links: Vec<Candidate<FileId, ()>> = links
        .into_iter()
        .map(|(target, strength)| Candidate {
            target,
            test: (),
            strength,
        })
        .collect();
    links.sort_unstable();
    links
}

/// Gives functions that no test refers to the tests of what uses them: a private function is tested
/// through its callers.
fn with_indirect(
    evidence: &Evidence<'_>,
    known: Known<'_, Link>,
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

/// Sort key: surest first.
fn order(strength: Strength) -> impl Ord {
    std::cmp::Reverse((
        strength.link,
        strength.named,
        strength.mirrored,
        strength.certain,
        strength.uses,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tests() {
        assert!(is_test_function("test_connect") && is_test_function("testConnect"));
        assert!(!is_test_function("testimony"));
        assert_eq!(class_stem("TestClient"), "Client");
        assert_eq!(class_stem("ClientTests"), "Client");
    }

    #[test]
    fn merging_keeps_the_strongest() {
        let strength = |link, named| Strength {
            link,
            named,
            mirrored: false,
            uses: 1,
            certain: true,
        };
        let target = DefId {
            file: FileId(0),
            local: LocalId(7),
        };
        let candidate = |test, strength| Candidate {
            target,
            test: LocalId(test),
            strength,
        };
        let candidates = merged(vec![
            candidate(1, strength(TestLink::Name, true)),
            candidate(1, strength(TestLink::Reference, false)),
            candidate(2, strength(TestLink::Reference, false)),
        ]);
        assert_eq!(candidates.len(), 2);
        let merged = candidates[0].strength;
        assert_eq!(merged.link, TestLink::Reference);
        assert!(merged.named);
        assert_eq!(merged.uses, 2);
    }
}

//! Collects the evidence of one test file: the definitions that it refers to, those that its tests are named
//! after, the files that it imports, and the sources whose paths its path mirrors.

use std::ops::RangeInclusive;
use std::sync::Arc;

use foldhash::HashMap;
use foveate_model::{LocalId, Role};

use crate::change::{Change, FileSet, Renumber};
use crate::files::{DefId, FileId, Files};
use crate::graph::dependencies::{Dependencies, Lookup, WithDependencies};
use crate::graph::references::{Edge, Edges};
use crate::graph::relations::{CallSite, Confidence, TestLink};
use crate::graph::rows::FileRows;
use crate::graph::stage::Stage;
use crate::graph::test_functions::{
    class_stem, enclosing_test, function_stem, is_test_file, tests_in,
};
use crate::graph::test_paths::Mirrors;
use crate::symbols::{Symbols, fold};

/// Number of bytes of a definition's name after which a test may be named.
const TESTED_NAME_BYTES: RangeInclusive<usize> = 3..=256;
/// Maximum number of definitions of one name that a test may be named after.
const MAX_NAMESAKES: usize = 64;

/// The inputs of the search for links.
pub(super) struct Evidence<'a> {
    pub(super) files: &'a Files,
    pub(super) symbols: &'a Symbols,
    pub(super) edges: &'a [Arc<WithDependencies<Edges>>],
    pub(super) imports: &'a [Arc<WithDependencies<Box<[FileId]>>>],
    pub(super) uses: &'a FileRows<CallSite>,
    /// Files with definitions whose uses may have changed.
    pub(super) changed_uses: &'a FileSet,
}

impl Evidence<'_> {
    pub(super) fn edges(&self, file: FileId) -> &[Edge] {
        let edges = self.edges.get(file.0 as usize);
        edges.map_or(&[], |edges| &edges.value.edges)
    }

    pub(super) fn imports(&self, file: FileId) -> &[FileId] {
        let imports = self.imports.get(file.0 as usize);
        imports.map_or(&[], |imports| &imports.value)
    }
}

/// The evidence of one test file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TestEvidence {
    /// The files that its path mirrors, sorted.
    pub(super) mirrored: Box<[FileId]>,
    /// Candidates by tested definition, then by test.
    pub(super) definitions: Box<[TestedCandidate<DefId, LocalId>]>,
    /// Candidates by tested file.
    pub(super) files: Box<[TestedCandidate<FileId, ()>]>,
}

impl Renumber for TestEvidence {
    fn renumbered(&self, change: &Change) -> Option<Self> {
        Some(Self {
            mirrored: self.mirrored.renumbered(change)?,
            definitions: self.definitions.renumbered(change)?,
            files: self.files.renumbered(change)?,
        })
    }
}

/// How strongly a test is linked to its target; larger is stronger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Strength {
    pub(super) link: TestLink,
    /// Whether the name of the test names the target.
    pub(super) named: bool,
    /// Whether the path of its file mirrors that of the target.
    pub(super) mirrored: bool,
    pub(super) uses: u32,
    pub(super) certain: bool,
}

/// A possible target of a test or test file, and the strength of the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TestedCandidate<Target, Test> {
    pub(super) target: Target,
    pub(super) test: Test,
    pub(super) strength: Strength,
}

impl<Target: Renumber, Test: Copy> Renumber for TestedCandidate<Target, Test> {
    fn renumbered(&self, change: &Change) -> Option<Self> {
        Some(Self {
            target: self.target.renumbered(change)?,
            test: self.test,
            strength: self.strength,
        })
    }
}

/// Returns the sort key: strongest first.
pub(super) fn order(strength: Strength) -> impl Ord {
    std::cmp::Reverse((
        strength.link, strength.named, strength.mirrored, strength.certain, strength.uses,
    ))
}

/// Returns the evidence of all test files, reusing earlier evidence that is still valid.
pub(super) fn find_evidence(
    evidence: &Evidence<'_>,
    known: Option<&[Arc<WithDependencies<TestEvidence>>]>,
    stage: &Stage<'_>,
    changed_tests: &FileSet,
) -> Vec<Arc<WithDependencies<TestEvidence>>> {
    let files = evidence.files;
    // If files were added or removed, paths may mirror others.
    let mirrors = (!stage.is_stable()).then(|| Mirrors::new(files));
    let mirrored = |test: FileId| match &mirrors {
        _ if !is_test_file(files, test) => Box::default(),
        Some(mirrors) => mirrors.of(test).into(),
        None => known
            .and_then(|known| known.get(test.0 as usize))
            .map_or_else(Box::default, |before| before.value.mirrored.clone()),
    };
    let is_valid = |test: FileId, before: &TestEvidence| {
        !changed_tests.contains(test) && (mirrors.is_none() || before.mirrored == mirrored(test))
    };
    let (found, _) = stage.resolve_where(known, is_valid, |test, dependencies| {
        let tests = tests_in(files, test);
        if !is_test_file(files, test) {
            return match tests.contains(&true) {
                true => evidence_of_source_tests(evidence, test, &tests, dependencies),
                false => TestEvidence::default(),
            };
        }
        let mirrored = mirrored(test);
        let mut definitions = Vec::new();
        if tests.contains(&true) {
            by_reference(evidence, test, &tests, &mirrored, &mut definitions);
            by_name(
                evidence,
                test,
                (&tests, &mirrored),
                dependencies,
                &mut definitions,
            );
        }
        TestEvidence {
            definitions: merged(definitions).into(),
            files: file_links(evidence, test, &mirrored).into(),
            mirrored,
        }
    });
    found
}

/// Returns the evidence of the tests among the functions of a source file. They may test their own file, but
/// not each other; references in the rest of the file are no evidence.
fn evidence_of_source_tests(
    evidence: &Evidence<'_>,
    file: FileId,
    tests: &[bool],
    dependencies: &Dependencies,
) -> TestEvidence {
    let mut definitions = Vec::new();
    by_reference(evidence, file, tests, &[], &mut definitions);
    by_name(evidence, file, (tests, &[]), dependencies, &mut definitions);
    let is_test_code = |id: DefId| id.file == file && evidence.files.role_of(id) == Role::Test;
    definitions.retain(|candidate| !is_test_code(candidate.target));
    let definitions = merged(definitions);
    let mut others: Vec<TestedCandidate<FileId, ()>> = definitions
        .iter()
        .filter(|candidate| candidate.target.file != file)
        .map(|candidate| TestedCandidate {
            target: candidate.target.file,
            test: (),
            strength: candidate.strength,
        })
        .collect();
    others.sort_unstable_by_key(|other| (other.target, std::cmp::Reverse(other.strength)));
    others.dedup_by(|later, kept| {
        let same = later.target == kept.target;
        if same {
            kept.strength.uses += later.strength.uses;
        }
        same
    });
    TestEvidence {
        mirrored: Box::default(),
        definitions: definitions.into(),
        files: others.into(),
    }
}

/// Whether a file can be the target of a test: it is not a test itself.
fn is_tested(files: &Files, id: FileId) -> bool {
    matches!(files.file(id).role, Role::Source | Role::Configuration)
}

fn by_reference(
    evidence: &Evidence<'_>,
    test: FileId,
    tests: &[bool],
    mirrored: &[FileId],
    candidates: &mut Vec<TestedCandidate<DefId, LocalId>>,
) {
    let files = evidence.files;
    let Some(content) = files.content(test) else {
        return;
    };
    let edges = evidence.edges(test).iter();
    for edge in edges.filter(|e| e.confidence > Confidence::NameOnly) {
        let file = edge.target.file;
        if !is_tested(files, file) {
            continue;
        }
        let reference = content.facts.references.get(edge.reference as usize);
        let enclosing = reference.and_then(|reference| reference.enclosing);
        let Some(enclosing_test) = enclosing_test(files, test, tests, enclosing) else {
            continue;
        };
        let strength = Strength {
            link: TestLink::Reference,
            named: false,
            mirrored: mirrored.contains(&file),
            uses: 1,
            certain: edge.confidence == Confidence::Certain,
        };
        candidates.push(TestedCandidate {
            target: edge.target,
            test: enclosing_test,
            strength,
        });
    }
}

/// Adds candidates for tests that are named after a definition of a file that their file imports or mirrors.
fn by_name(
    evidence: &Evidence<'_>,
    test: FileId,
    (tests, mirrored): (&[bool], &[FileId]),
    dependencies: &Dependencies,
    candidates: &mut Vec<TestedCandidate<DefId, LocalId>>,
) {
    let files = evidence.files;
    let imports = evidence.imports(test);
    let language = files.file(test).language;
    let (family, conventions) = (language.family(), &language.rules().tests);
    let is_near = |file: FileId| {
        file == test || mirrored.contains(&file) || imports.binary_search(&file).is_ok()
    };
    let all = files.definitions_of(test).zip(tests);
    for (id, _) in all.filter(|(_, is_test)| **is_test) {
        let definition = files.definition(id);
        let stem = if definition.kind.is_function() {
            function_stem(&definition.name, conventions)
        } else {
            class_stem(&definition.name, conventions)
        };
        // For `test_connect_twice` the longest leading words that name a definition count.
        for words in leading_words(stem) {
            let folded = fold(words);
            let before = candidates.len();
            dependencies.add_lookup(Lookup::Folded, &folded);
            let named = evidence.symbols.folded(&folded).iter().copied();
            let named = named.take(MAX_NAMESAKES).filter(|target| {
                let file = target.file;
                is_near(file)
                    && is_tested(files, file)
                    && files.file(file).language.family() == family
            });
            candidates.extend(named.map(|target| TestedCandidate {
                target,
                test: id.local,
                strength: Strength {
                    link: TestLink::Name,
                    named: true,
                    mirrored: mirrored.contains(&target.file),
                    uses: 0,
                    certain: true,
                },
            }));
            if candidates.len() > before {
                break;
            }
        }
    }
}

/// Returns a name, then what is left without its last word, without its last two, and so on, as far as these texts can be
/// names of definitions: a name in a hostile file may have a hundred thousand words.
fn leading_words(name: &str) -> impl Iterator<Item = &str> {
    let shorter = std::iter::successors(Some(name), |words| {
        Some(words.rsplit_once('_')?.0.trim_end_matches('_'))
    });
    shorter.filter(|words| TESTED_NAME_BYTES.contains(&words.len()))
}

/// Merges all candidates with the same test and definition.
fn merged(
    mut candidates: Vec<TestedCandidate<DefId, LocalId>>,
) -> Vec<TestedCandidate<DefId, LocalId>> {
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
) -> Vec<TestedCandidate<FileId, ()>> {
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
        add(edge.target.file, TestLink::Reference, 1);
    }
    let mut links: Vec<TestedCandidate<FileId, ()>> = links
        .into_iter()
        .map(|(target, strength)| TestedCandidate {
            target,
            test: (),
            strength,
        })
        .collect();
    links.sort_unstable();
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merging_keeps_the_strongest() {
        let strength = |link, named| Strength {
            link,
            named,
            mirrored: false,
            uses: 1,
            certain: true,
        };
        let target = DefId::new(FileId(0), LocalId(7));
        let candidate = |test, strength| TestedCandidate {
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

    #[test]
    fn leading_words_of_a_long_name_are_few() {
        let words: Vec<&str> = leading_words("open_twice__at_once").collect();
        let expected = [
            "open_twice__at_once", "open_twice__at", "open_twice", "open",
        ];
        assert_eq!(words, expected);
        let name = "a_".repeat(100_000);
        assert!(leading_words(&name).all(|words| words.len() <= 256));
        assert!(leading_words(&name).count() < 200);
    }
}

//! Tests linked to what they test: by what they refer to, by their names, by imports, and by paths
//! that mirror the paths of sources.

use foldhash::HashMap;
use foveate_model::{LocalId, Role};
use rayon::prelude::*;

use crate::files::{DefId, FileId, Files};
use crate::graph::csr::Rows;
use crate::graph::family::Family;
use crate::graph::references::Edge;
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
    pub(super) of_definitions: Rows<(DefId, TestLink)>,
    pub(super) of_files: Rows<(FileId, TestLink)>,
}

/// What the links are found from.
pub(super) struct Evidence<'a> {
    pub(super) files: &'a Files,
    pub(super) symbols: &'a Symbols,
    pub(super) edges: &'a [Vec<Edge>],
    pub(super) imports: &'a Rows<FileId>,
    pub(super) uses: &'a Rows<CallSite>,
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

/// One candidate: test, what it tests, how strongly.
type Candidate = (u32, u32, Strength);

impl TestLinks {
    pub(super) fn new(evidence: &Evidence<'_>) -> Self {
        let files = evidence.files;
        let mirrors = Mirrors::new(files);
        let tests: Vec<FileId> = files.ids().filter(|id| is_test(files, *id)).collect();
        let (definitions, of_files): (Vec<_>, Vec<_>) = tests
            .par_iter()
            .map(|test| {
                let mirrored = mirrors.of(files, *test);
                let tests = tests_in(files, *test);
                let mut definitions = Vec::new();
                if tests.contains(&true) {
                    by_reference(evidence, *test, &tests, &mirrored, &mut definitions);
                    by_name(evidence, *test, &tests, &mirrored, &mut definitions);
                }
                (merged(definitions), file_links(evidence, *test, &mirrored))
            })
            .unzip();
        let mut of_definitions = rows(
            files.definition_count(),
            definitions.concat(),
            MAX_TESTS_OF_DEFINITION,
            |test, link| (DefId(test), link),
        );
        for _ in 0..INDIRECT_STEPS {
            of_definitions = with_indirect(evidence, &of_definitions);
        }
        Self {
            of_definitions,
            of_files: rows(
                files.len(),
                of_files.concat(),
                MAX_TEST_FILES_OF_FILE,
                |test, link| (FileId(test), link),
            ),
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.of_definitions.heap_bytes() + self.of_files.heap_bytes()
    }
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
    candidates: &mut Vec<Candidate>,
) {
    let files = evidence.files;
    let Some(content) = files.content(test) else {
        return;
    };
    let edges = evidence
        .edges
        .get(test.0 as usize)
        .map_or(&[][..], Vec::as_slice);
    for edge in edges.iter().filter(|e| e.confidence > Confidence::NameOnly) {
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
        candidates.push((files.global(test, around).0, edge.target.0, strength));
    }
}

/// Tests whose names name a definition of a file that their file imports or mirrors.
fn by_name(
    evidence: &Evidence<'_>,
    test: FileId,
    tests: &[bool],
    mirrored: &[FileId],
    candidates: &mut Vec<Candidate>,
) {
    let files = evidence.files;
    let imports = evidence.imports.row(test.0);
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
                    candidates.push((id.0, target.0, strength));
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
fn merged(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    candidates.sort_unstable_by_key(|(test, target, strength)| {
        (*target, *test, std::cmp::Reverse(*strength))
    });
    candidates.dedup_by(|later, kept| {
        let same = later.0 == kept.0 && later.1 == kept.1;
        if same {
            kept.2.named |= later.2.named;
            kept.2.certain |= later.2.certain;
            kept.2.uses += later.2.uses;
        }
        same
    });
    candidates
}

fn file_links(evidence: &Evidence<'_>, test: FileId, mirrored: &[FileId]) -> Vec<Candidate> {
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
    for file in evidence.imports.row(test.0) {
        add(*file, TestLink::Import, 0);
    }
    let edges = evidence
        .edges
        .get(test.0 as usize)
        .map_or(&[][..], Vec::as_slice);
    for edge in edges.iter().filter(|e| e.confidence > Confidence::NameOnly) {
        add(files.file_of(edge.target), TestLink::Reference, 1);
    }
    let mut links: Vec<Candidate> = links
        .into_iter()
        .map(|(file, strength)| (test.0, file.0, strength))
        .collect();
    links.sort_unstable();
    links
}

/// Groups candidates by what they test, the surest first, at most `most` of each.
fn rows<T: Copy>(
    count: usize,
    mut candidates: Vec<Candidate>,
    most: usize,
    value: impl Fn(u32, TestLink) -> T,
) -> Rows<T> {
    candidates.sort_unstable_by_key(|(test, target, strength)| (*target, order(*strength), *test));
    let mut pairs = Vec::with_capacity(candidates.len());
    let mut kept = 0;
    let mut current = None;
    for (test, target, strength) in candidates {
        if current != Some(target) {
            current = Some(target);
            kept = 0;
        }
        kept += 1;
        if kept <= most {
            pairs.push((target, value(test, strength.link)));
        }
    }
    Rows::from_pairs(count, &pairs)
}

/// Gives functions that no test refers to the tests of what uses them: a private function is tested
/// through its callers.
fn with_indirect(
    evidence: &Evidence<'_>,
    direct: &Rows<(DefId, TestLink)>,
) -> Rows<(DefId, TestLink)> {
    let files = evidence.files;
    let ids: Vec<DefId> = files.definition_ids().collect();
    let rows: Vec<Vec<(DefId, TestLink)>> = ids
        .par_iter()
        .map(|id| {
            let own = direct.row(id.0);
            let kind = files.definition(*id).kind;
            if !own.is_empty() || !(kind.is_function() || kind.is_container()) {
                return own.to_vec();
            }
            let mut indirect: Vec<(DefId, TestLink)> = Vec::new();
            let sites = evidence.uses.row(id.0).iter().take(256);
            for site in sites.filter(|site| site.confidence > Confidence::NameOnly) {
                let Some(user) = site.enclosing else { continue };
                // The surest few of each user, so that one user does not crowd out the others.
                for (test, _) in direct.row(user.0).iter().take(2) {
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
        })
        .collect();
    Rows::from_rows(&rows)
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
        let candidates = merged(vec![
            (1, 7, strength(TestLink::Name, true)),
            (1, 7, strength(TestLink::Reference, false)),
            (2, 7, strength(TestLink::Reference, false)),
        ]);
        assert_eq!(candidates.len(), 2);
        assert_eq!(candidates[0].2.link, TestLink::Reference);
        assert!(candidates[0].2.named);
        assert_eq!(candidates[0].2.uses, 2);
    }
}

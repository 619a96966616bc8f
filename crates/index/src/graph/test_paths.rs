//! Finds source files whose paths a test's path mirrors: `tests/test_client.py`, `client.test.ts` and
//! `__tests__/client.tsx` are all about `client`.

use foldhash::HashMap;
use foveate_model::Role;
use foveate_model::resolution::TestConventions;

use crate::files::{FileId, Files};
use crate::symbols::fold;

/// Maximum number of source files that the path of one test file may mirror; more are a coincidence.
const MAX_MIRRORED: usize = 4;

/// Minimum length in bytes of a test file's stem from which a class ending (`ClientTest`) is removed.
const MIN_CLASS: usize = 5;

/// Maximum number of source files with one stem that are compared with each test of that stem.
const MAX_COMPARED: usize = 256;

/// Source files by stem, to find those whose paths a test file mirrors.
pub(super) struct Mirrors<'a> {
    files: &'a Files,
    by_stem: HashMap<String, Sources<'a>>,
}

/// The source files with one stem.
enum Sources<'a> {
    Few(Vec<FileId>),
    /// More than are compared, such as the `page.tsx` of each directory, by the informative directories of their
    /// paths.
    Many(HashMap<Vec<&'a str>, Vec<FileId>>),
}

impl<'a> Sources<'a> {
    /// Returns those that may be the best for a test in these directories.
    fn candidates(&self, directories: &[&'a str]) -> &[FileId] {
        let all = match self {
            Self::Few(all) => Some(all),
            Self::Many(by_directories) => by_directories.get(directories),
        };
        let all = all.map_or(&[][..], Vec::as_slice);
        all.get(..MAX_COMPARED).unwrap_or(all)
    }
}

impl<'a> Mirrors<'a> {
    pub(super) fn new(files: &'a Files) -> Self {
        let mut by_stem: HashMap<String, Vec<FileId>> = HashMap::default();
        for id in files.ids() {
            let file = files.file(id);
            if file.role == Role::Source && file.language.is_code() && file.content.is_some() {
                let stem = source_stem(files, id);
                by_stem.entry(stem).or_default().push(id);
            }
        }
        let sources = |all: Vec<FileId>| {
            if all.len() <= MAX_COMPARED {
                return Sources::Few(all);
            }
            let mut by_directories: HashMap<Vec<&str>, Vec<FileId>> = HashMap::default();
            for id in all {
                let directories = informative_directories(files, id);
                by_directories.entry(directories).or_default().push(id);
            }
            Sources::Many(by_directories)
        };
        let by_stem = by_stem.into_iter();
        let by_stem = by_stem.map(|(stem, all)| (stem, sources(all))).collect();
        Self { files, by_stem }
    }

    /// Returns the files that the path of a test mirrors, sorted: those with its stem that share most of its
    /// directories.
    pub(super) fn of(&self, test: FileId) -> Vec<FileId> {
        let files = self.files;
        let stem = test_stem(files, test);
        let Some(sources) = stem.and_then(|stem| self.by_stem.get(&stem)) else {
            return Vec::new();
        };
        let family = files.file(test).language.family();
        let directories = informative_directories(files, test);
        let mut best = 0;
        let mut found = Vec::new();
        for id in sources.candidates(&directories) {
            if files.file(*id).language.family() != family {
                continue;
            }
            let shared = informative_directories(files, *id)
                .iter()
                .filter(|name| directories.contains(name))
                .count();
            if found.is_empty() || shared > best {
                best = shared;
                found.clear();
                found.push(*id);
            } else if shared == best {
                found.push(*id);
            }
        }
        if found.len() > MAX_MIRRORED {
            found.clear();
        }
        found
    }
}

/// Returns the name by which tests would mirror a source file; for a file that represents its directory, the
/// directory's name.
fn source_stem(files: &Files, id: FileId) -> String {
    let path = &files.file(id).path;
    let name = path.file_name();
    let stem = name.split('.').next().unwrap_or(name);
    let stem = if conventions(files, id).package_stems.contains(&stem) {
        path.directory().rsplit('/').next().unwrap_or("")
    } else {
        path.stem()
    };
    fold_stem(stem)
}

/// Returns the name of what a test file tests; `None` if its name does not tell (`tests.py`).
fn test_stem(files: &Files, id: FileId) -> Option<String> {
    let path = &files.file(id).path;
    let conventions = conventions(files, id);
    let mut stem = path.stem();
    for ending in conventions.file_endings {
        stem = stem.strip_suffix(ending).unwrap_or(stem);
    }
    let mut beginnings = conventions.file_beginnings.iter();
    stem = beginnings
        .find_map(|beginning| stem.strip_prefix(beginning))
        .unwrap_or(stem);
    if stem.len() >= MIN_CLASS {
        let mut endings = conventions.file_class_endings.iter();
        stem = endings
            .find_map(|ending| stem.strip_suffix(ending))
            .unwrap_or(stem);
    }
    if conventions.package_stems.contains(&stem) {
        let above = path
            .segments()
            .rev()
            .skip(1)
            .find(|segment| !conventions.directories.contains(segment))?;
        return Some(fold_stem(above));
    }
    if stem.is_empty() || conventions.general_stems.contains(&stem) {
        return None;
    }
    Some(fold_stem(stem))
}

fn conventions(files: &Files, id: FileId) -> &'static TestConventions {
    &files.file(id).language.rules().tests
}

/// Folds a stem: `database_client`, `database-client` and `DatabaseClient` are the same.
fn fold_stem(stem: &str) -> String {
    fold(&stem.replace('-', ""))
}

/// Returns the directories of a path whose names are informative.
fn informative_directories(files: &Files, id: FileId) -> Vec<&str> {
    let conventions = conventions(files, id);
    let is_ignored = |name: &&str| {
        name.is_empty()
            || conventions.source_directories.contains(name)
            || conventions.directories.contains(name)
    };
    let names = files.file(id).path.directory().split('/');
    names
        .filter(|name| !is_ignored(name))
        .map(|name| name.strip_prefix("test_").unwrap_or(name))
        .collect()
}

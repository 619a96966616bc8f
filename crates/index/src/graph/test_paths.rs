//! Paths of tests that mirror the paths of sources: `tests/test_client.py`, `client.test.ts` and
//! `__tests__/client.tsx` are all about `client`.

use foldhash::HashMap;
use foveate_model::Role;

use crate::files::{FileId, Files};
use crate::graph::family::Family;
use crate::symbols::fold;

/// Most source files that the path of one test file may mirror: more are a coincidence.
const MAX_MIRRORED: usize = 4;

/// Source files by the stems of their names, to find those whose paths a test file mirrors.
pub(super) struct Mirrors {
    by_stem: HashMap<String, Vec<FileId>>,
}

impl Mirrors {
    pub(super) fn new(files: &Files) -> Self {
        let mut by_stem: HashMap<String, Vec<FileId>> = HashMap::default();
        for id in files.ids() {
            let file = files.file(id);
            if file.role == Role::Source && file.language.is_code() && file.content.is_some() {
                let stem = source_stem(files, id);
                by_stem.entry(stem).or_default().push(id);
            }
        }
        Self { by_stem }
    }

    /// The files that the path of a test mirrors: those with its stem that share most of its
    /// directories. Sorted.
    pub(super) fn of(&self, files: &Files, test: FileId) -> Vec<FileId> {
        let Some(stem) = test_stem(files, test) else {
            return Vec::new();
        };
        let Some(candidates) = self.by_stem.get(&stem) else {
            return Vec::new();
        };
        let family = Family::of(files.file(test).language);
        let words = path_words(files.file(test).path.directory());
        let mut best = 0;
        let mut found = Vec::new();
        for id in candidates {
            if Family::of(files.file(*id).language) != family {
                continue;
            }
            let shared = path_words(files.file(*id).path.directory())
                .iter()
                .filter(|word| words.contains(word))
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

/// The name by which tests would mirror a source file; of `index.ts` and `__init__.py` that is the
/// directory's.
fn source_stem(files: &Files, id: FileId) -> String {
    let path = &files.file(id).path;
    let name = path.file_name();
    let stem = name.split('.').next().unwrap_or(name);
    let stem = if matches!(stem, "index" | "__init__") {
        path.directory().rsplit('/').next().unwrap_or("")
    } else {
        path.stem()
    };
    fold_stem(stem)
}

/// What a test file's name says that it tests; `None` where it says nothing (`tests.py`).
fn test_stem(files: &Files, id: FileId) -> Option<String> {
    let path = &files.file(id).path;
    let mut stem = path.stem();
    for mark in [
        ".test", ".spec", "_test", "_spec", "-test", "-spec", "_tests", ".tests",
    ] {
        stem = stem.strip_suffix(mark).unwrap_or(stem);
    }
    stem = stem
        .strip_prefix("test_")
        .or(stem.strip_prefix("test-"))
        .unwrap_or(stem);
    if stem.len() > 4 {
        stem = stem
            .strip_suffix("Test")
            .or(stem.strip_suffix("Tests"))
            .unwrap_or(stem);
    }
    if matches!(stem, "index" | "__init__") {
        let above = path
            .segments()
            .rev()
            .skip(1)
            .find(|s| !matches!(*s, "__tests__" | "tests" | "test" | "spec"))?;
        return Some(fold_stem(above));
    }
    if matches!(stem, "test" | "tests" | "spec" | "conftest" | "") {
        return None;
    }
    Some(fold_stem(stem))
}

/// `database_client`, `database-client` and `DatabaseClient` are the same.
fn fold_stem(stem: &str) -> String {
    fold(&stem.replace('-', ""))
}

/// The directories of a path that say what lies below them.
fn path_words(directory: &str) -> Vec<&str> {
    directory
        .split('/')
        .filter(|s| {
            !matches!(
                *s,
                "" | "src" | "lib" | "test" | "tests" | "__tests__" | "spec"
            )
        })
        .map(|s| s.strip_prefix("test_").unwrap_or(s))
        .collect()
}

//! Finds files by path, and holds the terms of their paths. Snapshots whose files have the same paths share one table.

use std::sync::OnceLock;

use foldhash::HashMap;
use foveate_model::{FileId, RepoPath, SourceFile};

use crate::tokens::{self, for_each_term};

/// Lookup tables over the paths of all files.
#[derive(Debug, Default)]
pub(super) struct Paths {
    by_path: HashMap<RepoPath, FileId>,
    by_file_name: HashMap<Box<str>, Vec<FileId>>,
    /// By file, computed on first use: ranking reads the terms of hundreds of files.
    terms: Vec<OnceLock<PathTerms>>,
}

/// The terms of a path as hashes: see [`tokens::hash`].
#[derive(Debug)]
pub struct PathTerms {
    /// Terms of the directory.
    pub directory: Box<[u64]>,
    /// Terms of the file's name up to its first dot.
    pub name: Box<[u64]>,
}

impl PathTerms {
    fn new(path: &RepoPath) -> Self {
        let hashes = |text: &str| {
            let mut terms = Vec::new();
            for_each_term(text, |term| terms.push(tokens::hash(term)));
            terms.into()
        };
        let name = path.file_name();
        Self {
            directory: hashes(path.directory()),
            name: hashes(name.split('.').next().unwrap_or(name)),
        }
    }
}

impl Paths {
    pub(super) fn new(files: &[SourceFile]) -> Self {
        let mut paths = Self::default();
        paths.by_path.reserve(files.len());
        paths.terms.resize_with(files.len(), OnceLock::new);
        for (position, file) in files.iter().enumerate() {
            let id = FileId(position as u32);
            paths.by_path.insert(file.path.clone(), id);
            let name = file.path.file_name();
            match paths.by_file_name.get_mut(name) {
                Some(ids) => ids.push(id),
                None => {
                    paths.by_file_name.insert(name.into(), vec![id]);
                }
            }
        }
        paths
    }

    pub(super) fn find(&self, path: &str) -> Option<FileId> {
        self.by_path.get(path).copied()
    }

    /// Returns the files with a file name, in path order.
    pub(super) fn named(&self, name: &str) -> &[FileId] {
        self.by_file_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the terms of a file's path.
    pub(super) fn terms(&self, file: FileId, path: &RepoPath) -> &PathTerms {
        self.terms[file.0 as usize].get_or_init(|| PathTerms::new(path))
    }
}

//! Assembles the history of a revision, with files under the paths that they have in that revision.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use foveate_model::{Commit, History, ObjectId, RepoPath, Touched};

use super::commit_metadata::CommitMetadata;
use super::commit_record::{CommitRecord, TouchedFiles};
use super::hunks;
use super::record_cache::CommitRecordCache;

/// Assembles the history under present paths: commits are visited from new to old, and each rename maps an older
/// path to the present one. Only the first `with_functions` of the `known` commits get their functions: those
/// of others may have been read for another revision, and an answer must not depend on earlier questions.
pub fn assemble(
    commits: Vec<CommitMetadata>,
    (known, with_functions): (&[ObjectId], usize),
    records: &CommitRecordCache,
    files: HashSet<RepoPath>,
) -> History {
    let found = records.find(known);
    let records: HashMap<&ObjectId, (Arc<CommitRecord>, bool)> = known
        .iter()
        .zip(found)
        .enumerate()
        .filter_map(|(n, (id, record))| Some((id, (record?, n < with_functions))))
        .collect();
    let mut present = PresentNames {
        files,
        names: HashMap::new(),
    };
    let commits = commits
        .into_iter()
        .map(|metadata| {
            let record = records.get(&metadata.id);
            let touched = record.map(|(record, counts)| present.touched(record, *counts));
            if let Some((record, _)) = record {
                present.step_before(&record.touched);
            }
            Commit {
                id: metadata.id,
                message: metadata.message,
                is_bot: metadata.is_bot,
                touched: touched.unwrap_or_default(),
            }
        })
        .collect();
    History { commits }
}

/// Maps the paths of files at some earlier time to their paths in the revision.
struct PresentNames {
    /// The files of the revision.
    files: HashSet<RepoPath>,
    names: HashMap<RepoPath, RepoPath>,
}

impl PresentNames {
    fn of(&self, path: &RepoPath) -> RepoPath {
        self.names.get(path).unwrap_or(path).clone()
    }

    fn touched(&self, record: &CommitRecord, functions_count: bool) -> Vec<Touched> {
        let mut all: Vec<Touched> = Vec::with_capacity(record.touched.files.len());
        let functions = record.functions.as_ref().filter(|_| functions_count);
        let mut functions = functions.into_iter().flatten();
        for file in &record.touched.files {
            let path = self.of(file);
            let functions = functions.next().cloned().unwrap_or_default();
            // Two files of that time may have become one since.
            match all.iter_mut().find(|touched| touched.path == path) {
                Some(same) => merge(&mut same.functions, functions),
                None => all.push(Touched { path, functions }),
            }
        }
        all
    }

    /// Moves to the time before a commit with these renames.
    fn step_before(&mut self, touched: &TouchedFiles) {
        let renamed: Vec<(RepoPath, RepoPath)> = touched
            .renames
            .iter()
            .map(|(old, new)| (old.clone(), self.of(new)))
            // A rename to a path that no longer exists is ignored: another branch may have renamed the file
            // differently.
            .filter(|(_, now)| self.files.contains(now))
            .collect();
        // Before the commit, a file at the new path was another file.
        for (_, new) in &touched.renames {
            self.names.remove(new);
        }
        self.names.extend(renamed);
    }
}

fn merge(functions: &mut Vec<Box<str>>, more: Vec<Box<str>>) {
    for name in more {
        if functions.len() < hunks::MAX_FUNCTIONS && !functions.contains(&name) {
            functions.push(name);
        }
    }
}

//! The history of a revision by the names that files have there.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use foveate_model::{Commit, History, ObjectId, RepoPath, Touched};

use super::heads::Head;
use super::hunks;
use super::record::{Names, Record};
use super::records::Records;

/// The history by the names that files have now: from new to old, a rename says what an older name
/// has become. Functions count of the first `with_functions` of the `known` commits: others may have
/// been read for another revision, and an answer must not depend on what was asked before.
pub fn assemble(
    heads: Vec<Head>,
    (known, with_functions): (&[ObjectId], usize),
    records: &Records,
    files: HashSet<RepoPath>,
) -> History {
    let found = records.find(known);
    let records: HashMap<&ObjectId, (Arc<Record>, bool)> = known
        .iter()
        .zip(found)
        .enumerate()
        .filter_map(|(n, (id, record))| Some((id, (record?, n < with_functions))))
        .collect();
    let mut present = PresentNames {
        files,
        names: HashMap::new(),
    };
    let commits = heads
        .into_iter()
        .map(|head| {
            let record = records.get(&head.id);
            let touched = record.map(|(record, counts)| present.touched(record, *counts));
            if let Some((record, _)) = record {
                present.go_behind(&record.names);
            }
            Commit {
                id: head.id,
                message: head.message,
                time: head.time,
                is_bot: head.is_bot,
                touched: touched.unwrap_or_default(),
            }
        })
        .collect();
    History { commits }
}

/// What files are called at the revision that was asked about, by their names at some time before.
struct PresentNames {
    /// The files of the revision.
    files: HashSet<RepoPath>,
    names: HashMap<RepoPath, RepoPath>,
}

impl PresentNames {
    fn of(&self, path: &RepoPath) -> RepoPath {
        self.names.get(path).unwrap_or(path).clone()
    }

    fn touched(&self, record: &Record, functions_count: bool) -> Vec<Touched> {
        let mut all: Vec<Touched> = Vec::with_capacity(record.names.files.len());
        let functions = record.functions.as_ref().filter(|_| functions_count);
        let mut functions = functions.into_iter().flatten();
        for file in &record.names.files {
            let path = self.of(file);
            let functions = functions.next().cloned().unwrap_or_default();
            // Two files of that time may since have become one.
            match all.iter_mut().find(|touched| touched.path == path) {
                Some(same) => merge(&mut same.functions, functions),
                None => all.push(Touched { path, functions }),
            }
        }
        all
    }

    /// Goes to the time before a commit.
    fn go_behind(&mut self, names: &Names) {
        let renamed: Vec<(RepoPath, RepoPath)> = names
            .renames
            .iter()
            .map(|(old, new)| (old.clone(), self.of(new)))
            // What is gone keeps its name: another branch may have renamed the file otherwise.
            .filter(|(_, now)| self.files.contains(now))
            .collect();
        // Before it, a file of the new name was another one.
        for (_, new) in &names.renames {
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

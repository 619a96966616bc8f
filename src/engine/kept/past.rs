//! Indexes of pasts, each in a file of its own: a run that answers and ends would else split the messages
//! of twenty thousand commits into terms again. The few that were used last stay.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use foveate_index::lexical::PastCommits;
use foveate_model::TouchedFunctions;

use super::Kept;
use crate::disk::whole;

/// Indexes of so many pasts stay: some branches that take turns.
const MAX_PASTS: usize = 4;
const PREFIX: &str = "past-";
/// Ends of the names of files with the functions that commits touched, and without.
const WITH_FUNCTIONS: &str = ".functions";
const WITHOUT_FUNCTIONS: &str = ".files";
const SHAPE: u64 = (PastCommits::FORMAT as u64) << 48 | (PastCommits::VERSION as u64) << 32;

/// An index of the past commits of one revision.
#[derive(Clone, Debug)]
pub struct IndexedPast {
    /// The index.
    pub commits: Arc<PastCommits>,
    /// How far the functions that they changed are known.
    pub functions: TouchedFunctions,
}

impl Kept {
    /// The index of a past, where it was stored; where possible with functions. `key` is a text of all
    /// that it depends on beside the versions of the program.
    pub fn past(&self, key: &str) -> Option<IndexedPast> {
        let states = [TouchedFunctions::Read, TouchedFunctions::Reading];
        states.into_iter().find_map(|functions| {
            let path = self.path_of_past(key, functions)?;
            let commits = PastCommits::decode(&whole::read(&path, SHAPE)?)?;
            if self.is_writable() {
                mark_used(&path);
            }
            Some(IndexedPast {
                commits: Arc::new(commits),
                functions,
            })
        })
    }

    /// Stores the index of a past. One of which functions could not be read is not stored: they may be
    /// there the next time. Those without functions make room for the first with them: what is known of
    /// functions by now may complete theirs.
    ///
    /// # Errors
    /// When the system says no.
    pub fn save_past(&self, key: &str, past: &IndexedPast) -> io::Result<()> {
        let (Some(path), true) = (self.path_of_past(key, past.functions), self.is_writable())
        else {
            return Ok(());
        };
        whole::write(&path, SHAPE, &past.commits.encode())?;
        let mut others = self.stored_pasts()?;
        others.retain(|(_, other)| *other != path);
        let kept = others.len().min(MAX_PASTS - 1);
        let is_surplus = |at: usize, other: &Path| {
            let lacks_functions = other
                .extension()
                .is_some_and(|end| end == &WITHOUT_FUNCTIONS[1..]);
            at < others.len() - kept || lacks_functions && past.functions == TouchedFunctions::Read
        };
        let mut surplus = others.iter().enumerate();
        surplus.try_for_each(|(at, (_, other))| match is_surplus(at, other) {
            true => std::fs::remove_file(other),
            false => Ok(()),
        })
    }

    /// When each stored index was last used, and its file; the oldest first.
    fn stored_pasts(&self) -> io::Result<Vec<(SystemTime, PathBuf)>> {
        let mut pasts = Vec::new();
        for file in self.directory().into_iter().map(std::fs::read_dir) {
            for file in file? {
                let file = file?;
                if file.file_name().to_string_lossy().starts_with(PREFIX) {
                    pasts.push((file.metadata()?.modified()?, file.path()));
                }
            }
        }
        pasts.sort();
        Ok(pasts)
    }

    fn path_of_past(&self, key: &str, functions: TouchedFunctions) -> Option<PathBuf> {
        let end = match functions {
            TouchedFunctions::Read => WITH_FUNCTIONS,
            TouchedFunctions::Reading => WITHOUT_FUNCTIONS,
            TouchedFunctions::Unreadable => return None,
        };
        let sum = xxhash_rust::xxh3::xxh3_128(key.as_bytes());
        Some(self.directory()?.join(format!("{PREFIX}{sum:032x}{end}")))
    }
}

/// So that it is not the oldest; where the system says no it is dropped sooner, which costs time alone.
fn mark_used(path: &Path) {
    let opened = std::fs::File::options().write(true).open(path);
    let _ = opened.and_then(|file| file.set_modified(SystemTime::now()));
}

#[cfg(test)]
mod tests {
    use foveate_model::{Commit, History, ObjectId, RepoPath, Touched};
    use foveate_parse::Limits;

    use super::*;
    use crate::engine::KeptIn;

    fn past(message: &str, functions: TouchedFunctions) -> IndexedPast {
        let touched = Touched {
            path: RepoPath::new("a.py").unwrap(),
            functions: Vec::new(),
        };
        let commit = Commit {
            id: ObjectId::from_sha1([1; 20]),
            message: message.to_owned(),
            time: 0,
            is_bot: false,
            touched: vec![touched],
        };
        let commits = vec![commit];
        IndexedPast {
            commits: Arc::new(PastCommits::new(&History { commits })),
            functions,
        }
    }

    #[test]
    fn the_pasts_that_were_used_last_stay_and_functions_win() {
        let directory = tempfile::tempdir().unwrap();
        let kept_in = KeptIn::Directory(directory.path().to_owned());
        let kept = Kept::new(&kept_in, "shop", &Limits::default());
        let files = |key: &str| kept.save_past(key, &past(key, TouchedFunctions::Reading));
        let known = |key: &str| kept.past(key).map(|past| past.functions);
        files("a").unwrap();
        let stored = kept.past("a").unwrap().commits.encode();
        assert_eq!(
            stored,
            past("a", TouchedFunctions::Reading).commits.encode()
        );
        // Files that are written within one tick of the clock would be as old as each other.
        let age = |seconds| SystemTime::now() - std::time::Duration::from_secs(seconds);
        for (key, seconds) in [("a", 90), ("b", 80), ("c", 70), ("d", 60)] {
            files(key).unwrap();
            let path = kept.path_of_past(key, TouchedFunctions::Reading).unwrap();
            let file = std::fs::File::options().write(true).open(path).unwrap();
            file.set_modified(age(seconds)).unwrap();
        }
        assert!(known("a").is_some(), "and is the last one used");
        files("e").unwrap();
        assert_eq!(
            ["a", "b", "c", "e"].map(|key| known(key).is_some()),
            [true, false, true, true]
        );

        kept.save_past("e", &past("e", TouchedFunctions::Read))
            .unwrap();
        assert_eq!(known("e"), Some(TouchedFunctions::Read));
        assert_eq!(known("a"), None, "it may have functions by now");
        kept.save_past("f", &past("f", TouchedFunctions::Unreadable))
            .unwrap();
        assert_eq!(known("f"), None);
        let read_only = KeptIn::ReadOnly(directory.path().to_owned(), String::new());
        let read_only = Kept::new(&read_only, "shop", &Limits::default());
        assert!(read_only.past("e").is_some());
        read_only
            .save_past("g", &past("g", TouchedFunctions::Read))
            .unwrap();
        assert_eq!(known("g"), None);
    }
}

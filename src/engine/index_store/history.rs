//! Stores indexes of past commits, so that a one-shot command need not split the messages of twenty thousand commits
//! into terms again. The last few that were stored are kept.

use std::io;
use std::sync::Arc;

use foveate_index::lexical::CommitIndex;
use foveate_model::TouchedFunctions;

use super::versions::COMMITS;
use super::{IndexStore, PartKey, hashed_key};
use crate::disk::{ContentStore, Key, MaxWaste};

/// Number of stored indexes: enough to switch between a few branches.
const MAX_STORED: usize = 4;
/// Kinds of keys.
const WITH_FUNCTIONS: u8 = b'f';
const WITHOUT_FUNCTIONS: u8 = b'w';

/// An index of the past commits of one revision.
#[derive(Clone, Debug)]
pub struct HistoryIndex {
    /// The index.
    pub commits: Arc<CommitIndex>,
    /// How complete their touched functions are.
    pub functions: TouchedFunctions,
}

impl IndexStore {
    /// Returns a stored index of past commits, preferably one with touched functions. `inputs` is a text of everything
    /// that it depends on, except the versions of the program.
    pub fn history_index(&self, inputs: &str) -> Option<HistoryIndex> {
        let store = self.open_commits()?;
        let states = [TouchedFunctions::Read, TouchedFunctions::Reading];
        states.into_iter().find_map(|functions| {
            let bytes = store.get(&key_of_history(inputs, functions)?)?;
            Some(HistoryIndex {
                commits: Arc::new(CommitIndex::decode(&bytes)?),
                functions,
            })
        })
    }

    /// Stores an index of past commits, unless its touched functions could not be read: they may be readable the next
    /// time. Storing an index with functions deletes those without: the functions known by now may complete them.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn save_history_index(&self, inputs: &str, index: &HistoryIndex) -> io::Result<()> {
        let (Some(key), Some(store)) =
            (key_of_history(inputs, index.functions), self.open_commits())
        else {
            return Ok(());
        };
        let bytes = index.commits.encode();
        store.put_all(&mut std::iter::once((Key::from(&key[..]), bytes)))?;
        let mut wanted = store.keys();
        if index.functions == TouchedFunctions::Read {
            wanted.retain(|stored| stored.first() == Some(&WITH_FUNCTIONS));
        }
        let surplus = wanted.len().saturating_sub(MAX_STORED);
        wanted.drain(..surplus);
        let is_wanted = |key: &[u8]| wanted.iter().any(|wanted| **wanted == *key);
        store.retain(MaxWaste::None, &is_wanted).map(drop)
    }

    /// Their keys hold all inputs of these indexes.
    fn open_commits(&self) -> Option<Arc<dyn ContentStore>> {
        self.open_stage(COMMITS, COMMITS.of_inputs(0))
    }
}

fn key_of_history(inputs: &str, functions: TouchedFunctions) -> Option<PartKey> {
    let kind = match functions {
        TouchedFunctions::Read => WITH_FUNCTIONS,
        TouchedFunctions::Reading => WITHOUT_FUNCTIONS,
        TouchedFunctions::Unreadable => return None,
    };
    Some(hashed_key(kind, inputs.as_bytes()))
}

#[cfg(test)]
mod tests {
    use foveate_model::{Commit, History, ObjectId, RepoPath, Touched};
    use foveate_parse::Limits;

    use super::*;
    use crate::engine::StoreLocation;

    fn index(message: &str, functions: TouchedFunctions) -> HistoryIndex {
        let touched = Touched {
            path: RepoPath::new("a.py").unwrap(),
            functions: Vec::new(),
        };
        let commit = Commit {
            id: ObjectId::from_sha1([1; 20]),
            message: message.to_owned(),
            is_bot: false,
            touched: vec![touched],
        };
        let commits = vec![commit];
        HistoryIndex {
            commits: Arc::new(CommitIndex::new(&History { commits })),
            functions,
        }
    }

    #[test]
    fn recent_history_indexes_are_kept_and_functions_win() {
        let directory = tempfile::tempdir().unwrap();
        let location = StoreLocation::Directory(directory.path().to_owned());
        let store = IndexStore::new(&location, "shop", &Limits::default());
        let save = |inputs: &str, functions| {
            let saved = store.save_history_index(inputs, &index(inputs, functions));
            saved.unwrap();
        };
        let stored = |inputs: &str| store.history_index(inputs).map(|index| index.functions);
        for inputs in ["a", "b", "c", "d", "e"] {
            save(inputs, TouchedFunctions::Reading);
        }
        assert_eq!(stored("a"), None, "the oldest");
        for inputs in ["b", "c", "d", "e"] {
            let found = store.history_index(inputs).unwrap().commits.encode();
            let wanted = index(inputs, TouchedFunctions::Reading).commits.encode();
            assert_eq!(found, wanted);
        }

        save("e", TouchedFunctions::Read);
        assert_eq!(stored("e"), Some(TouchedFunctions::Read));
        assert_eq!(stored("d"), None, "it may have functions by now");
        save("f", TouchedFunctions::Unreadable);
        assert_eq!(stored("f"), None);
        let read_only = StoreLocation::ReadOnly(directory.path().to_owned(), String::new());
        let read_only = IndexStore::new(&read_only, "shop", &Limits::default());
        assert!(read_only.history_index("e").is_some());
        let more = index("g", TouchedFunctions::Read);
        read_only.save_history_index("g", &more).unwrap();
        assert_eq!(stored("g"), None);
    }
}

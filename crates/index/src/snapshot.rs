//! Builds the immutable index of one revision.

use std::sync::Arc;

use foveate_model::{Commit, History, SourceFile, TouchedFunctions};
use rayon::prelude::*;

use crate::change::Change;
use crate::files::Files;
use crate::graph::Graph;
use crate::graph::previous::Previous;
use crate::graph::stored::References;
use crate::lexical::{self, CommitIndex, Commits, Lexical, LexicalError, StoredSegment};
use crate::messages::Messages;
use crate::symbols::Symbols;

/// The stored parts of an index.
#[derive(Debug, Default)]
pub struct StoredIndex {
    /// Output of [`StoredSegment::encode`]; used for the files that it still describes.
    pub segments: Vec<Vec<u8>>,
    /// Output of [`Graph::stored_references`] for files with the same [`crate::graph::stored::table`],
    /// or empty.
    pub references: Vec<Vec<u8>>,
    /// The index of past commits; used in place of a history.
    pub commits: Option<Arc<CommitIndex>>,
}

/// The state of a repository that a snapshot describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    /// The commit id: `HEAD` of the working tree, or the requested commit. Empty if there is none.
    pub commit: String,
    /// Whether it is a working tree whose files may differ from `commit`.
    pub dirty: bool,
}

impl Revision {
    /// Returns the revision of a commit itself, without changes.
    pub fn of_commit(commit: String) -> Self {
        let dirty = false;
        Self { commit, dirty }
    }
}

/// The index of one revision. It never changes once built.
#[derive(Debug)]
pub struct Snapshot {
    /// The revision that it describes.
    pub revision: Revision,
    /// Counts the snapshots published for a repository.
    pub generation: u64,
    /// Files, definitions and chunks.
    pub files: Files,
    /// Definitions by name.
    pub symbols: Symbols,
    /// Postings over chunks and files.
    pub lexical: Lexical,
    /// Texts of raised errors and log calls.
    pub messages: Messages,
    /// Imports, references, inheritance and tests.
    pub graph: Graph,
    /// Past commits, if they were loaded.
    pub history: Option<Arc<History>>,
    /// How complete the changed functions of those commits are. [`Self::build`] assumes that they are
    /// complete; the caller corrects it before the snapshot is shared.
    pub touched_functions: TouchedFunctions,
    /// Whether it is made of data that an earlier version of the program stored, so that nothing may be
    /// derived from it. Set by the caller of [`Self::restore`].
    pub is_outdated: bool,
}

/// Estimated heap bytes per structure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Source text.
    pub text: usize,
    /// Parsed facts.
    pub facts: usize,
    /// The symbol table.
    pub symbols: usize,
    /// The lexical index, without the caches that queries fill ([`Lexical::cache_bytes`]).
    pub lexical: usize,
    /// The messages.
    pub messages: usize,
    /// The graph.
    pub graph: usize,
    /// The table of files.
    pub files: usize,
    /// The past commits; their index counts as lexical.
    pub history: usize,
}

impl Memory {
    /// Returns the sum of all structures.
    pub fn total(&self) -> usize {
        self.text + self.facts + self.history + self.unshared()
    }

    /// Returns the most that another revision of the same repository can need in addition: everything but
    /// text, facts and history.
    pub fn unshared(&self) -> usize {
        self.symbols + self.lexical + self.messages + self.graph + self.files
    }
}

impl Snapshot {
    /// Indexes `files`. Data of unchanged files is taken from `previous`, if given; the result is the same as
    /// without it.
    ///
    /// # Errors
    /// If the lexical index cannot be written (out of memory).
    pub fn build(
        revision: Revision,
        generation: u64,
        files: Vec<SourceFile>,
        history: Option<Arc<History>>,
        previous: Option<&Snapshot>,
    ) -> Result<Self, LexicalError> {
        Self::index(revision, generation, files, history, previous, None)
    }

    /// Indexes `files` with the same result as [`Self::build`] without `previous`, computing only what is not
    /// `stored`. `history` is not read if the index of past commits is stored.
    pub fn restore(
        revision: Revision,
        generation: u64,
        files: Vec<SourceFile>,
        history: Option<Arc<History>>,
        stored: &StoredIndex,
    ) -> Result<Self, LexicalError> {
        Self::index(revision, generation, files, history, None, Some(stored))
    }

    fn index(
        revision: Revision,
        generation: u64,
        files: Vec<SourceFile>,
        history: Option<Arc<History>>,
        previous: Option<&Snapshot>,
        stored: Option<&StoredIndex>,
    ) -> Result<Self, LexicalError> {
        let (files, change) = Files::derive(files, previous.map(|previous| &previous.files));
        let known = previous.zip(change.as_ref());
        let structure = || {
            let (symbols, messages) = rayon::join(
                || match known {
                    Some((p, change)) => p.symbols.derive(&files, &p.files, change),
                    None => Symbols::new(&files),
                },
                || match known {
                    Some((p, change)) => p.messages.derive(&files, change),
                    None => Messages::new(&files),
                },
            );
            let before = known.map(|(previous, change)| Previous {
                files: &previous.files,
                graph: &previous.graph,
                change,
            });
            let references = stored.and_then(|s| References::decode(&s.references, &files));
            let graph = Graph::derive(&files, &symbols, before, references);
            (symbols, messages, graph)
        };
        let commits = || match stored.and_then(|stored| stored.commits.clone()) {
            Some(index) => Arc::new(Commits::of(index, &files)),
            None => commits(&files, history.as_ref(), known),
        };
        let segments = match stored {
            Some(stored) => {
                let segments = stored.segments.par_iter();
                let segments = segments.filter_map(|bytes| lexical::stored::decode(bytes, &files));
                segments.map(Arc::new).collect()
            }
            None => previous.map_or_else(Vec::new, |previous| previous.lexical.segments()),
        };
        let (lexical, (symbols, messages, graph)) =
            Lexical::build(&files, segments, commits, structure)?;
        Ok(Self {
            revision,
            generation,
            lexical,
            files,
            symbols,
            messages,
            graph,
            history,
            touched_functions: TouchedFunctions::default(),
            is_outdated: false,
        })
    }

    /// Returns the segments of its lexical index, to be stored.
    pub fn segments(&self) -> impl Iterator<Item = StoredSegment<'_>> {
        self.lexical.stored_segments(&self.files)
    }

    /// Estimated heap bytes per structure.
    pub fn memory(&self) -> Memory {
        let mut memory = Memory {
            symbols: self.symbols.heap_bytes(),
            lexical: self.lexical.heap_bytes(),
            messages: self.messages.heap_bytes(),
            graph: self.graph.heap_bytes(),
            history: self.history.as_deref().map_or(0, history_bytes),
            ..Memory::default()
        };
        for file in self.files.as_slice() {
            // A path is held by the file, the table and the maps of names; its terms are computed on first
            // use.
            memory.files += size_of::<SourceFile>() + 3 * file.path.as_str().len() + 256;
            if let Some(content) = &file.content {
                memory.text += content.text.len();
                memory.facts += content.facts.heap_bytes();
            }
        }
        memory
    }
}

fn history_bytes(history: &History) -> usize {
    let touched = |commit: &Commit| -> usize {
        let files = commit.touched.iter();
        let functions = files.map(|t| {
            t.functions
                .iter()
                .map(|name| name.len() + 16)
                .sum::<usize>()
        });
        size_of_val(commit.touched.as_slice()) + functions.sum::<usize>()
    };
    let commits = history.commits.iter();
    commits
        .map(|commit| size_of::<Commit>() + commit.message.len() + touched(commit))
        .sum()
}

/// Returns the index of commit messages. It is shared with `previous` if the history is the same; if only the
/// list of files changed, its file ids are mapped to the new list.
fn commits(
    files: &Files,
    history: Option<&Arc<History>>,
    previous: Option<(&Snapshot, &Change)>,
) -> Arc<Commits> {
    let Some(history) = history else {
        return Arc::default();
    };
    let same = previous.filter(|(previous, _)| {
        let is_same = |before| Arc::ptr_eq(before, history);
        previous.history.as_ref().is_some_and(is_same)
    });
    match same {
        Some((previous, change)) if change.is_stable() => previous.lexical.shared_commits(),
        Some((previous, _)) => Arc::new(previous.lexical.commits().with_files(files)),
        None => Arc::new(Commits::new(history, files)),
    }
}

#[cfg(test)]
mod tests {
    use foveate_model::{Language, ObjectId, Purpose, RepoPath, Role, SkipReason, Touched};

    use super::*;

    fn file(path: &str) -> SourceFile {
        SourceFile {
            path: RepoPath::new(path).unwrap(),
            blob: ObjectId::from_sha1([0; 20]),
            size: 1,
            language: Language::TEXT,
            role: Role::Source,
            purpose: Purpose::default(),
            content: None,
            skipped: Some(SkipReason::Binary),
        }
    }

    fn build(paths: &[&str], history: &Arc<History>, previous: Option<&Snapshot>) -> Snapshot {
        let revision = Revision {
            commit: String::new(),
            dirty: true,
        };
        let files = paths.iter().map(|path| file(path)).collect();
        let history = Some(Arc::clone(history));
        Snapshot::build(revision, 1, files, history, previous).unwrap()
    }

    #[test]
    fn distance_counts_files_that_differ_on_either_side() {
        let of = |paths: &[&str]| build(paths, &Arc::default(), None).files;
        let (own, other) = (of(&["a.py", "b.py", "d.py"]), of(&["b.py", "c.py"]));
        assert_eq!(own.distance(own.as_slice()), 0);
        assert_eq!(own.distance(other.as_slice()), 3);
        assert_eq!(other.distance(own.as_slice()), 3);
        let mut edited = own.as_slice().to_vec();
        edited[1].blob = ObjectId::from_sha1([1; 20]);
        assert_eq!(own.distance(&edited), 1);
    }

    #[test]
    fn commit_messages_are_reindexed_only_when_history_changes() {
        let touched = Touched {
            path: RepoPath::new("b.py").unwrap(),
            functions: Vec::new(),
        };
        let commit = Commit {
            id: ObjectId::from_sha1([0; 20]),
            message: "connect".to_owned(),
            is_bot: false,
            touched: vec![touched],
        };
        let history = Arc::new(History {
            commits: vec![commit],
        });
        let first = build(&["b.py"], &history, None);
        let is_shared = |next: &Snapshot| {
            Arc::ptr_eq(
                &first.lexical.shared_commits(),
                &next.lexical.shared_commits(),
            )
        };
        assert!(is_shared(&build(&["b.py"], &history, Some(&first))));
        let is_history_shared = |next: &Snapshot| {
            let (first, next) = (first.lexical.commits(), next.lexical.commits());
            first.shares_index_with(next)
        };
        let other = build(&["a.py", "b.py"], &history, Some(&first));
        assert!(!is_shared(&other) && is_history_shared(&other));
        assert_eq!(other.lexical.commits().at(0).files().next().unwrap().0, 1);
        let again = Arc::new(History::clone(&history));
        assert!(!is_history_shared(&build(&["b.py"], &again, Some(&first))));
    }
}

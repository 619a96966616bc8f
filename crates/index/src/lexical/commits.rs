//! The messages of past commits as an index of their own, as seen from the files of one snapshot:
//! which commits speak of a term, which present files and functions they touched. A commit none of
//! whose files is left is not seen. What does not depend on the files is in [`super::commit_index`].

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dashmap::DashMap;
use foveate_model::History;

use super::commit_index::{CommitIndex, FunctionId, PathId, Recorded};
use crate::citations::Citation;
use crate::files::{FileId, Files};

/// What a term gives to files: its frequency in the messages of the commits that touched a file, each
/// by its share. By file.
pub(super) type OfTerm = Arc<[(FileId, f32)]>;

/// Past commits by term, for the files of one snapshot.
#[derive(Debug, Default)]
pub struct Commits {
    index: Arc<CommitIndex>,
    /// By path as commits know it, the file.
    files: Vec<Option<FileId>>,
    /// By file, the path as commits know it.
    paths: Vec<Option<PathId>>,
    /// By commit what scoring asks of it, close together: queries look at tens of thousands.
    seen: Vec<Seen>,
    /// How many commits are seen.
    count: usize,
    /// Terms of their messages.
    pub total_length: u64,
    /// Per file, the terms of the messages of the commits that touched it, each by its share.
    pub file_lengths: Vec<f32>,
    /// Sum of `file_lengths`.
    pub total_file_length: f32,
    /// The same per function, of commits by their shares for functions.
    function_lengths: Vec<f32>,
    /// What terms give to files, once they were asked for.
    of_terms: DashMap<Box<str>, OfTerm, foldhash::fast::RandomState>,
    /// Bytes of `of_terms`.
    remembered: AtomicUsize,
}

/// A commit as scoring sees it.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// Terms of its message.
    length: u32,
    /// What it gives to each present function that it touched: 1 / sqrt(their number).
    function_share: f32,
    /// Whether any of its files is left.
    is_seen: bool,
}

/// One commit of the index, as seen from the files of a snapshot.
#[derive(Clone, Copy, Debug)]
pub struct IndexedCommit<'a> {
    commits: &'a Commits,
    recorded: &'a Recorded,
    seen: Seen,
}

impl<'a> IndexedCommit<'a> {
    /// Present files that it touched.
    pub fn files(self) -> impl Iterator<Item = FileId> + 'a {
        let paths = self.recorded.paths.iter();
        paths.filter_map(move |path| self.commits.file(*path))
    }

    /// Functions that it touched in them.
    pub fn functions(self) -> impl Iterator<Item = FunctionId> + 'a {
        let functions = self.recorded.functions.iter().copied();
        let path_of = move |function| self.commits.index.path_of(function);
        functions.filter(move |function| self.commits.file(path_of(*function)).is_some())
    }

    /// Terms of its message.
    pub fn length(self) -> u32 {
        self.seen.length
    }

    /// What it gives to each file: 1 / sqrt(files touched, gone ones included).
    pub fn share(self) -> f32 {
        self.recorded.share
    }

    /// What it gives to each of its functions.
    pub fn function_share(self) -> f32 {
        self.seen.function_share
    }
}

impl Commits {
    /// Indexes the messages of the commits that touched between 1 and 40 files, at least one of
    /// which is still there. Those of programs are left out.
    pub fn new(history: &History, files: &Files) -> Self {
        Self::of(Arc::new(CommitIndex::new(history)), files)
    }

    /// The same commits, as seen from other files.
    pub(crate) fn seen_from(&self, files: &Files) -> Self {
        Self::of(Arc::clone(&self.index), files)
    }

    /// What does not depend on the files, to be stored.
    pub fn index(&self) -> &Arc<CommitIndex> {
        &self.index
    }

    /// Past commits as seen from files.
    pub(crate) fn of(index: Arc<CommitIndex>, files: &Files) -> Self {
        let found = index.paths.iter().map(|path| files.find(path.as_str()));
        let found: Vec<Option<FileId>> = found.collect();
        let mut paths = vec![None; files.len()];
        let mut file_lengths = vec![0.0; files.len()];
        for ((path, file), length) in (0..).map(PathId).zip(&found).zip(&index.path_lengths) {
            if let Some(file) = file {
                paths[file.0 as usize] = Some(path);
                file_lengths[file.0 as usize] = *length;
            }
        }
        let is_there = |path: &PathId| found[path.0 as usize].is_some();
        let seen = index.commits.iter().map(|commit| {
            let functions = commit.functions.iter();
            let there = functions.filter(|function| is_there(&index.path_of(**function)));
            Seen {
                length: commit.length,
                function_share: 1.0 / (there.count() as f32).sqrt(),
                is_seen: commit.paths.iter().any(is_there),
            }
        });
        let seen: Vec<Seen> = seen.collect();
        let length = |function: FunctionId| -> f32 {
            let commits = index.touching(function).iter();
            let commits = commits.map(|commit| &seen[*commit as usize]);
            commits
                .map(|commit| commit.length as f32 * commit.function_share)
                .sum()
        };
        let function_lengths = index.function_ids().map(length).collect();
        let in_all = || seen.iter().filter(|commit| commit.is_seen);
        Self {
            count: in_all().count(),
            total_length: in_all().map(|commit| u64::from(commit.length)).sum(),
            seen,
            files: found,
            paths,
            total_file_length: file_lengths.iter().sum(),
            file_lengths,
            function_lengths,
            of_terms: DashMap::default(),
            remembered: AtomicUsize::new(0),
            index,
        }
    }

    /// How many commits are seen.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// One more than the largest position of a commit.
    pub fn positions(&self) -> usize {
        self.seen.len()
    }

    /// The commit at a position.
    ///
    /// # Panics
    /// When the position comes from another snapshot.
    pub fn at(&self, position: u32) -> IndexedCommit<'_> {
        IndexedCommit {
            commits: self,
            recorded: &self.index.commits[position as usize],
            seen: self.seen[position as usize],
        }
    }

    fn file(&self, path: PathId) -> Option<FileId> {
        self.files[path.0 as usize]
    }

    /// Commits whose message has `term`, by position, with its frequency, newest first; those that
    /// are not seen among them.
    pub fn postings(&self, term: &str) -> &[(u32, u16)] {
        self.index.postings(term)
    }

    /// What `term` gives to files through the messages of commits. Computed once: a common term has
    /// thousands of commits, and each has files.
    pub(super) fn of_term(&self, term: &str) -> Option<OfTerm> {
        if let Some(known) = self.of_terms.get(term) {
            return Some(known.clone());
        }
        let postings = self.postings(term);
        if postings.is_empty() {
            return None;
        }
        let mut sums = vec![0.0; self.paths.len()];
        for (number, tf) in postings {
            let commit = self.at(*number);
            for file in commit.files() {
                sums[file.0 as usize] += f32::from(*tf) * commit.share();
            }
        }
        let of_term = (0..).map(FileId).zip(sums).filter(|(_, sum)| *sum > 0.0);
        let of_term: OfTerm = of_term.collect();
        let bytes = size_of_val(&*of_term) + term.len() + 64;
        if self.of_terms.insert(term.into(), of_term.clone()).is_none() {
            self.remembered.fetch_add(bytes, Ordering::Relaxed);
        }
        Some(of_term)
    }

    /// The functions of a file that have a name, as commits know them, where any touched them. `name`
    /// is as [`Files::name_hash`] gives it.
    pub fn function(&self, file: FileId, name: u64) -> Option<FunctionId> {
        let path = self.paths.get(file.0 as usize).copied().flatten()?;
        self.index.function(path, name)
    }

    /// How many functions commits know.
    pub fn function_count(&self) -> usize {
        self.function_lengths.len()
    }

    /// The commits that touched a function, by position, newest first.
    pub fn touching(&self, function: FunctionId) -> &[u32] {
        self.index.touching(function)
    }

    /// Terms of the messages of the commits that touched a present function, each commit's by its
    /// [`IndexedCommit::function_share`].
    pub fn messages_length(&self, function: FunctionId) -> f32 {
        self.function_lengths[function.position()]
    }

    /// The commits that a citation means, by position, newest first. None where the first digits
    /// of an id fit several.
    pub fn cited(&self, citation: &Citation) -> Vec<u32> {
        let is_seen = |position: &u32| self.sees(*position);
        match citation {
            Citation::Number(number) => {
                let citing = self.index.citing(*number).iter().copied();
                citing.filter(is_seen).collect()
            }
            Citation::Commit(digits) => {
                let mut fitting = self.index.with_digits(digits).filter(is_seen);
                match (fitting.next(), fitting.next()) {
                    (Some(commit), None) => vec![commit],
                    _ => Vec::new(),
                }
            }
        }
    }

    /// Whether any of a commit's files is there.
    pub fn sees(&self, position: u32) -> bool {
        self.seen[position as usize].is_seen
    }

    /// Whether the messages were indexed once for both.
    #[cfg(test)]
    pub(crate) fn shares_index_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.index, &other.index)
    }

    /// Estimated heap size in bytes of what questions have left behind.
    pub fn remembered_bytes(&self) -> usize {
        self.remembered.load(Ordering::Relaxed)
    }

    /// Estimated heap size in bytes, without that; what snapshots with other files share counts in full.
    pub fn heap_bytes(&self) -> usize {
        self.index.heap_bytes()
            + size_of_val(&*self.files)
            + size_of_val(&*self.paths)
            + size_of_val(&*self.seen)
            + size_of_val(&*self.file_lengths)
            + size_of_val(&*self.function_lengths)
    }
}

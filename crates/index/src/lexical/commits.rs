//! Indexes the messages of past commits for the files of one snapshot: which commits contain a term, and
//! which present files and functions they touched. A commit is visible if at least one of its files still
//! exists. Data that does not depend on the files is in [`super::commit_index`].

use std::sync::Arc;

use foveate_model::History;

use super::commit_index::{CommitIndex, FunctionId, PastCommit, PathId};
use crate::citations::Citation;
use crate::files::{FileId, Files};

/// Past commits by term, for the files of one snapshot.
#[derive(Debug, Default)]
pub struct Commits {
    index: Arc<CommitIndex>,
    /// By [`PathId`], the present file.
    files: Vec<Option<FileId>>,
    /// By file, its [`PathId`].
    paths: Vec<Option<PathId>>,
    /// By commit, the values that scoring reads, close together in memory: queries read tens of thousands of
    /// commits.
    views: Vec<CommitView>,
    /// Number of visible commits.
    count: usize,
    /// Number of terms in their messages.
    pub total_length: u64,
    /// By file, the number of terms in the messages of the commits that touched it, weighted by the share of
    /// each commit.
    pub file_lengths: Vec<f32>,
    /// Sum of `file_lengths`.
    pub total_file_length: f32,
    /// By function, the same with the shares for functions.
    function_lengths: Vec<f32>,
}

/// The values of a commit that scoring reads.
#[derive(Clone, Copy, Debug)]
struct CommitView {
    /// Number of terms in its message.
    length: u32,
    /// Its share for each present function that it touched: 1 / sqrt(number of such functions).
    function_share: f32,
    /// Whether any of its files still exists.
    is_visible: bool,
}

/// One commit of the index, restricted to the files of a snapshot.
#[derive(Clone, Copy, Debug)]
pub struct IndexedCommit<'a> {
    commits: &'a Commits,
    recorded: &'a PastCommit,
    view: CommitView,
}

impl<'a> IndexedCommit<'a> {
    /// Returns the present files that it touched.
    pub fn files(self) -> impl Iterator<Item = FileId> + 'a {
        let paths = self.recorded.paths.iter();
        paths.filter_map(move |path| self.commits.file(*path))
    }

    /// Returns the functions that it touched in them.
    pub fn functions(self) -> impl Iterator<Item = FunctionId> + 'a {
        let functions = self.recorded.functions.iter().copied();
        let path_of = move |function| self.commits.index.path_of(function);
        functions.filter(move |function| self.commits.file(path_of(*function)).is_some())
    }

    /// Number of terms in its message.
    pub fn length(self) -> u32 {
        self.view.length
    }

    /// Returns its share for each file: 1 / sqrt(number of touched files, deleted ones included).
    pub fn share(self) -> f32 {
        self.recorded.share
    }

    /// Returns its share for each of its functions.
    pub fn function_share(self) -> f32 {
        self.view.function_share
    }
}

impl Commits {
    /// Indexes the messages of the commits that touched between 1 and 40 files, at least one of which still
    /// exists. Commits of bots are left out.
    pub fn new(history: &History, files: &Files) -> Self {
        Self::of(Arc::new(CommitIndex::new(history)), files)
    }

    /// Returns the index of the same commits for other files.
    pub(crate) fn with_files(&self, files: &Files) -> Self {
        Self::of(Arc::clone(&self.index), files)
    }

    /// Returns the part that does not depend on the files, to be stored.
    pub fn index(&self) -> &Arc<CommitIndex> {
        &self.index
    }

    /// Creates the index of past commits for `files`.
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
        let exists = |path: &PathId| found[path.0 as usize].is_some();
        let views = index.commits.iter().map(|commit| {
            let functions = commit.functions.iter();
            let present = functions.filter(|function| exists(&index.path_of(**function)));
            CommitView {
                length: commit.length,
                function_share: 1.0 / (present.count() as f32).sqrt(),
                is_visible: commit.paths.iter().any(exists),
            }
        });
        let views: Vec<CommitView> = views.collect();
        let length = |function: FunctionId| -> f32 {
            let commits = index.touching(function).iter();
            let commits = commits.map(|commit| &views[*commit as usize]);
            commits
                .map(|commit| commit.length as f32 * commit.function_share)
                .sum()
        };
        let function_lengths = index.function_ids().map(length).collect();
        let in_all = || views.iter().filter(|commit| commit.is_visible);
        Self {
            count: in_all().count(),
            total_length: in_all().map(|commit| u64::from(commit.length)).sum(),
            views,
            files: found,
            paths,
            total_file_length: file_lengths.iter().sum(),
            file_lengths,
            function_lengths,
            index,
        }
    }

    /// Number of visible commits.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether no commit is visible.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns one more than the largest position of a commit.
    pub fn positions(&self) -> usize {
        self.views.len()
    }

    /// Returns the commit at a position.
    ///
    /// # Panics
    /// If the position comes from another snapshot.
    pub fn at(&self, position: u32) -> IndexedCommit<'_> {
        IndexedCommit {
            commits: self,
            recorded: &self.index.commits[position as usize],
            view: self.views[position as usize],
        }
    }

    fn file(&self, path: PathId) -> Option<FileId> {
        self.files[path.0 as usize]
    }

    /// Returns the commits whose message contains `term`, by position, with its frequency, newest first.
    /// Commits that are not visible are included.
    pub fn postings(&self, term: &str) -> &[(u32, u16)] {
        self.index.postings(term)
    }

    /// Returns the frequencies of `term` in the messages of the commits that touched a file, weighted by the share of each
    /// commit, by file.
    pub(super) fn file_frequencies(&self, term: &str) -> impl Iterator<Item = (FileId, f32)> {
        let postings = self.postings(term);
        let files = match postings.is_empty() {
            true => 0,
            false => self.paths.len(),
        };
        let mut sums = vec![0.0; files];
        for (number, tf) in postings {
            let commit = self.at(*number);
            for file in commit.files() {
                sums[file.0 as usize] += f32::from(*tf) * commit.share();
            }
        }
        let frequencies = (0..).map(FileId).zip(sums);
        frequencies.filter(|(_, sum)| *sum > 0.0)
    }

    /// Returns the functions of a file with this name, if a commit touched any. `name` is a
    /// [`Files::name_hash`].
    pub fn function(&self, file: FileId, name: u64) -> Option<FunctionId> {
        let path = self.paths.get(file.0 as usize).copied().flatten()?;
        self.index.function(path, name)
    }

    /// Returns the number of functions that commits touched.
    pub fn function_count(&self) -> usize {
        self.function_lengths.len()
    }

    /// Returns the commits that touched a function, by position, newest first.
    pub fn touching(&self, function: FunctionId) -> &[u32] {
        self.index.touching(function)
    }

    /// Returns the number of terms in the messages of the commits that touched a present function, weighted
    /// by [`IndexedCommit::function_share`].
    pub fn messages_length(&self, function: FunctionId) -> f32 {
        self.function_lengths[function.position()]
    }

    /// Returns the visible commits that a citation refers to, by position, newest first. Empty if the digits
    /// match the ids of several.
    pub fn cited(&self, citation: &Citation) -> Vec<u32> {
        let is_visible = |position: &u32| self.is_visible(*position);
        match citation {
            Citation::Number(number) => {
                let citing = self.index.citing(*number).iter().copied();
                citing.filter(is_visible).collect()
            }
            Citation::Commit(digits) => {
                let mut matching = self.index.with_digits(digits).filter(is_visible);
                match (matching.next(), matching.next()) {
                    (Some(commit), None) => vec![commit],
                    _ => Vec::new(),
                }
            }
        }
    }

    /// Whether any of a commit's files still exists.
    pub fn is_visible(&self, position: u32) -> bool {
        self.views[position as usize].is_visible
    }

    /// Whether both share one index of messages.
    #[cfg(test)]
    pub(crate) fn shares_index_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.index, &other.index)
    }

    /// Estimated heap size in bytes; data shared with snapshots of other
    /// files counts in full.
    pub fn heap_bytes(&self) -> usize {
        self.index.heap_bytes()
            + size_of_val(&*self.files)
            + size_of_val(&*self.paths)
            + size_of_val(&*self.views)
            + size_of_val(&*self.file_lengths)
            + size_of_val(&*self.function_lengths)
    }
}

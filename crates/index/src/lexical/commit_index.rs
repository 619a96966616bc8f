//! Indexes the messages of past commits and what those commits touched, independent of the present files. It
//! depends on the history alone, so that snapshots with different files share it, and later runs of the
//! program read it from disk ([`stored`]).

mod stored;

use foldhash::HashMap;
use foveate_model::{Commit, History, ObjectId, RepoPath};

use crate::citations::{Citation, citations};
use crate::graph::rows::Rows;
use crate::tokens::{self, for_each_term};

/// A commit that touched more files is not informative about any of them (renames, reformatting).
const MAX_FILES: usize = 40;

/// Id of a path in the history. It is used in place of [`FileId`](crate::files::FileId), which would change
/// with every added or removed file, and with it this whole index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathId(pub(super) u32);

/// Id of a function in the history, identified by path and name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionId(u32);

impl FunctionId {
    /// Returns its position in a list of all functions.
    pub fn position(self) -> usize {
        self.0 as usize
    }
}

#[derive(Debug)]
pub(super) struct PastCommit {
    /// The paths that it touched, in id order.
    pub paths: Box<[PathId]>,
    /// The functions that it touched in them, in id order.
    pub functions: Box<[FunctionId]>,
    /// Number of terms in its message.
    pub length: u32,
    /// Its share for each file: 1 / sqrt(number of touched files, deleted ones included).
    pub share: f32,
}

/// Commit messages by term, and what the commits touched.
#[derive(Debug, Default)]
pub struct CommitIndex {
    /// The indexed commits, newest first.
    pub(super) commits: Vec<PastCommit>,
    /// The paths, by [`PathId`].
    pub(super) paths: Vec<RepoPath>,
    /// By path, the number of terms in the messages of the commits that touched it, weighted by the share of
    /// each commit.
    pub(super) path_lengths: Vec<f32>,
    postings: HashMap<Box<str>, Box<[(u32, u16)]>>,
    functions: Functions,
    /// Positions of the commits, sorted by id.
    ids: Vec<(ObjectId, u32)>,
    /// By number of an issue or pull request, the commits whose messages cite it, newest first.
    numbers: HashMap<u32, Vec<u32>>,
}

/// The functions that commits touched, numbered by path, then by name.
#[derive(Debug, Default)]
struct Functions {
    /// By path, the [hashes](tokens::hash) of its functions' names, ascending.
    names: Rows<u64>,
    /// By function, its path.
    paths: Box<[PathId]>,
    /// By function, the commits that touched it, newest first.
    commits: Rows<u32>,
}

impl Functions {
    /// Builds the table; `touched` has the distinct paths and names of functions of each commit, newest
    /// first. Also returns the functions of each commit.
    fn new(paths: usize, touched: &[Vec<(PathId, u64)>]) -> (Self, Vec<Box<[FunctionId]>>) {
        let mut all: Vec<(PathId, u64)> = touched.iter().flatten().copied().collect();
        all.sort_unstable();
        all.dedup();
        let names: Vec<(u32, u64)> = all.iter().map(|(path, name)| (path.0, *name)).collect();
        let mut functions = Self {
            names: Rows::from_pairs(paths, &names),
            paths: all.iter().map(|(path, _)| *path).collect(),
            commits: Rows::default(),
        };
        let id = |(path, name): &(PathId, u64)| functions.find(*path, *name);
        let of_commits = touched.iter();
        let of_commits: Vec<Box<[FunctionId]>> = of_commits
            .map(|touched| touched.iter().filter_map(id).collect())
            .collect();
        let pairs: Vec<(u32, u32)> = (0..)
            .zip(&of_commits)
            .flat_map(|(commit, of)| of.iter().map(move |function| (function.0, commit)))
            .collect();
        functions.commits = Rows::from_pairs(all.len(), &pairs);
        (functions, of_commits)
    }

    fn find(&self, path: PathId, name: u64) -> Option<FunctionId> {
        let at = self.names.row(path.0).binary_search(&name).ok()?;
        Some(FunctionId(self.names.row_start(path.0) + at as u32))
    }

    fn heap_bytes(&self) -> usize {
        self.names.heap_bytes() + size_of_val(&*self.paths) + self.commits.heap_bytes()
    }
}

impl CommitIndex {
    /// Indexes the messages of the commits that touched between 1 and 40 files. Commits of bots are left out.
    pub fn new(history: &History) -> Self {
        let mut builder = Builder::default();
        for commit in &history.commits {
            if !commit.is_bot && (1..=MAX_FILES).contains(&commit.touched.len()) {
                builder.add(commit);
            }
        }
        builder.finish()
    }

    /// Adds the length of a message to the paths that its commit touched.
    fn add_lengths(&mut self, paths: &[PathId], share: f32, length: u32) {
        for path in paths {
            self.path_lengths[path.0 as usize] += share * length as f32;
        }
    }

    /// Sets the functions from the paths and names that each commit touched.
    fn set_functions(&mut self, touched: &[Vec<(PathId, u64)>]) {
        let (functions, of_commits) = Functions::new(self.paths.len(), touched);
        self.functions = functions;
        for (commit, functions) in self.commits.iter_mut().zip(of_commits) {
            commit.functions = functions;
        }
    }

    /// Returns the commits whose message contains `term`, with its frequency, newest first.
    pub fn postings(&self, term: &str) -> &[(u32, u16)] {
        self.postings.get(term).map_or(&[], |list| list)
    }

    /// Returns the functions of a path with this name, if a commit touched any. `name` is a [`tokens::hash`].
    pub fn function(&self, path: PathId, name: u64) -> Option<FunctionId> {
        self.functions.find(path, name)
    }

    /// Returns all functions that commits touched.
    pub fn function_ids(&self) -> impl Iterator<Item = FunctionId> + use<> {
        (0..self.functions.paths.len() as u32).map(FunctionId)
    }

    /// Returns the commits that touched a function, by position, newest first.
    pub fn touching(&self, function: FunctionId) -> &[u32] {
        self.functions.commits.row(function.0)
    }

    /// Returns the path of a function.
    pub fn path_of(&self, function: FunctionId) -> PathId {
        self.functions.paths[function.0 as usize]
    }

    /// Returns the commits whose messages cite an issue or a pull request, by position, newest first.
    pub fn citing(&self, number: u32) -> &[u32] {
        self.numbers.get(&number).map_or(&[], Vec::as_slice)
    }

    /// Returns the commits whose ids start with `digits`, by position, in order of their ids.
    pub fn with_digits<'a>(&'a self, digits: &'a str) -> impl Iterator<Item = u32> + 'a {
        let before = |(id, _): &(ObjectId, u32)| id.to_string().as_str() < digits;
        let start = self.ids.partition_point(before);
        self.ids[start..]
            .iter()
            .take_while(move |(id, _)| id.to_string().starts_with(digits))
            .map(|(_, commit)| *commit)
    }

    /// Estimated heap size in bytes.
    pub fn heap_bytes(&self) -> usize {
        let list = size_of::<Box<str>>() + size_of::<Box<[u32]>>() + 2;
        let postings = self.postings.iter();
        let postings: usize = postings
            .map(|(term, of)| term.len() + size_of_val(&**of))
            .sum();
        let commit = |c: &PastCommit| size_of_val(&*c.paths) + size_of_val(&*c.functions);
        let commits: usize = self.commits.iter().map(commit).sum();
        let numbers = self.numbers.values().map(|list| list.capacity() * 4);
        postings
            + commits
            + self.functions.heap_bytes()
            + numbers.sum::<usize>()
            + self.postings.capacity() * list
            + self.numbers.capacity() * (size_of::<(u32, Vec<u32>)>() + 1)
            + size_of_val(&*self.commits)
            + size_of_val(&*self.ids)
            + self.paths.len() * (size_of::<RepoPath>() + size_of::<f32>())
    }
}

/// Builds the index while commits are added.
#[derive(Default)]
struct Builder {
    index: CommitIndex,
    paths: HashMap<RepoPath, PathId>,
    postings: HashMap<Box<str>, Vec<(u32, u16)>>,
    /// By commit, the functions that it touched.
    touched: Vec<Vec<(PathId, u64)>>,
    /// Term frequencies of the current message; empty between two messages.
    frequencies: HashMap<Box<str>, u16>,
}

impl Builder {
    fn add(&mut self, commit: &Commit) {
        let mut paths = Vec::with_capacity(commit.touched.len());
        let mut functions = Vec::new();
        for touched in &commit.touched {
            let path = self.path(&touched.path);
            paths.push(path);
            let names = touched.functions.iter();
            functions.extend(names.map(|name| (path, tokens::hash(name))));
        }
        paths.sort_unstable();
        paths.dedup();
        functions.sort_unstable();
        functions.dedup();
        let number = self.index.commits.len() as u32;
        let length = self.message(number, &commit.message);
        self.index.ids.push((commit.id, number));
        for cited in citations(&commit.message, None) {
            if let Citation::Number(cited) = cited {
                let commits = self.index.numbers.entry(cited).or_default();
                if commits.last() != Some(&number) {
                    commits.push(number);
                }
            }
        }
        let share = 1.0 / (commit.touched.len() as f32).sqrt();
        self.index.add_lengths(&paths, share, length);
        self.touched.push(functions);
        self.index.commits.push(PastCommit {
            paths: paths.into(),
            functions: Box::default(),
            length,
            share,
        });
    }

    fn path(&mut self, path: &RepoPath) -> PathId {
        if let Some(id) = self.paths.get(path) {
            return *id;
        }
        let id = PathId(self.index.paths.len() as u32);
        self.index.paths.push(path.clone());
        self.index.path_lengths.push(0.0);
        self.paths.insert(path.clone(), id);
        id
    }

    /// Indexes a message and returns the number of its terms.
    fn message(&mut self, number: u32, message: &str) -> u32 {
        let mut length = 0;
        for_each_term(message, |term| {
            length += 1;
            match self.frequencies.get_mut(term) {
                Some(count) => *count = count.saturating_add(1),
                None => {
                    self.frequencies.insert(term.into(), 1);
                }
            }
        });
        // Each term has its own list, so the order of this loop does not affect the result.
        for (term, count) in self.frequencies.drain() {
            self.postings.entry(term).or_default().push((number, count));
        }
        length
    }

    fn finish(self) -> CommitIndex {
        let mut index = self.index;
        index.ids.sort_unstable();
        index.commits.shrink_to_fit();
        index.ids.shrink_to_fit();
        let postings = self.postings.into_iter();
        index.postings = postings.map(|(term, of)| (term, of.into())).collect();
        index.set_functions(&self.touched);
        index
    }
}

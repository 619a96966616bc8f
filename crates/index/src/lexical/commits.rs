//! The messages of past commits as an index of their own: which commits speak of a term, which
//! present files and functions they touched, and how often and how lately each was touched.

use foldhash::HashMap;
use foveate_model::{Commit, History};

use crate::files::{FileId, Files};
use crate::tokens::for_each_term;

/// A commit that touched more files says nothing about any of them (renames, reformatting).
const MOST_FILES: usize = 40;

/// In so many seconds a change loses half of its weight in [`Past::recent`].
const HALF_LIFE: f32 = 365.0 * 24.0 * 3600.0;

/// A function as commits know it: by file and name. Ids of definitions would change with every
/// edit, and with them this whole index.
pub type Named = (FileId, NameId);

/// A distinct name of a touched function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameId(u32);

/// How something was changed in the past.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Past {
    /// How many commits touched it.
    pub changes: u32,
    /// The same, each weighted by its age: 1 for the newest commit of all, half a year later.
    pub recent: f32,
}

impl Past {
    fn add(&mut self, weight: f32) {
        self.changes += 1;
        self.recent += weight;
    }
}

/// One past commit that touched present files.
#[derive(Debug)]
pub struct PastCommit {
    /// Present files that it touched, in id order.
    pub files: Vec<FileId>,
    /// Functions that it touched in them.
    pub functions: Vec<Named>,
    /// Terms of its message.
    pub length: u32,
    /// What it gives to each file: 1 / sqrt(files touched, gone ones included).
    pub share: f32,
}

/// Commit messages by term.
#[derive(Debug, Default)]
pub struct Commits {
    /// Newest first.
    pub commits: Vec<PastCommit>,
    postings: HashMap<Box<str>, Vec<(u32, u16)>>,
    /// Terms of all messages.
    pub total_length: u64,
    /// Per file, the terms of the messages of the commits that touched it, each by its share.
    pub file_lengths: Vec<f32>,
    /// Sum of `file_lengths`.
    pub total_file_length: f32,
    /// Per file its commits, newest first.
    of_files: Vec<Vec<u32>>,
    files: Vec<Past>,
    functions: HashMap<Named, Past>,
    names: HashMap<Box<str>, NameId>,
}

impl Commits {
    /// Indexes the messages of the commits that touched between 1 and 40 files, at least one of
    /// which is still there. Those of programs are left out.
    pub fn new(history: &History, files: &Files) -> Self {
        let mut index = Self {
            file_lengths: vec![0.0; files.len()],
            of_files: vec![Vec::new(); files.len()],
            files: vec![Past::default(); files.len()],
            ..Self::default()
        };
        let newest = history.commits.iter().map(|c| c.time).max().unwrap_or(0);
        let mut frequencies: HashMap<Box<str>, u16> = HashMap::default();
        for commit in &history.commits {
            if !commit.is_bot && (1..=MOST_FILES).contains(&commit.touched.len()) {
                index.add(commit, files, newest, &mut frequencies);
            }
        }
        index.total_file_length = index.file_lengths.iter().sum();
        index
    }

    fn add(
        &mut self,
        commit: &Commit,
        files: &Files,
        newest: i64,
        frequencies: &mut HashMap<Box<str>, u16>,
    ) {
        let mut present = Vec::new();
        let mut functions = Vec::new();
        for touched in &commit.touched {
            if let Some(file) = files.find(touched.path.as_str()) {
                present.push(file);
                let names = touched.functions.iter();
                functions.extend(names.map(|name| (file, self.name(name))));
            }
        }
        present.sort_unstable();
        present.dedup();
        if present.is_empty() {
            return;
        }
        functions.sort_unstable();
        functions.dedup();
        let number = self.commits.len() as u32;
        let length = self.message(number, &commit.message, frequencies);
        let share = 1.0 / (commit.touched.len() as f32).sqrt();
        let weight = (-(newest - commit.time) as f32 / HALF_LIFE).exp2();
        for file in &present {
            let at = file.0 as usize;
            self.file_lengths[at] += share * length as f32;
            self.of_files[at].push(number);
            self.files[at].add(weight);
        }
        for function in &functions {
            self.functions.entry(*function).or_default().add(weight);
        }
        self.total_length += u64::from(length);
        self.commits.push(PastCommit {
            files: present,
            functions,
            length,
            share,
        });
    }

    fn name(&mut self, name: &str) -> NameId {
        if let Some(id) = self.names.get(name) {
            return *id;
        }
        let id = NameId(self.names.len() as u32);
        self.names.insert(name.into(), id);
        id
    }

    /// Indexes a message; gives the number of its terms. `frequencies` must be and is left empty.
    fn message(
        &mut self,
        number: u32,
        message: &str,
        frequencies: &mut HashMap<Box<str>, u16>,
    ) -> u32 {
        let mut length = 0;
        for_each_term(message, |term| {
            length += 1;
            match frequencies.get_mut(term) {
                Some(count) => *count = count.saturating_add(1),
                None => {
                    frequencies.insert(term.into(), 1);
                }
            }
        });
        // Each term has its own list, so the order of this loop leaves no trace.
        for (term, count) in frequencies.drain() {
            self.postings.entry(term).or_default().push((number, count));
        }
        length
    }

    /// Commits whose message has `term`, with its frequency, newest first.
    pub fn postings(&self, term: &str) -> &[(u32, u16)] {
        self.postings.get(term).map_or(&[], Vec::as_slice)
    }

    /// How a file was changed.
    pub fn of_file(&self, file: FileId) -> Past {
        self.files.get(file.0 as usize).copied().unwrap_or_default()
    }

    /// The commits that touched a file, by position, newest first.
    pub fn commits_of(&self, file: FileId) -> &[u32] {
        self.of_files
            .get(file.0 as usize)
            .map_or(&[], Vec::as_slice)
    }

    /// The functions of a file that have a name, as commits know them, and how they were changed.
    pub fn of_function(&self, file: FileId, name: &str) -> Option<(Named, Past)> {
        let named = (file, *self.names.get(name)?);
        Some((named, *self.functions.get(&named)?))
    }

    /// Estimated heap size in bytes.
    pub fn heap_bytes(&self) -> usize {
        let postings: usize = self
            .postings
            .iter()
            .map(|(term, list)| term.len() + list.capacity() * 8 + 48)
            .sum();
        let commit = |c: &PastCommit| c.files.len() * 4 + c.functions.len() * 8 + 64;
        let commits: usize = self.commits.iter().map(commit).sum();
        let of_files: usize = self
            .of_files
            .iter()
            .map(|list| list.capacity() * 4 + 24)
            .sum();
        let names: usize = self.names.keys().map(|name| name.len() + 40).sum();
        postings + commits + of_files + names + self.functions.len() * 24 + self.files.len() * 12
    }
}

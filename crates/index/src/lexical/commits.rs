//! The messages of past commits as an index of their own: which commits speak of a term, which
//! present files and functions they touched.

use std::collections::BTreeMap;
use std::sync::Arc;

use dashmap::DashMap;
use foldhash::HashMap;
use foveate_model::{Commit, History, ObjectId};

use crate::citations::{Citation, citations};
use crate::files::{FileId, Files};
use crate::tokens::for_each_term;

/// A commit that touched more files says nothing about any of them (renames, reformatting).
const MOST_FILES: usize = 40;

/// A function as commits know it: by file and name. Ids of definitions would change with every
/// edit, and with them this whole index.
pub type Named = (FileId, NameId);

/// A distinct name of a touched function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameId(u32);

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
    /// Per function its commits, newest first.
    functions: HashMap<Named, Vec<u32>>,
    names: HashMap<Box<str>, NameId>,
    /// The commits by id.
    ids: Vec<(ObjectId, u32)>,
    /// The commits whose messages cite an issue or a pull request, newest first.
    numbers: HashMap<u32, Vec<u32>>,
    /// What terms give to files, once they were asked for.
    of_terms: DashMap<Box<str>, OfTerm, foldhash::fast::RandomState>,
}

/// What a term gives to files: its frequency in the messages of the commits that touched a file,
/// each by its share. By file.
type OfTerm = Arc<[(FileId, f32)]>;

impl Commits {
    /// Indexes the messages of the commits that touched between 1 and 40 files, at least one of
    /// which is still there. Those of programs are left out.
    pub fn new(history: &History, files: &Files) -> Self {
        let mut index = Self {
            file_lengths: vec![0.0; files.len()],
            ..Self::default()
        };
        let mut frequencies: HashMap<Box<str>, u16> = HashMap::default();
        for commit in &history.commits {
            if !commit.is_bot && (1..=MOST_FILES).contains(&commit.touched.len()) {
                index.add(commit, files, &mut frequencies);
            }
        }
        index.ids.sort_unstable();
        index.total_file_length = index.file_lengths.iter().sum();
        index
    }

    fn add(&mut self, commit: &Commit, files: &Files, frequencies: &mut HashMap<Box<str>, u16>) {
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
        self.ids.push((commit.id, number));
        for cited in citations(&commit.message) {
            if let Citation::Number(cited) = cited {
                let commits = self.numbers.entry(cited).or_default();
                if commits.last() != Some(&number) {
                    commits.push(number);
                }
            }
        }
        let share = 1.0 / (commit.touched.len() as f32).sqrt();
        for file in &present {
            self.file_lengths[file.0 as usize] += share * length as f32;
        }
        for function in &functions {
            self.functions.entry(*function).or_default().push(number);
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

    /// What `term` gives to files through the messages of commits. Computed once: a common term has
    /// thousands of commits, and each has files.
    pub fn of_term(&self, term: &str) -> Option<OfTerm> {
        let postings = self.postings.get(term)?;
        if let Some(known) = self.of_terms.get(term) {
            return Some(known.clone());
        }
        let mut sums: BTreeMap<FileId, f32> = BTreeMap::new();
        for (number, tf) in postings {
            let commit = &self.commits[*number as usize];
            for file in &commit.files {
                *sums.entry(*file).or_default() += f32::from(*tf) * commit.share;
            }
        }
        let of_term: OfTerm = sums.into_iter().collect();
        self.of_terms.insert(term.into(), of_term.clone());
        Some(of_term)
    }

    /// The functions of a file that have a name, as commits know them, and the commits that touched
    /// them, by position, newest first.
    pub fn of_function(&self, file: FileId, name: &str) -> Option<(Named, &[u32])> {
        let named = (file, *self.names.get(name)?);
        Some((named, self.functions.get(&named)?))
    }

    /// The commits that a citation means, by position, newest first. None where the first digits
    /// of an id fit several.
    pub fn cited(&self, citation: &Citation) -> Vec<u32> {
        match citation {
            Citation::Number(number) => self.numbers.get(number).cloned().unwrap_or_default(),
            Citation::Commit(digits) => {
                let start = self
                    .ids
                    .partition_point(|(id, _)| id.to_string().as_str() < digits.as_str());
                let fits = |(id, _): &&(ObjectId, u32)| id.to_string().starts_with(digits.as_str());
                let mut fitting = self.ids[start..].iter().take_while(fits);
                match (fitting.next(), fitting.next()) {
                    (Some((_, commit)), None) => vec![*commit],
                    _ => Vec::new(),
                }
            }
        }
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
        let names: usize = self.names.keys().map(|name| name.len() + 40).sum();
        let lists = self.functions.values();
        let functions: usize = lists.map(|list| list.capacity() * 4 + 48).sum();
        let of_term = |list: &OfTerm| size_of_val(&**list) + 64;
        let of_terms: usize = self.of_terms.iter().map(|entry| of_term(&entry)).sum();
        let ids = self.ids.capacity() * size_of::<(ObjectId, u32)>();
        let numbers = self.numbers.values().map(|list| list.capacity() * 4 + 48);
        let numbers: usize = numbers.sum();
        postings
            + commits
            + names
            + functions
            + of_terms
            + ids
            + numbers
            + self.file_lengths.len() * 4
    }
}

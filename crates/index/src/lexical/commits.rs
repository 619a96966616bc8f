//! The messages of past commits as an index of their own: which commits speak of a term, and which
//! present files they touched.

use foldhash::HashMap;
use foveate_model::History;

use crate::files::{FileId, Files};
use crate::tokens::for_each_term;

/// A commit that touched more files says nothing about any of them (renames, reformatting).
const MOST_FILES: usize = 40;

/// One past commit that touched present files.
#[derive(Debug)]
pub struct PastCommit {
    /// Present files that it touched, in id order.
    pub files: Vec<FileId>,
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
}

impl Commits {
    /// Indexes the messages of the commits that touched between 1 and 40 files, at least one of
    /// which is still there.
    pub fn new(history: &History, files: &Files) -> Self {
        let mut index = Self {
            file_lengths: vec![0.0; files.len()],
            ..Self::default()
        };
        let mut frequencies: HashMap<Box<str>, u16> = HashMap::default();
        for commit in &history.commits {
            if commit.touched.is_empty() || commit.touched.len() > MOST_FILES {
                continue;
            }
            let mut present: Vec<FileId> = commit
                .touched
                .iter()
                .filter_map(|touched| files.find(touched.path.as_str()))
                .collect();
            present.sort_unstable();
            present.dedup();
            if present.is_empty() {
                continue;
            }
            let number = index.commits.len() as u32;
            let mut length = 0;
            for_each_term(&commit.message, |term| {
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
                index
                    .postings
                    .entry(term)
                    .or_default()
                    .push((number, count));
            }
            let share = 1.0 / (commit.touched.len() as f32).sqrt();
            for file in &present {
                index.file_lengths[file.0 as usize] += share * length as f32;
            }
            index.total_length += u64::from(length);
            index.commits.push(PastCommit {
                files: present,
                length,
                share,
            });
        }
        index.total_file_length = index.file_lengths.iter().sum();
        index
    }

    /// Commits whose message has `term`, with its frequency, newest first.
    pub fn postings(&self, term: &str) -> &[(u32, u16)] {
        self.postings.get(term).map_or(&[], Vec::as_slice)
    }

    /// Estimated heap size in bytes.
    pub fn heap_bytes(&self) -> usize {
        let postings: usize = self
            .postings
            .iter()
            .map(|(term, list)| term.len() + list.capacity() * 8 + 48)
            .sum();
        let commits: usize = self.commits.iter().map(|c| c.files.len() * 4 + 40).sum();
        postings + commits + self.file_lengths.len() * 4
    }
}

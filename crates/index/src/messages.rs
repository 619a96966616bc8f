//! The texts of raised errors and log calls, findable by the word trigrams that a pasted message
//! shares with them. The literal's placeholders differ from what a user saw, so whole texts are
//! not compared.

use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::fast::FixedState;
use foveate_model::{Content, Lines, LocalId};
use rayon::prelude::*;

use crate::change::Change;
use crate::files::{DefId, FileId, Files};
use crate::inverted::Inverted;

/// A trigram that more messages share says nothing about any of them.
const MAX_MESSAGES: usize = 20;

/// A message of the repository.
#[derive(Clone, Copy, Debug)]
pub struct MessagePlace {
    /// The file that it is in.
    pub file: FileId,
    /// The function that it stands in.
    pub enclosing: Option<DefId>,
    /// Its line.
    pub lines: Lines,
    /// How many trigrams it has.
    pub trigrams: u32,
}

/// All messages of a snapshot by trigram.
#[derive(Clone, Debug, Default)]
pub struct Messages {
    files: Vec<Arc<FileMessages>>,
    by_trigram: Inverted<Trigram, (FileId, u32)>,
}

/// Three words that follow one another, as a hash.
type Trigram = u64;

/// The messages of one file.
#[derive(Debug, Default)]
struct FileMessages {
    messages: Box<[Message]>,
    /// The distinct trigrams of each message by its position.
    trigrams: Box<[(Trigram, u32)]>,
}

#[derive(Debug)]
struct Message {
    enclosing: Option<LocalId>,
    line: u32,
    /// How many trigrams it has.
    trigrams: u32,
}

impl FileMessages {
    fn new(content: &Content) -> Self {
        let mut messages = Vec::with_capacity(content.facts.messages.len());
        let mut trigrams = Vec::new();
        for (position, message) in (0..).zip(&content.facts.messages) {
            let words: Vec<u64> = hashes(message.span.of(&content.text)).collect();
            let own = trigrams.len();
            trigrams.extend(
                words
                    .array_windows()
                    .map(|words| (trigram(*words), position)),
            );
            messages.push(Message {
                enclosing: message.enclosing,
                line: message.line,
                trigrams: (trigrams.len() - own) as u32,
            });
        }
        trigrams.sort_unstable_by_key(|(trigram, position)| (*position, *trigram));
        trigrams.dedup();
        Self {
            messages: messages.into(),
            trigrams: trigrams.into(),
        }
    }
}

impl Messages {
    /// Indexes the messages of all files.
    pub fn new(files: &Files) -> Self {
        Self::with(files, None)
    }

    /// [`Self::new`] from the messages of the files before a change.
    pub(crate) fn derive(&self, files: &Files, change: &Change) -> Self {
        Self::with(files, Some((self, change)))
    }

    fn with(files: &Files, previous: Option<(&Self, &Change)>) -> Self {
        let ids: Vec<FileId> = files.ids().collect();
        let none: Arc<FileMessages> = Arc::default();
        let of_files: Vec<Arc<FileMessages>> = ids
            .par_iter()
            .with_min_len(64)
            .map(|id| {
                let before = previous.and_then(|(previous, change)| {
                    previous.files.get(change.unchanged(*id)?.0 as usize)
                });
                match (before, files.content(*id)) {
                    (Some(messages), _) => Arc::clone(messages),
                    (None, Some(content)) if !content.facts.messages.is_empty() => {
                        Arc::new(FileMessages::new(content))
                    }
                    (None, _) => Arc::clone(&none),
                }
            })
            .collect();
        let trigrams = || of_files.iter().map(|f| f.trigrams.len()).sum();
        let mut index = Self {
            by_trigram: match previous {
                Some((previous, change)) => previous.remaining(change),
                None => Inverted::with_room(trigrams()),
            },
            files: of_files,
        };
        match previous {
            Some((_, change)) => change.changed().iter().for_each(|file| index.add(*file)),
            None => ids.into_iter().for_each(|file| index.add(file)),
        }
        index
    }

    /// The table without the files that changed, with the ids of now.
    fn remaining(&self, change: &Change) -> Inverted<Trigram, (FileId, u32)> {
        let mut by_trigram = self.by_trigram.clone();
        let edited = change
            .changed()
            .iter()
            .filter_map(|file| change.before(*file));
        for file in change.gone().chain(edited) {
            for (trigram, position) in &self.files[file.0 as usize].trigrams {
                by_trigram.remove(trigram, &(file, *position));
            }
        }
        if change.is_stable() {
            by_trigram
        } else {
            by_trigram.renumbered(change)
        }
    }

    fn add(&mut self, file: FileId) {
        for (trigram, position) in &self.files[file.0 as usize].trigrams {
            self.by_trigram.insert(trigram, (file, *position));
        }
    }

    /// The messages that share rare trigrams with `text`, with the share of their own trigrams
    /// that it holds (0 to 1), by place.
    pub fn search(&self, text: &str) -> Vec<(MessagePlace, f32)> {
        let words: Vec<u64> = hashes(text).collect();
        let mut trigrams: Vec<Trigram> = words.array_windows().map(|w| trigram(*w)).collect();
        trigrams.sort_unstable();
        trigrams.dedup();
        let mut places: Vec<(FileId, u32)> = Vec::new();
        for trigram in &trigrams {
            let list = self.by_trigram.get(trigram);
            if list.len() <= MAX_MESSAGES {
                places.extend(list);
            }
        }
        places.sort_unstable();
        places
            .chunk_by(|a, b| a == b)
            .filter_map(|run| {
                let (file, position) = *run.first()?;
                let of_file = self.files.get(file.0 as usize)?;
                let message = of_file.messages.get(position as usize)?;
                let place = MessagePlace {
                    file,
                    enclosing: message.enclosing.map(|local| DefId { file, local }),
                    lines: Lines::new(message.line, message.line),
                    trigrams: message.trigrams,
                };
                let share = run.len() as f32 / place.trigrams.max(1) as f32;
                Some((place, share.min(1.0)))
            })
            .collect()
    }

    /// Estimated heap size in bytes; what other snapshots share counts in full.
    pub fn heap_bytes(&self) -> usize {
        let of_file =
            |file: &Arc<FileMessages>| size_of_val(&*file.messages) + size_of_val(&*file.trigrams);
        self.files.iter().map(of_file).sum::<usize>() + self.by_trigram.heap_bytes(|_| 0)
    }
}

fn trigram(words: [u64; 3]) -> Trigram {
    FixedState::default().hash_one(words)
}

/// The words of a text as hashes, whatever their case.
fn hashes(text: &str) -> impl Iterator<Item = u64> {
    words(text).map(|word| FixedState::default().hash_one(word))
}

/// Lower-cased runs of letters and digits.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

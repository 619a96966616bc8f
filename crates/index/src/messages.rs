//! Indexes the texts of raised errors and log calls by word trigrams, so that a pasted message finds them.
//! Whole texts are not compared, because a user sees other text in place of a literal's placeholders.

use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::fast::FixedState;
use foveate_model::{Content, LocalId};
use rayon::prelude::*;

use crate::change::Change;
use crate::files::{DefId, FileId, Files};
use crate::sharded_map::ShardedMap;

/// A trigram shared by more messages than this is ignored as uninformative.
const MAX_MESSAGES: usize = 20;

/// A message of the repository.
#[derive(Clone, Copy, Debug)]
pub struct MessagePlace {
    /// The file that contains it.
    pub file: FileId,
    /// The function that contains it.
    pub enclosing: Option<DefId>,
}

/// All messages of a snapshot by trigram.
#[derive(Clone, Debug, Default)]
pub struct Messages {
    files: Vec<Arc<FileMessages>>,
    by_trigram: ShardedMap<Trigram, (FileId, u32)>,
}

/// The hash of three consecutive words.
type Trigram = u64;

#[derive(Debug, Default)]
struct FileMessages {
    messages: Box<[Message]>,
    /// The distinct trigrams of each message with the message's position.
    trigrams: Box<[(Trigram, u32)]>,
}

#[derive(Debug)]
struct Message {
    enclosing: Option<LocalId>,
    /// Number of its trigrams.
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
        Self::build(files, None)
    }

    /// Derives the index for `files` from the index before a change. Equals [`Self::new`].
    pub(crate) fn derive(&self, files: &Files, change: &Change) -> Self {
        Self::build(files, Some((self, change)))
    }

    fn build(files: &Files, previous: Option<(&Self, &Change)>) -> Self {
        let ids: Vec<FileId> = files.ids().collect();
        let none: Arc<FileMessages> = Arc::default();
        let of_files: Vec<Arc<FileMessages>> = ids
            .par_iter()
            .with_min_len(64)
            .map(|id| {
                let before = previous.and_then(|(previous, change)| {
                    previous
                        .files
                        .get(change.earlier_id_if_unchanged(*id)?.0 as usize)
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
                None => ShardedMap::with_capacity(trigrams()),
            },
            files: of_files,
        };
        match previous {
            Some((_, change)) => change.changed().iter().for_each(|file| index.add(*file)),
            None => ids.into_iter().for_each(|file| index.add(file)),
        }
        index
    }

    /// Returns the table without the entries of changed files, with the ids of the later snapshot.
    fn remaining(&self, change: &Change) -> ShardedMap<Trigram, (FileId, u32)> {
        let mut by_trigram = self.by_trigram.clone();
        let edited = change
            .changed()
            .iter()
            .filter_map(|file| change.earlier_id(*file));
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

    /// Returns the messages that share rare trigrams with `text`, each with the strength of the match (0 to 1), by
    /// position: the share of the message's trigrams that `text` contains, times `r / (r + 1)`. `r` is the sum of the
    /// rarities of these trigrams, `1 / n` for one that `n` messages have: a few words in a row are found by chance, and
    /// a message that many places raise says little about each.
    pub fn search(&self, text: &str) -> Vec<(MessagePlace, f32)> {
        let words: Vec<u64> = hashes(text).collect();
        let mut trigrams: Vec<Trigram> = words.array_windows().map(|w| trigram(*w)).collect();
        trigrams.sort_unstable();
        trigrams.dedup();
        let mut places: Vec<((FileId, u32), f32)> = Vec::new();
        for trigram in &trigrams {
            let list = self.by_trigram.get(trigram);
            if list.len() <= MAX_MESSAGES {
                let rarity = 1.0 / list.len() as f32;
                places.extend(list.iter().map(|place| (*place, rarity)));
            }
        }
        places.sort_by_key(|(place, _)| *place);
        places
            .chunk_by(|(a, _), (b, _)| a == b)
            .filter_map(|run| {
                let ((file, position), _) = *run.first()?;
                let of_file = self.files.get(file.0 as usize)?;
                let message = of_file.messages.get(position as usize)?;
                let place = MessagePlace {
                    file,
                    enclosing: message.enclosing.map(|local| DefId::new(file, local)),
                };
                let share = run.len() as f32 / message.trigrams.max(1) as f32;
                let rarity: f32 = run.iter().map(|(_, rarity)| rarity).sum();
                Some((place, share.min(1.0) * rarity / (rarity + 1.0)))
            })
            .collect()
    }

    /// Estimated heap size in bytes; data shared with other snapshots counts in full.
    pub fn heap_bytes(&self) -> usize {
        let of_file =
            |file: &Arc<FileMessages>| size_of_val(&*file.messages) + size_of_val(&*file.trigrams);
        self.files.iter().map(of_file).sum::<usize>() + self.by_trigram.heap_bytes(|_| 0)
    }
}

fn trigram(words: [u64; 3]) -> Trigram {
    FixedState::default().hash_one(words)
}

/// Returns the hashes of the words of a text, ignoring case.
fn hashes(text: &str) -> impl Iterator<Item = u64> {
    words(text).map(|word| FixedState::default().hash_one(word))
}

/// Returns the lower-cased runs of letters and digits.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

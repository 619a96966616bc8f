//! The texts of raised errors and log calls, findable by the word trigrams that a pasted message
//! shares with them. The literal's placeholders differ from what a user saw, so whole texts are
//! not compared.

use foldhash::HashMap;
use foveate_model::Lines;

use crate::files::{DefId, FileId, Files};

/// A trigram that more messages share says nothing about any of them.
const MOST_MESSAGES: usize = 20;

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
#[derive(Debug, Default)]
pub struct Messages {
    places: Vec<MessagePlace>,
    by_trigram: HashMap<[u32; 3], Vec<u32>>,
    words: HashMap<Box<str>, u32>,
}

impl Messages {
    /// Indexes the messages of all files.
    pub fn new(files: &Files) -> Self {
        let mut index = Self::default();
        for file in files.ids() {
            let Some(content) = files.content(file) else {
                continue;
            };
            for message in &content.facts.messages {
                let words: Vec<u32> = words(message.span.of(&content.text))
                    .map(|word| index.number(word))
                    .collect();
                let place = index.places.len() as u32;
                for trigram in words.array_windows::<3>() {
                    let list = index.by_trigram.entry(*trigram).or_default();
                    if list.last() != Some(&place) {
                        list.push(place);
                    }
                }
                index.places.push(MessagePlace {
                    file,
                    enclosing: message.enclosing.map(|local| files.global(file, local)),
                    lines: Lines::new(message.line, message.line),
                    trigrams: words.len().saturating_sub(2) as u32,
                });
            }
        }
        index
    }

    fn number(&mut self, word: String) -> u32 {
        let next = self.words.len() as u32;
        *self.words.entry(word.into()).or_insert(next)
    }

    /// The messages that share rare trigrams with `text`, with the share of their own trigrams
    /// that it holds (0 to 1), by place.
    pub fn search(&self, text: &str) -> Vec<(MessagePlace, f32)> {
        let numbers: Vec<Option<u32>> = words(text)
            .map(|word| self.words.get(word.as_str()).copied())
            .collect();
        let mut trigrams: Vec<[u32; 3]> = numbers
            .array_windows::<3>()
            .filter_map(|[a, b, c]| Some([(*a)?, (*b)?, (*c)?]))
            .collect();
        trigrams.sort_unstable();
        trigrams.dedup();
        let mut places: Vec<u32> = Vec::new();
        for trigram in &trigrams {
            if let Some(list) = self.by_trigram.get(trigram)
                && list.len() <= MOST_MESSAGES
            {
                places.extend(list);
            }
        }
        places.sort_unstable();
        places
            .chunk_by(|a, b| a == b)
            .filter_map(|run| {
                let place = self.places.get(*run.first()? as usize)?;
                let share = run.len() as f32 / place.trigrams.max(1) as f32;
                Some((*place, share.min(1.0)))
            })
            .collect()
    }

    /// Estimated heap size in bytes.
    pub fn heap_bytes(&self) -> usize {
        self.places.len() * size_of::<MessagePlace>()
            + self
                .by_trigram
                .values()
                .map(|l| l.capacity() * 4 + 40)
                .sum::<usize>()
            + self.words.keys().map(|w| w.len() + 24).sum::<usize>()
    }
}

/// Lower-cased runs of letters and digits.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

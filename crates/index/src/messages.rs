//! Indexes the texts of raised errors and log calls by the words in a row that they have, so that a pasted message finds
//! them. Whole texts are not compared, because a user sees other text in place of a literal's placeholders
//! (`messages/wording.rs` cuts them out).

mod wording;

use std::hash::BuildHasher;
use std::ops::RangeInclusive;
use std::sync::Arc;

use foldhash::fast::FixedState;
use foveate_model::{Content, LocalId, Message as MessageFact, Role};
use rayon::prelude::*;

use self::wording::{Between, Word, Words, between_literals, hashes};
use crate::change::Change;
use crate::files::{DefId, FileId, Files};
use crate::sharded_map::ShardedMap;

/// A trigram shared by more messages than this is ignored as uninformative.
const MAX_MESSAGES: usize = 20;
/// The same for a pair of words.
const MAX_MESSAGES_OF_PAIR: usize = 3;
/// Weight of a pair of words, and of three words with a placeholder between them; that of a trigram is 1. Sentences have
/// them by chance more often.
const WEAK: f32 = 0.5;
/// Minimum bytes of the words of a pair. Leaves out `is a`.
const MIN_WORD_OF_PAIR: usize = 3;
/// How many words a user may see in place of a placeholder between the words of a trigram.
const GAPS: RangeInclusive<usize> = 0..=8;
/// Maximum words of a message that are indexed.
const MAX_WORDS: usize = 256;
/// Maximum words of a text that is searched; gaps are tried at each.
const MAX_SEARCHED_WORDS: usize = 4_000;
/// Minimum share of the words of a message in prose, and minimum rarity (see [`Match`]) of what it shares. Sentences
/// share a few words in a row with messages by chance.
const MIN_SHARE_IN_PROSE: f32 = 0.75;
const MIN_RARITY_IN_PROSE: f32 = 1.5;

/// A message of the repository.
#[derive(Clone, Copy, Debug)]
pub struct MessagePlace {
    /// The file that contains it.
    pub file: FileId,
    /// 1-based line of its start.
    pub line: u32,
    /// The function or class that contains it.
    pub enclosing: Option<DefId>,
}

/// All messages of a snapshot, those of tests left out, by their grams.
#[derive(Clone, Debug, Default)]
pub struct Messages {
    files: Vec<Arc<FileMessages>>,
    by_gram: ShardedMap<Gram, (FileId, u32)>,
}

/// The hash of consecutive words of a message.
type Gram = u64;

/// What a gram consists of; a part of its hash.
#[derive(Clone, Copy, Hash)]
enum GramKind {
    /// Three words in a row.
    Trigram,
    /// Three words with a placeholder after the first.
    GapAfterFirst,
    /// Three words with a placeholder after the second.
    GapAfterSecond,
    /// Two words in a row, of a message without three.
    Pair,
}

#[derive(Debug, Default)]
struct FileMessages {
    messages: Box<[Message]>,
    /// The distinct grams of each message with the message's position.
    grams: Box<[(Gram, u32)]>,
}

#[derive(Debug)]
struct Message {
    line: u32,
    enclosing: Option<LocalId>,
    /// Number of its grams.
    grams: u32,
}

/// What a text and a message have in common.
#[derive(Clone, Copy, Debug)]
struct Match {
    place: MessagePlace,
    /// The share of the message's grams that the text has.
    share: f32,
    /// The sum of the rarities of these grams, `1 / n` for one that `n` messages have, times [`WEAK`] unless it is a
    /// trigram.
    rarity: f32,
}

impl FileMessages {
    fn new(content: &Content) -> Self {
        let (mut messages, mut grams) = (Vec::new(), Vec::new());
        let mut rest = &content.facts.messages[..];
        while let [first, ..] = rest {
            let (words, literals) = words_of(rest, &content.text);
            rest = rest.get(literals..).unwrap_or_default();
            let mut own = grams_of(words.get(..MAX_WORDS).unwrap_or(&words));
            own.sort_unstable();
            own.dedup();
            let position = messages.len() as u32;
            messages.push(Message {
                line: first.line,
                enclosing: first.enclosing,
                grams: own.len() as u32,
            });
            grams.extend(own.into_iter().map(|gram| (gram, position)));
        }
        Self {
            messages: messages.into(),
            grams: grams.into(),
        }
    }
}

/// Returns the words of the first message, and of how many literals it consists: those that the code concatenates.
fn words_of(literals: &[MessageFact], text: &str) -> (Vec<Word>, usize) {
    let mut words = Words::default();
    let mut count = 0;
    for (at, literal) in literals.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| literals.get(before));
        if let Some(before) = before {
            let between = text.get(before.span.end as usize..literal.span.start as usize);
            let between = between.and_then(between_literals);
            match between.filter(|_| before.enclosing == literal.enclosing) {
                Some(Between::Nothing) => {}
                Some(Between::Value) => words.placeholder(),
                None => break,
            }
        }
        words.literal(literal.span.of(text));
        count += 1;
    }
    (words.words, count)
}

/// Returns the grams of a message; a message without three words in a row has pairs.
fn grams_of(words: &[Word]) -> Vec<Gram> {
    let trigrams = words.array_windows::<3>().filter_map(|[a, b, c]| {
        let kind = match (b.follows_placeholder, c.follows_placeholder) {
            (false, false) => GramKind::Trigram,
            (true, false) => GramKind::GapAfterFirst,
            (false, true) => GramKind::GapAfterSecond,
            (true, true) => return None,
        };
        Some(gram(kind, [a.hash, b.hash, c.hash]))
    });
    let trigrams: Vec<Gram> = trigrams.collect();
    if !trigrams.is_empty() {
        return trigrams;
    }
    let is_telling = |word: &Word| word.len >= MIN_WORD_OF_PAIR;
    let pairs = words
        .array_windows::<2>()
        .filter(|[a, b]| !b.follows_placeholder && is_telling(a) && is_telling(b));
    pairs
        .map(|[a, b]| gram(GramKind::Pair, [a.hash, b.hash, 0]))
        .collect()
}

/// Returns the grams that a text may share with messages: trigrams, those with a gap, and pairs.
fn searched_grams(text: &str) -> [Vec<Gram>; 3] {
    let words: Vec<u64> = hashes(text).take(MAX_SEARCHED_WORDS).collect();
    let (mut trigrams, mut gapped, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
    for (at, first) in words.iter().enumerate() {
        let Some(second) = words.get(at + 1) else {
            break;
        };
        pairs.push(gram(GramKind::Pair, [*first, *second, 0]));
        if let Some(third) = words.get(at + 2) {
            trigrams.push(gram(GramKind::Trigram, [*first, *second, *third]));
        }
        for gap in GAPS {
            let after = at + 1 + gap;
            if let (Some(b), Some(c)) = (words.get(after), words.get(after + 1)) {
                gapped.push(gram(GramKind::GapAfterFirst, [*first, *b, *c]));
                gapped.push(gram(GramKind::GapAfterSecond, [*first, *second, *c]));
            }
        }
    }
    for grams in [&mut trigrams, &mut gapped, &mut pairs] {
        grams.sort_unstable();
        grams.dedup();
    }
    [trigrams, gapped, pairs]
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
        // Tests repeat the messages that they expect.
        let is_test = |id: FileId| files.file(id).role == Role::Test;
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
                    (None, Some(content))
                        if !content.facts.messages.is_empty() && !is_test(*id) =>
                    {
                        Arc::new(FileMessages::new(content))
                    }
                    (None, _) => Arc::clone(&none),
                }
            })
            .collect();
        let grams = || of_files.iter().map(|f| f.grams.len()).sum();
        let mut index = Self {
            by_gram: match previous {
                Some((previous, change)) => previous.remaining(change),
                None => ShardedMap::with_capacity(grams()),
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
    fn remaining(&self, change: &Change) -> ShardedMap<Gram, (FileId, u32)> {
        let mut by_gram = self.by_gram.clone();
        let edited = change
            .changed()
            .iter()
            .filter_map(|file| change.earlier_id(*file));
        for file in change.gone().chain(edited) {
            for (gram, position) in &self.files[file.0 as usize].grams {
                by_gram.remove(gram, &(file, *position));
            }
        }
        if change.is_stable() {
            by_gram
        } else {
            by_gram.renumbered(change)
        }
    }

    fn add(&mut self, file: FileId) {
        for (gram, position) in &self.files[file.0 as usize].grams {
            self.by_gram.insert(gram, (file, *position));
        }
    }

    /// Returns the messages that share rare words in a row with `text`, an error message, each with the strength of the
    /// match (0 to 1), by position: the share of the message's grams that `text` contains, times `r / (r + 1)`. `r` is
    /// the sum of the rarities of these grams, `1 / n` for one that `n` messages have: a few words in a row are found by
    /// chance, and a message that many places raise says little about each.
    pub fn search(&self, text: &str) -> Vec<(MessagePlace, f32)> {
        let found = self.matches(text).into_iter();
        found.map(|found| (found.place, found.strength())).collect()
    }

    /// The same for sentences, which may have a message among them: only messages of which most is there.
    pub fn search_prose(&self, text: &str) -> Vec<(MessagePlace, f32)> {
        let found = self.matches(text).into_iter();
        found
            .filter(|found| {
                found.share >= MIN_SHARE_IN_PROSE && found.rarity >= MIN_RARITY_IN_PROSE
            })
            .map(|found| (found.place, found.strength()))
            .collect()
    }

    fn matches(&self, text: &str) -> Vec<Match> {
        let [trigrams, gapped, pairs] = searched_grams(text);
        let mut places: Vec<((FileId, u32), f32)> = Vec::new();
        for (grams, max_messages, weight) in [
            (trigrams, MAX_MESSAGES, 1.0),
            (gapped, MAX_MESSAGES, WEAK),
            (pairs, MAX_MESSAGES_OF_PAIR, WEAK),
        ] {
            for gram in &grams {
                let list = self.by_gram.get(gram);
                if list.len() <= max_messages {
                    let rarity = weight / list.len() as f32;
                    places.extend(list.iter().map(|place| (*place, rarity)));
                }
            }
        }
        places.sort_by_key(|(place, _)| *place);
        let runs = places.chunk_by(|(a, _), (b, _)| a == b);
        runs.filter_map(|run| self.matched(run)).collect()
    }

    /// Combines the grams that a text shares with one message, each with its rarity.
    fn matched(&self, run: &[((FileId, u32), f32)]) -> Option<Match> {
        let ((file, position), _) = *run.first()?;
        let of_file = self.files.get(file.0 as usize)?;
        let message = of_file.messages.get(position as usize)?;
        Some(Match {
            place: MessagePlace {
                file,
                line: message.line,
                enclosing: message.enclosing.map(|local| DefId::new(file, local)),
            },
            share: run.len() as f32 / message.grams.max(1) as f32,
            rarity: run.iter().map(|(_, rarity)| rarity).sum(),
        })
    }

    /// Estimated heap size in bytes; data shared with other snapshots counts in full.
    pub fn heap_bytes(&self) -> usize {
        let of_file =
            |file: &Arc<FileMessages>| size_of_val(&*file.messages) + size_of_val(&*file.grams);
        self.files.iter().map(of_file).sum::<usize>() + self.by_gram.heap_bytes(|_| 0)
    }
}

impl Match {
    fn strength(self) -> f32 {
        self.share * self.rarity / (self.rarity + 1.0)
    }
}

fn gram(kind: GramKind, words: [u64; 3]) -> Gram {
    FixedState::default().hash_one((kind, words))
}

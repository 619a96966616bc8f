//! Counts tokens as the reader's model will (o200k_base).

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use dashmap::DashMap;
use foldhash::HashMap;
use fst::Map;
use regex_automata::{Anchored, Input, meta::Regex};

/// Bytes of usual code per token, to estimate the tokens of a text without counting.
pub(crate) const BYTES_PER_TOKEN: usize = 4;

/// Longest piece in bytes that is cached; longer ones are rare.
const MAX_CACHED_BYTES: usize = 32;

/// Maximum pieces cached per thread (about 8 MB); at this size the cache is cleared, so that hostile input
/// cannot grow it without bound.
const MAX_CACHED_PIECES: usize = 100_000;

thread_local! {
    static COUNTS: RefCell<HashMap<Box<str>, u32>> = RefCell::new(HashMap::default());
}

/// Maximum entries of a context cached for all threads (about 10 MB); then this cache is cleared too.
const MAX_CACHED_ENTRIES: usize = 200_000;

/// Counts of entries by a keyed hash of their text: the same functions are counted repeatedly, and a hash
/// takes a thousandth of the time of a count. The key is secret to this process, so nobody can construct a
/// collision; a debug assertion on the count of the whole context would reveal one.
static ENTRIES: LazyLock<Entries> = LazyLock::new(Entries::default);

#[derive(Default)]
struct Entries {
    counts: DashMap<u64, u32, foldhash::fast::RandomState>,
    key: RandomState,
}

/// Returns the tokens of a text that is likely to be counted again, such as an entry of a context.
pub fn count_entry(text: &str) -> usize {
    let entries = &*ENTRIES;
    let key = entries.key.hash_one(text);
    if let Some(known) = entries.counts.get(&key) {
        return *known as usize;
    }
    let tokens = count(text);
    if entries.counts.len() >= MAX_CACHED_ENTRIES {
        entries.counts.clear();
    }
    entries.counts.insert(key, tokens as u32);
    tokens
}

/// Returns the tokens of `text` in o200k_base. The first call builds the patterns; see [`warm`].
///
/// The encoding works piece by piece (roughly word by word) and source code repeats its words, so each
/// thread caches the counts of short pieces. This halves the cost of counting.
pub fn count(text: &str) -> usize {
    COUNTS.with_borrow_mut(|counts| {
        pieces(text)
            .map(|piece| {
                if let Some(count) = counts.get(piece) {
                    return *count as usize;
                }
                let count = count_piece(piece.as_bytes());
                if piece.len() <= MAX_CACHED_BYTES {
                    if counts.len() >= MAX_CACHED_PIECES {
                        counts.clear();
                    }
                    counts.insert(piece.into(), count as u32);
                }
                count
            })
            .sum()
    })
}

/// Whether the token count of `before` and `after` written together is the sum of their counts. No piece of
/// the encoding crosses the end of a line, unless the next line begins with white space or `/`.
pub fn counts_add_up(before: &str, after: &str) -> bool {
    let starts_piece = |c: char| !c.is_whitespace() && c != '/';
    before.ends_with('\n') && after.starts_with(starts_piece)
}

/// Builds the tokenizer's patterns, so that the first query need not wait for them.
pub(crate) fn warm() {
    LazyLock::force(&RANKS);
    LazyLock::force(&PIECES);
}

/// The rank of each token, written by `build.rs`. It is read in place, so nothing is built when the process
/// starts.
static RANKS: LazyLock<Map<&'static [u8]>> = LazyLock::new(|| {
    let bytes: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/o200k_base.fst"));
    match Map::new(bytes) {
        Ok(ranks) => ranks,
        Err(error) => unreachable!("the vocabulary that was built in: {error}"),
    }
});

/// Counts the tokens of a piece by byte pair encoding: of all neighbouring parts that together are a token, the pair
/// with the lowest rank is merged, until none is left (Sennrich et al. 2016; tiktoken's order of ranks). A heap of
/// candidates keeps it fast for hostile pieces: O(n log n) in their length.
fn count_piece(piece: &[u8]) -> usize {
    let ranks = &*RANKS;
    if ranks.contains_key(piece) {
        return 1;
    }
    let length = piece.len();
    // By the start of a part: its end, and the start of the previous part. Both are only indexed by starts of parts,
    // which are below `length`.
    let mut ends: Vec<usize> = (1..=length).collect();
    let mut before: Vec<usize> = (0..length).map(|at| at.saturating_sub(1)).collect();
    let candidate = |start: usize, middle: usize, end: usize| {
        let rank = ranks.get(piece.get(start..end)?)?;
        Some(Reverse((rank, start, middle, end)))
    };
    let mut candidates: BinaryHeap<_> = (2..=length)
        .filter_map(|end| candidate(end - 2, end - 1, end))
        .collect();
    let mut parts = length;
    while let Some(Reverse((_, start, middle, end))) = candidates.pop() {
        // One of the two parts was merged with another one meanwhile.
        if ends[start] != middle || ends[middle] != end {
            continue;
        }
        ends[start] = end;
        ends[middle] = MERGED;
        parts -= 1;
        if end < length {
            before[end] = start;
            candidates.extend(candidate(start, end, ends[end]));
        }
        if start > 0 {
            candidates.extend(candidate(before[start], start, end));
        }
    }
    parts
}

/// The end of a part that was merged into the previous one.
const MERGED: usize = 0;

/// Patterns of the pieces that o200k_base encodes separately, as in tiktoken except for `\s+(?!\S)`: without
/// look-ahead, the pattern [`SPACES`] takes one white space too many instead.
const PIECE: [&str; 3] = [
    concat!(
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+",
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*",
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+$",
    ),
    r"\s+\s",
    r"\s+",
];

/// Index of the pattern in [`PIECE`] that ends with a white space of the next piece.
const SPACES: usize = 1;

static PIECES: LazyLock<Regex> = LazyLock::new(|| match Regex::new_many(&PIECE) {
    Ok(pieces) => pieces,
    Err(error) => unreachable!("the patterns are constant: {error}"),
});

/// Splits a text into the pieces that are encoded separately.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let found = PIECES.find(Input::new(rest).anchored(Anchored::Yes))?;
        let mut end = found.end();
        if found.pattern().as_usize() == SPACES {
            let last = rest.get(..end)?.chars().next_back()?;
            end -= last.len_utf8();
        }
        let (piece, after) = rest.split_at_checked(end)?;
        rest = after;
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tiktoken_rs::o200k_base_singleton;

    use super::*;

    fn expected(text: &str) -> usize {
        o200k_base_singleton().count_ordinary(text)
    }

    #[test]
    fn every_token_counts_as_one() {
        assert_eq!(RANKS.len(), 199_998);
        for rank in 0..199_998 {
            let token = o200k_base_singleton().decode_bytes(&[rank]).unwrap();
            assert_eq!(count_piece(&token), 1, "{rank}");
        }
    }

    #[test]
    fn long_pieces_count_like_tiktoken() {
        let letters = "abcdefgh".repeat(20_000);
        for text in [
            letters.as_str(),
            &"=".repeat(100_001),
            &" ".repeat(70_000),
            &"é∑".repeat(30_000),
        ] {
            assert_eq!(count(text), expected(text));
        }
    }

    proptest! {
        #[test]
        fn counts_match_tiktoken(text in "([a-zA-Z_ ]{0,12}|\\PC{0,6}|[ \t\r\n]{0,4}|[0-9]{0,5}){0,12}") {
            let expected = expected(&text);
            prop_assert_eq!(count(&text), expected);
            prop_assert_eq!(count(&text), expected, "remembered");
            prop_assert_eq!(count_entry(&text), expected);
            prop_assert_eq!(count_entry(&text), expected, "remembered as an entry");
        }

        #[test]
        fn counts_of_separable_texts_add_up(
            before in "([a-zA-Z' ]{0,6}|\\PC{0,4}|[ \t\r\n/]{0,4}){0,6}(\n)?",
            after in "(\\PC?|<|#)([a-zA-Z' ]{0,6}|\\PC{0,4}|[ \t\r\n/]{0,4}){0,6}",
        ) {
            if counts_add_up(&before, &after) {
                let together = expected(&format!("{before}{after}"));
                prop_assert_eq!(count(&before) + count(&after), together);
            }
        }
    }
}

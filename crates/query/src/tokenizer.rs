//! Counts tokens as the reader's model will (o200k_base).

use std::cell::RefCell;

use foldhash::HashMap;

/// Longer pieces are rare and not worth remembering.
const LONGEST_REMEMBERED: usize = 32;

/// Pieces remembered per thread (about 8 MB); above this the memory is cleared, so that hostile
/// input cannot grow it without a bound.
const REMEMBERED: usize = 100_000;

thread_local! {
    static COUNTS: RefCell<HashMap<Box<str>, u32>> = RefCell::new(HashMap::default());
}

/// Tokens of `text` in o200k_base. The first call builds the tables; see [`warm`].
///
/// The encoding works piece by piece (roughly word by word) and source code repeats its words, so
/// each thread remembers the counts of short pieces: half of the cost of counting.
pub fn count(text: &str) -> usize {
    let tokenizer = bpe_openai::o200k_base();
    COUNTS.with_borrow_mut(|counts| {
        tokenizer
            .split(text)
            .map(|piece| {
                if let Some(count) = counts.get(piece) {
                    return *count as usize;
                }
                let count = tokenizer.bpe.count(piece.as_bytes());
                if piece.len() <= LONGEST_REMEMBERED {
                    if counts.len() >= REMEMBERED {
                        counts.clear();
                    }
                    counts.insert(piece.into(), count as u32);
                }
                count
            })
            .sum()
    })
}

/// Builds the tokenizer's tables, so that the first query need not wait for them.
pub fn warm() {
    bpe_openai::o200k_base();
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn counts_as_the_tokenizer_does(text in "([a-zA-Z_ ]{0,12}|\\PC{0,6}|[ \t\r\n]{0,4}|[0-9]{0,5}){0,12}") {
            let expected = bpe_openai::o200k_base().count(text.as_str());
            prop_assert_eq!(count(&text), expected);
            prop_assert_eq!(count(&text), expected, "remembered");
        }
    }
}

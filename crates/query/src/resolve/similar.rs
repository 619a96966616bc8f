//! Finds the names of a repository with a spelling similar to another: see [`nearest`].

use foveate_index::Symbols;
use foveate_index::symbols::{NamesOfLength, letters};
use rapidfuzz::distance::indel;

/// A name that is similar to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SimilarName<'a> {
    /// The folded name.
    pub name: &'a str,
    /// 0 to 1: twice the length of the longest common subsequence over both lengths.
    pub similarity: f64,
}

/// Returns the most similar folded names at or above the cutoff, at most `count`: the most similar first; of
/// equally similar ones the shortest, then the alphabetically first.
pub(crate) fn nearest<'a>(
    symbols: &'a Symbols,
    folded: &str,
    cutoff: f64,
    count: usize,
) -> Vec<SimilarName<'a>> {
    let own = letters(folded);
    let length = folded.len() as f64;
    // similarity = 2 · LCS / (a + b) and LCS is at most the shorter length.
    let shortest = (length * cutoff / (2.0 - cutoff)).ceil() as usize;
    let longest = (length * (2.0 - cutoff) / cutoff).floor() as usize;
    let comparator = indel::BatchComparator::new(folded.bytes());
    let args = indel::Args::default().score_cutoff(cutoff);
    let mut found: Vec<SimilarName<'a>> = Vec::new();
    for NamesOfLength {
        bytes,
        names,
        letters,
    } in symbols.names_by_length(shortest..=longest)
    {
        let Some(limits) = edit_limits(folded.len(), bytes, cutoff) else {
            continue;
        };
        let names = names.iter().zip(letters);
        let names = names.filter(|(_, letters)| !limits.rules_out(own, **letters));
        found.extend(names.filter_map(|(name, _)| {
            let similarity = comparator.normalized_similarity_with_args(name.bytes(), &args)?;
            Some(SimilarName { name, similarity })
        }));
    }
    // The sort is stable: of equally similar names the shortest stays first.
    found.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
    found.truncate(count);
    found
}

/// Maximum bytes that a misspelt name has or lacks beside the right one: two wrong letters. Longer names may be as similar
/// and yet differ by a whole word.
const MAX_MISSPELT: usize = 4;

/// Whether a folded name that nothing has is likely a misspelling of another one.
pub(crate) fn is_misspelt(unknown: &str, name: &str) -> bool {
    let args = indel::Args::default().score_cutoff(MAX_MISSPELT);
    indel::distance_with_args(unknown.bytes(), name.bytes(), &args).is_some()
}

/// Maximum edits between two names.
#[derive(Clone, Copy)]
struct EditLimits {
    /// Maximum bytes of the first that are deleted.
    deletions: u32,
    /// Maximum bytes of the second that are inserted.
    insertions: u32,
}

impl EditLimits {
    /// Whether names with these [`letters`] need more edits.
    fn rules_out(self, first: u64, second: u64) -> bool {
        has_more_bits(first & !second, self.deletions)
            || has_more_bits(second & !first, self.insertions)
    }
}

/// Whether more than a few bits are set. Clearing these is faster than counting all.
fn has_more_bits(mut bits: u64, few: u32) -> bool {
    for _ in 0..few {
        bits &= bits.wrapping_sub(1);
    }
    bits != 0
}

/// Returns the most edits between names of `first` and `second` bytes whose similarity is at least `cutoff`. `None` if no
/// such names exist.
fn edit_limits(first: usize, second: usize, cutoff: f64) -> Option<EditLimits> {
    let total = (first + second) as f64;
    let suffices = |edits: &u32| 1.0 - f64::from(*edits) / total >= cutoff;
    let edits = (0..).take_while(suffices).last()?;
    // Deletions minus insertions is the difference in length. A set of letters has 64 bits.
    let limit = |own: usize, other: usize| {
        let both = (edits + own as u32).checked_sub(other as u32)?;
        Some((both / 2).min(u64::BITS))
    };
    Some(EditLimits {
        deletions: limit(first, second)?,
        insertions: limit(second, first)?,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn similar_names_are_not_ruled_out(
            first in "[abcé0-9]{1,12}",
            second in "[abcé0-9]{1,12}",
            cutoff in 0.5..0.95f64,
        ) {
            let args = indel::Args::default().score_cutoff(cutoff);
            let similarity =
                indel::normalized_similarity_with_args(first.bytes(), second.bytes(), &args);
            let limits = edit_limits(first.len(), second.len(), cutoff);
            let ruled_out =
                limits.is_none_or(|limits| limits.rules_out(letters(&first), letters(&second)));
            prop_assert!(!(ruled_out && similarity.is_some()), "{similarity:?}");
        }
    }

    proptest! {
        #[test]
        fn bits_are_compared_with_a_limit(bits in 0..256u64, few in 0..9u32) {
            prop_assert_eq!(has_more_bits(bits, few), bits.count_ones() > few);
        }
    }

    #[test]
    fn edit_limits_are_balanced_for_equal_lengths() {
        let limits = edit_limits(8, 8, 0.75).expect("names as long as each other may be equal");
        assert_eq!((limits.deletions, limits.insertions), (2, 2));
        assert!(!limits.rules_out(letters("settings"), letters("sextinys")));
        assert!(limits.rules_out(letters("settings"), letters("sextinyq")));
        assert!(edit_limits(8, 20, 0.75).is_none());
    }
}

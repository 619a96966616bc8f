//! The names of a repository that are spelt almost like another: see [`nearest`].

use foveate_index::Symbols;
use foveate_index::symbols::{OfLength, letters};
use rapidfuzz::distance::indel;

/// Names that are looked at at once.
const BLOCK: usize = 8;

/// A name that is similar to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SimilarName<'a> {
    /// Folded.
    pub name: &'a str,
    /// 0 to 1: twice the length of the longest common subsequence over both lengths.
    pub similarity: f64,
}

/// The most similar folded names at or above the cutoff, at most `count`: the most similar first; of
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
    let mut best = Best::new(cutoff, count);
    for OfLength {
        bytes,
        names,
        letters,
    } in symbols.names_of(shortest..=longest)
    {
        let mut most = max_apart(folded.len(), bytes, cutoff, best.floor());
        for (names, letters) in names.chunks(BLOCK).zip(letters.chunks(BLOCK)) {
            if most.is_none_or(|apart| apart.rules_all_out(own, letters)) {
                continue;
            }
            for (name, letters) in names.iter().zip(letters) {
                let Some(apart) = most else { break };
                if apart.rules_out(own, *letters) {
                    continue;
                }
                let similarity = comparator.normalized_similarity_with_args(
                    name.bytes(),
                    &indel::Args::default().score_cutoff(best.floor().unwrap_or(cutoff)),
                );
                if similarity.is_some_and(|similarity| best.add(name, similarity)) {
                    most = max_apart(folded.len(), bytes, cutoff, best.floor());
                }
            }
        }
    }
    best.found
}

/// The best names so far.
struct Best<'a> {
    cutoff: f64,
    count: usize,
    found: Vec<SimilarName<'a>>,
}

impl<'a> Best<'a> {
    fn new(cutoff: f64, count: usize) -> Self {
        Self {
            cutoff,
            count: count.max(1),
            found: Vec::new(),
        }
    }

    /// What another name must be more similar than; nothing while there is room.
    fn floor(&self) -> Option<f64> {
        let last = self.found.get(self.count - 1)?;
        Some(last.similarity)
    }

    /// Takes a name among them; returns whether it did.
    fn add(&mut self, name: &'a str, similarity: f64) -> bool {
        let is_enough = self
            .floor()
            .map_or(similarity >= self.cutoff, |floor| similarity > floor);
        if is_enough {
            let at = self
                .found
                .partition_point(|found| found.similarity >= similarity);
            self.found.insert(at, SimilarName { name, similarity });
            self.found.truncate(self.count);
        }
        is_enough
    }
}

/// How far two names may be apart.
#[derive(Clone, Copy)]
struct Apart {
    /// How many bytes of the first may go.
    deletions: u32,
    /// How many of the second may come.
    insertions: u32,
}

impl Apart {
    /// Whether names with these [`letters`] are further apart.
    fn rules_out(self, first: u64, second: u64) -> bool {
        self.leaves([first & !second], [second & !first]) != [0]
    }

    /// The same of a name and each of many: most blocks hold none that is near.
    fn rules_all_out(self, first: u64, others: &[u64]) -> bool {
        let Ok(others) = <[u64; BLOCK]>::try_from(others) else {
            return false;
        };
        let gone = others.map(|second| first & !second);
        let come = others.map(|second| second & !first);
        let left = self.leaves(gone, come);
        !left.contains(&0)
    }

    /// Of the bits that go and those that come, what is too many.
    fn leaves<const N: usize>(self, mut gone: [u64; N], mut come: [u64; N]) -> [u64; N] {
        let less = |bits: [u64; N]| bits.map(|bits| bits & bits.wrapping_sub(1));
        for _ in 0..self.deletions {
            gone = less(gone);
        }
        for _ in 0..self.insertions {
            come = less(come);
        }
        std::array::from_fn(|at| gone[at] | come[at])
    }
}

/// How far apart names of so many bytes may be, to be more similar than the best one so far, or at
/// least as similar as `cutoff`. None where no name can be.
fn max_apart(first: usize, second: usize, cutoff: f64, best: Option<f64>) -> Option<Apart> {
    let total = (first + second) as f64;
    let suffices = |apart: &u32| {
        let similarity = 1.0 - f64::from(*apart) / total;
        best.map_or(similarity >= cutoff, |best| similarity > best)
    };
    let apart = (0..).take_while(suffices).last()?;
    // What goes is as much as what comes, but for what one is longer. A set of letters has 64 bits.
    let of = |own: usize, other: usize| {
        let both = (apart + own as u32).checked_sub(other as u32)?;
        Some((both / 2).min(u64::BITS))
    };
    Some(Apart {
        deletions: of(first, second)?,
        insertions: of(second, first)?,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_name_that_is_near_enough_is_ruled_out(
            first in "[abcé0-9]{1,12}",
            second in "[abcé0-9]{1,12}",
            cutoff in 0.5..0.95f64,
        ) {
            let args = indel::Args::default().score_cutoff(cutoff);
            let similarity =
                indel::normalized_similarity_with_args(first.bytes(), second.bytes(), &args);
            let apart = max_apart(first.len(), second.len(), cutoff, None);
            let ruled_out =
                apart.is_none_or(|apart| apart.rules_out(letters(&first), letters(&second)));
            prop_assert!(!(ruled_out && similarity.is_some()), "{similarity:?}");
        }
    }

    proptest! {
        #[test]
        fn a_block_is_ruled_out_where_each_of_it_is(
            own in 0..256u64,
            others in proptest::array::uniform8(0..256u64),
            deletions in 0..4u32,
            insertions in 0..4u32,
        ) {
            let apart = Apart { deletions, insertions };
            let each = |other: &u64| apart.rules_out(own, *other);
            prop_assert_eq!(apart.rules_all_out(own, &others), others.iter().all(each));
            let gone = |other: &u64| (own & !other).count_ones() > deletions;
            let come = |other: &u64| (other & !own).count_ones() > insertions;
            let counted = others.iter().all(|other| gone(other) || come(other));
            prop_assert_eq!(apart.rules_all_out(own, &others), counted);
        }
    }

    #[test]
    fn as_many_letters_go_as_come() {
        let apart = max_apart(8, 8, 0.75, None).expect("names as long as each other may be equal");
        assert_eq!((apart.deletions, apart.insertions), (2, 2));
        assert!(!apart.rules_out(letters("settings"), letters("sextinys")));
        assert!(apart.rules_out(letters("settings"), letters("sextinyq")));
        assert!(max_apart(8, 20, 0.75, None).is_none());
    }
}

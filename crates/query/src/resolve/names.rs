//! Identifiers of the query to definitions: exactly, through modules and re-exports, by qualified
//! suffix, whatever the case, and fuzzily last.

use foveate_index::DefId;
use foveate_index::symbols::{OfLength, fold, letters};
use rapidfuzz::distance::indel;

use super::Finder;
use crate::deadline::Stage;
use crate::text::{MentionKind, QueryText};

/// Names that are looked at at once.
const BLOCK: usize = 8;

impl Finder<'_> {
    /// All identifiers that the query names outside tracebacks.
    pub(super) fn mentions(&mut self, text: &QueryText) {
        let strength = &self.config.strength;
        for (position, mention) in text.mentions.iter().enumerate() {
            if !self.has_time_for(position) {
                break;
            }
            let (from, strength) = match mention.kind {
                MentionKind::InlineCode => ("inline_code", strength.inline_code),
                MentionKind::Title => ("title", strength.title),
                MentionKind::Prose => ("prose", strength.prose),
                MentionKind::ErrorMessage => ("error_message", strength.error_message),
                MentionKind::CodeBlock => ("code_block", strength.code_block),
            };
            self.name(&mention.name, from, strength);
        }
    }

    /// One identifier or dotted chain of identifiers; false where nothing is called so, although
    /// something similar, or parts of it, may have been found.
    pub(super) fn name(&mut self, name: &str, from: &'static str, strength: f32) -> bool {
        let name = name.trim_start_matches("self.").trim_start_matches("this.");
        if name.contains('.') {
            return self.dotted(name, from, strength);
        }
        let known = self.plain(name, from, strength);
        if !known {
            self.fuzzy(name, from, strength);
        }
        known
    }

    /// `a.b.C.m`: as a path through modules; else by its longest known qualified suffix; else each
    /// of its names alone, and then it is false.
    fn dotted(&mut self, name: &str, from: &'static str, strength: f32) -> bool {
        let snapshot = self.snapshot;
        let qualified = self.config.strength.qualified.max(strength);
        if let Some(file) = snapshot.graph.resolve_module(&snapshot.files, name) {
            self.note_file(file, "module", self.config.strength.path);
            return true;
        }
        let through_modules =
            snapshot
                .graph
                .resolve_dotted(&snapshot.files, &snapshot.symbols, name);
        if !through_modules.is_empty() {
            self.note(name, from, qualified, &through_modules);
            return true;
        }
        let mut suffix = name;
        while suffix.contains('.') {
            let found = snapshot.symbols.qualified(suffix);
            if !found.is_empty() {
                self.note(name, from, qualified, found);
                return true;
            }
            suffix = suffix.split_once('.').map_or("", |(_, rest)| rest);
        }
        let last_name = self.config.strength.last_name;
        for part in name.split('.') {
            self.plain(part, from, strength * last_name);
        }
        false
    }

    /// A name without dots; false where nothing has it.
    fn plain(&mut self, name: &str, from: &'static str, strength: f32) -> bool {
        let symbols = &self.snapshot.symbols;
        let exact = symbols.named(name);
        if !exact.is_empty() {
            self.note(name, from, strength, exact);
            return true;
        }
        let folded = symbols.folded(&fold(name));
        if name.len() >= 3 && !folded.is_empty() {
            self.note(name, from, strength * self.config.strength.folded, folded);
            return true;
        }
        false
    }

    /// The most similar name of the repository, if any is similar enough.
    pub(super) fn fuzzy(&mut self, name: &str, from: &'static str, strength: f32) {
        let folded = fold(name);
        if folded.len() < self.config.fuzzy_shortest || self.fuzzy_left == 0 {
            return;
        }
        if !self.deadline.allows(Stage::SimilarNames) {
            return;
        }
        self.fuzzy_left -= 1;
        if let Some((found, similarity)) = self.nearest(&folded) {
            let factor = self.config.strength.fuzzy * similarity as f32;
            let label = match from {
                "words" => "words_fuzzy",
                _ => "fuzzy",
            };
            self.note(name, label, strength * factor, &found);
        }
    }

    /// The definitions of the most similar name at or above the cutoff, and the similarity; of
    /// equally similar names the shortest, then the alphabetically first.
    fn nearest(&self, folded: &str) -> Option<(Vec<DefId>, f64)> {
        let cutoff = self.config.fuzzy_cutoff;
        let symbols = &self.snapshot.symbols;
        let own = letters(folded);
        let length = folded.len() as f64;
        // similarity = 2 · LCS / (a + b) and LCS is at most the shorter length.
        let shortest = (length * cutoff / (2.0 - cutoff)).ceil() as usize;
        let longest = (length * (2.0 - cutoff) / cutoff).floor() as usize;
        let comparator = indel::BatchComparator::new(folded.bytes());
        let mut best: Option<(&str, f64)> = None;
        for OfLength {
            bytes,
            names,
            letters,
        } in symbols.names_of(shortest..=longest)
        {
            let mut most = max_apart(folded.len(), bytes, cutoff, best);
            for (names, letters) in names.chunks(BLOCK).zip(letters.chunks(BLOCK)) {
                if most.is_none_or(|apart| apart.rules_all_out(own, letters)) {
                    continue;
                }
                for (name, letters) in names.iter().zip(letters) {
                    let Some(apart) = most else { break };
                    if apart.rules_out(own, *letters) {
                        continue;
                    }
                    let floor = best.map_or(cutoff, |(_, similarity)| similarity);
                    let similarity = comparator.normalized_similarity_with_args(
                        name.bytes(),
                        &indel::Args::default().score_cutoff(floor),
                    );
                    if let Some(similarity) = similarity
                        && best.is_none_or(|(_, best)| similarity > best)
                    {
                        best = Some((name, similarity));
                        most = max_apart(folded.len(), bytes, cutoff, best);
                    }
                }
            }
        }
        best.map(|(name, similarity)| (symbols.folded(name).to_vec(), similarity))
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
fn max_apart(first: usize, second: usize, cutoff: f64, best: Option<(&str, f64)>) -> Option<Apart> {
    let total = (first + second) as f64;
    let suffices = |apart: &u32| {
        let similarity = 1.0 - f64::from(*apart) / total;
        best.map_or(similarity >= cutoff, |(_, best)| similarity > best)
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

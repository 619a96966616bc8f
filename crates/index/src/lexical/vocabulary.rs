//! Numbers the terms of a segment while it is built.

use std::ops::Range;

use foldhash::HashMap;

use crate::tokens::{for_each_term, identifiers};

/// Maximum number of cached identifiers (about 10 MB). The cache is cleared at this size, so that hostile
/// input cannot make it grow without bound.
const MAX_CACHED: usize = 1 << 18;

/// Terms with numbers, in the order in which they were first seen.
#[derive(Debug, Default)]
pub struct Vocabulary<'t> {
    numbers: HashMap<Box<str>, u32>,
    /// By identifier, the range of its terms' numbers in `cached_numbers`: text repeats its identifiers, so
    /// that most of them cost one look-up, however many terms they have.
    cache: HashMap<&'t str, Range<usize>>,
    cached_numbers: Vec<u32>,
}

impl<'t> Vocabulary<'t> {
    /// Appends the numbers of the terms of `text`, in order.
    pub fn append(&mut self, text: &'t str, out: &mut Vec<u32>) {
        for identifier in identifiers(text) {
            let range = match self.cache.get(identifier) {
                Some(range) => range.clone(),
                None => self.number_terms(identifier),
            };
            out.extend_from_slice(&self.cached_numbers[range]);
        }
    }

    fn number_terms(&mut self, identifier: &'t str) -> Range<usize> {
        if self.cache.len() >= MAX_CACHED {
            self.cache.clear();
            self.cached_numbers.clear();
        }
        let start = self.cached_numbers.len();
        for_each_term(identifier, |term| {
            let number = match self.numbers.get(term) {
                Some(number) => *number,
                None => {
                    let number = self.numbers.len() as u32;
                    self.numbers.insert(term.into(), number);
                    number
                }
            };
            self.cached_numbers.push(number);
        });
        let range = start..self.cached_numbers.len();
        self.cache.insert(identifier, range.clone());
        range
    }

    /// Returns all terms with their numbers, in byte order.
    pub fn sorted(&self) -> Vec<(&str, u32)> {
        let numbered = self.numbers.iter().map(|(term, number)| (&**term, *number));
        let mut terms: Vec<_> = numbered.collect();
        terms.sort_unstable();
        terms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_terms_keep_their_number() {
        let mut vocabulary = Vocabulary::default();
        let mut numbers = Vec::new();
        vocabulary.append("max_length = length(items)", &mut numbers);
        vocabulary.append("max_length", &mut numbers);
        assert_eq!(numbers, [0, 1, 2, 2, 3, 0, 1, 2]);
        let sorted = [("item", 3), ("length", 2), ("max", 1), ("max_length", 0)];
        assert_eq!(vocabulary.sorted(), sorted);
    }

    #[test]
    fn numbers_survive_clearing_the_cache() {
        let text: String = (0..MAX_CACHED + 10).map(|n| format!("w{n} ")).collect();
        let mut vocabulary = Vocabulary::default();
        let mut numbers = Vec::new();
        vocabulary.append(&text, &mut numbers);
        assert!(vocabulary.cache.len() <= MAX_CACHED, "bounded");
        let mut again = Vec::new();
        vocabulary.append(&text, &mut again);
        assert!(numbers == again, "the same numbers");
    }
}

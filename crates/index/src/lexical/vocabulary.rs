//! The terms of a segment that is being made, as numbers.

use std::ops::Range;

use foldhash::HashMap;

use crate::tokens::{for_each_term, identifiers};

/// Identifiers remembered (about 10 MB); above this the memory is cleared, so that hostile input
/// cannot grow it without a bound.
const REMEMBERED: usize = 1 << 18;

/// Terms with numbers, in the order in which they were first seen.
#[derive(Debug, Default)]
pub struct Vocabulary<'t> {
    numbers: HashMap<Box<str>, u32>,
    /// By identifier where in `found` the numbers of its terms are: text repeats its identifiers,
    /// so that most of them cost one look-up, however many terms they have.
    known: HashMap<&'t str, Range<usize>>,
    found: Vec<u32>,
}

impl<'t> Vocabulary<'t> {
    /// Appends the numbers of the terms of `text`, in order.
    pub fn append(&mut self, text: &'t str, out: &mut Vec<u32>) {
        for identifier in identifiers(text) {
            let of_identifier = match self.known.get(identifier) {
                Some(known) => known.clone(),
                None => self.learn(identifier),
            };
            out.extend_from_slice(&self.found[of_identifier]);
        }
    }

    fn learn(&mut self, identifier: &'t str) -> Range<usize> {
        if self.known.len() >= REMEMBERED {
            self.known.clear();
            self.found.clear();
        }
        let start = self.found.len();
        for_each_term(identifier, |term| {
            let number = match self.numbers.get(term) {
                Some(number) => *number,
                None => {
                    let number = self.numbers.len() as u32;
                    self.numbers.insert(term.into(), number);
                    number
                }
            };
            self.found.push(number);
        });
        let of_identifier = start..self.found.len();
        self.known.insert(identifier, of_identifier.clone());
        of_identifier
    }

    /// All terms with their numbers, in the order of their bytes.
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
    fn terms_have_one_number_wherever_they_stand() {
        let mut vocabulary = Vocabulary::default();
        let mut numbers = Vec::new();
        vocabulary.append("max_length = length(items)", &mut numbers);
        vocabulary.append("max_length", &mut numbers);
        assert_eq!(numbers, [0, 1, 2, 2, 3, 0, 1, 2]);
        let sorted = [("item", 3), ("length", 2), ("max", 1), ("max_length", 0)];
        assert_eq!(vocabulary.sorted(), sorted);
    }

    #[test]
    fn what_was_forgotten_keeps_its_number() {
        let text: String = (0..REMEMBERED + 10).map(|n| format!("w{n} ")).collect();
        let mut vocabulary = Vocabulary::default();
        let mut numbers = Vec::new();
        vocabulary.append(&text, &mut numbers);
        assert!(vocabulary.known.len() <= REMEMBERED, "bounded");
        let mut again = Vec::new();
        vocabulary.append(&text, &mut again);
        assert!(numbers == again, "the same numbers");
    }
}

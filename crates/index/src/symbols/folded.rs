//! Holds the distinct folded names of a repository, for fuzzy matching.

use std::ops::RangeInclusive;
use std::sync::Arc;

/// A distinct folded name with its letter set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FoldedName {
    /// The output of [`fold`].
    pub(super) name: Arc<str>,
    letters: u64,
}

impl FoldedName {
    pub(super) fn new(name: &str) -> Self {
        Self {
            letters: letters(name),
            name: name.into(),
        }
    }

    /// Returns the sort key: by length, then alphabetically.
    pub(super) fn order(&self) -> (usize, &str) {
        (self.name.len(), &self.name)
    }
}

/// Folded names, by length, then alphabetically. The letter sets, which rule most names out, are close
/// together in memory.
#[derive(Debug, Default)]
pub(super) struct FoldedNames {
    names: Vec<Arc<str>>,
    letters: Vec<u64>,
    /// `starts[n]..starts[n + 1]` is the range of names of `n` bytes.
    starts: Vec<u32>,
}

/// The names of one length.
#[derive(Clone, Copy, Debug)]
pub struct NamesOfLength<'a> {
    /// Their length in bytes.
    pub bytes: usize,
    /// The names, as [`fold`] returns them, in alphabetical order.
    pub names: &'a [Arc<str>],
    /// Their letter sets, see [`letters`].
    pub letters: &'a [u64],
}

impl FoldedNames {
    pub(super) fn iter(&self) -> impl Iterator<Item = FoldedName> {
        let names = self.names.iter().zip(&self.letters);
        names.map(|(name, letters)| FoldedName {
            name: Arc::clone(name),
            letters: *letters,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns the names whose length in bytes is in the range, grouped by length; lengths without names are
    /// left out.
    pub(super) fn of_lengths(
        &self,
        bytes: RangeInclusive<usize>,
    ) -> impl Iterator<Item = NamesOfLength<'_>> {
        let start = |bytes: usize| self.starts.get(bytes).map(|start| *start as usize);
        let of_lengths = bytes.map_while(move |bytes| {
            let range = start(bytes)?..start(bytes + 1)?;
            Some(NamesOfLength {
                bytes,
                names: &self.names[range.clone()],
                letters: &self.letters[range],
            })
        });
        of_lengths.filter(|of_length| !of_length.names.is_empty())
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.names.iter().map(|name| name.len() + 40).sum()
    }
}

impl FromIterator<FoldedName> for FoldedNames {
    /// Collects names, which must be in order.
    fn from_iter<I: IntoIterator<Item = FoldedName>>(names: I) -> Self {
        let mut all = Self::default();
        for FoldedName { name, letters } in names {
            let before = all.names.len() as u32;
            all.starts.resize(name.len() + 1, before);
            all.names.push(name);
            all.letters.push(letters);
        }
        all.starts.push(all.names.len() as u32);
        all
    }
}

/// Returns a name in lower case without underscores.
pub fn fold(name: &str) -> String {
    if name.is_ascii() {
        let mut folded = name.replace('_', "");
        folded.make_ascii_lowercase();
        return folded;
    }
    name.chars()
        .filter(|c| *c != '_')
        .flat_map(char::to_lowercase)
        .collect()
}

/// Returns the letter set of a name as bits: for each letter whether it occurs and whether it occurs twice,
/// for other bytes which occur (modulo 12). Two names whose sets differ in n bits are at least n insertions
/// and deletions apart, which rules out most pairs before they are compared.
pub fn letters(name: &str) -> u64 {
    name.bytes().fold(0, |set, byte| match byte {
        b'a'..=b'z' => {
            let once = 1 << (byte - b'a');
            set | once | (set & once) << 26
        }
        _ => set | 1 << (52 + byte % 12),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_by_their_length() {
        let names = ["ab", "cd", "abcd", "abcdé"].map(FoldedName::new);
        let names: FoldedNames = names.into_iter().collect();
        let of = |bytes: RangeInclusive<usize>| {
            let found = names.of_lengths(bytes);
            let found = found.map(|of| (of.bytes, of.names.iter().map(|n| &**n).collect()));
            found.collect::<Vec<(usize, Vec<&str>)>>()
        };
        assert_eq!(of(2..=2), [(2, vec!["ab", "cd"])]);
        let all = [(4, vec!["abcd"]), (6, vec!["abcdé"])];
        assert_eq!(of(3..=900), all);
        assert_eq!(names.iter().count(), names.len());
    }
}

//! Finds the well-known files that a query describes by what they decide: "tolerate less coverage" is about
//! `codecov.yml`, which need not have any of these words.

use std::collections::BTreeMap;

use foldhash::HashMap;
use foveate_index::tokens::{self, for_each_term};
use foveate_index::{FileId, Files};

/// The largest strength of a word.
const MAX_STRENGTH: f32 = 0.9;

/// Returns the described files, each with a strength between 0 and 1: noisy-or over the terms that the words of its
/// purpose and the query share, each with its rarity divided by the number of purposes in the repository that have it.
/// `rarity` of a term of the query, by its hash, is between 0 and 1; `None` if the query lacks it.
pub(super) fn described(
    files: &Files,
    rarity: impl Fn(u64) -> Option<f32>,
) -> HashMap<FileId, f32> {
    let mut of_purposes: BTreeMap<&str, Vec<FileId>> = BTreeMap::new();
    for file in files.well_known() {
        let words = files.file(*file).purpose.words;
        of_purposes.entry(words).or_default().push(*file);
    }
    let asked = |words: &str| {
        let mut terms = BTreeMap::new();
        for_each_term(words, |term| {
            let term = tokens::hash(term);
            terms.extend(rarity(term).map(|rarity| (term, rarity)));
        });
        terms
    };
    let of_purposes: Vec<(BTreeMap<u64, f32>, Vec<FileId>)> = of_purposes
        .into_iter()
        .map(|(words, files)| (asked(words), files))
        .collect();
    let mut purposes_of_term: HashMap<u64, u32> = HashMap::default();
    for term in of_purposes.iter().flat_map(|(terms, _)| terms.keys()) {
        *purposes_of_term.entry(*term).or_default() += 1;
    }
    let mut described = HashMap::default();
    for (terms, files) in of_purposes.iter().filter(|(terms, _)| !terms.is_empty()) {
        let absent = terms.iter().map(|(term, rarity)| {
            let purposes = purposes_of_term.get(term).copied().unwrap_or(1);
            1.0 - (rarity / purposes as f32).min(MAX_STRENGTH)
        });
        let strength = 1.0 - absent.product::<f32>();
        described.extend(files.iter().map(|file| (*file, strength)));
    }
    described
}

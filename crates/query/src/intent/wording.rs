//! What the wording of a query speaks for: a linear model over its words, their classes, and its
//! shape, fitted to the labelled queries of the tests. It knows the many small habits of wording that
//! no rule names, and errs elsewhere than the rules do.
//!
//! The weights are in `wording/weights.txt`; `wording/fit.rs` writes them, and `build.rs` makes of them what is
//! read here.

#[cfg(test)]
mod fit;

use std::iter;
use std::sync::LazyLock;

use fst::Map;

use super::lexicon::{self, Form};
use super::rules::Reading;
use super::shapes;
use super::words::{Clause, Word};
use super::{IntentKind, Query};

const KINDS: usize = IntentKind::ALL.len();

/// Words of the title and of each clause that are looked at.
const TITLE_WORDS: usize = 30;
/// Words of the prose that are looked at.
const PROSE_WORDS: usize = 80;
/// A line of the file is a feature and its weights, in hundredths and in the order of the kinds.
const UNIT: f32 = 0.01;
/// How sharply the weights decide; chosen by cross-validation, as the constants of `fit.rs` are.
const SCALE: f32 = 3.0;

/// Bytes of a weight.
const BYTES: usize = size_of::<i16>();

/// The number of the row of each feature.
static ROWS: LazyLock<Map<&'static [u8]>> = LazyLock::new(|| {
    let bytes: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/wording.fst"));
    match Map::new(bytes) {
        Ok(rows) => rows,
        Err(error) => unreachable!("the features that were built in: {error}"),
    }
});

static WEIGHTS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/wording.rows"));

/// The weights of a feature, where it has any.
fn weights(feature: &str) -> Option<[f32; KINDS]> {
    let row = usize::try_from(ROWS.get(feature)?).ok()?;
    let (weights, _) = WEIGHTS.as_chunks::<BYTES>();
    let row = weights.get(row * KINDS..)?.first_chunk::<KINDS>()?;
    Some(row.map(|weight| f32::from(i16::from_le_bytes(weight)) * UNIT))
}

/// The probability of each kind, in the order of [`IntentKind::ALL`].
pub(super) fn probabilities(query: &Query, reading: Option<&Reading>) -> [f32; KINDS] {
    let features = features(query, reading);
    let known = features.iter().filter_map(|feature| weights(feature));
    softmax(&known.collect::<Vec<_>>())
}

/// The probabilities by the weights of the features; a long query has more of them, not more to say.
fn softmax(rows: &[[f32; KINDS]]) -> [f32; KINDS] {
    let mut scores = [0.0; KINDS];
    for row in rows {
        for (score, weight) in scores.iter_mut().zip(row) {
            *score += weight;
        }
    }
    let scale = SCALE / (rows.len().max(1) as f32).sqrt();
    let most = scores.iter().copied().fold(f32::MIN, f32::max);
    let odds = scores.map(|score| ((score - most) * scale).exp());
    let sum: f32 = odds.iter().sum();
    odds.map(|odd| odd / sum)
}

/// What the model sees of a query: names of features, each once.
fn features(query: &Query, reading: Option<&Reading>) -> Vec<String> {
    let mut features = vec![
        "bias".to_owned(),
        format!("capital {}", query.is_capitalised),
        format!("length {}", query.title.len().min(6)),
        format!("prose {}", query.prose.len().div_ceil(20).min(4)),
    ];
    features.extend(query.labels.iter().map(|label| format!("label {label}")));
    let title = query.title.get(..TITLE_WORDS).unwrap_or(&query.title);
    words(title, &mut features);
    if let Some(first) = query.clauses.first() {
        let asked = reading.map_or(first, |reading| reading.clause);
        opening("", asked, &mut features);
        after_opening(asked, &mut features);
        opening("first ", first, &mut features);
    }
    let prose = query.prose.iter().take(PROSE_WORDS);
    features.extend(prose.map(|word| format!("prose {}", stem(word))));
    features.sort_unstable();
    features.dedup();
    features
}

/// The words of the title, alone and in pairs, and their classes.
fn words(title: &[Word], features: &mut Vec<String>) {
    let named: Vec<Vec<String>> = title.iter().map(|word| names(word).collect()).collect();
    features.extend(named.iter().flatten().map(|name| format!("word {name}")));
    features.extend(title.last().map(|word| format!("last {}", stem(word))));
    for pair in named.windows(2) {
        let [first, second] = pair else { continue };
        for before in first {
            features.extend(second.iter().map(|after| format!("pair {before} {after}")));
        }
    }
}

/// How a clause opens, with fillers such as "please" and without.
fn opening(place: &str, clause: &Clause, features: &mut Vec<String>) {
    let words = &clause.words;
    let start = shapes::start(words);
    features.push(format!("{place}shape {:?}", shapes::shape(words, start)));
    features.extend(
        words
            .first()
            .map(|word| format!("{place}first {}", word.text)),
    );
    let opening = words.get(start..).unwrap_or_default();
    for (at, word) in opening.iter().take(2).enumerate() {
        features.extend(names(word).map(|name| format!("{place}opening {at} {name}")));
    }
    if let [first, second, ..] = opening {
        features.push(format!("{place}opening {} {}", stem(first), stem(second)));
    }
}

/// The classes that follow in a clause, together with its first word: "add … test".
fn after_opening(clause: &Clause, features: &mut Vec<String>) {
    let start = shapes::start(&clause.words);
    let opening = clause.words.get(start..).unwrap_or_default();
    let Some((first, rest)) = opening.split_first() else {
        return;
    };
    for name in names(first) {
        let classes = rest.iter().take(TITLE_WORDS).flat_map(class_names);
        features.extend(classes.map(|class| format!("then {name} {class}")));
    }
}

/// What a word is known as: its stem and its classes.
fn names(word: &Word) -> impl Iterator<Item = String> {
    iter::once(stem(word).to_owned()).chain(class_names(word))
}

/// The classes of a word, each with the form that the word has.
fn class_names(word: &Word) -> impl Iterator<Item = String> {
    let classes = word.classes;
    Form::ALL.into_iter().flat_map(move |form| {
        lexicon::names(classes.in_form(form)).map(move |name| format!("<{name}:{form:?}>"))
    })
}

/// A word without its inflection; one for all names.
fn stem(word: &Word) -> &str {
    if word.is_name {
        return "NAME";
    }
    lexicon::verb(&word.text).unwrap_or_else(|| {
        let text = word.text.as_str();
        text.strip_suffix('s')
            .filter(|stem| stem.len() > 3)
            .unwrap_or(text)
    })
}

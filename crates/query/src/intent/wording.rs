//! Estimates the intent from the wording of a query: a linear model over its words, their classes and its
//! shape, fitted to the labelled queries of the tests. It covers many small habits of wording that no rule
//! names, and its errors differ from those of the rules.
//!
//! The weights are in `wording/weights.txt`, written by `wording/fit.rs`; `build.rs` turns them into the tables that
//! are read here.

#[cfg(test)]
mod fit;

use std::iter;
use std::sync::LazyLock;

use super::lexicon::{self, Form};
use super::linear::{self, LinearModel};
use super::rules::Reading;
use super::shapes;
use super::words::{Clause, Word};
use super::{IntentKind, Query};

const KINDS: usize = IntentKind::ALL.len();

/// Maximum words of the title and of each clause that become features.
const MAX_TITLE_WORDS: usize = 30;
/// Maximum words of the prose that become features.
const MAX_PROSE_WORDS: usize = 80;
/// Factor of the scores in the softmax; chosen by cross-validation, like the constants of `fit.rs`.
const SCALE: f32 = 3.0;

static MODEL: LazyLock<LinearModel<KINDS>> = LazyLock::new(|| {
    LinearModel::new(
        include_bytes!(concat!(env!("OUT_DIR"), "/wording.fst")),
        include_bytes!(concat!(env!("OUT_DIR"), "/wording.rows")),
    )
});

/// Returns the probability of each kind, in the order of [`IntentKind::ALL`].
pub(super) fn probabilities(query: &Query, reading: Option<&Reading>) -> [f32; KINDS] {
    let features = features(query, reading);
    let known = features.iter().filter_map(|feature| MODEL.row(feature));
    softmax(&known.collect::<Vec<_>>())
}

/// Returns the probabilities given the weights of the features. Their sum is divided by the square root of their
/// number, because a long query has more features without being clearer.
fn softmax(rows: &[[f32; KINDS]]) -> [f32; KINDS] {
    let mut scores = [0.0; KINDS];
    for row in rows {
        for (score, weight) in scores.iter_mut().zip(row) {
            *score += weight;
        }
    }
    let scale = SCALE / (rows.len().max(1) as f32).sqrt();
    linear::softmax(scores.map(|score| score * scale))
}

/// Returns the features of a query by name, each once.
fn features(query: &Query, reading: Option<&Reading>) -> Vec<String> {
    let mut features = vec![
        "bias".to_owned(),
        format!("capital {}", query.is_capitalised),
        format!("length {}", query.title.len().min(6)),
        format!("prose {}", query.prose.len().div_ceil(20).min(4)),
    ];
    features.extend(query.labels.iter().map(|label| format!("label {label}")));
    let title = query.title.get(..MAX_TITLE_WORDS).unwrap_or(&query.title);
    words(title, &mut features);
    if let Some(first) = query.clauses.first() {
        let asked = reading.map_or(first, |reading| reading.clause);
        opening("", asked, &mut features);
        after_opening(asked, &mut features);
        opening("first ", first, &mut features);
    }
    let prose = query.prose.iter().take(MAX_PROSE_WORDS);
    features.extend(prose.map(|word| format!("prose {}", stem(word))));
    features.sort_unstable();
    features.dedup();
    features
}

/// Adds the words of the title, alone and in pairs, and their classes.
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

/// Adds the first words of a clause, with and without fillers such as "please".
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

/// Adds the first word of a clause paired with each class that follows: "add … test".
fn after_opening(clause: &Clause, features: &mut Vec<String>) {
    let start = shapes::start(&clause.words);
    let opening = clause.words.get(start..).unwrap_or_default();
    let Some((first, rest)) = opening.split_first() else {
        return;
    };
    for name in names(first) {
        let classes = rest.iter().take(MAX_TITLE_WORDS).flat_map(class_names);
        features.extend(classes.map(|class| format!("then {name} {class}")));
    }
}

/// Returns the names of a word: its stem and its classes.
fn names(word: &Word) -> impl Iterator<Item = String> {
    iter::once(stem(word).to_owned()).chain(class_names(word))
}

/// Returns the classes of a word, each with the form in which the word belongs to it.
fn class_names(word: &Word) -> impl Iterator<Item = String> {
    let classes = word.classes;
    Form::ALL.into_iter().flat_map(move |form| {
        lexicon::names(classes.in_form(form)).map(move |name| format!("<{name}:{form:?}>"))
    })
}

/// Returns a word without its inflection; the same stem for all identifiers.
fn stem(word: &Word) -> &str {
    if word.is_name {
        return "NAME";
    }
    lexicon::stem(&word.text)
}

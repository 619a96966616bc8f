//! Fits the weights of the wording model to the labelled queries, by logistic regression with AdaGrad. Run
//! `cargo test -p foveate-query --lib fit_wording -- --ignored` after a change of the labelled queries, the
//! word classes, the shapes or the features.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::super::linear::UNIT;
use super::*;
use crate::intent::tests::{TUNING, labelled};
use crate::text::QueryText;

// Chosen by cross-validation; the folds are the batches in which the queries were written.
const EPOCHS: usize = 12;
const RATE: f32 = 0.3;
const DECAY: f32 = 0.01;
/// Minimum queries of a feature; rarer features do not generalise.
const MIN_QUERIES: usize = 4;
/// A feature is dropped if all its weights are smaller, in hundredths.
const MIN_WEIGHT: i32 = 20;

/// A query: the index of its kind, and the ids of its features.
type Example = (usize, Vec<usize>);

#[derive(Clone)]
struct Row {
    weights: [f32; KINDS],
    /// Sums of squared gradients, which shrink the steps (AdaGrad).
    squares: [f32; KINDS],
}

#[test]
#[ignore = "writes the file of weights"]
fn fit_wording() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/src/intent/wording/weights.txt"
    );
    std::fs::write(path, fit(&labelled(TUNING))).unwrap();
}

/// Returns the text of the weights file.
fn fit(labelled: &[(IntentKind, &str)]) -> String {
    let queries: Vec<(usize, Vec<String>)> = labelled
        .iter()
        .map(|(kind, text)| {
            let kind = IntentKind::ALL.iter().position(|known| known == kind);
            let query = Query::new(&QueryText::parse(text));
            (kind.unwrap(), features(&query, query.reading().as_ref()))
        })
        .collect();
    let names = frequent(&queries);
    let ids = |features: &[String]| {
        let known = features
            .iter()
            .filter_map(|feature| names.get(feature.as_str()));
        known.copied().collect()
    };
    let examples: Vec<Example> = queries
        .iter()
        .map(|(kind, features)| (*kind, ids(features)))
        .collect();
    write(&names, &learn(&examples, names.len()))
}

/// Assigns ids to the features that enough queries have.
fn frequent(queries: &[(usize, Vec<String>)]) -> BTreeMap<&str, usize> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for feature in queries.iter().flat_map(|(_, features)| features) {
        *counts.entry(feature).or_default() += 1;
    }
    counts.retain(|_, count| *count >= MIN_QUERIES);
    let names = counts.into_keys().enumerate();
    names.map(|(id, name)| (name, id)).collect()
}

fn learn(examples: &[Example], features: usize) -> Vec<Row> {
    let empty = Row {
        weights: [0.0; KINDS],
        squares: [1.0; KINDS],
    };
    let mut rows = vec![empty; features];
    // A prime stride visits all examples and mixes neighbours of the file.
    const STRIDE: usize = 7919;
    for step in 0..EPOCHS * examples.len() {
        learn_one(&mut rows, &examples[step * STRIDE % examples.len()]);
    }
    rows
}

/// Takes one gradient step for an example.
fn learn_one(rows: &mut [Row], (kind, features): &Example) {
    let known: Vec<[f32; KINDS]> = features.iter().map(|id| rows[*id].weights).collect();
    let probabilities = softmax(&known);
    for id in features {
        let Row { weights, squares } = &mut rows[*id];
        for at in 0..KINDS {
            let wanted = if at == *kind { 1.0 } else { 0.0 };
            let gradient = probabilities[at] - wanted + DECAY * weights[at];
            squares[at] += gradient * gradient;
            weights[at] -= RATE * gradient / squares[at].sqrt();
        }
    }
}

fn write(names: &BTreeMap<&str, usize>, rows: &[Row]) -> String {
    let mut file = String::new();
    for (name, id) in names {
        let weights = rows[*id]
            .weights
            .map(|weight| (weight / UNIT).round() as i32);
        if weights.iter().any(|weight| weight.abs() >= MIN_WEIGHT) {
            let numbers = weights.map(|weight| weight.to_string()).join(" ");
            writeln!(file, "{name}\t{numbers}").unwrap();
        }
    }
    file
}

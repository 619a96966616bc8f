//! Fits the regression trees that correct the weighted sum of a file's signals
//! ([`foveate_query::rank::Interactions`]), by gradient boosting with Newton's steps (Friedman: "Greedy Function
//! Approximation: A Gradient Boosting Machine", 2001). The loss is that of [`super::fit`]; the weighted sum is where it
//! starts. [`corrected`] does it for all examples, [`corrected_by_others`] for each repository from the others.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use foveate_query::SignalValues;
use foveate_query::rank::{Interactions, Tree};
use rayon::prelude::*;

use super::examples::{Candidate, Example};
use super::fit;

/// Number of trees, and of questions of each; 60 to 200 trees of 2 to 4 questions differ by less than chance.
const TREES: usize = 100;
const QUESTIONS: usize = 3;
/// The share of a Newton step that a tree takes.
const RATE: f64 = 0.1;
/// Added to the curvature in each leaf, so that a few cases move it little.
const PENALTY: f64 = 10.0;
/// Number of thresholds of a signal, quantiles of its values above 0.
const THRESHOLDS: usize = 62;
/// Number of candidates of a case that count, the best by the weighted sum, and all right ones.
const MAX_CANDIDATES: usize = 100;
/// Number of groups of repositories; the trees of a group are fitted to the others.
const GROUPS: usize = 6;

/// The files of examples with a correction among their signals, and the weights that it is for.
pub struct Corrected<'a> {
    /// The examples, without functions and places.
    pub examples: Vec<Example>,
    /// The weights that rank each repository.
    pub weights: BTreeMap<&'a str, Vec<f64>>,
}

/// Returns the examples' files with a correction of 0.
pub fn uncorrected(examples: &[Example]) -> Vec<Example> {
    let of = |example: &Example| Example {
        functions: Vec::new(),
        places: Vec::new(),
        files: example
            .files
            .iter()
            .map(|c| with_correction(c, 0.0))
            .collect(),
        ..example.clone()
    };
    examples.iter().map(of).collect()
}

/// Fits trees to all examples, and returns them with the examples that they correct.
pub fn corrected(examples: &[Example], weights: &[f64]) -> (Vec<Tree>, Vec<Example>) {
    let all: Vec<&Example> = examples.iter().collect();
    let trees = grow_trees(&all, weights);
    let interactions = Interactions::new(trees.clone());
    let corrected = examples.iter();
    let corrected = corrected.map(|example| correct(example, &interactions));
    (trees, corrected.collect())
}

/// Corrects each repository's examples with weights and trees that are fitted to the repositories of other groups.
/// `fit_weights` returns the weights that the trees correct.
pub fn corrected_by_others<'a>(
    examples: &'a [Example],
    fit_weights: &dyn Fn(&[&[Candidate]]) -> Vec<f64>,
) -> Corrected<'a> {
    let repositories: BTreeSet<&str> = examples.iter().map(|e| e.repo.as_str()).collect();
    let groups: BTreeMap<&str, usize> = repositories.into_iter().zip((0..GROUPS).cycle()).collect();
    let mut corrected = Corrected {
        examples: examples.to_vec(),
        weights: BTreeMap::new(),
    };
    for group in 0..GROUPS {
        let is_own = |example: &&Example| groups.get(example.repo.as_str()) == Some(&group);
        let others: Vec<&Example> = examples.iter().filter(|e| !is_own(e)).collect();
        let cases: Vec<&[Candidate]> = others.iter().map(|e| e.files.as_slice()).collect();
        let weights = fit_weights(&cases);
        let interactions = Interactions::new(grow_trees(&others, &weights));
        let all = examples.iter().zip(&mut corrected.examples);
        for (example, to) in all.filter(|(example, _)| is_own(example)) {
            *to = correct(example, &interactions);
            let repo = example.repo.as_str();
            corrected.weights.insert(repo, weights.clone());
        }
    }
    corrected
}

fn correct(example: &Example, interactions: &Interactions) -> Example {
    let corrected = |candidate: &Candidate| {
        let value = interactions.value(&raw(candidate));
        with_correction(candidate, value * candidate.factor)
    };
    Example {
        files: example.files.iter().map(corrected).collect(),
        ..example.clone()
    }
}

/// Returns a candidate's signals without the factor of its role.
fn raw(candidate: &Candidate) -> Vec<f32> {
    let signals = candidate.x.iter();
    signals.map(|signal| signal / candidate.factor).collect()
}

/// Returns a candidate with this correction among its signals.
fn with_correction(candidate: &Candidate, correction: f32) -> Candidate {
    let mut candidate = candidate.clone();
    let names = SignalValues::FILE_SIGNALS.iter();
    for (name, signal) in names.zip(&mut candidate.x) {
        if *name == SignalValues::INTERACTIONS {
            *signal = correction;
        }
    }
    candidate
}

/// A candidate that counts.
struct Row {
    signals: Vec<f32>,
    factor: f64,
    score: f64,
    gold: bool,
}

/// First and second derivative of the loss by what a tree adds.
#[derive(Clone, Copy, Default)]
struct Slope {
    gradient: f64,
    curvature: f64,
}

impl Slope {
    fn add(&mut self, other: Self) {
        self.gradient += other.gradient;
        self.curvature += other.curvature;
    }

    fn minus(self, other: Self) -> Self {
        Self {
            gradient: self.gradient - other.gradient,
            curvature: self.curvature - other.curvature,
        }
    }

    /// Returns twice what the best step gains.
    fn gain(self) -> f64 {
        self.gradient * self.gradient / (self.curvature + PENALTY)
    }
}

/// Fits trees to what the weighted sums leave unexplained.
fn grow_trees(examples: &[&Example], weights: &[f64]) -> Vec<Tree> {
    let mut rows: Vec<Row> = Vec::new();
    let mut cases: Vec<Range<usize>> = Vec::new();
    for example in examples {
        let start = rows.len();
        rows.extend(counting(example, weights));
        let has = |gold: bool| rows.iter().skip(start).any(|row| row.gold == gold);
        match has(true) && has(false) {
            true => cases.push(start..rows.len()),
            false => rows.truncate(start),
        }
    }
    let signals = 0..weights.len();
    let columns = signals.into_par_iter().filter(|signal| {
        SignalValues::FILE_SIGNALS.get(*signal) != Some(&SignalValues::INTERACTIONS)
    });
    let columns: Vec<Column> = columns.map(|signal| Column::new(signal, &rows)).collect();
    let mut trees = Vec::with_capacity(TREES);
    for _ in 0..TREES {
        let slopes: Vec<Slope> = cases
            .par_iter()
            .flat_map_iter(|case| slopes(rows.get(case.clone()).unwrap_or_default()))
            .collect();
        let (tree, leaves) = grow_tree(&columns, &slopes);
        for (row, leaf) in rows.iter_mut().zip(leaves) {
            let value = tree.values.get(usize::from(leaf)).copied();
            row.score += row.factor * f64::from(value.unwrap_or(0.0));
        }
        trees.push(tree);
    }
    trees
}

/// Returns the candidates of an example that count.
fn counting(example: &Example, weights: &[f64]) -> impl Iterator<Item = Row> {
    let scored = example.files.iter();
    let mut scored: Vec<(f64, &Candidate)> = scored.map(|c| (fit::score(c, weights), c)).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let counting = scored.into_iter().enumerate();
    let counting = counting.filter(|(rank, (_, c))| *rank < MAX_CANDIDATES || c.gold);
    counting.map(|(_, (score, candidate))| Row {
        signals: raw(candidate),
        factor: f64::from(candidate.factor),
        score,
        gold: candidate.gold,
    })
}

/// Returns the slope of the loss of a case at each of its candidates.
fn slopes(case: &[Row]) -> Vec<Slope> {
    let max = case.iter().map(|row| row.score);
    let max = max.fold(f64::NEG_INFINITY, f64::max);
    let odds = |row: &Row| (row.score - max).exp();
    let wrong: f64 = case.iter().filter(|row| !row.gold).map(odds).sum();
    // Each right candidate competes with the wrong ones alone.
    let totals = case.iter().filter(|row| row.gold);
    let totals: Vec<f64> = totals.map(|row| odds(row) + wrong).collect();
    let share = 1.0 / totals.len().max(1) as f64;
    let inverse: f64 = totals.iter().map(|total| 1.0 / total).sum();
    let inverse_squares: f64 = totals.iter().map(|total| 1.0 / (total * total)).sum();
    let slope = |row: &Row| {
        let odds = odds(row);
        let (gradient, curvature) = match row.gold {
            true => {
                let probability = odds / (odds + wrong);
                (probability - 1.0, probability * (1.0 - probability))
            }
            false => (
                odds * inverse,
                odds * inverse - odds * odds * inverse_squares,
            ),
        };
        Slope {
            gradient: share * row.factor * gradient,
            curvature: share * row.factor * row.factor * curvature,
        }
    };
    case.iter().map(slope).collect()
}

/// Grows a tree, and returns it with the leaf of each row.
fn grow_tree(columns: &[Column], slopes: &[Slope]) -> (Tree, Vec<u8>) {
    let mut leaves = vec![0u8; slopes.len()];
    let mut questions = Vec::with_capacity(QUESTIONS);
    for level in 0..QUESTIONS {
        let best = columns.par_iter().filter_map(|column| {
            let (gain, at) = column.best(slopes, &leaves, 1 << level)?;
            Some((gain, at, column))
        });
        let best = best.max_by(|a, b| a.0.total_cmp(&b.0));
        let Some((_, at, column)) = best.filter(|(gain, ..)| *gain > 0.0) else {
            break;
        };
        questions.extend(
            column
                .thresholds
                .get(at)
                .map(|above| (column.signal, *above)),
        );
        for (leaf, bin) in leaves.iter_mut().zip(&column.bins) {
            *leaf |= u8::from(usize::from(*bin) > at) << level;
        }
    }
    let mut sums = vec![Slope::default(); 1 << questions.len()];
    for (slope, leaf) in slopes.iter().zip(&leaves) {
        if let Some(sum) = sums.get_mut(usize::from(*leaf)) {
            sum.add(*slope);
        }
    }
    let step = |sum: &Slope| rounded((-RATE * sum.gradient / (sum.curvature + PENALTY)) as f32);
    let values = sums.iter().map(step).collect();
    (Tree { questions, values }, leaves)
}

/// The values of a signal, each as the number of thresholds below it.
struct Column {
    signal: usize,
    thresholds: Vec<f32>,
    bins: Vec<u8>,
}

impl Column {
    fn new(signal: usize, rows: &[Row]) -> Self {
        let value = |row: &Row| row.signals.get(signal).copied().unwrap_or(0.0);
        let mut positive: Vec<f32> = rows.iter().map(value).filter(|v| *v > 0.0).collect();
        positive.sort_unstable_by(f32::total_cmp);
        // Most signals of most files are 0.
        let mut thresholds = vec![0.0];
        let quantile = |at: usize| positive.get(positive.len() * at / THRESHOLDS).copied();
        thresholds.extend((1..THRESHOLDS).filter_map(quantile).map(rounded));
        thresholds.sort_unstable_by(f32::total_cmp);
        thresholds.dedup();
        let bin = |row: &Row| thresholds.partition_point(|threshold| *threshold < value(row)) as u8;
        let bins = rows.iter().map(bin).collect();
        Self {
            signal,
            thresholds,
            bins,
        }
    }

    /// Returns the gain and the position of the threshold that divides the leaves best.
    fn best(&self, slopes: &[Slope], leaves: &[u8], count: usize) -> Option<(f64, usize)> {
        let bins = self.thresholds.len() + 1;
        let mut sums = vec![Slope::default(); count * bins];
        for ((slope, bin), leaf) in slopes.iter().zip(&self.bins).zip(leaves) {
            if let Some(sum) = sums.get_mut(usize::from(*leaf) * bins + usize::from(*bin)) {
                sum.add(*slope);
            }
        }
        let mut gains = vec![0.0; self.thresholds.len()];
        for leaf in sums.chunks(bins) {
            let mut all = Slope::default();
            leaf.iter().for_each(|sum| all.add(*sum));
            let mut below = Slope::default();
            for (gain, sum) in gains.iter_mut().zip(leaf) {
                below.add(*sum);
                *gain += below.gain() + all.minus(below).gain() - all.gain();
            }
        }
        let gains = gains.into_iter().zip(0..);
        gains.max_by(|a, b| a.0.total_cmp(&b.0))
    }
}

/// Rounds a number as it is written.
fn rounded(number: f32) -> f32 {
    (number * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of a case: right if exactly one of two signals is high, which no sum can say.
    fn file(title: f32, code: f32) -> Candidate {
        let x = SignalValues::FILE_SIGNALS.iter().map(|name| match *name {
            "title" => title,
            "code" => code,
            _ => 0.0,
        });
        Candidate {
            name: format!("{title} {code}"),
            gold: (title > 0.5) != (code > 0.5),
            x: x.collect(),
            factor: 1.0,
        }
    }

    fn example(repo: usize) -> Example {
        Example {
            id: String::new(),
            set: String::new(),
            repo: format!("owner/{repo}"),
            language: String::new(),
            single_file: false,
            gold: [2, 0],
            files: [(0.1, 0.1), (0.9, 0.1), (0.1, 0.9), (0.9, 0.9), (0.2, 0.2)]
                .map(|(title, code)| file(title, code))
                .into(),
            functions: Vec::new(),
            places: Vec::new(),
            shown: None,
        }
    }

    fn right(examples: &[Example], weights: &[f64]) -> usize {
        let is_right = |example: &&Example| {
            let score = |gold: bool| {
                let of = example.files.iter().filter(move |c| c.gold == gold);
                of.map(|c| fit::score(c, weights))
            };
            let wrong = score(false).fold(f64::NEG_INFINITY, f64::max);
            score(true).all(|score| score > wrong)
        };
        examples.iter().filter(is_right).count()
    }

    fn weights() -> Vec<f64> {
        let of = |name: &&str| f64::from(*name == SignalValues::INTERACTIONS);
        SignalValues::FILE_SIGNALS.iter().map(of).collect()
    }

    #[test]
    fn trees_rank_what_no_sum_can() {
        let examples: Vec<Example> = (0..12).map(example).collect();
        let weights = weights();
        assert_eq!(right(&examples, &weights), 0);
        let (trees, corrected) = corrected(&examples, &weights);
        assert_eq!(right(&corrected, &weights), 12, "{trees:?}");
        let before = uncorrected(&corrected);
        let held_out = corrected_by_others(&before, &|_| weights.clone());
        assert_eq!(held_out.weights.len(), 12);
        let of_others = &held_out.weights["owner/0"];
        assert_eq!(right(&held_out.examples, of_others), 12);
    }

    #[test]
    fn factor_of_a_role_scales_the_correction() {
        let mut examples: Vec<Example> = (0..12).map(example).collect();
        let (trees, _) = corrected(&examples, &weights());
        let interactions = Interactions::new(trees);
        let correction = |example: &Example| {
            let corrected = correct(example, &interactions);
            fit::score(&corrected.files[1], &weights())
        };
        let whole = correction(&examples[0]);
        let halved = &mut examples[0].files[1];
        halved.factor = 0.5;
        halved.x.iter_mut().for_each(|signal| *signal *= 0.5);
        assert!((correction(&examples[0]) - whole / 2.0).abs() < 1e-6);
    }
}

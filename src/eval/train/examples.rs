//! What weights are fitted to: the candidates of each case, with their signals, and which of them
//! are right.

use std::path::Path;

use anyhow::Context as _;
use foveate_query::{Examined, RankingConfig, Request, examine};
use serde::{Deserialize, Serialize};

use crate::eval::case::Case;
use crate::eval::score::{Place, hits};
use crate::eval::sweep::{Indexed, Visitor, Walk, sweep};

/// So many files and functions are kept per case, the best by the present weights; those further
/// down decide nothing.
const FILES: usize = 300;
const FUNCTIONS: usize = 400;

/// The candidates of one case.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Example {
    /// The case's id.
    pub id: String,
    /// The file of cases that it is from.
    pub set: String,
    /// The repository: weights are checked on repositories that they were not fitted to.
    pub repo: String,
    /// Language of the repository.
    pub language: String,
    /// Whether one file alone was changed.
    pub single_file: bool,
    /// How many files and functions are right, found or not.
    pub gold: [usize; 2],
    /// The files.
    pub files: Vec<Candidate>,
    /// The functions.
    pub functions: Vec<Candidate>,
}

/// A file or function.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Candidate {
    /// Its path, for a function with its name.
    pub name: String,
    /// Whether it is among what was changed.
    pub gold: bool,
    /// Its signals.
    pub x: Vec<f32>,
}

/// The examples of all cases that could be indexed.
pub fn collect(
    cases: &[Case],
    walk: &Walk,
    ranking: &RankingConfig,
    progress: &(dyn Fn(&str, Option<&str>) + Sync),
) -> Vec<Example> {
    let collector = Collector { ranking, progress };
    sweep(cases, walk, &collector)
        .into_iter()
        .filter_map(Result::ok)
        .collect()
}

struct Collector<'a> {
    ranking: &'a RankingConfig,
    progress: &'a (dyn Fn(&str, Option<&str>) + Sync),
}

impl Visitor for Collector<'_> {
    type Output = Result<Example, (String, String)>;

    fn visit(&self, case: &Case, indexed: &Indexed) -> Self::Output {
        let request = Request {
            query: case.query.clone(),
            ..Request::default()
        };
        let (files, functions) = examine(&indexed.snapshot, &request, self.ranking);
        let rank = &self.ranking.rank;
        let is_gold_file = |e: &Examined| case.gold_files.contains(&e.path);
        let is_gold_function = |e: &Examined| {
            e.function.as_ref().is_some_and(|(name, lines)| {
                let place = Place {
                    path: e.path.clone(),
                    name: name.clone(),
                    lines: *lines,
                };
                case.gold_functions.iter().any(|gold| hits(&place, gold))
            })
        };
        Ok(Example {
            id: case.id.clone(),
            set: case.set.clone(),
            repo: case.repo.clone(),
            language: case.language.clone(),
            single_file: case.gold_files.len() == 1,
            gold: [case.gold_files.len(), case.gold_functions.len()],
            files: best(files, rank.file.as_slice(), FILES, is_gold_file),
            functions: best(
                functions,
                rank.function.as_slice(),
                FUNCTIONS,
                is_gold_function,
            ),
        })
    }

    fn failed(&self, case: &Case, why: String) -> Self::Output {
        Err((case.id.clone(), why))
    }

    fn done(&self, output: &Self::Output) {
        match output {
            Ok(example) => (self.progress)(&example.id, None),
            Err((id, why)) => (self.progress)(id, Some(why)),
        }
    }
}

fn best(
    mut examined: Vec<Examined>,
    weights: &[f32],
    most: usize,
    is_gold: impl Fn(&Examined) -> bool,
) -> Vec<Candidate> {
    let score = |e: &Examined| -> f32 { e.signals.iter().zip(weights).map(|(s, w)| s * w).sum() };
    examined.sort_by(|a, b| score(b).total_cmp(&score(a)));
    examined
        .into_iter()
        .enumerate()
        .map(|(rank, e)| (rank, is_gold(&e), e))
        .filter(|(rank, gold, _)| *gold || *rank < most)
        .map(|(_, gold, e)| Candidate {
            name: match e.function {
                Some((name, _)) => format!("{}:{name}", e.path),
                None => e.path,
            },
            gold,
            x: e.signals,
        })
        .collect()
}

/// Writes examples, one JSON object a line.
///
/// # Errors
/// When the file cannot be written.
pub fn write(path: &Path, examples: &[Example]) -> anyhow::Result<()> {
    let mut out = Vec::new();
    for example in examples {
        serde_json::to_writer(&mut out, example)?;
        out.push(b'\n');
    }
    std::fs::write(path, out).with_context(|| format!("cannot write {}", path.display()))
}

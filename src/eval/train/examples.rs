//! Collects the examples that weights are fitted to: the candidates of each case, with their signals, and which of
//! them are right.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use foveate_query::rank::Calibration;
use foveate_query::{
    CandidateSignals, Deadline, RankingConfig, Request, SignalValues, answer, candidate_signals,
};
use serde::{Deserialize, Serialize};

use crate::eval::calibration::Prediction;
use crate::eval::case::Case;
use crate::eval::score::{self, Context, Location};
use crate::eval::visit::{BuiltSnapshot, Visitor, Walk, visit_cases};

/// Maximum numbers of files, functions and stretches that are kept per case, the best by the present weights; lower
/// ones have no influence.
const MAX_FILES: usize = 300;
const MAX_FUNCTIONS: usize = 400;
const MAX_STRETCHES: usize = 300;

/// The candidates of one case.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Example {
    /// The case's id.
    pub id: String,
    /// The file of cases that it is from.
    pub set: String,
    /// The repository: weights are measured on repositories that they were not fitted to.
    pub repo: String,
    /// Language of the repository.
    pub language: String,
    /// Whether only one file was changed.
    pub single_file: bool,
    /// Numbers of gold files and functions, whether found or not.
    pub gold: [usize; 2],
    /// The files.
    pub files: Vec<Candidate>,
    /// The functions.
    pub functions: Vec<Candidate>,
    /// The places: a function by its score alone, a stretch by its signals after a 0. Empty if the edited lines are
    /// not known.
    pub places: Vec<Candidate>,
    /// The share of the softmax of the places that are shown in full, and whether a right one is among them.
    /// `None` if there is no gold function.
    pub shown: Option<Prediction>,
}

/// A file, function or stretch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Candidate {
    /// Its path; for a function or stretch also its name and lines.
    pub name: String,
    /// Whether it was changed.
    pub gold: bool,
    /// Its signals, multiplied by the factor of its role.
    pub x: Vec<f32>,
    /// The factor of the role of its file.
    pub factor: f32,
}

/// Collects the examples of all cases that can be indexed.
pub fn collect(
    cases: &[Case],
    walk: &Walk,
    ranking: &RankingConfig,
    progress: &(dyn Fn(&str, Option<&str>) + Sync),
) -> Vec<Example> {
    let collector = Collector { ranking, progress };
    visit_cases(cases, walk, &collector)
        .into_iter()
        .filter_map(Result::ok)
        .collect()
}

struct Collector<'a> {
    ranking: &'a RankingConfig,
    progress: &'a (dyn Fn(&str, Option<&str>) + Sync),
}

impl Visitor for Collector<'_> {
    type Output = Example;

    fn visit(&self, case: &Case, indexed: &BuiltSnapshot) -> Example {
        let request = Request {
            query: case.query.clone(),
            ..Request::default()
        };
        let rank = &self.ranking.rank;
        let CandidateSignals {
            files,
            functions,
            stretches,
        } = candidate_signals(&indexed.snapshot, &request, &self.ranking.resolve, rank);
        let is_gold_file = |e: &SignalValues| case.gold_files.contains(&e.path);
        let is_gold_function = |e: &SignalValues| {
            let place = e.place.clone().map(|(name, lines)| Location {
                path: e.path.clone(),
                name,
                lines,
            });
            place.is_some_and(|place| score::is_gold(case, &place))
        };
        let is_edited = |e: &SignalValues| {
            let mut place = e.place.iter();
            place.any(|(_, lines)| score::is_edited_outside(case, &e.path, *lines))
        };
        let functions = best(
            functions,
            rank.function.as_slice(),
            MAX_FUNCTIONS,
            is_gold_function,
        );
        let stretches = best(stretches, rank.stretch.as_slice(), MAX_STRETCHES, is_edited);
        Example {
            id: case.id.clone(),
            set: case.set.clone(),
            repo: case.repo.clone(),
            language: case.language.clone(),
            single_file: case.gold_files.len() == 1,
            gold: [case.gold_files.len(), case.gold_functions.len()],
            files: best(files, rank.file.as_slice(), MAX_FILES, is_gold_file),
            places: if case.edits.is_empty() {
                Vec::new()
            } else {
                places(&functions, stretches, rank.function.as_slice())
            },
            functions,
            shown: shown(case, indexed, request, self.ranking),
        }
    }

    fn done(&self, case: &Case, output: &Result<Example, String>) {
        let failure = output.as_ref().err();
        (self.progress)(&case.id, failure.map(String::as_str));
    }
}

/// Returns the uncalibrated confidence of an answer, and its outcome.
fn shown(
    case: &Case,
    indexed: &BuiltSnapshot,
    request: Request,
    ranking: &RankingConfig,
) -> Option<Prediction> {
    if case.gold_functions.is_empty() {
        return None;
    }
    let mut ranking = ranking.clone();
    // Uncalibrated, and regardless of how specific the query is.
    ranking.assemble.confidence.min_words = 0;
    ranking.assemble.confidence.line = Calibration {
        slope: 1.0,
        intercept: 0.0,
    };
    let deadline = Deadline::none();
    let pack = answer(&indexed.snapshot, &request, &ranking, &deadline, &|| 0.0).pack;
    Some(Prediction {
        probability: f64::from(pack.confidence),
        right: score::shown_share(case, &Context::from(&pack)) > 0.0,
    })
}

/// Joins functions and stretches to one list of candidates.
fn places(functions: &[Candidate], stretches: Vec<Candidate>, weights: &[f32]) -> Vec<Candidate> {
    let score =
        |function: &Candidate| -> f32 { function.x.iter().zip(weights).map(|(x, w)| x * w).sum() };
    let functions = functions.iter().map(|function| {
        let mut x = vec![0.0; 1 + SignalValues::STRETCH_SIGNALS.len()];
        x[0] = score(function);
        Candidate {
            x,
            ..function.clone()
        }
    });
    let stretches = stretches.into_iter().map(|mut stretch| {
        stretch.x.insert(0, 0.0);
        stretch
    });
    functions.chain(stretches).collect()
}

fn best(
    mut candidates: Vec<SignalValues>,
    weights: &[f32],
    limit: usize,
    is_gold: impl Fn(&SignalValues) -> bool,
) -> Vec<Candidate> {
    let score =
        |e: &SignalValues| -> f32 { e.signals.iter().zip(weights).map(|(s, w)| s * w).sum() };
    candidates.sort_by(|a, b| score(b).total_cmp(&score(a)));
    let mut kept = Vec::new();
    for (rank, e) in candidates.into_iter().enumerate() {
        let gold = is_gold(&e);
        if gold || rank < limit {
            let name = match e.place {
                Some((name, lines)) => format!("{}:{name}:{}-{}", e.path, lines.start, lines.end),
                None => e.path,
            };
            kept.push(Candidate {
                name,
                gold,
                x: e.signals,
                factor: e.factor,
            });
        }
    }
    kept
}

/// Reads the examples that [`write()`] wrote to files.
///
/// # Errors
/// When a file cannot be read, a line is no example with the signals of this version, or there is no line.
pub fn read(paths: &[PathBuf]) -> anyhow::Result<Vec<Example>> {
    let mut examples = Vec::new();
    for path in paths {
        let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        for (line, number) in BufReader::new(file).lines().zip(1..) {
            let parsed = line
                .map_err(anyhow::Error::from)
                .and_then(|line| parse(&line));
            let example = parsed.with_context(|| format!("{}:{number}", path.display()))?;
            examples.push(example);
        }
    }
    ensure!(!examples.is_empty(), "the files have no candidates");
    Ok(examples)
}

fn parse(line: &str) -> anyhow::Result<Example> {
    let example: Example = serde_json::from_str(line)?;
    let has = |candidates: &[Candidate], signals: usize| {
        candidates
            .iter()
            .all(|candidate| candidate.x.len() == signals)
    };
    let is_current = has(&example.files, SignalValues::FILE_SIGNALS.len())
        && has(&example.functions, SignalValues::FUNCTION_SIGNALS.len())
        && has(&example.places, 1 + SignalValues::STRETCH_SIGNALS.len());
    ensure!(
        is_current,
        "another version of foveate wrote it, with other signals: write it again with --examples"
    );
    Ok(example)
}

/// Writes examples to a file, one JSON object a line.
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

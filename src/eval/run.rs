//! Asks each case's query on the snapshot of its commit and scores the answer. Then asks all queries of a batch again
//! on its newest snapshot, to time them.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Instant;

use foveate_index::Snapshot;
use foveate_query::{Answer, Breadth, Deadline, RankingConfig, Request, answer};

use crate::eval::aggregate::{self, CaseResult, Evaluation, LISTED, Latency, Point, Predictions};
use crate::eval::case::Case;
use crate::eval::checksum::Checksum;
use crate::eval::curve::Step;
use crate::eval::metric::{BUDGETS, Scores};
use crate::eval::score::{self, Context, DeliveredAnswer};
use crate::eval::sweep::{BuiltSnapshot, Visitor, Walk, milliseconds, sweep};

/// Number of ranked files and functions that are requested.
const LIMIT: usize = 100;
/// The largest budget, in tokens.
const MAX_BUDGET: usize = 8000;

/// The settings of a run.
#[derive(Debug)]
pub struct Options {
    /// Where and how the cases' commits are indexed.
    pub walk: Walk,
    /// The numbers that rank and assemble.
    pub ranking: RankingConfig,
    /// How much of the budget is used.
    pub breadth: Breadth,
    /// Whether each case is also asked with other thresholds.
    pub curve: bool,
}

/// Runs all cases. `progress` is called from the jobs after each case.
pub fn run(
    cases: &[Case],
    options: &Options,
    progress: &(dyn Fn(&CaseResult) + Sync),
) -> Evaluation {
    let start = Instant::now();
    let asker = Asker { options, progress };
    let cases = sweep(cases, &options.walk, &asker);
    Evaluation {
        format: aggregate::FORMAT,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        jobs: options.walk.jobs.max(1),
        history: options.walk.history.commits > 0,
        seconds: start.elapsed().as_secs_f64(),
        latency: Latency::of(cases.iter().filter_map(|c| c.answer_ms).collect()),
        groups: aggregate::groups(&cases),
        cases,
    }
}

struct Asker<'a> {
    options: &'a Options,
    progress: &'a (dyn Fn(&CaseResult) + Sync),
}

impl Visitor for Asker<'_> {
    type Output = CaseResult;

    /// Asks once per budget, and once per step of the curve.
    fn visit(&self, case: &Case, indexed: &BuiltSnapshot) -> CaseResult {
        let at = |budget| self.ask(case, &indexed.snapshot, budget, self.step());
        let full = at(MAX_BUDGET);
        let mut checksum = Checksum::default();
        let contexts = BUDGETS.map(|budget| {
            let smaller = (budget != MAX_BUDGET).then(|| at(budget));
            let answer = smaller.as_ref().unwrap_or(&full);
            checksum.add(answer);
            Context::from(&answer.pack)
        });
        let delivered = DeliveredAnswer::new(&full, contexts);
        let curve = Step::all().filter(|_| self.options.curve).map(|step| {
            let answer = self.ask(case, &indexed.snapshot, MAX_BUDGET, step);
            let context = Context::from(&answer.pack);
            let mut scores = Scores::default();
            score::score_context(case, &context, MAX_BUDGET, &mut scores);
            let step = step.name();
            Point { step, scores }
        });
        CaseResult {
            index_ms: Some(indexed.index_ms),
            checksum: checksum.finish(),
            predictions: score::predictions(case, &full, &delivered),
            curve: curve.collect(),
            ..result(case, &delivered)
        }
    }

    /// Scores the case as a miss.
    fn failed(&self, case: &Case, why: String) -> CaseResult {
        CaseResult {
            failure: Some(why),
            ..result(case, &DeliveredAnswer::default())
        }
    }

    fn done(&self, result: &CaseResult) {
        (self.progress)(result);
    }

    /// Times the answers on one warm snapshot: all queries in one random order to warm up, then in another one to be
    /// timed. The orders are the same in each run.
    fn finish(&self, cases: &[&Case], snapshot: &Snapshot, results: &mut [CaseResult]) {
        let order = |round: u8| {
            let mut positions: Vec<usize> = (0..cases.len()).collect();
            positions.sort_by_key(|position| {
                let mut hasher = DefaultHasher::new();
                (round, &cases[*position].id).hash(&mut hasher);
                hasher.finish()
            });
            positions
        };
        for position in order(0) {
            self.ask(cases[position], snapshot, MAX_BUDGET, self.step());
        }
        for position in order(1) {
            let start = Instant::now();
            self.ask(cases[position], snapshot, MAX_BUDGET, self.step());
            results[position].answer_ms = Some(milliseconds(start));
        }
    }
}

impl Asker<'_> {
    /// Returns the step of the run's breadth, with its own threshold.
    fn step(&self) -> Step {
        Step {
            breadth: self.options.breadth,
            min_probability: None,
        }
    }

    fn ask(&self, case: &Case, snapshot: &Snapshot, budget: usize, step: Step) -> Answer {
        let request = Request {
            query: case.query.clone(),
            budget_tokens: budget,
            breadth: step.breadth,
            min_probability: step.min_probability,
            limit: LIMIT,
            ..Request::default()
        };
        let clock = Instant::now();
        let (ranking, deadline) = (&self.options.ranking, Deadline::none());
        answer(snapshot, &request, ranking, &deadline, &|| {
            milliseconds(clock)
        })
    }
}

fn result(case: &Case, delivered: &DeliveredAnswer) -> CaseResult {
    let (ranks, scores) = score::score(case, delivered);
    CaseResult {
        id: case.id.clone(),
        set: case.set.clone(),
        repo: case.repo.clone(),
        commit: case.commit.clone(),
        language: match &*case.language {
            "" => "unknown".to_owned(),
            language => language.to_owned(),
        },
        query_kind: case.query_kind.clone(),
        failure: None,
        gold_files: case.gold_files.clone(),
        file_ranks: ranks.files,
        gold_functions: case
            .gold_functions
            .iter()
            .map(|gold| format!("{}:{}", gold.file, gold.name))
            .collect(),
        function_ranks: ranks.functions,
        files: delivered.files.iter().take(LISTED).cloned().collect(),
        functions: delivered
            .functions
            .iter()
            .take(LISTED)
            .map(|place| format!("{}:{}", place.path, place.name))
            .collect(),
        intent: delivered.intent.clone(),
        used_tokens: delivered.contexts.iter().map(|c| c.used).collect(),
        checksum: String::new(),
        answer_ms: None,
        index_ms: None,
        scores,
        predictions: Predictions::default(),
        curve: Vec::new(),
    }
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;

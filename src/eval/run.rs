//! Asks each case's query on the snapshot of its commit and scores the answer. Then asks all queries of a batch again
//! on its newest snapshot, to time them.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Instant;

use foveate_index::Snapshot;
use foveate_query::{Answer, Breadth, Deadline, RankingConfig, Request};

use crate::engine::answer_now;
use crate::eval::aggregate::{self, CaseResult, Evaluation, LISTED, Latency, Point};
use crate::eval::case::Case;
use crate::eval::checksum::Checksum;
use crate::eval::curve::Step;
use crate::eval::metric::{BUDGETS, Scores};
use crate::eval::score::{self, Context, DeliveredAnswer};
use crate::eval::visit::{BuiltSnapshot, Visitor, Walk, visit_cases};
use crate::telemetry::milliseconds;

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

/// Is called from the jobs after each case.
type OnDone<'a> = &'a (dyn Fn(&Case, &Result<CaseResult, String>) + Sync);

/// Runs all cases. A case without an answer is scored as a miss.
pub fn run(cases: &[Case], options: &Options, on_done: OnDone<'_>) -> Evaluation {
    let start = Instant::now();
    let asker = Asker { options, on_done };
    let outputs = visit_cases(cases, &options.walk, &asker);
    let missed = |case: &Case, why| CaseResult {
        failure: Some(why),
        ..result(case, &DeliveredAnswer::default())
    };
    let cases = outputs.into_iter().zip(cases);
    let cases = cases.map(|(output, case)| output.unwrap_or_else(|why| missed(case, why)));
    let cases: Vec<CaseResult> = cases.collect();
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
    on_done: OnDone<'a>,
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

    fn done(&self, case: &Case, output: &Result<CaseResult, String>) {
        (self.on_done)(case, output);
    }

    /// Times the answers on one warm snapshot: all queries in one random order to warm up, then in another one to be
    /// timed. The orders are the same in each run.
    fn finish(&self, snapshot: &Snapshot, visited: &mut [(&Case, &mut CaseResult)]) {
        for is_timed in [false, true] {
            visited.sort_by_key(|(case, _)| {
                let mut hasher = DefaultHasher::new();
                (is_timed, &case.id).hash(&mut hasher);
                hasher.finish()
            });
            for (case, result) in &mut *visited {
                let start = Instant::now();
                self.ask(case, snapshot, MAX_BUDGET, self.step());
                result.answer_ms = is_timed.then(|| milliseconds(start.elapsed()));
            }
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
        answer_now(snapshot, &request, &self.options.ranking, &Deadline::none())
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
        scores,
        ..CaseResult::default()
    }
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;

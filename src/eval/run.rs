//! Runs cases: one repository after another in each of a few jobs, each repository's commits from
//! old to new, so that a snapshot is built from its neighbour's. Only the asked commit and its
//! ancestors are read. Then all queries are asked of the newest snapshot once more, to time them.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Instant;

use foveate_index::{Revision, Snapshot};
use foveate_parse::Limits;
use foveate_query::{Answer, RankingConfig, Request, answer};
use tokio_util::sync::CancellationToken;

use crate::engine::{BlobCache, Past, Progress};
use crate::eval::aggregate::{self, CaseResult, Evaluation, LISTED, Latency};
use crate::eval::case::{Case, Repositories};
use crate::eval::score::{self, BUDGETS, Context, Delivered};
use crate::ingest::git::{GitRepo, HistoryLimits, Records, Step};

/// How many ranked files and functions are asked for.
const LIMIT: usize = 100;

/// How a run is done.
#[derive(Debug)]
pub struct Options {
    /// Where the repositories are.
    pub repositories: Repositories,
    /// The numbers that rank and assemble.
    pub ranking: RankingConfig,
    /// How many repositories are worked on at the same time. Each holds two snapshots at most.
    pub jobs: usize,
    /// How much of the past is loaded per case.
    pub history: HistoryLimits,
}

/// Cases of one repository, from old to new, that one job works through.
struct Stretch<'a> {
    repo: String,
    cases: Vec<(usize, &'a Case)>,
    /// Shared by all stretches of the repository.
    records: Arc<Records>,
}

/// Runs all cases. `progress` is called from the jobs after each case.
pub fn run(
    cases: &[Case],
    options: &Options,
    progress: &(dyn Fn(&CaseResult) + Sync),
) -> Evaluation {
    let start = Instant::now();
    let queue = Mutex::new(stretches(cases, options));
    let results: Mutex<BTreeMap<usize, CaseResult>> = Mutex::new(BTreeMap::new());
    // Held for reading by whoever works, for writing by whoever measures: nothing else runs then.
    let quiet = RwLock::new(());
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(|| {
                while let Some(stretch) = lock(&queue).pop_front() {
                    let times = work(&stretch, options, &quiet, &mut |position, result| {
                        progress(&result);
                        lock(&results).insert(position, result);
                    });
                    let mut results = lock(&results);
                    for (position, answer_ms) in times {
                        if let Some(result) = results.get_mut(&position) {
                            result.answer_ms = Some(answer_ms);
                        }
                    }
                }
            });
        }
    });
    let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    let cases: Vec<CaseResult> = results.into_values().collect();
    Evaluation {
        format: aggregate::FORMAT,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        jobs: options.jobs.max(1),
        history: options.history.commits > 0,
        seconds: start.elapsed().as_secs_f64(),
        latency: Latency::of(cases.iter().filter_map(|c| c.answer_ms).collect()),
        groups: aggregate::groups(&cases),
        cases,
    }
}

/// A job never panics while it holds a lock, and what is behind one is whole between calls.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Cases by repository and commit date, cut so that no job works on long after the others are
/// done: a first commit costs a full index, so stretches are not short either.
fn stretches<'a>(cases: &'a [Case], options: &Options) -> VecDeque<Stretch<'a>> {
    let mut by_repo: BTreeMap<&str, Vec<(usize, &Case)>> = BTreeMap::new();
    for (position, case) in cases.iter().enumerate() {
        by_repo
            .entry(&case.repo)
            .or_default()
            .push((position, case));
    }
    let longest = (cases.len() / (4 * options.jobs.max(1))).max(20);
    let mut stretches = Vec::new();
    for (repo, mut cases) in by_repo {
        let times = commit_times(repo, &cases, options);
        cases.sort_by_key(|(position, case)| {
            (times.get(case.commit.as_str()), &case.commit, *position)
        });
        let records = Arc::new(Records::in_memory());
        stretches.extend(cases.chunks(longest).map(|cases| Stretch {
            repo: repo.to_owned(),
            cases: cases.to_vec(),
            records: Arc::clone(&records),
        }));
    }
    stretches.sort_by_key(|stretch| std::cmp::Reverse(stretch.cases.len()));
    stretches.into()
}

/// When each commit was made, as far as it is known.
fn commit_times<'a>(
    repo: &str,
    cases: &[(usize, &'a Case)],
    options: &Options,
) -> HashMap<&'a str, i64> {
    let Ok(git) = GitRepo::open(&options.repositories.path(repo)) else {
        return HashMap::new();
    };
    cases
        .iter()
        .filter_map(|(_, case)| Some((case.commit.as_str(), git.commit_time(&case.commit).ok()?)))
        .collect()
}

/// Answers the cases; gives the time of each answer by the case's position.
fn work(
    stretch: &Stretch<'_>,
    options: &Options,
    quiet: &RwLock<()>,
    done: &mut dyn FnMut(usize, CaseResult),
) -> Vec<(usize, f64)> {
    let mut source = GitRepo::open(&options.repositories.path(&stretch.repo)).map(|git| Source {
        git,
        blobs: BlobCache::new(Limits::default(), 0),
        records: Arc::clone(&stretch.records),
        indexed: None,
    });
    let mut answered = Vec::new();
    for (position, case) in &stretch.cases {
        let result = match &mut source {
            Err(error) => failed(case, error.to_string()),
            Ok(source) => {
                let _working = quiet.read().unwrap_or_else(PoisonError::into_inner);
                one(source, case, options)
            }
        };
        if result.failure.is_none() {
            answered.push((*position, *case));
        }
        done(*position, result);
    }
    let Some(indexed) = source.ok().and_then(|source| source.indexed) else {
        return Vec::new();
    };
    let _measuring = quiet.write().unwrap_or_else(PoisonError::into_inner);
    // What did not panic at its own commit may do so at this one.
    catch_unwind(AssertUnwindSafe(|| {
        times(&answered, &indexed.snapshot, options)
    }))
    .unwrap_or_default()
}

/// Milliseconds per answer on one warm snapshot: all queries in one random order to warm up, then
/// in another to be timed. The orders are the same in each run.
fn times(answered: &[(usize, &Case)], snapshot: &Snapshot, options: &Options) -> Vec<(usize, f64)> {
    let order = |round: u8| {
        let mut cases = answered.to_vec();
        cases.sort_by_key(|(_, case)| {
            let mut hasher = DefaultHasher::new();
            (round, &case.id).hash(&mut hasher);
            hasher.finish()
        });
        cases
    };
    for (_, case) in order(0) {
        ask(case, snapshot, LARGEST, options);
    }
    order(1)
        .into_iter()
        .map(|(position, case)| {
            let start = Instant::now();
            ask(case, snapshot, LARGEST, options);
            (position, milliseconds(start))
        })
        .collect()
}

/// A repository and its last snapshot, which keeps alive what `blobs` finds again.
struct Source {
    git: GitRepo,
    blobs: BlobCache,
    records: Arc<Records>,
    indexed: Option<Indexed>,
}

/// A snapshot and what building it took.
struct Indexed {
    commit: String,
    snapshot: Snapshot,
    index_ms: f64,
}

/// A case whose answer fails is a miss, also where it panics: the other cases go on.
fn one(source: &mut Source, case: &Case, options: &Options) -> CaseResult {
    let attempt = catch_unwind(AssertUnwindSafe(|| {
        let indexed = match source.indexed.take() {
            Some(indexed) if indexed.commit == case.commit => indexed,
            previous => source.index(case, previous, options)?,
        };
        let result = scored(case, &indexed, options);
        source.indexed = Some(indexed);
        anyhow::Ok(result)
    }));
    match attempt {
        Ok(Ok(result)) => result,
        Ok(Err(error)) => failed(case, format!("{error:#}")),
        Err(panic) => failed(case, format!("panicked: {}", panic_text(panic.as_ref()))),
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("without a message")
}

impl Source {
    fn index(
        &self,
        case: &Case,
        previous: Option<Indexed>,
        options: &Options,
    ) -> anyhow::Result<Indexed> {
        let start = Instant::now();
        let commit = self.git.resolve(&case.commit)?;
        let previous = previous.map(|p| p.snapshot);
        let files = self.git.files(&commit, &self.blobs, &Progress::default())?;
        let history = match options.history.commits {
            0 => None,
            _ => Some(self.past(&commit, options)?.history),
        };
        let revision = Revision {
            commit,
            dirty: false,
        };
        let generation = previous.as_ref().map_or(1, |p| p.generation + 1);
        let snapshot = Snapshot::build(revision, generation, files, history, previous.as_ref())?;
        Ok(Indexed {
            commit: case.commit.clone(),
            snapshot,
            index_ms: milliseconds(start),
        })
    }

    /// All of the past, so that no case is answered without a part of it.
    fn past(&self, commit: &str, options: &Options) -> anyhow::Result<Past> {
        let (limits, stop) = (&options.history, CancellationToken::new());
        let step = Step::Functions;
        Ok(self
            .git
            .history(commit, limits, &self.records, step, &stop)?)
    }
}

const LARGEST: usize = BUDGETS[BUDGETS.len() - 1];

fn ask(case: &Case, snapshot: &Snapshot, budget: usize, options: &Options) -> Answer {
    let request = Request {
        query: case.query.clone(),
        budget_tokens: budget,
        limit: LIMIT,
        ..Request::default()
    };
    let clock = Instant::now();
    answer(snapshot, &request, &options.ranking, &|| {
        milliseconds(clock)
    })
}

/// Asks once per budget.
fn scored(case: &Case, indexed: &Indexed, options: &Options) -> CaseResult {
    let at = |budget| ask(case, &indexed.snapshot, budget, options);
    let full = at(LARGEST);
    let contexts = BUDGETS.map(|budget| {
        if budget == LARGEST {
            Context::from(&full.pack)
        } else {
            Context::from(&at(budget).pack)
        }
    });
    let delivered = Delivered::new(&full, contexts);
    CaseResult {
        index_ms: Some(indexed.index_ms),
        ..result(case, &delivered)
    }
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}

fn failed(case: &Case, why: String) -> CaseResult {
    CaseResult {
        failure: Some(why),
        ..result(case, &Delivered::default())
    }
}

fn result(case: &Case, delivered: &Delivered) -> CaseResult {
    let (ranks, scores) = score::score(case, delivered);
    CaseResult {
        id: case.id.clone(),
        set: case.set.clone(),
        repo: case.repo.clone(),
        commit: case.commit.clone(),
        language: case.language.clone(),
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
        answer_ms: None,
        index_ms: None,
        scores,
    }
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;

//! Visits cases: each of a few jobs takes one batch after another. A batch has cases of one repository, from old
//! commits to new, so that each snapshot is derived from the previous one. Only a case's commit and its ancestors
//! are read.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use foveate_index::{Revision, Snapshot};
use foveate_parse::Limits;
use parking_lot::{Mutex, RwLock};
use tokio_util::sync::CancellationToken;

use crate::engine::{BlobCache, CommitHistory, Progress};
use crate::eval::case::{Case, Repositories};
use crate::ingest::git::{CommitRecordCache, GitRepo, HistoryLimits, HistoryStep};
use crate::telemetry::milliseconds;

/// The settings of a walk over cases.
#[derive(Debug)]
pub struct Walk {
    /// The locations of the repositories.
    pub repositories: Repositories,
    /// How many repositories are worked on at the same time. Each holds two snapshots at most.
    pub jobs: usize,
    /// How much history is loaded per case.
    pub history: HistoryLimits,
}

/// Processes the cases. All methods are called from the jobs.
pub trait Visitor: Sync {
    /// The result of a case.
    type Output: Send;

    /// Processes a case, given the snapshot of its commit.
    fn visit(&self, case: &Case, indexed: &BuiltSnapshot) -> Self::Output;

    /// Called after each case. The error says why its repository or commit cannot be read, or that the visit panicked.
    fn done(&self, case: &Case, output: &Result<Self::Output, String>);

    /// Called after the cases of one batch were visited, while no other job works: with the snapshot of the newest
    /// one, and those cases, which are of one repository, with their outputs.
    fn finish(&self, _snapshot: &Snapshot, _visited: &mut [(&Case, &mut Self::Output)]) {}
}

/// A snapshot, and how long it took to build.
#[derive(Debug)]
pub struct BuiltSnapshot {
    commit: String,
    /// The index of the case's commit.
    pub snapshot: Snapshot,
    /// Milliseconds to build it, given the snapshot of the previous commit.
    pub index_ms: f64,
}

/// Cases of one repository, from old to new, for one job.
struct Batch<'a> {
    repo: String,
    cases: Vec<(usize, &'a Case)>,
    /// Shared by all batches of the repository.
    records: Arc<CommitRecordCache>,
}

/// Visits all cases. Returns the outputs in the order of the cases; for the errors, see [`Visitor::done`].
pub fn visit_cases<V: Visitor>(
    cases: &[Case],
    walk: &Walk,
    visitor: &V,
) -> Vec<Result<V::Output, String>> {
    let queue = Mutex::new(batches(cases, walk));
    let outputs: Mutex<BTreeMap<usize, _>> = Mutex::default();
    // Read-locked by jobs that visit a case, write-locked by a job that runs exclusively.
    let exclusive = RwLock::new(());
    std::thread::scope(|scope| {
        for _ in 0..walk.jobs.max(1) {
            scope.spawn(|| {
                // A `while let` on the queue itself would hold its lock during the work.
                let next = || queue.lock().pop_front();
                while let Some(batch) = next() {
                    let done = visit_batch(&batch, walk, &exclusive, visitor);
                    outputs.lock().extend(done);
                }
            });
        }
    });
    let outputs = outputs.into_inner();
    outputs.into_values().collect()
}

/// Groups cases by repository, sorted by commit date, and cuts them into batches. These are small, so that the jobs end
/// at about the same time, but not very small: the first commit of each costs a full index.
fn batches<'a>(cases: &'a [Case], walk: &Walk) -> VecDeque<Batch<'a>> {
    let mut by_repo: BTreeMap<&str, Vec<(usize, &Case)>> = BTreeMap::new();
    for (position, case) in cases.iter().enumerate() {
        by_repo
            .entry(&case.repo)
            .or_default()
            .push((position, case));
    }
    let max_cases = (cases.len() / (4 * walk.jobs.max(1))).max(20);
    let mut batches = Vec::new();
    for (repo, mut cases) in by_repo {
        let times = commit_times(repo, &cases, walk);
        cases.sort_by_key(|(position, case)| {
            (times.get(case.commit.as_str()), &case.commit, *position)
        });
        let records = Arc::new(CommitRecordCache::in_memory());
        batches.extend(cases.chunks(max_cases).map(|cases| Batch {
            repo: repo.to_owned(),
            cases: cases.to_vec(),
            records: Arc::clone(&records),
        }));
    }
    batches.sort_by_key(|batch| std::cmp::Reverse(batch.cases.len()));
    batches.into()
}

/// Reads the time of each commit, where git knows it.
fn commit_times<'a>(repo: &str, cases: &[(usize, &'a Case)], walk: &Walk) -> HashMap<&'a str, i64> {
    let Ok(git) = GitRepo::open(&walk.repositories.path(repo), &Arc::default()) else {
        return HashMap::new();
    };
    cases
        .iter()
        .filter_map(|(_, case)| Some((case.commit.as_str(), git.commit_time(&case.commit).ok()?)))
        .collect()
}

fn visit_batch<V: Visitor>(
    batch: &Batch<'_>,
    walk: &Walk,
    exclusive: &RwLock<()>,
    visitor: &V,
) -> Vec<(usize, Result<V::Output, String>)> {
    let mut source =
        GitRepo::open(&walk.repositories.path(&batch.repo), &Arc::default()).map(|git| Source {
            git,
            blobs: BlobCache::new(Limits::default(), 0),
            records: Arc::clone(&batch.records),
            indexed: None,
        });
    let mut outputs = Vec::new();
    for (position, case) in &batch.cases {
        let output = match &mut source {
            Err(error) => Err(error.to_string()),
            Ok(source) => {
                let _working = exclusive.read();
                visit_case(source, case, walk, visitor)
            }
        };
        visitor.done(case, &output);
        outputs.push((*position, output));
    }
    if let Some(indexed) = source.ok().and_then(|source| source.indexed) {
        let visited = batch.cases.iter().zip(&mut outputs);
        let visited =
            visited.filter_map(|((_, case), (_, output))| Some((*case, output.as_mut().ok()?)));
        let mut visited: Vec<(&Case, &mut V::Output)> = visited.collect();
        let _exclusive = exclusive.write();
        // An answer may panic on this snapshot even if it did not on that of its own commit.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            visitor.finish(&indexed.snapshot, &mut visited);
        }));
    }
    outputs
}

/// A repository and its last snapshot, which keeps the blobs in memory that `blobs` reuses.
struct Source {
    git: GitRepo,
    blobs: BlobCache,
    records: Arc<CommitRecordCache>,
    indexed: Option<BuiltSnapshot>,
}

/// Visits one case. A panic is returned as an error, so that the other cases continue.
fn visit_case<V: Visitor>(
    source: &mut Source,
    case: &Case,
    walk: &Walk,
    visitor: &V,
) -> Result<V::Output, String> {
    let attempt = catch_unwind(AssertUnwindSafe(|| {
        let indexed = match source.indexed.take() {
            Some(indexed) if indexed.commit == case.commit => indexed,
            previous => source.index(case, previous, walk)?,
        };
        let output = visitor.visit(case, &indexed);
        source.indexed = Some(indexed);
        anyhow::Ok(output)
    }));
    match attempt {
        Ok(Ok(output)) => Ok(output),
        Ok(Err(error)) => Err(format!("{error:#}")),
        Err(panic) => Err(format!("panicked: {}", panic_text(panic.as_ref()))),
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    match (panic.downcast_ref::<String>(), panic.downcast_ref::<&str>()) {
        (Some(text), _) => text,
        (None, Some(text)) => text,
        (None, None) => "without a message",
    }
}

impl Source {
    fn index(
        &self,
        case: &Case,
        previous: Option<BuiltSnapshot>,
        walk: &Walk,
    ) -> anyhow::Result<BuiltSnapshot> {
        let start = Instant::now();
        let commit = self.git.resolve(&case.commit)?;
        let previous = previous.map(|p| p.snapshot);
        let before = previous.as_ref().map_or(&[][..], |p| p.files.as_slice());
        let files = (self.git).files(&commit, before, &self.blobs, &Progress::default())?;
        let history = match walk.history.commits {
            0 => None,
            _ => Some(self.history(&commit, walk)?.history),
        };
        let revision = Revision::of_commit(commit);
        let generation = previous.as_ref().map_or(1, |p| p.generation + 1);
        let snapshot = Snapshot::build(revision, generation, files, history, previous.as_ref())?;
        Ok(BuiltSnapshot {
            commit: case.commit.clone(),
            snapshot,
            index_ms: milliseconds(start.elapsed()),
        })
    }

    /// Reads the whole history within the limits, so that no case is answered with a part of it.
    fn history(&self, commit: &str, walk: &Walk) -> anyhow::Result<CommitHistory> {
        let (limits, stop) = (&walk.history, CancellationToken::new());
        let step = HistoryStep::Functions;
        Ok((self.git).history(commit, limits, &self.records, step, &stop)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_share_records_of_their_repository() {
        let case = r#"{"id":"a","repo":"a/b","commit":"c","query":"q","gold_files":[]}"#;
        let case: Case = serde_json::from_str(case).unwrap();
        let walk = Walk {
            repositories: Repositories::new("/nowhere".to_owned()),
            jobs: 2,
            history: HistoryLimits::default(),
        };
        let cases = vec![case; 60];
        let batches = batches(&cases, &walk);
        assert!(batches.len() > 1);
        let same = |batch: &Batch<'_>| Arc::ptr_eq(&batch.records, &batches[0].records);
        assert!(batches.iter().all(same));
    }
}

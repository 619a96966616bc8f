//! Walks over cases: one repository after another in each of a few jobs, each repository's commits
//! from old to new, so that a snapshot is built from its neighbour's. Only the asked commit and its
//! ancestors are read.

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
use crate::ingest::git::{GitRepo, HistoryLimits, Records, Step};

/// How cases are walked over.
#[derive(Debug)]
pub struct Walk {
    /// Where the repositories are.
    pub repositories: Repositories,
    /// How many repositories are worked on at the same time. Each holds two snapshots at most.
    pub jobs: usize,
    /// How much of the past is loaded per case.
    pub history: HistoryLimits,
}

/// What is done with the cases. All methods are called from the jobs.
pub trait Visitor: Sync {
    /// What a case yields.
    type Output: Send;

    /// A case and the snapshot of its commit.
    fn visit(&self, case: &Case, indexed: &Indexed) -> Self::Output;

    /// A case whose repository or commit cannot be read, or whose visit panicked.
    fn failed(&self, case: &Case, why: String) -> Self::Output;

    /// Called after each case.
    fn done(&self, output: &Self::Output);

    /// The cases of one repository that were visited, with the newest one's snapshot, while no other
    /// job works. `outputs` are those of the cases.
    fn quiet(&self, _cases: &[&Case], _snapshot: &Snapshot, _outputs: &mut [Self::Output]) {}
}

/// A snapshot and what building it took.
#[derive(Debug)]
pub struct Indexed {
    commit: String,
    /// The index of the case's commit.
    pub snapshot: Snapshot,
    /// Milliseconds, the previous commit's snapshot at hand.
    pub index_ms: f64,
}

/// Cases of one repository, from old to new, that one job works through.
struct Stretch<'a> {
    repo: String,
    cases: Vec<(usize, &'a Case)>,
    /// Shared by all stretches of the repository.
    records: Arc<Records>,
}

/// Visits all cases; the outputs are in the order of the cases.
pub fn sweep<V: Visitor>(cases: &[Case], walk: &Walk, visitor: &V) -> Vec<V::Output> {
    let queue = Mutex::new(stretches(cases, walk));
    let outputs: Mutex<BTreeMap<usize, V::Output>> = Mutex::new(BTreeMap::new());
    // Held for reading by whoever works, for writing by whoever wants quiet.
    let quiet = RwLock::new(());
    std::thread::scope(|scope| {
        for _ in 0..walk.jobs.max(1) {
            scope.spawn(|| {
                // In the condition of the loop the lock would be held while the work is done.
                let next = || queue.lock().pop_front();
                while let Some(stretch) = next() {
                    let done = work(&stretch, walk, &quiet, visitor);
                    outputs.lock().extend(done);
                }
            });
        }
    });
    let outputs = outputs.into_inner();
    outputs.into_values().collect()
}

/// Cases by repository and commit date, cut so that no job works on long after the others are
/// done: a first commit costs a full index, so stretches are not short either.
fn stretches<'a>(cases: &'a [Case], walk: &Walk) -> VecDeque<Stretch<'a>> {
    let mut by_repo: BTreeMap<&str, Vec<(usize, &Case)>> = BTreeMap::new();
    for (position, case) in cases.iter().enumerate() {
        by_repo
            .entry(&case.repo)
            .or_default()
            .push((position, case));
    }
    let longest = (cases.len() / (4 * walk.jobs.max(1))).max(20);
    let mut stretches = Vec::new();
    for (repo, mut cases) in by_repo {
        let times = commit_times(repo, &cases, walk);
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
fn commit_times<'a>(repo: &str, cases: &[(usize, &'a Case)], walk: &Walk) -> HashMap<&'a str, i64> {
    let Ok(git) = GitRepo::open(&walk.repositories.path(repo), &Arc::default()) else {
        return HashMap::new();
    };
    cases
        .iter()
        .filter_map(|(_, case)| Some((case.commit.as_str(), git.commit_time(&case.commit).ok()?)))
        .collect()
}

/// Visits the cases of one stretch.
fn work<V: Visitor>(
    stretch: &Stretch<'_>,
    walk: &Walk,
    quiet: &RwLock<()>,
    visitor: &V,
) -> Vec<(usize, V::Output)> {
    let mut source =
        GitRepo::open(&walk.repositories.path(&stretch.repo), &Arc::default()).map(|git| Source {
            git,
            blobs: BlobCache::new(Limits::default(), 0),
            records: Arc::clone(&stretch.records),
            indexed: None,
        });
    let mut done = Vec::new();
    let (mut visited, mut outputs) = (Vec::new(), Vec::new());
    for (position, case) in &stretch.cases {
        let output = match &mut source {
            Err(error) => Err(error.to_string()),
            Ok(source) => {
                let _working = quiet.read();
                one(source, case, walk, visitor)
            }
        };
        match output {
            Ok(output) => {
                visitor.done(&output);
                visited.push((*position, *case));
                outputs.push(output);
            }
            Err(why) => {
                let output = visitor.failed(case, why);
                visitor.done(&output);
                done.push((*position, output));
            }
        }
    }
    if let Some(indexed) = source.ok().and_then(|source| source.indexed) {
        let cases: Vec<&Case> = visited.iter().map(|(_, case)| *case).collect();
        let _quiet = quiet.write();
        // What did not panic at its own commit may do so at this one.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            visitor.quiet(&cases, &indexed.snapshot, &mut outputs);
        }));
    }
    let positions = visited.into_iter().map(|(position, _)| position);
    done.extend(positions.zip(outputs));
    done
}

/// A repository and its last snapshot, which keeps alive what `blobs` finds again.
struct Source {
    git: GitRepo,
    blobs: BlobCache,
    records: Arc<Records>,
    indexed: Option<Indexed>,
}

/// The other cases go on also where one panics.
fn one<V: Visitor>(
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
        walk: &Walk,
    ) -> anyhow::Result<Indexed> {
        let start = Instant::now();
        let commit = self.git.resolve(&case.commit)?;
        let previous = previous.map(|p| p.snapshot);
        let before = previous.as_ref().map_or(&[][..], |p| p.files.as_slice());
        let files = (self.git).files(&commit, before, &self.blobs, &Progress::default())?;
        let history = match walk.history.commits {
            0 => None,
            _ => Some(self.history(&commit, walk)?.history),
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
    fn history(&self, commit: &str, walk: &Walk) -> anyhow::Result<CommitHistory> {
        let (limits, stop) = (&walk.history, CancellationToken::new());
        let step = Step::Functions;
        let past = self
            .git
            .history(commit, limits, &self.records, step, &stop)?;
        Ok(past)
    }
}

pub(super) fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_share_what_is_known_of_a_repository() {
        let case = r#"{"id":"a","repo":"a/b","commit":"c","query":"q","gold_files":[]}"#;
        let case: Case = serde_json::from_str(case).unwrap();
        let walk = Walk {
            repositories: Repositories::new("/nowhere".to_owned()),
            jobs: 2,
            history: HistoryLimits::default(),
        };
        let cases = vec![case; 60];
        let stretches = stretches(&cases, &walk);
        assert!(stretches.len() > 1);
        let same = |stretch: &Stretch<'_>| Arc::ptr_eq(&stretch.records, &stretches[0].records);
        assert!(stretches.iter().all(same));
    }
}

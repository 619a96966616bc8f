//! The blocking half of a working tree's driver: it looks at the tree and publishes what differs.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use foveate_index::Snapshot;

use super::{Listed, Outcome, Shared, fail, publish};
use crate::engine::{BlobCache, Cause, CommitHistory, Phase, Plan, Progress, Watching, Writer};
use crate::ingest::IngestSettings;
use crate::ingest::git::Access;
use crate::ingest::tree::{Stats, TreeError, WorkingTree, is_network};
use crate::ingest::watch::{Changed, Changes, TreeWatcher};
use crate::telemetry::spans::carried;

/// What to scan.
pub(super) enum Scan {
    Everything(Cause),
    At(Changed),
}

impl Scan {
    pub(super) fn cause(&self) -> Cause {
        match self {
            Self::Everything(cause) => *cause,
            Self::At(_) => Cause::Changed,
        }
    }
}

/// The blocking half of a working tree's driver.
pub(super) struct TreeWork {
    pub(super) driver: Shared,
    pub(super) tree: WorkingTree,
    pub(super) writer: Writer,
    pub(super) watcher: Option<Arc<TreeWatcher>>,
    pub(super) watch: bool,
    /// Why events are not there, or not to be relied on, although they should be.
    pub(super) broken: Option<String>,
    pub(super) failed: bool,
    /// When every file was last looked at.
    pub(super) looked: Instant,
    /// When that was last an audit, and how many there were.
    pub(super) audited: Instant,
    pub(super) audits: u64,
    /// When it may scan changes again: a scan is followed by a pause as long as itself, so that
    /// changes without an end cost half of the time at most, and are taken together.
    pub(super) rested: tokio::time::Instant,
    /// Threads of its own for a tree on a network file system: where that hangs, those who read it
    /// do, and nobody else.
    pub(super) apart: Option<Arc<rayon::ThreadPool>>,
}

/// Enough for a file system to be waited for twice at a time.
const THREADS_APART: usize = 2;

/// Threads for a tree that may hang; `None` for one on this machine's own file systems.
pub(super) fn threads_apart(root: &Path) -> Option<Arc<rayon::ThreadPool>> {
    is_network(root)?;
    let threads = rayon::ThreadPoolBuilder::new().num_threads(THREADS_APART);
    threads.build().ok().map(Arc::new)
}

/// How what is stored of a tree's files is found. Nothing where looking for them may hang.
pub(super) fn as_stored(
    root: PathBuf,
    excluded: Vec<PathBuf>,
    access: Arc<Access>,
    stats: Arc<Stats>,
) -> impl FnOnce(&Shared, &BlobCache, &Progress) -> Option<Listed> {
    move |driver, blobs, progress| {
        if is_network(&root).is_some() {
            return None;
        }
        let mut tree = WorkingTree::new(root, excluded, access).knowing(stats);
        tree.rescan(blobs, progress, None).ok()?;
        driver.git.store(tree.git().cloned().map(Arc::new));
        Some((tree.revision(), tree.files()))
    }
}

/// A git that has held its lock for longer is not waited for.
const LOCK_AGE: Duration = Duration::from_secs(60);
/// Nor one that has the lock and changes nothing for so long.
const LOCK_CALM: Duration = Duration::from_millis(500);
/// What a git does when it has let go of its lock comes within so long: it moves `HEAD`, or takes
/// the lock again.
const AFTER_LOCK: Duration = Duration::from_millis(50);
/// How soon the end of a lock is noticed.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

impl TreeWork {
    pub(super) fn start_watching(&mut self, settings: &IngestSettings) {
        if !self.watch {
            return;
        }
        self.broken = unreliable(self.tree.root(), settings);
        if !settings.events {
            return;
        }
        let git_dir = self.git_dir();
        let pending = Arc::clone(self.writer.repository().pending());
        match TreeWatcher::new(git_dir.as_deref(), pending) {
            Ok(watcher) => {
                if self.watcher.is_some() {
                    watcher.changes().want_rescan();
                }
                self.watcher = Some(Arc::new(watcher));
            }
            Err(error) => self.broken = Some(error),
        }
    }

    /// Where `HEAD` is, or will be when `git init` is through.
    fn git_dir(&self) -> Option<PathBuf> {
        let known = self.tree.git().map(|git| git.git_dir().to_owned());
        let usual = self.tree.root().join(".git");
        known.or_else(|| usual.is_dir().then_some(usual))
    }

    /// Whether events do not tell everything, so that the files must be looked at now and then.
    pub(super) fn polls(&self) -> bool {
        self.watch && (self.failed || self.why_no_events().is_some())
    }

    fn why_no_events(&self) -> Option<String> {
        let failure = self.watcher.as_ref().and_then(|w| w.failure());
        failure.or_else(|| self.broken.clone())
    }

    /// The next changes, once they have settled.
    pub(super) async fn changed(&self, settings: &IngestSettings) -> Changed {
        match &self.watcher {
            Some(watcher) => {
                let changes = watcher.changes();
                changes
                    .settle(settings.debounce, settings.max_delay, self.rested)
                    .await;
                while self.wait_for_git(changes).await {
                    changes
                        .settle(AFTER_LOCK, settings.max_delay, self.rested)
                        .await;
                }
                changes.take()
            }
            None => std::future::pending().await,
        }
    }

    /// A checkout writes its files while it holds the lock: they are one change. A commit holds it
    /// while its hooks run, and writes none. Returns whether a lock was let go of meanwhile.
    async fn wait_for_git(&self, changes: &Changes) -> bool {
        let mut heard = Instant::now();
        let mut events = changes.sequence();
        let mut waited = false;
        while self.is_git_locked() {
            if heard.elapsed() >= LOCK_CALM {
                return false;
            }
            waited = true;
            tokio::time::sleep(POLL_INTERVAL).await;
            if changes.sequence() != events {
                (heard, events) = (Instant::now(), changes.sequence());
            }
        }
        waited
    }

    fn is_git_locked(&self) -> bool {
        let lock = self.tree.git().map(|git| git.git_dir().join("index.lock"));
        let written = lock.and_then(|lock| lock.metadata().ok()?.modified().ok());
        written.is_some_and(|at| at.elapsed().is_ok_and(|age| age < LOCK_AGE))
    }

    /// When every file is looked at although nothing is known to have changed.
    pub(super) fn next_look(&self, settings: &IngestSettings) -> Option<Instant> {
        if self.polls() {
            return Some(self.looked + settings.poll_interval);
        }
        (self.watch && !settings.audit.is_zero()).then(|| self.audited + settings.audit)
    }

    /// Why every file is looked at now.
    pub(super) fn cause(&self, settings: &IngestSettings) -> Cause {
        if !settings.audit.is_zero() && self.audited.elapsed() >= settings.audit {
            Cause::Audit
        } else {
            Cause::Changed
        }
    }

    /// Looks at every file and into some of them, and counts those that events said nothing of.
    fn audit(&mut self, progress: &Progress) -> Result<bool, TreeError> {
        let waiting = |work: &Self| work.watcher.as_ref().map(|w| w.changes().waiting());
        let is_calm = !self.polls() && waiting(self) == Some(Changed::default());
        let watcher = self.watcher.as_ref();
        let blobs = self.writer.repository().blobs();
        let differing = self.tree.audit(self.audits, blobs, progress, watcher)?;
        self.audited = Instant::now();
        self.audits += 1;
        metrics::counter!("foveate_audits_total").increment(1);
        // What changed just now is not what was missed.
        let missed = match waiting(self) {
            Some(now) if is_calm && !now.rescan => differing.difference(&now.paths).count(),
            _ => 0,
        };
        if missed > 0 {
            metrics::counter!("foveate_audit_repaired_files_total").increment(missed as u64);
            tracing::warn!(files = missed, "changed without an event; repaired");
        }
        Ok(!differing.is_empty())
    }

    fn rescan(&mut self, cause: Cause, progress: &Progress) -> Result<bool, TreeError> {
        let repository = Arc::clone(self.writer.repository());
        let writer = &mut self.writer;
        let draft = |tree: &mut WorkingTree| {
            progress.enter(Phase::Building, 0);
            writer.draft(plan(cause, tree, None));
        };
        let watcher = self.watcher.as_ref();
        self.tree
            .rescan_with(repository.blobs(), progress, watcher, draft)
    }

    pub(super) fn scan(&mut self, scan: Scan, settings: &IngestSettings) -> Outcome {
        let start = Instant::now();
        if matches!(scan, Scan::Everything(Cause::Audit)) && self.why_no_events().is_some() {
            // What there was not enough of may be there by now.
            self.start_watching(settings);
        }
        if matches!(scan, Scan::Everything(_)) {
            self.looked = start;
        }
        let is_of_changes = matches!(scan, Scan::At(_));
        let engine = Arc::clone(&self.driver.engine);
        let progress = Arc::clone(self.writer.repository().progress());
        if let Some(watcher) = &self.watcher {
            // Before `HEAD` is read, so that no move of it is missed.
            watcher.add_git_dir();
        }
        let apart = self.apart.clone();
        let read = || match scan {
            Scan::Everything(Cause::Audit) => (Cause::Audit, self.audit(&progress)),
            Scan::Everything(cause) => (cause, self.rescan(cause, &progress)),
            // What was read last is not whole.
            Scan::At(_) if self.failed => (Cause::Changed, self.rescan(Cause::Changed, &progress)),
            Scan::At(changed) => {
                let watcher = self.watcher.as_ref();
                let blobs = self.writer.repository().blobs();
                let read = self.tree.apply(&changed, blobs, &progress, watcher);
                (Cause::Changed, read)
            }
        };
        let (cause, read) = match apart {
            Some(threads) => threads.install(carried(read)),
            None => engine.pools().install(read),
        };
        if matches!(read, Err(TreeError::Cancelled(_))) {
            return Outcome::Cancelled;
        }
        self.follow_git_dir(settings);
        // Before what was read is published: who finds it ready finds how it is watched.
        self.tell_watching();
        let outcome = match read {
            Ok(changed) => self.publish(cause, changed, start),
            Err(error) => fail(&mut self.writer, error.to_string()),
        };
        self.failed = matches!(outcome, Outcome::Failed);
        if let Some(watcher) = &self.watcher {
            watcher.changes().done();
        }
        progress.enter(Phase::Idle, 0);
        if is_of_changes {
            self.rested = tokio::time::Instant::now() + start.elapsed();
        }
        outcome
    }

    /// A tree that became a repository, or another one, has a `HEAD` that is not watched yet: a new
    /// watcher asks for a scan of everything, which registers every directory.
    fn follow_git_dir(&mut self, settings: &IngestSettings) {
        self.driver
            .git
            .store(self.tree.git().cloned().map(Arc::new));
        let git_dir = self.git_dir();
        let watched = self.watcher.as_ref().map(|w| w.git_dir());
        if watched.is_some_and(|watched| watched != git_dir.as_deref()) {
            self.start_watching(settings);
        }
    }

    fn tell_watching(&mut self) {
        if !self.watch {
            return;
        }
        self.writer.set_watching(match self.why_no_events() {
            Some(reason) => Watching::Polling { reason },
            None => Watching::Events {
                directories: self.tree.directory_count(),
            },
        });
    }

    fn publish(&mut self, cause: Cause, changed: bool, start: Instant) -> Outcome {
        let revision = self.tree.revision();
        let basis = self.writer.repository().basis();
        let before = basis.as_ref().map(|basis| &basis.snapshot);
        if !changed && before.is_some_and(|before| before.revision == revision) {
            self.writer.confirm();
            return Outcome::Settled;
        }
        let plan = plan(cause, &mut self.tree, before.map(|before| &**before));
        publish(&mut self.writer, plan, start)
    }
}

/// How the tree is to be indexed after `before`.
fn plan(cause: Cause, tree: &mut WorkingTree, before: Option<&Snapshot>) -> Plan {
    let revision = tree.revision();
    // Another commit has another history; without a commit there is none to load.
    let history = if revision.commit.is_empty() {
        Some(CommitHistory::default())
    } else {
        before
            .filter(|before| before.revision.commit == revision.commit)
            .and_then(CommitHistory::of)
    };
    Plan {
        cause,
        revision,
        files: tree.files(),
        history,
    }
}

/// Why events do not tell of every change below `root`.
fn unreliable(root: &Path, settings: &IngestSettings) -> Option<String> {
    if !settings.events {
        return Some("events are switched off (`watch.events`)".to_owned());
    }
    let name = is_network(root)?;
    Some(format!(
        "the directory is on {name}, which does not tell of changes that other machines make"
    ))
}

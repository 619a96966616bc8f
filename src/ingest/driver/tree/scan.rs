//! Scans a working tree and publishes what changed: the blocking half of its task.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use foveate_index::{Revision, Snapshot};
use tokio::time::timeout;

use crate::engine::{
    BlobCache, Cause, CommitHistory, IndexInput, Phase, Progress, Watching, Writer,
};
use crate::ingest::IngestSettings;
use crate::ingest::driver::{Driver, Listed, ScanOutcome, fail_scan, publish_scan};
use crate::ingest::schedule::retry_wait;
use crate::ingest::tree::{TreeError, WorkingTree, network_file_system};
use crate::ingest::watch::{ChangeCollector, ChangeSet, TreeWatcher};
use crate::telemetry::spans::{carried, spawn_blocking};

pub(super) enum Scan {
    Full(Cause),
    Changes(ChangeSet),
}

impl Scan {
    pub(super) fn cause(&self) -> Cause {
        match self {
            Self::Full(cause) => *cause,
            Self::Changes(_) => Cause::Changed,
        }
    }
}

/// The blocking half of a working tree's driver.
pub(super) struct TreeWork {
    driver: Driver,
    tree: WorkingTree,
    pub(super) writer: Writer,
    watcher: Option<Arc<TreeWatcher>>,
    watch: bool,
    /// Why wanted events are missing or unreliable.
    broken: Option<String>,
    schedule: ScanSchedule,
    /// Own threads of a tree on a network file system: if that hangs, it blocks only these.
    pub(super) own_threads: Option<Arc<rayon::ThreadPool>>,
}

/// The times of the last scans, which decide that of the next one.
struct ScanSchedule {
    /// Number of scans in a row that failed.
    failures: u32,
    /// Time of the last scan that was a full one or failed.
    scanned: Instant,
    /// Wait after that until a polled tree is scanned again.
    poll_wait: Duration,
    /// Time of the last audit.
    audited: Instant,
    audits: u64,
    /// Earliest time of the next scan of changes. Each scan is followed by a pause as long as itself, so
    /// that endless changes take at most half of the time, and are scanned together.
    paused_until: tokio::time::Instant,
}

impl ScanSchedule {
    fn new(poll_wait: Duration) -> Self {
        Self {
            failures: 0,
            scanned: Instant::now(),
            poll_wait,
            audited: Instant::now(),
            audits: 0,
            paused_until: tokio::time::Instant::now(),
        }
    }
}

/// Threads of a tree on a network file system: two waits at a time.
const NETWORK_THREADS: usize = 2;

/// Starts threads for a tree whose file system may hang; returns `None` for a local file system.
fn network_threads(root: &Path) -> Option<Arc<rayon::ThreadPool>> {
    network_file_system(root)?;
    let threads = rayon::ThreadPoolBuilder::new().num_threads(NETWORK_THREADS);
    threads.build().ok().map(Arc::new)
}

/// Returns a function that lists the files of a tree with the facts of a given blob cache. It returns
/// `None` on a network file system, where listing may hang.
pub(super) fn list_stored(
    root: PathBuf,
) -> impl FnOnce(&Driver, &BlobCache, &Progress) -> Option<Listed> {
    move |driver, blobs, progress| {
        if network_file_system(&root).is_some() {
            return None;
        }
        let mut tree = driver.tree(root);
        tree.rescan(blobs, progress, None).ok()?;
        driver.git.store(tree.git().cloned().map(Arc::new));
        Some((tree.revision(), tree.files()))
    }
}

/// A lock of git older than this is not waited for.
const MAX_LOCK_AGE: Duration = Duration::from_secs(60);
/// Nor is a lock whose holder has changed nothing for this long.
const MAX_LOCK_IDLE: Duration = Duration::from_millis(500);
/// Time within which git acts after it releases its lock: it moves `HEAD`, or takes the lock again.
const AFTER_LOCK: Duration = Duration::from_millis(50);
/// Time between two checks of a lock.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

impl TreeWork {
    /// Opens the tree at `path`, and follows its events if `watch`. Blocks; scans nothing.
    pub(super) fn open(driver: Driver, path: PathBuf, watch: bool, writer: Writer) -> Self {
        let own_threads = network_threads(&path);
        let tree = driver.tree(path);
        driver.git.store(tree.git().cloned().map(Arc::new));
        let mut work = Self {
            tree,
            writer,
            watcher: None,
            watch,
            broken: None,
            schedule: ScanSchedule::new(driver.settings.poll_interval),
            own_threads,
            driver,
        };
        work.start_watching();
        work
    }

    fn start_watching(&mut self) {
        if !self.watch {
            return;
        }
        self.broken = unreliable(self.tree.root(), &self.driver.settings);
        if !self.driver.settings.events {
            return;
        }
        let git_dir = self.git_dir();
        let pending = Arc::clone(&self.writer.repository().pending);
        match TreeWatcher::new(git_dir.as_deref(), pending) {
            Ok(watcher) => {
                if self.watcher.is_some() {
                    watcher.changes.want_rescan();
                }
                self.watcher = Some(Arc::new(watcher));
            }
            Err(error) => self.broken = Some(error),
        }
    }

    /// Returns the directory that holds `HEAD`, or will hold it once `git init` is done.
    fn git_dir(&self) -> Option<PathBuf> {
        let known = self.tree.git().map(|git| git.git_dir().to_owned());
        let usual = self.tree.root().join(".git");
        known.or_else(|| usual.is_dir().then_some(usual))
    }

    /// Whether the last scan failed, so that the known files may be incomplete.
    pub(super) fn failed(&self) -> bool {
        self.schedule.failures > 0
    }

    /// Whether events may miss changes, so that the tree must be polled.
    fn polls(&self) -> bool {
        self.watch && (self.failed() || self.why_no_events().is_some())
    }

    fn why_no_events(&self) -> Option<String> {
        let failure = self.watcher.as_ref().and_then(|w| w.failure());
        failure.or_else(|| self.broken.clone())
    }

    /// Waits for the next changes until they have settled, and returns them.
    pub(super) async fn changed(&self) -> ChangeSet {
        let settings = &self.driver.settings;
        match &self.watcher {
            Some(watcher) => {
                let changes = &watcher.changes;
                changes
                    .settle(
                        settings.debounce, settings.max_delay, self.schedule.paused_until,
                    )
                    .await;
                let latest = Instant::now() + MAX_LOCK_AGE;
                while Instant::now() < latest && self.wait_for_git(changes).await {
                    changes
                        .settle(AFTER_LOCK, settings.max_delay, self.schedule.paused_until)
                        .await;
                }
                changes.take()
            }
            None => std::future::pending().await,
        }
    }

    /// Waits until git releases its lock. A checkout writes its files while it holds the lock: they are
    /// one change. A commit holds the lock while its hooks run, and writes no files: that wait ends early.
    /// Returns whether a lock was released meanwhile.
    async fn wait_for_git(&self, changes: &ChangeCollector) -> bool {
        let Some(git) = self.tree.git() else {
            return false;
        };
        let lock = git.git_dir().join("index.lock");
        let mut last_event = Instant::now();
        let mut events = changes.sequence();
        let mut waited = false;
        while is_held(lock.clone()).await {
            if last_event.elapsed() >= MAX_LOCK_IDLE {
                return false;
            }
            waited = true;
            tokio::time::sleep(POLL_INTERVAL).await;
            if changes.sequence() != events {
                (last_event, events) = (Instant::now(), changes.sequence());
            }
        }
        waited
    }

    /// Returns the time of the next full scan without a known change: a poll or an audit.
    pub(super) fn next_full_scan(&self) -> Option<Instant> {
        let settings = &self.driver.settings;
        if self.polls() {
            return Some(self.schedule.scanned + self.schedule.poll_wait);
        }
        (self.watch && !settings.audit.is_zero()).then(|| self.schedule.audited + settings.audit)
    }

    /// Returns the cause of a full scan that is due now.
    pub(super) fn cause(&self) -> Cause {
        let audit = self.driver.settings.audit;
        if !audit.is_zero() && self.schedule.audited.elapsed() >= audit {
            Cause::Audit
        } else {
            Cause::Changed
        }
    }

    /// Checks the stats of all files and the content of some, and counts the changes that events missed.
    fn audit(&mut self, progress: &Progress) -> Result<bool, TreeError> {
        let waiting = |work: &Self| work.watcher.as_ref().map(|w| w.changes.waiting());
        let is_calm = !self.polls() && waiting(self) == Some(ChangeSet::default());
        let watcher = self.watcher.as_ref();
        let blobs = &self.writer.repository().blobs;
        let differing = self
            .tree
            .audit(self.schedule.audits, blobs, progress, watcher)?;
        self.schedule.audited = Instant::now();
        self.schedule.audits += 1;
        metrics::counter!("foveate_audits_total").increment(1);
        // Changes whose events have arrived meanwhile were not missed.
        let missed = match waiting(self) {
            Some(now) if is_calm && !now.rescan => differing.difference(&now.paths).count(),
            _ => 0,
        };
        if missed > 0 {
            metrics::counter!("foveate_audit_repaired_files_total").increment(missed as u64);
            tracing::warn!(
                files = missed,
                "found changes that no event reported, and indexed them"
            );
        }
        Ok(!differing.is_empty())
    }

    pub(super) fn scan(&mut self, scan: Scan) -> ScanOutcome {
        let start = Instant::now();
        if matches!(scan, Scan::Full(Cause::Audit)) && self.why_no_events().is_some() {
            // The system limit that prevented events may no longer be exhausted.
            self.start_watching();
        }
        if matches!(scan, Scan::Full(_)) {
            self.schedule.scanned = start;
        }
        let is_of_changes = matches!(scan, Scan::Changes(_));
        if let Some(watcher) = &self.watcher {
            // Before `HEAD` is read, so that no change of it is missed.
            watcher.add_git_dir();
        }
        let (cause, read) = self.read(scan);
        if matches!(read, Err(TreeError::Cancelled(_))) {
            return ScanOutcome::Cancelled;
        }
        // The wait does not grow after a missing directory, which costs nothing to look for, nor after changes, whose
        // times the wait does not decide.
        let waits_longer = !is_of_changes && !matches!(read, Err(TreeError::Unreadable { .. }));
        let outcome = self.finish_scan(cause, read, start);
        if matches!(outcome, ScanOutcome::Failed) {
            self.schedule.failures = match waits_longer {
                true => self.schedule.failures.saturating_add(1),
                false => self.schedule.failures.max(1),
            };
            self.schedule.scanned = start;
            self.report_watching(self.writer.repository().status().error.clone());
        } else {
            self.schedule.failures = 0;
        }
        self.schedule.poll_wait =
            poll_wait(self.driver.settings.poll_interval, self.schedule.failures);
        if let Some(watcher) = &self.watcher {
            watcher.changes.done();
        }
        self.writer.repository().progress.enter(Phase::Idle, 0);
        if is_of_changes {
            self.schedule.paused_until = tokio::time::Instant::now() + start.elapsed();
        }
        outcome
    }

    /// Reads what changed, on the threads of the tree. Returns whether the known files changed, and the cause to report.
    fn read(&mut self, scan: Scan) -> (Cause, Result<bool, TreeError>) {
        let engine = Arc::clone(&self.driver.engine);
        let progress = Arc::clone(&self.writer.repository().progress);
        let own_threads = self.own_threads.clone();
        let read = || {
            let watcher = self.watcher.as_ref();
            let blobs = &self.writer.repository().blobs;
            match scan {
                Scan::Full(Cause::Audit) => (Cause::Audit, self.audit(&progress)),
                Scan::Changes(changed) if !self.failed() => {
                    let read = self.tree.apply(&changed, blobs, &progress, watcher);
                    (Cause::Changed, read)
                }
                scan => (scan.cause(), self.tree.rescan(blobs, &progress, watcher)),
            }
        };
        match own_threads {
            Some(threads) => threads.install(carried(read)),
            None => engine.pools.install(read),
        }
    }

    /// Publishes what was read, or why it could not be read.
    fn finish_scan(
        &mut self,
        cause: Cause,
        read: Result<bool, TreeError>,
        start: Instant,
    ) -> ScanOutcome {
        let changed = match read {
            // A failed scan may have changed the known files, too.
            Ok(changed) => changed || self.failed(),
            Err(error) => {
                self.follow_git_dir();
                return fail_scan(&mut self.writer, error.to_string());
            }
        };
        // This may find a repository that was created meanwhile.
        let revision = self.tree.revision();
        self.writer
            .set_git_error(self.tree.git_error().map(str::to_owned));
        self.follow_git_dir();
        // Before publishing: whoever sees the repository ready also sees how it is watched.
        self.report_watching(None);
        self.publish_if_changed(cause, changed, revision, start)
    }

    /// Restarts watching when the tree's git directory has changed, as its `HEAD` is not watched yet. The
    /// new watcher requests a full scan, which registers every directory.
    fn follow_git_dir(&mut self) {
        self.driver
            .git
            .store(self.tree.git().cloned().map(Arc::new));
        let git_dir = self.git_dir();
        let watched = self.watcher.as_ref().map(|w| w.git_dir());
        if watched.is_some_and(|watched| watched != git_dir.as_deref()) {
            self.start_watching();
        }
    }

    /// Reports how changes are noticed: by polling where events may miss some, or after a `failure`.
    fn report_watching(&mut self, failure: Option<String>) {
        if !self.watch {
            return;
        }
        let reason = self.why_no_events().or(failure);
        self.writer.set_watching(match reason {
            Some(reason) => Watching::Polling { reason },
            None => Watching::Events {
                directories: self.tree.directory_count(),
            },
        });
    }

    /// Publishes the index of the tree, unless it equals the current snapshot.
    fn publish_if_changed(
        &mut self,
        cause: Cause,
        changed: bool,
        revision: Revision,
        start: Instant,
    ) -> ScanOutcome {
        let basis = self.writer.repository().current_unless_stale();
        let before = basis.as_ref().map(|basis| &basis.snapshot);
        let commit = revision.commit.clone();
        let outcome = if !changed && before.is_some_and(|before| before.revision == revision) {
            self.writer.mark_up_to_date();
            ScanOutcome::Settled
        } else {
            let input = input(cause, revision, &self.tree, before.map(|before| &**before));
            publish_scan(&mut self.writer, input, start)
        };
        match outcome {
            ScanOutcome::Settled if self.wants_history(cause, &commit) => {
                ScanOutcome::WantsHistory(commit)
            }
            outcome => outcome,
        }
    }

    /// Whether the history of the current commit is to be read again: it could not be read and somebody asks for it, or a
    /// shallow clone has got older commits.
    fn wants_history(&self, cause: Cause, commit: &str) -> bool {
        let lacks_history =
            || cause == Cause::Sync && self.writer.repository().status().history_error.is_some();
        !commit.is_empty() && (lacks_history() || self.driver.is_history_outdated())
    }
}

/// Whether git holds a lock. If the file system does not answer, the lock counts as free.
async fn is_held(lock: PathBuf) -> bool {
    let written = spawn_blocking(move || lock.metadata()?.modified());
    match timeout(MAX_LOCK_IDLE, written).await {
        Ok(Ok(Ok(at))) => at.elapsed().is_ok_and(|age| age < MAX_LOCK_AGE),
        _ => false,
    }
}

/// Returns the wait from one scan of a polled tree to the next, after so many failures in a row.
fn poll_wait(interval: Duration, failures: u32) -> Duration {
    match failures.checked_sub(1) {
        Some(before) => retry_wait(interval, before),
        None => interval,
    }
}

/// Returns the input of indexing the tree after the snapshot `before`.
fn input(
    cause: Cause,
    revision: Revision,
    tree: &WorkingTree,
    before: Option<&Snapshot>,
) -> IndexInput {
    // Another commit has another history; without a commit there is none to load.
    let history = if revision.commit.is_empty() {
        Some(CommitHistory::default())
    } else {
        before
            .filter(|before| before.revision.commit == revision.commit)
            .and_then(CommitHistory::of)
    };
    IndexInput {
        cause,
        revision,
        files: tree.files(),
        history,
    }
}

/// Returns why events do not report every change below `root`; `None` if they do.
fn unreliable(root: &Path, settings: &IngestSettings) -> Option<String> {
    if !settings.events {
        return Some("events are switched off (`watch.events`)".to_owned());
    }
    let name = network_file_system(root)?;
    Some(format!(
        "the directory is on {name}, which does not report changes made by other machines"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tree_that_cannot_be_indexed_is_scanned_less_and_less_often() {
        let interval = Duration::from_secs(10);
        assert_eq!(poll_wait(interval, 0), interval);
        for (failures, max) in [(1, 10), (2, 20), (3, 40), (6, 320), (100, 3600)] {
            let wait = poll_wait(interval, failures);
            let max = Duration::from_secs(max);
            assert!(max / 2 <= wait && wait <= max, "{failures}: {wait:?}");
        }
    }
}

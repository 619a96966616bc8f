//! The task of a working tree: scans it at the start, after file system events, at polls and on request. Its blocking
//! half is in [`scan`].

mod scan;

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tracing::{Instrument as _, Span};

use super::{Driver, Loaded, Loading, ScanOutcome, finished};
use crate::engine::{Cause, Writer};
use crate::ingest::schedule::sleep_until;
use crate::ingest::tree::WorkingTree;
use scan::{Scan, TreeWork, list_stored};

/// A full scan of a working tree that is due.
struct FullScan {
    cause: Cause,
    run: Span,
    /// The wait for a permit; `None` for a tree that needs none. It is kept while changes are scanned: a wait that is
    /// dropped loses its place in the queue.
    permit: Option<PermitWait>,
}

/// What the task of a working tree does next.
enum Step {
    /// Scan in this run, which may need the permit.
    Scan(Scan, Option<OwnedSemaphorePermit>, Span),
    /// Let a full scan with this cause wait for its permit.
    Schedule(Cause),
    /// Add a history that was loaded, or whose loading failed.
    AddHistory((Loading, Loaded, Span)),
    /// End the task.
    Stop,
}

type PermitWait = Pin<Box<dyn Future<Output = Option<OwnedSemaphorePermit>> + Send>>;

impl Driver {
    /// Keeps a working tree current until it is told to stop.
    pub async fn drive_tree(
        self,
        path: PathBuf,
        watch: bool,
        writer: Writer,
        mut syncs: mpsc::Receiver<()>,
    ) {
        let run = self.run_span(Cause::Registered);
        let begin = self.begin_tree(path, watch, writer);
        let Some(mut work) = begin.instrument(run.clone()).await else {
            return;
        };
        let mut history: Option<Loading> = None;
        // A run's span is dropped where its work ends: an idle repository has none.
        let mut due = Some(self.full_scan(&work, Cause::Registered, run));
        loop {
            let step = self.next_step(&work, &mut due, &mut history, &mut syncs);
            let (scan, permit, run) = match step.await {
                Step::Scan(scan, permit, run) => (scan, permit, run),
                Step::Schedule(cause) => {
                    due = Some(self.full_scan(&work, cause, self.run_span(cause)));
                    continue;
                }
                Step::AddHistory(done) => {
                    let added = self.add_history(work, |work| &mut work.writer, done);
                    let Some((back, loading)) = added.await else {
                        return;
                    };
                    (work, history) = (back, loading);
                    continue;
                }
                Step::Stop => return,
            };
            let at_once = scan.cause() == Cause::Sync;
            let scanned = self.scan(work, scan, permit).instrument(run.clone());
            let Some((back, outcome)) = scanned.await else {
                return;
            };
            work = back;
            match outcome {
                ScanOutcome::WantsHistory(commit) => {
                    history = self.load_first(commit, history, at_once, run);
                }
                ScanOutcome::Settled | ScanOutcome::Failed => {}
                ScanOutcome::Cancelled => return,
            }
        }
    }

    /// Waits until there is something to do.
    async fn next_step(
        &self,
        work: &TreeWork,
        due: &mut Option<FullScan>,
        history: &mut Option<Loading>,
        syncs: &mut mpsc::Receiver<()>,
    ) -> Step {
        let poll = work.next_full_scan();
        let is_idle = due.is_none();
        // Before the first scan and after a failed one, the known files are incomplete, and changes wait for the full
        // scan.
        let is_complete = |due: &FullScan| due.cause != Cause::Registered && !work.failed();
        let takes_changes = due.as_ref().is_none_or(is_complete);
        tokio::select! {
            biased;
            () = self.tasks.stop.cancelled() => Step::Stop,
            // Before changes: other repositories wait for its permit.
            begun = begun(due) => match begun {
                Some((cause, permit, run)) => Step::Scan(Scan::Full(cause), permit, run),
                None => Step::Stop,
            },
            Some(()) = syncs.recv(), if is_idle => Step::Schedule(Cause::Sync),
            changed = work.changed(), if takes_changes => {
                Step::Scan(Scan::Changes(changed), None, self.run_span(Cause::Changed))
            }
            done = finished(history) => Step::AddHistory(done),
            () = sleep_until(poll), if is_idle => Step::Schedule(work.cause()),
        }
    }

    /// Publishes the stale index, if there is one, and opens the tree. Returns `None` when told to stop.
    async fn begin_tree(&self, path: PathBuf, watch: bool, writer: Writer) -> Option<TreeWork> {
        let read = list_stored(path.clone());
        let writer = self.serve_stale(writer, read).await?;
        let driver = self.clone();
        self.blocking(move || TreeWork::open(driver, path, watch, writer))
            .await
    }

    /// Prepares a full scan, which waits for a permit. A scan of changed files does not, so that a save never waits
    /// for other repositories. Nor does a tree on a network file system: if that hangs, it would block the others.
    fn full_scan(&self, work: &TreeWork, cause: Cause, run: Span) -> FullScan {
        let (engine, repository) = (Arc::clone(&self.engine), Arc::clone(&self.repository));
        let wait: PermitWait = Box::pin(async move { engine.index_permit(&repository).await });
        FullScan {
            cause,
            run,
            permit: work.own_threads.is_none().then_some(wait),
        }
    }

    /// Scans the tree off the async threads, and holds the permit meanwhile. Returns `None` when that panicked.
    async fn scan(
        &self,
        mut work: TreeWork,
        scan: Scan,
        permit: Option<OwnedSemaphorePermit>,
    ) -> Option<(TreeWork, ScanOutcome)> {
        self.blocking(move || {
            let outcome = work.scan(scan);
            drop(permit);
            (work, outcome)
        })
        .await
    }

    /// Creates the reader of a working tree. The program's own directory is never indexed, even inside a repository.
    fn tree(&self, root: PathBuf) -> WorkingTree {
        let excluded = vec![self.settings.data_dir.clone()];
        WorkingTree::new(root, excluded, Arc::clone(&self.read_limits))
            .with_stats(Arc::clone(&self.stats))
    }
}

/// Waits until the due full scan may begin, and takes it out, with its permit if it needs one; waits for ever if none
/// is due. Returns `None` when there are no permits any more.
async fn begun(due: &mut Option<FullScan>) -> Option<(Cause, Option<OwnedSemaphorePermit>, Span)> {
    let permit = match due {
        Some(FullScan {
            permit: Some(wait), ..
        }) => Some(wait.await?),
        Some(_) => None,
        None => std::future::pending().await,
    };
    let FullScan { cause, run, .. } = due.take()?;
    Some((cause, permit, run))
}

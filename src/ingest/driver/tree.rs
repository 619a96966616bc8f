//! The blocking half of a working tree's driver: it looks at the tree and publishes what differs.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use super::{Outcome, Shared, fail, publish};
use crate::engine::{Cause, Engine, Past, Phase, Plan, Progress, Watching, Writer};
use crate::ingest::IngestSettings;
use crate::ingest::tree::{TreeError, WorkingTree};
use crate::ingest::watch::{Changed, TreeWatcher};

/// What to look at.
pub(super) enum Look {
    Everything(Cause),
    At(Changed),
}

/// The blocking half of a working tree's driver.
pub(super) struct TreeWork {
    pub(super) driver: Shared,
    pub(super) tree: WorkingTree,
    pub(super) writer: Writer,
    pub(super) watcher: Option<Arc<TreeWatcher>>,
    pub(super) watch: bool,
    /// Why there is no watcher although there should be one.
    pub(super) broken: Option<String>,
    pub(super) failed: bool,
}

impl TreeWork {
    pub(super) fn start_watching(&mut self) {
        if !self.watch {
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
    pub(super) fn sweeps(&self) -> bool {
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
                changes.settle(settings.debounce, settings.max_delay).await;
                changes.take()
            }
            None => std::future::pending().await,
        }
    }

    fn rescan(&mut self, engine: &Engine, progress: &Progress) -> Result<bool, TreeError> {
        let watcher = self.watcher.as_ref();
        self.tree.rescan(engine.blobs(), progress, watcher)
    }

    pub(super) fn look(&mut self, look: Look) -> Outcome {
        let start = Instant::now();
        let engine = Arc::clone(&self.driver.engine);
        let progress = Arc::clone(self.writer.repository().progress());
        if let Some(watcher) = &self.watcher {
            // Before `HEAD` is read, so that no move of it is missed.
            watcher.add_git_dir();
        }
        let (cause, read) = engine.pool().install(|| match look {
            Look::Everything(cause) => (cause, self.rescan(&engine, &progress)),
            Look::At(changed) => {
                let watcher = self.watcher.as_ref();
                let read = self
                    .tree
                    .apply(&changed, engine.blobs(), &progress, watcher);
                (Cause::Changed, read)
            }
        });
        let outcome = match read {
            Ok(changed) => self.publish(cause, changed, start),
            Err(TreeError::Cancelled(_)) => return Outcome::Cancelled,
            Err(error) => fail(&mut self.writer, error.to_string()),
        };
        self.failed = matches!(outcome, Outcome::Failed);
        if let Some(watcher) = &self.watcher {
            watcher.changes().done();
        }
        if self.watch {
            self.writer.set_watching(match self.why_no_events() {
                Some(reason) => Watching::Sweeping { reason },
                None => Watching::Events {
                    directories: self.tree.directory_count(),
                },
            });
        }
        progress.enter(Phase::Idle, 0);
        outcome
    }

    fn publish(&mut self, cause: Cause, changed: bool, start: Instant) -> Outcome {
        let revision = self.tree.revision();
        self.driver
            .git
            .store(self.tree.git().cloned().map(Arc::new));
        let git_dir = self.git_dir();
        let watched = self.watcher.as_ref().map(|w| w.git_dir());
        if watched.is_some_and(|watched| watched != git_dir.as_deref()) {
            // It became a repository, or another one, whose `HEAD` is not watched yet: the new
            // watcher asks for a look at everything, which registers every directory.
            self.start_watching();
        }
        let current = self.writer.repository().current();
        let before = current.as_ref().map(|c| &c.snapshot);
        if !changed && before.is_some_and(|before| before.revision == revision) {
            self.writer.confirm();
            return Outcome::Settled;
        }
        // Another commit has another past; without a commit there is none to load.
        let past = if revision.commit.is_empty() {
            Some(Past::default())
        } else {
            before
                .filter(|before| before.revision.commit == revision.commit)
                .and_then(|before| Past::of(before))
        };
        let plan = Plan {
            cause,
            revision,
            files: self.tree.files(),
            past,
        };
        publish(&mut self.writer, plan, start)
    }
}

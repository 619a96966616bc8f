//! Starts the tasks of a repository: one follows its source, one serves revisions, one writes its index to disk.

use std::path::PathBuf;
use std::sync::Arc;

use arc_swap::ArcSwapOption;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::Catalog;
use crate::engine::{Commands, RepoName, Repository, Source, Writer};
use crate::ingest::clone_path;
use crate::ingest::driver::{Driver, GitSource};
use crate::ingest::flush::flush;
use crate::ingest::git::remote::LocalClone;
use crate::ingest::git::{CommitRecordCache, LocalPaths, LocationError, ReadLimits};
use crate::ingest::revisions::RevisionBuilder;
use crate::ingest::task_group::TaskGroup;
use crate::ingest::tree::Stats;

impl Catalog {
    /// Adds a repository and starts its tasks; returns `None` when the name is in use.
    pub(super) fn start(&self, name: RepoName, source: Source) -> Option<Arc<Repository>> {
        let (writer, commands) = self.engine.add(name, source, None)?;
        Some(self.drive(writer, commands))
    }

    /// Starts the tasks of a repository.
    pub(super) fn drive(&self, writer: Writer, commands: Commands) -> Arc<Repository> {
        let repository = Arc::clone(writer.repository());
        let tasks = TaskGroup::new(self.stop.child_token());
        let (name, source) = (repository.name.clone(), repository.source.clone());
        self.spawn(source, writer, commands, &tasks);
        tasks.tracker.close();
        // The catalog's own tracker waits for all of them.
        let tracker = tasks.tracker.clone();
        self.tracker.spawn(async move { tracker.wait().await });
        self.tasks.insert(name, tasks);
        repository
    }

    fn spawn(&self, source: Source, mut writer: Writer, commands: Commands, tasks: &TaskGroup) {
        let repository = Arc::clone(writer.repository());
        let clone = self.clone_of(&source, &repository.name);
        let local_clone = clone.as_ref().ok().cloned().flatten();
        let driver = Driver {
            engine: Arc::clone(&self.engine),
            settings: Arc::clone(&self.settings),
            read_limits: self.read_limits_of(&repository.name, local_clone.is_some()),
            transfers: Arc::clone(&self.transfers),
            tasks: tasks.clone(),
            git: Arc::new(ArcSwapOption::empty()),
            local_clone,
            records: Arc::new(CommitRecordCache::of(&repository.store)),
            boundary: Arc::default(),
            stats: Arc::new(Stats::of(&repository.store)),
            repository,
        };
        let builder = RevisionBuilder::new(driver.clone());
        tasks.tracker.spawn(builder.serve(commands.requests));
        tasks.tracker.spawn(flush(driver.clone()));
        if let Err(error) = clone {
            // Allowed when it was registered, but no longer.
            return writer.fail(error.to_string());
        }
        let following = follow(source, driver, writer, commands.syncs);
        tasks.tracker.spawn(following);
    }

    /// Returns the paths where a repository, its git directory and its objects may lie.
    fn read_limits_of(&self, name: &RepoName, is_clone: bool) -> Arc<ReadLimits> {
        if is_clone {
            // Git made the clone here, and nothing else writes to it.
            return Arc::new(ReadLimits {
                local_paths: LocalPaths::Anywhere,
                ..ReadLimits::clone(&self.settings.read_limits)
            });
        }
        let trusted = self.trusted.get(name);
        Arc::clone(trusted.as_deref().unwrap_or(&self.settings.read_limits))
    }

    /// Returns the local clone of a remote repository; `None` for a repository on this machine.
    fn clone_of(
        &self,
        source: &Source,
        name: &RepoName,
    ) -> Result<Option<Arc<LocalClone>>, LocationError> {
        let Source::Git { location, .. } = source else {
            return Ok(None);
        };
        let connection = self
            .settings
            .connection_to(location, || self.credentials.of(name))?;
        let path = clone_path(&self.settings.data_dir, name);
        Ok(connection.map(|connection| Arc::new(LocalClone::new(connection, path))))
    }
}

/// Follows the source of a repository until told to stop.
async fn follow(source: Source, driver: Driver, writer: Writer, syncs: mpsc::Receiver<()>) {
    let (stop, repository) = (driver.tasks.stop.clone(), Arc::clone(&driver.repository));
    let driving = async {
        match source {
            Source::WorkingTree { path, watch } => {
                driver.drive_tree(path, watch, writer, syncs).await;
            }
            Source::Git {
                location,
                reference,
                poll,
            } => {
                let source = GitSource {
                    directory: match &driver.local_clone {
                        Some(clone) => clone.directory().to_owned(),
                        None => PathBuf::from(location),
                    },
                    reference: reference.unwrap_or_else(|| "HEAD".to_owned()),
                    poll,
                };
                driver.drive_git(source, writer, syncs).await;
            }
        }
    };
    watch_for_defect(driving, stop, || repository.fail_on_defect()).await;
}

/// Awaits the task `driving` and calls `report_defect` if it ended without being stopped.
async fn watch_for_defect(
    driving: impl Future<Output = ()>,
    stop: CancellationToken,
    report_defect: impl FnOnce(),
) {
    driving.await;
    if !stop.is_cancelled() {
        report_defect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_unstopped_end_is_reported_as_defect() {
        for is_stopped in [false, true] {
            let stop = CancellationToken::new();
            if is_stopped {
                stop.cancel();
            }
            let mut is_reported = false;
            watch_for_defect(async {}, stop, || is_reported = true).await;
            assert_eq!(is_reported, !is_stopped);
        }
    }
}

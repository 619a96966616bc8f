//! Decides which repositories are in memory: at startup the most recently used ones, as many as fit; later those that
//! are asked. Above the memory budget the least recently used one is evicted: its tasks end, which stores its index,
//! and are started again on demand.

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use super::Catalog;
use crate::access::Grant;
use crate::engine::{RepoName, Repository, Source, UnloadedRepository};
use crate::ingest::task_group::TaskGroup;
use crate::telemetry::process;
use crate::telemetry::spans::spawn_blocking;

/// Time between two checks of the memory in use.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);
/// Time limit for the tasks of an evicted repository to end. After it another repository is evicted as well: the file
/// system of the first may hang.
const EVICT_TIMEOUT: Duration = Duration::from_secs(20);

impl Catalog {
    /// Starts the repositories that fit into memory, the most recently used first; the others stay unloaded.
    /// The first one is always started, and so is each one that has no stored index.
    pub(super) async fn start_fitting(&self, registered: Vec<(RepoName, Source)>) {
        let mut known = Vec::new();
        for (name, source) in registered {
            let (engine, repo) = (Arc::clone(&self.engine), name.clone());
            let stored = spawn_blocking(move || UnloadedRepository::read(&engine.store_of(&repo)));
            known.push((stored.await.ok().flatten(), name, source));
        }
        known.sort_by_key(|(stored, ..)| Reverse(stored.as_ref().map(|stored| stored.used)));
        let (mut taken, mut is_first) = (self.memory_held(), true);
        for (stored, name, source) in known {
            let Some(stored) = stored else {
                self.start(name, source);
                continue;
            };
            taken = taken.saturating_add(stored.bytes);
            let added = self.engine.add(name.clone(), source, Some(stored));
            let Some((mut writer, commands)) = added else {
                continue;
            };
            let fits = is_first || taken <= self.settings.memory_bytes;
            is_first = false;
            if fits {
                // Not ready until it is in memory; earlier questions wait.
                writer.begin();
                self.drive(writer, commands);
            } else {
                self.unloaded.insert(name, (writer, commands));
            }
        }
    }

    /// Reloads wanted repositories and evicts others above the memory budget, until the service stops.
    pub async fn keep_within_memory(self: Arc<Self>) {
        let reload = async {
            loop {
                self.engine.reload_wanted.notified().await;
                self.reload_wanted();
            }
        };
        let evict = async {
            loop {
                tokio::time::sleep(CHECK_INTERVAL).await;
                while self.holds_too_much() {
                    if !self.free_blobs_or_evict().await {
                        break;
                    }
                }
            }
        };
        tokio::select! {
            () = self.stop.cancelled() => {}
            () = reload => {}
            () = evict => {}
        }
        // Nothing reloads them from here on, so the questions that wait for one must end.
        self.unloaded.clear();
    }

    /// Starts the tasks of each unloaded repository that a question waits for, once per repository.
    fn reload_wanted(&self) {
        let unloaded = self.unloaded.iter();
        let wanted = unloaded.filter(|entry| entry.value().0.repository().is_reload_requested());
        let wanted: Vec<RepoName> = wanted.map(|entry| entry.key().clone()).collect();
        for name in wanted {
            if let Some((_, (writer, commands))) = self.unloaded.remove(&name) {
                tracing::debug!(repo = %name, "reloading");
                self.drive(writer, commands);
            }
        }
    }

    /// Frees cached blobs that no index holds; if there are none, evicts a repository. Returns whether
    /// something was freed.
    async fn free_blobs_or_evict(self: &Arc<Self>) -> bool {
        if self.engine.blobs.stats().kept_bytes > 0 {
            let blobs = self.engine.blobs.clone();
            return spawn_blocking(move || blobs.drop_recent()).await.is_ok();
        }
        let Some(oldest) = self.least_recently_used() else {
            return false;
        };
        let is_evicted = self.evict(&oldest).await;
        // The memory counts until it is freed, and would cause the next eviction.
        let _ = self.free(oldest).await;
        is_evicted
    }

    /// Returns the least recently used repository in memory; `None` if fewer than two are in memory.
    fn least_recently_used(&self) -> Option<Arc<Repository>> {
        let mut resident = self.engine.repositories(&Grant::unrestricted());
        let is_driven = |name: &RepoName| {
            let tasks = self.tasks_of(name);
            tasks.is_some_and(|tasks| !tasks.stop.is_cancelled())
        };
        resident.retain(|repository| repository.current().is_some() && is_driven(&repository.name));
        if resident.len() < 2 {
            return None;
        }
        // The others are evicted last: requests for their revisions are being served.
        let (idle, busy): (Vec<_>, Vec<_>) = resident
            .into_iter()
            .partition(|repository| !repository.is_building_revision());
        let oldest = if idle.is_empty() { busy } else { idle }.into_iter();
        oldest.min_by(|a, b| (a.used(), &a.name).cmp(&(b.used(), &b.name)))
    }

    /// Returns the bytes above which repositories are evicted; `None` if unlimited.
    pub fn memory_limit(&self) -> Option<usize> {
        let limit = self.settings.memory_bytes;
        (limit < usize::MAX).then_some(limit)
    }

    /// Returns the bytes that count against the budget: the process's memory if the system reports it,
    /// otherwise the sum that the indexes report.
    fn memory_held(&self) -> usize {
        process::memory_held().unwrap_or_else(|| self.engine.bytes())
    }

    fn holds_too_much(&self) -> bool {
        let limit = self.settings.memory_bytes;
        process::holds_more_than(limit).unwrap_or_else(|| self.engine.bytes() > limit)
    }

    /// Ends a repository's tasks and unloads it. Returns whether it was unloaded.
    async fn evict(self: &Arc<Self>, repository: &Arc<Repository>) -> bool {
        let Some(tasks) = self.tasks_of(&repository.name) else {
            return false;
        };
        if timeout(EVICT_TIMEOUT, tasks.end()).await.is_ok() {
            return self.unload(repository);
        }
        tracing::warn!(
            repo = %repository.name,
            "the tasks of the repository have not ended in time: evicting others meanwhile"
        );
        let (catalog, repository) = (Arc::clone(self), Arc::clone(repository));
        self.tracker.spawn(async move {
            tasks.end().await;
            catalog.unload(&repository)
        });
        false
    }

    /// Unloads a repository whose tasks have ended. Returns whether it was still served.
    fn unload(&self, repository: &Arc<Repository>) -> bool {
        let name = &repository.name;
        let bytes = repository.bytes();
        let Some(ends) = self.engine.evict(repository) else {
            return false;
        };
        self.tasks.remove(name);
        tracing::info!(repo = %name, bytes, "evicted");
        metrics::counter!("foveate_repositories_evicted_total").increment(1);
        self.unloaded.insert(name.clone(), ends);
        // Questions that arrived meanwhile found it unloaded and wait.
        self.reload_wanted();
        true
    }

    /// Returns the tasks of a loaded repository.
    pub(super) fn tasks_of(&self, name: &RepoName) -> Option<TaskGroup> {
        self.tasks.get(name).map(|tasks| tasks.value().clone())
    }
}

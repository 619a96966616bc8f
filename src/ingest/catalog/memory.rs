//! Which repositories are in memory: at a start those that were asked last, as many as fit; then those
//! that are asked. What was not asked for longest leaves when there is too much: its tasks end, which
//! stores its index, and begin anew when it is wanted.

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::Duration;

use super::Catalog;
use crate::engine::{RepoName, Repository, Rest, Source};
use crate::ingest::INDEX;
use crate::telemetry::process;
use crate::telemetry::spans::spawn_blocking;

/// Time between two looks at what is taken.
const LOOK: Duration = Duration::from_millis(500);

impl Catalog {
    /// Starts what fits into memory, the most recently asked first; the others rest. The first one is
    /// started in any case, and what never had an index.
    pub(super) async fn start_those_that_fit(&self, registered: Vec<(RepoName, Source)>) {
        let stored = self.settings.data_dir.join(INDEX);
        let known = spawn_blocking(move || {
            let rest = |name: &RepoName| Rest::read(&stored.join(name.segment()));
            let known = registered.into_iter();
            known
                .map(|(name, source)| (rest(&name), name, source))
                .collect::<Vec<_>>()
        });
        let mut known = known.await.unwrap_or_default();
        known.sort_by_key(|(rest, ..)| Reverse(rest.as_ref().map(|rest| rest.used)));
        let (mut taken, mut is_first) = (self.memory_held(), true);
        for (rest, name, source) in known {
            let Some(rest) = rest else {
                self.start(name, source);
                continue;
            };
            taken = taken.saturating_add(rest.bytes);
            let Some((mut writer, orders)) = self.engine.add_resting(name.clone(), source, rest)
            else {
                continue;
            };
            let fits = is_first || taken <= self.settings.memory_bytes;
            is_first = false;
            if fits {
                // Not ready until it is in memory; who asks before waits.
                writer.begin();
                self.drive(writer, orders);
            } else {
                self.resting.insert(name, (writer, orders));
            }
        }
    }

    /// Brings back what is wanted and lets go of what is too much, until the service stops.
    pub async fn keep_within_memory(self: Arc<Self>) {
        let bring_back = async {
            loop {
                self.engine.wanted().notified().await;
                self.bring_back();
            }
        };
        let let_go = async {
            loop {
                tokio::time::sleep(LOOK).await;
                while self.holds_too_much() {
                    if !self.let_something_go().await {
                        break;
                    }
                }
            }
        };
        tokio::select! {
            () = self.stop.cancelled() => {}
            () = bring_back => {}
            () = let_go => {}
        }
    }

    /// Starts the tasks of what rests and is wanted; each once, however many want it.
    fn bring_back(&self) {
        let resting = self.resting.iter();
        let wanted = resting.filter(|entry| entry.value().0.repository().is_wanted());
        let wanted: Vec<RepoName> = wanted.map(|entry| entry.key().clone()).collect();
        for name in wanted {
            if let Some((_, (writer, orders))) = self.resting.remove(&name) {
                tracing::debug!(repo = %name, "comes back into memory");
                self.drive(writer, orders);
            }
        }
    }

    /// Lets go of contents that no index holds; where there are none, of a repository. Returns whether
    /// something has left.
    async fn let_something_go(&self) -> bool {
        if self.engine.blobs().stats().kept_bytes > 0 {
            let blobs = self.engine.blobs().clone();
            return spawn_blocking(move || blobs.let_go()).await.is_ok();
        }
        let Some(least) = self.asked_longest_ago() else {
            return false;
        };
        let is_down = self.lay_down(&least).await;
        // Until it is freed, the next one would have to leave for it, too.
        let _ = self.free(least).await;
        is_down
    }

    /// The repository in memory that was not asked for longest. The last one stays.
    fn asked_longest_ago(&self) -> Option<Arc<Repository>> {
        let mut resident = self.engine.repositories();
        resident.retain(|repository| repository.current().is_some());
        if resident.len() < 2 {
            return None;
        }
        let oldest = resident.into_iter();
        oldest.min_by(|a, b| (a.used(), a.name()).cmp(&(b.used(), b.name())))
    }

    /// Bytes that count against the budget: those of the process, where the system says them; otherwise
    /// those that the indexes count.
    fn memory_held(&self) -> usize {
        process::memory_held().unwrap_or_else(|| self.engine.bytes())
    }

    fn holds_too_much(&self) -> bool {
        let most = self.settings.memory_bytes;
        process::holds_more_than(most).unwrap_or_else(|| self.engine.bytes() > most)
    }

    /// Ends a repository's tasks and lets it rest. Returns whether it does.
    async fn lay_down(&self, repository: &Arc<Repository>) -> bool {
        let name = repository.name();
        let Some((_, (stop, tracker))) = self.stops.remove(name) else {
            return false;
        };
        stop.cancel();
        tracker.wait().await;
        let bytes = repository.bytes();
        let Some(ends) = self.engine.lay_down(repository) else {
            return false;
        };
        tracing::info!(repo = %name, bytes, "left memory");
        metrics::counter!("foveate_repositories_laid_down_total").increment(1);
        self.resting.insert(name.clone(), ends);
        // Whoever asked in between has found it resting and waits.
        self.bring_back();
        true
    }
}

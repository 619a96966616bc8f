//! Follows the list of repositories where several servers share it: what one registers or removes, the others
//! serve or drop, too. Each reads the source by itself and has its own index.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::Catalog;
use super::row::source_of;
use crate::access::Grant;
use crate::engine::{RepoName, Repository};
use crate::store::StoreError;

/// Time after which a list that could not be read is read again.
const RETRY: Duration = Duration::from_secs(1);

impl Catalog {
    /// Follows the list until the service stops, where others may change it.
    pub async fn follow_list(self: Arc<Self>) {
        if !self.store.is_shared() {
            return;
        }
        let mut changes = self.store.subscribe();
        let mut read: Option<u64> = None;
        let follow = async {
            loop {
                let version = changes.borrow_and_update().repositories;
                if read != Some(version) {
                    match self.take_up().await {
                        Ok(()) => read = Some(version),
                        Err(error) => {
                            tracing::warn!(%error, "the list of repositories cannot be read");
                            tokio::time::sleep(RETRY).await;
                            continue;
                        }
                    }
                }
                tokio::select! {
                    changed = changes.changed() => if changed.is_err() {
                        return;
                    },
                    // Its name may have been registered anew.
                    () = self.removal_done.notified() => read = None,
                }
            }
        };
        self.stop.run_until_cancelled(follow).await;
    }

    /// Serves what is in the list and drops what is not. What is watched for the life of this process alone
    /// is in no list and stays.
    async fn take_up(self: &Arc<Self>) -> Result<(), StoreError> {
        let _alone = self.listing.lock().await;
        let mut gone: Vec<Arc<Repository>> = Vec::new();
        let mut listed = BTreeMap::new();
        for row in self.store.repositories().await? {
            if let Ok(name) = RepoName::new(&row.name) {
                listed.insert(name, source_of(row));
            }
        }
        for repository in self.engine.repositories(&Grant::unrestricted()) {
            let name = repository.name();
            let is_listed = listed.get(name) == Some(repository.source());
            if !is_listed && !self.trusted.contains_key(name) {
                gone.extend(self.stop_serving(name.as_str()));
            }
        }
        // What another server registered anew under the same name is started once the old one is gone.
        for (name, source) in listed {
            if !self.being_removed.contains(&name) && self.start(name.clone(), source).is_some() {
                tracing::info!(repo = %name, "registered by another server");
            }
        }
        for repository in gone {
            let catalog = Arc::clone(self);
            let cleaning = async move { catalog.clean_up(repository).await };
            self.tracker.spawn(cleaning);
        }
        Ok(())
    }
}

//! Follows the list of repositories where several servers share it: when one registers or removes a repository,
//! the others start or stop serving it. Each server reads the source itself and has its own index.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::Catalog;
use super::row::source_of;
use crate::access::Grant;
use crate::engine::{RepoName, Repository};
use crate::store::StoreError;

/// Wait before another attempt to read the list after a failure.
const RETRY: Duration = Duration::from_secs(1);

impl Catalog {
    /// Follows the list until the service stops. Returns at once if no other server shares it.
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
                    match self.apply_list().await {
                        Ok(()) => read = Some(version),
                        Err(error) => {
                            tracing::warn!(%error, "cannot read the list of repositories");
                            tokio::time::sleep(RETRY).await;
                            continue;
                        }
                    }
                }
                tokio::select! {
                    changed = changes.changed() => if changed.is_err() {
                        return;
                    },
                    // The removed name may have been registered again meanwhile.
                    () = self.removal_done.notified() => read = None,
                }
            }
        };
        self.stop.run_until_cancelled(follow).await;
    }

    /// Starts the listed repositories and removes the unlisted ones, except directories that are watched for
    /// the life of this process: they are never listed.
    async fn apply_list(self: &Arc<Self>) -> Result<(), StoreError> {
        let _alone = self.listing.lock().await;
        let mut gone: Vec<Arc<Repository>> = Vec::new();
        let mut listed = BTreeMap::new();
        for row in self.store.repositories().await? {
            if let Ok(name) = RepoName::new(&row.name) {
                listed.insert(name, source_of(row));
            }
        }
        for repository in self.engine.repositories(&Grant::unrestricted()) {
            let name = &repository.name;
            let is_listed = listed.get(name) == Some(&repository.source);
            if !is_listed && !self.trusted.contains_key(name) {
                gone.extend(self.stop_serving(name.as_str()));
            }
        }
        // A repository that was registered again under the same name starts once the old one is gone.
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

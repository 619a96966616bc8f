//! Removes repositories: takes them off the list, stops serving them and deletes their stored data. A name can be
//! registered again once all of its repository's data are deleted.

use std::sync::Arc;

use tokio::task::JoinHandle;
use tracing::Instrument as _;

use super::{Catalog, ManageError, outcome};
use crate::access::Grant;
use crate::access::audit::{self, Action};
use crate::engine::Repository;
use crate::ingest::clone_path;
use crate::ingest::git::remote;
use crate::store::AnswerFilter;
use crate::telemetry::spans::{carried, spawn_blocking};

impl Catalog {
    /// Removes a repository and its stored data. Questions in flight finish.
    ///
    /// # Errors
    /// See [`ManageError`]. When the list cannot be changed, the repository stays.
    pub async fn remove(self: &Arc<Self>, grant: &Grant, name: &str) -> Result<(), ManageError> {
        let repo = match self.get_manageable(grant, name) {
            Ok(found) => found.name.clone(),
            Err(error) => {
                let refused = Err(error);
                audit::record(grant, Action::Remove, None, outcome(&refused));
                return refused;
            }
        };
        let (catalog, grant) = (Arc::clone(self), grant.clone());
        let removing = async move {
            let removed = catalog.remove_known(repo.as_str()).await;
            audit::record(
                &grant,
                Action::Remove,
                Some(repo.as_str()),
                outcome(&removed),
            );
            removed
        };
        // In its own task: a removal that has begun is finished even if the client disconnects.
        let removing = self.tracker.spawn(removing.in_current_span());
        removing.await.unwrap_or(Err(ManageError::Internal))
    }

    async fn remove_known(&self, name: &str) -> Result<(), ManageError> {
        let removed = {
            let _alone = self.listing.lock().await;
            self.store.delete_with_answers(name).await?;
            self.stop_serving(name)
        };
        // Deletes the answers recorded between deleting the row and stopping to serve.
        if let Err(error) = self
            .store
            .delete_answers(AnswerFilter::OfRepository(name))
            .await
        {
            tracing::warn!(repo = name, %error, "cannot delete the last recorded answers of the repository");
        }
        match removed {
            Some(repository) => {
                self.clean_up(repository).await;
                Ok(())
            }
            None => Err(ManageError::UnknownRepo(name.to_owned())),
        }
    }

    /// Stops serving a repository. Its name stays taken until it is [cleaned up](Self::clean_up).
    pub(super) fn stop_serving(&self, name: &str) -> Option<Arc<Repository>> {
        let removed = self.engine.remove(name)?;
        self.being_removed.insert(removed.name.clone());
        Some(removed)
    }

    /// Ends the tasks of a repository that is no longer served, and deletes its stored data.
    pub(super) async fn clean_up(&self, repository: Arc<Repository>) {
        let name = repository.name.clone();
        let name = name.as_str();
        if let Some((_, tasks)) = self.tasks.remove(name) {
            tasks.end().await;
        }
        self.unloaded.remove(name);
        self.trusted.remove(name);
        if let Err(error) = self.credentials.remove(&repository.name) {
            tracing::warn!(repo = name, %error, "cannot remove the credentials of the repository");
        }
        let clone = clone_path(&self.settings.data_dir, &repository.name);
        let removed = spawn_blocking(move || remote::remove_clone(&clone)).await;
        if let Ok(Err(error)) = removed {
            tracing::warn!(repo = name, %error, "cannot remove the local clone of the repository");
        }
        if let Some(directory) = repository.store.directory() {
            match tokio::fs::remove_dir_all(directory).await {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    tracing::warn!(repo = name, %error, "cannot remove the stored index of the repository");
                }
                _ => {}
            }
        }
        self.being_removed.remove(&repository.name);
        self.removal_done.notify_one();
        tracing::info!(repo = name, "removed");
        self.free(repository);
    }

    /// Frees a repository's memory off the async threads: a large index takes a second and more.
    pub(super) fn free(&self, repository: Arc<Repository>) -> JoinHandle<()> {
        self.tracker
            .spawn_blocking(carried(move || drop(repository)))
    }
}

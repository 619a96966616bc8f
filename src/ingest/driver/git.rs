//! The blocking half of a git repository's driver: it reads the files of a ref and publishes them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use foveate_index::Revision;

use super::{Outcome, Shared, fail, publish};
use crate::engine::{Cause, Phase, Plan, Writer};
use crate::ingest::git::{GitError, GitRepo};

/// The blocking half of a git repository's driver.
pub(super) struct GitWork {
    pub(super) driver: Shared,
    pub(super) directory: PathBuf,
    pub(super) reference: String,
    /// Why the source could not be fetched; what is there is served nevertheless.
    pub(super) fetched: Option<GitError>,
}

impl GitWork {
    pub(super) fn look(self, writer: &mut Writer, cause: Cause) -> Outcome {
        let start = Instant::now();
        let progress = Arc::clone(writer.repository().progress());
        let outcome = match self.read(writer, cause) {
            Ok(Some(plan)) => publish(writer, plan, start),
            Ok(None) => {
                writer.confirm();
                Outcome::Settled
            }
            Err(GitError::Cancelled(_)) => Outcome::Cancelled,
            Err(error) => fail(writer, error.to_string()),
        };
        if let (Some(error), Outcome::WantsHistory(_) | Outcome::Settled) = (self.fetched, &outcome)
        {
            fail(writer, error.to_string());
        }
        progress.enter(Phase::Idle, 0);
        outcome
    }

    /// The files of the ref, unless it names the commit that is current.
    fn read(&self, writer: &Writer, cause: Cause) -> Result<Option<Plan>, GitError> {
        if let (Some(error), false) = (&self.fetched, self.directory.exists()) {
            return Err(GitError::Unavailable(error.to_string()));
        }
        let repository = writer.repository();
        let git = GitRepo::open(&self.directory)?;
        self.driver.git.store(Some(Arc::new(git.clone())));
        let commit = git.resolve(&self.reference)?;
        let current = repository.current();
        if current.is_some_and(|c| c.snapshot.revision.commit == commit) {
            return Ok(None);
        }
        let engine = &self.driver.engine;
        let files = engine
            .pool()
            .install(|| git.files(&commit, engine.blobs(), repository.progress()))?;
        Ok(Some(Plan {
            cause,
            revision: Revision {
                commit,
                dirty: false,
            },
            files,
            past: None,
        }))
    }
}

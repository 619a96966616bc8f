//! Finds the connections to registered remote repositories, with the same credentials as a fetch, to check that their
//! hosts answer.

use super::{CREDENTIALS, Credentials};
use crate::engine::RepoName;
use crate::ingest::IngestSettings;
use crate::ingest::git::LocationError;
use crate::ingest::git::connection::Connection;
use crate::store::{RepositoryKind, RepositoryRow};

/// Returns the connection to the remote repository of a row; `None` for a repository on this machine.
///
/// # Errors
/// When its address is no longer allowed.
pub fn connection(
    row: &RepositoryRow,
    settings: &IngestSettings,
) -> Result<Option<Connection>, LocationError> {
    if row.kind == RepositoryKind::Path {
        return Ok(None);
    }
    settings.connection_to(&row.location, || {
        let name = RepoName::new(&row.name).ok()?;
        Credentials::new(settings.data_dir.join(CREDENTIALS)).of(&name)
    })
}

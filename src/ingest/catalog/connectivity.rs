//! Checks that the hosts of registered remote repositories answer, over the same connection and with the same
//! credentials as a fetch.

use tokio_util::sync::CancellationToken;

use super::{CREDENTIALS, Credentials};
use crate::engine::RepoName;
use crate::ingest::IngestSettings;
use crate::ingest::git::connection::Connection;
use crate::ingest::git::{GitError, LocationError, remote};
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

/// Asks a remote for the branch that its `HEAD` names, within the time limit of a clone. Blocks.
///
/// # Errors
/// When the host is not allowed, does not answer, or refuses; the message holds no credentials.
pub fn ask(connection: &Connection) -> Result<(), GitError> {
    remote::ask(connection, &CancellationToken::new())
}

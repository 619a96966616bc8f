//! Asks the machines of registered remote repositories whether they answer, as a fetch would: over the same
//! connections, with the same credentials.

use tokio_util::sync::CancellationToken;

use super::{CREDENTIALS, Credentials};
use crate::engine::RepoName;
use crate::ingest::IngestSettings;
use crate::ingest::git::connection::Connection;
use crate::ingest::git::location::Remote;
use crate::ingest::git::{GitError, Location, LocationError, remote};
use crate::store::{RepositoryKind, RepositoryRow};

/// The way to the remote repository of a row; `None` for one on this machine.
///
/// # Errors
/// When its address may not be used any more.
pub fn connection(
    row: &RepositoryRow,
    settings: &IngestSettings,
) -> Result<Option<Connection>, LocationError> {
    if row.kind == RepositoryKind::Path {
        return Ok(None);
    }
    let Location::Remote(remote) = Location::parse(&row.location, &settings.connection.schemes)?
    else {
        return Ok(None);
    };
    let stored = || {
        let name = RepoName::new(&row.name).ok()?;
        Credentials::new(settings.data_dir.join(CREDENTIALS)).of(&name)
    };
    let login = remote.login.clone().or_else(stored);
    let remote = Remote { login, ..remote };
    Ok(Some(Connection::new(remote, settings.connection.clone())))
}

/// Asks for the branch that a remote's `HEAD` names, within the time of a clone. Blocks.
///
/// # Errors
/// When the machine may not be asked, does not answer, or refuses; no secret is in the words.
pub fn ask(connection: &Connection) -> Result<(), GitError> {
    remote::ask(connection, &CancellationToken::new())
}

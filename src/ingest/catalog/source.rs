//! Checks which local directories and URLs may be registered.

use std::path::{Path, PathBuf};

use super::RegisterError;
use crate::engine::{Login, Source};
use crate::ingest::IngestSettings;
use crate::ingest::git::{self, GitRepo, Location, reference};
use crate::store::RepositoryKind;

/// Makes paths canonical, takes credentials out of URLs, and refuses sources that cannot be indexed. Blocks.
pub(super) fn checked(
    source: Source,
    settings: &IngestSettings,
) -> Result<(Source, Option<Login>), RegisterError> {
    match source {
        Source::WorkingTree { path, watch } => {
            if !path.is_absolute() {
                return Err(RegisterError::NotAbsolute(path));
            }
            let path = allowed_directory(&path, RepositoryKind::Path, settings)?;
            refuse_bare(&path)?;
            settings.read_limits.check_discovered(&path)?;
            Ok((Source::WorkingTree { path, watch }, None))
        }
        Source::Git {
            location,
            reference,
            poll,
        } => {
            let open = |path: &Path| {
                let path = allowed_directory(path, RepositoryKind::Git, settings)?;
                let git = GitRepo::open(&path, &settings.read_limits)?;
                Ok::<_, RegisterError>((path, git))
            };
            let (location, login) = match Location::parse(&location, &settings.connection.schemes)?
            {
                Location::Remote(remote) => {
                    if let Some(reference) = &reference {
                        reference::check(reference)?;
                    }
                    if let Some(path) = remote.file() {
                        open(&path)?;
                    }
                    match remote.login {
                        // The user of an ssh URL does not count as credentials and stays in the location.
                        Some(login) if remote.scheme != "ssh" => (remote.address, Some(login)),
                        _ => (location, None),
                    }
                }
                Location::Local(path) => {
                    let (path, git) = open(&path)?;
                    if let Some(reference) = &reference {
                        git.resolve(reference)?;
                    }
                    (path.display().to_string(), None)
                }
            };
            let source = Source::Git {
                location,
                reference,
                poll,
            };
            Ok((source, login))
        }
    }
}

/// Returns the canonical path of a directory, or an error unless it may be registered. `kind` is the
/// requested kind of repository.
fn allowed_directory(
    path: &Path,
    kind: RepositoryKind,
    settings: &IngestSettings,
) -> Result<PathBuf, RegisterError> {
    let allowed = &settings.read_limits.local_paths;
    let real = match canonical_directory(path, kind) {
        Ok(real) if allowed.admits(&real) => real,
        Err(error) if allowed.admits_missing(path) => return Err(error),
        // The refusal of a path outside must not reveal whether the path exists.
        _ => {
            let path = path.display().to_string();
            return Err(RegisterError::NotAllowed { kind, path });
        }
    };
    refuse_own_data(&real, kind, &settings.data_dir)?;
    Ok(real)
}

/// Returns the canonical path of a directory that can be listed. `kind` is the requested kind of repository.
pub(super) fn canonical_directory(
    path: &Path,
    kind: RepositoryKind,
) -> Result<PathBuf, RegisterError> {
    let refuse = |reason: String| RegisterError::NotADirectory {
        kind,
        path: path.display().to_string(),
        reason,
    };
    let real = std::fs::canonicalize(path).map_err(|error| refuse(error.to_string()))?;
    std::fs::read_dir(&real).map_err(|error| refuse(error.to_string()))?;
    Ok(real)
}

/// Refuses a bare repository as a working tree: git's own files would be indexed, and none of the repository's.
pub(super) fn refuse_bare(path: &Path) -> Result<(), RegisterError> {
    match git::is_bare(path) {
        true => Err(RegisterError::Bare(path.to_owned())),
        false => Ok(()),
    }
}

/// Refuses the data directory, which has the clones of other repositories. `kind` is the requested kind of repository.
pub(super) fn refuse_own_data(
    path: &Path,
    kind: RepositoryKind,
    data_dir: &Path,
) -> Result<(), RegisterError> {
    if path.starts_with(data_dir) {
        let path = path.display().to_string();
        return Err(RegisterError::OwnData { kind, path });
    }
    Ok(())
}

//! What may be registered: which local directories, which URLs.

use std::path::{Path, PathBuf};

use super::RegisterError;
use crate::engine::Source;
use crate::ingest::git::location::Remote;
use crate::ingest::git::{GitRepo, Location};
use crate::ingest::{IngestSettings, LocalPaths};
use crate::store::RepositoryKind;

/// Makes paths canonical and refuses what cannot be indexed. Blocks.
pub(super) fn checked(source: Source, settings: &IngestSettings) -> Result<Source, RegisterError> {
    match source {
        Source::WorkingTree { path, watch } => {
            if !path.is_absolute() {
                return Err(RegisterError::NotAbsolute(path));
            }
            let path = allowed_directory(&path, RepositoryKind::Path, settings)?;
            refuse_own_data(&path, &settings.data_dir)?;
            Ok(Source::WorkingTree { path, watch })
        }
        Source::Git {
            location,
            reference,
            poll,
        } => {
            let location = match Location::parse(&location, &settings.connection.schemes)? {
                Location::Remote(remote) => {
                    if let Some(reference) = &reference {
                        GitRepo::check_reference(reference)?;
                    }
                    check_file(&remote, settings)?;
                    location
                }
                Location::Local(path) => {
                    let path = allowed_directory(&path, RepositoryKind::Git, settings)?;
                    let git = GitRepo::open(&path)?;
                    allowed_directory(git.git_dir(), RepositoryKind::Git, settings)?;
                    if let Some(reference) = &reference {
                        git.resolve(reference)?;
                    }
                    path.display().to_string()
                }
            };
            Ok(Source::Git {
                location,
                reference,
                poll,
            })
        }
    }
}

/// A `file` URL names a directory, and is no way around the list of those that are allowed.
fn check_file(remote: &Remote, settings: &IngestSettings) -> Result<(), RegisterError> {
    let Some(path) = remote.address.strip_prefix("file://") else {
        return Ok(());
    };
    let path = percent_encoding::percent_decode_str(path).decode_utf8_lossy();
    allowed_directory(Path::new(&*path), RepositoryKind::Git, settings).map(drop)
}

/// The canonical path of a directory that may be registered; `kind` is what it was given as.
fn allowed_directory(
    path: &Path,
    kind: RepositoryKind,
    settings: &IngestSettings,
) -> Result<PathBuf, RegisterError> {
    // What lies outside is refused in the same words whether it exists or not.
    let not_allowed = || RegisterError::NotAllowed {
        kind,
        path: path.display().to_string(),
    };
    let real = canonical_directory(path, kind);
    match (&settings.local_paths, real) {
        (LocalPaths::Anywhere, real) => real,
        (LocalPaths::Below(allowed), Ok(real)) if allowed.iter().any(|a| real.starts_with(a)) => {
            Ok(real)
        }
        (LocalPaths::Below(allowed), Err(error)) if allowed.iter().any(|a| path.starts_with(a)) => {
            Err(error)
        }
        (LocalPaths::Below(_), _) => Err(not_allowed()),
    }
}

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
    match std::fs::read_dir(&real) {
        Ok(_) => Ok(real),
        Err(error) => Err(refuse(error.to_string())),
    }
}

pub(super) fn refuse_own_data(path: &Path, data_dir: &Path) -> Result<(), RegisterError> {
    if path.starts_with(data_dir) {
        return Err(RegisterError::OwnData(path.display().to_string()));
    }
    Ok(())
}

//! Converts repositories to and from rows of the database.

use std::path::PathBuf;
use std::time::Duration;

use crate::engine::{RepoName, Source};
use crate::store::{RepositoryKind, RepositoryRow};

pub(super) fn row_of(name: &RepoName, source: &Source) -> RepositoryRow {
    let name = name.to_string();
    match source {
        Source::WorkingTree { path, watch } => RepositoryRow {
            name,
            kind: RepositoryKind::Path,
            location: path.display().to_string(),
            reference: None,
            watch: *watch,
            poll_seconds: None,
        },
        Source::Git {
            location,
            reference,
            poll,
        } => RepositoryRow {
            name,
            kind: RepositoryKind::Git,
            location: location.clone(),
            reference: reference.clone(),
            watch: false,
            poll_seconds: poll.map(|poll| u32::try_from(poll.as_secs()).unwrap_or(u32::MAX)),
        },
    }
}

pub(super) fn source_of(row: RepositoryRow) -> Source {
    match row.kind {
        RepositoryKind::Path => Source::WorkingTree {
            path: PathBuf::from(row.location),
            watch: row.watch,
        },
        RepositoryKind::Git => Source::Git {
            location: row.location,
            reference: row.reference,
            poll: row.poll_seconds.map(|n| Duration::from_secs(n.into())),
        },
    }
}

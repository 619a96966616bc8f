//! Describes a repository as JSON.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use foveate_model::escape::escape;
use foveate_model::{SkipReason, SourceFile};
use serde::Serialize;
use utoipa::ToSchema;

use super::source::SourceAnswer;
use crate::engine::{PollStatus, Repository, Watching};
use crate::http::openapi::schemas::RepositoryName;

/// One repository.
#[derive(Debug, Serialize, ToSchema)]
pub struct RepoAnswer {
    #[schema(value_type = RepositoryName)]
    name: String,
    /// Where its files come from, without credentials.
    source: SourceAnswer,
    /// `indexing` (its first index is being built), `ready`, or `failed` (its source could not be read last
    /// time; with a generation above 0, questions are answered from the earlier index).
    state: String,
    /// Current activity.
    progress: ProgressAnswer,
    /// The commit of the current index; of a working tree, its `HEAD`. Empty if there is none.
    commit: String,
    /// Whether a working tree was indexed that differs from the commit.
    dirty: bool,
    /// Number of indexes published since the server started; 0 before the first.
    generation: u64,
    /// Number of files, including those that are not indexed.
    files: usize,
    /// Files that are not indexed, by reason.
    skipped: BTreeMap<String, usize>,
    /// Number of definitions.
    definitions: usize,
    /// Indexed files per language.
    languages: BTreeMap<String, usize>,
    /// How changes of a `path` are noticed.
    watch: WatchAnswer,
    /// How a `git` repository is polled; absent for a `path`, and before the first poll.
    #[serde(skip_serializing_if = "Option::is_none")]
    poll: Option<PollAnswer>,
    /// Whether past commits are in the index yet.
    history: bool,
    /// Memory used.
    memory: MemoryAnswer,
    /// The stored index, with which a restart need not parse everything again.
    disk: DiskAnswer,
    /// Why it failed.
    error: Option<String>,
    /// The files that are not indexed; only with `?skipped=true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped_files: Option<Vec<SkippedAnswer>>,
}

/// Current activity of a repository.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProgressAnswer {
    /// `waiting`, `fetching`, `unpacking`, `listing`, `reading`, `building` or `idle`.
    phase: String,
    /// In the phase `fetching`, objects of a remote repository; in `unpacking`, deltas; in `reading`, files.
    done: usize,
    /// Total for `done`; 0 if unknown.
    total: usize,
    /// `done` in percent of `total`, if known.
    percent: Option<u8>,
}

/// How changes of a working tree are noticed.
#[derive(Debug, Serialize, ToSchema)]
pub struct WatchAnswer {
    /// `off`, `events`, or `polling` (every file is checked at intervals).
    mode: String,
    /// Number of watched directories, in the mode `events`.
    #[serde(skip_serializing_if = "Option::is_none")]
    directories: Option<usize>,
    /// Why events are not available, in the mode `polling`.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Changed files that were noticed but not indexed yet.
    pending_files: usize,
}

/// How a git repository is polled.
#[derive(Debug, Serialize, ToSchema)]
pub struct PollAnswer {
    /// Seconds between two polls, plus or minus a tenth; 0: never.
    seconds: u64,
    /// Number of consecutive failed polls.
    failures: u32,
    /// Seconds since the index was last confirmed to be up to date; null before the first time.
    checked_seconds_ago: Option<u64>,
    /// Seconds until the next poll; null if there is none.
    next_in_seconds: Option<u64>,
}

/// Memory used by a repository.
#[derive(Debug, Serialize, ToSchema)]
pub struct MemoryAnswer {
    /// Whether its index is in memory. An evicted index is reloaded by the first question, and neither
    /// watched nor polled meanwhile; its figures are from the time of eviction.
    resident: bool,
    /// Estimated bytes now.
    bytes: usize,
}

/// The stored data of a repository.
#[derive(Debug, Serialize, ToSchema)]
pub struct DiskAnswer {
    /// Bytes in the data directory, without the clone of a remote repository.
    bytes: u64,
    /// Why the stored index is missing or not up to date; answers are not affected.
    error: Option<String>,
}

/// A file that is not indexed.
#[derive(Debug, Serialize, ToSchema)]
pub struct SkippedAnswer {
    /// Path of the file.
    path: String,
    /// Size in bytes.
    size: u64,
    /// `binary`, `not_utf8`, `too_large`, `long_lines`, `data`, `lfs_pointer`, `symlink`,
    /// `submodule` or `unreadable`.
    reason: String,
    /// More about the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
}

/// Describes a repository, without the list of files that are not indexed.
pub fn repo_answer(repository: &Arc<Repository>) -> RepoAnswer {
    let status = repository.status();
    let (phase, done, total) = repository.progress.read();
    let current = repository.current();
    let snapshot = current.as_ref().map(|c| &c.snapshot);
    let unloaded = || repository.unloaded().cloned().unwrap_or_default();
    let known = repository.summary().unwrap_or_else(unloaded);
    let counts = |counts: Option<&BTreeMap<&'static str, usize>>| {
        let counts = counts.into_iter().flatten();
        counts.map(|(name, n)| ((*name).to_owned(), *n)).collect()
    };
    RepoAnswer {
        name: repository.name.to_string(),
        source: (&repository.source).into(),
        state: status.state.name().to_owned(),
        progress: ProgressAnswer {
            phase: phase.name().to_owned(),
            done,
            total,
            percent: done
                .checked_mul(100)
                .and_then(|done| done.checked_div(total))
                .and_then(|percent| u8::try_from(percent).ok()),
        },
        commit: known.commit,
        dirty: known.dirty,
        generation: known.generation,
        files: known.files,
        skipped: counts(current.as_ref().map(|c| &c.skipped)),
        definitions: known.definitions,
        languages: counts(current.as_ref().map(|c| &c.languages)),
        watch: watch_answer(&status.watching, repository.pending_files()),
        poll: status.polling.map(poll_answer),
        history: snapshot.is_some_and(|s| s.history.is_some()),
        memory: MemoryAnswer {
            resident: snapshot.is_some(),
            bytes: repository.bytes(),
        },
        disk: DiskAnswer {
            bytes: repository.store.bytes(),
            error: repository.store.error().as_deref().map(shown),
        },
        error: status.error.as_deref().map(shown),
        skipped_files: None,
    }
}

/// Escapes a reason for people: on one line and safe to display.
fn shown(reason: &str) -> String {
    escape(reason).into_owned()
}

fn watch_answer(watching: &Watching, pending_files: usize) -> WatchAnswer {
    let (directories, reason) = match watching {
        Watching::Off => (None, None),
        Watching::Events { directories } => (Some(*directories), None),
        Watching::Polling { reason } => (None, Some(shown(reason))),
    };
    WatchAnswer {
        mode: watching.name().to_owned(),
        directories,
        reason,
        pending_files,
    }
}

fn poll_answer(polling: PollStatus) -> PollAnswer {
    let now = Instant::now();
    PollAnswer {
        seconds: polling.interval.as_secs(),
        failures: polling.failures,
        checked_seconds_ago: polling.checked.map(|at| at.elapsed().as_secs()),
        next_in_seconds: polling
            .next
            .map(|at| at.saturating_duration_since(now).as_secs()),
    }
}

/// Lists the files of the current index that are not indexed.
pub fn skipped_files(repository: &Repository) -> Vec<SkippedAnswer> {
    let Some(current) = repository.current() else {
        return Vec::new();
    };
    let skipped = |file: &SourceFile| {
        let reason = file.skipped.as_ref()?;
        Some(SkippedAnswer {
            path: file.path.to_string(),
            size: file.size,
            reason: reason.code().to_owned(),
            detail: match reason {
                SkipReason::TooLarge { limit, .. } => {
                    Some(format!("larger than {limit} bytes (index.max_file_bytes)"))
                }
                SkipReason::Unreadable(why) | SkipReason::UnreadableDirectory(why) => {
                    Some(shown(why))
                }
                _ => None,
            },
        })
    };
    let files = current.snapshot.files.as_slice();
    files.iter().filter_map(skipped).collect()
}

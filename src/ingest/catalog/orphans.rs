//! What is stored of repositories that there are no more: watched for the life of a process only, or
//! removed while it could not be deleted.

use std::collections::BTreeMap;
use std::path::Path;

use crate::disk;
use crate::engine::RepoName;
use crate::ingest::{COPIES, CREDENTIALS, INDEX, IngestSettings, SECRETS};

/// Removes what is stored under names that `is_kept` does not keep. Returns the bytes freed, by
/// name.
pub(super) fn remove(
    settings: &IngestSettings,
    is_kept: impl Fn(&str) -> bool,
) -> BTreeMap<String, u64> {
    let mut freed = BTreeMap::new();
    for (stored, ending) in [(INDEX, ""), (CREDENTIALS, SECRETS), (COPIES, ".git")] {
        let directory = settings.data_dir.join(stored);
        for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
            let file = entry.file_name();
            let segment = file.to_str().and_then(|file| file.strip_suffix(ending));
            let Some(name) = segment.and_then(RepoName::from_segment) else {
                continue;
            };
            if is_kept(name.as_str()) {
                continue;
            }
            match remove_entry(&entry.path()) {
                Ok(bytes) => *freed.entry(name.to_string()).or_default() += bytes,
                Err(error) => tracing::warn!(repo = %name, %error, "stored data were not removed"),
            }
        }
    }
    freed
}

/// Removes the directory where programs before the present format stored the history.
pub(super) fn remove_earlier_history(settings: &IngestSettings) {
    let directory = settings.data_dir.join("history");
    if directory.is_dir() && std::fs::remove_dir_all(&directory).is_ok() {
        tracing::info!("the history of an earlier format is deleted and read from git again");
    }
}

/// Removes a directory or a file and gives the bytes that it had.
fn remove_entry(path: &Path) -> std::io::Result<u64> {
    if path.is_dir() {
        let bytes = disk::bytes_in(path);
        std::fs::remove_dir_all(path).map(|()| bytes)
    } else {
        let bytes = path.metadata().map_or(0, |metadata| metadata.len());
        std::fs::remove_file(path).map(|()| bytes)
    }
}

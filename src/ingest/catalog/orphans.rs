//! What is stored of repositories that there are no more: watched for the life of a process only, or
//! removed while it could not be deleted.

use std::collections::BTreeMap;

use crate::disk;
use crate::engine::RepoName;
use crate::ingest::{CREDENTIALS, HISTORY, INDEX, IngestSettings, RECORDS};

/// Removes what is stored under names that `is_known` does not know. Returns the bytes freed, by
/// name.
pub(super) fn remove(
    settings: &IngestSettings,
    is_known: impl Fn(&str) -> bool,
) -> BTreeMap<String, u64> {
    let mut freed = BTreeMap::new();
    for stored in [INDEX, HISTORY, CREDENTIALS].map(|stored| settings.data_dir.join(stored)) {
        for entry in std::fs::read_dir(stored).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            let name = [RECORDS, ".json"]
                .iter()
                .find_map(|ending| name.strip_suffix(ending))
                .unwrap_or(&name);
            if RepoName::new(name).is_err() || is_known(name) {
                continue;
            }
            let (bytes, removed) = if path.is_dir() {
                (disk::bytes_in(&path), std::fs::remove_dir_all(&path))
            } else {
                let length = path.metadata().map_or(0, |metadata| metadata.len());
                (length, std::fs::remove_file(&path))
            };
            match removed {
                Ok(()) => *freed.entry(name.to_owned()).or_default() += bytes,
                Err(error) => tracing::warn!(repo = name, %error, "stored data were not removed"),
            }
        }
    }
    freed
}

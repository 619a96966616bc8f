//! Deletes stored data of repositories that no longer exist: those watched for the life of an earlier
//! process, and those whose data could not be deleted when they were removed.

use std::collections::BTreeMap;
use std::path::Path;

use crate::ingest::IngestSettings;
use crate::ingest::data_layout::{ENTRIES, repository_of};

/// Deletes the stored data of repositories for whose names `is_kept` is false. Returns the bytes freed
/// by name.
pub(super) fn remove(
    settings: &IngestSettings,
    is_kept: impl Fn(&str) -> bool,
) -> BTreeMap<String, u64> {
    let mut freed = BTreeMap::new();
    for (stored, extension) in ENTRIES {
        let directory = settings.data_dir.join(stored);
        for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
            let file = entry.file_name();
            let name = file
                .to_str()
                .and_then(|file| repository_of(file, extension));
            let Some(name) = name else {
                continue;
            };
            if is_kept(name.as_str()) {
                continue;
            }
            match remove_entry(&entry.path()) {
                Ok(bytes) => *freed.entry(name.to_string()).or_default() += bytes,
                Err(error) => {
                    tracing::warn!(repo = %name, %error, "cannot remove stored data of an unregistered repository");
                }
            }
        }
    }
    freed
}

/// Returns the bytes of the files below a directory.
fn bytes_below(directory: &Path) -> u64 {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let bytes = |entry: std::fs::DirEntry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => bytes_below(&entry.path()),
        _ => entry.metadata().map_or(0, |metadata| metadata.len()),
    };
    entries.map(bytes).sum()
}

/// Deletes a directory or a file and returns its size in bytes.
fn remove_entry(path: &Path) -> std::io::Result<u64> {
    if path.is_dir() {
        let bytes = bytes_below(path);
        std::fs::remove_dir_all(path).map(|()| bytes)
    } else {
        let bytes = path.metadata().map_or(0, |metadata| metadata.len());
        std::fs::remove_file(path).map(|()| bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_bytes_are_those_of_the_whole_directory() {
        let keep = tempfile::tempdir().unwrap();
        let pack = keep.path().join("gone.git/objects/pack");
        std::fs::create_dir_all(&pack).unwrap();
        std::fs::write(pack.join("a.pack"), [0; 5000]).unwrap();
        std::fs::write(keep.path().join("gone.git/HEAD"), [0; 20]).unwrap();
        let freed = remove_entry(&keep.path().join("gone.git")).unwrap();
        assert_eq!(freed, 5020);
        assert!(!keep.path().join("gone.git").exists());
    }
}

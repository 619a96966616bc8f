//! Manages the data directory and its lock ([`DataDir`]), the cache of the command line ([`CacheDir`]), and
//! values by key ([`ContentStore`]) in the only file format of stored data ([`Pack`]). It must not interpret
//! keys or values. Checksums detect damage, which is counted and treated as absence.

mod cache;
mod content_store;
mod pack;
mod permissions;
mod stamp;

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub use cache::{CacheDir, CacheEntry, CacheLimits, CachedRepository, ReadOnlyReason};
pub use content_store::{ContentStore, Entry, Key, MaxWaste, get_only, put_only};
pub use pack::Pack;
pub use permissions::{create_directory, is_readable_by_others, restrict_umask, write_output_file};
pub use stamp::FileStamp;

/// The file that is locked by the only process that may write.
const LOCK: &str = "lock";
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);

/// A data directory locked by this process.
#[derive(Debug)]
pub struct DataDir {
    path: PathBuf,
    /// Released by the system when the process ends, however it ends.
    _lock: Option<FileLock>,
    read_only: Option<String>,
}

/// Why the data directory cannot be used.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what failed")]
pub enum DataDirError {
    #[error(
        "cannot use the data directory {}: {reason}; choose another with --data-dir",
        .path.display()
    )]
    Unusable { path: PathBuf, reason: io::Error },
    #[error(
        "the data directory {} is in use by another `foveate serve`{process}: stop that one, or choose another directory with --data-dir",
        .path.display()
    )]
    InUse {
        path: PathBuf,
        /// ` (process N)` where the process is known, else empty.
        process: String,
    },
}

impl DataDir {
    /// Creates the directory if needed and locks it for this process. A directory that cannot be written is no error:
    /// see [`Self::read_only`]. Blocks, for a second where another process holds the lock.
    pub fn open(path: &Path) -> Result<Self, DataDirError> {
        let unusable = |reason| DataDirError::Unusable {
            path: path.to_owned(),
            reason,
        };
        if let Err(error) = create_directory(path)
            && !path.is_dir()
        {
            return Err(unusable(error));
        }
        let path = path.canonicalize().map_err(unusable)?;
        let lock = take_lock(&path)?;
        permissions::restrict(&path);
        let read_only = probe(&path).err().map(|error| error.to_string());
        Ok(Self {
            path,
            _lock: lock,
            read_only,
        })
    }

    /// Its canonical path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Why nothing can be written there; `None` where it can.
    pub fn read_only(&self) -> Option<&str> {
        self.read_only.as_deref()
    }
}

/// A locked file.
#[derive(Debug)]
struct FileLock(File);

impl Drop for FileLock {
    fn drop(&mut self) {
        // Closing is not enough: a child that was just forked also has the file open.
        let _ = self.0.unlock();
    }
}

/// Takes the lock. `None` where the lock file cannot be opened or created, so that no process can write, or where the
/// file system has no locks.
fn take_lock(directory: &Path) -> Result<Option<FileLock>, DataDirError> {
    let path = directory.join(LOCK);
    let mut options = OpenOptions::new();
    let opened = options.read(true).write(true).create(true).open(&path);
    let Ok(mut file) = opened.or_else(|_| File::open(&path)) else {
        return Ok(None);
    };
    match lock_with_retry(&file) {
        Ok(()) => {
            // For the error message of a second process; nothing else depends on it.
            let _ = file.set_len(0);
            let _ = write!(file, "{}", std::process::id());
            Ok(Some(FileLock(file)))
        }
        Err(TryLockError::WouldBlock) => {
            let process = process_in(&file).map(|id| format!(" (process {id})"));
            Err(DataDirError::InUse {
                path: directory.to_owned(),
                process: process.unwrap_or_default(),
            })
        }
        // The file system has no locks: the operator has to prevent a second server.
        Err(TryLockError::Error(error)) => {
            tracing::warn!(%error, "cannot lock the data directory: make sure that no second server uses it");
            Ok(None)
        }
    }
}

/// The process that has locked a data directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockHolder {
    /// No process.
    Nobody,
    /// A server, with its process id where that is known.
    Process(Option<u32>),
}

/// Returns the process id in a lock file.
fn process_in(mut file: &File) -> Option<u32> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    text.parse().ok()
}

/// Returns the process that has locked a data directory. Changes nothing there.
pub fn holder(directory: &Path) -> LockHolder {
    let Ok(file) = File::open(directory.join(LOCK)) else {
        return LockHolder::Nobody;
    };
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => LockHolder::Process(process_in(&file)),
        // A server that starts now retries for longer than this shared lock is held.
        Ok(()) | Err(TryLockError::Error(_)) => LockHolder::Nobody,
    }
}

/// Returns the bytes of the files in a directory, without subdirectories.
pub fn bytes_in(directory: &Path) -> u64 {
    let files = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let length = |file: std::fs::DirEntry| Some(file.metadata().ok()?.len());
    files.filter_map(length).sum()
}

/// Deletes the unfinished files of killed processes from a repository's directory. No other process may be writing
/// there.
pub fn remove_unfinished(directory: &Path) {
    let files = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut removed = 0;
    for path in files.map(|file| file.path()) {
        let is_unfinished = path
            .extension()
            .is_some_and(|ending| ending == pack::UNFINISHED);
        if is_unfinished && std::fs::remove_file(&path).is_ok() {
            removed += 1;
        }
    }
    if removed > 0 {
        let directory = directory.display();
        tracing::info!(%directory, removed, "deleted files of interrupted writes; they are rebuilt");
    }
}

/// Locks a file, retrying for [`LOCK_TIMEOUT`]: a child that a killed server had just forked holds the files of the
/// server until it runs its own program.
fn lock_with_retry(file: &File) -> Result<(), TryLockError> {
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if start.elapsed() < LOCK_TIMEOUT => {
                std::thread::sleep(Duration::from_millis(20));
            }
            done => return done,
        }
    }
}

fn probe(directory: &Path) -> io::Result<()> {
    let path = directory.join("probe");
    File::create(&path)?;
    std::fs::remove_file(&path)
}

/// Returns the checksum that is stored with all data.
fn checksum(bytes: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(bytes)
}

fn compressed(bytes: &[u8]) -> io::Result<Vec<u8>> {
    Ok(snap::raw::Encoder::new().compress_vec(bytes)?)
}

/// Decompresses the output of [`compressed`]; `None` for other bytes.
fn decompressed(bytes: &[u8]) -> Option<Vec<u8>> {
    snap::raw::Decoder::new().decompress_vec(bytes).ok()
}

/// Counts and logs damaged data on disk, which will be computed again.
fn count_damage(what: &'static str, path: &Path) {
    metrics::counter!("foveate_disk_damaged_total", "what" => what).increment(1);
    tracing::warn!(file = %path.display(), what, "dropped damaged data; it is computed again");
}

/// Flushes the directory of a renamed file: the new name is on disk only then.
fn sync_directory(of: &Path) -> io::Result<()> {
    match of.parent() {
        Some(directory) => File::open(directory)?.sync_all(),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_directory_is_locked_by_one_process() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("data");
        let first = DataDir::open(&path).expect("it is made");
        assert!(first.read_only().is_none());
        let refused = DataDir::open(&path).expect_err("it is taken").to_string();
        let process = format!("(process {})", std::process::id());
        assert!(refused.contains(&process), "{refused}");
        assert!(refused.contains("--data-dir"), "{refused}");
        assert_eq!(holder(&path), LockHolder::Process(Some(std::process::id())));
        drop(first);
        assert_eq!(holder(&path), LockHolder::Nobody);
        assert!(DataDir::open(&path).is_ok());
    }
}

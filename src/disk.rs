//! The data directory: who may use it ([`DataDir`]), the cache of the command line ([`CacheDir`]), and
//! values by key ([`ContentStore`]) in the one file format of all that is stored ([`Pack`]). It knows
//! keys and bytes, and nothing of what they mean. Damage is found by checksums, counted, and treated as
//! absence.

mod cache;
mod owner;
mod pack;
mod stamp;
mod store;

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub use cache::{CacheDir, CacheEntry, CacheLimits, CachedRepository, ReadOnly};
pub use owner::{create_directory, create_files_for_the_owner_alone, write_for_others};
pub use pack::Pack;
pub use stamp::FileStamp;
pub use store::{ContentStore, Entry, Key, MaxWaste, get_only, put_only};

/// The file that the one process that may write holds a lock on.
const LOCK: &str = "lock";
const LOCK_PATIENCE: Duration = Duration::from_secs(1);
/// Endings of files that are not read any more.
const LEFTOVERS: [&str; 5] = ["state", "records", "files", "functions", "unfinished"];

/// A data directory that no other process uses.
#[derive(Debug)]
pub struct DataDir {
    path: PathBuf,
    /// Released by the system when the process ends, however it ends.
    lock: Option<File>,
    read_only: Option<String>,
}

/// Why the data directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DataDirError {
    /// It cannot be made or read.
    #[error("cannot use the data directory {}: {reason}", .path.display())]
    Unusable {
        /// Which.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// Another process uses it.
    #[error(
        "the data directory {} is in use by another `foveate serve`{process}: stop that one, or choose another directory with --data-dir",
        .path.display()
    )]
    InUse {
        /// Which.
        path: PathBuf,
        /// ` (process N)`, where it is known.
        process: String,
    },
}

impl DataDir {
    /// Makes the directory if need be and takes it for this process. A directory that cannot be
    /// written is no error: see [`Self::read_only`]. Blocks, for a second where it is taken.
    ///
    /// # Errors
    /// See [`DataDirError`].
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
        owner::restrict(&path);
        let read_only = probe(&path).err().map(|error| error.to_string());
        Ok(Self {
            path,
            lock,
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

impl Drop for DataDir {
    fn drop(&mut self) {
        // Closing is not enough: a child that was just forked has the file open, too.
        if let Some(lock) = &self.lock {
            let _ = lock.unlock();
        }
    }
}

/// The lock; `None` where there is no file to lock and none can be made, so that nobody writes.
fn take_lock(directory: &Path) -> Result<Option<File>, DataDirError> {
    let path = directory.join(LOCK);
    let mut options = OpenOptions::new();
    let opened = options.read(true).write(true).create(true).open(&path);
    let Ok(mut file) = opened.or_else(|_| File::open(&path)) else {
        return Ok(None);
    };
    match lock_soon(&file) {
        Ok(()) => {
            // For the message of whoever comes second; nothing depends on it.
            let _ = file.set_len(0);
            let _ = write!(file, "{}", std::process::id());
            Ok(Some(file))
        }
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            let _ = file.read_to_string(&mut holder);
            let is_number = holder.parse::<u32>().is_ok();
            Err(DataDirError::InUse {
                path: directory.to_owned(),
                process: if is_number {
                    format!(" (process {holder})")
                } else {
                    String::new()
                },
            })
        }
        // A file system without locks: whoever put the data there knows.
        Err(TryLockError::Error(error)) => {
            tracing::warn!(%error, "the data directory cannot be locked; let no second server use it");
            Ok(None)
        }
    }
}

/// Who uses a data directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// Nobody.
    Nobody,
    /// A server, with the number of its process where that is known.
    Process(Option<u32>),
}

/// Who uses a data directory now. Nothing is changed there.
pub fn holder(directory: &Path) -> Holder {
    let Ok(mut file) = File::open(directory.join(LOCK)) else {
        return Holder::Nobody;
    };
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => {
            let mut text = String::new();
            let _ = file.read_to_string(&mut text);
            Holder::Process(text.parse().ok())
        }
        // A server that starts in this moment waits longer for its lock than it is held here.
        Ok(()) | Err(TryLockError::Error(_)) => Holder::Nobody,
    }
}

/// Bytes of the files in a directory, not counting those of its directories.
pub fn bytes_in(directory: &Path) -> u64 {
    let files = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let length = |file: std::fs::DirEntry| Some(file.metadata().ok()?.len());
    files.filter_map(length).sum()
}

/// Deletes what programs before the present format stored in a repository's directory, and what a killed
/// process left unfinished. Nobody may be writing there.
pub fn remove_leftovers(directory: &Path) {
    let files = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut removed = 0;
    for path in files.map(|file| file.path()) {
        let ending = path.extension().and_then(|ending| ending.to_str());
        let is_leftover = ending.is_some_and(|ending| LEFTOVERS.contains(&ending));
        if is_leftover && std::fs::remove_file(&path).is_ok() {
            removed += 1;
        }
    }
    if removed > 0 {
        let directory = directory.display();
        tracing::info!(%directory, removed, "files of an earlier format are deleted and made again");
    }
}

/// Tries for a moment: a child that a killed server was just starting holds its files until it runs.
fn lock_soon(file: &File) -> Result<(), TryLockError> {
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if start.elapsed() < LOCK_PATIENCE => {
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

/// The checksum that stands beside everything.
fn checksum(bytes: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(bytes)
}

fn compressed(bytes: &[u8]) -> io::Result<Vec<u8>> {
    Ok(snap::raw::Encoder::new().compress_vec(bytes)?)
}

/// What was compressed; `None` for other bytes.
fn expanded(bytes: &[u8]) -> Option<Vec<u8>> {
    snap::raw::Decoder::new().decompress_vec(bytes).ok()
}

/// Something on disk was not what was written; it is made again.
fn count_damage(what: &'static str, path: &Path) {
    metrics::counter!("foveate_disk_damaged_total", "what" => what).increment(1);
    tracing::warn!(file = %path.display(), what, "damaged data is dropped and made again");
}

/// A directory's entry for a file that was renamed reaches the disk with the directory.
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
    fn one_process_at_a_time() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("data");
        let first = DataDir::open(&path).expect("it is made");
        assert!(first.read_only().is_none());
        let refused = DataDir::open(&path).expect_err("it is taken").to_string();
        let process = format!("(process {})", std::process::id());
        assert!(refused.contains(&process), "{refused}");
        assert!(refused.contains("--data-dir"), "{refused}");
        assert_eq!(holder(&path), Holder::Process(Some(std::process::id())));
        drop(first);
        assert_eq!(holder(&path), Holder::Nobody);
        assert!(DataDir::open(&path).is_ok());
    }
}

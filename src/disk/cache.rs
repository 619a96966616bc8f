//! Manages the cache directory of a user: one entry, a subdirectory, for each repository that the command line was
//! asked about. Any number of processes may use it at once. The process that holds an entry's lock writes to it; others
//! read. Old entries are removed, and the most recently used ones are kept up to a total size. It must not interpret
//! the files in an entry. Callers that write there must create files accessible to the owner only.

use std::ffi::OsString;
use std::fs::{File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest as _, Sha256};

use super::{FileLock, bytes_in, create_directory};

/// A file in each entry: its content is the path of the repository, its modification time is when the entry was last
/// used, and the process that writes to the entry locks it.
const LOCK: &str = "repository.lock";
/// Tells backup programs to skip the directory: <https://bford.info/cachedir/>.
const TAG: (&str, &str) = (
    "CACHEDIR.TAG",
    "Signature: 8a477f597d28d172789f06886806bc55\n# This directory was made by foveate.\n",
);
/// Longest path of a repository, in bytes.
const MAX_PATH: u64 = 1 << 16;

/// The cache directory.
#[derive(Clone, Debug)]
pub struct CacheDir {
    path: PathBuf,
}

/// The limits of a cache.
#[derive(Clone, Copy, Debug)]
pub struct CacheLimits {
    /// Maximum bytes of all entries together.
    pub max_bytes: u64,
    /// Maximum time since an entry was last used.
    pub max_age: Duration,
}

/// The entry of one repository.
#[derive(Debug)]
pub struct CacheEntry {
    name: String,
    lock: Result<FileLock, ReadOnlyReason>,
}

/// Why an entry may only be read.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what failed")]
pub enum ReadOnlyReason {
    #[error("another process writes to it")]
    InUse,
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A listed entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CachedRepository {
    /// Path of the repository when the entry was created.
    pub repository: PathBuf,
    /// Bytes on disk.
    pub bytes: u64,
    /// When the entry was last used.
    pub used: SystemTime,
    directory: PathBuf,
}

impl CacheDir {
    /// Creates a handle for the cache directory at `path`, which need not exist.
    pub fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the entry of the repository with the canonical path `repository`, and creates it if needed. Locks it
    /// unless another process has; does not wait for the lock.
    ///
    /// # Errors
    /// When there is no entry and none can be created, or it belongs to another user.
    pub fn entry(&self, repository: &Path) -> io::Result<CacheEntry> {
        let name = name_of(repository);
        let path = self.path.join(&name);
        let created = self.create().and_then(|()| create_directory(&path));
        if !path.is_dir() {
            created?;
        }
        require_own_directory(&path)?;
        Ok(CacheEntry {
            lock: take_lock(&path, repository),
            name,
        })
    }

    /// Returns all entries, most recently used first.
    ///
    /// # Errors
    /// When the directory exists and cannot be read.
    pub fn repositories(&self) -> io::Result<Vec<CachedRepository>> {
        let directories = match std::fs::read_dir(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            read => read?,
        };
        let entries = directories.map(|entry| Ok(CachedRepository::read(entry?.path())));
        let mut found: Vec<_> = entries
            .filter_map(io::Result::transpose)
            .collect::<Result<_, _>>()?;
        found.sort_by(|a, b| (b.used, &a.repository).cmp(&(a.used, &b.repository)));
        Ok(found)
    }

    /// Removes entries above the age limit, and then the least recently used ones until the rest is within the size
    /// limit. Keeps entries that another process is writing to. Returns the bytes freed.
    ///
    /// # Errors
    /// When the directory cannot be read or an entry cannot be removed.
    pub fn trim(&self, limits: &CacheLimits) -> io::Result<u64> {
        let now = SystemTime::now();
        let entries = self.repositories()?;
        let mut total: u64 = entries.iter().map(|entry| entry.bytes).sum();
        let mut freed = 0;
        for entry in entries.iter().rev() {
            let age = now.duration_since(entry.used).unwrap_or_default();
            let is_surplus = total > limits.max_bytes || age > limits.max_age;
            if is_surplus && self.remove(entry)? {
                total -= entry.bytes;
                freed += entry.bytes;
            }
        }
        Ok(freed)
    }

    /// Removes an entry, unless another process is writing to it. Returns whether it is gone.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn remove(&self, entry: &CachedRepository) -> io::Result<bool> {
        let lock = match File::open(entry.directory.join(LOCK)) {
            // Another process removed it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
            opened => opened?,
        };
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => return Ok(false),
            Err(TryLockError::Error(error)) => return Err(error),
            Ok(()) => {}
        }
        if !is_at(&lock, &entry.directory.join(LOCK)) {
            // Removed and recreated since it was opened: in use.
            return Ok(false);
        }
        let removed = std::fs::remove_dir_all(&entry.directory);
        let _ = lock.unlock();
        removed.map(|()| true)
    }

    fn create(&self) -> io::Result<()> {
        if self.path.is_dir() {
            return Ok(());
        }
        create_directory(&self.path)?;
        std::fs::write(self.path.join(TAG.0), TAG.1)
    }
}

impl CacheEntry {
    /// The name of its directory.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Why this process may not write to it; `None` where this process, and no other, may.
    pub fn read_only(&self) -> Option<&ReadOnlyReason> {
        self.lock.as_ref().err()
    }
}

impl CachedRepository {
    /// Reads the entry in a directory; `None` where the directory is no entry.
    fn read(directory: PathBuf) -> Option<Self> {
        let lock = File::open(directory.join(LOCK)).ok()?;
        let used = lock.metadata().ok()?.modified().ok()?;
        let mut repository = Vec::new();
        lock.take(MAX_PATH).read_to_end(&mut repository).ok()?;
        Some(Self {
            repository: OsString::from_vec(repository).into(),
            bytes: bytes_in(&directory),
            used,
            directory,
        })
    }
}

/// Returns the directory name of an entry: the readable name of the repository, and a hash of its path to distinguish
/// repositories of the same name.
fn name_of(repository: &Path) -> String {
    let sum = Sha256::digest(repository.as_os_str().as_bytes());
    let sum = hex::encode(&sum[..8]);
    let name = repository.file_name().unwrap_or_default().to_string_lossy();
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || "._-".contains(*c);
    let name: String = name.chars().filter(is_plain).take(64).collect();
    match name.trim_start_matches(['.', '-']) {
        "" => sum,
        name => format!("{name}-{sum}"),
    }
}

/// Returns an error unless the path is a directory of this user: other users may have put anything there. Removes the
/// permissions of group and others.
fn require_own_directory(path: &Path) -> io::Result<()> {
    let metadata = path.symlink_metadata()?;
    let is_own = metadata.uid() == rustix::process::geteuid().as_raw();
    if !metadata.is_dir() || !is_own {
        let error = format!("{} is not a directory owned by this user", path.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, error));
    }
    if metadata.mode() & 0o077 != 0 {
        // Perhaps restored from a backup. Changing it fails on a read-only disk, which is no harm.
        let _ = std::fs::set_permissions(path, Permissions::from_mode(0o700));
    }
    Ok(())
}

fn take_lock(entry: &Path, repository: &Path) -> Result<FileLock, ReadOnlyReason> {
    let path = entry.join(LOCK);
    // Retries if another process removes the entry between opening and locking.
    for _ in 0..3 {
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).mode(0o600);
        let mut file = match options.open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                create_directory(entry)?;
                continue;
            }
            opened => opened?,
        };
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                let _ = file.set_modified(SystemTime::now());
                return Err(ReadOnlyReason::InUse);
            }
            Err(TryLockError::Error(error)) => return Err(error.into()),
            Ok(()) => {}
        }
        if is_at(&file, &path) {
            if file.metadata()?.len() == 0 {
                file.write_all(repository.as_os_str().as_bytes())?;
            }
            file.set_modified(SystemTime::now())?;
            return Ok(FileLock(file));
        }
    }
    Err(ReadOnlyReason::InUse)
}

/// Whether an open file is still the one at a path.
fn is_at(file: &File, path: &Path) -> bool {
    let is_same = |now: std::fs::Metadata| Ok(now.ino() == file.metadata()?.ino());
    path.metadata().and_then(is_same).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const FOREVER: CacheLimits = CacheLimits {
        max_bytes: u64::MAX,
        max_age: Duration::MAX,
    };

    fn cache() -> (tempfile::TempDir, CacheDir) {
        let keep = tempfile::tempdir().expect("a temporary directory");
        let cache = CacheDir::new(keep.path().join("made/foveate"));
        (keep, cache)
    }

    /// Creates an entry with a file of `bytes` bytes, last used `days` days ago.
    fn used(cache: &CacheDir, repository: &str, bytes: usize, days: u64) -> io::Result<()> {
        let entry = cache.entry(repository.as_ref())?;
        let path = cache.path.join(&entry.name);
        fs::write(path.join("facts.pack"), vec![0; bytes])?;
        let lock = File::options().write(true).open(path.join(LOCK))?;
        lock.set_modified(SystemTime::now() - Duration::from_secs(days * 86_400))
    }

    fn names(cache: &CacheDir) -> io::Result<Vec<String>> {
        let all = cache.repositories()?.into_iter();
        Ok(all.map(|e| e.repository.display().to_string()).collect())
    }

    #[test]
    fn one_process_writes_to_an_entry_and_others_read() -> io::Result<()> {
        let (_keep, cache) = cache();
        assert!(names(&cache)?.is_empty());
        let first = cache.entry("/srv/shop".as_ref())?;
        assert!(first.read_only().is_none());
        let second = cache.entry("/srv/shop".as_ref())?;
        assert_eq!(first.name, second.name);
        assert!(matches!(second.read_only(), Some(ReadOnlyReason::InUse)));
        let namesake = cache.entry("/home/shop".as_ref())?;
        assert!(namesake.read_only().is_none() && namesake.name != first.name);
        let entry = cache.path.join(&first.name);
        for path in [&cache.path, &entry] {
            assert_eq!(path.metadata()?.mode() & 0o777, 0o700);
        }
        assert_eq!(entry.join(LOCK).metadata()?.mode() & 0o777, 0o600);
        assert!(cache.path.join(TAG.0).is_file());
        // An entry that is being written is kept.
        let none = CacheLimits {
            max_bytes: 0,
            ..FOREVER
        };
        drop(namesake);
        assert!(cache.trim(&none)? > 0);
        assert_eq!(names(&cache)?, ["/srv/shop"]);
        drop(first);
        assert!(cache.entry("/srv/shop".as_ref())?.read_only().is_none());
        Ok(())
    }

    #[test]
    fn least_recently_used_entries_are_trimmed() -> io::Result<()> {
        let (_keep, cache) = cache();
        for (repository, bytes, days) in [
            ("/a", 100, 40),
            ("/b", 3000, 20),
            ("/c", 2000, 2),
            ("/d", 1000, 1),
        ] {
            used(&cache, repository, bytes, days)?;
        }
        fs::create_dir(cache.path.join("photos"))?;
        fs::write(cache.path.join("photos/cat.jpeg"), "")?;
        assert_eq!(cache.trim(&FOREVER)?, 0);
        let month = CacheLimits {
            max_age: Duration::from_secs(30 * 86_400),
            ..FOREVER
        };
        assert!(cache.trim(&month)? >= 100);
        assert_eq!(names(&cache)?, ["/d", "/c", "/b"]);
        let small = CacheLimits {
            max_bytes: 3100,
            ..month
        };
        assert!(cache.trim(&small)? >= 3000);
        assert_eq!(names(&cache)?, ["/d", "/c"]);
        assert!(cache.path.join("photos/cat.jpeg").exists(), "not ours");
        let listed = cache.repositories()?;
        assert!((1000..1100).contains(&listed[0].bytes));
        assert!(cache.remove(&listed[0])? && cache.remove(&listed[0])?);
        assert_eq!(names(&cache)?, ["/c"]);
        Ok(())
    }

    #[test]
    fn foreign_cache_directory_is_refused() -> io::Result<()> {
        let (keep, cache) = cache();
        drop(cache.entry("/a".as_ref())?);
        let (entry, elsewhere) = (
            cache.path.join(name_of("/a".as_ref())),
            keep.path().join("x"),
        );
        fs::rename(&entry, &elsewhere)?;
        std::os::unix::fs::symlink(&elsewhere, &entry)?;
        let refused = cache.entry("/a".as_ref()).map(drop).expect_err("a link");
        assert_eq!(refused.kind(), io::ErrorKind::PermissionDenied);
        // Permissions of a copy that others may read are restricted.
        fs::remove_file(&entry)?;
        fs::rename(&elsewhere, &entry)?;
        fs::set_permissions(&entry, Permissions::from_mode(0o755))?;
        assert!(cache.entry("/a".as_ref())?.read_only().is_none());
        assert_eq!(entry.metadata()?.mode() & 0o777, 0o700);
        Ok(())
    }
}

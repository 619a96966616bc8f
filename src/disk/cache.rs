//! The cache directory of a user: one entry, a directory of its own, per repository that the command line
//! was asked about. Any number of processes use it at once. The one that holds an entry's lock writes to
//! it; others read. Entries that were not used for long go, and those used last stay within a size. It
//! knows nothing of what the files in an entry mean. Who writes there makes files for the owner alone.

use std::ffi::OsString;
use std::fs::{DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest as _, Sha256};

use super::bytes_in;

/// In an entry: it holds the path of the repository, was written when the entry was last used, and is
/// locked by the process that writes to the entry.
const LOCK: &str = "repository.lock";
/// Tells programs that make backups to leave the directory out: <https://bford.info/cachedir/>.
const TAG: (&str, &str) = (
    "CACHEDIR.TAG",
    "Signature: 8a477f597d28d172789f06886806bc55\n# This directory was made by foveate.\n",
);
/// Longest path of a repository, in bytes.
const MAX_PATH: u64 = 1 << 16;

/// A directory of entries.
#[derive(Clone, Debug)]
pub struct CacheDir {
    path: PathBuf,
}

/// How much a cache may hold.
#[derive(Clone, Copy, Debug)]
pub struct CacheLimits {
    /// Bytes of all entries.
    pub bytes: u64,
    /// Time since an entry was last used.
    pub age: Duration,
}

/// The entry of one repository.
#[derive(Debug)]
pub struct CacheEntry {
    name: String,
    lock: Result<File, ReadOnly>,
}

/// Why an entry may only be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadOnly {
    /// Another process writes to it.
    #[error("another process writes to it")]
    InUse,
    /// The system does not let us.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// An entry as it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CachedRepository {
    /// The repository, as it was called when the entry was made.
    pub repository: PathBuf,
    /// Bytes on disk.
    pub bytes: u64,
    /// When the entry was last used.
    pub used: SystemTime,
    directory: PathBuf,
}

impl CacheDir {
    /// The cache in the directory at `path`, which need not be there.
    pub fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The entry of the repository with the canonical path `repository`. It is made where there is none,
    /// and locked where nobody else has done so; this waits for nobody.
    ///
    /// # Errors
    /// When there is no entry and none can be made, or it belongs to another user.
    pub fn entry(&self, repository: &Path) -> io::Result<CacheEntry> {
        let name = name_of(repository);
        let path = self.path.join(&name);
        let made = self.make().and_then(|()| make_private(&path));
        if !path.is_dir() {
            made?;
        }
        refuse_others(&path)?;
        Ok(CacheEntry {
            lock: take_lock(&path, repository),
            name,
        })
    }

    /// All entries, those used last first.
    ///
    /// # Errors
    /// When the directory is there and cannot be read.
    pub fn repositories(&self) -> io::Result<Vec<CachedRepository>> {
        let directories = match std::fs::read_dir(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            read => read?,
        };
        let entries = directories.map(|entry| Ok(CachedRepository::read(entry?.path())));
        let mut found: Vec<_> = entries
            .filter_map(io::Result::transpose)
            .collect::<Result<_, _>>()?;
        found.sort_by(|a, b| {
            b.used
                .cmp(&a.used)
                .then_with(|| a.repository.cmp(&b.repository))
        });
        Ok(found)
    }

    /// Removes the entries that were not used for too long, and from the others those that were not used
    /// for longest until the rest is small enough. One that is being written stays. Returns the bytes
    /// freed.
    ///
    /// # Errors
    /// When the directory cannot be read or something in it not be removed.
    pub fn trim(&self, limits: &CacheLimits) -> io::Result<u64> {
        let now = SystemTime::now();
        let entries = self.repositories()?;
        let mut total: u64 = entries.iter().map(|entry| entry.bytes).sum();
        let mut freed = 0;
        for entry in entries.iter().rev() {
            let age = now.duration_since(entry.used).unwrap_or_default();
            let is_surplus = total > limits.bytes || age > limits.age;
            if is_surplus && self.remove(entry)? {
                total -= entry.bytes;
                freed += entry.bytes;
            }
        }
        Ok(freed)
    }

    /// Removes an entry; returns whether it did, which it does not while another process writes to it.
    ///
    /// # Errors
    /// When the system says no.
    pub fn remove(&self, entry: &CachedRepository) -> io::Result<bool> {
        let lock = match File::open(entry.directory.join(LOCK)) {
            // Someone else removed it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
            opened => opened?,
        };
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => return Ok(false),
            Err(TryLockError::Error(error)) => return Err(error),
            Ok(()) => {}
        }
        if !is_at(&lock, &entry.directory.join(LOCK)) {
            // Removed and made anew since it was opened: in use.
            return Ok(false);
        }
        let removed = std::fs::remove_dir_all(&entry.directory);
        let _ = lock.unlock();
        removed.map(|()| true)
    }

    fn make(&self) -> io::Result<()> {
        if self.path.is_dir() {
            return Ok(());
        }
        if let Some(parent) = self.path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        make_private(&self.path)?;
        std::fs::write(self.path.join(TAG.0), TAG.1)
    }
}

impl CacheEntry {
    /// The name of its directory.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Why nothing may be written to it; `None` where it may, by this process alone.
    pub fn read_only(&self) -> Option<&ReadOnly> {
        self.lock.as_ref().err()
    }
}

impl Drop for CacheEntry {
    fn drop(&mut self) {
        // Closing is not enough: a child that was just forked has the file open, too.
        if let Ok(lock) = &self.lock {
            let _ = lock.unlock();
        }
    }
}

impl CachedRepository {
    /// The entry in a directory; `None` for a directory that is none.
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

/// A readable name, and what tells repositories with the same one apart.
fn name_of(repository: &Path) -> String {
    let sum = Sha256::digest(repository.as_os_str().as_bytes());
    let sum: String = sum
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let name = repository.file_name().unwrap_or_default().to_string_lossy();
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || "._-".contains(*c);
    let name: String = name.chars().filter(is_plain).take(64).collect();
    match name.trim_start_matches(['.', '-']) {
        "" => sum,
        name => format!("{name}-{sum}"),
    }
}

/// Makes a directory that this user alone may read.
fn make_private(path: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

/// Where others may write, they may have put anything.
fn refuse_others(path: &Path) -> io::Result<()> {
    let metadata = path.symlink_metadata()?;
    let is_own = metadata.uid() == rustix::process::geteuid().as_raw();
    if !metadata.is_dir() || !is_own {
        let error = format!("{} is not a directory of this user", path.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, error));
    }
    if metadata.mode() & 0o077 != 0 {
        // Restored from a copy, perhaps; where it cannot be changed it is on a disk that cannot.
        let _ = std::fs::set_permissions(path, Permissions::from_mode(0o700));
    }
    Ok(())
}

fn take_lock(entry: &Path, repository: &Path) -> Result<File, ReadOnly> {
    let path = entry.join(LOCK);
    // An entry that is removed between opening and locking is made anew.
    for _ in 0..3 {
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).mode(0o600);
        let mut file = match options.open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                make_private(entry)?;
                continue;
            }
            opened => opened?,
        };
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                let _ = file.set_modified(SystemTime::now());
                return Err(ReadOnly::InUse);
            }
            Err(TryLockError::Error(error)) => return Err(error.into()),
            Ok(()) => {}
        }
        if is_at(&file, &path) {
            if file.metadata()?.len() == 0 {
                file.write_all(repository.as_os_str().as_bytes())?;
            }
            file.set_modified(SystemTime::now())?;
            return Ok(file);
        }
    }
    Err(ReadOnly::InUse)
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
        bytes: u64::MAX,
        age: Duration::MAX,
    };

    fn cache() -> (tempfile::TempDir, CacheDir) {
        let keep = tempfile::tempdir().expect("a temporary directory");
        let cache = CacheDir::new(keep.path().join("made/foveate"));
        (keep, cache)
    }

    /// An entry with a file of so many bytes that was last used so many days ago.
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
        assert!(matches!(second.read_only(), Some(ReadOnly::InUse)));
        let namesake = cache.entry("/home/shop".as_ref())?;
        assert!(namesake.read_only().is_none() && namesake.name != first.name);
        let entry = cache.path.join(&first.name);
        for path in [&cache.path, &entry] {
            assert_eq!(path.metadata()?.mode() & 0o777, 0o700);
        }
        assert_eq!(entry.join(LOCK).metadata()?.mode() & 0o777, 0o600);
        assert!(cache.path.join(TAG.0).is_file());
        // What is being written stays.
        let none = CacheLimits {
            bytes: 0,
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
    fn what_was_not_used_for_longest_goes() -> io::Result<()> {
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
            age: Duration::from_secs(30 * 86_400),
            ..FOREVER
        };
        assert!(cache.trim(&month)? >= 100);
        assert_eq!(names(&cache)?, ["/d", "/c", "/b"]);
        let small = CacheLimits {
            bytes: 3100,
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
    fn what_others_put_there_is_not_used() -> io::Result<()> {
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
        // A copy that others may read is closed.
        fs::remove_file(&entry)?;
        fs::rename(&elsewhere, &entry)?;
        fs::set_permissions(&entry, Permissions::from_mode(0o755))?;
        assert!(cache.entry("/a".as_ref())?.read_only().is_none());
        assert_eq!(entry.metadata()?.mode() & 0o777, 0o700);
        Ok(())
    }
}

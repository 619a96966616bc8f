//! Checks which paths on this machine git may read, and holds the limits of one git process. A repository is
//! more than its directory: `.git` files, common directories, alternates and symbolic links lead
//! elsewhere, and each of them is checked here before git follows it.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::process::{self, RunLimits};
use super::{GitError, GitRepo};
use crate::ingest::max_size::MaxSize;

/// Local directories that may be read for clients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LocalPaths {
    /// All paths: only users of this machine can send queries.
    Anywhere,
    /// Paths at or below these canonical directories.
    Below(Arc<[PathBuf]>),
}

impl LocalPaths {
    /// Whether a canonical path may be read.
    pub fn admits(&self, real: &Path) -> bool {
        match self {
            Self::Anywhere => true,
            Self::Below(allowed) => allowed.iter().any(|allowed| real.starts_with(allowed)),
        }
    }

    /// Whether a client may learn that nothing exists at a path: its existing part leads to an allowed one.
    pub fn admits_missing(&self, path: &Path) -> bool {
        let is_there = |above: &&Path| above.symlink_metadata().is_ok();
        let real = path.ancestors().find(is_there).map(fs::canonicalize);
        let has_steps_up = path.components().any(|part| part == Component::ParentDir);
        *self == Self::Anywhere
            || !has_steps_up && real.is_some_and(|real| real.is_ok_and(|real| self.admits(&real)))
    }

    /// Returns these paths and `more` canonical ones.
    pub fn and(&self, more: impl IntoIterator<Item = PathBuf>) -> Self {
        match self {
            Self::Anywhere => Self::Anywhere,
            Self::Below(allowed) => Self::Below(allowed.iter().cloned().chain(more).collect()),
        }
    }

    /// Checks that a path leads to one of these.
    ///
    /// # Errors
    /// When it does not. The message does not reveal whether the path exists.
    fn check(&self, path: &Path, what: &'static str) -> Result<(), GitError> {
        let is_admitted = match fs::canonicalize(path) {
            Ok(real) => self.admits(&real),
            Err(_) => self.admits_missing(path),
        };
        if is_admitted {
            return Ok(());
        }
        Err(GitError::NotAllowed(what))
    }
}

/// Paths that may be read, and limits of reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadLimits {
    /// Where repositories on this machine, their git directories and objects may lie.
    pub local_paths: LocalPaths,
    /// Bytes of memory that one git process may allocate, without mapped files; 0: unlimited.
    pub memory_bytes: u64,
    /// Time limit of resolving a ref to a commit, and of comparing two commits.
    pub lookup: Duration,
    /// Time limit of listing or reading the files of a commit.
    pub read: Duration,
    /// Largest size of one revision.
    pub max_size: MaxSize,
}

impl Default for ReadLimits {
    /// Returns the limits of a program that reads repositories for its own user.
    fn default() -> Self {
        Self {
            local_paths: LocalPaths::Anywhere,
            memory_bytes: 2 << 30,
            lookup: Duration::from_secs(30),
            read: Duration::from_secs(600),
            max_size: MaxSize::default(),
        }
    }
}

/// Longest file with paths (`.git`, `commondir`, `alternates`) that is read, in bytes.
const MAX_LINK_BYTES: u64 = 1 << 16;
/// Maximum directory entries checked in a repository; git packs loose objects long before.
const MAX_ENTRIES: usize = 1 << 20;
/// Maximum object directories of one repository.
const MAX_ALTERNATES: usize = 100;

impl ReadLimits {
    /// Runs a command that resolves a ref, within the time limit [`Self::lookup`].
    ///
    /// # Errors
    /// When git cannot be started or has to be ended.
    pub(super) fn look_up(&self, command: &mut Command) -> Result<Output, GitError> {
        let stop = CancellationToken::new();
        process::output(command, &self.lookup_limits(&stop))
    }

    /// Returns the limits, from now on, of resolving a ref or comparing commits.
    pub(super) fn lookup_limits<'a>(&self, stop: &'a CancellationToken) -> RunLimits<'a> {
        let setting = "answer.deadline_ms";
        RunLimits::new(stop, self.lookup, self.memory_bytes, setting)
    }

    /// Checks that the repository around `directory`, wherever a `.git` there or above leads, may be read.
    ///
    /// # Errors
    /// When it may not.
    pub fn check_discovered(&self, directory: &Path) -> Result<(), GitError> {
        if self.local_paths == LocalPaths::Anywhere {
            return Ok(());
        }
        let Some(dot_git) = discover_dot_git(directory) else {
            return Ok(());
        };
        self.local_paths.check(&dot_git, "git directory")?;
        if !dot_git.is_file() {
            return self.check(&dot_git);
        }
        let Some(link) = link(&dot_git) else {
            return Ok(());
        };
        let target = link.strip_prefix(b"gitdir: ").unwrap_or(&link);
        let above = dot_git.parent().unwrap_or(directory);
        self.check(&above.join(OsStr::from_bytes(target)))
    }

    /// Checks that a git directory, and everything that git reads through it, may be read.
    ///
    /// # Errors
    /// When one of them may not.
    pub fn check(&self, git_dir: &Path) -> Result<(), GitError> {
        if self.local_paths == LocalPaths::Anywhere {
            return Ok(());
        }
        let parts = Parts::of(git_dir);
        self.local_paths.check(git_dir, "git directory")?;
        self.local_paths.check(&parts.common, "common directory")?;
        for objects in &parts.objects {
            self.local_paths.check(objects, "object directory")?;
        }
        if parts.is_incomplete {
            return Err(GitError::NotAllowed("list of alternate object directories"));
        }
        let mut entries = 0;
        for directory in [git_dir, &parts.common] {
            self.check_links(directory, Depth::Shallow, &mut entries)?;
            for refs in ["refs", "reftable"] {
                self.check_links(&directory.join(refs), Depth::Deep, &mut entries)?;
            }
        }
        for objects in &parts.objects {
            self.check_links(objects, Depth::Deep, &mut entries)?;
        }
        Ok(())
    }

    /// Returns these limits extended by a directory that the operator named, and by the repository that the
    /// directory belongs to now.
    pub fn trusting(self: &Arc<Self>, directory: &Path) -> Arc<Self> {
        if self.local_paths == LocalPaths::Anywhere {
            return Arc::clone(self);
        }
        let found = GitRepo::discover(directory, &Arc::default()).ok().flatten();
        let parts = found.map(|git| Parts::of(git.git_dir()));
        let parts = parts.into_iter().flat_map(Parts::into_all);
        let real = parts.filter_map(|part| fs::canonicalize(part).ok());
        Arc::new(Self {
            local_paths: self.local_paths.and(real.chain([directory.to_owned()])),
            ..Self::clone(self)
        })
    }

    /// Checks the symbolic links in a directory, and in those below it if `depth` says so.
    fn check_links(
        &self,
        directory: &Path,
        depth: Depth,
        entries: &mut usize,
    ) -> Result<(), GitError> {
        let mut pending = vec![directory.to_owned()];
        while let Some(directory) = pending.pop() {
            for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
                *entries += 1;
                if *entries > MAX_ENTRIES {
                    return Err(GitError::NotAllowed(
                        "directory of more than a million files",
                    ));
                }
                let Ok(kind) = entry.file_type() else {
                    continue;
                };
                if kind.is_symlink() {
                    self.local_paths.check(&entry.path(), "symbolic link")?;
                } else if kind.is_dir() && depth == Depth::Deep {
                    pending.push(entry.path());
                }
            }
        }
        Ok(())
    }
}

/// How far below a directory its entries are checked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// Only its own.
    Shallow,
    /// Those of all directories below it, too.
    Deep,
}

/// Finds the nearest `.git` in a directory or above it.
pub(super) fn discover_dot_git(directory: &Path) -> Option<PathBuf> {
    let dot_git = |above: &Path| above.join(".git");
    directory
        .ancestors()
        .map(dot_git)
        .find(|dot_git| dot_git.symlink_metadata().is_ok())
}

/// Paths of the parts of a repository.
struct Parts {
    git_dir: PathBuf,
    /// The directory of branches and objects: another one for a linked working tree.
    common: PathBuf,
    /// The object directory and its alternates.
    objects: Vec<PathBuf>,
    /// Whether there are parts that are not listed here.
    is_incomplete: bool,
}

impl Parts {
    fn of(git_dir: &Path) -> Self {
        let common = match link(&git_dir.join("commondir")) {
            Some(link) => git_dir.join(OsStr::from_bytes(&link)),
            None => git_dir.to_owned(),
        };
        let mut parts = Self {
            git_dir: git_dir.to_owned(),
            objects: Vec::new(),
            is_incomplete: false,
            common,
        };
        let mut pending = vec![parts.common.join("objects")];
        while let Some(objects) = pending.pop() {
            if parts.objects.len() == MAX_ALTERNATES {
                parts.is_incomplete = true;
                break;
            }
            pending.extend(parts.alternates(&objects));
            parts.objects.push(objects);
        }
        parts
    }

    /// Reads the alternates that an object directory names.
    fn alternates(&mut self, objects: &Path) -> Vec<PathBuf> {
        let listed = text(&objects.join("info/alternates")).unwrap_or_default();
        self.is_incomplete |= listed.len() as u64 == MAX_LINK_BYTES;
        let lines = listed.split(|byte| *byte == b'\n');
        let mut alternates = Vec::new();
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with(b"#")) {
            // Git unquotes quoted names; they are refused instead of parsed here.
            self.is_incomplete |= line.starts_with(b"\"");
            alternates.push(objects.join(OsStr::from_bytes(line)));
        }
        alternates
    }

    fn into_all(self) -> impl Iterator<Item = PathBuf> {
        [self.git_dir, self.common].into_iter().chain(self.objects)
    }
}

/// Reads a file that holds only a path.
fn link(path: &Path) -> Option<Vec<u8>> {
    let mut text = text(path)?;
    while text.last().is_some_and(|byte| b"\r\n".contains(byte)) {
        text.pop();
    }
    Some(text)
}

fn text(path: &Path) -> Option<Vec<u8>> {
    read_start(path, MAX_LINK_BYTES).ok()
}

/// Reads the first `limit` bytes of a regular file. Anything else is an error and is not waited for: a repository may
/// hold a pipe instead of a file.
pub(super) fn read_start(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    use rustix::fs::{CWD, Mode, OFlags, openat};

    let reading = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = fs::File::from(openat(CWD, path, reading, Mode::empty())?);
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    struct Places {
        keep: tempfile::TempDir,
        read_limits: ReadLimits,
    }

    impl Places {
        /// Creates an allowed directory `in` with a repository `repo`, and a repository `out` beside it.
        fn new() -> Self {
            let keep = tempfile::tempdir().unwrap();
            let root = keep.path().canonicalize().unwrap();
            for repo in ["in/repo/.git", "out/.git"] {
                for directory in ["objects/info", "objects/pack", "refs/heads"] {
                    fs::create_dir_all(root.join(repo).join(directory)).unwrap();
                }
                fs::write(root.join(repo).join("HEAD"), "ref: refs/heads/main\n").unwrap();
            }
            let local_paths = LocalPaths::Below(Arc::from([root.join("in")]));
            let read_limits = ReadLimits {
                local_paths,
                ..ReadLimits::default()
            };
            Self { keep, read_limits }
        }

        fn at(&self, path: &str) -> PathBuf {
            self.keep.path().canonicalize().unwrap().join(path)
        }

        fn is_admitted(&self) -> bool {
            let around = self.read_limits.check_discovered(&self.at("in/repo"));
            let git_dir = self.read_limits.check(&self.at("in/repo/.git"));
            assert!(
                ReadLimits::default()
                    .check_discovered(&self.at("in/repo"))
                    .is_ok()
            );
            around.is_ok() && git_dir.is_ok()
        }
    }

    #[test]
    fn repository_parts_inside_allowed_paths_are_admitted() {
        let places = Places::new();
        assert!(places.is_admitted());
        let other = places.at("in/other/objects");
        fs::create_dir_all(&other).unwrap();
        let alternates = places.at("in/repo/.git/objects/info/alternates");
        fs::write(&alternates, format!("# others\n{}\n", other.display())).unwrap();
        assert!(places.is_admitted());
        fs::write(&alternates, "../../../other/objects\n").unwrap();
        assert!(places.is_admitted());
    }

    #[test]
    fn paths_out_of_repository_are_refused() {
        type Lead = fn(&Places);
        let ways: [(&str, Lead); 9] = [
            ("a `.git` file", |places| {
                fs::rename(places.at("in/repo/.git"), places.at("in/repo/real")).unwrap();
                let link = format!("gitdir: {}\n", places.at("out/.git").display());
                fs::write(places.at("in/repo/.git"), link).unwrap();
            }),
            ("a `.git` file to what is not there", |places| {
                fs::rename(places.at("in/repo/.git"), places.at("in/repo/real")).unwrap();
                fs::write(places.at("in/repo/.git"), "gitdir: /no/such/place\n").unwrap();
            }),
            ("a linked `.git`", |places| {
                fs::rename(places.at("in/repo/.git"), places.at("in/repo/real")).unwrap();
                symlink(places.at("out/.git"), places.at("in/repo/.git")).unwrap();
            }),
            ("a common directory", |places| {
                fs::write(places.at("in/repo/.git/commondir"), "../../../out/.git\n").unwrap();
            }),
            ("linked objects", |places| {
                fs::remove_dir_all(places.at("in/repo/.git/objects")).unwrap();
                symlink(
                    places.at("out/.git/objects"),
                    places.at("in/repo/.git/objects"),
                )
                .unwrap();
            }),
            ("a linked pack", |places| {
                fs::write(places.at("out/.git/objects/pack/a.pack"), "").unwrap();
                symlink(
                    places.at("out/.git/objects/pack/a.pack"),
                    places.at("in/repo/.git/objects/pack/a.pack"),
                )
                .unwrap();
            }),
            ("alternates", |places| {
                let alternates = places.at("in/repo/.git/objects/info/alternates");
                fs::write(alternates, "../../../../out/.git/objects\n").unwrap();
            }),
            ("alternates of alternates", |places| {
                fs::create_dir_all(places.at("in/other/info")).unwrap();
                let alternates = places.at("in/repo/.git/objects/info/alternates");
                fs::write(alternates, "../../../other\n").unwrap();
                let further = format!("{}\n", places.at("out/.git/objects").display());
                fs::write(places.at("in/other/info/alternates"), further).unwrap();
            }),
            ("a linked ref", |places| {
                fs::write(places.at("out/.git/refs/heads/main"), "").unwrap();
                symlink(
                    places.at("out/.git/refs/heads/main"),
                    places.at("in/repo/.git/refs/heads/main"),
                )
                .unwrap();
            }),
        ];
        for (way, lead) in ways {
            let places = Places::new();
            lead(&places);
            assert!(!places.is_admitted(), "{way}");
        }
    }

    #[test]
    fn repository_above_allowed_directory_is_refused() {
        let places = Places::new();
        fs::rename(places.at("out/.git"), places.at(".git")).unwrap();
        fs::rename(places.at("in/repo/.git"), places.at("in/repo/real")).unwrap();
        assert!(!places.is_admitted());
    }

    #[test]
    fn pipe_is_refused_without_waiting() {
        let keep = tempfile::tempdir().unwrap();
        let pipe = keep.path().join("HEAD");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).unwrap();
        assert!(read_start(&pipe, 10).is_err());
        let file = keep.path().join("file");
        fs::write(&file, "0123456789x").unwrap();
        assert_eq!(read_start(&file, 10).unwrap(), b"0123456789");
    }
}

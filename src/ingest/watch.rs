//! Watches a working tree for changes: one watch per indexed directory (none for ignored ones), and a set
//! of the changes since it was last taken. It reads no file and does not interpret a change.

use std::collections::{HashMap, HashSet};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use notify::event::{AccessKind, AccessMode, ModifyKind, RenameMode};
use notify::{ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use parking_lot::Mutex;
use rustix::io::Errno;
use tokio::sync::Notify;
use tokio::time::Instant;

/// Above this many changed paths the whole tree is scanned.
const MAX_PATHS: usize = 10_000;

/// Changes since they were last taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeSet {
    /// Absolute paths of files and directories.
    pub paths: HashSet<PathBuf>,
    /// Whether the paths are incomplete and a full scan is needed: ignore rules changed, or events were lost.
    pub rescan: bool,
    /// Whether git moved `HEAD`, wrote its index or fetched older commits into a shallow clone.
    pub head: bool,
}

impl ChangeSet {
    fn is_empty(&self) -> bool {
        self.paths.is_empty() && !self.rescan && !self.head
    }

    /// Returns the minimum number of files that changed.
    fn files(&self) -> usize {
        self.paths.len().max(usize::from(self.rescan))
    }
}

/// Collects changes until they are taken.
#[derive(Debug, Default)]
pub struct ChangeCollector {
    set: Mutex<ChangeSet>,
    sequence: AtomicU64,
    arrived: Notify,
    /// Number of changed paths that are not published yet, for readers.
    pending: Arc<AtomicUsize>,
    git_dir: Option<PathBuf>,
    watches: Watches,
}

impl ChangeCollector {
    fn add(&self, event: notify::Result<Event>) {
        if let Ok(event) = &event {
            self.watches.note_ended(event);
        }
        let mut set = self.set.lock();
        match event {
            Ok(event) if event.need_rescan() => set.rescan = true,
            Ok(event) if is_access_only(event.kind) => return,
            Ok(event) => event
                .paths
                .into_iter()
                .for_each(|path| classify(&mut set, path, self.git_dir.as_deref())),
            // Events were lost, a directory vanished, or a limit was hit.
            Err(_) => set.rescan = true,
        }
        if set.is_empty() {
            return;
        }
        if set.paths.len() > MAX_PATHS {
            set.paths.clear();
            set.rescan = true;
        }
        self.pending.store(set.files(), Ordering::Relaxed);
        drop(set);
        self.sequence.fetch_add(1, Ordering::Relaxed);
        self.arrived.notify_one();
    }

    /// Requests a full scan.
    pub fn want_rescan(&self) {
        self.set.lock().rescan = true;
        self.arrived.notify_one();
    }

    /// Waits for a change, then until `earliest` and until no change came for `quiet`; after the first change
    /// at most for `max_delay`.
    pub async fn settle(&self, quiet: Duration, max_delay: Duration, earliest: Instant) {
        while self.set.lock().is_empty() {
            self.arrived.notified().await;
        }
        let latest = Instant::now() + max_delay;
        loop {
            let sequence = self.sequence.load(Ordering::Relaxed);
            let wanted = earliest.max(Instant::now() + quiet);
            tokio::time::sleep_until(latest.min(wanted)).await;
            let calm = sequence == self.sequence.load(Ordering::Relaxed);
            if calm || Instant::now() >= latest {
                return;
            }
        }
    }

    /// Takes the changes. Their paths count as pending until [`Self::done`].
    pub fn take(&self) -> ChangeSet {
        std::mem::take(&mut self.set.lock())
    }

    /// Marks the taken changes as published: only later changes stay pending.
    pub fn done(&self) {
        let set = self.set.lock();
        self.pending.store(set.files(), Ordering::Relaxed);
    }

    /// Returns the number of events that reported a change.
    pub fn sequence(&self) -> u64 {
        self.sequence.load(Ordering::Relaxed)
    }

    /// Returns a copy of the changes that are not taken yet.
    pub fn waiting(&self) -> ChangeSet {
        self.set.lock().clone()
    }
}

/// Whether an event reports only a read or open, which this program also causes, and no change of content.
fn is_access_only(kind: EventKind) -> bool {
    const WRITTEN: AccessKind = AccessKind::Close(AccessMode::Write);
    matches!(kind, EventKind::Access(access) if access != WRITTEN)
}

fn classify(set: &mut ChangeSet, path: PathBuf, git_dir: Option<&Path>) {
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or("");
    if let Some(inside) = git_dir.and_then(|dir| path.strip_prefix(dir).ok()) {
        match inside.to_str().unwrap_or("") {
            "info" | "info/exclude" => set.rescan = true,
            // An empty path is the git directory itself, which was created or removed.
            ""
            | "HEAD"
            | "logs"
            | "logs/HEAD"
            | "packed-refs"
            | "ORIG_HEAD"
            | "index"
            | "shallow"
            | "reftable"
            | "reftable/tables.list" => {
                set.head = true;
            }
            branch if branch.starts_with("refs/heads/") && !branch.ends_with(".lock") => {
                set.head = true;
            }
            _ => {}
        }
        return;
    }
    if matches!(name, ".gitignore" | ".foveateignore" | ".git") {
        set.rescan = true;
    }
    set.paths.insert(path);
}

/// Device and inode of a directory: a watch follows the inode, not the path.
type Identity = (u64, u64);

/// The watched directories. `None` marks a directory that was removed or moved since it was watched: a new
/// directory at the same path may get the same inode, but is not watched.
#[derive(Debug, Default)]
struct Watches(Mutex<HashMap<PathBuf, Option<Identity>>>);

impl Watches {
    /// Marks the watches that an event has ended.
    fn note_ended(&self, event: &Event) {
        if event.need_rescan() {
            self.0.lock().values_mut().for_each(|watch| *watch = None);
        }
        let Some(path) = event.paths.first() else {
            return;
        };
        match event.kind {
            EventKind::Remove(_) => {
                if let Some(watch) = self.0.lock().get_mut(path) {
                    *watch = None;
                }
            }
            EventKind::Modify(ModifyKind::Name(mode)) if mode != RenameMode::To => {
                self.note_moved(path);
            }
            _ => {}
        }
    }

    /// Marks a moved directory and all below it, which move with it without events of their own.
    fn note_moved(&self, path: &Path) {
        let mut watches = self.0.lock();
        if watches.get(path).is_some_and(Option::is_some) {
            let moved = watches.iter_mut().filter(|(at, _)| at.starts_with(path));
            moved.for_each(|(_, watch)| *watch = None);
        }
    }

    fn is_watched(&self, directory: &Path) -> bool {
        self.0.lock().get(directory).is_some_and(Option::is_some)
    }

    /// Whether the watched directory is no longer the one at its path.
    fn is_moved(&self, directory: &Path) -> bool {
        let watches = self.0.lock();
        let watch = watches.get(directory);
        watch.is_some_and(|watch| watch.is_none() || *watch != identity(directory))
    }
}

/// Watches directories, one by one.
#[derive(Debug)]
pub struct TreeWatcher {
    state: Mutex<WatchState>,
    /// The collected changes.
    pub changes: Arc<ChangeCollector>,
}

#[derive(Debug)]
struct WatchState {
    watcher: RecommendedWatcher,
    failure: Option<String>,
}

impl TreeWatcher {
    /// Creates a watcher that watches only the git directory so far.
    ///
    /// # Errors
    /// When the system provides no watcher; the message gives the reason.
    pub fn new(git_dir: Option<&Path>, pending: Arc<AtomicUsize>) -> Result<Self, String> {
        let changes = Arc::new(ChangeCollector {
            pending,
            git_dir: git_dir.map(Path::to_owned),
            ..ChangeCollector::default()
        });
        let watcher = notify::recommended_watcher({
            let changes = Arc::clone(&changes);
            move |event| changes.add(event)
        })
        .map_err(|error| reason(&error))?;
        let this = Self {
            state: Mutex::new(WatchState {
                watcher,
                failure: None,
            }),
            changes,
        };
        this.add_git_dir();
        Ok(this)
    }

    /// Watches the directories in which git stores `HEAD` and branches; some are created with the first commit.
    pub fn add_git_dir(&self) {
        let Some(git_dir) = self.git_dir() else {
            return;
        };
        let parts = ["", "logs", "info", "refs/heads", "reftable"];
        let directories = parts.map(|part| git_dir.join(part));
        self.forget_moved(&directories);
        for directory in directories.iter().filter(|part| part.is_dir()) {
            self.add(directory);
        }
    }

    /// Returns the git directory whose `HEAD` is watched.
    pub fn git_dir(&self) -> Option<&Path> {
        self.changes.git_dir.as_deref()
    }

    /// Returns why some directory could not be watched; `None` if all are.
    pub fn failure(&self) -> Option<String> {
        self.state.lock().failure.clone()
    }

    /// Watches a directory unless it is watched already.
    pub fn add(&self, directory: &Path) {
        let mut state = self.state.lock();
        let watches = &self.changes.watches;
        if state.failure.is_some() || watches.is_watched(directory) {
            return;
        }
        let Some(identity) = identity(directory) else {
            return;
        };
        // Inserted before it is watched, so that an event that ends the watch finds it. The lock is released
        // before the call to watch: the thread that serves it may itself wait for the lock to report an event.
        let before = watches
            .0
            .lock()
            .insert(directory.to_owned(), Some(identity));
        if before.is_some() {
            let _ = state.watcher.unwatch(directory);
        }
        let Err(error) = state.watcher.watch(directory, RecursiveMode::NonRecursive) else {
            return;
        };
        watches.0.lock().remove(directory);
        // If the directory vanished meanwhile or may not be read, its parent's watch reports when that changes.
        if directory.is_dir() && !is_forbidden(&error) {
            state.failure = Some(reason(&error));
        }
    }

    /// Whether the watched directory at this path was removed or replaced by another.
    pub fn is_moved(&self, directory: &Path) -> bool {
        self.changes.watches.is_moved(directory)
    }

    /// Stops watching directories.
    pub fn forget<'a>(&self, directories: impl Iterator<Item = &'a PathBuf>) {
        let mut state = self.state.lock();
        for directory in directories {
            if self.changes.watches.0.lock().remove(directory).is_some() {
                // The system has dropped the watch of a deleted directory already.
                let _ = state.watcher.unwatch(directory);
            }
        }
    }

    /// Stops watching those of `directories` that are gone or were replaced, before their inodes are found
    /// again under other paths.
    pub fn forget_moved<'a>(&self, directories: impl IntoIterator<Item = &'a PathBuf>) {
        let directories = directories.into_iter();
        let moved: Vec<&PathBuf> = directories.filter(|d| self.is_moved(d)).collect();
        self.forget(moved.into_iter());
    }

    /// Stops watching directories of the tree that are not in `directories`.
    pub fn keep_only(&self, directories: &HashSet<PathBuf>) {
        let git_dir = self.git_dir();
        let is_git = |d: &Path| git_dir.is_some_and(|git_dir| d.starts_with(git_dir));
        let watches = self.changes.watches.0.lock();
        let gone: Vec<PathBuf> = watches
            .keys()
            .filter(|d| !directories.contains(*d) && !is_git(d))
            .cloned()
            .collect();
        drop(watches);
        self.forget(gone.iter());
    }
}

fn is_forbidden(error: &notify::Error) -> bool {
    matches!(&error.kind, ErrorKind::Io(error) if error.kind() == io::ErrorKind::PermissionDenied)
}

/// Returns why there are no events, with a remedy.
fn reason(error: &notify::Error) -> String {
    let system = match &error.kind {
        ErrorKind::MaxFilesWatch => {
            return "the system's limit of watched directories is reached: raise \
                    fs.inotify.max_user_watches"
                .to_owned();
        }
        ErrorKind::Io(error) => error,
        _ => return error.to_string(),
    };
    match system.raw_os_error().map(Errno::from_raw_os_error) {
        Some(Errno::MFILE) => "the system's limit of watchers is reached: raise \
                               fs.inotify.max_user_instances or the limit of open files"
            .to_owned(),
        _ => system.to_string(),
    }
}

fn identity(directory: &Path) -> Option<Identity> {
    let metadata = directory.symlink_metadata().ok()?;
    metadata.is_dir().then(|| (metadata.dev(), metadata.ino()))
}

#[cfg(test)]
mod tests {
    use notify::event::{CreateKind, Flag};

    use super::*;

    fn changes() -> ChangeCollector {
        ChangeCollector {
            git_dir: Some("/r/.git".into()),
            ..ChangeCollector::default()
        }
    }

    fn event(kind: EventKind, path: &str) -> notify::Result<Event> {
        Ok(Event::new(kind).add_path(PathBuf::from(path)))
    }

    #[test]
    fn events_are_classified_by_path_and_kind() {
        let modified = EventKind::Modify(ModifyKind::Any);
        let created = EventKind::Create(CreateKind::Any);
        let opened = EventKind::Access(AccessKind::Open(AccessMode::Any));
        let written = EventKind::Access(AccessKind::Close(AccessMode::Write));
        // Kind, path; number of paths, whole tree, HEAD.
        let cases = [
            (modified, "/r/a.py", (1, false, false)),
            (written, "/r/a.py", (1, false, false)),
            (opened, "/r/a.py", (0, false, false)),
            (created, "/r/.gitignore", (1, true, false)),
            (modified, "/r/b/.foveateignore", (1, true, false)),
            (created, "/r/.git", (0, false, true)),
            (modified, "/r/.git/HEAD", (0, false, true)),
            (modified, "/r/.git/logs/HEAD", (0, false, true)),
            (created, "/r/.git/index.lock", (0, false, false)),
            (created, "/r/.git/refs/heads/main", (0, false, true)),
            (created, "/r/.git/refs/heads/main.lock", (0, false, false)),
            (modified, "/r/.git/info/exclude", (0, true, false)),
            (created, "/r/.git/reftable/tables.list", (0, false, true)),
        ];
        for (kind, path, expected) in cases {
            let changes = changes();
            changes.add(event(kind, path));
            let set = changes.take();
            let seen = (set.paths.len(), set.rescan, set.head);
            assert_eq!(seen, expected, "{kind:?} {path}");
        }
    }

    #[test]
    fn lost_events_and_floods_request_rescan() {
        let changes = changes();
        changes.add(Ok(Event::new(EventKind::Other).set_flag(Flag::Rescan)));
        assert!(changes.take().rescan);
        changes.add(Err(notify::Error::generic("lost")));
        assert!(changes.take().rescan);
        for n in 0..=MAX_PATHS {
            changes.add(event(EventKind::Any, &format!("/r/{n}")));
        }
        assert_ne!(changes.pending.load(Ordering::Relaxed), 0, "more than none");
        let set = changes.take();
        assert!(set.rescan && set.paths.is_empty());
    }

    #[test]
    fn taken_changes_stay_pending_until_done() {
        let changes = changes();
        changes.add(event(EventKind::Any, "/r/a"));
        changes.add(event(EventKind::Any, "/r/a"));
        assert_eq!(changes.pending.load(Ordering::Relaxed), 1);
        let _ = changes.take();
        assert_eq!(changes.pending.load(Ordering::Relaxed), 1);
        changes.done();
        assert_eq!(changes.pending.load(Ordering::Relaxed), 0);
    }

    #[tokio::test]
    async fn settle_waits_for_quiet_with_time_limit() {
        let changes = Arc::new(changes());
        let start = Instant::now();
        let writer = tokio::spawn({
            let changes = Arc::clone(&changes);
            async move {
                loop {
                    changes.add(event(EventKind::Any, "/r/a"));
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            }
        });
        let (minute, moment) = (Duration::from_secs(60), Duration::from_millis(100));
        changes.settle(minute, moment, start).await;
        assert!(start.elapsed() >= moment, "it waits for calm");
        assert!(start.elapsed() < minute, "but not for ever");
        writer.abort();
        let _ = writer.await;
        let earliest = Instant::now() + 2 * moment;
        changes.settle(moment, minute, earliest).await;
        assert!(Instant::now() >= earliest, "it rests after the last look");
        assert!(start.elapsed() < minute, "calm ends the wait");
    }
}

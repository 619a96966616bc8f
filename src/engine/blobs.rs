//! What was parsed from each blob, shared by every revision of every repository: a blob is parsed
//! once per language that its name suggests. What a live snapshot holds is found again for free
//! through a weak reference; the most recently used contents are kept alive besides, up to a number of
//! bytes; what is stored is read from the disk instead of being parsed. It knows no path and
//! no file system.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use dashmap::DashMap;
use foveate_model::{Content, Language, ObjectId, RepoPath, SkipReason, SourceFile};
use foveate_parse::Limits;
use parking_lot::Mutex;

use super::{IndexStore, Parsers};

/// A blob, and the language that the file's name suggests.
type Key = (ObjectId, Option<Language>);

/// What a blob gave.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The language that it was read as.
    pub language: Language,
    /// Its content, or why it has none.
    pub content: Result<Arc<Content>, SkipReason>,
}

/// Counts since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlobStats {
    /// Blobs that were parsed.
    pub parsed: u64,
    /// Blobs that were found already parsed.
    pub reused: u64,
    /// Blobs whose facts were read from disk.
    pub restored: u64,
    /// Blobs that are known now.
    pub known: usize,
    /// Estimated bytes of the contents that the cache alone keeps alive.
    pub kept_bytes: usize,
}

/// The contents of blobs in memory, and behind them the stored ones of one repository.
#[derive(Clone, Debug)]
pub struct BlobCache {
    shared: Arc<Shared>,
    store: Option<Arc<IndexStore>>,
    /// Whether it parses what it does not find.
    parses: bool,
}

#[derive(Debug)]
struct Shared {
    parsers: Parsers,
    slots: DashMap<Key, Arc<Slot>>,
    recent: Mutex<Recent>,
    capacity_bytes: usize,
    prune_at: AtomicUsize,
    parsed: AtomicU64,
    reused: AtomicU64,
    restored: AtomicU64,
}

#[derive(Debug, Default)]
struct Slot(Mutex<Option<SlotState>>);

#[derive(Debug)]
enum SlotState {
    Content(Language, Weak<Content>, Arc<AtomicBool>),
    Skipped(Language, SkipReason),
}

/// Contents kept alive, oldest first; `used` gives one a second round.
#[derive(Debug, Default)]
struct Recent {
    queue: VecDeque<(Arc<Content>, usize, Arc<AtomicBool>)>,
    bytes: usize,
}

/// Skipped blobs are remembered up to this many slots in all; they cost a few bytes each.
const SKIPPED_SLOTS: usize = 500_000;

impl BlobCache {
    /// An empty cache that parses with `parsers` and keeps the most recently read contents alive,
    /// those of at most `capacity_bytes`.
    pub fn new(parsers: impl Into<Parsers>, capacity_bytes: usize) -> Self {
        let shared = Shared {
            parsers: parsers.into(),
            slots: DashMap::default(),
            recent: Mutex::default(),
            capacity_bytes,
            prune_at: AtomicUsize::new(16_384),
            parsed: AtomicU64::new(0),
            reused: AtomicU64::new(0),
            restored: AtomicU64::new(0),
        };
        Self {
            shared: Arc::new(shared),
            store: None,
            parses: true,
        }
    }

    /// A cache of what is on disk and nothing else: files that are not there are unreadable.
    pub(super) fn of_stored(store: Arc<IndexStore>, limits: Limits) -> Self {
        Self {
            store: Some(store),
            parses: false,
            ..Self::new(limits, 0)
        }
    }

    /// The same cache for one repository, of which more is found on disk.
    pub fn with(&self, store: Arc<IndexStore>) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            store: Some(store),
            parses: self.parses,
        }
    }

    /// The limits that files are read under.
    pub fn limits(&self) -> &Limits {
        self.shared.parsers.limits()
    }

    /// What the blob gave when it was last read as `named`, if it is still there or on disk.
    pub fn get(&self, blob: ObjectId, named: Option<Language>) -> Option<Reading> {
        self.shared.get(blob, named).or_else(|| {
            let reading = self.store.as_ref()?.find(blob, named)?;
            Some(self.shared.take(blob, named, reading))
        })
    }

    /// What the blob gives; parses `bytes` unless that was done before, at a lower price where
    /// `earlier` is what the file was before. Two threads that ask for one blob at once parse it once.
    pub fn read(
        &self,
        blob: ObjectId,
        named: Option<Language>,
        bytes: &[u8],
        earlier: Option<&Content>,
    ) -> Reading {
        if self.parses {
            return self.shared.read(blob, named, bytes, earlier);
        }
        let reason = "it is not in the stale index".to_owned();
        Reading {
            language: named.unwrap_or(Language::TEXT),
            content: Err(SkipReason::Unreadable(reason)),
        }
    }

    /// Lets go of the contents that it keeps alive.
    pub fn let_go(&self) {
        // Freed after the lock.
        let _all = std::mem::take(&mut *self.shared.recent.lock());
    }

    /// Counts for metrics and tests.
    pub fn stats(&self) -> BlobStats {
        self.shared.stats()
    }
}

impl Shared {
    fn get(&self, blob: ObjectId, named: Option<Language>) -> Option<Reading> {
        let slot = Arc::clone(&*self.slots.get(&(blob, named))?);
        let reading = slot.get()?;
        self.reused.fetch_add(1, Ordering::Relaxed);
        Some(reading)
    }

    /// Takes in what was read from disk, unless another thread was faster.
    fn take(&self, blob: ObjectId, named: Option<Language>, reading: Reading) -> Reading {
        self.prune();
        let slot = Arc::clone(&*self.slots.entry((blob, named)).or_default());
        let mut known = slot.0.lock();
        if let Some(reading) = known.as_ref().and_then(SlotState::reading) {
            return reading;
        }
        self.restored.fetch_add(1, Ordering::Relaxed);
        *known = Some(self.know(&reading));
        reading
    }

    fn read(
        &self,
        blob: ObjectId,
        named: Option<Language>,
        bytes: &[u8],
        earlier: Option<&Content>,
    ) -> Reading {
        self.prune();
        let slot = Arc::clone(&*self.slots.entry((blob, named)).or_default());
        let mut known = slot.0.lock();
        if let Some(reading) = known.as_ref().and_then(SlotState::reading) {
            self.reused.fetch_add(1, Ordering::Relaxed);
            return reading;
        }
        self.parsed.fetch_add(1, Ordering::Relaxed);
        let (language, content) = self.parsers.read(named, bytes, earlier);
        let reading = Reading {
            language,
            content: content.map(Arc::new),
        };
        *known = Some(self.know(&reading));
        reading
    }

    fn know(&self, reading: &Reading) -> SlotState {
        match &reading.content {
            Ok(content) => {
                let used = Arc::new(AtomicBool::new(false));
                self.keep(content, &used);
                SlotState::Content(reading.language, Arc::downgrade(content), used)
            }
            Err(reason) => SlotState::Skipped(reading.language, reason.clone()),
        }
    }

    fn stats(&self) -> BlobStats {
        BlobStats {
            parsed: self.parsed.load(Ordering::Relaxed),
            reused: self.reused.load(Ordering::Relaxed),
            restored: self.restored.load(Ordering::Relaxed),
            known: self.slots.len(),
            kept_bytes: self.recent.lock().alone_bytes(),
        }
    }

    fn keep(&self, content: &Arc<Content>, used: &Arc<AtomicBool>) {
        let bytes = content.text.len() + content.facts.heap_bytes() + size_of::<Content>();
        let mut recent = self.recent.lock();
        recent.bytes += bytes;
        recent
            .queue
            .push_back((Arc::clone(content), bytes, Arc::clone(used)));
        while recent.bytes > self.capacity_bytes {
            let Some((content, bytes, used)) = recent.queue.pop_front() else {
                break;
            };
            if used.swap(false, Ordering::Relaxed) {
                recent.queue.push_back((content, bytes, used));
            } else {
                recent.bytes -= bytes;
            }
        }
    }

    /// Forgets slots whose content is gone, each time the number of slots has doubled.
    fn prune(&self) {
        let count = self.slots.len();
        if count < self.prune_at.load(Ordering::Relaxed) {
            return;
        }
        self.slots
            .retain(|_, slot| slot.worth_keeping(count <= SKIPPED_SLOTS));
        self.prune_at
            .store((self.slots.len() * 2).max(16_384), Ordering::Relaxed);
    }
}

impl Recent {
    /// Bytes of what no snapshot holds besides.
    fn alone_bytes(&self) -> usize {
        let alone = |(content, ..): &&(Arc<Content>, usize, _)| Arc::strong_count(content) == 1;
        self.queue
            .iter()
            .filter(alone)
            .map(|(_, bytes, _)| bytes)
            .sum()
    }
}

impl Slot {
    fn get(&self) -> Option<Reading> {
        self.0.lock().as_ref()?.reading()
    }

    fn worth_keeping(&self, keep_skipped: bool) -> bool {
        // A slot that is being filled right now is locked by the thread that parses.
        let Some(known) = self.0.try_lock() else {
            return true;
        };
        match &*known {
            None => false,
            Some(SlotState::Content(_, content, _)) => content.strong_count() > 0,
            Some(SlotState::Skipped(..)) => keep_skipped,
        }
    }
}

impl SlotState {
    fn reading(&self) -> Option<Reading> {
        Some(match self {
            Self::Content(language, content, used) => {
                let content = content.upgrade()?;
                used.store(true, Ordering::Relaxed);
                Reading {
                    language: *language,
                    content: Ok(content),
                }
            }
            Self::Skipped(language, reason) => Reading {
                language: *language,
                content: Err(reason.clone()),
            },
        })
    }
}

/// A file of a revision, from what its blob gave.
pub fn source_file(path: RepoPath, blob: ObjectId, size: u64, reading: Reading) -> SourceFile {
    let generated = reading.content.as_ref().is_ok_and(|c| c.facts.generated);
    let role = foveate_parse::role(&path, reading.language, generated);
    let (content, skipped) = match reading.content {
        Ok(content) => (Some(content), None),
        Err(reason) => (None, Some(reason)),
    };
    SourceFile {
        path,
        blob,
        size,
        language: reading.language,
        role,
        content,
        skipped,
    }
}

/// A file that is listed with a reason and was not read.
pub fn skipped_file(path: RepoPath, blob: ObjectId, size: u64, reason: SkipReason) -> SourceFile {
    let language = foveate_parse::language_by_name(&path).unwrap_or(Language::TEXT);
    let reading = Reading {
        language,
        content: Err(reason),
    };
    source_file(path, blob, size, reading)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn python() -> Language {
        foveate_parse::languages::by_name("python").unwrap()
    }

    fn id(n: u8) -> ObjectId {
        ObjectId::from_sha1([n; 20])
    }

    #[test]
    fn a_blob_is_parsed_once_as_long_as_something_holds_it() {
        let cache = BlobCache::new(Limits::default(), 0);
        let first = cache.read(id(1), Some(python()), b"x = 1\n", None);
        cache.read(id(1), Some(python()), b"x = 1\n", None);
        assert_eq!(cache.stats().parsed, 1, "the first reading still holds it");
        assert!(cache.get(id(1), None).is_none(), "another language");
        drop(first);
        assert!(cache.get(id(1), Some(python())).is_none());
    }

    #[test]
    fn eviction_spares_what_was_used_since() {
        let text = "x = 1\n".repeat(200);
        let one = BlobCache::new(Limits::default(), usize::MAX);
        one.read(id(0), Some(python()), text.as_bytes(), None);
        let size = one.stats().kept_bytes;

        let cache = BlobCache::new(Limits::default(), size * 2);
        for n in [1, 2] {
            cache.read(id(n), Some(python()), text.as_bytes(), None);
        }
        assert!(cache.get(id(1), Some(python())).is_some());
        cache.read(id(3), Some(python()), text.as_bytes(), None);
        assert!(cache.get(id(1), Some(python())).is_some(), "used");
        assert!(cache.get(id(2), Some(python())).is_none(), "oldest");
        assert!(cache.stats().kept_bytes <= size * 2);
        cache.let_go();
        assert!(cache.get(id(3), Some(python())).is_none());
        assert_eq!(cache.stats().kept_bytes, 0);
    }

    #[test]
    fn skipped_blobs_are_remembered() {
        let cache = BlobCache::new(Limits::default(), 0);
        let reading = cache.read(id(1), Some(python()), b"\0\0\0", None);
        assert!(matches!(reading.content, Err(SkipReason::Binary)));
        cache.read(id(1), Some(python()), b"\0\0\0", None);
        assert_eq!(cache.stats().parsed, 1);
    }
}

//! Caches the parsed content of blobs for every revision of every repository: a blob is parsed once per language that
//! its name suggests. Content held by a live snapshot is found through a weak reference; recently read contents are
//! also kept alive, up to a number of bytes; stored content is read from disk instead of being parsed. It must not use
//! paths or the file system.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use dashmap::DashMap;
use foveate_model::{Content, Language, ObjectId, RepoPath, SkipReason, SourceFile};
use foveate_parse::Limits;
use parking_lot::Mutex;

use super::{BlobReading, IndexStore, Parsers};

/// A blob, and the language that the file's name suggests.
type Key = (ObjectId, Option<Language>);

/// Counts since the start, and present sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlobStats {
    /// Blobs that were parsed.
    pub parsed: u64,
    /// Blobs that were found in memory.
    pub reused: u64,
    /// Blobs whose facts were read from disk.
    pub restored: u64,
    /// Blobs that have a slot in the cache now.
    pub known: usize,
    /// Estimated bytes of the contents that the cache alone keeps alive.
    pub kept_bytes: usize,
}

/// A cache of blob contents in memory, with the stored facts of one repository behind it.
#[derive(Clone, Debug)]
pub struct BlobCache {
    shared: Arc<Shared>,
    store: Option<Arc<IndexStore>>,
    /// Whether it parses blobs that it does not find.
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
    Content(Language, Weak<Content>),
    Skipped(Language, SkipReason),
}

/// Contents kept alive, with their bytes, oldest first.
#[derive(Debug, Default)]
struct Recent {
    queue: VecDeque<(Arc<Content>, usize)>,
    bytes: usize,
}

/// Pruning keeps skipped blobs up to this many slots in all; they cost a few bytes each.
const SKIPPED_SLOTS: usize = 500_000;

impl BlobCache {
    /// Creates an empty cache that parses with `parsers` and keeps recently read contents alive, up to
    /// `capacity_bytes`.
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

    /// Creates a cache that only reads stored facts: blobs that are not stored count as unreadable.
    pub(super) fn of_stored(store: Arc<IndexStore>, limits: Limits) -> Self {
        Self {
            store: Some(store),
            parses: false,
            ..Self::new(limits, 0)
        }
    }

    /// Returns the same cache for one repository, with that repository's stored facts behind it.
    pub fn with(&self, store: Arc<IndexStore>) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            store: Some(store),
            parses: self.parses,
        }
    }

    /// The limits that files are read under.
    pub fn limits(&self) -> &Limits {
        &self.shared.parsers.limits
    }

    /// Returns the result of reading the blob as `named`, if it is in memory or on disk.
    pub fn get(&self, blob: ObjectId, named: Option<Language>) -> Option<BlobReading> {
        self.shared.get(blob, named).or_else(|| {
            let reading = self.store.as_ref()?.find(blob, named)?;
            let (reading, is_new) = self.shared.get_or_insert((blob, named), || reading);
            let restored = &self.shared.restored;
            restored.fetch_add(is_new.into(), Ordering::Relaxed);
            Some(reading)
        })
    }

    /// Returns the result of reading the blob; parses `bytes` unless the result is in memory. Parsing is cheaper where
    /// `earlier` is the file's content before an edit. Concurrent calls for one blob parse it once.
    pub fn read(
        &self,
        blob: ObjectId,
        named: Option<Language>,
        bytes: &[u8],
        earlier: Option<&Content>,
    ) -> BlobReading {
        if !self.parses {
            let reason = "the stale index does not contain it".to_owned();
            return BlobReading {
                language: named.unwrap_or(Language::TEXT),
                content: Err(SkipReason::Unreadable(reason)),
            };
        }
        let shared = &*self.shared;
        let (reading, is_new) = shared.get_or_insert((blob, named), || {
            let (language, content) = shared.parsers.read(named, bytes, earlier);
            let content = content.map(Arc::new);
            BlobReading { language, content }
        });
        let count = if is_new {
            &shared.parsed
        } else {
            &shared.reused
        };
        count.fetch_add(1, Ordering::Relaxed);
        reading
    }

    /// Drops the contents that the cache keeps alive.
    pub fn drop_recent(&self) {
        // Dropped after the lock is released.
        let _all = std::mem::take(&mut *self.shared.recent.lock());
    }

    /// Counts for metrics and tests.
    pub fn stats(&self) -> BlobStats {
        let shared = &*self.shared;
        BlobStats {
            parsed: shared.parsed.load(Ordering::Relaxed),
            reused: shared.reused.load(Ordering::Relaxed),
            restored: shared.restored.load(Ordering::Relaxed),
            known: shared.slots.len(),
            kept_bytes: shared.recent.lock().unshared_bytes(),
        }
    }
}

impl Shared {
    fn get(&self, blob: ObjectId, named: Option<Language>) -> Option<BlobReading> {
        let slot = Arc::clone(&*self.slots.get(&(blob, named))?);
        let reading = slot.0.lock().as_ref()?.reading()?;
        self.reused.fetch_add(1, Ordering::Relaxed);
        Some(reading)
    }

    /// Returns the cached result, or else inserts the one that `make` returns; the flag says whether it was inserted.
    fn get_or_insert(&self, key: Key, make: impl FnOnce() -> BlobReading) -> (BlobReading, bool) {
        self.prune();
        let slot = Arc::clone(&*self.slots.entry(key).or_default());
        let mut known = slot.0.lock();
        if let Some(reading) = known.as_ref().and_then(SlotState::reading) {
            return (reading, false);
        }
        let reading = make();
        *known = Some(self.remember(&reading));
        (reading, true)
    }

    fn remember(&self, reading: &BlobReading) -> SlotState {
        match &reading.content {
            Ok(content) => {
                self.keep(content);
                SlotState::Content(reading.language, Arc::downgrade(content))
            }
            Err(reason) => SlotState::Skipped(reading.language, reason.clone()),
        }
    }

    fn keep(&self, content: &Arc<Content>) {
        let bytes = content.text.len() + content.facts.heap_bytes() + size_of::<Content>();
        let mut recent = self.recent.lock();
        recent.bytes += bytes;
        recent.queue.push_back((Arc::clone(content), bytes));
        while recent.bytes > self.capacity_bytes
            && let Some((_, bytes)) = recent.queue.pop_front()
        {
            recent.bytes -= bytes;
        }
    }

    /// Removes slots whose content is gone, each time the number of slots has doubled.
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
    /// Bytes of the contents that no snapshot holds.
    fn unshared_bytes(&self) -> usize {
        let is_alone = |(content, _): &&(Arc<Content>, usize)| Arc::strong_count(content) == 1;
        let alone = self.queue.iter().filter(is_alone);
        alone.map(|(_, bytes)| bytes).sum()
    }
}

impl Slot {
    fn worth_keeping(&self, keep_skipped: bool) -> bool {
        // A slot that is being filled is locked by the parsing thread.
        let Some(known) = self.0.try_lock() else {
            return true;
        };
        match &*known {
            None => false,
            Some(SlotState::Content(_, content)) => content.strong_count() > 0,
            Some(SlotState::Skipped(..)) => keep_skipped,
        }
    }
}

impl SlotState {
    fn reading(&self) -> Option<BlobReading> {
        Some(match self {
            Self::Content(language, content) => BlobReading {
                language: *language,
                content: Ok(content.upgrade()?),
            },
            Self::Skipped(language, reason) => BlobReading {
                language: *language,
                content: Err(reason.clone()),
            },
        })
    }
}

/// Makes the file of a revision from the result of reading its blob.
pub fn source_file(path: RepoPath, blob: ObjectId, size: u64, reading: BlobReading) -> SourceFile {
    let generated = reading.content.as_ref().is_ok_and(|c| c.facts.generated);
    let role = foveate_parse::role(&path, reading.language, generated);
    let text = reading.content.as_ref().map_or("", |content| &content.text);
    let purpose = foveate_parse::purpose(&path, role, text);
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
        purpose,
        content,
        skipped,
    }
}

/// Makes a file that is listed but was not read, for `reason`.
pub fn skipped_file(path: RepoPath, blob: ObjectId, size: u64, reason: SkipReason) -> SourceFile {
    let language = foveate_parse::language_by_name(&path).unwrap_or(Language::TEXT);
    let reading = BlobReading {
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
    fn blob_is_parsed_once_while_referenced() {
        let cache = BlobCache::new(Limits::default(), 0);
        let first = cache.read(id(1), Some(python()), b"x = 1\n", None);
        cache.read(id(1), Some(python()), b"x = 1\n", None);
        assert_eq!(cache.stats().parsed, 1, "the first reading still holds it");
        assert!(cache.get(id(1), None).is_none(), "another language");
        drop(first);
        assert!(cache.get(id(1), Some(python())).is_none());
    }

    #[test]
    fn oldest_content_is_evicted() {
        let text = "x = 1\n".repeat(200);
        let one = BlobCache::new(Limits::default(), usize::MAX);
        one.read(id(0), Some(python()), text.as_bytes(), None);
        let size = one.stats().kept_bytes;

        let cache = BlobCache::new(Limits::default(), size * 2);
        for n in [1, 2, 3] {
            cache.read(id(n), Some(python()), text.as_bytes(), None);
        }
        assert!(cache.get(id(1), Some(python())).is_none(), "oldest");
        assert!(cache.get(id(2), Some(python())).is_some());
        assert!(cache.stats().kept_bytes <= size * 2);
        cache.drop_recent();
        assert!(cache.get(id(3), Some(python())).is_none());
        assert_eq!(cache.stats().kept_bytes, 0);
    }

    #[test]
    fn skipped_blob_is_not_read_again() {
        let cache = BlobCache::new(Limits::default(), 0);
        let reading = cache.read(id(1), Some(python()), b"\0\0\0", None);
        assert!(matches!(reading.content, Err(SkipReason::Binary)));
        cache.read(id(1), Some(python()), b"\0\0\0", None);
        assert_eq!(cache.stats().parsed, 1);
    }
}

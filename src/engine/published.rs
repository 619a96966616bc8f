//! Holds a published snapshot with the figures that repository listings show of it.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use foveate_index::{Snapshot, snapshot::Memory};

/// A published snapshot with its figures for listings.
#[derive(Debug)]
pub struct PublishedSnapshot {
    /// The index.
    pub snapshot: Arc<Snapshot>,
    /// Indexed files per language.
    pub languages: BTreeMap<&'static str, usize>,
    /// Files that are listed but not indexed, per reason.
    pub skipped: BTreeMap<&'static str, usize>,
    /// Files whose parsing reported an issue, per code.
    pub parse_issues: BTreeMap<&'static str, usize>,
    memory: OnceLock<Memory>,
}

impl PublishedSnapshot {
    pub(super) fn new(snapshot: Arc<Snapshot>) -> Self {
        let mut published = Self {
            languages: BTreeMap::new(),
            skipped: BTreeMap::new(),
            parse_issues: BTreeMap::new(),
            memory: OnceLock::new(),
            snapshot: Arc::clone(&snapshot),
        };
        for file in snapshot.files.as_slice() {
            if let Some(reason) = &file.skipped {
                *published.skipped.entry(reason.code()).or_default() += 1;
                continue;
            }
            let language = file.language.name();
            *published.languages.entry(language).or_default() += 1;
            let issues = file.content.iter().flat_map(|c| &c.facts.issues);
            for issue in issues {
                *published.parse_issues.entry(issue.code()).or_default() += 1;
            }
        }
        published
    }

    /// Estimated bytes per structure. The lexical caches grow and are measured at each call, the rest only at the
    /// first.
    pub fn memory(&self) -> Memory {
        let mut memory = *self.memory.get_or_init(|| self.snapshot.memory());
        memory.lexical += self.snapshot.lexical.cache_bytes();
        memory
    }
}

//! Defines the symbols of a query: the definitions that each may mean, and the form in which an answer lists them.

use foldhash::HashMap;
use foveate_index::{DefId, FileId, Files};

use super::EvidenceSource;

/// A symbol of the query with the definitions that it may mean.
#[derive(Clone, Debug)]
pub struct ResolvedSymbol {
    /// The name in the query.
    pub name: String,
    /// Its part of the query, or how it was matched.
    pub from: EvidenceSource,
    /// All definitions that it may mean, at least one, in the order of their ids.
    pub definitions: Vec<DefId>,
}

/// A symbol of the query as an answer lists it.
#[derive(Clone, Debug)]
pub struct ListedSymbol {
    /// The name in the query.
    pub name: String,
    /// Its part of the query, or how it was matched.
    pub from: EvidenceSource,
    /// The first definitions that it may mean as `path:qualified_name`, those in the best files first.
    pub resolved: Vec<String>,
    /// How many definitions it may mean, including those not listed in `resolved`.
    pub total: usize,
}

impl ResolvedSymbol {
    /// Whether the query spells the name as code would.
    pub(crate) fn is_identifier(&self) -> bool {
        use EvidenceSource::{Fuzzy, Word, Words, WordsFuzzy};
        !matches!(self.from, Word | Words | WordsFuzzy | Fuzzy)
    }

    /// Whether a plain word of the query is the name of something.
    pub(crate) fn is_word(&self) -> bool {
        self.from == EvidenceSource::Word
    }

    /// Converts it to the form that an answer lists, with at most `max` definitions: in the order of the `ranks` of their
    /// files, and those in files without a rank last.
    pub(crate) fn listed(
        self,
        files: &Files,
        ranks: &HashMap<FileId, usize>,
        max: usize,
    ) -> ListedSymbol {
        let mut definitions = self.definitions;
        let total = definitions.len();
        // The sort is stable: the definitions of a file stay in the order of their ids.
        definitions.sort_by_cached_key(|id| ranks.get(&id.file).copied().unwrap_or(usize::MAX));
        let described = definitions.iter().take(max).map(|id| {
            let name = &files.definition(*id).qualified_name;
            format!("{}:{name}", files.path(id.file))
        });
        ListedSymbol {
            name: self.name,
            from: self.from,
            resolved: described.collect(),
            total,
        }
    }
}

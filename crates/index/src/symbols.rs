//! The symbol table: definitions by name, by folded name (lower case without underscores), by qualified name; and the distinct
//! names themselves for fuzzy matching.

use foldhash::HashMap;

use crate::files::{DefId, Files};

/// Definitions by their names. Lists are in id order.
#[derive(Debug, Default)]
pub struct Symbols {
    by_name: HashMap<Box<str>, Vec<DefId>>,
    by_folded: HashMap<Box<str>, Vec<DefId>>,
    by_qualified: HashMap<Box<str>, Vec<DefId>>,
    names: Vec<FoldedName>,
}

/// A distinct folded name of the repository, prepared for fuzzy matching.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoldedName {
    /// As [`fold`] gives it.
    pub name: Box<str>,
    /// See [`letters`].
    pub letters: u64,
}

impl Symbols {
    /// Builds the table for all definitions of `files`.
    pub fn new(files: &Files) -> Self {
        let mut symbols = Self::default();
        for id in files.definition_ids() {
            let definition = files.definition(id);
            push(&mut symbols.by_name, &definition.name, id);
            let folded = fold(&definition.name);
            push(&mut symbols.by_folded, &folded, id);
            if definition.parent.is_some() {
                push(&mut symbols.by_qualified, &definition.qualified_name, id);
            }
        }
        symbols.names = symbols
            .by_folded
            .keys()
            .map(|name| FoldedName {
                letters: letters(name),
                name: name.clone(),
            })
            .collect();
        symbols
            .names
            .sort_by(|a, b| (a.name.len(), &a.name).cmp(&(b.name.len(), &b.name)));
        symbols
    }

    /// Definitions with exactly this name.
    pub fn named(&self, name: &str) -> &[DefId] {
        list(&self.by_name, name)
    }

    /// Definitions whose name is the same whatever its case and underscores; `folded` must come
    /// from [`fold`]: `maxlength` finds `max_length`, `maxLength` and `MAX_LENGTH`.
    pub fn folded(&self, folded: &str) -> &[DefId] {
        list(&self.by_folded, folded)
    }

    /// Definitions with this name including the enclosing ones: `Client.connect`. A top-level
    /// definition is found by its plain name.
    pub fn qualified(&self, name: &str) -> &[DefId] {
        if name.contains('.') {
            list(&self.by_qualified, name)
        } else {
            self.named(name)
        }
    }

    /// The distinct folded names of `shortest..=longest` bytes, by length, then alphabetically.
    pub fn names_between(&self, shortest: usize, longest: usize) -> &[FoldedName] {
        let start = self.names.partition_point(|n| n.name.len() < shortest);
        let end = self.names.partition_point(|n| n.name.len() <= longest);
        self.names.get(start..end).unwrap_or_default()
    }

    /// Estimated heap size in bytes.
    pub fn heap_bytes(&self) -> usize {
        let keys = |map: &HashMap<Box<str>, Vec<DefId>>| {
            map.iter()
                .map(|(name, ids)| name.len() + ids.capacity() * 4 + 48)
                .sum::<usize>()
        };
        keys(&self.by_name)
            + keys(&self.by_folded)
            + keys(&self.by_qualified)
            + self.names.iter().map(|n| n.name.len() + 24).sum::<usize>()
    }
}

/// A name in lower case without underscores.
pub fn fold(name: &str) -> String {
    name.chars()
        .filter(|c| *c != '_')
        .flat_map(char::to_lowercase)
        .collect()
}

/// The set of bytes of a name, as bits (modulo 64). Two names whose sets differ in n bits are at
/// least n insertions and deletions apart, which rules most pairs out before they are compared.
pub fn letters(name: &str) -> u64 {
    name.bytes().fold(0, |set, byte| set | 1 << (byte % 64))
}

fn push(map: &mut HashMap<Box<str>, Vec<DefId>>, name: &str, id: DefId) {
    match map.get_mut(name) {
        Some(ids) => ids.push(id),
        None => {
            map.insert(name.into(), vec![id]);
        }
    }
}

fn list<'a>(map: &'a HashMap<Box<str>, Vec<DefId>>, name: &str) -> &'a [DefId] {
    map.get(name).map_or(&[], Vec::as_slice)
}

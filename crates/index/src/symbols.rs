//! The symbol table: definitions by name, by folded name (lower case without underscores), by qualified name; and the distinct
//! names themselves for fuzzy matching.

use std::sync::Arc;

use foldhash::HashSet;
use foveate_model::{Content, Definition, LocalId};

use crate::change::Change;
use crate::files::{DefId, FileId, Files};
use crate::inverted::Inverted;

/// Definitions by their names. Lists are in id order.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    by_name: Inverted<Box<str>, DefId>,
    by_folded: Inverted<Box<str>, DefId>,
    by_qualified: Inverted<Box<str>, DefId>,
    /// By length, then alphabetically.
    names: Arc<[FoldedName]>,
}

/// A distinct folded name of the repository, prepared for fuzzy matching.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoldedName {
    /// As [`fold`] gives it.
    pub name: Arc<str>,
    /// See [`letters`].
    pub letters: u64,
}

impl FoldedName {
    fn new(name: &str) -> Self {
        Self {
            letters: letters(name),
            name: name.into(),
        }
    }

    fn order(name: &str) -> (usize, &str) {
        (name.len(), name)
    }
}

impl Symbols {
    /// Builds the table for all definitions of `files`.
    pub fn new(files: &Files) -> Self {
        let room = || Inverted::with_room(files.definition_count() / 2);
        let mut symbols = Self {
            by_name: room(),
            by_folded: room(),
            by_qualified: room(),
            names: Arc::default(),
        };
        let (by_name, by_folded) = (&mut symbols.by_name, &mut symbols.by_folded);
        let by_qualified = &mut symbols.by_qualified;
        rayon::join(
            || {
                for (id, definition) in definitions(files) {
                    by_folded.insert(fold(&definition.name).as_str(), id);
                }
            },
            || {
                for (id, definition) in definitions(files) {
                    by_name.insert(&*definition.name, id);
                    if definition.parent.is_some() {
                        by_qualified.insert(&*definition.qualified_name, id);
                    }
                }
            },
        );
        let mut names: Vec<FoldedName> = symbols
            .by_folded
            .keys()
            .map(|name| FoldedName::new(name))
            .collect();
        names.sort_unstable_by(|a, b| FoldedName::order(&a.name).cmp(&FoldedName::order(&b.name)));
        symbols.names = names.into();
        symbols
    }

    /// [`Self::new`] from the table of the files before a change.
    pub(crate) fn derive(&self, files: &Files, before: &Files, change: &Change) -> Self {
        let mut symbols = self.clone();
        let mut keys = Keys::default();
        let pairs: Vec<(FileId, Option<FileId>)> = change
            .changed()
            .iter()
            .map(|file| (*file, change.before(*file)))
            .collect();
        let gone = change.gone().map(|file| (file, None));
        let edited = pairs
            .iter()
            .filter_map(|(now, then)| Some(((*then)?, Some(*now))));
        for (then, now) in gone.chain(edited) {
            let now = now.and_then(|now| files.content(now));
            symbols.remove(then, before.content(then), now, &mut keys);
        }
        if !change.is_stable() {
            symbols.by_name = symbols.by_name.renumbered(change);
            symbols.by_folded = symbols.by_folded.renumbered(change);
            symbols.by_qualified = symbols.by_qualified.renumbered(change);
        }
        for (now, then) in pairs {
            let then = then.and_then(|then| before.content(then));
            symbols.add(now, files.content(now), then, &mut keys);
        }
        symbols.rename(keys);
        symbols
    }

    /// Takes away what a file defined, but for what is at the same position in `now`.
    fn remove(
        &mut self,
        file: FileId,
        content: Option<&Content>,
        now: Option<&Content>,
        keys: &mut Keys,
    ) {
        for (local, definition) in differing(content, now) {
            let id = DefId { file, local };
            let folded = fold(&definition.name);
            self.by_name.remove(&*definition.name, &id);
            if self.by_folded.remove(folded.as_str(), &id) {
                keys.gone.insert(folded);
            }
            if definition.parent.is_some() {
                self.by_qualified.remove(&*definition.qualified_name, &id);
            }
        }
    }

    /// Adds what a file defines, but for what was at the same position in `then`.
    fn add(
        &mut self,
        file: FileId,
        content: Option<&Content>,
        then: Option<&Content>,
        keys: &mut Keys,
    ) {
        for (local, definition) in differing(content, then) {
            let id = DefId { file, local };
            let folded = fold(&definition.name);
            self.by_name.insert(&*definition.name, id);
            if self.by_folded.insert(folded.as_str(), id) && !keys.gone.remove(&folded) {
                keys.new.insert(folded);
            }
            if definition.parent.is_some() {
                self.by_qualified.insert(&*definition.qualified_name, id);
            }
        }
    }

    /// Brings the list of names up to date.
    fn rename(&mut self, keys: Keys) {
        if keys.gone.is_empty() && keys.new.is_empty() {
            return;
        }
        let mut new: Vec<FoldedName> = keys.new.iter().map(|name| FoldedName::new(name)).collect();
        new.sort_unstable_by(|a, b| FoldedName::order(&a.name).cmp(&FoldedName::order(&b.name)));
        let mut new = new.into_iter().peekable();
        let mut names = Vec::with_capacity(self.names.len() + new.len());
        for name in self.names.iter().filter(|n| !keys.gone.contains(&*n.name)) {
            let order = FoldedName::order(&name.name);
            names.extend(std::iter::from_fn(|| {
                new.next_if(|new| FoldedName::order(&new.name) < order)
            }));
            names.push(name.clone());
        }
        names.extend(new);
        self.names = names.into();
    }

    /// Definitions with exactly this name.
    pub fn named(&self, name: &str) -> &[DefId] {
        self.by_name.get(name)
    }

    /// Definitions whose name is the same whatever its case and underscores; `folded` must come
    /// from [`fold`]: `maxlength` finds `max_length`, `maxLength` and `MAX_LENGTH`.
    pub fn folded(&self, folded: &str) -> &[DefId] {
        self.by_folded.get(folded)
    }

    /// Definitions with this name including the enclosing ones: `Client.connect`. A top-level
    /// definition is found by its plain name.
    pub fn qualified(&self, name: &str) -> &[DefId] {
        if name.contains('.') {
            self.by_qualified.get(name)
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

    /// Estimated heap size in bytes; what other snapshots share counts in full.
    pub fn heap_bytes(&self) -> usize {
        let tables = [&self.by_name, &self.by_folded, &self.by_qualified];
        let tables: usize = tables.iter().map(|t| t.heap_bytes(|key| key.len())).sum();
        tables + self.names.iter().map(|n| n.name.len() + 40).sum::<usize>()
    }
}

/// Folded names that the table no longer has, and those that it did not have.
#[derive(Default)]
struct Keys {
    gone: HashSet<String>,
    new: HashSet<String>,
}

fn definitions(files: &Files) -> impl Iterator<Item = (DefId, &Definition)> {
    let ids = files.definition_ids();
    ids.map(|id| (id, files.definition(id)))
}

/// The definitions whose name or qualified name is not that at the same position of `other`.
fn differing<'a>(
    content: Option<&'a Content>,
    other: Option<&'a Content>,
) -> impl Iterator<Item = (LocalId, &'a Definition)> {
    let all = |content: Option<&'a Content>| content.map_or(&[][..], |c| &c.facts.definitions);
    let other = all(other);
    let definitions = all(content).iter().enumerate();
    definitions.filter_map(move |(position, definition)| {
        let same = other.get(position).is_some_and(|other| {
            other.qualified_name == definition.qualified_name
                && other.name == definition.name
                && other.parent.is_some() == definition.parent.is_some()
        });
        (!same).then_some((LocalId(position as u32), definition))
    })
}

/// A name in lower case without underscores.
pub fn fold(name: &str) -> String {
    name.chars()
        .filter(|c| *c != '_')
        .flat_map(char::to_lowercase)
        .collect()
}

/// What a name is written with, as bits: for each letter whether it is there and whether it is there
/// twice, for the other bytes which are there (modulo 12). Two names whose sets differ in n bits are
/// at least n insertions and deletions apart, which rules most pairs out before they are compared.
pub fn letters(name: &str) -> u64 {
    name.bytes().fold(0, |set, byte| match byte {
        b'a'..=b'z' => {
            let once = 1 << (byte - b'a');
            set | once | (set & once) << 26
        }
        _ => set | 1 << (52 + byte % 12),
    })
}

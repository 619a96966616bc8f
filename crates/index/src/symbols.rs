//! The symbol table: definitions by name, by folded name (lower case without underscores), by
//! qualified name; and the distinct names themselves for fuzzy matching.

mod folded;

use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::sync::Arc;

use foldhash::HashSet;
use foveate_model::{Content, Definition, LocalId};

use self::folded::{FoldedName, FoldedNames};
pub use self::folded::{OfLength, fold, letters};
use crate::change::Change;
use crate::files::{DefId, Files};
use crate::inverted::Inverted;

/// Definitions by their names. Lists are in id order.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    by_name: Table,
    by_folded: Table,
    by_qualified: Table,
    names: Arc<FoldedNames>,
}

/// Where more than one definition in so many stands in a file that changed, the table is built from
/// nothing: to take one away and to add another costs about twice as much as to add one, and all others
/// are copied where ids change.
const MAX_CHANGED: usize = 3;

/// Definitions by a key of theirs.
type Table = Inverted<Box<str>, DefId>;

/// What a table knows a definition by; nothing where it is not in the table.
type Key = for<'d> fn(&'d Definition) -> Option<Cow<'d, str>>;

fn name(definition: &Definition) -> Option<Cow<'_, str>> {
    Some(Cow::Borrowed(&definition.name))
}

fn folded(definition: &Definition) -> Option<Cow<'_, str>> {
    Some(Cow::Owned(fold(&definition.name)))
}

/// A definition at the top level is known by its plain name, unless it is a member of a type.
fn qualified(definition: &Definition) -> Option<Cow<'_, str>> {
    has_outer(definition).then_some(Cow::Borrowed(&*definition.qualified_name))
}

fn has_outer(definition: &Definition) -> bool {
    definition.parent.is_some() || definition.modifiers.is_out_of_line
}

impl Symbols {
    /// Builds the table for all definitions of `files`.
    pub fn new(files: &Files) -> Self {
        let table = |key: Key| {
            let mut table = Table::with_room(files.definition_count() / 2);
            for id in files.definition_ids() {
                if let Some(key) = key(files.definition(id)) {
                    table.insert(&*key, id);
                }
            }
            table
        };
        let (by_folded, (by_name, by_qualified)) = rayon::join(
            || table(folded),
            || rayon::join(|| table(name), || table(qualified)),
        );
        let names = by_folded.keys().map(|name| FoldedName::new(name));
        let mut names: Vec<FoldedName> = names.collect();
        names.sort_unstable_by(|a, b| a.order().cmp(&b.order()));
        Self {
            by_name,
            by_folded,
            by_qualified,
            names: Arc::new(names.into_iter().collect()),
        }
    }

    /// [`Self::new`] from the table of the files before a change.
    pub(crate) fn derive(&self, files: &Files, before: &Files, change: &Change) -> Self {
        let edit = Edit {
            files,
            before,
            change,
        };
        if edit.definitions() * MAX_CHANGED > files.definition_count() {
            return Self::new(files);
        }
        let ((by_folded, keys), (by_name, by_qualified)) = rayon::join(
            || edit.applied(&self.by_folded, folded),
            || {
                rayon::join(
                    || edit.applied(&self.by_name, name).0,
                    || edit.applied(&self.by_qualified, qualified).0,
                )
            },
        );
        let mut symbols = Self {
            by_name,
            by_folded,
            by_qualified,
            names: Arc::clone(&self.names),
        };
        symbols.rename(keys);
        symbols
    }

    /// Brings the list of names up to date.
    fn rename(&mut self, keys: Keys) {
        if keys.gone.is_empty() && keys.new.is_empty() {
            return;
        }
        let mut new: Vec<FoldedName> = keys.new.iter().map(|name| FoldedName::new(name)).collect();
        new.sort_unstable_by(|a, b| a.order().cmp(&b.order()));
        let mut new = new.into_iter().peekable();
        let mut names = Vec::with_capacity(self.names.len() + new.len());
        for name in self.names.iter().filter(|n| !keys.gone.contains(&*n.name)) {
            names.extend(std::iter::from_fn(|| {
                new.next_if(|new| new.order() < name.order())
            }));
            names.push(name);
        }
        self.names = Arc::new(names.into_iter().chain(new).collect());
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

    /// Definitions whose name including all enclosing ones ends with this dotted one: of `Client.connect` also
    /// `net.Client.connect`.
    pub fn ending(&self, files: &Files, name: &str) -> Vec<DefId> {
        let Some((_, last)) = name.rsplit_once('.') else {
            return Vec::new();
        };
        let ends = |id: &DefId| {
            let qualified = &files.definition(*id).qualified_name;
            let before = qualified.strip_suffix(name);
            before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
        };
        self.named(last).iter().copied().filter(ends).collect()
    }

    /// The distinct folded names with a number of bytes, by it; nothing for lengths that no name has.
    pub fn names_of(&self, bytes: RangeInclusive<usize>) -> impl Iterator<Item = OfLength<'_>> {
        self.names.of_lengths(bytes)
    }

    /// Estimated heap size in bytes; what other snapshots share counts in full.
    pub fn heap_bytes(&self) -> usize {
        let tables = [&self.by_name, &self.by_folded, &self.by_qualified];
        let tables: usize = tables.iter().map(|t| t.heap_bytes(|key| key.len())).sum();
        tables + self.names.heap_bytes()
    }
}

/// Keys that a table no longer has, and those that it did not have.
#[derive(Default)]
struct Keys {
    gone: HashSet<String>,
    new: HashSet<String>,
}

/// What a table of the files `before` lacks to be one of `files`.
struct Edit<'a> {
    files: &'a Files,
    before: &'a Files,
    change: &'a Change,
}

impl Edit<'_> {
    /// How many definitions there are in the files that changed.
    fn definitions(&self) -> usize {
        let changed = self.change.changed().iter();
        changed
            .map(|file| self.files.definitions_of(*file).len())
            .sum()
    }

    /// The table after it.
    fn applied(&self, table: &Table, key: Key) -> (Table, Keys) {
        let mut table = table.clone();
        let mut keys = Keys::default();
        self.remove(&mut table, key, &mut keys);
        if !self.change.is_stable() {
            table = table.renumbered(self.change);
        }
        self.insert(&mut table, key, &mut keys);
        (table, keys)
    }

    /// Takes away what files defined, but for what is at the same position now.
    fn remove(&self, table: &mut Table, key: Key, keys: &mut Keys) {
        let gone = self.change.gone().map(|file| (file, None));
        let changed = self.change.changed().iter();
        let edited = changed.filter_map(|now| Some((self.change.before(*now)?, Some(*now))));
        for (file, now) in gone.chain(edited) {
            let now = now.and_then(|now| self.files.content(now));
            for (local, definition) in differing(self.before.content(file), now) {
                let Some(key) = key(definition) else { continue };
                if table.remove(&*key, &DefId { file, local }) {
                    keys.gone.insert(key.into_owned());
                }
            }
        }
    }

    /// Adds what files define, but for what was at the same position before.
    fn insert(&self, table: &mut Table, key: Key, keys: &mut Keys) {
        for file in self.change.changed() {
            let before = self.change.before(*file);
            let before = before.and_then(|before| self.before.content(before));
            for (local, definition) in differing(self.files.content(*file), before) {
                let Some(key) = key(definition) else { continue };
                let id = DefId { file: *file, local };
                if table.insert(&*key, id) && !keys.gone.remove(&*key) {
                    keys.new.insert(key.into_owned());
                }
            }
        }
    }
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
                && has_outer(other) == has_outer(definition)
        });
        (!same).then_some((LocalId(position as u32), definition))
    })
}

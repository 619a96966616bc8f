//! Builds the symbol table: definitions by name, by folded name (lower case without underscores), by qualified
//! name and by the other names that code uses for them; the files that export something under a new name; and the distinct
//! names themselves for fuzzy matching.

mod folded;
mod other_names;

use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::sync::Arc;

use foldhash::HashSet;
use foveate_model::{Content, Definition, LocalId};

use self::folded::{FoldedName, FoldedNames};
pub use self::folded::{NamesOfLength, fold, letters};
use crate::change::Change;
use crate::files::{DefId, FileId, Files};
use crate::sharded_map::ShardedMap;

/// Definitions by their names. Lists are in id order.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    by_name: Table,
    by_folded: Table,
    by_qualified: Table,
    by_other_name: Table,
    by_reexport: FileTable,
    names: Arc<FoldedNames>,
}

/// The table is rebuilt if the changed files have more than `1 / n` of all definitions, where `n` is this number:
/// removing and adding a definition costs about twice as much as adding one, and all others are copied if ids change.
const REBUILD_DIVISOR: usize = 3;

/// Definitions by a key derived from them.
type Table = ShardedMap<Box<str>, DefId>;

/// Files by a name.
type FileTable = ShardedMap<Box<str>, FileId>;

/// Returns the key of a definition in a table; `None` if the table leaves it out.
type Key = for<'d> fn(&'d Definition) -> Option<Cow<'d, str>>;

fn name(definition: &Definition) -> Option<Cow<'_, str>> {
    Some(Cow::Borrowed(&definition.name))
}

/// Leaves out blocks: their names are texts, such as the titles of tests, that no code spells in another way.
fn folded(definition: &Definition) -> Option<Cow<'_, str>> {
    (!definition.modifiers.is_block).then(|| Cow::Owned(fold(&definition.name)))
}

/// Leaves out undotted names, which [`Symbols::qualified`] looks up in the table of plain names.
fn qualified(definition: &Definition) -> Option<Cow<'_, str>> {
    let name = &*definition.qualified_name;
    name.contains('.').then_some(Cow::Borrowed(name))
}

impl Symbols {
    /// Builds the table for all definitions of `files`.
    pub fn new(files: &Files) -> Self {
        let table = |key: Key| {
            let mut table = Table::with_capacity(files.definition_count() / 2);
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
        let mut by_other_name = Table::with_capacity(files.len());
        let mut by_reexport = FileTable::with_capacity(files.len());
        for file in files.ids() {
            add_other_names(&mut by_other_name, files, file);
            add_reexports(&mut by_reexport, files, file);
        }
        Self {
            by_name,
            by_folded,
            by_qualified,
            by_other_name,
            by_reexport,
            names: Arc::new(names.into_iter().collect()),
        }
    }

    /// Derives the table for `files` from the table for the files `before` a change. Equals [`Self::new`].
    pub(crate) fn derive(&self, files: &Files, before: &Files, change: &Change) -> Self {
        let edit = Edit {
            files,
            before,
            change,
        };
        if edit.definitions() * REBUILD_DIVISOR > files.definition_count() {
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
            by_other_name: edit.other_names(&self.by_other_name),
            by_reexport: edit.reexports(&self.by_reexport),
            names: Arc::clone(&self.names),
        };
        symbols.update_names(keys);
        symbols
    }

    /// Updates the list of distinct names.
    fn update_names(&mut self, keys: Keys) {
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

    /// Returns the definitions with exactly this name.
    pub fn named(&self, name: &str) -> &[DefId] {
        self.by_name.get(name)
    }

    /// Returns the definitions that code uses by this name, while another one is written at them: a component by the name
    /// of its file, an export by the name that it has outside of its file. The graph does not go by these names.
    pub fn also_named(&self, name: &str) -> &[DefId] {
        self.by_other_name.get(name)
    }

    /// Returns the files that export something of another file under this name, while it has another one there:
    /// `export { a as b } from './a'`. [`Graph::reexported`](crate::graph::Graph::reexported) finds what that is.
    pub(crate) fn reexporting(&self, name: &str) -> &[FileId] {
        self.by_reexport.get(name)
    }

    /// Returns the definitions whose name matches regardless of case and underscores; `folded` must come from
    /// [`fold`]: `maxlength` finds `max_length`, `maxLength` and `MAX_LENGTH`.
    pub fn folded(&self, folded: &str) -> &[DefId] {
        self.by_folded.get(folded)
    }

    /// Returns the definitions with this qualified name, such as `Client.connect`. A top-level definition is
    /// found by its plain name.
    pub fn qualified(&self, name: &str) -> &[DefId] {
        if name.contains('.') {
            self.by_qualified.get(name)
        } else {
            self.named(name)
        }
    }

    /// Returns the definitions whose qualified name ends with this dotted name: `Client.connect` also finds
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

    /// Returns the distinct folded names whose length in bytes is in the range, grouped by length; lengths
    /// without names are left out.
    pub fn names_by_length(
        &self,
        bytes: RangeInclusive<usize>,
    ) -> impl Iterator<Item = NamesOfLength<'_>> {
        self.names.of_lengths(bytes)
    }

    /// Estimated heap size in bytes; data shared with other snapshots counts in full.
    pub fn heap_bytes(&self) -> usize {
        let tables = [
            &self.by_name, &self.by_folded, &self.by_qualified, &self.by_other_name,
        ];
        let tables: usize = tables.iter().map(|t| t.heap_bytes(|key| key.len())).sum();
        let reexports = self.by_reexport.heap_bytes(|key| key.len());
        tables + reexports + self.names.heap_bytes()
    }
}

/// Keys that a table lost and gained.
#[derive(Default)]
struct Keys {
    gone: HashSet<String>,
    new: HashSet<String>,
}

/// Updates a table for the files `before` to one for `files`.
struct Edit<'a> {
    files: &'a Files,
    before: &'a Files,
    change: &'a Change,
}

impl Edit<'_> {
    /// Returns the number of definitions in changed files.
    fn definitions(&self) -> usize {
        let changed = self.change.changed().iter();
        changed
            .map(|file| self.files.definitions_of(*file).len())
            .sum()
    }

    /// Returns the updated table, and the keys that it lost and gained.
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

    /// Returns the earlier ids of the files that are gone or changed.
    fn earlier(&self) -> impl Iterator<Item = FileId> {
        let change = self.change;
        let changed = change.changed().iter();
        let edited = changed.filter_map(move |now| change.earlier_id(*now));
        change.gone().chain(edited)
    }

    /// Returns the updated table of other names.
    fn other_names(&self, table: &Table) -> Table {
        let mut table = table.clone();
        for file in self.earlier() {
            for (local, name) in other_names::of_file(self.before.file(file)) {
                table.remove(&*name, &DefId::new(file, local));
            }
        }
        if !self.change.is_stable() {
            table = table.renumbered(self.change);
        }
        for file in self.change.changed() {
            add_other_names(&mut table, self.files, *file);
        }
        table
    }

    /// Returns the updated table of names of re-exports.
    fn reexports(&self, table: &FileTable) -> FileTable {
        let mut table = table.clone();
        for file in self.earlier() {
            for name in other_names::of_reexports(self.before.file(file)) {
                table.remove(name, &file);
            }
        }
        if !self.change.is_stable() {
            table = table.renumbered(self.change);
        }
        for file in self.change.changed() {
            add_reexports(&mut table, self.files, *file);
        }
        table
    }

    /// Removes the earlier definitions of changed and removed files, except those that are the same at the
    /// same position in the later file.
    fn remove(&self, table: &mut Table, key: Key, keys: &mut Keys) {
        let gone = self.change.gone().map(|file| (file, None));
        let changed = self.change.changed().iter();
        let edited = changed.filter_map(|now| Some((self.change.earlier_id(*now)?, Some(*now))));
        for (file, now) in gone.chain(edited) {
            let now = now.and_then(|now| self.files.content(now));
            for (local, definition) in differing(self.before.content(file), now) {
                let Some(key) = key(definition) else { continue };
                if table.remove(&*key, &DefId::new(file, local)) {
                    keys.gone.insert(key.into_owned());
                }
            }
        }
    }

    /// Adds the definitions of changed files, except those that were the same at the same position before.
    fn insert(&self, table: &mut Table, key: Key, keys: &mut Keys) {
        for file in self.change.changed() {
            let before = self.change.earlier_id(*file);
            let before = before.and_then(|before| self.before.content(before));
            for (local, definition) in differing(self.files.content(*file), before) {
                let Some(key) = key(definition) else { continue };
                let id = DefId::new(*file, local);
                if table.insert(&*key, id) && !keys.gone.remove(&*key) {
                    keys.new.insert(key.into_owned());
                }
            }
        }
    }
}

fn add_other_names(table: &mut Table, files: &Files, file: FileId) {
    for (local, name) in other_names::of_file(files.file(file)) {
        table.insert(&*name, DefId::new(file, local));
    }
}

fn add_reexports(table: &mut FileTable, files: &Files, file: FileId) {
    for name in other_names::of_reexports(files.file(file)) {
        table.insert(name, file);
    }
}

/// Returns the definitions of `content` whose name or qualified name differs from the definition at the same
/// position of `other`.
fn differing<'a>(
    content: Option<&'a Content>,
    other: Option<&'a Content>,
) -> impl Iterator<Item = (LocalId, &'a Definition)> {
    let all = |content: Option<&'a Content>| content.map_or(&[][..], |c| &c.facts.definitions);
    let other = all(other);
    let definitions = all(content).iter().enumerate();
    definitions.filter_map(move |(position, definition)| {
        let same = other.get(position).is_some_and(|other| {
            other.qualified_name == definition.qualified_name && other.name == definition.name
        });
        (!same).then_some((LocalId(position as u32), definition))
    })
}

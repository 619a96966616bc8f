//! Resolves the base classes of classes, and looks up members along them. The order is that of the bases as
//! written, depth first, which equals Python's own order in all but diamond shapes.

use std::cell::RefCell;
use std::sync::Arc;

use foldhash::HashMap;
use foveate_model::LocalId;
use foveate_model::values::Value;

use crate::change::FileSet;
use crate::files::{DefId, FileId};
use crate::graph::dependencies::WithDependencies;
use crate::graph::names::{NameResolver, Position, Tables};
use crate::graph::paths::{self, Segment};
use crate::graph::rows::Rows;
use crate::graph::stage::Stage;
use crate::graph::targets::{Target, Targets};

/// Maximum number of classes that one look-up searches.
const MAX_CLASSES: usize = 64;
/// Maximum number of bases of one class.
const MAX_BASES: usize = 16;
/// Maximum number of variables between the name of a base and its class.
const MAX_ALIASES: usize = 4;

/// The resolved bases of all classes.
#[derive(Debug, Default)]
pub(super) struct Inheritance {
    /// By file, the bases of its definitions.
    bases: Vec<Arc<WithDependencies<Rows<DefId>>>>,
}

/// Cache of the bases of classes, those of all bodies of a class together, for the look-ups of one file. Every bare name
/// may be a member of each enclosing class, and finding the other bodies of a class compares hundreds of candidates.
#[derive(Debug, Default)]
pub(super) struct KnownBases(RefCell<HashMap<DefId, Box<[DefId]>>>);

impl Inheritance {
    /// Resolves the bases of all classes. Also returns the files whose bases differ from before.
    pub(super) fn derive(
        tables: Tables<'_>,
        before: Option<&Self>,
        stage: &Stage<'_>,
    ) -> (Self, FileSet) {
        let known = before.map(|before| &before.bases[..]);
        let (bases, differing) = stage.resolve(known, |file, dependencies| {
            bases_of_file(NameResolver::new(tables, dependencies), file)
        });
        (Self { bases }, differing)
    }

    pub(super) fn bases(&self, class: DefId) -> &[DefId] {
        let bases = self.bases.get(class.file.0 as usize);
        bases.map_or(&[], |bases| bases.value.row(class.local.0))
    }

    /// Returns the members with this name of the first class that has one: the class itself, then its bases.
    pub(super) fn members<'a>(
        &self,
        names: NameResolver<'a>,
        known: &KnownBases,
        class: DefId,
        name: &'a str,
    ) -> Targets {
        let own = names.own_members(class, name);
        own.or_else(|| self.inherited(names, known, class, name))
    }

    /// Like [`Self::members`], but without the class itself: the meaning of `super().name`.
    pub(super) fn inherited<'a>(
        &self,
        names: NameResolver<'a>,
        known: &KnownBases,
        class: DefId,
        name: &'a str,
    ) -> Targets {
        let found = self.visit_ancestors(names, known, class, |base| {
            let found = names.own_members(base, name);
            (!found.is_empty()).then_some(found)
        });
        found.unwrap_or_default()
    }

    /// Whether a class inherits from another one.
    pub(super) fn is_derived(
        &self,
        names: NameResolver<'_>,
        known: &KnownBases,
        class: DefId,
        base: DefId,
    ) -> bool {
        let found = self.visit_ancestors(names, known, class, |ancestor| {
            (ancestor == base).then_some(())
        });
        found.is_some()
    }

    /// Visits the bases of a class and theirs, each once, until `visit` returns something, and returns that.
    fn visit_ancestors<R>(
        &self,
        names: NameResolver<'_>,
        known: &KnownBases,
        class: DefId,
        mut visit: impl FnMut(DefId) -> Option<R>,
    ) -> Option<R> {
        names.dependencies.add_file(class.file);
        let mut seen = vec![class];
        let mut waiting = Vec::new();
        self.push_bases(names, known, class, &mut waiting);
        while let Some(base) = waiting.pop() {
            if seen.contains(&base) || seen.len() > MAX_CLASSES {
                continue;
            }
            seen.push(base);
            names.dependencies.add_file(base.file);
            if let Some(found) = visit(base) {
                return Some(found);
            }
            self.push_bases(names, known, base, &mut waiting);
        }
        None
    }

    /// Pushes the bases of all bodies of a class in reverse order, so that the first is popped first.
    fn push_bases(
        &self,
        names: NameResolver<'_>,
        known: &KnownBases,
        class: DefId,
        waiting: &mut Vec<DefId>,
    ) {
        let mut known = known.0.borrow_mut();
        let bases = known.entry(class).or_insert_with(|| {
            let mut bases: Vec<DefId> = Vec::new();
            for other in names.other_bodies(class).into_iter().rev() {
                names.dependencies.add_file(other.file);
                bases.extend(self.bases(other).iter().rev());
            }
            bases.extend(self.bases(class).iter().rev());
            bases.into()
        });
        waiting.extend_from_slice(bases);
    }

    pub(super) fn heap_bytes(&self) -> usize {
        let bases = |bases: &Arc<WithDependencies<Rows<DefId>>>| {
            bases.heap_bytes() + bases.value.heap_bytes()
        };
        self.bases.iter().map(bases).sum::<usize>()
    }
}

fn bases_of_file(names: NameResolver<'_>, file: FileId) -> Rows<DefId> {
    let Some(facts) = names.facts(file) else {
        return Rows::default();
    };
    let mut pairs = Vec::new();
    for (position, definition) in (0..).zip(&facts.definitions) {
        let class = DefId::new(file, LocalId(position));
        let start = pairs.len();
        for base in definition.bases.iter().take(MAX_BASES) {
            let named = class_named(names, file, definition.parent, base);
            for id in named.definitions().filter_map(|id| aliased(names, id)) {
                let pair = (position, id);
                if id != class && !pairs[start..].contains(&pair) {
                    pairs.push(pair);
                }
            }
        }
    }
    // There is no row beyond the last class with bases, so that adding functions after it changes nothing.
    let rows = pairs.last().map_or(0, |(last, _)| *last as usize + 1);
    Rows::from_pairs(rows, &pairs)
}

/// Returns the class that a definition is or, as in `Gate = Door`, names.
fn aliased(names: NameResolver<'_>, mut id: DefId) -> Option<DefId> {
    for _ in 0..=MAX_ALIASES {
        if names.is_base(id) {
            return Some(id);
        }
        let facts = names.facts(id.file)?;
        let Some(Value::Name(path)) = facts.values.held_by(id.local) else {
            return None;
        };
        let path = path.of(names.text(id.file));
        let parent = facts.definition(id.local)?.parent;
        let named = class_named(names, id.file, parent, path);
        id = named.definitions().next()?;
    }
    None
}

/// Resolves the name of a base class at the position of a class. Inherited members are not available yet.
fn class_named<'a>(
    names: NameResolver<'a>,
    file: FileId,
    outer: Option<LocalId>,
    path: &'a str,
) -> Targets {
    let member = |id, name| names.own_members(id, name);
    let found = names.type_named(file, outer, path, member);
    if found.is_empty() && names.rules(file).paths_may_be_qualified {
        let position = Position::new(file, outer);
        return by_full_name(names, position, path);
    }
    let has_default = names.rules(file).modules_have_defaults;
    match found.first() {
        // As in `const Base = require('./base')`.
        Some(Target::Module(module)) if has_default => names.exported(module, "default"),
        _ => found,
    }
}

/// Resolves the name of a base class by the full names of all types.
fn by_full_name<'a>(names: NameResolver<'a>, position: Position, path: &'a str) -> Targets {
    let segments: Vec<Segment<'a>> = paths::segments(path).collect();
    let Some(beginning) = names.qualified(position, path, &segments) else {
        return Targets::default();
    };
    let mut found = beginning.found;
    for segment in segments.iter().skip(beginning.names) {
        found = match found.first() {
            Some(Target::Module(module)) => names.attribute(module, segment.name),
            Some(Target::Definition(id)) => names.own_members(id, segment.name),
            _ => return Targets::default(),
        };
    }
    found
}

//! Which classes a class is built on, and the look-up of a member along them. The order is that of
//! the bases as written, depth first: what Python's own order gives in all but diamond shapes.

use foveate_model::LocalId;
use rayon::prelude::*;

use crate::files::{DefId, FileId};
use crate::graph::csr::Rows;
use crate::graph::family::Family;
use crate::graph::found::{Found, Target};
use crate::graph::names::Names;

/// Most classes that one look-up asks.
const MAX_CLASSES: usize = 64;
/// Most bases that are kept of one class.
const MAX_BASES: usize = 16;

/// The resolved bases of all classes.
#[derive(Debug, Default)]
pub(super) struct Inheritance {
    bases: Rows<DefId>,
    subclasses: Rows<DefId>,
}

impl Inheritance {
    pub(super) fn new(names: Names<'_>) -> Self {
        let files: Vec<FileId> = names.files.ids().collect();
        let per_file: Vec<Vec<(u32, DefId)>> = files
            .par_iter()
            .map(|file| bases_of_file(names, *file))
            .collect();
        let mut pairs = per_file.concat();
        let count = names.files.definition_count();
        let bases = Rows::from_pairs(count, &pairs);
        for (class, base) in &mut pairs {
            let below = DefId(*class);
            *class = base.0;
            *base = below;
        }
        Self {
            bases,
            subclasses: Rows::from_pairs(count, &pairs),
        }
    }

    pub(super) fn bases(&self, class: DefId) -> &[DefId] {
        self.bases.row(class.0)
    }

    pub(super) fn subclasses(&self, class: DefId) -> &[DefId] {
        self.subclasses.row(class.0)
    }

    /// The members with this name of the first class that has one: the class itself, then its
    /// bases.
    pub(super) fn members<'a>(&self, names: Names<'a>, class: DefId, name: &'a str) -> Found {
        let own = names.own_members(class, name);
        if own.is_empty() {
            self.inherited(names, class, name)
        } else {
            own
        }
    }

    /// [`Self::members`] without the class itself: what `super().name` means.
    pub(super) fn inherited<'a>(&self, names: Names<'a>, class: DefId, name: &'a str) -> Found {
        let mut seen = vec![class];
        let mut waiting: Vec<DefId> = self.bases(class).iter().rev().copied().collect();
        while let Some(base) = waiting.pop() {
            if seen.contains(&base) || seen.len() > MAX_CLASSES {
                continue;
            }
            seen.push(base);
            let found = names.own_members(base, name);
            if !found.is_empty() {
                return found;
            }
            waiting.extend(self.bases(base).iter().rev());
        }
        Found::default()
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.bases.heap_bytes() + self.subclasses.heap_bytes()
    }
}

fn bases_of_file(names: Names<'_>, file: FileId) -> Vec<(u32, DefId)> {
    let mut pairs = Vec::new();
    let Some(content) = names.files.content(file) else {
        return pairs;
    };
    for (position, definition) in content.facts.definitions.iter().enumerate() {
        let class = names.files.global(file, LocalId(position as u32));
        let start = pairs.len();
        for base in definition.bases.iter().take(MAX_BASES) {
            for id in class_named(names, file, definition.parent, base).definitions() {
                let pair = (class.0, id);
                if id != class && names.is_class(id) && !pairs[start..].contains(&pair) {
                    pairs.push(pair);
                }
            }
        }
    }
    pairs
}

/// What a base's dotted name stands for at a class's place. Inherited members are not known yet.
fn class_named<'a>(
    names: Names<'a>,
    file: FileId,
    mut outer: Option<LocalId>,
    path: &'a str,
) -> Found {
    let mut segments = path.split('.');
    let head = segments.next().unwrap_or(path);
    let mut found = Found::default();
    while let Some(id) = outer {
        found = names.within(file, Some(id), head);
        if !found.is_empty() {
            break;
        }
        outer = names.local(file, id).and_then(|d| d.parent);
    }
    if found.is_empty() {
        found = names.visible(file, head);
    }
    let ecmascript = names.family(file) == Family::Ecmascript;
    for segment in segments {
        found = match found.first() {
            Some(Target::Module(module)) => names.attribute(module, segment),
            Some(Target::Definition(id)) => names.own_members(id, segment),
            _ => return Found::default(),
        };
    }
    match found.first() {
        // `const Base = require('./base')`.
        Some(Target::Module(module)) if ecmascript => names.exported(module, "default"),
        _ => found,
    }
}

//! Finds definitions by their name among all files, for names that no scope and no import binds. Everything
//! that is read from such a definition is covered by the look-up of its name (`interface::named`), so its
//! file is not recorded as a dependency. Start at [`NameResolver::named`].

use foveate_model::{Definition, DefinitionKind, FileFacts, LocalId, Visibility};

use crate::files::{DefId, FileId};
use crate::graph::dependencies::Lookup;
use crate::graph::names::NameResolver;
use crate::graph::paths::FullName;
use crate::graph::relations::Confidence;
use crate::graph::targets::{Target, Targets};

/// Maximum number of definitions of one name that are examined. Thousands of methods of one repository may be
/// called `String` or `get`; those nearest to the asking file in path order, and so in its directory and
/// those near it, are the likeliest.
const MAX_CANDIDATES: usize = 512;
/// Maximum number of equally near macros of one name that a call may mean; if there are more, none counts.
const MAX_SAME_MACROS: usize = 3;
/// Maximum nesting depth of definitions that is examined.
const MAX_DEPTH: usize = 64;

/// The kind of scope that contains a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nesting {
    /// At the top level of its file or of a namespace.
    TopLevel,
    /// In a type.
    InType,
    /// In a function, where it is not visible to other files.
    InFunction,
}

/// Returns the kind of scope that contains a definition of a file.
pub(super) fn nesting(facts: &FileFacts, definition: &Definition) -> Nesting {
    let mut nesting = Nesting::TopLevel;
    let mut outer = definition.parent;
    for _ in 0..MAX_DEPTH {
        let Some(enclosing) = outer.and_then(|id| facts.definition(id)) else {
            break;
        };
        if enclosing.kind.is_function() {
            return Nesting::InFunction;
        }
        if enclosing.kind != DefinitionKind::Module {
            nesting = Nesting::InType;
        }
        outer = enclosing.parent;
    }
    nesting
}

/// Whether a definition is only a declaration: its body is elsewhere or does not exist.
pub(super) fn is_prototype(definition: &Definition) -> bool {
    definition.modifiers.is_overload || (definition.kind.is_function() && definition.body.is_none())
}

/// Returns the qualified name of the scope around a definition, as far as its own qualified name contains it.
pub(super) fn outer_name(definition: &Definition) -> &str {
    let outer = definition.qualified_name.strip_suffix(&*definition.name);
    outer.map_or("", |outer| outer.strip_suffix('.').unwrap_or(""))
}

/// A definition and its file's facts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate<'a> {
    pub(super) id: DefId,
    pub(super) definition: &'a Definition,
    pub(super) facts: &'a FileFacts,
}

impl<'a> Candidate<'a> {
    pub(super) fn full_name(&self) -> FullName<'a> {
        FullName {
            package: &self.facts.package,
            name: &self.definition.qualified_name,
        }
    }

    /// Returns the full name of the scope around it.
    pub(super) fn outer(&self) -> FullName<'a> {
        FullName {
            package: &self.facts.package,
            name: outer_name(self.definition),
        }
    }

    pub(super) fn nesting(&self) -> Nesting {
        nesting(self.facts, self.definition)
    }

    /// Whether it is at the top level of its file or of a namespace and visible to `file`.
    pub(super) fn is_top_level_for(&self, file: FileId) -> bool {
        let is_seen = self.id.file == file || self.definition.visibility != Visibility::Private;
        let modifiers = self.definition.modifiers;
        let is_bound = !modifiers.is_out_of_line && !modifiers.is_block;
        is_seen && is_bound && self.nesting() == Nesting::TopLevel
    }

    /// Returns the enclosing definition, if it is a container.
    pub(super) fn container(&self) -> Option<&'a Definition> {
        let enclosing = self.facts.definition(self.definition.parent?)?;
        enclosing.kind.is_container().then_some(enclosing)
    }

    pub(super) fn has_body(&self) -> bool {
        !is_prototype(self.definition)
    }
}

/// The candidates of the highest rank so far.
#[derive(Debug)]
pub(super) struct BestCandidates<'a, Rank> {
    rank: Option<Rank>,
    pub(super) candidates: Vec<Candidate<'a>>,
}

impl<'a, Rank: Ord> BestCandidates<'a, Rank> {
    pub(super) fn none() -> Self {
        Self {
            rank: None,
            candidates: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, rank: Rank, candidate: Candidate<'a>) {
        let rank = Some(rank);
        if rank < self.rank {
            return;
        }
        if rank > self.rank {
            self.candidates.clear();
            self.rank = rank;
        }
        self.candidates.push(candidate);
    }

    pub(super) fn targets(&self) -> Targets {
        let ids = self.candidates.iter().map(|candidate| candidate.id);
        ids.map(Target::Definition).collect()
    }
}

/// How near a file is to another: whether it is the same file, whether it is in the same directory, and the
/// number of leading directories that both paths share.
pub(super) type Nearness = (bool, bool, usize);

impl<'a> NameResolver<'a> {
    /// Returns the definitions of a name in the language family of a file, in id order. Of more than
    /// [`MAX_CANDIDATES`] with this name, those whose files are nearest in path order count.
    pub(super) fn named(
        &self,
        near: FileId,
        name: &str,
    ) -> impl Iterator<Item = Candidate<'a>> + use<'a> {
        self.dependencies.add_lookup(Lookup::Name, name);
        let all = nearest(self.tables.symbols.named(name), near);
        let family = self.language(near).family();
        let files = self.tables.files;
        all.iter().filter_map(move |id| {
            if files.file(id.file).language.family() != family {
                return None;
            }
            let facts = &files.content(id.file)?.facts;
            let definition = facts.definition(id.local)?;
            Some(Candidate {
                id: *id,
                definition,
                facts,
            })
        })
    }

    /// Returns the macros of a name that are nearest to a file, and how sure they are.
    pub(super) fn macros(
        &self,
        file: FileId,
        name: &str,
    ) -> impl Iterator<Item = (DefId, Confidence)> + use<'a> {
        let mut best = BestCandidates::none();
        for candidate in self.named(file, name) {
            if candidate.definition.modifiers.is_macro && candidate.nesting() == Nesting::TopLevel {
                best.add(self.nearness(file, candidate.id.file), candidate);
            }
        }
        let confidence = match best.candidates.len() {
            1 => Confidence::Likely,
            _ => Confidence::NameOnly,
        };
        let kept = match best.candidates.len() {
            0..=MAX_SAME_MACROS => best.candidates,
            _ => Vec::new(),
        };
        kept.into_iter().map(move |macros| (macros.id, confidence))
    }

    /// Returns the public macros of a name below the directory of a module: they are members of the root of
    /// their package, wherever in it they are defined.
    pub(super) fn exported_macros(&self, module: FileId, name: &str) -> Targets {
        let path = |id: FileId| &self.tables.files.file(id).path;
        let directory = path(module).directory();
        if !self.rules(module).macros_need_no_import {
            return Targets::default();
        }
        let is_exported = |candidate: &Candidate<'_>| {
            let inner = path(candidate.id.file).as_str().strip_prefix(directory);
            candidate.definition.modifiers.is_macro
                && candidate.definition.visibility == Visibility::Public
                && inner.is_some_and(|inner| inner.starts_with('/'))
        };
        let exported = self.named(module, name).filter(is_exported);
        exported
            .map(|macros| Target::Definition(macros.id))
            .collect()
    }

    /// Returns the candidate for a definition that was not found by its name.
    pub(super) fn candidate(&self, id: DefId) -> Option<Candidate<'a>> {
        let facts = self.facts(id.file)?;
        let definition = facts.definition(id.local)?;
        Some(Candidate {
            id,
            definition,
            facts,
        })
    }

    pub(super) fn nearness(&self, file: FileId, other: FileId) -> Nearness {
        let path = |id: FileId| self.tables.files.file(id).path.as_str();
        nearness_of_paths(path(file), path(other))
    }

    /// Returns the full name of a position: of the definition that contains it, or of its file's package.
    pub(super) fn full_name(&self, file: FileId, enclosing: Option<LocalId>) -> FullName<'a> {
        let package = self.facts(file).map_or("", |facts| &facts.package);
        let definition = enclosing.and_then(|id| self.local(file, id));
        FullName {
            package,
            name: definition.map_or("", |definition| &definition.qualified_name),
        }
    }
}

fn nearness_of_paths(a: &str, b: &str) -> Nearness {
    let common = shared_start(a.as_bytes(), b.as_bytes());
    // What both begin with contains a slash for each directory that they share.
    let slashes = |text: &[u8]| text.iter().filter(|byte| **byte == b'/').count();
    let (shared, a) = a.as_bytes().split_at(common);
    let b = b.as_bytes().get(common..).unwrap_or_default();
    let is_one_directory = slashes(a) + slashes(b) == 0;
    (
        a.is_empty() && b.is_empty(),
        is_one_directory,
        slashes(shared),
    )
}

/// Returns the number of bytes that both texts start with.
fn shared_start(a: &[u8], b: &[u8]) -> usize {
    // Whole blocks first: most pairs of paths share several directories.
    const BLOCK: usize = 16;
    let blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK));
    let blocks = BLOCK * blocks.take_while(|(a, b)| a == b).count();
    let (_, a) = a.split_at(blocks);
    let (_, b) = b.split_at(blocks);
    let pairs = a.iter().zip(b);
    blocks + pairs.take_while(|(a, b)| a == b).count()
}

/// Returns the part of a list in id order that is nearest to a file.
fn nearest(all: &[DefId], near: FileId) -> &[DefId] {
    let Some(surplus) = all.len().checked_sub(MAX_CANDIDATES) else {
        return all;
    };
    let at = all.partition_point(|id| id.file < near);
    let start = at.saturating_sub(MAX_CANDIDATES / 2).min(surplus);
    all.get(start..start + MAX_CANDIDATES).unwrap_or(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearness_counts_shared_directories() {
        for (a, b, nearness) in [
            ("a/b/c.rs", "a/b/c.rs", (true, true, 2)),
            ("a/b/c.rs", "a/b/cd.rs", (false, true, 2)),
            ("a/b/c.rs", "a/bc/d.rs", (false, false, 1)),
            ("a/b/c.rs", "a/b/c.rs/d", (false, false, 2)),
            ("a/b/c.rs", "a/b.rs", (false, false, 1)),
            ("a", "b", (false, true, 0)),
            ("a", "a/b", (false, false, 0)),
        ] {
            assert_eq!(nearness_of_paths(a, b), nearness, "{a} {b}");
            assert_eq!(nearness_of_paths(b, a), nearness, "{b} {a}");
        }
    }

    #[test]
    fn nearest_candidates_are_kept() {
        let all: Vec<DefId> = (0..2000)
            .map(|file| DefId::new(FileId(file), LocalId(0)))
            .collect();
        for (near, first) in [(0, 0), (1000, 744), (1999, 1488)] {
            let found = nearest(&all, FileId(near));
            assert_eq!((found.len(), found[0].file.0), (MAX_CANDIDATES, first));
        }
        assert_eq!(nearest(&all[..3], FileId(1)).len(), 3);
    }
}

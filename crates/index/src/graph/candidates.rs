//! Definitions found by their name among all files, for names that no scope and no import binds. What is
//! looked at of such a definition is part of the question for its name (`interface::named`), so its
//! file is not noted. Start at [`Names::named`].

use foveate_model::{Definition, DefinitionKind, FileFacts, LocalId, Visibility};

use crate::files::{DefId, FileId};
use crate::graph::dependencies::Question;
use crate::graph::names::Names;
use crate::graph::paths::FullName;
use crate::graph::targets::{Target, Targets};

/// Most definitions of one name that are looked at. Thousands of methods of one repository may be called
/// `String` or `get`; those next to the asking file in path order, and so in its directory and those
/// around it, are the likeliest.
const MAX_CANDIDATES: usize = 512;
/// Deepest nesting of definitions that is looked at.
const MAX_DEPTH: usize = 64;

/// Where a definition stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// At the top level of its file or of a namespace.
    TopLevel,
    /// In a type.
    InType,
    /// In a function, where no other file sees it.
    InFunction,
}

/// Where a definition of a file stands.
pub(super) fn standing(facts: &FileFacts, definition: &Definition) -> Standing {
    let mut standing = Standing::TopLevel;
    let mut outer = definition.parent;
    for _ in 0..MAX_DEPTH {
        let Some(around) = outer.and_then(|id| facts.definition(id)) else {
            break;
        };
        if around.kind.is_function() {
            return Standing::InFunction;
        }
        if around.kind != DefinitionKind::Module {
            standing = Standing::InType;
        }
        outer = around.parent;
    }
    standing
}

/// Whether a definition only says that there is one: its body stands elsewhere, or nowhere.
pub(super) fn is_prototype(definition: &Definition) -> bool {
    definition.modifiers.is_overload || (definition.kind.is_function() && definition.body.is_none())
}

/// The qualified name of what is around a definition, as far as its own qualified name says it.
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

    /// The full name of what is around it.
    pub(super) fn outer(&self) -> FullName<'a> {
        FullName {
            package: &self.facts.package,
            name: outer_name(self.definition),
        }
    }

    pub(super) fn standing(&self) -> Standing {
        standing(self.facts, self.definition)
    }

    /// Whether it is a name of the top level of its file or of a namespace, and another file may see
    /// it.
    pub(super) fn is_top_level_for(&self, file: FileId) -> bool {
        let is_seen = self.id.file == file || self.definition.visibility != Visibility::Private;
        is_seen
            && !self.definition.modifiers.is_out_of_line
            && self.standing() == Standing::TopLevel
    }

    /// The definition around it, of those whose members others can name.
    pub(super) fn container(&self) -> Option<&'a Definition> {
        let around = self.facts.definition(self.definition.parent?)?;
        around.kind.is_container().then_some(around)
    }

    pub(super) fn has_body(&self) -> bool {
        !is_prototype(self.definition)
    }
}

/// The candidates of the best rank.
#[derive(Debug)]
pub(super) struct Best<'a, Rank> {
    rank: Option<Rank>,
    pub(super) candidates: Vec<Candidate<'a>>,
}

impl<'a, Rank: Ord> Best<'a, Rank> {
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
        let mut targets = Targets::default();
        for candidate in &self.candidates {
            targets.push(Target::Definition(candidate.id));
        }
        targets
    }
}

/// How near a file is to another: whether it is the same, whether the directory is, and how many
/// directories both paths begin with.
pub(super) type Nearness = (bool, bool, usize);

impl<'a> Names<'a> {
    /// The definitions of a name in the languages that a file's own is one with, in id order.
    pub(super) fn named(
        &self,
        near: FileId,
        name: &str,
    ) -> impl Iterator<Item = Candidate<'a>> + use<'a> {
        self.dependencies.question(Question::Name, name);
        let all = around(self.tables.symbols.named(name), near);
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

    /// A definition that was found by another way than its name.
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
        let directory = |id: FileId| self.tables.files.file(id).path.directory();
        let (a, b) = (directory(file), directory(other));
        let pairs = a.split('/').zip(b.split('/'));
        let shared = pairs.take_while(|(a, b)| a == b).count();
        (file == other, a == b, shared)
    }

    /// The full name of a place: of the definition that it stands in, or of its file's package.
    pub(super) fn full_name(&self, file: FileId, enclosing: Option<LocalId>) -> FullName<'a> {
        let package = self.facts(file).map_or("", |facts| &facts.package);
        let definition = enclosing.and_then(|id| self.local(file, id));
        FullName {
            package,
            name: definition.map_or("", |definition| &definition.qualified_name),
        }
    }
}

/// Those of a list in id order that are nearest to a file.
fn around(all: &[DefId], near: FileId) -> &[DefId] {
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
    fn of_many_the_nearest_are_looked_at() {
        let all: Vec<DefId> = (0..2000)
            .map(|file| DefId {
                file: FileId(file),
                local: LocalId(0),
            })
            .collect();
        for (near, first) in [(0, 0), (1000, 744), (1999, 1488)] {
            let found = around(&all, FileId(near));
            assert_eq!((found.len(), found[0].file.0), (MAX_CANDIDATES, first));
        }
        assert_eq!(around(&all[..3], FileId(1)).len(), 3);
    }
}

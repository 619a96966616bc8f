//! Resolves paths whose first name is unbound: namespaces, packages and modules that are known by their full
//! names (`net::http::Client`, `com.shop.Cart`). Prefixes of the path, longest first, are compared with the
//! ends of full names. Start at [`NameResolver::qualified`].

use foveate_model::{DefinitionKind, ImportKind};

use crate::files::FileId;
use crate::graph::candidates::{BestCandidates, Candidate, Nearness, Nesting};
use crate::graph::dependencies::Lookup;
use crate::graph::names::{NameResolver, Position};
use crate::graph::paths::{FullName, Segment};
use crate::graph::relations::Confidence;
use crate::graph::targets::{Target, Targets};

/// Maximum number of names of a path that are examined.
const MAX_NAMES: usize = 16;
/// Maximum number of differently named definitions that one path may mean; if there are more, none counts.
const MAX_AMBIGUOUS: usize = 3;

/// The result for a prefix of a path.
#[derive(Clone, Copy, Debug)]
pub(super) struct PrefixResolution {
    pub(super) found: Targets,
    /// Number of names in the prefix.
    pub(super) names: usize,
    pub(super) confidence: Confidence,
}

/// How well a definition fits a path at a position: the number of leading names that its full name shares with
/// that of the position, whether it has a body, and how near its file is.
type Fit = (usize, bool, Nearness);

/// Whether a path may mean a definition of its last name.
type Matches = fn(&Candidate<'_>, &[Segment<'_>]) -> bool;

impl<'a> NameResolver<'a> {
    /// Resolves a path by the full names of definitions and modules.
    pub(super) fn qualified(
        &self,
        position: Position,
        path: &str,
        segments: &[Segment<'a>],
    ) -> Option<PrefixResolution> {
        let segments = segments.get(..MAX_NAMES).unwrap_or(segments);
        let mut beginnings = (1..=segments.len())
            .rev()
            .filter_map(|end| segments.get(..end));
        let found = beginnings.clone().find_map(|beginning| {
            let next = segments.get(beginning.len());
            self.by_full_name(position, beginning, is_path_suffix_of_name)
                .or_else(|| self.module_named(position.file, path, beginning, next?.name))
        });
        // A file may not declare its module; then the path is longer than the full name.
        found.or_else(|| {
            beginnings.find_map(|beginning| {
                self.by_full_name(position, beginning, is_name_suffix_of_path)
            })
        })
    }

    /// Resolves a prefix to a module as if it were written in an import, if the module has the next name.
    fn module_named(
        &self,
        file: FileId,
        path: &str,
        beginning: &[Segment<'a>],
        name: &'a str,
    ) -> Option<PrefixResolution> {
        // The result may change when any file of the family is added or removed, and when definitions of the
        // names in it change.
        let family = self.tables.files.file(file).language.family();
        self.dependencies.add_lookup(Lookup::AnyModule, family);
        for segment in beginning {
            self.dependencies.add_lookup(Lookup::Module, segment.name);
        }
        let (files, resolver) = (self.tables.files, self.resolver(file)?);
        let written = path.get(..beginning.last()?.end)?;
        let module = resolver.resolve(files, file, written, ImportKind::From)?;
        (!self.attribute(module, name).is_empty()).then(|| PrefixResolution {
            found: Targets::one(Target::Module(module)),
            names: beginning.len(),
            confidence: Confidence::Certain,
        })
    }

    fn by_full_name(
        &self,
        position: Position,
        path: &[Segment<'_>],
        matches_path: Matches,
    ) -> Option<PrefixResolution> {
        let last = path.last().filter(|last| !last.name.is_empty())?;
        let position_name = self.full_name(position.file, position.enclosing);
        let mut best: BestCandidates<'a, Fit> = BestCandidates::none();
        for candidate in self.named(position.file, last.name) {
            let is_bare = path.len() == 1;
            if !matches_path(&candidate, path)
                || (is_bare && !self.is_visible_unqualified(&candidate, position.file))
            {
                continue;
            }
            let shared = candidate.full_name().shared_start(position_name);
            let nearness = self.nearness(position.file, candidate.id.file);
            best.add((shared, candidate.has_body(), nearness), candidate);
        }
        let first = best.candidates.first()?.full_name();
        let mut others = best.candidates.iter();
        let is_one = others.all(|other| other.full_name().is_same(first));
        if !is_one && best.candidates.len() > MAX_AMBIGUOUS {
            return None;
        }
        let is_certain = is_one
            && best
                .candidates
                .iter()
                .all(|one| is_unambiguous(one, path, position_name));
        Some(PrefixResolution {
            found: best.targets(),
            names: path.len(),
            confidence: match is_certain {
                true => Confidence::Certain,
                false => Confidence::Likely,
            },
        })
    }

    /// Whether a definition can be used by its bare name: types can, and top-level definitions of a file that
    /// belongs to a package. Other definitions of a file that is a module of its own are visible through
    /// imports alone.
    fn is_visible_unqualified(&self, candidate: &Candidate<'_>, file: FileId) -> bool {
        let kind = candidate.definition.kind;
        let is_type = kind.is_class() || kind == DefinitionKind::TypeAlias;
        match candidate.nesting() {
            Nesting::InFunction => false,
            Nesting::InType => is_type,
            Nesting::TopLevel => {
                candidate.is_top_level_for(file)
                    && (is_type || self.package(candidate.id.file).is_some())
            }
        }
    }

    /// Returns the definitions whose full name an import spells out, for imports that no module resolves.
    pub(super) fn imported_by_full_name(&self, file: FileId, module: &str, name: &str) -> Targets {
        let mut wanted: Vec<&str> = super::paths::names(module).take(MAX_NAMES).collect();
        wanted.push(name);
        wanted.retain(|name| !name.is_empty());
        let mut best = BestCandidates::none();
        for candidate in self.named(file, name) {
            let full = candidate.full_name();
            if candidate.nesting() != Nesting::InFunction
                && full.segments().eq(wanted.iter().copied())
            {
                let nearness = self.nearness(file, candidate.id.file);
                best.add((candidate.has_body(), nearness), candidate);
            }
        }
        best.targets()
    }
}

/// Whether a path is a suffix of a definition's full name.
fn is_path_suffix_of_name(candidate: &Candidate<'_>, path: &[Segment<'_>]) -> bool {
    candidate.nesting() != Nesting::InFunction && shared_end(candidate, path) == path.len()
}

/// Whether a definition's full name, of at least two names, is a suffix of a path.
fn is_name_suffix_of_path(candidate: &Candidate<'_>, path: &[Segment<'_>]) -> bool {
    let shared = shared_end(candidate, path);
    candidate.nesting() != Nesting::InFunction
        && shared > 1
        && shared == candidate.full_name().len()
}

fn shared_end(candidate: &Candidate<'_>, path: &[Segment<'_>]) -> usize {
    let names = path.iter().map(|segment| segment.name);
    candidate.full_name().shared_end(names)
}

/// Whether a path identifies a definition without doubt. A bare name may be a local one or a type parameter,
/// unless it is a type of an enclosing namespace.
fn is_unambiguous(
    candidate: &Candidate<'_>,
    path: &[Segment<'_>],
    position_name: FullName<'_>,
) -> bool {
    if path.len() > 1 {
        return shared_end(candidate, path) == path.len();
    }
    let outer = candidate.outer();
    let encloses_position = outer.len() > 0 && outer.shared_start(position_name) == outer.len();
    encloses_position && !candidate.definition.kind.is_function()
}

//! Paths whose first name nothing binds: namespaces, packages and modules that are known by their full
//! names (`net::http::Client`, `com.shop.Cart`). The path is compared with the ends of full names,
//! a longer beginning of it before a shorter one. Start at [`Names::qualified`].

use foveate_model::{DefinitionKind, ImportKind};

use crate::files::FileId;
use crate::graph::candidates::{Best, Candidate, Nearness, Standing};
use crate::graph::dependencies::Question;
use crate::graph::names::{Names, Place};
use crate::graph::paths::{FullName, Segment};
use crate::graph::relations::Confidence;
use crate::graph::targets::{Target, Targets};

/// Most names of a path that are looked at.
const MAX_NAMES: usize = 16;
/// Most definitions that one path may mean: of more, none is meant.
const MAX_MEANT: usize = 3;

/// What the beginning of a path stands for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Qualified {
    pub(super) found: Targets,
    /// How many names of the path that is.
    pub(super) names: usize,
    pub(super) confidence: Confidence,
}

/// How well a definition fits a path at a place: how many names its full name and that of the place begin
/// with, whether it has a body, and how near its file is.
type Fit = (usize, bool, Nearness);

/// Whether a path may mean a definition with its last name.
type Fits = fn(&Candidate<'_>, &[Segment<'_>]) -> bool;

impl<'a> Names<'a> {
    /// What a path stands for by the full names of definitions and modules.
    pub(super) fn qualified(
        &self,
        place: Place,
        path: &str,
        segments: &[Segment<'a>],
    ) -> Option<Qualified> {
        let segments = segments.get(..MAX_NAMES).unwrap_or(segments);
        let mut beginnings = (1..=segments.len())
            .rev()
            .filter_map(|end| segments.get(..end));
        let found = beginnings.clone().find_map(|beginning| {
            let next = segments.get(beginning.len());
            self.fully_named(place, beginning, is_end)
                .or_else(|| self.module_named(place.file, path, beginning, next?.name))
        });
        // A file may not say in which module it is; then the path is the longer one of both.
        found.or_else(|| {
            beginnings.find_map(|beginning| self.fully_named(place, beginning, is_beyond))
        })
    }

    /// The module that a path stands for, as it would be written in an import, if it has a name.
    fn module_named(
        &self,
        file: FileId,
        path: &str,
        beginning: &[Segment<'a>],
        name: &'a str,
    ) -> Option<Qualified> {
        // Where it leads may change with any file, and with what files say of the names in it.
        self.dependencies.question(Question::AnyModule, "");
        for segment in beginning {
            self.dependencies.question(Question::Module, segment.name);
        }
        let (files, resolver) = (self.tables.files, self.resolver(file)?);
        let written = path.get(..beginning.last()?.end)?;
        let module = resolver.resolve(files, file, written, ImportKind::From)?;
        (!self.attribute(module, name).is_empty()).then(|| Qualified {
            found: Targets::one(Target::Module(module)),
            names: beginning.len(),
            confidence: Confidence::Certain,
        })
    }

    fn fully_named(&self, place: Place, path: &[Segment<'_>], fits: Fits) -> Option<Qualified> {
        let last = path.last().filter(|last| !last.name.is_empty())?;
        let around = self.full_name(place.file, place.enclosing);
        let mut best: Best<'a, Fit> = Best::none();
        for candidate in self.named(place.file, last.name) {
            let is_bare = path.len() == 1;
            if !fits(&candidate, path) || (is_bare && !self.is_known_bare(&candidate, place.file)) {
                continue;
            }
            let shared = candidate.full_name().shared_start(around);
            let nearness = self.nearness(place.file, candidate.id.file);
            best.add((shared, candidate.has_body(), nearness), candidate);
        }
        let first = best.candidates.first()?.full_name();
        let mut others = best.candidates.iter();
        let is_one = others.all(|other| other.full_name().is_same(first));
        if !is_one && best.candidates.len() > MAX_MEANT {
            return None;
        }
        let is_certain = is_one && best.candidates.iter().all(|one| tells(one, path, around));
        Some(Qualified {
            found: best.targets(),
            names: path.len(),
            confidence: match is_certain {
                true => Confidence::Certain,
                false => Confidence::Likely,
            },
        })
    }

    /// Whether a definition is known by its bare name: types are, and what stands at the top level of a file
    /// in a package. What a file that is a module defines beside types is known by imports alone.
    fn is_known_bare(&self, candidate: &Candidate<'_>, file: FileId) -> bool {
        let kind = candidate.definition.kind;
        let is_class = kind.is_container() && kind != DefinitionKind::Module;
        let is_type = is_class || kind == DefinitionKind::TypeAlias;
        match candidate.standing() {
            Standing::InFunction => false,
            Standing::InType => is_type,
            Standing::TopLevel => {
                candidate.is_top_level_for(file)
                    && (is_type || self.package(candidate.id.file).is_some())
            }
        }
    }

    /// The definitions that an import names in full, for imports of what no module stands for.
    pub(super) fn imported_in_full(&self, file: FileId, module: &str, name: &str) -> Targets {
        let mut wanted: Vec<&str> = super::paths::names(module).take(MAX_NAMES).collect();
        wanted.push(name);
        wanted.retain(|name| !name.is_empty());
        let mut best = Best::none();
        for candidate in self.named(file, name) {
            let full = candidate.full_name();
            if candidate.standing() != Standing::InFunction
                && full.segments().eq(wanted.iter().copied())
            {
                let nearness = self.nearness(file, candidate.id.file);
                best.add((candidate.has_body(), nearness), candidate);
            }
        }
        best.targets()
    }
}

/// Whether a path is the end of a definition's full name.
fn is_end(candidate: &Candidate<'_>, path: &[Segment<'_>]) -> bool {
    candidate.standing() != Standing::InFunction && shared_end(candidate, path) == path.len()
}

/// Whether a definition's full name, of more than one name, is the end of a longer path.
fn is_beyond(candidate: &Candidate<'_>, path: &[Segment<'_>]) -> bool {
    let shared = shared_end(candidate, path);
    candidate.standing() != Standing::InFunction
        && shared > 1
        && shared == candidate.full_name().len()
}

fn shared_end(candidate: &Candidate<'_>, path: &[Segment<'_>]) -> usize {
    let names = path.iter().map(|segment| segment.name);
    candidate.full_name().shared_end(names)
}

/// Whether a path leaves no doubt about a definition. A bare name may be a local one, or a parameter
/// of a type, unless it is a type of a namespace around.
fn tells(candidate: &Candidate<'_>, path: &[Segment<'_>], around: FullName<'_>) -> bool {
    if path.len() > 1 {
        return shared_end(candidate, path) == path.len();
    }
    let outer = candidate.outer();
    let is_around = outer.len() > 0 && outer.shared_start(around) == outer.len();
    is_around && !candidate.definition.kind.is_function()
}

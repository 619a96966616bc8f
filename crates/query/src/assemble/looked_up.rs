//! Finds the definitions that a short question looks up by their exact name. The question is then about them and what it
//! asks of them alone: code that is merely near would take the budget of the answer, and the reader's time.

use std::cmp::Reverse;

use foldhash::HashSet;
use foveate_index::{Confidence, DefId, FileId, Files, Snapshot};
use foveate_model::Role;

use super::config::AssembleConfig;
use super::hierarchy::{is_extended, members, overriding};
use super::named::NamedDefinitions;
use crate::intent::LookUp;
use crate::resolve::{EvidenceSource, Resolution};

/// Maximum definitions of a type or file that a question is about.
const MAX_PARTS: usize = 256;
/// Maximum definitions that are compared.
const MAX_COMPARED: usize = 4;

/// The definitions that a short question looks up.
#[derive(Debug, Default)]
pub(super) struct LookedUp {
    /// What is asked of them.
    asks: Option<LookUp>,
    /// Empty if the question does not look up a name, or if its name is not found.
    definitions: Vec<DefId>,
    /// The definitions and the members of those that are types; for a file its definitions.
    parts: Vec<DefId>,
    /// Whether they have so many uses that each gets one line.
    has_many_uses: bool,
}

impl LookedUp {
    pub(super) fn new(
        snapshot: &Snapshot,
        asks: LookUp,
        query: &str,
        (resolution, named): (&Resolution, &NamedDefinitions),
        config: &AssembleConfig,
    ) -> Self {
        if !resolution.unknown_names.is_empty() {
            return Self::default();
        }
        let is_written = |id: &DefId| {
            resolution.definitions.iter().any(|evidence| {
                evidence.definition == *id
                    && matches!(
                        evidence.from,
                        EvidenceSource::Title | EvidenceSource::InlineCode | EvidenceSource::Prose
                    )
            })
        };
        let files = &snapshot.files;
        let definitions: Vec<DefId> = named.ids().filter(is_written).collect();
        let (definitions, asks) = match asks {
            LookUp::Tests if definitions.is_empty() => {
                (definitions_of_files(files, resolution), asks)
            }
            LookUp::Difference => (compared(files, resolution, query, definitions), asks),
            // A method is implemented by those that override it.
            LookUp::Implementers if definitions.iter().all(|id| is_method(files, *id)) => {
                (definitions, LookUp::Overrides)
            }
            _ => (definitions, asks),
        };
        let parts = parts(snapshot, &definitions);
        let is_extended = |id: &DefId| is_extended(snapshot, *id);
        let asks = match asks {
            // A setting is overridden by other means than a method.
            LookUp::Overrides if overriding(snapshot, &parts).is_empty() => LookUp::Uses,
            LookUp::Implementers if !definitions.iter().any(is_extended) => LookUp::Uses,
            _ => asks,
        };
        let has_tests = |id: &DefId| !snapshot.graph.tests_of(*id).is_empty();
        if asks == LookUp::Tests && !parts.iter().any(has_tests) {
            return Self::default();
        }
        let used = match asks {
            LookUp::Calls => &parts,
            _ => &definitions,
        };
        let uses = used.iter().flat_map(|id| snapshot.graph.uses_of(*id));
        let sure = uses.filter(|site| site.confidence != Confidence::NameOnly);
        let has_many_uses = sure.count() > config.links.max_callers_per_seed;
        Self {
            asks: Some(asks),
            definitions,
            parts,
            has_many_uses,
        }
    }

    /// Whether the question looks up a name that was found.
    pub(super) fn is_found(&self) -> bool {
        !self.definitions.is_empty()
    }

    /// Returns what the question asks of the definitions, if they were found.
    pub(super) fn asks(&self) -> Option<LookUp> {
        self.asks.filter(|_| self.is_found())
    }

    /// Returns the definitions.
    pub(super) fn definitions(&self) -> &[DefId] {
        &self.definitions
    }

    /// Whether they have so many uses that each gets one line.
    pub(super) fn has_many_uses(&self) -> bool {
        self.has_many_uses
    }

    /// Returns the definitions and their members.
    pub(super) fn parts(&self) -> &[DefId] {
        &self.parts
    }

    /// Returns the definitions that the question compares, in the order in which it names them; else none.
    pub(super) fn compared(&self) -> &[DefId] {
        match self.asks() {
            Some(LookUp::Difference) => &self.definitions,
            _ => &[],
        }
    }

    /// Whether nothing but the definitions and what the question asks of them is an answer: no place is likely enough to be
    /// shown beside them.
    pub(super) fn is_exact(&self) -> bool {
        use LookUp::{Dependencies, Difference, Implementers, Overrides, Tests};
        matches!(
            self.asks(),
            Some(Dependencies | Difference | Implementers | Overrides | Tests)
        )
    }

    /// Returns the files of the definitions, in their order.
    pub(super) fn files(&self) -> Vec<FileId> {
        self.definitions.iter().map(|id| id.file).collect()
    }
}

/// Returns the definitions outside tests of the files that the query names.
fn definitions_of_files(files: &Files, resolution: &Resolution) -> Vec<DefId> {
    let named = resolution
        .files
        .iter()
        .filter(|evidence| matches!(evidence.from, EvidenceSource::Path | EvidenceSource::Module));
    let all = named.flat_map(|evidence| files.definitions_of(evidence.file));
    let tested = all.filter(|id| files.role_of(*id) != Role::Test);
    tested.take(MAX_PARTS).collect()
}

/// Returns the definitions that a question compares, in the order in which it names them, each type without its
/// constructors; none if it names only one.
fn compared(
    files: &Files,
    resolution: &Resolution,
    query: &str,
    mut definitions: Vec<DefId>,
) -> Vec<DefId> {
    let all = definitions.clone();
    definitions.retain(|id| {
        let parent = files.parent(*id);
        !parent.is_some_and(|parent| all.contains(&parent))
    });
    definitions.sort_by_cached_key(|id| {
        let symbols = resolution.symbols.iter();
        let names = symbols.filter(|symbol| symbol.definitions.contains(id));
        // A name may begin with another one: `SessionHandle` with `Session`.
        let places = names.filter_map(|symbol| {
            let at = query.find(symbol.name.as_str())?;
            Some((at, Reverse(symbol.name.len())))
        });
        places.min().unwrap_or((usize::MAX, Reverse(0)))
    });
    definitions.truncate(MAX_COMPARED);
    match definitions.len() {
        0 | 1 => Vec::new(),
        _ => definitions,
    }
}

/// Whether a definition is a function of a type.
fn is_method(files: &Files, id: DefId) -> bool {
    let definition = files.definition(id);
    let is_in_class = || {
        let outer = files.parent(id);
        outer.is_some_and(|class| files.definition(class).kind.is_class())
    };
    definition.kind.is_function() && (definition.modifiers.is_out_of_line || is_in_class())
}

/// Returns the definitions, each followed by its members if it is a type.
fn parts(snapshot: &Snapshot, definitions: &[DefId]) -> Vec<DefId> {
    let files = &snapshot.files;
    let mut parts: Vec<DefId> = Vec::new();
    for id in definitions.iter().take(MAX_PARTS) {
        parts.push(*id);
        if files.definition(*id).kind.is_class() {
            parts.extend(members(snapshot, *id).take(MAX_PARTS));
        }
    }
    let mut seen = HashSet::default();
    parts.retain(|id| seen.insert(*id));
    parts.truncate(MAX_PARTS);
    parts
}

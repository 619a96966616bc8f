//! Finds the definitions that the query names, and says what names or uses them.

use foldhash::HashMap;
use foveate_index::{Confidence, DefId, FileId};
use foveate_model::Lines;

use super::links::callers::{self, Verb};
use super::plan::Plan;
use crate::rank::PlaceId;
use crate::resolve::{EvidenceSource, Resolution};

/// The reason of a definition that the query names.
const NAMED: &str = "named by the query";

/// Maximum definitions of a name that a question looks up for all of them to be meant.
const MAX_MEANINGS: usize = 5;

/// What the names of a query are for, which decides how surely they must be named.
#[derive(Clone, Copy, Debug)]
pub(super) enum Purpose {
    /// To find code to change: a name of several definitions says little about each, even if they are overloads, or a
    /// type and its constructors. Their uses and members would take the place of more likely code.
    Change,
    /// To answer a question about code.
    Question,
    /// To look up what has the name: all of a few definitions are meant.
    LookUp,
}

/// The definitions that the query names.
pub(super) struct NamedDefinitions {
    /// The strength of the strongest evidence for each.
    strengths: HashMap<DefId, f32>,
    /// Those named most strongly first.
    order: Vec<DefId>,
}

impl NamedDefinitions {
    /// Returns the definitions that the query names with at least the strength `min`.
    pub(super) fn new(resolution: &Resolution, min: f32, purpose: Purpose) -> Self {
        let mut strengths: HashMap<DefId, f32> = HashMap::default();
        for evidence in &resolution.definitions {
            let strength = strengths.entry(evidence.definition).or_default();
            *strength = strength.max(match purpose {
                Purpose::Change => evidence.strength,
                Purpose::LookUp if evidence.meanings <= MAX_MEANINGS => evidence.mention,
                Purpose::Question | Purpose::LookUp => evidence.certainty(),
            });
        }
        strengths.retain(|_, strength| *strength >= min);
        let mut order: Vec<(DefId, f32)> = strengths.iter().map(|(id, s)| (*id, *s)).collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Self {
            strengths,
            order: order.into_iter().map(|(id, _)| id).collect(),
        }
    }

    /// Iterates over the definitions, those named most strongly first.
    pub(super) fn ids(&self) -> impl Iterator<Item = DefId> {
        self.order.iter().copied()
    }

    pub(super) fn contains(&self, id: DefId) -> bool {
        self.strengths.contains_key(&id)
    }

    /// Returns how strongly a definition is named, 0 to 1; 0 if it is not.
    pub(super) fn strength(&self, id: DefId) -> f32 {
        self.strengths.get(&id).copied().unwrap_or(0.0)
    }
}

impl Plan<'_> {
    /// Returns the definition that the query names and that these lines use, and how, if the intent asks for callers.
    pub(super) fn named_use_in(&self, file: FileId, lines: Lines) -> Option<(DefId, Verb)> {
        if self.profile.callers < self.config.min_main_share {
            return None;
        }
        let files = &self.snapshot.files;
        self.named.ids().find_map(|id| {
            if id.file == file && lines.overlap(files.definition(id).lines) > 0 {
                return None;
            }
            let sites = self.snapshot.graph.uses_of(id).iter();
            let sites = sites.filter(|site| {
                let is_sure = site.confidence != Confidence::NameOnly;
                is_sure && site.file == file && lines.contains(site.line)
            });
            // A call is more telling than another use.
            let verb = sites.map(|site| callers::verb(files, id, site)).min()?;
            Some((id, verb))
        })
    }

    /// Returns why a place is shown: whether the query names it, and its rank.
    pub(super) fn reason_of(&self, place: PlaceId, is_named: bool) -> String {
        let rank = self.ranked.places.iter().position(|p| p.id == place);
        let named = match place {
            PlaceId::Definition(id) if is_named => Some(self.source_of_name(id)),
            _ => is_named.then_some(NAMED),
        };
        match (named, rank) {
            (Some(named), None) => named.to_owned(),
            (Some(named), Some(rank)) => format!("{named}, rank {}", rank + 1),
            (None, Some(rank)) => format!("rank {}", rank + 1),
            (None, None) => "one of the best functions".to_owned(),
        }
    }

    /// Returns what names a definition: the query, the caller's focus, or else only the change in it.
    pub(super) fn source_of_name(&self, id: DefId) -> &'static str {
        let evidence = self.resolution.definitions.iter();
        let mut sources = evidence.filter(|e| e.definition == id).map(|e| e.from);
        let first = sources.next();
        match first.filter(|first| sources.all(|other| other == *first)) {
            Some(EvidenceSource::Change) => "has changes",
            Some(EvidenceSource::Focus) => "focus",
            _ => NAMED,
        }
    }
}

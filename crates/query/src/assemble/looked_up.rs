//! Finds the definitions that a short question looks up by their exact name. The question is then about them and their
//! uses alone: code that is merely near would take the budget of the uses, and the reader's time.

use foveate_index::{Confidence, DefId, Snapshot};

use super::config::AssembleConfig;
use super::named::NamedDefinitions;
use super::plan::Plan;
use crate::rank::RankedPlace;
use crate::resolve::{EvidenceSource, Resolution};

/// The definitions that a short question looks up.
#[derive(Debug, Default)]
pub(super) struct LookedUp {
    /// None if the question does not look up a name, or if its name is not found.
    definitions: Vec<DefId>,
    /// Whether they have so many uses that each gets one line.
    has_many_uses: bool,
}

impl LookedUp {
    pub(super) fn new(
        snapshot: &Snapshot,
        resolution: &Resolution,
        named: &NamedDefinitions,
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
        let definitions: Vec<DefId> = named.ids().filter(is_written).collect();
        let uses = definitions
            .iter()
            .flat_map(|id| snapshot.graph.uses_of(*id));
        let sure = uses.filter(|site| site.confidence != Confidence::NameOnly);
        let has_many_uses = sure.count() > config.links.max_callers_per_seed;
        Self {
            definitions,
            has_many_uses,
        }
    }

    /// Whether the question looks up a name that was found.
    pub(super) fn is_found(&self) -> bool {
        !self.definitions.is_empty()
    }
}

impl Plan<'_> {
    /// Whether a place is only near the definition that a short question looks up: it neither holds the definition, nor is
    /// it a part of it, nor does it use it where the question asks for a few uses.
    pub(super) fn is_beside_looked_up(&self, place: &RankedPlace) -> bool {
        let LookedUp {
            definitions,
            has_many_uses,
        } = &self.looked_up;
        if definitions.is_empty() || place.probability >= self.config.min_beside_named {
            return false;
        }
        let files = &self.snapshot.files;
        let file = place.id.file(files);
        let overlaps =
            |id: &DefId| id.file == file && place.lines.overlap(files.definition(*id).lines) > 0;
        let uses = || !has_many_uses && self.named_use_in(file, place.lines).is_some();
        !definitions.iter().any(overlaps) && !uses()
    }

    /// Returns how many lines are shown before and after a use.
    pub(super) fn lines_around_use(&self) -> u32 {
        match self.looked_up.is_found() && self.looked_up.has_many_uses {
            true => 0,
            false => self.profile.caller_context,
        }
    }
}

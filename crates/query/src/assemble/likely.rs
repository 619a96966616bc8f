//! What is likely enough to be shown at the breadth that was asked for.

use foveate_index::FileId;
use foveate_model::Role;

use super::plan::Plan;
use crate::rank::{PlaceId, RankedPlace};

impl Plan<'_> {
    /// Whether a place is likely enough for its body of so many tokens to be shown: a long one must be
    /// likelier than a short one.
    pub(super) fn is_likely(&self, place: &RankedPlace, tokens: usize) -> bool {
        let file = place.id.file(&self.snapshot.files);
        let probability = place.probability;
        let best = self.ranked.places.first().map_or(0.0, |p| p.probability);
        let length = tokens as f32 / self.config.usual_tokens;
        let least = self.limits.min_probability * length.powf(self.limits.value_exponent);
        probability >= least
            && probability >= self.limits.min_relative * best
            && self.of_file(file) >= self.limits.min_file_probability
            && self.best_of(file) >= self.limits.min_probability * self.limits.file_factor
            && !(matches!(place.id, PlaceId::Stretch(_)) && self.is_unasked(file))
    }

    /// Whether tests and callers of what the query names are wanted although it may not be what has to be
    /// changed.
    pub(super) fn asks_about_named(&self) -> bool {
        let least = self.config.main_share;
        self.limits.min_seed_probability == 0.0
            || self.profile.callers >= least
            || self.profile.tests >= least
    }

    /// Whether stretches of a file are shown only where the query asks for such files.
    fn is_unasked(&self, file: FileId) -> bool {
        let is_test = self.snapshot.files.file(file).role == Role::Test;
        (is_test && self.profile.tests < self.config.main_share) || self.is_held_back(file)
    }

    /// The probability of the best place of a file.
    fn best_of(&self, file: FileId) -> f32 {
        self.best_of_files.get(&file).copied().unwrap_or(0.0)
    }

    pub(super) fn of_file(&self, file: FileId) -> f32 {
        self.of_files.get(&file).copied().unwrap_or(0.0)
    }

    /// Whether a file is shown only where the query asks for it, it is likely or nothing else was found:
    /// prose, data, and what was copied or written by a program.
    pub(super) fn is_held_back(&self, file: FileId) -> bool {
        let held_back = match self.snapshot.files.file(file).role {
            Role::Documentation => !self.ranked.asks_documentation,
            Role::Generated | Role::Data => true,
            Role::Source | Role::Test | Role::Configuration => false,
        };
        let is_named = || self.candidates.files.iter().any(|named| named.file == file);
        held_back && self.of_file(file) < self.config.likely_file && !is_named()
    }
}

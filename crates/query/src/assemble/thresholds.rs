//! Decides which places are likely enough to be shown at the requested breadth.

use foveate_index::{DefId, FileId};
use foveate_model::Role;

use super::config::Limits;
use super::plan::Plan;
use crate::rank::{PlaceId, RankedPlace};

impl Plan<'_> {
    /// Returns the maximum tokens that are worth showing of a place, by its probability `p`: `usual_tokens *
    /// (p / min_probability)^(1 / value_exponent)`. None are if it or its file is too unlikely. A long body must be
    /// likelier than a short one.
    pub(super) fn worth_tokens(&self, place: &RankedPlace) -> usize {
        let file = place.id.file(&self.snapshot.files);
        let probability = place.probability;
        let best = self.ranked.places.first().map_or(0.0, |p| p.probability);
        let is_likely = probability >= self.limits.min_relative * best
            && self.file_probabilities.of(file) >= self.limits.min_file_probability
            && self.file_probabilities.of_best_place(file)
                >= self.limits.min_probability * self.limits.file_factor
            && !self.holds_back(place);
        let Limits {
            min_probability,
            value_exponent,
            ..
        } = self.limits;
        match is_likely {
            false => 0,
            // Then no length is too much.
            true if min_probability == 0.0 || value_exponent == 0.0 => {
                match probability >= min_probability {
                    true => usize::MAX,
                    false => 0,
                }
            }
            true => {
                let length = (probability / min_probability).powf(1.0 / value_exponent);
                (length * self.config.usual_tokens) as usize
            }
        }
    }

    /// Whether a place is a stretch that must not be shown: its file is held back, or it is test code and the intent
    /// does not ask for tests.
    pub(super) fn holds_back(&self, place: &RankedPlace) -> bool {
        let files = &self.snapshot.files;
        let is_stretch = matches!(place.id, PlaceId::Stretch(_));
        let is_test = || place.id.role(files) == Role::Test;
        let is_unwanted_test = || self.profile.tests < self.config.min_main_share && is_test();
        is_stretch && (is_unwanted_test() || self.is_held_back(place.id.file(files)))
    }

    /// Whether tests and callers of the definitions that the query names are wanted, even though those
    /// definitions may not be the code to change.
    pub(super) fn asks_about_named(&self) -> bool {
        let main_share = self.config.min_main_share;
        self.limits.min_seed_probability == 0.0
            || self.profile.callers >= main_share
            || self.profile.tests >= main_share
    }

    /// Whether the query names a type as the owner of a member that it inherits: `Cart` of `Cart.add`, which is a method of
    /// its base. Such a query is about the member.
    pub(super) fn is_named_as_owner(&self, id: DefId) -> bool {
        let files = &self.snapshot.files;
        let definition = files.definition(id);
        let name = Some(&*definition.name);
        let is_member = |id: &DefId| owner(&files.definition(*id).qualified_name) == name;
        let mut symbols = self.resolution.symbols.iter();
        definition.kind.is_container()
            && symbols.any(|symbol| {
                symbol.is_identifier()
                    && owner(&symbol.name) == name
                    && !symbol.definitions.iter().any(is_member)
            })
    }

    /// Whether a file of prose, data, or copied or generated code is held back: it is shown only where the
    /// query names it or asks for documentation, the file is likely, or nothing else was found.
    pub(super) fn is_held_back(&self, file: FileId) -> bool {
        let held_back = match self.snapshot.files.file(file).role {
            Role::Documentation => !self.ranked.asks_documentation,
            Role::Generated | Role::Data => true,
            Role::Source | Role::Test | Role::Configuration => false,
        };
        let is_named = || self.resolution.files.iter().any(|named| named.file == file);
        held_back
            && self.file_probabilities.of(file) < self.config.min_unasked_probability
            && !is_named()
    }

    /// Whether a place is only near the definition that a short question looks up: it neither holds the definition, nor is
    /// it a part of it that the question asks for, nor does it use it where the question asks for a few uses.
    pub(super) fn is_beside_looked_up(&self, place: &RankedPlace) -> bool {
        let looked_up = &self.looked_up;
        let is_exact = looked_up.is_exact();
        if !looked_up.is_found() || !is_exact && place.probability >= self.config.min_beside_named {
            return false;
        }
        let files = &self.snapshot.files;
        let file = place.id.file(files);
        let holds = |id: &DefId| match looked_up.is_shown_alone(files, *id) {
            true => place.id == PlaceId::Definition(*id) && !looked_up.has_signatures_alone,
            false => id.file == file && place.lines.overlap(files.definition(*id).lines) > 0,
        };
        let uses = || {
            // What the query names besides a module is not looked up.
            looked_up.asks_for_uses()
                && !looked_up.definitions.is_empty()
                && !looked_up.has_many_uses
                && self.named_use_in(file, place.lines).is_some()
        };
        !looked_up.definitions.iter().any(holds) && !uses()
    }

    /// Returns how many lines are shown before and after a use.
    pub(super) fn lines_around_use(&self) -> u32 {
        match self.looked_up.is_found() && self.looked_up.has_many_uses {
            true => 0,
            false => self.profile.caller_context,
        }
    }
}

/// Returns the last name but one of a dotted name.
fn owner(name: &str) -> Option<&str> {
    let (path, _) = name.rsplit_once('.')?;
    path.rsplit('.').next()
}

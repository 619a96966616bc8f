//! Cards: what is shown of a thing that is not shown whole. The best place, the caller's change and focus,
//! what the query names, and what there is room for at the end.

use foldhash::HashSet;
use foveate_index::{DefId, FileId};
use foveate_model::Role;

use super::entry::{Entry, SectionKind};
use super::packed::{COMPACT, OUTLINE, STANDARD, Shows};
use super::plan::{Pass, Plan};
use super::{card, changed};
use crate::deadline::Stage;
use crate::rank::{PlaceId, RankedPlace};

impl Plan<'_> {
    /// The signatures of the best place and of the caller's change: whatever else there is no room for,
    /// they are there.
    pub(super) fn first_cards(&mut self) {
        let files = &self.snapshot.files;
        let is_new =
            |place: &&RankedPlace| !self.packed.shows_all(place.id.file(files), place.lines);
        let first = self.ranked.places.iter().find(is_new).cloned();
        let changed =
            changed::places(files, &self.candidates.changed, &self.ranked.places).into_iter();
        let changed: Vec<RankedPlace> = changed.filter(|place| is_new(&place)).collect();
        let reasons = changed.into_iter().map(|place| (place, "changed"));
        let all = reasons.chain(first.map(|place| (place, "rank 1")));
        for (position, (place, reason)) in all.enumerate() {
            let file = place.id.file(files);
            let section = match files.file(file).role {
                Role::Test if reason != "changed" => SectionKind::Tests,
                _ => SectionKind::Definitions,
            };
            let entry = Entry {
                reason: reason.to_owned(),
                ..card::signature_of(self.snapshot, &place, section)
            };
            let shows = Shows {
                file,
                place: Some(place.id),
                lines: Vec::new(),
            };
            if self.packed.has(place.id) || self.packed.left() * 2 < self.budget {
                break;
            }
            // Where not even this fits, the answer says that the budget is too small.
            let _ = self.try_add(entry, shows, (COMPACT, position), Pass::Rest);
        }
    }

    /// What the caller says matters: a card each, in half of what is left.
    pub(super) fn focus_cards(&mut self) {
        let least = self.packed.left() / 2;
        let symbols = self.candidates.definitions.iter();
        let symbols = symbols.filter(|evidence| evidence.from == "focus");
        let symbols: Vec<DefId> = symbols.map(|evidence| evidence.definition).collect();
        let paths = self.candidates.files.iter();
        let paths = paths.filter(|evidence| evidence.from == "focus");
        let paths: Vec<FileId> = paths.map(|evidence| evidence.file).collect();
        for (position, id) in symbols.into_iter().enumerate() {
            let entry = Entry {
                reason: "focus".to_owned(),
                ..card::compact(self.snapshot, id, SectionKind::Definitions)
            };
            let is_in = self.packed.has(PlaceId::Definition(id));
            if !is_in && self.packed.left() > least {
                let _ = self.try_add(entry, self.card_shows(id), (COMPACT, position), Pass::Rest);
            }
        }
        for (position, file) in paths.into_iter().enumerate() {
            if self.packed.has_file(file) || self.packed.left() <= least {
                continue;
            }
            self.outline(file, "focus", position);
        }
    }

    /// Adds a file by the names in it, if there is room.
    fn outline(&mut self, file: FileId, reason: &str, position: usize) {
        let section = SectionKind::Definitions;
        let entry = card::outline(self.snapshot, file, section, self.config.cards.members);
        if let Some(entry) = entry {
            let shows = Shows {
                file,
                place: None,
                lines: Vec::new(),
            };
            let entry = Entry {
                reason: reason.to_owned(),
                ..entry
            };
            // What does not fit is in the ranking of files all the same.
            let _ = self.try_add(entry, shows, (OUTLINE, position), Pass::Rest);
        }
    }

    /// Definitions that the query names: classes with what they have, others by their signature. Those
    /// in files of which nothing is shown are few, unless nothing has to be changed; what is shown whole
    /// later loses its card.
    pub(super) fn named_cards(&mut self) {
        let most = self.config.breadth.wide.named_cards;
        let mut left = self.budget * self.config.cards.named_share / 100;
        // Where nothing has to be changed, names are what is asked about.
        let is_asked = !self.intent.is_change() || self.limits.named_cards == most;
        let mut unlikely = if is_asked {
            most
        } else {
            self.limits.named_cards
        };
        for (position, id) in self.named_order.clone().into_iter().take(most).enumerate() {
            if position > 0 && !self.deadline.allows(Stage::Cards) {
                break;
            }
            let file = self.snapshot.files.file_of(id);
            let is_shown = self.packed.has_file(file);
            let lines = self.snapshot.files.definition(id).lines;
            let strength = self.named.get(&id).copied().unwrap_or(0.0);
            let is_wanted = is_shown
                || unlikely > 0 && (is_asked || strength >= self.config.cards.sure_strength);
            if self.packed.shows_all(file, lines) || !is_wanted {
                continue;
            }
            let place = PlaceId::Definition(id);
            let is_class = self.snapshot.files.definition(id).kind.is_container();
            if self.packed.has(place) && !is_class {
                continue;
            }
            let (entry, order) = if is_class {
                let members = self.scaled_count(self.config.cards.members);
                let section = SectionKind::Definitions;
                let entry = card::standard(self.snapshot, id, section, members);
                (entry, (STANDARD, position))
            } else {
                let entry = card::compact(self.snapshot, id, SectionKind::Definitions);
                (entry, (COMPACT, position))
            };
            let entry = Entry {
                reason: "named by the query".to_owned(),
                ..entry
            };
            let measured = self.packed.measure(entry);
            let tokens = measured.tokens;
            let fits = self.packed.fits(&measured, file, 0);
            if tokens <= left && fits {
                left -= tokens;
                unlikely -= usize::from(!is_shown);
                let shows = self.card_shows(id);
                self.packed.add(measured, shows, order);
            }
        }
    }

    /// Signatures of the ranked functions and named definitions whose bodies did not fit.
    pub(super) fn compact_cards(&mut self) {
        let least = self.limits.min_card_probability;
        let likely = self.ranked.functions.iter();
        let ranked = likely.take_while(|f| f.probability >= least).map(|f| f.id);
        let most = self.config.cards.compact;
        let ids: Vec<DefId> = ranked
            .take(most * 2)
            .chain(self.named_order.iter().copied().take(most))
            .filter(|id| least == 0.0 || self.packed.has_file(self.snapshot.files.file_of(*id)))
            .collect();
        let mut left = most;
        let mut seen = HashSet::default();
        for (position, id) in ids.into_iter().enumerate() {
            let files = &self.snapshot.files;
            let lines = files.definition(id).lines;
            let file = files.file_of(id);
            if left == 0 || !self.has_room_for_card() {
                break;
            }
            if !seen.insert(id) {
                continue;
            }
            if self.packed.has(PlaceId::Definition(id)) || self.packed.shows_all(file, lines) {
                continue;
            }
            let entry = card::compact(self.snapshot, id, SectionKind::Definitions);
            let shows = self.card_shows(id);
            if self
                .try_add(entry, shows, (COMPACT, position), Pass::Rest)
                .is_ok()
            {
                left -= 1;
            }
        }
    }

    /// The best files of which nothing is shown.
    pub(super) fn outlines(&mut self) {
        let best = self.ranked.files.iter().take(self.limits.outline_files);
        let files: Vec<FileId> = best
            .map(|file| file.id)
            .filter(|file| self.packed.is_empty() || !self.is_held_back(*file))
            .collect();
        for (position, file) in files.into_iter().enumerate() {
            if !self.has_room_for_card() {
                break;
            }
            if self.packed.has_file(file) {
                continue;
            }
            self.outline(file, "one of the best files", position);
        }
    }
}

//! Adds cards for code that is not shown whole: the best place, the caller's change and focus, what the
//! query names, and at the end whatever there is room for.

use foldhash::HashSet;
use foveate_index::{DefId, FileId};
use foveate_model::{Lines, Role};

use super::cut::Relevance;
use super::entry::{Entry, SectionKind};
use super::packed::{EntryKind, ShownPart};
use super::plan::{BudgetScope, Plan};
use super::{card, changed};
use crate::deadline::Stage;
use crate::rank::{PlaceId, RankedPlace};
use crate::request::Hunk;
use crate::resolve::EvidenceSource;

impl Plan<'_> {
    /// Adds the signatures of the caller's change and of the best place, before anything else can use the
    /// budget.
    pub(super) fn first_cards(&mut self) {
        let files = &self.snapshot.files;
        // Where a question asks for certain code alone, not even the best place stands beside it.
        let is_beside =
            |place: &RankedPlace| self.looked_up.is_exact() && self.is_beside_looked_up(place);
        let is_new = |place: &&RankedPlace| {
            !self.packed.shows_all(place.id.file(files), place.lines) && !is_beside(place)
        };
        let mut numbered = (1..).zip(&self.ranked.places);
        let first = numbered.find(|(_, place)| is_new(place));
        let first = first.map(|(rank, place)| (place.clone(), format!("rank {rank}")));
        let changed = self.changed.places.iter().filter(is_new).cloned();
        // Of each changed file something is shown before more of others.
        let mut of_files = HashSet::default();
        let (first_of_file, others): (Vec<RankedPlace>, Vec<RankedPlace>) =
            changed.partition(|place| of_files.insert(place.id.file(files)));
        let reasons = first_of_file
            .into_iter()
            .chain(others)
            .map(|place| (place, "changed".to_owned()));
        let all = reasons.chain(first);
        for (position, (place, reason)) in all.enumerate() {
            if self.packed.left() * 2 < self.budget() {
                break;
            }
            if self.packed.has(place.id) {
                continue;
            }
            let file = place.id.file(files);
            let section = match place.id.role(files) {
                Role::Test if reason != "changed" => SectionKind::Tests,
                _ => SectionKind::Definitions,
            };
            let changed = &self.resolution.changed;
            let hunks = changed::hunks_of(files, changed, &place);
            let lines: Vec<Lines> = hunks.into_iter().map(Hunk::lines).collect();
            let relevance = Relevance {
                terms: &self.terms,
                changed: &lines,
            };
            let mut entry = Entry {
                reason,
                ..card::signature_of(self.snapshot, &place, section, relevance)
            };
            let ranges = changed::line_ranges(files, changed, &place);
            entry.facts.extend(ranges.map(|ranges| ("changed", ranges)));
            let shows = ShownPart::card(file, Some(place.id));
            // If not even this fits, the answer says that the budget is too small.
            self.add_signature(entry, shows, (EntryKind::Compact, position));
        }
    }

    /// Adds a card for each symbol and file of the caller's focus, in half of the tokens left.
    pub(super) fn focus_cards(&mut self) {
        let reserved = self.packed.left() / 2;
        let symbols = self.resolution.definitions.iter();
        let symbols = symbols.filter(|evidence| evidence.from == EvidenceSource::Focus);
        let symbols: Vec<DefId> = symbols.map(|evidence| evidence.definition).collect();
        let paths = self.resolution.files.iter();
        let paths = paths.filter(|evidence| evidence.from == EvidenceSource::Focus);
        let paths: Vec<FileId> = paths.map(|evidence| evidence.file).collect();
        for (position, id) in symbols.into_iter().enumerate() {
            let entry = Entry {
                reason: "focus".to_owned(),
                ..card::compact(self.snapshot, id, SectionKind::Definitions)
            };
            if !self.shows_signature(id) && self.packed.left() > reserved {
                self.add_card(id, entry, (EntryKind::Compact, position));
            }
        }
        for (position, file) in paths.into_iter().enumerate() {
            if self.packed.has_file(file) || self.packed.left() <= reserved {
                continue;
            }
            self.outline(file, "focus", position);
        }
    }

    /// Adds the outline of a file, if there is room.
    fn outline(&mut self, file: FileId, reason: &str, position: usize) {
        let section = SectionKind::Definitions;
        let entry = card::outline(self.snapshot, file, section, self.config.cards.max_members);
        if let Some(entry) = entry {
            let shows = ShownPart::card(file, None);
            let entry = Entry {
                reason: reason.to_owned(),
                ..entry
            };
            // A file whose outline does not fit is still in the ranking of files.
            let _ = self.try_add(
                entry,
                shows,
                (EntryKind::Outline, position),
                BudgetScope::Rest,
            );
        }
    }

    /// Adds cards for definitions that the query names: classes with their members, others by their
    /// signature. If the intent is a change, only a few of them are from files of which nothing is shown. A
    /// body that is added later replaces the card.
    pub(super) fn named_cards(&mut self) {
        let max_cards = self.config.breadth.wide.max_named_cards;
        let mut left = self.budget() * self.config.cards.named_share / 100;
        let mut is_first = true;
        // If the intent is not a change, the query asks about the names.
        let is_asked = !self.intent.is_change() || self.limits.max_named_cards == max_cards;
        let mut unlikely = if is_asked {
            max_cards
        } else {
            self.limits.max_named_cards
        };
        // Other words of a question may name definitions that it does not ask for.
        let is_asked_for =
            |id: &DefId| !self.looked_up.is_exact() || self.looked_up.definitions.contains(id);
        let ids = self.named.ids().filter(is_asked_for).take(max_cards);
        let overloads: HashSet<DefId> = self.named.overloads().filter(is_asked_for).collect();
        let ids: Vec<DefId> = ids
            .chain(self.named.overloads().filter(is_asked_for))
            .collect();
        for (position, id) in ids.into_iter().enumerate() {
            if position > 0 && !self.deadline.allows(Stage::Cards) {
                break;
            }
            let file = id.file;
            let is_shown = self.packed.has_file(file);
            let lines = self.snapshot.files.definition(id).lines;
            let is_sure = self.named.strength(id) >= self.config.cards.min_sure_strength
                || overloads.contains(&id);
            let is_wanted = is_shown || unlikely > 0 && (is_asked || is_sure);
            if self.packed.shows_all(file, lines) || !is_wanted {
                continue;
            }
            let place = PlaceId::Definition(id);
            let is_class = self.snapshot.files.definition(id).kind.is_container();
            let max_percent = self.config.cards.max_shown_percent;
            let is_useful = match is_class {
                true => !self.packed.shows_percent(file, lines, max_percent),
                false => !self.packed.has(place),
            };
            if !is_useful {
                continue;
            }
            let Some(tokens) = self.named_card(id, position, left, is_first) else {
                continue;
            };
            is_first = false;
            left = left.saturating_sub(tokens);
            unlikely -= usize::from(!is_shown);
        }
    }

    /// Adds the card of a definition that the query names, in `limit` tokens: of a class with its members, or
    /// else by its signature or the start of it. The signature of the first one may cost more. Returns its tokens.
    fn named_card(
        &mut self,
        id: DefId,
        position: usize,
        limit: usize,
        is_first: bool,
    ) -> Option<usize> {
        let file = id.file;
        let section = SectionKind::Definitions;
        let is_class = self.snapshot.files.definition(id).kind.is_container();
        let with_members = is_class.then(|| {
            let members = self.scaled_count(self.config.cards.max_members);
            let entry = card::standard(self.snapshot, id, section, members, &self.words);
            (entry, (EntryKind::Standard, position), limit)
        });
        let limit = if is_first { usize::MAX } else { limit };
        let has_card = self.packed.has(PlaceId::Definition(id));
        let by_signature = (!has_card).then(|| {
            let entry = card::compact(self.snapshot, id, section);
            (entry, (EntryKind::Compact, position), limit)
        });
        let brief = by_signature.as_ref();
        let brief = brief.map(|(entry, order, limit)| (card::brief(entry), *order, *limit));
        let cards = with_members.into_iter().chain(by_signature).chain(brief);
        for (entry, order, limit) in cards {
            let entry = Entry {
                reason: self.source_of_name(id).to_owned(),
                ..entry
            };
            let measured = self.packed.measure(entry);
            let tokens = measured.tokens;
            if tokens <= limit && self.packed.fits(&measured, file, 0) {
                let shows = ShownPart::card_of(id);
                self.packed.add(measured, shows, order);
                return Some(tokens);
            }
        }
        None
    }

    /// Adds signatures of ranked functions and named definitions whose bodies did not fit.
    pub(super) fn compact_cards(&mut self) {
        let min_probability = self.limits.min_card_probability;
        let likely = self.ranked.functions.iter();
        let ranked = likely
            .take_while(|f| f.probability >= min_probability)
            .filter_map(|f| f.id.definition());
        let max_cards = self.config.cards.max_compact;
        let ids: Vec<DefId> = ranked
            .take(max_cards * 2)
            .chain(self.named.ids().take(max_cards))
            .filter(|id| min_probability == 0.0 || self.packed.has_file(id.file))
            .collect();
        let mut left = max_cards;
        let mut seen = HashSet::default();
        for (position, id) in ids.into_iter().enumerate() {
            if left == 0 || !self.has_room_for_card() {
                break;
            }
            if !seen.insert(id) || self.shows_signature(id) {
                continue;
            }
            let entry = Entry {
                reason: self.reason_of(PlaceId::Definition(id), self.named.contains(id)),
                ..card::compact(self.snapshot, id, SectionKind::Definitions)
            };
            let is_added = self.add_card(id, entry, (EntryKind::Compact, position));
            left -= usize::from(is_added);
        }
    }

    /// Adds outlines of the best files of which nothing is shown.
    pub(super) fn outlines(&mut self) {
        let best = self.ranked.files.iter().take(self.limits.max_outline_files);
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

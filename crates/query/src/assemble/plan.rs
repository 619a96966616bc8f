//! The order of steps: what is worth most goes in first, within the shares of the intent's profile;
//! then unused shares flow to where the next best thing is.

use foldhash::{HashMap, HashSet};
use foveate_index::{DefId, FileId, Snapshot};
use foveate_model::Role;

use super::bodies::Bodies;
use super::card;
use super::config::{AssembleConfig, Profile};
use super::links::Links;
use super::needs;
use super::packed::{Order, Packed, Shows};
use super::render::{Entry, SectionKind};
use super::twins::{Alike, Stretch, Twin, Twins};
use super::{Dropped, Pack, unindexed};
use crate::intent::Intent;
use crate::issue::Issue;
use crate::rank::Ranked;
use crate::request::Request;
use crate::resolve::{Candidates, is_stop_word};

/// Kinds of entries within a section, best first.
pub(super) const BODY: u8 = 0;
pub(super) const STANDARD: u8 = 1;
pub(super) const LINK: u8 = 2;
pub(super) const COMPACT: u8 = 3;
pub(super) const OUTLINE: u8 = 4;

/// Words of a query that asks for documentation.
const ABOUT_DOCUMENTATION: &[&str] = &[
    "changelog",
    "doc",
    "docs",
    "documentation",
    "documented",
    "documenting",
    "guide",
    "readme",
    "tutorial",
];

/// Tokens under which no card is tried.
const SMALLEST_CARD: usize = 24;

/// Whether only the section's own share may be used, or all that is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    Share,
    Rest,
}

/// Everything that the steps look at, and the context that they fill.
pub(super) struct Plan<'a> {
    pub snapshot: &'a Snapshot,
    pub config: &'a AssembleConfig,
    pub profile: &'a Profile,
    pub ranked: &'a Ranked,
    pub candidates: &'a Candidates,
    pub budget: usize,
    pub packed: Packed<'a>,
    /// The bodies of `packed`, so that none of them comes twice.
    pub twins: Twins,
    /// How strongly the query names a definition: the strongest evidence.
    pub named: HashMap<DefId, f32>,
    /// The same definitions, the strongest first.
    pub named_order: Vec<DefId>,
    /// Words of the query, in lower case, that tell which part of a long function matters.
    pub words: HashSet<String>,
    pub dropped: Vec<Dropped>,
    pub notes: Vec<Issue>,
}

impl<'a> Plan<'a> {
    pub(super) fn new(
        snapshot: &'a Snapshot,
        request: &Request,
        intent: &'a Intent,
        candidates: &'a Candidates,
        ranked: &'a Ranked,
        config: &'a AssembleConfig,
    ) -> Self {
        let mut named: HashMap<DefId, f32> = HashMap::default();
        for evidence in &candidates.definitions {
            let strength = named.entry(evidence.definition).or_default();
            *strength = strength.max(evidence.strength);
        }
        named.retain(|_, strength| *strength >= config.named_strength);
        let mut order: Vec<(DefId, f32)> = named.iter().map(|(id, s)| (*id, *s)).collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Self {
            snapshot,
            config,
            profile: config.profile(intent.kind),
            ranked,
            candidates,
            budget: request.budget_tokens,
            packed: Packed::new(request.format, intent, request.budget_tokens),
            twins: Twins::default(),
            named_order: order.into_iter().map(|(id, _)| id).collect(),
            named,
            words: words(&request.query),
            dropped: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Runs the steps.
    pub(super) fn pack(mut self) -> Pack {
        self.named_cards();
        let mut bodies = Bodies::new(&self);
        bodies.fill(&mut self, Pass::Share);
        let mut links = Links::new(&self, &bodies.seeds(&self));
        links.fill(&mut self, Pass::Share);
        bodies.fill(&mut self, Pass::Rest);
        bodies.twin_cards(&mut self);
        bodies.cut_best(&mut self);
        let shown = bodies.shown(self.config.seeds);
        needs::add_cards(&mut self, &shown);
        self.compact_cards();
        self.outlines();
        links.fill(&mut self, Pass::Rest);
        bodies.report(&mut self);
        links.report(&mut self);
        unindexed::report(&mut self);
        self.finish()
    }

    fn finish(mut self) -> Pack {
        let budgets = SectionKind::ALL.map(|kind| self.share(kind));
        let mut pack = self.packed.finish(budgets, &self.snapshot.files);
        let nothing = pack.sections.is_empty();
        if nothing && !(self.ranked.functions.is_empty() && self.ranked.files.is_empty()) {
            self.notes.push(Issue {
                code: "budget_too_small",
                detail: format!(
                    "nothing that was found fits into {} tokens; ask with a larger budget_tokens",
                    self.budget
                ),
            });
        }
        pack.dropped = self.dropped;
        pack.notes.append(&mut self.notes);
        pack
    }

    /// Tokens of a section's share. Side dishes shrink with a small budget: there the body of the
    /// right function is worth more than the names of its tests.
    pub(super) fn share(&self, section: SectionKind) -> usize {
        let percent = match section {
            SectionKind::Definitions => self.profile.definitions,
            SectionKind::Snippets => self.profile.snippets,
            SectionKind::Imports => self.profile.imports,
            SectionKind::Tests => self.profile.tests,
            SectionKind::Callers => self.profile.callers,
        };
        let is_main = matches!(section, SectionKind::Definitions | SectionKind::Snippets)
            || percent >= self.config.main_share;
        let share = self.budget * percent / 100;
        let full = self.config.side_dishes_from.max(1);
        if is_main || self.budget >= full {
            share
        } else {
            share * self.budget / full
        }
    }

    /// A body that is shown and says nearly the same as a stretch of a file.
    pub(super) fn find_twin(&mut self, stretch: Stretch) -> Option<Twin> {
        let alike = Alike {
            lines: self.config.twin_lines,
            percent: self.config.twin_percent,
        };
        self.twins.find(&self.snapshot.files, stretch, alike)
    }

    /// Adds an entry if the pass allows what it costs; gives its cost where it does not.
    pub(super) fn try_add(
        &mut self,
        entry: Entry,
        shows: Shows,
        order: Order,
        pass: Pass,
    ) -> Result<(), usize> {
        let section = entry.section;
        let measured = self.packed.measure(entry);
        let within = match pass {
            Pass::Share => self.packed.used(section) + measured.tokens <= self.share(section),
            Pass::Rest => true,
        };
        if !within || !self.packed.fits(section, measured.tokens, 0) {
            return Err(measured.tokens);
        }
        self.packed.add(measured, shows, order);
        Ok(())
    }

    /// Classes that the query names: what they have. They come first, since they are cheap and say
    /// where things are; a class whose body is shown later loses its card.
    fn named_cards(&mut self) {
        let mut left = self.budget * self.config.named_cards_share / 100;
        let files = &self.snapshot.files;
        let is_class = |id: &DefId| files.definition(*id).kind.is_container();
        let named = self.named_order.iter().copied().filter(is_class);
        let named: Vec<DefId> = named.take(self.config.named_cards).collect();
        for (position, id) in named.into_iter().enumerate() {
            let entry = card::standard(
                self.snapshot,
                id,
                SectionKind::Definitions,
                self.config.members,
            );
            let measured = self.packed.measure(entry);
            let tokens = measured.tokens;
            if tokens <= left && self.packed.fits(SectionKind::Definitions, tokens, 0) {
                left -= tokens;
                let shows = self.card_shows(id);
                self.packed.add(measured, shows, (STANDARD, position));
            }
        }
    }

    /// Signatures of the ranked functions and named definitions whose bodies did not fit.
    fn compact_cards(&mut self) {
        let ranked = self.ranked.functions.iter().map(|function| function.id);
        let most = self.config.compact_cards;
        let ids: Vec<DefId> = ranked
            .take(most * 2)
            .chain(self.named_order.iter().copied().take(most))
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
            if self.packed.has(id) || self.packed.shows_all(file, lines) {
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
    fn outlines(&mut self) {
        let best = self.ranked.files.iter().take(self.config.outline_files);
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
            let entry = card::outline(
                self.snapshot,
                file,
                SectionKind::Definitions,
                self.config.members,
            );
            if let Some(entry) = entry {
                let shows = Shows {
                    file,
                    definition: None,
                    lines: Vec::new(),
                };
                // What does not fit is in the ranking of files all the same.
                let _ = self.try_add(entry, shows, (OUTLINE, position), Pass::Rest);
            }
        }
    }

    /// Whether a file is shown only where the query asks for it or nothing else was found: prose,
    /// data, and what was copied or written by a program.
    fn is_held_back(&self, file: FileId) -> bool {
        let held_back = match self.snapshot.files.file(file).role {
            Role::Documentation => !ABOUT_DOCUMENTATION.iter().any(|w| self.words.contains(*w)),
            Role::Generated | Role::Data => true,
            Role::Source | Role::Test | Role::Configuration => false,
        };
        held_back && !self.candidates.files.iter().any(|named| named.file == file)
    }

    /// Whether it is worth trying a card.
    pub(super) fn has_room_for_card(&self) -> bool {
        self.packed.left() >= SMALLEST_CARD
    }

    pub(super) fn card_shows(&self, id: DefId) -> Shows {
        Shows {
            file: self.snapshot.files.file_of(id),
            definition: Some(id),
            lines: Vec::new(),
        }
    }
}

/// The words of a text, in lower case, without the common ones; identifiers whole.
fn words(text: &str) -> HashSet<String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| (3..=60).contains(&word.len()))
        .map(str::to_lowercase)
        .filter(|word| !is_stop_word(word) && !word.bytes().all(|b| b.is_ascii_digit()))
        .collect()
}

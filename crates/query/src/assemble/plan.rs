//! The order of steps: what is worth most goes in first, within the shares of the intent's profile;
//! then unused shares flow to where the next best thing is.

use foldhash::{HashMap, HashSet};
use foveate_index::{DefId, FileId, Files, Snapshot};
use foveate_model::Role;

use super::bodies::Bodies;
use super::card;
use super::changed;
use super::config::{AssembleConfig, Limits, Profile};
use super::links::Links;
use super::needs;
use super::packed::{COMPACT, Form, OUTLINE, Order, Packed, STANDARD, Shows};
use super::permalink::Permalinks;
use super::render::{Entry, Figures, Head, SectionKind, WOULD_HELP};
use super::siblings;
use super::twins::{Alike, Stretch, Twin, Twins};
use super::{Dropped, Pack, unindexed};
use crate::intent::{Intent, IntentKind};
use crate::issue::Issue;
use crate::rank::{PlaceId, Ranked, RankedPlace};
use crate::request::Request;
use crate::resolve::{Candidates, is_stop_word};

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

/// Bytes of code per token, for the estimate of what a whole file would cost.
const BYTES_PER_TOKEN: usize = 4;

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
    pub intent: IntentKind,
    pub profile: &'a Profile,
    /// What gets in.
    pub limits: Limits,
    max_files: usize,
    pub ranked: &'a Ranked,
    pub candidates: &'a Candidates,
    pub budget: usize,
    pub packed: Packed<'a>,
    /// The bodies of `packed`, so that none of them comes twice.
    pub twins: Twins,
    /// How strongly the query names a definition: the strongest evidence.
    pub named: HashMap<DefId, f32>,
    /// The probability of each ranked file.
    of_files: HashMap<FileId, f32>,
    /// That of the best place of each file.
    best_of_files: HashMap<FileId, f32>,
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
        request: &'a Request,
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
        let mut limits = config.limits(request.breadth);
        if !request.changes.is_empty() {
            let wide = config.breadth.wide;
            limits = Limits {
                needed_cards: wide.needed_cards,
                tests: wide.tests,
                callers: wide.callers,
                ..limits
            };
        }
        limits.min_probability = request.min_probability.unwrap_or(limits.min_probability);
        let files = ranked.files.iter();
        Self {
            snapshot,
            config,
            intent: intent.kind,
            profile: config.profile(intent.kind),
            limits,
            max_files: request.max_files.unwrap_or(usize::MAX),
            of_files: files.map(|file| (file.id, file.probability)).collect(),
            best_of_files: best_of_files(&snapshot.files, ranked),
            ranked,
            candidates,
            budget: request.budget_tokens,
            packed: Packed::new(
                form(snapshot, request, intent, candidates, ranked),
                changed::seen(&snapshot.files, &request.seen),
            ),
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
        self.first_cards();
        self.focus_cards();
        let mut bodies = Bodies::new(&self);
        if self.intent.is_change() {
            bodies.fill(&mut self, Pass::Share);
            self.named_cards();
        } else {
            self.named_cards();
            bodies.fill(&mut self, Pass::Share);
        }
        let mut links = Links::new(&self, &bodies.seeds(&self));
        links.fill(&mut self, Pass::Share);
        bodies.fill(&mut self, Pass::Rest);
        bodies.twin_cards(&mut self);
        bodies.cut_best(&mut self);
        let shown = bodies.shown(self.config.seeds, self.limits.min_seed_probability);
        needs::add_cards(&mut self, &shown);
        self.compact_cards();
        self.outlines();
        siblings::add(&mut self);
        links.fill(&mut self, Pass::Rest);
        bodies.report(&mut self);
        links.report(&mut self);
        self.report_files();
        unindexed::report(&mut self);
        let confidence = self.config.confidence.mended(bodies.confidence());
        self.finish(confidence)
    }

    fn finish(mut self, confidence: f32) -> Pack {
        let budgets = SectionKind::ALL.map(|kind| self.share(kind));
        let figures = Figures {
            confidence,
            is_low: self.is_unsure(confidence),
            used: 0,
            left_out: self.dropped.len(),
        };
        let mut pack = self.packed.finish(budgets, figures, &self.snapshot.files);
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
        if figures.is_low && !nothing {
            self.notes.push(Issue {
                code: "low_confidence",
                detail: format!(
                    "the chance that what has to be changed is shown is {confidence:.2}: \
                     {WOULD_HELP}"
                ),
            });
        }
        pack.confidence = confidence;
        pack.dropped = self.dropped;
        pack.notes.append(&mut self.notes);
        pack
    }

    /// Whether a reader should know that the right place is likely not shown. Who explores or looks up
    /// changes nothing.
    fn is_unsure(&self, confidence: f32) -> bool {
        self.intent.is_change()
            && !self.ranked.places.is_empty()
            && confidence < self.config.low_confidence
    }

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

    fn of_file(&self, file: FileId) -> f32 {
        self.of_files.get(&file).copied().unwrap_or(0.0)
    }

    /// Whether anything of a file may be shown.
    pub(super) fn has_room_for_file(&self, file: FileId) -> bool {
        self.max_files == usize::MAX
            || self.packed.has_file(file)
            || self.packed.files() < self.max_files
    }

    /// How many tests or callers are listed: as many as there may be where the intent asks for them.
    pub(super) fn most_links(&self, section: SectionKind) -> usize {
        let share = match section {
            SectionKind::Tests => self.profile.tests,
            _ => self.profile.callers,
        };
        let is_asked = share >= self.config.main_share;
        let limits = if is_asked {
            &self.config.breadth.wide
        } else {
            &self.limits
        };
        match section {
            SectionKind::Tests => limits.tests,
            _ => limits.callers,
        }
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
        let fits = self.has_room_for_file(shows.file) && self.packed.fits(&measured, shows.file, 0);
        if !within || !fits {
            return Err(measured.tokens);
        }
        self.packed.add(measured, shows, order);
        Ok(())
    }

    /// The signatures of the best place and of the caller's change: whatever else there is no room for,
    /// they are there.
    fn first_cards(&mut self) {
        let files = &self.snapshot.files;
        let is_new =
            |place: &&RankedPlace| !self.packed.shows_all(place.id.file(files), place.lines);
        let first = self.ranked.places.iter().find(is_new).cloned();
        let changed = changed::places(self);
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
    fn focus_cards(&mut self) {
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
        let entry = card::outline(self.snapshot, file, section, self.config.members);
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
    fn named_cards(&mut self) {
        let most = self.config.breadth.wide.named_cards;
        let mut left = self.budget * self.config.named_cards_share / 100;
        // Where nothing has to be changed, names are what is asked about.
        let is_asked = !self.intent.is_change() || self.limits.named_cards == most;
        let mut unlikely = if is_asked {
            most
        } else {
            self.limits.named_cards
        };
        for (position, id) in self.named_order.clone().into_iter().take(most).enumerate() {
            let file = self.snapshot.files.file_of(id);
            let is_shown = self.packed.has_file(file);
            let lines = self.snapshot.files.definition(id).lines;
            let strength = self.named.get(&id).copied().unwrap_or(0.0);
            let is_wanted =
                is_shown || unlikely > 0 && (is_asked || strength >= self.config.sure_strength);
            if self.packed.shows_all(file, lines) || !is_wanted {
                continue;
            }
            let place = PlaceId::Definition(id);
            let is_class = self.snapshot.files.definition(id).kind.is_container();
            if self.packed.has(place) && !is_class {
                continue;
            }
            let (entry, order) = if is_class {
                let members = self.config.members;
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
            if tokens <= left && fits && self.has_room_for_file(file) {
                left -= tokens;
                unlikely -= usize::from(!is_shown);
                let shows = self.card_shows(id);
                self.packed.add(measured, shows, order);
            }
        }
    }

    /// Signatures of the ranked functions and named definitions whose bodies did not fit.
    fn compact_cards(&mut self) {
        let least = self.limits.min_card_probability;
        let likely = self.ranked.functions.iter();
        let ranked = likely.take_while(|f| f.probability >= least).map(|f| f.id);
        let most = self.config.compact_cards;
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
    fn outlines(&mut self) {
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

    /// Lists the best files of which nothing is shown.
    fn report_files(&mut self) {
        const BEST: usize = 5;
        let is_likely = self.limits.min_file_probability;
        let best = self.ranked.files.iter().take(BEST);
        let missing: Vec<Dropped> = best
            .filter(|file| !self.packed.has_file(file.id))
            .filter(|file| self.snapshot.files.content(file.id).is_some())
            .map(|file| Dropped {
                path: self.snapshot.files.path(file.id).to_owned(),
                name: String::new(),
                tokens: self.snapshot.files.text_bytes(file.id) / BYTES_PER_TOKEN,
                reason: if file.probability < is_likely || self.packed.left() > SMALLEST_CARD {
                    "low_value"
                } else {
                    "budget"
                },
            })
            .collect();
        self.dropped.extend(missing);
    }

    /// Whether a file is shown only where the query asks for it, it is likely or nothing else was found:
    /// prose, data, and what was copied or written by a program.
    fn is_held_back(&self, file: FileId) -> bool {
        let held_back = match self.snapshot.files.file(file).role {
            Role::Documentation => !ABOUT_DOCUMENTATION.iter().any(|w| self.words.contains(*w)),
            Role::Generated | Role::Data => true,
            Role::Source | Role::Test | Role::Configuration => false,
        };
        let is_named = || self.candidates.files.iter().any(|named| named.file == file);
        held_back && self.of_file(file) < self.config.likely_file && !is_named()
    }

    /// Whether it is worth trying a card.
    pub(super) fn has_room_for_card(&self) -> bool {
        self.packed.left() >= SMALLEST_CARD
    }

    pub(super) fn card_shows(&self, id: DefId) -> Shows {
        Shows {
            file: self.snapshot.files.file_of(id),
            place: Some(PlaceId::Definition(id)),
            lines: Vec::new(),
        }
    }
}

fn best_of_files(files: &Files, ranked: &Ranked) -> HashMap<FileId, f32> {
    let mut best = HashMap::default();
    // The first place of a file is its best one.
    for place in &ranked.places {
        best.entry(place.id.file(files))
            .or_insert(place.probability);
    }
    best
}

fn form<'a>(
    snapshot: &'a Snapshot,
    request: &'a Request,
    intent: &'a Intent,
    candidates: &Candidates,
    ranked: &Ranked,
) -> Form<'a> {
    let changed = candidates.changed.iter().map(|(file, _)| *file);
    let ranks = ranked.files.iter().map(|file| file.id);
    let commit = &snapshot.revision.commit;
    let address = request.link_base.as_deref();
    Form {
        format: request.format,
        head: Head {
            intent,
            repo: &request.repo,
            commit,
            budget: request.budget_tokens,
        },
        links: address.and_then(|address| Permalinks::new(address, commit)),
        files: changed.chain(ranks).collect(),
        budget: request.budget_tokens,
        max_chars: request.max_chars.unwrap_or(usize::MAX),
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

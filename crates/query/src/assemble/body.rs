//! Renders, measures and adds one candidate body, a definition or stretch that may be shown whole: complete, with its
//! documentation folded, in parts, or as its signature.

use foveate_index::{Confidence, DefId, FileId};
use foveate_model::{Lines, Role};

use super::card;
use super::changed;
use super::cut::Relevance;
use super::entry::{Entry, SectionKind};
use super::near_duplicates::{ComparedText, NearDuplicate};
use super::packed::{EntryKind, MeasuredEntry, ShownPart};
use super::plan::{BODY_SECTIONS, BudgetScope, Plan};
use super::reasons::BY_NAME_ALONE;
use super::surroundings;
use crate::deadline::Stage;
use crate::rank::{PlaceId, RankedPlace};
use crate::request::Hunk;

/// Bytes of code per token, and tokens of an entry's own markup. The estimate that they give spares the counting of
/// bodies that cannot fit.
const CODE_BYTES_PER_TOKEN: f32 = 4.2;
const MARKUP_TOKENS: usize = 35;
/// Factor by which an estimate may be too high without refusing a body that would fit.
const ESTIMATE_SLACK: f32 = 1.4;
/// Number of the best places of which a part or the signature is shown if the whole does not fit.
pub(super) const BEST: usize = 3;
/// Attempts to make a cut body small enough before giving it up.
const CUT_ATTEMPTS: usize = 4;

/// A candidate for being shown whole.
#[derive(Debug)]
pub(super) struct Body {
    pub place: RankedPlace,
    pub file: FileId,
    pub compared: ComparedText,
    pub rank: usize,
    section: SectionKind,
    pub is_container: bool,
    /// Whether it is a definition that a short question looks up, so that it is shown however unlikely it is.
    pub is_answer: bool,
    /// Whether the caller changed it: it must then be shown, at least in part.
    pub is_changed: bool,
    is_failed_test: bool,
    /// Whether it is no function and the query names a line of it, or a message of a compiler or linter is about it.
    is_named_line: bool,
    /// Tokens: estimated until `is_counted`.
    pub tokens: usize,
    is_counted: bool,
    pub worth: f32,
    /// Maximum tokens that are worth showing of it.
    pub worth_tokens: usize,
    /// The shown body that it is a near-duplicate of, where its state is `NearDuplicate`.
    near_duplicate: Option<NearDuplicate>,
    /// Its side of the comparison, if the question compares it with other definitions.
    pub side: Option<Side>,
    pub state: State,
}

/// One of the definitions that a question compares.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    /// Its position in the question.
    pub position: usize,
    /// Its part of the budget.
    pub max_tokens: usize,
}

/// Whether a candidate is shown, and why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Not shown yet: not tried, or it did not fit.
    Waiting,
    Shown,
    /// Another body contains its lines.
    Within,
    /// It is a near-duplicate of a shown body.
    NearDuplicate,
    /// Not likely enough to be worth its tokens.
    Unlikely,
    /// Only near what the question looks up.
    Beside,
}

impl Body {
    /// Makes a candidate of a ranked or named place, or of one that the caller changed (`is_changed`).
    pub(super) fn new(
        plan: &Plan<'_>,
        mut place: RankedPlace,
        rank: usize,
        is_changed: bool,
    ) -> Self {
        let files = &plan.snapshot.files;
        let file = place.id.file(files);
        let compared = shown_text(plan, &mut place, is_changed);
        let definition = place.id.definition();
        let is_container = definition.is_some_and(|id| files.definition(id).kind.is_container());
        let is_answer = definition.is_some_and(|id| plan.looked_up.is_shown_whole(files, id));
        let is_named = is_answer || definition.is_some_and(|id| plan.named.contains(id));
        let tokens = (compared.span.len() as f32 / CODE_BYTES_PER_TOKEN) as usize + MARKUP_TOKENS;
        let section = match place.id.role(files) {
            Role::Test if !is_changed => SectionKind::Tests,
            _ if is_named || is_changed => SectionKind::Definitions,
            _ => SectionKind::Snippets,
        };
        let is_failed_test = plan.is_failed_test(place.id);
        let is_named_line = plan.has_named_line(place.id);
        let is_certain = is_changed || is_failed_test || is_named_line;
        let worth_tokens = match rank == 0 || is_certain || is_answer {
            true => usize::MAX,
            false => plan.worth_tokens(&place),
        };
        let is_exact = plan.looked_up.is_exact();
        let is_beside = (rank > 0 || is_exact) && !is_certain && plan.is_beside_looked_up(&place);
        let state = match tokens <= worth_tokens {
            is_likely if is_beside && (is_likely || is_exact) => State::Beside,
            true => State::Waiting,
            false => State::Unlikely,
        };
        let cost = (tokens as f32).powf(plan.config.bodies.cost_exponent);
        // A failed test, or code at a line that the query names, is worth as much as the best place.
        let best = plan.ranked.places.first();
        let valued = best.filter(|_| is_failed_test || is_named_line);
        Self {
            worth: valued.unwrap_or(&place).probability / cost,
            worth_tokens,
            place,
            file,
            compared,
            rank,
            section,
            is_container,
            is_answer,
            is_changed,
            is_failed_test,
            is_named_line,
            tokens,
            is_counted: false,
            near_duplicate: None,
            side: None,
            state,
        }
    }

    /// Makes it a side of a comparison, which is shown whole or in part.
    pub(super) fn set_side(&mut self, side: Side) {
        self.side = Some(side);
        self.state = State::Waiting;
    }

    fn shows(&self) -> ShownPart {
        ShownPart {
            file: self.file,
            place: Some(self.place.id),
            lines: vec![self.place.lines],
        }
    }

    /// Returns the section of its card.
    fn card_section(&self) -> SectionKind {
        match self.section {
            SectionKind::Tests => SectionKind::Tests,
            _ => SectionKind::Definitions,
        }
    }

    /// Whether there is time to render and count it; the best one is shown even after the deadline.
    pub(super) fn has_time(&self, plan: &Plan<'_>) -> bool {
        self.rank == 0 || plan.deadline.allows(Stage::Bodies)
    }

    /// Returns why it is shown.
    fn reason(&self, plan: &Plan<'_>) -> String {
        match self.section {
            _ if self.is_changed => "changed".to_owned(),
            _ if self.is_failed_test => "in the stack trace".to_owned(),
            _ if self.is_named_line => "has a line that the query names".to_owned(),
            section => plan.reason_of(self.place.id, section == SectionKind::Definitions),
        }
    }

    /// Adds to an entry why it is shown, its changed lines, and the named definition that it uses where the intent asks
    /// for callers.
    fn described(&self, plan: &Plan<'_>, mut entry: Entry) -> Entry {
        entry.reason = self.reason(plan);
        let changed = &plan.resolution.changed;
        let ranges = changed::line_ranges(&plan.snapshot.files, changed, &self.place);
        entry.facts.extend(ranges.map(|ranges| ("changed", ranges)));
        let (file, lines) = (self.file, self.place.lines);
        let sure = plan.named_use_in(file, lines);
        if let Some((used, verb)) = sure.or_else(|| plan.unsure_use_in(file, lines)) {
            let name = plan.name(used).to_owned();
            let verb = verb.name();
            if sure.is_some() {
                entry.reason = format!("{verb} {name}, {}", entry.reason);
                entry.facts.push((verb, name));
            } else {
                entry.reason = format!("{verb} {name} {BY_NAME_ALONE}, {}", entry.reason);
                let confidence = Confidence::NameOnly.name().to_owned();
                entry
                    .facts
                    .extend([(verb, name), ("confidence", confidence)]);
            }
        }
        entry
    }

    pub(super) fn definition(&self) -> Option<DefId> {
        self.place.id.definition()
    }

    /// Drops a blank line at its start or end that another entry shows already. Entries of the same place do
    /// not count: the whole body replaces them.
    fn drop_shown_blank_lines(&mut self, plan: &Plan<'_>) {
        let files = &plan.snapshot.files;
        let text = files.text(self.file);
        let is_shown_blank = |line: u32| {
            let line = Lines::new(line, line);
            plan.packed.shows_elsewhere(self.place.id, self.file, line)
                && files.lines_span(self.file, line).of(text).trim().is_empty()
        };
        let mut lines = self.place.lines;
        if lines.count() > 1 && is_shown_blank(lines.start) {
            lines.start += 1;
        }
        if lines.count() > 1 && is_shown_blank(lines.end) {
            lines.end -= 1;
        }
        self.place.lines = lines;
    }

    /// Drops the lines at the start and end of a stretch of prose or settings that another entry shows: narrowed stretches
    /// may overlap.
    fn drop_shown_ends(&mut self, plan: &Plan<'_>) {
        let is_code = plan.snapshot.files.file(self.file).language.is_code();
        if is_code || self.definition().is_some() {
            return;
        }
        let is_shown = |line: u32| {
            let line = Lines::new(line, line);
            plan.packed.shows_elsewhere(self.place.id, self.file, line)
        };
        let mut lines = self.place.lines;
        while lines.count() > 1 && is_shown(lines.start) {
            lines.start += 1;
        }
        while lines.count() > 1 && is_shown(lines.end) {
            lines.end -= 1;
        }
        self.place.lines = lines;
    }

    /// Adds it whole, or with its long documentation folded if the whole does not fit.
    pub(super) fn try_add(&mut self, plan: &mut Plan<'_>, pass: BudgetScope) {
        self.drop_shown_blank_lines(plan);
        self.drop_shown_ends(plan);
        let shows = self.shows();
        // Another entry shows some of these lines and cannot be replaced.
        let Some(freed) = plan.packed.replaces(&shows) else {
            return;
        };
        if !self.may_fit(plan, pass) {
            return self.try_add_folded(plan, pass);
        }
        let entry = card::full(plan.snapshot, &self.place, self.section);
        let measured = plan.packed.measure(self.described(plan, entry));
        self.tokens = measured.tokens;
        self.is_counted = true;
        if self.allowed(plan, &measured, freed, pass) {
            self.add(plan, measured, shows);
        } else {
            self.try_add_folded(plan, pass);
        }
    }

    /// Whether it may fit by its estimated or counted tokens, so that rendering it is worth the time.
    fn may_fit(&self, plan: &Plan<'_>, pass: BudgetScope) -> bool {
        let slack = if self.is_counted { 1.0 } else { ESTIMATE_SLACK };
        let estimate = (self.tokens as f32 / slack) as usize;
        estimate <= plan.packed.left() && estimate <= self.max_tokens(plan, pass)
    }

    fn try_add_folded(&mut self, plan: &mut Plan<'_>, pass: BudgetScope) {
        let folded = card::folded(plan.snapshot, &self.place, self.section, &plan.words);
        let Some((entry, lines)) = folded.filter(|_| !self.is_changed) else {
            return;
        };
        let shows = ShownPart {
            lines,
            ..self.shows()
        };
        let Some(freed) = plan.packed.replaces(&shows) else {
            return;
        };
        let measured = plan.packed.measure(self.described(plan, entry));
        if self.allowed(plan, &measured, freed, pass) {
            self.add(plan, measured, shows);
        }
    }

    fn add(&mut self, plan: &mut Plan<'_>, measured: MeasuredEntry, shows: ShownPart) {
        if self.find_near_duplicate(plan) {
            self.state = State::NearDuplicate;
        } else {
            plan.packed
                .add(measured, shows, (EntryKind::Body, self.rank));
            let files = &plan.snapshot.files;
            plan.near_duplicates.show(files, self.compared);
            self.state = State::Shown;
        }
    }

    /// Whether it is not shown because it is a near-duplicate of a shown body. Definitions that the query
    /// names, and stretches, are shown unless they are identical to it: a stretch has no card that could list
    /// the differences.
    fn find_near_duplicate(&mut self, plan: &Plan<'_>) -> bool {
        let Some(near_duplicate) = plan.find_near_duplicate(self.compared) else {
            return false;
        };
        let is_free = |id: DefId| !plan.named.contains(id);
        let may_differ = self.definition().is_some_and(is_free);
        let found = may_differ || near_duplicate.differing.is_empty();
        self.near_duplicate = Some(near_duplicate);
        found
    }

    pub(super) fn add_near_duplicate_card(&self, plan: &mut Plan<'_>) {
        let (Some(id), Some(near_duplicate)) = (self.definition(), &self.near_duplicate) else {
            return;
        };
        if plan.packed.has(self.place.id) {
            return;
        }
        let entry = card::near_duplicate(
            plan.snapshot,
            id,
            self.card_section(),
            near_duplicate,
            plan.config.cards.max_members,
        );
        // A card that does not fit needs no report: the body is reported as dropped.
        plan.add_card(id, entry, (EntryKind::Compact, self.rank));
    }

    fn allowed(
        &self,
        plan: &Plan<'_>,
        measured: &MeasuredEntry,
        freed: usize,
        pass: BudgetScope,
    ) -> bool {
        if measured.tokens > self.max_tokens(plan, pass) {
            return false;
        }
        let within = match pass {
            BudgetScope::Rest => true,
            BudgetScope::Share => {
                let used = BODY_SECTIONS.map(|section| plan.packed.used(section));
                let used: usize = used.iter().sum();
                used.saturating_sub(freed) + measured.tokens <= plan.share_of_bodies()
            }
        };
        within && plan.packed.fits(measured, self.file, freed)
    }

    /// Returns the maximum tokens of this body: a huge one must not take the whole budget unless it is the
    /// best, or nothing else needs the rest.
    fn max_tokens(&self, plan: &Plan<'_>, pass: BudgetScope) -> usize {
        if let Some(side) = self.side {
            return side.max_tokens;
        }
        let config = &plan.config.bodies;
        let percent = match (self.rank, pass) {
            _ if self.is_changed => 100,
            (0, BudgetScope::Share) => config.max_first_share,
            (0, BudgetScope::Rest) => 100,
            (_, BudgetScope::Share) => config.max_other_share,
            (_, BudgetScope::Rest) => config.max_rest_share,
        };
        let mut limit = plan.budget() * percent as usize / 100;
        if plan.has_small_budget() {
            // A body of usual length is not huge.
            limit = limit.max(plan.config.usual_tokens as usize);
        }
        if self.is_container && !self.is_changed {
            limit.min(config.max_container_tokens.max(plan.budget() / 20))
        } else {
            limit
        }
    }

    /// Whether it may take tokens only once each of the best places has at least its signature. What the query names, asks
    /// for or points at need not wait.
    pub(super) fn yields_to_best(&self) -> bool {
        let is_wanted = self.is_changed
            || self.is_answer
            || self.is_failed_test
            || self.is_named_line
            || self.side.is_some();
        self.state == State::Waiting
            && self.rank >= BEST
            && self.section != SectionKind::Definitions
            && !is_wanted
    }

    /// Adds the signature of one of the best places, unless anything of it is shown. Less likely bodies, which are
    /// tried later, may be small enough to take its room. Returns false if it has no room.
    pub(super) fn add_signature(&self, plan: &mut Plan<'_>) -> bool {
        let is_best = self.rank < BEST
            && !self.is_changed
            && self.place.probability >= plan.limits.min_card_probability
            && !plan.holds_back(&self.place);
        let is_shown = || {
            plan.packed.has(self.place.id) || plan.packed.shows_any(self.file, self.compared.lines)
        };
        if !is_best || is_shown() || !self.has_time(plan) {
            return true;
        }
        // Another body may still be shown in one of the files that the context has.
        if !plan.packed.has_room_for_file(self.file) {
            return true;
        }
        let relevance = Relevance {
            terms: &plan.terms,
            changed: &[],
        };
        let section = self.card_section();
        let entry = card::signature_of(plan.snapshot, &self.place, section, relevance);
        let entry = self.described(plan, entry);
        let shows = ShownPart::card(self.file, Some(self.place.id));
        // A signature that does not fit needs no report: the body is reported as dropped.
        plan.add_signature(entry, shows, (EntryKind::Compact, self.rank))
    }

    /// Adds the parts of it that matter most, in at most `limit` tokens.
    pub(super) fn add_cut(&mut self, plan: &mut Plan<'_>, limit: usize) {
        let card = ShownPart::card(self.file, Some(self.place.id));
        // The part takes the place of its card.
        let freed = plan.packed.replaces(&card).unwrap_or(0);
        let limit = limit.min(plan.packed.left() + freed);
        self.drop_shown_blank_lines(plan);
        if limit < plan.config.bodies.min_cut_tokens
            || plan.packed.shows_any(self.file, self.place.lines)
        {
            return;
        }
        let mut bytes = limit.saturating_sub(MARKUP_TOKENS) as f32 * CODE_BYTES_PER_TOKEN * 0.8;
        for _ in 0..CUT_ATTEMPTS {
            let files = &plan.snapshot.files;
            let hunks = changed::hunks_of(files, &plan.resolution.changed, &self.place);
            let changed: Vec<Lines> = hunks.into_iter().map(Hunk::lines).collect();
            let relevance = Relevance {
                terms: &plan.terms,
                changed: &changed,
            };
            let (entry, lines) = card::partial(
                plan.snapshot, &self.place, self.section, relevance, bytes as usize,
            );
            let measured = plan.packed.measure(self.described(plan, entry));
            if measured.tokens <= limit && plan.packed.fits(&measured, self.file, freed) {
                let shows = ShownPart {
                    lines,
                    ..self.shows()
                };
                plan.packed
                    .add(measured, shows, (EntryKind::Body, self.rank));
                return;
            }
            bytes *= 0.75;
        }
    }
}

/// Sets the lines in which a place is shown. Returns their text, to be compared with others.
fn shown_text(plan: &Plan<'_>, place: &mut RankedPlace, is_changed: bool) -> ComparedText {
    let files = &plan.snapshot.files;
    let file = place.id.file(files);
    match place.id {
        PlaceId::Definition(id) => {
            let max_head = plan.config.bodies.max_head_lines * plan.budget() as f32 / 1000.0;
            place.lines = surroundings::of(files, id, max_head as u32);
            ComparedText::of_definition(files, id)
        }
        PlaceId::Stretch(_) => {
            if !is_changed
                && !plan.has_named_line(place.id)
                && !surroundings::asks_about_licence(&plan.words)
            {
                place.lines = surroundings::without_licence(files, file, place.lines);
            }
            ComparedText::of_lines(files, file, place.lines)
        }
    }
}

//! Holds the state that the steps share: the request, the results of earlier stages, the budget and its shares,
//! and the context under construction.

use foldhash::HashSet;
use foveate_index::{DefId, FileId, Files, Snapshot, tokens};
use foveate_model::Role;

use super::card;
use super::changed::{self, ChangedPlaces};
use super::config::{AssembleConfig, Limits, Profile};
use super::dropped::DroppedList;
use super::entry::{Entry, SectionKind};
use super::file_probabilities::FileProbabilities;
use super::looked_up::LookedUp;
use super::named::{NamePurpose, NamedDefinitions};
use super::near_duplicates::{ComparedText, NearDuplicate, NearDuplicates};
use super::packed::{Form, Order, Packed, ShownPart};
use super::render::parts::Head;
use super::seen;
use crate::deadline::{Deadline, Stage};
use crate::intent::{Intent, IntentKind, LookUp};
use crate::issue::Issue;
use crate::permalink::Permalinks;
use crate::rank::{PlaceId, Ranked};
use crate::request::Request;
use crate::resolve::{EvidenceSource, Resolution, is_stop_word};

/// Minimum tokens left for a card to be tried.
pub(super) const MIN_CARD_TOKENS: usize = 24;

/// The sections that hold bodies.
pub(super) const BODY_SECTIONS: [SectionKind; 2] =
    [SectionKind::Definitions, SectionKind::Snippets];

/// Whether an entry may use only its section's share of the budget, or all tokens left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BudgetScope {
    Share,
    Rest,
}

/// Results of the earlier stages.
#[derive(Clone, Copy, Debug)]
pub struct StageResults<'a> {
    /// The intent of the query.
    pub intent: &'a Intent,
    /// The definitions and files that the query names, and the names that nothing has.
    pub resolution: &'a Resolution,
    /// The best files, functions and places.
    pub ranked: &'a Ranked,
}

/// The input of the steps, what follows from it, and the context that they fill.
pub(super) struct Plan<'a> {
    pub snapshot: &'a Snapshot,
    pub request: &'a Request,
    pub config: &'a AssembleConfig,
    pub deadline: &'a Deadline,
    pub resolution: &'a Resolution,
    pub ranked: &'a Ranked,

    pub intent: IntentKind,
    pub profile: &'a Profile,
    /// Limits on entries at the requested breadth.
    pub limits: Limits,
    pub changed: ChangedPlaces,
    pub named: NamedDefinitions,
    pub looked_up: LookedUp,
    pub file_probabilities: FileProbabilities,
    /// The first tests that a stack trace of the query goes through.
    pub failed_tests: Vec<DefId>,
    /// Words of the query, in lower case.
    pub words: HashSet<String>,
    /// Hashes of the index terms of these words, which decide which parts of a long function are shown.
    pub terms: HashSet<u64>,

    pub packed: Packed<'a>,
    /// The bodies of `packed`, so that no near-duplicate of them is added.
    pub near_duplicates: NearDuplicates,
    pub dropped: DroppedList,
    pub issues: Vec<Issue>,
}

impl<'a> Plan<'a> {
    pub(super) fn new(
        snapshot: &'a Snapshot,
        request: &'a Request,
        found: StageResults<'a>,
        config: &'a AssembleConfig,
        deadline: &'a Deadline,
    ) -> Self {
        let StageResults {
            intent,
            resolution,
            ranked,
        } = found;
        let files = &snapshot.files;
        let (seen, unknown_seen) = seen::lines(files, &request.seen);
        let look_up = intent.look_up.filter(|_| !request.has_change());
        let purpose = purpose(look_up, intent, resolution);
        let named = NamedDefinitions::new(resolution, &config.cards, purpose);
        let looked_up = match look_up {
            Some(asks) => {
                let found = (resolution, &named);
                LookedUp::new(snapshot, (asks, intent.kind), &request.query, found, config)
            }
            None => LookedUp::default(),
        };
        let not_found = not_found(&looked_up, found);
        let first_files = match looked_up.is_exact() {
            true => looked_up.files(),
            false => files_by_rank(files, resolution, ranked),
        };
        let form = form(snapshot, request, intent, first_files);
        // Uses also stand in for what the definitions lack, such as the tests of a helper of tests.
        let profile = match looked_up.asks() {
            Some(LookUp::Uses) => IntentKind::UsageExploration,
            _ => intent.profile(),
        };
        let words = words(&request.query);
        Self {
            snapshot,
            request,
            config,
            deadline,
            resolution,
            ranked,
            intent: intent.kind,
            profile: config.profile(profile),
            limits: limits(request, config),
            changed: changed::places(files, &resolution.changed, &ranked.places, &words, deadline),
            named,
            looked_up,
            file_probabilities: FileProbabilities::new(files, ranked),
            failed_tests: failed_tests(files, resolution, config.max_failed_tests),
            words,
            terms: terms(&request.query),
            packed: Packed::new(form, seen),
            near_duplicates: NearDuplicates::default(),
            dropped: DroppedList::default(),
            issues: unknown_seen.into_iter().chain(not_found).collect(),
        }
    }

    /// Returns the maximum tokens of the context.
    pub(super) fn budget(&self) -> usize {
        self.packed.budget()
    }

    /// Whether little fits, so that the best places come before all less likely ones.
    pub(super) fn has_small_budget(&self) -> bool {
        self.budget() <= self.config.bodies.max_small_budget
    }

    /// Returns the qualified name of a definition.
    pub(super) fn name(&self, id: DefId) -> &'a str {
        &self.snapshot.files.definition(id).qualified_name
    }

    pub(super) fn is_failed_test(&self, place: PlaceId) -> bool {
        (self.failed_tests.iter()).any(|id| place == PlaceId::Definition(*id))
    }

    /// Whether a place is code outside functions with a line that the query names, or a function that a message of a compiler
    /// or linter is about.
    pub(super) fn has_named_line(&self, place: PlaceId) -> bool {
        let Resolution {
            lines, reported, ..
        } = self.resolution;
        match place {
            PlaceId::Definition(id) => reported.contains(&id),
            PlaceId::Stretch(chunk) => lines.iter().any(|line| line.chunk == chunk),
        }
    }

    /// Returns how many tests or callers may be listed. If the intent asks for them, the limits of breadth wide
    /// apply.
    pub(super) fn max_links(&self, section: SectionKind) -> usize {
        if section == SectionKind::Callers && self.looked_up.is_found() {
            return self.config.links.max_named_uses;
        }
        let share = match section {
            SectionKind::Tests => self.profile.tests,
            _ => self.profile.callers,
        };
        let is_asked = share >= self.config.min_main_share;
        let limits = if is_asked {
            &self.config.breadth.wide
        } else {
            &self.limits
        };
        self.scaled_count(match section {
            SectionKind::Tests => limits.max_tests,
            _ => limits.max_callers,
        })
    }

    /// Scales a number of tests, callers or members in proportion to a small budget, rounded up, so that a
    /// positive one stays positive.
    pub(super) fn scaled_count(&self, count: usize) -> usize {
        let full = self.config.min_budget_for_full_counts.max(1);
        (count * self.budget().min(full)).div_ceil(full)
    }

    /// Returns a section's share in tokens. With a small budget the shares of secondary sections shrink further:
    /// there the body of the right function is worth more than the names of its tests.
    pub(super) fn share(&self, section: SectionKind) -> usize {
        let percent = match section {
            SectionKind::Definitions => self.profile.definitions,
            SectionKind::Snippets => self.profile.snippets,
            SectionKind::Imports => self.profile.imports,
            SectionKind::Tests => self.profile.tests,
            SectionKind::Callers => self.profile.callers,
        };
        let is_main = matches!(section, SectionKind::Definitions | SectionKind::Snippets)
            || percent >= self.config.min_main_share;
        let share = self.budget() * percent / 100;
        let full = self.config.min_budget_for_full_shares.max(1);
        if is_main || self.budget() >= full {
            share
        } else {
            share * self.budget() / full
        }
    }

    /// Returns the tokens that bodies may take in the first pass: all but the shares of the other sections and
    /// of the cards for definitions that the query names.
    pub(super) fn share_of_bodies(&self) -> usize {
        let others = [
            SectionKind::Imports,
            SectionKind::Tests,
            SectionKind::Callers,
        ];
        let others: usize = others.iter().map(|section| self.share(*section)).sum();
        let named = self.budget() * self.config.cards.named_share / 100;
        self.budget().saturating_sub(others + named)
    }

    /// Returns a shown body that `compared` is a near-duplicate of; `None` also when there is no time to compare.
    pub(super) fn find_near_duplicate(&self, compared: ComparedText) -> Option<NearDuplicate> {
        if !self.deadline.allows(Stage::NearDuplicates) {
            return None;
        }
        self.near_duplicates
            .find(&self.snapshot.files, compared, self.config.near_duplicates)
    }

    /// Adds an entry if the pass allows its tokens; otherwise returns them as the error.
    pub(super) fn try_add(
        &mut self,
        entry: Entry,
        shows: ShownPart,
        order: Order,
        pass: BudgetScope,
    ) -> Result<(), usize> {
        let section = entry.section;
        let measured = self.packed.measure(entry);
        let within = match pass {
            BudgetScope::Share => {
                self.packed.used(section) + measured.tokens <= self.share(section)
            }
            BudgetScope::Rest => true,
        };
        if !within || !self.packed.fits(&measured, shows.file, 0) {
            return Err(measured.tokens);
        }
        self.packed.add(measured, shows, order);
        Ok(())
    }

    /// Adds a signature, or the start of it where there is no room for all of it. Returns whether it was added.
    pub(super) fn add_signature(&mut self, card: Entry, shows: ShownPart, order: Order) -> bool {
        let brief = card::brief(&card);
        let mut cards = [card, brief].into_iter();
        cards.any(|card| {
            let added = self.try_add(card, shows.clone(), order, BudgetScope::Rest);
            added.is_ok()
        })
    }

    /// Adds a card of a definition if there is room. Returns whether it was added.
    pub(super) fn add_card(&mut self, id: DefId, entry: Entry, order: Order) -> bool {
        let shows = ShownPart::card_of(id);
        self.try_add(entry, shows, order, BudgetScope::Rest).is_ok()
    }

    /// Whether enough tokens are left to try a card.
    pub(super) fn has_room_for_card(&self) -> bool {
        self.packed.left() >= MIN_CARD_TOKENS
    }

    /// Whether the context has a definition or its signature, so that a compact card would repeat it.
    pub(super) fn shows_signature(&self, id: DefId) -> bool {
        let files = &self.snapshot.files;
        let line = files.definition(id).own_lines().start;
        self.packed.has(PlaceId::Definition(id)) || self.packed.shows_head(id.file, line)
    }
}

/// Returns what the names of a query are for.
fn purpose(look_up: Option<LookUp>, intent: &Intent, resolution: &Resolution) -> NamePurpose {
    match look_up {
        Some(LookUp::Definition | LookUp::Implementers) if resolution.has_only_names => {
            NamePurpose::Name
        }
        Some(_) => NamePurpose::LookUp,
        None if intent.kind.is_change() => NamePurpose::Change,
        None => NamePurpose::Question,
    }
}

/// Returns the issue that what a question asks for was not found, or is about unknown names. Where something was looked up by
/// an unknown name, such as the types that name a base outside the repository, that is the answer.
fn not_found(looked_up: &LookedUp, found: StageResults<'_>) -> Option<Issue> {
    if looked_up.is_found() {
        return looked_up.not_found.clone();
    }
    let found_files = found.ranked.files.len();
    let unknown = || (found.resolution).unknown_names(found.intent.kind, found_files);
    looked_up.not_found.clone().or_else(unknown)
}

/// Returns the limits of the requested breadth, wider for a request with changes.
fn limits(request: &Request, config: &AssembleConfig) -> Limits {
    let mut limits = config.limits(request.breadth);
    if request.has_change() {
        let wide = config.breadth.wide;
        limits = Limits {
            max_needed_cards: wide.max_needed_cards,
            max_tests: wide.max_tests,
            max_callers: wide.max_callers,
            ..limits
        };
        if request.query.trim().is_empty() {
            // Without a query, the nearness to the change is the only evidence for the code around it.
            limits.min_probability *= config.unchanged_factor;
        }
    }
    limits.min_probability = request.min_probability.unwrap_or(limits.min_probability);
    limits
}

/// Returns at most `max` functions of tests that failed, or that the stack traces of the query go through.
fn failed_tests(files: &Files, resolution: &Resolution, max: usize) -> Vec<DefId> {
    let in_traces = resolution.definitions.iter().filter(|found| {
        found.from == EvidenceSource::Traceback
            && files.role_of(found.definition) == Role::Test
            && files.definition(found.definition).kind.is_function()
    });
    let mut tests = Vec::with_capacity(max);
    for found in in_traces {
        // A frame of a failed test, too, leads to it.
        if tests.len() < max && !tests.contains(&found.definition) {
            tests.push(found.definition);
        }
    }
    tests
}

/// Returns the changed files, and then the others by rank.
fn files_by_rank(files: &Files, resolution: &Resolution, ranked: &Ranked) -> Vec<FileId> {
    let changed = resolution.changed.iter().map(|(file, _)| *file);
    let mut changed: Vec<FileId> = changed.collect();
    changed.sort_by_key(|file| files.file(*file).role);
    let ranks = ranked.files.iter().map(|file| file.id);
    changed.into_iter().chain(ranks).collect()
}

fn form<'a>(
    snapshot: &'a Snapshot,
    request: &'a Request,
    intent: &'a Intent,
    files: Vec<FileId>,
) -> Form<'a> {
    let commit = &snapshot.revision.commit;
    let page = request.web_page.as_ref();
    Form {
        format: request.format,
        head: Head {
            intent,
            repo: &request.repo,
            commit,
            base: &request.base,
            changed_files: request.changes.len(),
            budget: request.budget_tokens,
        },
        // A working tree that differs from the commit has other lines than the web page of the commit.
        links: page
            .filter(|_| !snapshot.revision.dirty)
            .and_then(|page| Permalinks::new(page, commit)),
        files,
        max_files: request.max_files.unwrap_or(usize::MAX),
        max_chars: request.max_chars.unwrap_or(usize::MAX),
    }
}

/// Returns the words of a text in lower case, without stop words and numbers. An identifier is one word.
fn words(text: &str) -> HashSet<String> {
    content_words(text).map(str::to_lowercase).collect()
}

/// Returns the hashes of the index terms of the same words: of identifiers and of their parts, without endings.
fn terms(text: &str) -> HashSet<u64> {
    let mut found = HashSet::default();
    for word in content_words(text) {
        tokens::for_each_term(word, |term| {
            if is_content(term) {
                found.insert(tokens::hash(term));
            }
        });
    }
    found
}

fn content_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| word.len() <= 60 && is_content(&word.to_lowercase()))
}

/// Whether a word in lower case says what a text is about.
fn is_content(word: &str) -> bool {
    word.len() >= 3 && !is_stop_word(word) && !word.bytes().all(|b| b.is_ascii_digit())
}

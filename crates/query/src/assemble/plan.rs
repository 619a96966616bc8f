//! What the steps share: what was found and asked for, the budget and its shares, and the context so far.

use foldhash::{HashMap, HashSet};
use foveate_index::{Confidence, DefId, FileId, Files, Snapshot};
use foveate_model::Lines;

use super::config::{AssembleConfig, Limits, Profile};
use super::entry::{Entry, SectionKind};
use super::near_duplicates::{Alike, NearDuplicate, NearDuplicates, Stretch};
use super::pack::Dropped;
use super::packed::{Form, Order, Packed, Shows};
use super::render::parts::Head;
use super::seen;
use crate::deadline::{Deadline, Stage};
use crate::intent::{Intent, IntentKind};
use crate::issue::Issue;
use crate::permalink::Permalinks;
use crate::rank::{PlaceId, Ranked};
use crate::request::Request;
use crate::resolve::{Candidates, is_stop_word};

/// Tokens under which no card is tried.
pub(super) const SMALLEST_CARD: usize = 24;

/// The sections of bodies.
pub(super) const BODY_SECTIONS: [SectionKind; 2] =
    [SectionKind::Definitions, SectionKind::Snippets];

/// Whether only the section's own share may be used, or all that is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    Share,
    Rest,
}

/// What the stages before found.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// What is asked for.
    pub intent: &'a Intent,
    /// What the query names.
    pub candidates: &'a Candidates,
    /// The best files, functions and places.
    pub ranked: &'a Ranked,
}

/// Everything that the steps look at, and the context that they fill.
pub(super) struct Plan<'a> {
    pub snapshot: &'a Snapshot,
    pub config: &'a AssembleConfig,
    pub deadline: &'a Deadline,
    pub intent: IntentKind,
    pub profile: &'a Profile,
    /// What gets in.
    pub limits: Limits,
    pub ranked: &'a Ranked,
    pub candidates: &'a Candidates,
    pub budget: usize,
    pub packed: Packed<'a>,
    /// The bodies of `packed`, so that none of them comes twice.
    pub near_duplicates: NearDuplicates,
    /// How strongly the query names a definition: the strongest evidence.
    pub named: HashMap<DefId, f32>,
    /// The probability of each ranked file.
    pub of_files: HashMap<FileId, f32>,
    /// That of the best place of each file.
    pub best_of_files: HashMap<FileId, f32>,
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
        found: Found<'a>,
        config: &'a AssembleConfig,
        deadline: &'a Deadline,
    ) -> Self {
        let Found {
            intent,
            candidates,
            ranked,
        } = found;
        let mut named: HashMap<DefId, f32> = HashMap::default();
        for evidence in &candidates.definitions {
            let strength = named.entry(evidence.definition).or_default();
            *strength = strength.max(evidence.strength);
        }
        named.retain(|_, strength| *strength >= config.cards.named_strength);
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
            deadline,
            intent: intent.kind,
            profile: config.profile(intent.kind),
            limits,
            of_files: files.map(|file| (file.id, file.probability)).collect(),
            best_of_files: best_of_files(&snapshot.files, ranked),
            ranked,
            candidates,
            budget: request.budget_tokens,
            packed: Packed::new(
                form(snapshot, request, intent, candidates, ranked),
                seen::lines(&snapshot.files, &request.seen),
            ),
            near_duplicates: NearDuplicates::default(),
            named_order: order.into_iter().map(|(id, _)| id).collect(),
            named,
            words: words(&request.query),
            dropped: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// How many tests or callers are listed: as many as there may be where the intent asks for them.
    pub(super) fn max_links(&self, section: SectionKind) -> usize {
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
        self.scaled_count(match section {
            SectionKind::Tests => limits.tests,
            _ => limits.callers,
        })
    }

    /// How many of `count` tests, callers or members there may be: fewer with a small budget, in proportion, but
    /// one where there are any.
    pub(super) fn scaled_count(&self, count: usize) -> usize {
        let full = self.config.full_cards_from.max(1);
        (count * self.budget.min(full)).div_ceil(full)
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
        let full = self.config.full_shares_from.max(1);
        if is_main || self.budget >= full {
            share
        } else {
            share * self.budget / full
        }
    }

    /// Tokens that bodies may take before anything else: all but the shares of the other sections, and of the
    /// cards of what the query names.
    pub(super) fn share_of_bodies(&self) -> usize {
        let others = [
            SectionKind::Imports,
            SectionKind::Tests,
            SectionKind::Callers,
        ];
        let others: usize = others.iter().map(|section| self.share(*section)).sum();
        let named = self.budget * self.config.cards.named_share / 100;
        self.budget.saturating_sub(others + named)
    }

    /// A body that is shown and says nearly the same as a stretch of a file.
    pub(super) fn find_near_duplicate(&mut self, stretch: Stretch) -> Option<NearDuplicate> {
        if !self.deadline.allows(Stage::NearDuplicates) {
            return None;
        }
        let alike = Alike {
            lines: self.config.near_duplicates.min_lines,
            percent: self.config.near_duplicates.min_percent,
        };
        self.near_duplicates
            .find(&self.snapshot.files, stretch, alike)
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
        if !within || !self.packed.fits(&measured, shows.file, 0) {
            return Err(measured.tokens);
        }
        self.packed.add(measured, shows, order);
        Ok(())
    }

    /// The definition that the query names and these lines call, where callers are asked about.
    pub(super) fn callee_in(&self, file: FileId, lines: Lines) -> Option<DefId> {
        if self.profile.callers < self.config.main_share {
            return None;
        }
        self.named_order.iter().copied().find(|id| {
            let mut sites = self.snapshot.graph.uses_of(*id).iter();
            let is_itself = self.snapshot.files.file_of(*id) == file
                && lines.overlap(self.snapshot.files.definition(*id).lines) > 0;
            !is_itself
                && sites.any(|site| {
                    let is_sure = site.confidence != Confidence::NameOnly;
                    is_sure && site.file == file && lines.contains(site.line)
                })
        })
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
    let page = request.web_page.as_ref();
    Form {
        format: request.format,
        head: Head {
            intent,
            repo: &request.repo,
            commit,
            budget: request.budget_tokens,
        },
        // What differs from the commit is not there under its lines.
        links: page
            .filter(|_| !snapshot.revision.dirty)
            .and_then(|page| Permalinks::new(page, commit)),
        files: changed.chain(ranks).collect(),
        max_files: request.max_files.unwrap_or(usize::MAX),
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

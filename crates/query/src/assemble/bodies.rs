//! Which definitions are shown whole. The edited function present is what counts: bodies of the
//! best ranked definitions take most of the budget, and cheap ones go before dear ones of about the
//! same rank.

use foldhash::HashSet;
use foveate_index::{DefId, FileId, Files};
use foveate_model::Role;

use super::Dropped;
use super::card;
use super::changed;
use super::near_duplicates::{NearDuplicate, Stretch};
use super::packed::{BODY, COMPACT, Measured, Shows};
use super::plan::{Pass, Plan};
use super::render::SectionKind;
use super::source::Matters;
use crate::deadline::Stage;
use crate::rank::{PlaceId, RankedPlace};
use crate::resolve::changed_lines;

/// Bytes of code per token, and tokens of an entry's own markup: for the estimate that spares
/// counting what cannot fit.
const BYTES_PER_TOKEN: f32 = 4.2;
const MARKUP_TOKENS: usize = 35;
/// An estimate this much too high still does not refuse what would fit.
const ESTIMATE_SLACK: f32 = 1.4;
/// A cut body is made smaller this often before it is given up.
const CUT_ATTEMPTS: usize = 4;

/// Something that may be shown whole.
#[derive(Debug)]
struct Body {
    place: RankedPlace,
    file: FileId,
    stretch: Stretch,
    rank: usize,
    section: SectionKind,
    is_container: bool,
    /// Whether it must be there, at least in part: the caller's own change.
    is_changed: bool,
    /// Tokens: estimated until `is_counted`.
    tokens: usize,
    is_counted: bool,
    /// Its rendering, once made: a body that is refused now may be taken in the next pass.
    measured: Option<Measured>,
    worth: f32,
    /// The body that is shown in its place, where its state is `Alike`.
    near_duplicate: Option<NearDuplicate>,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Waiting,
    Shown,
    /// Its lines are in another body.
    Within,
    /// Another body says nearly the same.
    Alike,
    /// Not likely enough to be worth its tokens.
    Unlikely,
}

/// The candidates, the most worth per cost first.
#[derive(Debug)]
pub(super) struct Bodies {
    bodies: Vec<Body>,
}

impl Bodies {
    /// The caller's change, the ranked places, then the definitions that the query names and that are not
    /// ranked.
    pub(super) fn new(plan: &Plan<'_>) -> Self {
        let most = plan.config.bodies.candidates;
        let files = &plan.snapshot.files;
        let named = plan.named_order.iter().take(most);
        let named = named.map(|id| RankedPlace::new(files, PlaceId::Definition(*id)));
        let ranked = plan.ranked.places.iter().take(most).cloned();
        let changed = changed::places(plan);
        let mut seen = HashSet::default();
        let all = changed.iter().cloned().chain(ranked).chain(named);
        let mut bodies: Vec<Body> = all
            .filter(|place| seen.insert(place.id))
            .enumerate()
            .map(|(rank, place)| body(plan, place, rank, rank < changed.len()))
            .collect();
        bodies.sort_by(|a, b| {
            b.is_changed
                .cmp(&a.is_changed)
                .then(b.worth.total_cmp(&a.worth))
                .then(a.rank.cmp(&b.rank))
        });
        Self { bodies }
    }

    /// Adds bodies while they fit the shares of definitions and snippets, or whatever is left.
    pub(super) fn fill(&mut self, plan: &mut Plan<'_>, pass: Pass) {
        for position in 0..self.bodies.len() {
            let Some(body) = self.bodies.get_mut(position) else {
                break;
            };
            if body.state != State::Waiting {
                continue;
            }
            if plan.packed.shows_all(body.file, body.place.lines) {
                body.state = State::Within;
                continue;
            }
            if !body.has_time(plan) {
                continue;
            }
            body.try_add(plan, pass);
            // A change gets what others leave; the best place must not wait for that.
            let must_be_cut = match pass {
                Pass::Share => body.rank == 0 && !body.is_changed,
                Pass::Rest => body.is_changed,
            };
            if must_be_cut && body.state == State::Waiting {
                body.add_cut(
                    plan,
                    plan.budget * plan.config.bodies.cut_share as usize / 100,
                );
            }
        }
    }

    /// Shows parts of the best definitions that did not fit.
    pub(super) fn cut_best(&mut self, plan: &mut Plan<'_>) {
        const BEST: usize = 3;
        let mut best: Vec<&mut Body> = self
            .bodies
            .iter_mut()
            .filter(|body| body.state == State::Waiting && body.rank < BEST && !body.is_container)
            .collect();
        best.sort_by_key(|body| body.rank);
        for body in best {
            if body.has_time(plan) {
                body.add_cut(plan, plan.packed.left());
            }
        }
    }

    /// The best of those that another body says nearly the same as: a card each that says which,
    /// and what differs.
    pub(super) fn near_duplicate_cards(&self, plan: &mut Plan<'_>) {
        let mut alike: Vec<&Body> = self
            .bodies
            .iter()
            .filter(|body| body.state == State::Alike)
            .collect();
        alike.sort_by_key(|body| body.rank);
        for body in alike.into_iter().take(plan.config.near_duplicates.cards) {
            body.add_near_duplicate_card(plan);
        }
    }

    /// The best of the definitions that are shown whole and at least so likely.
    pub(super) fn shown(&self, most: usize, least: f32) -> Vec<DefId> {
        let mut shown: Vec<(usize, DefId)> = self
            .bodies
            .iter()
            .filter(|body| body.state == State::Shown && body.place.probability >= least)
            .filter_map(|body| Some((body.rank, body.definition()?)))
            .collect();
        shown.sort_unstable();
        shown.into_iter().map(|(_, id)| id).take(most).collect()
    }

    /// The chance that a right place is shown whole: one that no shown place is wrong about.
    pub(super) fn confidence(&self) -> f32 {
        let shown = |body: &&Body| matches!(body.state, State::Shown | State::Within);
        let all = self.bodies.iter().filter(shown);
        let missed: f32 = all.map(|body| 1.0 - body.place.probability).product();
        1.0 - missed
    }

    /// The definitions that tests, callers and imports are looked up for: those shown whole that are
    /// likely, and those named, the best first.
    pub(super) fn seeds(&self, plan: &Plan<'_>) -> Vec<DefId> {
        let mut seeds: Vec<DefId> = Vec::new();
        // Best ranked ones and named ones in turn: either may be what the question is about.
        let named = plan.named_order.iter().copied();
        let mut named = named.filter(|_| plan.asks_about_named());
        let likely = self.shown(plan.config.links.seeds, plan.limits.min_seed_probability);
        let mut ranked = likely.into_iter();
        while seeds.len() < plan.config.links.seeds {
            let pair = [ranked.next(), named.next()];
            if pair == [None, None] {
                break;
            }
            for id in pair.into_iter().flatten() {
                if !seeds.contains(&id) {
                    seeds.push(id);
                }
            }
        }
        seeds
    }

    /// Lists what is not shown whole.
    pub(super) fn report(&self, plan: &mut Plan<'_>) {
        let mut missing: Vec<&Body> = self
            .bodies
            .iter()
            .filter(|body| {
                matches!(body.state, State::Waiting | State::Alike | State::Unlikely)
                    && !plan.packed.shows_all(body.file, body.place.lines)
            })
            .collect();
        missing.sort_by_key(|body| body.rank);
        for body in missing.into_iter().take(plan.config.dropped) {
            plan.dropped.push(Dropped {
                path: plan.snapshot.files.path(body.file).to_owned(),
                name: body.place.name.clone(),
                tokens: body.tokens,
                reason: match body.state {
                    State::Alike => "duplicate",
                    State::Unlikely => "low_value",
                    _ => "budget",
                },
            });
        }
    }
}

impl Body {
    fn shows(&self) -> Shows {
        Shows {
            file: self.file,
            place: Some(self.place.id),
            lines: vec![self.place.lines],
        }
    }

    /// Whether there is time to render and count it; the best one is shown however late it is.
    fn has_time(&self, plan: &Plan<'_>) -> bool {
        self.rank == 0 || plan.deadline.allows(Stage::Bodies)
    }

    /// Why it is shown.
    fn reason(&self) -> String {
        match self.section {
            _ if self.is_changed => "changed".to_owned(),
            SectionKind::Definitions => format!("named by the query, rank {}", self.rank + 1),
            _ => format!("rank {}", self.rank + 1),
        }
    }

    fn definition(&self) -> Option<DefId> {
        match self.place.id {
            PlaceId::Definition(id) => Some(id),
            PlaceId::Stretch(_) => None,
        }
    }

    /// Adds it whole, or with its long documentation folded where the whole does not fit.
    fn try_add(&mut self, plan: &mut Plan<'_>, pass: Pass) {
        let shows = self.shows();
        // Something else shows some of these lines and would not go away.
        let Some(freed) = plan.packed.replaces(&shows) else {
            return;
        };
        if !self.may_fit(plan, pass) {
            return self.try_add_folded(plan, freed, pass);
        }
        let measured = self.measured.take().unwrap_or_else(|| {
            let mut entry = card::full(plan.snapshot, &self.place, self.section);
            entry.reason = self.reason();
            plan.packed.measure(entry)
        });
        self.tokens = measured.tokens;
        self.is_counted = true;
        if self.allowed(plan, &measured, freed, pass) {
            self.add(plan, measured, shows);
        } else {
            self.measured = Some(measured);
            self.try_add_folded(plan, freed, pass);
        }
    }

    /// Whether it is worth counting.
    fn may_fit(&self, plan: &Plan<'_>, pass: Pass) -> bool {
        let slack = if self.is_counted { 1.0 } else { ESTIMATE_SLACK };
        let estimate = (self.tokens as f32 / slack) as usize;
        estimate <= plan.packed.left() && estimate <= self.max_tokens(plan, pass)
    }

    fn try_add_folded(&mut self, plan: &mut Plan<'_>, freed: usize, pass: Pass) {
        let folded = card::folded(plan.snapshot, &self.place, self.section);
        let Some((mut entry, lines)) = folded.filter(|_| !self.is_changed) else {
            return;
        };
        entry.reason = self.reason();
        let shows = Shows {
            lines,
            ..self.shows()
        };
        let measured = plan.packed.measure(entry);
        if self.allowed(plan, &measured, freed, pass) {
            self.add(plan, measured, shows);
        }
    }

    fn add(&mut self, plan: &mut Plan<'_>, measured: Measured, shows: Shows) {
        if self.find_near_duplicate(plan) {
            self.state = State::Alike;
        } else {
            plan.packed.add(measured, shows, (BODY, self.rank));
            plan.near_duplicates.show(self.stretch);
            self.state = State::Shown;
        }
    }

    /// Whether a body that is shown says nearly the same. What the query names is shown all the
    /// same unless nothing differs; and a passage has no card that could say what differs.
    fn find_near_duplicate(&mut self, plan: &mut Plan<'_>) -> bool {
        let Some(near_duplicate) = plan.find_near_duplicate(self.stretch) else {
            return false;
        };
        let is_free = |id: DefId| !plan.named.contains_key(&id);
        let may_differ = self.definition().is_some_and(is_free);
        let found = may_differ || near_duplicate.differing.is_empty();
        self.near_duplicate = Some(near_duplicate);
        found
    }

    fn add_near_duplicate_card(&self, plan: &mut Plan<'_>) {
        let (Some(id), Some(near_duplicate)) = (self.definition(), &self.near_duplicate) else {
            return;
        };
        if plan.packed.has(self.place.id) {
            return;
        }
        let section = match self.section {
            SectionKind::Tests => SectionKind::Tests,
            _ => SectionKind::Definitions,
        };
        let entry = card::near_duplicate(
            plan.snapshot,
            id,
            section,
            near_duplicate,
            plan.config.cards.members,
        );
        // What does not fit is reported as dropped all the same.
        let _ = plan.try_add(entry, plan.card_shows(id), (COMPACT, self.rank), Pass::Rest);
    }

    fn allowed(&self, plan: &Plan<'_>, measured: &Measured, freed: usize, pass: Pass) -> bool {
        if measured.tokens > self.max_tokens(plan, pass) {
            return false;
        }
        let within = match pass {
            Pass::Rest => true,
            Pass::Share => {
                let both = [SectionKind::Definitions, SectionKind::Snippets];
                let used: usize = both.iter().map(|s| plan.packed.used(*s)).sum();
                let share: usize = both.iter().map(|s| plan.share(*s)).sum();
                used.saturating_sub(freed) + measured.tokens <= share
            }
        };
        within && plan.packed.fits(measured, self.file, freed)
    }

    /// The largest part of the budget that one body may take: a giant must not eat it all unless it
    /// is the best, or nothing else wants it.
    fn max_tokens(&self, plan: &Plan<'_>, pass: Pass) -> usize {
        let config = &plan.config.bodies;
        let percent = match (self.rank, pass) {
            _ if self.is_changed => 100,
            (0, Pass::Share) => config.first_share,
            (0, Pass::Rest) => 100,
            (_, Pass::Share) => config.other_share,
            (_, Pass::Rest) => config.rest_share,
        };
        let most = plan.budget * percent as usize / 100;
        if self.is_container && !self.is_changed {
            most.min(config.container_tokens.max(plan.budget / 20))
        } else {
            most
        }
    }

    fn add_cut(&mut self, plan: &mut Plan<'_>, most: usize) {
        let most = most.min(plan.packed.left());
        if most < plan.config.bodies.min_cut || plan.packed.shows_any(self.file, self.place.lines) {
            return;
        }
        let mut bytes = most.saturating_sub(MARKUP_TOKENS) as f32 * BYTES_PER_TOKEN * 0.8;
        for _ in 0..CUT_ATTEMPTS {
            let changed = changed_lines(&plan.candidates.changed, self.file, self.place.lines);
            let matters = Matters {
                words: &plan.words,
                changed: &changed,
            };
            let (mut entry, lines) = card::partial(
                plan.snapshot,
                &self.place,
                self.section,
                matters,
                bytes as usize,
            );
            entry.reason = self.reason();
            let measured = plan.packed.measure(entry);
            if measured.tokens <= most && plan.packed.fits(&measured, self.file, 0) {
                let shows = Shows {
                    file: self.file,
                    place: Some(self.place.id),
                    lines,
                };
                plan.packed.add(measured, shows, (BODY, self.rank));
                return;
            }
            bytes *= 0.75;
        }
    }
}

/// Whether the line before a function, which starts at the byte `start`, is blank and in no stretch. It is
/// shown with the function: what is new is often put there.
fn has_blank_line_before(files: &Files, place: &RankedPlace, start: u32) -> bool {
    let PlaceId::Definition(id) = place.id else {
        return false;
    };
    let file = files.file_of(id);
    let above = files.text(file).get(..start as usize).unwrap_or("");
    let mut lines = above.rsplit('\n').skip(1);
    let is_blank = lines.next().is_some_and(|line| line.trim().is_empty());
    is_blank && !files.is_in_stretch(file, place.lines.start - 1)
}

fn body(plan: &Plan<'_>, mut place: RankedPlace, rank: usize, is_changed: bool) -> Body {
    let files = &plan.snapshot.files;
    let file = place.id.file(files);
    let (stretch, is_container, is_named) = match place.id {
        PlaceId::Definition(id) => (
            Stretch::of_definition(files, id),
            files.definition(id).kind.is_container(),
            plan.named.contains_key(&id),
        ),
        PlaceId::Stretch(_) => (Stretch::of_lines(files, file, place.lines), false, false),
    };
    if has_blank_line_before(files, &place, stretch.span.start) {
        place.lines.start -= 1;
    }
    let tokens = (stretch.span.len() as f32 / BYTES_PER_TOKEN) as usize + MARKUP_TOKENS;
    let section = match files.file(file).role {
        Role::Test if !is_changed => SectionKind::Tests,
        _ if is_named || is_changed => SectionKind::Definitions,
        _ => SectionKind::Snippets,
    };
    let is_likely = rank == 0 || is_changed || plan.is_likely(&place, tokens);
    let cost = (tokens as f32).powf(plan.config.bodies.cost_exponent);
    Body {
        worth: place.probability / cost,
        place,
        file,
        stretch,
        rank,
        section,
        is_container,
        is_changed,
        tokens,
        is_counted: false,
        measured: None,
        near_duplicate: None,
        state: if is_likely {
            State::Waiting
        } else {
            State::Unlikely
        },
    }
}

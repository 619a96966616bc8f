//! Chooses the definitions and stretches that are shown whole. An answer is good if it shows the function to
//! edit: bodies of the best ranked places take most of the budget, and among bodies of similar rank, short
//! ones go first.

use foldhash::HashSet;
use foveate_index::{DefId, FileId};

use super::body::{BEST, Body, Side, State};
use super::changed::ChangedPlaces;
use super::links::test_links;
use super::pack::{DropReason, Dropped};
use super::plan::{BudgetScope, Plan};
use crate::issue::{self, Issue, IssueCode};
use crate::rank::{PlaceId, RankedPlace};

/// The candidates, by descending worth: probability per cost.
#[derive(Debug)]
pub(super) struct Bodies {
    bodies: Vec<Body>,
    /// The best ranked place, if the query has any words.
    best: Option<PlaceId>,
    /// Number of places that the caller changed; not all of them need be candidates.
    changed: usize,
    /// The files of these places.
    changed_files: Vec<FileId>,
}

impl Bodies {
    /// Collects the candidates: the caller's change, what a question asks for alone, the ranked places, and, of those that
    /// are not ranked, the definitions that the query names, the tests that failed and the functions of messages.
    pub(super) fn new(plan: &Plan<'_>) -> Self {
        let limit = plan.config.bodies.max_candidates;
        let files = &plan.snapshot.files;
        let failed_tests = plan.failed_tests.iter().copied();
        let reported = plan.resolution.reported.iter().copied();
        let named = plan.named.ids().take(limit).chain(failed_tests);
        let named = named.chain(reported);
        let named = named.map(|id| RankedPlace::new(files, PlaceId::Definition(id)));
        let asks_for_tests = plan.profile.tests >= plan.config.min_main_share;
        let ranked = plan.ranked.places.iter().take(limit).cloned();
        let ranked = ranked.map(|place| match asks_for_tests {
            true => test_links::in_whole_test(files, place),
            false => place,
        });
        let ranked: Vec<RankedPlace> = ranked.collect();
        let asked = plan.looked_up.definitions.iter();
        let asked = asked.filter(|id| plan.looked_up.is_shown_whole(files, **id));
        let asked = asked.take(limit).map(|id| {
            let id = PlaceId::Definition(*id);
            let of_ranked = ranked.iter().find(|place| place.id == id).cloned();
            of_ranked.unwrap_or_else(|| RankedPlace::new(files, id))
        });
        let asked: Vec<RankedPlace> = asked.collect();
        let ChangedPlaces {
            places: changed,
            total,
            files: changed_files,
        } = &plan.changed;
        // If a query comes with a change, its best place must not wait for the whole change.
        let best = plan.ranked.places.first().map(|place| place.id);
        let best = best.filter(|_| !plan.words.is_empty());
        let mut seen = HashSet::default();
        let all = changed.iter().cloned().chain(asked);
        let all = all.chain(ranked).chain(named);
        let mut bodies: Vec<Body> = all
            .filter(|place| seen.insert(place.id))
            .enumerate()
            .map(|(rank, place)| Body::new(plan, place, rank, rank < changed.len()))
            .collect();
        share_among_sides(plan, &mut bodies);
        bodies.sort_by(|a, b| {
            let side = |body: &Body| body.side.map_or(usize::MAX, |side| side.position);
            let is_best = |body: &Body| !changed.is_empty() && Some(body.place.id) == best;
            let role = |body: &Body| body.is_changed.then(|| body.place.id.role(files));
            (side(a).cmp(&side(b)))
                .then(is_best(b).cmp(&is_best(a)))
                .then(b.is_changed.cmp(&a.is_changed))
                .then(role(a).cmp(&role(b)))
                .then(b.worth.total_cmp(&a.worth))
                .then(a.rank.cmp(&b.rank))
        });
        Self {
            bodies,
            best,
            changed: *total,
            changed_files: changed_files.clone(),
        }
    }

    /// Adds bodies that fit: in [`BudgetScope::Share`] the share of bodies, in [`BudgetScope::Rest`] all tokens left.
    pub(super) fn fill(&mut self, plan: &mut Plan<'_>, pass: BudgetScope) {
        // Whether the best places are shown, at least by their signatures: they are added before the first body that yields.
        let mut has_best: Option<bool> = None;
        for position in 0..self.bodies.len() {
            let body = self.bodies.get(position);
            let yields = plan.has_small_budget() && body.is_some_and(Body::yields_to_best);
            let waits = yields && !*has_best.get_or_insert_with(|| self.add_best(plan, pass));
            let Some(body) = self.bodies.get_mut(position) else {
                break;
            };
            match body.state {
                State::Waiting => {}
                State::Unlikely => {
                    body.add_signature(plan);
                    continue;
                }
                State::Shown | State::Within | State::NearDuplicate | State::Beside => continue,
            }
            if plan.packed.shows_all(body.file, body.compared.lines) {
                body.state = State::Within;
                continue;
            }
            if waits || !body.has_time(plan) {
                continue;
            }
            let is_best = Some(body.place.id) == self.best;
            add_whole_or_cut(body, plan, pass, is_best);
            if body.state == State::Waiting {
                body.add_signature(plan);
            }
        }
    }

    /// Adds the best places that wait: whole, the first one else in part, the others by their signatures. Returns false if a
    /// signature has no room: nothing less likely may then take what is left.
    fn add_best(&mut self, plan: &mut Plan<'_>, pass: BudgetScope) -> bool {
        let bodies = self.bodies.iter_mut();
        let mut best: Vec<&mut Body> = bodies.filter(|body| body.rank < BEST).collect();
        best.sort_by_key(|body| body.rank);
        for body in &mut best {
            if body.state == State::Waiting && body.has_time(plan) {
                let is_best = Some(body.place.id) == self.best;
                add_whole_or_cut(body, plan, pass, is_best);
            }
        }
        best.retain(|body| matches!(body.state, State::Waiting | State::Unlikely));
        best.into_iter().all(|body| body.add_signature(plan))
    }

    /// Adds parts of the best bodies that did not fit, and of bodies that are too long for their probability.
    pub(super) fn cut_best(&mut self, plan: &mut Plan<'_>) {
        let max_rank = plan.config.bodies.max_cut_candidates;
        let mut best: Vec<&mut Body> = self
            .bodies
            .iter_mut()
            .filter(|body| match body.state {
                State::Waiting => body.rank < BEST,
                State::Unlikely => body.rank < max_rank,
                _ => false,
            })
            .filter(|body| !body.is_container)
            .collect();
        best.sort_by_key(|body| body.rank);
        for body in best {
            if body.has_time(plan) {
                body.add_cut(plan, plan.packed.left().min(body.worth_tokens));
            }
        }
    }

    /// Adds cards for the best bodies that are near-duplicates of shown ones. Each names the shown body and
    /// lists what differs.
    pub(super) fn near_duplicate_cards(&self, plan: &mut Plan<'_>) {
        let mut duplicates: Vec<&Body> = self
            .bodies
            .iter()
            .filter(|body| body.state == State::NearDuplicate)
            .collect();
        duplicates.sort_by_key(|body| body.rank);
        for body in duplicates
            .into_iter()
            .take(plan.config.near_duplicates.max_cards)
        {
            body.add_near_duplicate_card(plan);
        }
    }

    /// Returns the best definitions that are shown whole and have at least a given probability.
    pub(super) fn shown(&self, limit: usize, min_probability: f32) -> Vec<DefId> {
        let mut shown: Vec<(usize, DefId)> = self
            .bodies
            .iter()
            .filter(|body| body.state == State::Shown && body.place.probability >= min_probability)
            .filter_map(|body| Some((body.rank, body.definition()?)))
            .collect();
        shown.sort_unstable();
        shown.into_iter().map(|(_, id)| id).take(limit).collect()
    }

    /// Returns the probability that a right place is shown whole, according to the ranking: the sum of the
    /// softmax shares of the shown bodies. What is only near the answer of a look-up is not missed.
    pub(super) fn share_of_shown(&self) -> f32 {
        self.share(&[State::Shown, State::Within, State::Beside])
    }

    /// Returns what [`Self::share_of_shown`] would be if the budget had room for all bodies that are likely enough.
    pub(super) fn share_of_likely(&self) -> f32 {
        self.share(&[State::Shown, State::Within, State::Waiting, State::Beside])
    }

    fn share(&self, states: &[State]) -> f32 {
        let counted = self
            .bodies
            .iter()
            .filter(|body| states.contains(&body.state));
        let share: f32 = counted.map(|body| body.place.share).sum();
        share.min(1.0)
    }

    /// Returns the definitions whose tests and callers are looked up: likely ones that are shown whole and
    /// those that the query names, the best first.
    pub(super) fn seeds(&self, plan: &Plan<'_>) -> Vec<DefId> {
        let mut seeds: Vec<DefId> = Vec::new();
        // Alternates between ranked and named ones: the question may be about either.
        let mut named = plan
            .named
            .ids()
            .filter(|id| plan.asks_about_named() && !plan.is_named_as_owner(*id));
        let likely = self.shown(
            plan.config.links.max_seeds,
            plan.limits.min_seed_probability,
        );
        let mut ranked = likely.into_iter();
        while seeds.len() < plan.config.links.max_seeds {
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

    /// Removes the entries added last until the text is within the limits. Bodies that are then no longer shown
    /// count as dropped; the other places that are removed are returned, too.
    pub(super) fn fit_limits(&mut self, plan: &mut Plan<'_>) -> Vec<Dropped> {
        let removed = plan.packed.fit_limits();
        for body in &mut self.bodies {
            // A folded body does not show all of its lines.
            let is_shown = plan.packed.has_lines_of(body.place.id)
                || plan.packed.shows_all(body.file, body.compared.lines);
            if matches!(body.state, State::Shown | State::Within) && !is_shown {
                body.state = State::Waiting;
            }
        }
        removed
    }

    /// Adds an issue that says how much of the caller's change is shown, unless that is all or nothing.
    pub(super) fn note_change(&self, plan: &mut Plan<'_>) {
        let (mut whole, mut cut, mut cards) = (0, 0, 0);
        let mut shown_files: HashSet<FileId> = HashSet::default();
        for body in self.bodies.iter().filter(|body| body.is_changed) {
            if matches!(body.state, State::Shown | State::Within)
                || plan.packed.shows_all(body.file, body.compared.lines)
            {
                whole += 1;
            } else if plan.packed.has_lines_of(body.place.id) {
                cut += 1;
            } else if plan.packed.has(body.place.id) {
                cards += 1;
            } else {
                continue;
            }
            shown_files.insert(body.file);
        }
        if whole == self.changed || plan.packed.is_empty() {
            return;
        }
        let files = &plan.snapshot.files;
        let missing = self.changed_files.iter();
        let missing = missing.filter(|file| !shown_files.contains(*file));
        let missing: Vec<&str> = missing.map(|file| files.path(*file)).collect();
        let nothing = match missing.len() {
            0 => String::new(),
            count => format!(
                "; nothing is shown of {count} file{}: {}",
                if count == 1 { "" } else { "s" },
                issue::list(missing)
            ),
        };
        plan.issues.push(Issue {
            code: IssueCode::PartialChange,
            detail: format!(
                "of {} changed places in {} files, {whole} are shown whole, {cut} in part and {cards} by their \
                 signature{nothing}; the same question with the shown ones in `seen` gets the next ones",
                self.changed,
                self.changed_files.len(),
            ),
        });
    }

    /// Reports bodies that are not shown whole as dropped.
    pub(super) fn report(&self, plan: &mut Plan<'_>) {
        let mut missing: Vec<&Body> = self
            .bodies
            .iter()
            .filter(|body| {
                matches!(
                    body.state,
                    State::Waiting | State::NearDuplicate | State::Unlikely | State::Beside
                ) && !plan.packed.shows_all(body.file, body.compared.lines)
            })
            .collect();
        missing.sort_by_key(|body| body.rank);
        for (position, body) in missing.into_iter().enumerate() {
            let dropped = Dropped {
                path: plan.snapshot.files.path(body.file).to_owned(),
                name: body.place.name.clone(),
                lines: Some(body.place.lines),
                tokens: body.tokens,
                reason: match body.state {
                    State::NearDuplicate => DropReason::Duplicate,
                    State::Unlikely | State::Beside => DropReason::LowValue,
                    _ => DropReason::Budget,
                },
            };
            if position < plan.config.max_dropped {
                plan.dropped.add(dropped);
            } else {
                plan.dropped.count(dropped);
            }
        }
    }
}

/// Adds a body whole, or else a part of it, if it must not wait for others. `is_best` says whether it is the best ranked
/// place for the words of the query.
fn add_whole_or_cut(body: &mut Body, plan: &mut Plan<'_>, pass: BudgetScope, is_best: bool) {
    // The sides of a comparison are all that is shown.
    let pass = body.side.map_or(pass, |_| BudgetScope::Rest);
    body.try_add(plan, pass);
    // A change is cut only once other bodies were tried; the best place must not wait that long.
    let must_be_cut = match pass {
        _ if body.side.is_some() => true,
        // The card of a type is enough.
        _ if body.is_container && body.is_answer => false,
        BudgetScope::Share => body.rank == 0 && !body.is_changed || is_best,
        BudgetScope::Rest => body.is_changed,
    };
    if must_be_cut && body.state == State::Waiting {
        let config = &plan.config.bodies;
        let max_tokens = plan.budget() * config.max_cut_share as usize / 100;
        // A part of fewer tokens says too little.
        let max_tokens = max_tokens.max(config.min_cut_tokens.min(plan.share_of_bodies()));
        body.add_cut(plan, body.side.map_or(max_tokens, |side| side.max_tokens));
    }
}

/// Gives each of the definitions that a question compares an equal part of the budget, and what the others leave of theirs.
fn share_among_sides(plan: &Plan<'_>, bodies: &mut [Body]) {
    let sides = plan.looked_up.compared();
    let Some(equal) = plan.packed.left().checked_div(sides.len()) else {
        return;
    };
    let position = |body: &Body| {
        let id = body.definition()?;
        sides.iter().position(|side| *side == id)
    };
    // The tokens of bodies are estimates at first.
    let left = |body: &Body| equal.saturating_sub(body.tokens + body.tokens / 4);
    let others = bodies.iter().filter(|body| position(body).is_some());
    let max_tokens = equal + others.map(left).sum::<usize>();
    for body in bodies {
        if let Some(position) = position(body) {
            body.set_side(Side {
                position,
                max_tokens,
            });
        }
    }
}

//! Runs the steps of assembly in order: the most valuable entries first, within the shares of the intent's
//! profile; then the unused shares go to the next best entries.

use foveate_index::DefId;

use super::bodies::Bodies;
use super::dependencies;
use super::entry::SectionKind;
use super::links::Links;
use super::pack::{DropReason, Dropped, Pack};
use super::packed::SizeLimit;
use super::plan::{BudgetScope, MIN_CARD_TOKENS, Plan};
use super::render::parts::HeadFigures;
use super::{confidence, gaps, siblings, unindexed};
use crate::deadline::Stage;
use crate::issue::{Issue, IssueCode};
use crate::request::Hunk;
use crate::tokenizer::BYTES_PER_TOKEN;

/// Runs the steps.
pub(super) fn run(mut plan: Plan<'_>) -> Pack {
    // If few files may be shown, those of the caller's focus come before that of the best place.
    if plan.request.max_files.is_some() {
        plan.focus_cards();
        plan.first_cards();
    } else {
        plan.first_cards();
        plan.focus_cards();
    }
    let mut bodies = Bodies::new(&plan);
    if plan.intent.is_change() {
        bodies.fill(&mut plan, BudgetScope::Share);
        plan.named_cards();
    } else {
        plan.named_cards();
        bodies.fill(&mut plan, BudgetScope::Share);
    }
    let mut links = Links::new(&plan, &bodies.seeds(&plan));
    links.fill(&mut plan, BudgetScope::Share);
    let lists_first = siblings::come_first(&plan) && !plan.looked_up.is_found();
    if lists_first && plan.deadline.allows(Stage::Cards) {
        siblings::add(&mut plan);
    }
    bodies.fill(&mut plan, BudgetScope::Rest);
    last_cards(&mut plan, &mut bodies);
    links.fill(&mut plan, BudgetScope::Rest);
    gaps::fill(&mut plan);
    let max_percent = plan.config.cards.max_shown_percent;
    plan.packed.remove_shown_cards(max_percent);
    // Adjacent entries share markup: the tokens saved are for more bodies.
    plan.packed.count_rendered();
    bodies.fill(&mut plan, BudgetScope::Rest);
    gaps::fill(&mut plan);
    plan.packed.remove_shown_cards(max_percent);
    let removed = bodies.fit_limits(&mut plan);
    bodies.report(&mut plan);
    bodies.note_change(&mut plan);
    links.report(&mut plan);
    plan.dropped.extend(removed);
    report_files(&mut plan);
    unindexed::report(&mut plan);
    let (confidence, advice) = confidence::of(&plan, &bodies);
    finish(plan, confidence, advice)
}

/// Adds parts of bodies that did not fit, and cards while there is room and time, unless a name is looked up: then they are
/// only near it.
fn last_cards(plan: &mut Plan<'_>, bodies: &mut Bodies) {
    if plan.deadline.allows(Stage::Cards) {
        bodies.near_duplicate_cards(plan);
    }
    bodies.cut_best(plan);
    if plan.looked_up.is_found() {
        return;
    }
    let shown = bodies.shown(
        plan.config.links.max_seeds,
        plan.limits.min_seed_probability,
    );
    let steps: [fn(&mut Plan<'_>, &[DefId]); 4] = [
        |plan, shown| dependencies::add_cards(plan, shown),
        |plan, _| plan.compact_cards(),
        |plan, _| plan.outlines(),
        |plan, _| {
            if !siblings::come_first(plan) {
                siblings::add(plan);
            }
        },
    ];
    for step in steps {
        if !plan.deadline.allows(Stage::Cards) {
            break;
        }
        step(plan, &shown);
    }
}

fn finish(mut plan: Plan<'_>, confidence: f32, advice: Option<&'static str>) -> Pack {
    let budgets = SectionKind::ALL.map(|kind| plan.share(kind));
    let figures = HeadFigures {
        confidence,
        advice,
        used: 0,
        left_out: 0,
    };
    // Finishing takes the context out of the plan.
    let why_empty = why_empty(&plan);
    let mut pack = (plan.packed).finish(budgets, figures, plan.dropped, &plan.snapshot.files);
    if pack.sections.is_empty() {
        plan.issues.extend(why_empty);
    } else if let Some(advice) = advice {
        plan.issues.push(Issue {
            code: IssueCode::LowConfidence,
            detail: format!(
                "the probability that the right code is shown is {confidence:.2}: {advice}"
            ),
        });
    }
    pack.confidence = confidence;
    pack.issues.append(&mut plan.issues);
    pack
}

/// Returns the issue that says why nothing is shown although something was found.
fn why_empty(plan: &Plan<'_>) -> Option<Issue> {
    if plan.ranked.functions.is_empty() && plan.ranked.files.is_empty() {
        return None;
    }
    if let Some(unreadable) = unindexed::nothing_readable(plan) {
        return Some(unreadable);
    }
    if best_is_seen(plan) {
        return Some(Issue {
            code: IssueCode::AllSeen,
            detail: "the code that was found is in `seen`, and no other code is likely enough to be shown".to_owned(),
        });
    }
    // A change may leave nothing to show.
    plan.dropped.has_reason(&DropReason::Budget).then(|| {
        let (limit, parameter) = match plan.packed.smaller_limit() {
            SizeLimit::Tokens(max) => (format!("{max} tokens"), "budget_tokens"),
            SizeLimit::Chars(max) => (format!("{max} characters"), "max_chars"),
        };
        Issue {
            code: IssueCode::BudgetTooSmall,
            detail: format!("none of the code that was found fits into {limit}; raise {parameter}"),
        }
    })
}

/// Whether the caller has seen the whole change, or else the best place.
fn best_is_seen(plan: &Plan<'_>) -> bool {
    let files = &plan.snapshot.files;
    // Of what was removed there is nothing to see.
    let changed = plan.resolution.changed.iter();
    let changed = changed.filter_map(|(file, hunk)| match hunk {
        Hunk::Lines(lines) => Some((*file, *lines)),
        Hunk::Deletion(_) => None,
    });
    let mut changed = changed.peekable();
    match changed.peek().is_some() {
        true => changed.all(|(file, lines)| plan.packed.has_seen(file, lines)),
        false => (plan.ranked.places.first())
            .is_some_and(|best| plan.packed.has_seen(best.id.file(files), best.lines)),
    }
}

/// Reports the best files of which nothing is shown as dropped.
fn report_files(plan: &mut Plan<'_>) {
    const BEST: usize = 5;
    let min_probability = plan.limits.min_file_probability;
    let best = plan.ranked.files.iter().take(BEST);
    let missing: Vec<Dropped> = best
        .filter(|file| !plan.packed.has_file(file.id))
        .filter(|file| plan.snapshot.files.content(file.id).is_some())
        .map(|file| Dropped {
            path: plan.snapshot.files.path(file.id).to_owned(),
            name: String::new(),
            lines: None,
            tokens: plan.snapshot.files.text_bytes(file.id) / BYTES_PER_TOKEN,
            reason: if file.probability < min_probability || plan.packed.left() > MIN_CARD_TOKENS {
                DropReason::LowValue
            } else {
                DropReason::Budget
            },
        })
        .collect();
    plan.dropped.extend(missing);
}

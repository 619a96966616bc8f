//! Estimates how likely an answer shows the right code, and says what would help where that is unlikely.

use super::bodies::Bodies;
use super::packed::SizeLimit;
use super::plan::Plan;
use super::render::parts::{MORE_CHARS, MORE_TOKENS, NAME_IT, SAY_MORE};

/// Returns the confidence, 0 to 1, and advice if it is low and there is any.
pub(super) fn of(plan: &Plan<'_>, bodies: &Bodies) -> (f32, Option<&'static str>) {
    let specificity = specificity(plan);
    let calibrated = |share| plan.config.confidence.line.apply(share) * specificity;
    // Queries that explore or look up, and so change nothing, get the advice only if they are not specific.
    let may_be_low = (plan.intent.is_change() || specificity < 1.0)
        && (!plan.ranked.places.is_empty() || matches_nothing(plan));
    let is_low = |confidence: f32| may_be_low && confidence < plan.config.confidence.low;
    let confidence = calibrated(bodies.share_of_shown());
    let advice = match is_low(confidence) {
        true if is_low(calibrated(bodies.share_of_likely())) => say_more(plan),
        true => Some(match plan.packed.smaller_limit() {
            SizeLimit::Chars(_) => MORE_CHARS,
            SizeLimit::Tokens(_) => MORE_TOKENS,
        }),
        false => None,
    };
    (confidence, advice)
}

/// Whether there is a query, but no text of the repository has any of its words.
fn matches_nothing(plan: &Plan<'_>) -> bool {
    let files = &plan.snapshot.files;
    !plan.request.query.trim().is_empty()
        && plan.ranked.files.is_empty()
        && files.ids().any(|file| files.content(file).is_some())
}

/// Returns the advice for a query whose answer is unsure even with a larger budget; none for a change without words,
/// which can say no more.
fn say_more(plan: &Plan<'_>) -> Option<&'static str> {
    if plan.words.is_empty() && !plan.resolution.changed.is_empty() {
        return None;
    }
    Some(if plan.intent.is_change() {
        SAY_MORE
    } else {
        NAME_IT
    })
}

/// Returns how specific the query is, 0 to 1. It is 1 with a name, a file, a change or a few content words.
/// For "it is slow", any code that shares the one word would look certain; so it would if the repository has few
/// of the words. In a lookup, a plain word also counts as a name, and so does the best file's, unless it is about names
/// that the repository lacks.
fn specificity(plan: &Plan<'_>) -> f32 {
    let config = &plan.config.confidence;
    let mut symbols = plan.resolution.symbols.iter();
    let is_unknown = plan.resolution.asks_for_unknown_names(plan.intent);
    let is_lookup = !plan.intent.is_change() && !is_unknown;
    // The type of an unknown member may be known.
    let is_named = symbols.any(|s| s.is_identifier() && !is_unknown || is_lookup && s.is_word())
        || is_lookup && names_best_file(plan)
        || !plan.resolution.files.is_empty()
        || !plan.resolution.changed.is_empty()
        || plan.looked_up.is_found() && !plan.looked_up.is_guess;
    if is_named {
        return 1.0;
    }
    let enough = config.min_words.max(1);
    let specific = plan.words.len().min(enough) as f32 / enough as f32;
    specific * (plan.ranked.coverage / config.min_coverage).min(1.0)
}

/// Whether a word of the query is the name of the best file, without its extension: "deploy with gunicorn".
fn names_best_file(plan: &Plan<'_>) -> bool {
    plan.ranked.files.first().is_some_and(|best| {
        let stem = plan.snapshot.files.file(best.id).path.stem();
        let stem = stem.trim_start_matches('.').to_lowercase();
        plan.words.contains(&stem)
    })
}

//! Ranks files, functions and places: many weak signals, one explained sum, weights from
//! `config/ranking.toml`, which [`weights`] reads.
//!
//! Reading order: [`evidence`] gathers what is known about the query: its [`terms`], the error [`messages`] of the
//! repository that it has, and the well-known files that it describes ([`purposes`]). Files are ranked first
//! ([`files`]), then functions, which use the rank of their file ([`functions`]), and with them the
//! stretches of code and text between functions ([`stretches`]), which [`narrowing`] cuts to what the query is about.
//! [`history`] scores both by past commits. [`interactions`] corrects the sum of a file's signals by what they mean together.
//! [`adjustments`] changes the sums by what files are for; [`probability`] turns
//! scores into probabilities. [`ranked`] defines the results; [`mod@candidate_signals`] computes the signals alone, for
//! fitting the weights. Start at [`rank()`].

mod adjustments;
mod candidate_signals;
mod evidence;
mod files;
mod functions;
mod history;
mod interactions;
mod messages;
mod narrowing;
mod probability;
mod project_names;
mod purposes;
mod ranked;
mod stretches;
mod subject;
mod terms;
mod weights;

use std::sync::LazyLock;

use foveate_index::{Snapshot, top_k};

use self::evidence::Evidence;
pub use self::evidence::WordHits;
use crate::intent::IntentKind;
use crate::issue::Issue;
use crate::resolve::Resolution;

pub use self::candidate_signals::{CandidateSignals, SignalValues, candidate_signals};
pub use self::interactions::{Interactions, Tree};
pub use self::probability::Calibration;
pub use self::ranked::{ListedFile, ListedPlace, Signal};
pub use self::ranked::{PlaceId, RankedFile, RankedPlace};
pub use self::weights::RankConfig;

/// Files, functions and places, best first: everything with any evidence, up to [`MAX_RANKED`] of each.
#[derive(Clone, Debug, Default)]
pub struct Ranked {
    /// The best files.
    pub files: Vec<RankedFile>,
    /// The best functions, classes without methods, and other definitions.
    pub functions: Vec<RankedPlace>,
    /// The best of everything that can be edited: functions, and the stretches between them.
    pub places: Vec<RankedPlace>,
    /// The share of the query's words, by weight and rarity, that the file with most of them has, 0 to 1.
    pub coverage: f32,
    /// Whether the query asks for documentation.
    pub asks_documentation: bool,
    /// Work that could not be done; `answer` moves these to the issues of the answer.
    pub issues: Vec<Issue>,
}

/// How many of each are ranked; more than any request may list.
pub const MAX_RANKED: usize = 200;

/// Ranks the files, functions and places of a snapshot. `words` is the result of [`WordHits::search`]. The first
/// `explained` of each carry their signals.
pub fn rank(
    snapshot: &Snapshot,
    mut words: WordHits<'_>,
    resolution: &Resolution,
    intent: IntentKind,
    config: &RankConfig,
    explained: usize,
) -> Ranked {
    let deadline = words.deadline;
    let issues = std::mem::take(&mut words.issues);
    let evidence = Evidence::gather(snapshot, words, resolution, intent, config);
    let files = files::rank(snapshot, &evidence, config, explained);
    let (functions, mut places) =
        functions::rank(snapshot, &evidence, &files, config, explained, deadline);
    narrowing::narrow(
        snapshot, &evidence, &mut places, &config.narrowing, deadline,
    );
    Ranked {
        files,
        functions,
        places,
        coverage: evidence.coverage(),
        asks_documentation: evidence.adjustments.asks_documentation(),
        issues,
    }
}

/// Returns the best [`MAX_RANKED`] positions with their scores; equal scores are ordered by position.
fn best_ranked(mut scored: Vec<(u32, f32)>) -> Vec<(u32, f32)> {
    if scored.len() > MAX_RANKED {
        scored.select_nth_unstable_by(MAX_RANKED, top_k::best_first);
        scored.truncate(MAX_RANKED);
    }
    scored.sort_unstable_by(top_k::best_first);
    scored
}

/// `ln(1 + count)` of small counts. Each query needs those of all files.
static LOGARITHMS: LazyLock<[f32; 512]> =
    LazyLock::new(|| std::array::from_fn(|count| (count as f32).ln_1p()));

/// The `ln(1 + count)` of lines, uses and changes that scores 1: about 150 of them.
const FULL: f32 = 5.0;

/// Returns a count on a logarithmic scale: 0 for 0, and 1 where `ln(1 + count)` is `full`.
fn logarithmic(count: usize, full: f32) -> f32 {
    let known = LOGARITHMS.get(count).copied();
    known.unwrap_or_else(|| (count as f32).ln_1p()) / full
}

/// Returns `1 - (1 - a)(1 - b)`, the probability of either of two independent events.
fn noisy_or(a: f32, b: f32) -> f32 {
    1.0 - (1.0 - a) * (1.0 - b)
}

/// Divides all values by the largest one, if that is positive.
fn normalize(values: &mut [f32]) {
    let maximum = largest(values);
    if maximum > 0.0 {
        values.iter_mut().for_each(|value| *value /= maximum);
    }
}

/// Divides one value of each item by the largest of them, if that is positive.
fn scale<T>(items: &mut [T], of: impl Fn(&mut T) -> &mut f32) {
    let largest = items.iter_mut().map(&of).fold(0.0f32, |a, b| a.max(*b));
    if largest > 0.0 {
        items.iter_mut().for_each(|item| *of(item) /= largest);
    }
}

/// Returns the largest value, or 0. Keeps 16 running maxima: with one, each comparison would wait for the previous
/// one.
fn largest(values: &[f32]) -> f32 {
    let (blocks, rest) = values.as_chunks::<16>();
    let mut maximum = [0.0f32; 16];
    for block in blocks {
        for (maximum, value) in maximum.iter_mut().zip(block) {
            *maximum = if *value > *maximum { *value } else { *maximum };
        }
    }
    maximum.iter().chain(rest).copied().fold(0.0, f32::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RankingConfig;
    use crate::deadline::Deadline;
    use crate::request::Request;
    use crate::text::QueryText;

    #[test]
    fn largest_value_is_found_at_any_position() {
        for length in [1, 15, 16, 17, 40] {
            for at in 0..length {
                let mut values = vec![1.0; length];
                values[at] = 2.0;
                assert_eq!(largest(&values), 2.0, "at {at} of {length}");
            }
        }
        assert_eq!(largest(&[-1.0, f32::NAN]), 0.0);
        assert_eq!(largest(&[]), 0.0);
    }

    #[test]
    fn names_rank_without_word_search() {
        let fixture = "
            //- a.py
            def other():
                return 1
            //- b.py
            def connect():
                return 2
        ";
        let snapshot = foveate_fixture::snapshot::of_text(fixture);
        let config = RankingConfig::default();
        let text = QueryText::parse("`connect` fails");
        let request = Request::default();
        let deadline = Deadline::none();
        let resolution =
            crate::resolve::resolve(&snapshot, &text, &request, &config.resolve, &deadline);
        let words = WordHits::none(&snapshot, &text, &deadline);
        let kind = IntentKind::BugFix;
        let ranked = rank(&snapshot, words, &resolution, kind, &config.rank, 1);
        assert_eq!(ranked.files.len(), 1);
        assert_eq!(snapshot.files.path(ranked.files[0].id), "b.py");
        let first = ranked.functions[0].clone().listed(&snapshot.files);
        assert_eq!(first.name, "connect");
    }
}

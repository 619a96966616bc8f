//! Renders the metrics that show whether the answers help, by repository: sums over all stored answers, for
//! the repositories that the caller sees.

use std::collections::BTreeMap;

use super::{MAX_LABELLED, OTHER_REPOSITORIES};
use crate::access::Grant;
use crate::engine::Engine;
use crate::feedback::{FeedbackCounts, RepositoryStats};
use crate::telemetry::metrics::{Exposition, Kind};

/// Name, help and value of a family.
type Family = (&'static str, &'static str, fn(&FeedbackCounts) -> i64);

const FAMILIES: [Family; 7] = [
    (
        "foveate_repository_answers",
        "Stored answers, by repository.",
        |figures| figures.answers,
    ),
    (
        "foveate_repository_feedback",
        "Feedback of clients on stored answers, by repository.",
        |figures| figures.feedback,
    ),
    (
        "foveate_repository_merges",
        "Merged pull requests that were compared with an answer, by repository.",
        |figures| figures.merges,
    ),
    (
        "foveate_repository_merged_files",
        "Source files that merged pull requests changed, by repository.",
        |figures| figures.merged.files,
    ),
    (
        "foveate_repository_merged_files_in_context",
        "Changed source files that were in the answer's context at least in part, by repository.",
        |figures| figures.merged.files_in_context,
    ),
    (
        "foveate_repository_merged_functions",
        "Functions that merged pull requests changed, by repository.",
        |figures| figures.merged.functions,
    ),
    (
        "foveate_repository_merged_functions_in_context",
        "Changed functions that were in the answer's context whole, by repository.",
        |figures| figures.merged.functions_in_context,
    ),
];

/// Adds the families of the repositories that a grant sees.
pub(super) fn states(
    out: &Exposition,
    engine: &Engine,
    grant: &Grant,
    feedback_stats: &[RepositoryStats],
) {
    let seen = engine.repositories(grant);
    let mut values: BTreeMap<&str, [i64; FAMILIES.len()]> = BTreeMap::new();
    for (position, repository) in seen.iter().enumerate() {
        let name = repository.name().as_str();
        let Some(stats) = feedback_stats.iter().find(|stats| stats.repo == name) else {
            continue;
        };
        let label = if position < MAX_LABELLED {
            name
        } else {
            OTHER_REPOSITORIES
        };
        let sums = values.entry(label).or_default();
        for (sum, (_, _, value)) in sums.iter_mut().zip(FAMILIES) {
            *sum += value(&stats.total);
        }
    }
    for (position, (name, help, _)) in FAMILIES.into_iter().enumerate() {
        let samples = values.iter().filter_map(|(repo, sums)| {
            let sum = sums.get(position)?;
            Some((vec![("repo", *repo)], *sum as f64))
        });
        out.family(name, Kind::Gauge, help, samples);
    }
}

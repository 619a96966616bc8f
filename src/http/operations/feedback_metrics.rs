//! Renders the metrics that show whether the answers help, by repository: sums over all stored answers, for
//! the repositories that the caller sees.

use std::collections::BTreeMap;

use super::label;
use crate::access::Grant;
use crate::engine::Engine;
use crate::feedback::{FeedbackCounts, RepositoryStats};
use crate::telemetry::metrics::Exposition;

/// A family, and its value of a repository.
type Family = (&'static str, fn(&FeedbackCounts) -> i64);

#[rustfmt::skip]
const FAMILIES: [Family; 7] = [
    ("foveate_repository_answers", |counts| counts.answers),
    ("foveate_repository_feedback", |counts| counts.feedback),
    ("foveate_repository_merges", |counts| counts.merges),
    ("foveate_repository_merged_files", |counts| counts.merged.files),
    ("foveate_repository_merged_files_in_context", |counts| counts.merged.files_in_context),
    ("foveate_repository_merged_functions", |counts| counts.merged.functions),
    ("foveate_repository_merged_functions_in_context", |counts| counts.merged.functions_in_context),
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
        let name = repository.name.as_str();
        let Some(stats) = feedback_stats.iter().find(|stats| stats.repo == name) else {
            continue;
        };
        let sums = values.entry(label(position, repository)).or_default();
        for (sum, (_, value)) in sums.iter_mut().zip(FAMILIES) {
            *sum += value(&stats.total);
        }
    }
    for (position, (name, _)) in FAMILIES.into_iter().enumerate() {
        let samples = values.iter().filter_map(|(repo, sums)| {
            let sum = sums.get(position)?;
            Some((vec![("repo", *repo)], *sum as f64))
        });
        out.family(name, samples);
    }
}

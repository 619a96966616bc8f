//! Reports files that are not indexed. Those that the query names or that rank high are listed as dropped; an
//! issue says that source files are missing.

use std::collections::{BTreeMap, BTreeSet};

use foldhash::HashSet;
use foveate_index::FileId;
use foveate_model::SkipReason;

use super::pack::{DropReason, Dropped};
use super::plan::Plan;
use crate::issue::{self, Issue, IssueCode};

/// Number of the best files for which it is reported that they could not be read.
const BEST_FILES: usize = 5;

/// Adds the dropped files and the issue to the plan.
pub(super) fn report(plan: &mut Plan<'_>) {
    let files = &plan.snapshot.files;
    let mut relevant: Vec<FileId> = Vec::new();
    let mut seen = HashSet::default();
    for file in named_or_best(plan) {
        if !seen.insert(file) {
            continue;
        }
        let source = files.file(file);
        let is_relevant = match &source.skipped {
            Some(reason) => !is_never_text(reason),
            // Its text was read, but its structure is missing. Of a file that is named that matters in any role.
            None => !files.unindexed_reason(file).is_empty(),
        };
        if is_relevant {
            relevant.push(file);
        }
        if let Some(reason) = &source.skipped {
            plan.dropped.add(Dropped {
                path: source.path.as_str().to_owned(),
                name: String::new(),
                lines: None,
                tokens: 0,
                reason: DropReason::NotIndexed(reason.clone()),
            });
        }
    }
    let others = files
        .unindexed_sources()
        .iter()
        .filter(|file| !seen.contains(*file));
    relevant.extend(others);
    plan.issues.extend(missing(plan, &relevant));
}

/// Returns the issue that says why nothing is shown, if the best files could not be read.
pub(super) fn nothing_readable(plan: &Plan<'_>) -> Option<Issue> {
    let files = &plan.snapshot.files;
    let found = plan.ranked.files.iter().map(|file| files.file(file.id));
    let best = found.map_while(|file| Some((file.path.as_str(), file.skipped.as_ref()?)));
    let (paths, reasons): (Vec<&str>, Vec<&SkipReason>) = best.unzip();
    if paths.is_empty() {
        return None;
    }
    let in_words = |reason: &SkipReason| match reason {
        SkipReason::Unreadable(reason) | SkipReason::UnreadableDirectory(reason) => reason.clone(),
        reason => reason.code().to_owned(),
    };
    let reasons: BTreeSet<String> = reasons.into_iter().map(in_words).collect();
    Some(Issue {
        code: IssueCode::UnreadableFiles,
        detail: format!(
            "nothing is shown, because the matching files cannot be read: {} ({})",
            issue::list(paths),
            issue::list(reasons)
        ),
    })
}

fn named_or_best(plan: &Plan<'_>) -> Vec<FileId> {
    let named = plan.resolution.files.iter().map(|evidence| evidence.file);
    let best = plan.ranked.files.iter().take(BEST_FILES);
    named.chain(best.map(|file| file.id)).collect()
}

/// Whether a file that was skipped for this reason has no text that a reader would miss.
fn is_never_text(reason: &SkipReason) -> bool {
    matches!(
        reason,
        SkipReason::Binary | SkipReason::Data | SkipReason::Symlink | SkipReason::Submodule
    )
}

/// Returns the issue that lists files that are not indexed, the most important first.
fn missing(plan: &Plan<'_>, missing: &[FileId]) -> Option<Issue> {
    if missing.is_empty() {
        return None;
    }
    let files = &plan.snapshot.files;
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for file in missing {
        *reasons.entry(files.unindexed_reason(*file)).or_default() += 1;
    }
    let counts: Vec<String> = reasons
        .iter()
        .map(|(code, n)| format!("{n} {code}"))
        .collect();
    let paths = missing.iter().map(|file| files.path(*file));
    Some(Issue {
        code: IssueCode::SkippedFiles,
        detail: format!(
            "files that may matter are not indexed, or only in part ({}): {}",
            counts.join(", "),
            issue::list(paths)
        ),
    })
}

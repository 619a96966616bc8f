//! Folds what makes a body long and says little of what it does: documentation, comments such as
//! licence heads, and texts of many lines. The first lines stay, and a mark says what is missing.

use foveate_index::Files;
use foveate_model::{Lines, Region};

use super::source::{Part, parts};
use crate::rank::RankedPlace;

/// Runs of fewer lines stay as they are.
const LEAST: usize = 12;
/// So many lines of a run stay at its start; at its end, one.
const HEAD: usize = 4;

/// The lines of a place with its long runs folded; nothing where it has none.
pub(super) fn folded<'a>(files: &'a Files, place: &RankedPlace) -> Option<Vec<Part<'a>>> {
    let file = place.id.file(files);
    let text = files.text(file);
    let regions = &files.content(file)?.facts.regions;
    let span = files.lines_span(file, place.lines);
    let mut start = span.start as usize;
    let mut lines: Vec<&str> = Vec::new();
    let mut is_text: Vec<bool> = Vec::new();
    for line in span.of(text).split('\n') {
        is_text.push(lies_in(regions, line, start));
        start += line.len() + 1;
        lines.push(line);
    }
    let mut kept = vec![true; lines.len()];
    let mut at = 0;
    for run in is_text.chunk_by(|a, b| a == b) {
        if run.first() == Some(&true) && run.len() >= LEAST {
            let inner = at + HEAD..at + run.len() - 1;
            if let Some(inner) = kept.get_mut(inner) {
                inner.fill(false);
            }
        }
        at += run.len();
    }
    let is_folded = kept.iter().any(|kept| !kept);
    is_folded.then(|| parts(&lines, &kept, place.lines.start))
}

/// Whether a line that begins at a byte holds nothing but a part of a comment or a text.
fn lies_in(regions: &[Region], line: &str, start: usize) -> bool {
    let first = start + line.len() - line.trim_start().len();
    let last = first + line.trim().len();
    let after = regions.partition_point(|region| region.span.start as usize <= first);
    let region = after.checked_sub(1).and_then(|at| regions.get(at));
    region.is_some_and(|region| last <= region.span.end as usize)
}

/// The lines that are shown.
pub(super) fn shown(parts: &[Part<'_>]) -> Vec<Lines> {
    let of = |part: &Part<'_>| match part {
        Part::Shown(first, lines) => Some(Lines::new(
            *first,
            first + lines.len().saturating_sub(1) as u32,
        )),
        Part::LeftOut(_) => None,
    };
    parts.iter().filter_map(of).collect()
}

//! Folds long documentation, comments such as licence headers, and long string literals: they make a body
//! long and say little about what it does. The first lines stay, and a mark says which lines are left out.

use foveate_index::Files;
use foveate_model::{Lines, Region, RegionKind};

use super::source::{Part, parts};
use crate::rank::RankedPlace;

/// Shorter runs are not folded, in lines.
const MIN_FOLDED: usize = 12;
/// Lines that stay at the start of a folded run; at its end, one stays.
const KEPT_AT_START: usize = 4;

/// Returns the lines of a place with its long runs folded; `None` if it has no long run.
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
        if run.first() == Some(&true) && run.len() >= MIN_FOLDED {
            let inner = at + KEPT_AT_START..at + run.len() - 1;
            if let Some(inner) = kept.get_mut(inner) {
                inner.fill(false);
            }
        }
        at += run.len();
    }
    let is_folded = kept.iter().any(|kept| !kept);
    is_folded.then(|| parts(&lines, &kept, place.lines.start))
}

/// Whether a line that begins at byte `start` holds only a part of a comment or string literal.
fn lies_in(regions: &[Region], line: &str, start: usize) -> bool {
    let first = start + line.len() - line.trim_start().len();
    let last = first + line.trim().len();
    let after = regions.partition_point(|region| region.span.start as usize <= first);
    let region = after.checked_sub(1).and_then(|at| regions.get(at));
    region.is_some_and(|region| {
        region.kind != RegionKind::Heading && last <= region.span.end as usize
    })
}

/// Returns the lines that are shown.
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

#[cfg(test)]
mod tests {
    use foveate_model::Span;

    use super::*;

    #[test]
    fn headings_are_not_folded() {
        let line = "[tool.ruff]";
        let of = |kind| {
            let span = Span::new(0, line.len());
            lies_in(&[Region { kind, span }], line, 0)
        };
        assert!(of(RegionKind::Comment));
        assert!(!of(RegionKind::Heading));
    }
}

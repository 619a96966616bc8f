//! Adds the few lines between shown bodies: code reads better without a gap of two lines, and these lines cost little
//! more than the markup on both sides of the gap.

use foveate_index::FileId;
use foveate_model::Lines;

use super::card;
use super::entry::Entry;
use super::packed::{EntryKind, ShownPart};
use super::plan::Plan;

/// Moves the entries of each file into one section, and adds the lines of short gaps between them while there is room.
pub(super) fn fill(plan: &mut Plan<'_>) {
    plan.packed.merge_snippets();
    let max_tokens = plan.config.bodies.max_gap_tokens;
    for (file, lines, below) in gaps(plan) {
        let measured = plan
            .packed
            .measure(card::gap(plan.snapshot, file, lines, &below));
        if measured.body_tokens() <= max_tokens && plan.packed.fits(&measured, file, 0) {
            let shows = ShownPart::lines(file, lines);
            plan.packed
                .add(measured, shows, (EntryKind::Body, usize::MAX));
        }
    }
}

/// Returns the gaps between neighbouring bodies that could be shown as one: their lines, and the body below them.
fn gaps(plan: &Plan<'_>) -> Vec<(FileId, Lines, Entry)> {
    // A line has at least one token.
    let max_lines = plan.config.bodies.max_gap_tokens as u32;
    let gap = |above: &Entry, below: &Entry| {
        let is_gap = above.lines.end + 1 < below.lines.start && above.may_join(below);
        is_gap.then(|| Lines::new(above.lines.end + 1, below.lines.start - 1))
    };
    let pairs = plan.packed.neighbours().into_iter();
    pairs
        .filter_map(|(file, above, below)| Some((file, gap(above, below)?, below)))
        .filter(|(file, lines, _)| {
            lines.count() <= max_lines && !plan.packed.shows_any(*file, *lines)
        })
        .map(|(file, lines, below)| (file, lines, below.clone()))
        .collect()
}

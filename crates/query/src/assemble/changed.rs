//! Finds the places that the caller's change touches. The context must show them.

use foldhash::{HashMap, HashSet};
use foveate_index::{DefId, FileId, Files};
use foveate_model::Lines;

use crate::rank::{PlaceId, RankedPlace};
use crate::resolve::changed_lines;

/// Maximum places of a change.
const MAX_PLACES: usize = 400;
/// Maximum changed stretches that are listed of a place.
const MAX_RANGES: usize = 20;

/// Returns the functions and stretches that have changed lines: sources first, then tests, then other files; among
/// those of one role the ranked ones first, by rank, then the others in the order of the change.
pub(super) fn places(
    files: &Files,
    changed: &[(FileId, Lines)],
    ranked: &[RankedPlace],
) -> Vec<RankedPlace> {
    let mut found = HashSet::default();
    let touched = changed
        .iter()
        .flat_map(|(file, lines)| touched(files, *file, *lines));
    let mut ids: Vec<PlaceId> = touched.filter(|id| found.insert(*id)).collect();
    let ranks: HashMap<PlaceId, usize> = ranked.iter().map(|place| place.id).zip(0..).collect();
    let rank = |id: &PlaceId| ranks.get(id).copied().unwrap_or(usize::MAX);
    ids.sort_by_key(|id| (id.role(files), rank(id)));
    let place = |id| RankedPlace {
        probability: 1.0,
        share: 1.0,
        ..RankedPlace::new(files, id)
    };
    ids.into_iter().take(MAX_PLACES).map(place).collect()
}

/// Returns the changed lines among `lines` of a file as text: `12-15,20`; `None` if there are none.
pub(super) fn line_ranges(
    changed: &[(FileId, Lines)],
    file: FileId,
    lines: Lines,
) -> Option<String> {
    let ranges = changed_lines(changed, file, lines);
    let within = ranges
        .iter()
        .map(|changed| Lines::new(changed.start.max(lines.start), changed.end.min(lines.end)));
    let texts: Vec<String> = within
        .take(MAX_RANGES)
        .map(|lines| lines.to_string())
        .collect();
    let more = if ranges.len() > MAX_RANGES {
        ",…"
    } else {
        ""
    };
    (!texts.is_empty()).then(|| texts.join(",") + more)
}

/// Returns the places of a file that contain any of these lines.
fn touched(files: &Files, file: FileId, lines: Lines) -> impl Iterator<Item = PlaceId> + '_ {
    let chunks = files.chunks_of(file).zip(files.chunk_units(file));
    chunks.filter_map(move |(chunk, unit)| {
        if files.chunk(chunk).lines.overlap(lines) == 0 {
            return None;
        }
        let unit = unit.and_then(|at| files.units_of(file).get(at));
        Some(match unit {
            Some(unit) => PlaceId::Definition(DefId::new(file, unit.local)),
            None => PlaceId::Stretch(chunk),
        })
    })
}

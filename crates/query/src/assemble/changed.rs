//! What the caller changed: the places that its change touches, which must be there.

use foldhash::{HashMap, HashSet};
use foveate_index::{FileId, Files};
use foveate_model::Lines;

use crate::rank::{PlaceId, RankedPlace};

/// Most places of a change.
const MOST: usize = 400;

/// The functions and the stretches between them that hold changed lines: those that are ranked first, then the others
/// in the order of the change.
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
    ids.sort_by_key(|id| ranks.get(id).copied().unwrap_or(usize::MAX));
    let place = |id| RankedPlace {
        probability: 1.0,
        share: 1.0,
        ..RankedPlace::new(files, id)
    };
    ids.into_iter().take(MOST).map(place).collect()
}

/// The places of a file that hold any of these lines.
fn touched(files: &Files, file: FileId, lines: Lines) -> impl Iterator<Item = PlaceId> + '_ {
    let chunks = files.chunks_of(file).zip(files.chunk_units(file));
    chunks.filter_map(move |(chunk, unit)| {
        if files.chunk(chunk).lines.overlap(lines) == 0 {
            return None;
        }
        let unit = unit.and_then(|at| files.units_of(file).get(at));
        Some(match unit {
            Some(unit) => PlaceId::Definition(files.global(file, unit.local)),
            None => PlaceId::Stretch(chunk),
        })
    })
}

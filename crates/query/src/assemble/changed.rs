//! What the caller changed or knows: the places that its change touches, which must be there, and what it
//! has seen, which must not come again.

use foldhash::{HashMap, HashSet};
use foveate_index::{FileId, Files};
use foveate_model::Lines;

use super::packed::WHOLE;
use crate::rank::{PlaceId, RankedPlace};
use crate::request::Seen;

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

/// The lines that the caller has. Places go by `path:name` or `path:start-end`; what is not there is
/// passed over: it may have been there when the caller saw it.
pub(super) fn seen(files: &Files, seen: &Seen) -> Vec<(FileId, Lines)> {
    let paths = seen.paths.iter();
    let whole = paths.filter_map(|path| Some((files.find(path.as_str())?, WHOLE)));
    let places = seen.places.iter().flat_map(|place| lines_of(files, place));
    whole.chain(places).collect()
}

fn lines_of(files: &Files, place: &str) -> Vec<(FileId, Lines)> {
    // Names may hold colons, as may paths.
    let mut splits = place.match_indices(':');
    let found = splits.find_map(|(at, _)| {
        let file = files.find(place.get(..at)?)?;
        Some((file, place.get(at + 1..)?))
    });
    let Some((file, rest)) = found else {
        return Vec::new();
    };
    if let Some(lines) = range(rest) {
        return vec![(file, lines)];
    }
    let named = files
        .definitions_of(file)
        .filter(|id| &*files.definition(*id).qualified_name == rest);
    named.map(|id| (file, files.definition(id).lines)).collect()
}

/// `12-40`, or `12`.
fn range(text: &str) -> Option<Lines> {
    let (start, end) = text.split_once('-').unwrap_or((text, text));
    let (start, end) = (start.parse().ok()?, end.parse().ok()?);
    (start >= 1 && start <= end).then(|| Lines::new(start, end))
}

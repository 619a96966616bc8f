//! What the caller has seen, which must not come again: the names of places, as answers give them and callers
//! send them back.

use foldhash::HashSet;
use foveate_index::{FileId, Files};
use foveate_model::Lines;
use sha2::{Digest as _, Sha256};

use crate::request::Seen;

/// All lines of a file, however many.
pub(super) const WHOLE: Lines = Lines {
    start: 1,
    end: u32::MAX,
};

/// Bytes of files that are read to compare digests. Places beyond that count as not seen.
const MAX_COMPARED_BYTES: usize = 256 << 20;

/// Bytes of a digest that are told.
const DIGEST_BYTES: usize = 8;

/// The name of lines that are shown whole: `path:start-end@digest`. The digest ties it to what was shown:
/// after an edit, or at another commit, the same lines may hold other code, which nobody has seen.
pub(super) fn name(files: &Files, file: FileId, lines: Lines) -> String {
    let (path, text) = (files.path(file), files.text(file));
    let Lines { start, end } = lines;
    format!("{path}:{start}-{end}@{}", digest(text, lines))
}

/// The lines that the caller has. Places go by `path:name`, `path:start-end` or `path:start-end@digest`; what is
/// not there is passed over: it may have been there when the caller saw it.
pub(super) fn lines(files: &Files, seen: &Seen) -> Vec<(FileId, Lines)> {
    let paths = seen.paths.iter();
    let whole = paths.filter_map(|path| Some((files.find(path.as_str())?, WHOLE)));
    let mut room = MAX_COMPARED_BYTES;
    let mut known = HashSet::default();
    let places = seen.places.iter().filter(|place| known.insert(*place));
    let places = places.flat_map(|place| of_place(files, place, &mut room));
    whole.chain(places).collect()
}

fn of_place(files: &Files, place: &str, room: &mut usize) -> Vec<(FileId, Lines)> {
    // Paths may hold colons, too.
    if let Some(file) = files.find(place) {
        return vec![(file, WHOLE)];
    }
    let splits = place.match_indices(':').filter_map(|(at, _)| {
        let file = files.find(place.get(..at)?)?;
        Some((file, place.get(at + 1..)?))
    });
    let found = splits.map(|(file, rest)| (file, of_file(files, file, rest, room)));
    let found = found.filter(|(_, lines)| !lines.is_empty());
    let mut found =
        found.map(|(file, lines)| lines.into_iter().map(|lines| (file, lines)).collect());
    found.next().unwrap_or_default()
}

/// The lines that `rest`, which stands behind the path of a file, means.
fn of_file(files: &Files, file: FileId, rest: &str, room: &mut usize) -> Vec<Lines> {
    if let Some((lines, shown)) = range(rest) {
        let is_same = shown.is_none_or(|shown| reads(files.text(file), lines, shown, room));
        return is_same.then_some(lines).into_iter().collect();
    }
    let named = files
        .definitions_of(file)
        .filter(|id| &*files.definition(*id).qualified_name == rest);
    named.map(|id| files.definition(id).lines).collect()
}

/// `12-40`, `12`, or either with the digest of what was shown.
fn range(text: &str) -> Option<(Lines, Option<&str>)> {
    let (text, digest) = match text.split_once('@') {
        Some((text, digest)) => (text, Some(digest)),
        None => (text, None),
    };
    let (start, end) = text.split_once('-').unwrap_or((text, text));
    let (start, end) = (start.parse().ok()?, end.parse().ok()?);
    (start >= 1 && start <= end).then(|| (Lines::new(start, end), digest))
}

/// Whether the lines still read as they were shown.
fn reads(text: &str, lines: Lines, shown: &str, room: &mut usize) -> bool {
    let Some(left) = room.checked_sub(text.len()) else {
        return false;
    };
    *room = left;
    digest(text, lines) == shown
}

/// The digest of lines. A cryptographic one: an author of code must not be able to write other code that
/// counts as seen.
fn digest(text: &str, lines: Lines) -> String {
    let mut hash = Sha256::new();
    let first = lines.start.saturating_sub(1) as usize;
    for line in text.lines().skip(first).take(lines.count() as usize) {
        hash.update(line);
        hash.update("\n");
    }
    let bytes = hash.finalize();
    bytes
        .iter()
        .take(DIGEST_BYTES)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

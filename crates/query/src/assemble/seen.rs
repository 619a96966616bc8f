//! Names places in answers and finds the lines that callers send back as seen, which must not be shown
//! again.

use std::collections::BTreeMap;

use foldhash::HashSet;
use foveate_index::{FileId, Files};
use foveate_model::Lines;
use sha2::{Digest as _, Sha256};

use super::coverage::are_covered;
use crate::request::Seen;

/// All lines of a file, however many.
pub(super) const WHOLE: Lines = Lines {
    start: 1,
    end: u32::MAX,
};

/// Maximum bytes of files hashed to compare digests. Places beyond that count as not seen.
const MAX_COMPARED_BYTES: usize = 256 << 20;

/// Bytes of the digest that a name contains.
const DIGEST_BYTES: usize = 8;

/// Returns the name of lines that are shown whole: `path:start-end@digest`. The digest ties it to the shown
/// text: after an edit or at another commit, the same lines may hold other code, which the caller has not seen.
pub(super) fn name(files: &Files, file: FileId, lines: Lines) -> String {
    let path = files.path(file);
    let Lines { start, end } = lines;
    format!("{path}:{start}-{end}@{}", digest(files, file, lines))
}

/// Returns the lines that the caller has seen. Places have the form `path:name`, `path:start-end` or
/// `path:start-end@digest`. Places that are not found are skipped: they may have existed when the caller saw
/// them.
pub(super) fn lines(files: &Files, seen: &Seen) -> Vec<(FileId, Lines)> {
    let paths = seen.paths.iter();
    let whole = paths.filter_map(|path| Some((files.find(path.as_str())?, WHOLE)));
    let mut bytes_left = MAX_COMPARED_BYTES;
    let mut known = HashSet::default();
    let places = seen.places.iter().filter(|place| known.insert(*place));
    let places = places.flat_map(|place| of_place(files, place, &mut bytes_left));
    let mut lines: Vec<(FileId, Lines)> = whole.chain(places).collect();
    lines.extend(whole_files(files, &lines));
    lines
}

/// Returns all lines of each file that the caller has seen whole in several parts.
fn whole_files(files: &Files, seen: &[(FileId, Lines)]) -> Vec<(FileId, Lines)> {
    let mut by_file: BTreeMap<FileId, Vec<Lines>> = BTreeMap::new();
    for (file, lines) in seen {
        by_file.entry(*file).or_default().push(*lines);
    }
    let is_whole = |file: FileId, seen: &[Lines]| {
        let last = files
            .content(file)
            .and_then(|content| content.facts.chunks.last());
        last.is_some_and(|last| are_covered(Lines::new(1, last.lines.end), seen.iter().copied()))
    };
    let whole = by_file
        .into_iter()
        .filter(|(file, seen)| is_whole(*file, seen));
    whole.map(|(file, _)| (file, WHOLE)).collect()
}

fn of_place(files: &Files, place: &str, bytes_left: &mut usize) -> Vec<(FileId, Lines)> {
    // Paths may contain colons.
    if let Some(file) = files.find(place) {
        return vec![(file, WHOLE)];
    }
    let splits = place.match_indices(':').filter_map(|(at, _)| {
        let file = files.find(place.get(..at)?)?;
        Some((file, place.get(at + 1..)?))
    });
    let found = splits.map(|(file, rest)| (file, of_file(files, file, rest, bytes_left)));
    let found = found.filter(|(_, lines)| !lines.is_empty());
    let mut found =
        found.map(|(file, lines)| lines.into_iter().map(|lines| (file, lines)).collect());
    found.next().unwrap_or_default()
}

/// Returns the lines that `rest`, the text after the path of a file, refers to.
fn of_file(files: &Files, file: FileId, rest: &str, bytes_left: &mut usize) -> Vec<Lines> {
    if let Some((lines, shown)) = range(rest) {
        let is_same = shown.is_none_or(|shown| is_unchanged(files, file, lines, shown, bytes_left));
        return is_same.then_some(lines).into_iter().collect();
    }
    let named = files
        .definitions_of(file)
        .filter(|id| &*files.definition(*id).qualified_name == rest);
    named.map(|id| files.definition(id).lines).collect()
}

/// Parses `12-40` or `12`, either with an optional `@digest` of the shown text.
fn range(text: &str) -> Option<(Lines, Option<&str>)> {
    let (text, digest) = match text.split_once('@') {
        Some((text, digest)) => (text, Some(digest)),
        None => (text, None),
    };
    let (start, end) = text.split_once('-').unwrap_or((text, text));
    let (start, end) = (start.parse().ok()?, end.parse().ok()?);
    (start >= 1 && start <= end).then(|| (Lines::new(start, end), digest))
}

/// Whether the lines still have the digest of the shown text; false once `bytes_left` has too few bytes left.
fn is_unchanged(
    files: &Files,
    file: FileId,
    lines: Lines,
    shown: &str,
    bytes_left: &mut usize,
) -> bool {
    let Some(left) = bytes_left.checked_sub(files.text(file).len()) else {
        return false;
    };
    *bytes_left = left;
    digest(files, file, lines) == shown
}

/// Returns the digest of lines. It is cryptographic, so that nobody can write other code that counts as
/// seen.
fn digest(files: &Files, file: FileId, lines: Lines) -> String {
    let text = files.lines_span(file, lines).of(files.text(file));
    let mut hash = Sha256::new();
    for line in text.split('\n') {
        hash.update(line.strip_suffix('\r').unwrap_or(line));
        hash.update("\n");
    }
    let bytes = hash.finalize();
    bytes
        .iter()
        .take(DIGEST_BYTES)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

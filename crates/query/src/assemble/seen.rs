//! Names places in answers and finds the lines that callers send back as seen, which must not be shown
//! again.

use std::collections::BTreeMap;

use foldhash::HashSet;
use foveate_index::{FileId, Files};
use foveate_model::Lines;
use sha2::{Digest as _, Sha256};

use super::coverage::are_covered;
use crate::issue::{self, Issue, IssueCode};
use crate::request::Seen;
use crate::resolve::places;

/// All lines of a file, however many.
pub(super) const WHOLE_FILE: Lines = Lines {
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

/// Returns the lines that the caller has seen, and an issue that lists the entries that name nothing. Places have the
/// form `path:name`, `path:start-end` or `path:start-end@digest`.
pub(super) fn lines(files: &Files, seen: &Seen) -> (Vec<(FileId, Lines)>, Option<Issue>) {
    let mut lines: Vec<(FileId, Lines)> = Vec::new();
    let mut unknown: Vec<&str> = Vec::new();
    for path in &seen.paths {
        match files.find(path.as_str()) {
            Some(file) => lines.push((file, WHOLE_FILE)),
            None => unknown.push(path.as_str()),
        }
    }
    let mut bytes_left = MAX_COMPARED_BYTES;
    let mut known = HashSet::default();
    for place in seen.places.iter().filter(|place| known.insert(*place)) {
        match of_place(files, place, &mut bytes_left) {
            Some((file, found)) => lines.extend(found.into_iter().map(|lines| (file, lines))),
            // The file of an earlier answer may be gone by now: that is no mistake of the caller.
            None if has_digest(place) => {}
            None => unknown.push(place),
        }
    }
    lines.extend(whole_files(files, &lines));
    (lines, unknown_seen(&unknown))
}

/// Reports the entries that name nothing, if there are any.
fn unknown_seen(unknown: &[&str]) -> Option<Issue> {
    (!unknown.is_empty()).then(|| Issue {
        code: IssueCode::UnknownSeen,
        detail: format!(
            "`seen` has entries that are not in this revision ({}), so that nothing was left out for them; give paths of \
             files from the repository's root, path:name of a definition, or path:start-end of lines",
            issue::list(unknown)
        ),
    })
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
    whole.map(|(file, _)| (file, WHOLE_FILE)).collect()
}

/// Returns the file and the lines of a place; `None` if it names nothing. There are no lines if they have changed since
/// they were shown.
fn of_place(files: &Files, place: &str, bytes_left: &mut usize) -> Option<(FileId, Vec<Lines>)> {
    // Paths may contain colons.
    if let Some(file) = files.find(place) {
        return Some((file, vec![WHOLE_FILE]));
    }
    let mut splits = places::splits(files, place);
    splits.find_map(|(file, rest)| Some((file, of_file(files, file, rest, bytes_left)?)))
}

/// Returns the lines that `rest`, the text after the path of a file, refers to; `None` if the file has no such lines or
/// definition.
fn of_file(files: &Files, file: FileId, rest: &str, bytes_left: &mut usize) -> Option<Vec<Lines>> {
    match range(rest) {
        Some((lines, Some(shown))) => {
            let is_same = is_unchanged(files, file, lines, shown, bytes_left);
            Some(is_same.then_some(lines).into_iter().collect())
        }
        Some((lines, None)) => {
            let content = files.content(file);
            let is_below = content.is_some_and(|content| lines.start > content.facts.line_count);
            (!is_below).then(|| vec![lines])
        }
        None => of_name(files, file, rest),
    }
}

/// Returns the lines of the definitions with this name, if all of them have the same qualified name.
fn of_name(files: &Files, file: FileId, name: &str) -> Option<Vec<Lines>> {
    let named = places::definitions(files, file, name);
    let definitions = named.iter().map(|id| files.definition(*id));
    let names: HashSet<&str> = (definitions.clone())
        .map(|definition| &*definition.qualified_name)
        .collect();
    (names.len() == 1).then(|| definitions.map(|definition| definition.lines).collect())
}

/// Whether a place carries the digest of the text that was shown.
fn has_digest(place: &str) -> bool {
    let lines = place.rsplit_once(':').and_then(|(_, rest)| range(rest));
    lines.is_some_and(|(_, digest)| digest.is_some())
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

//! Reads the text of a file, or some of its lines.

use foveate_index::Snapshot;
use foveate_model::{Lines, RepoPath, Role};

use super::page::{Position, Window};
use super::{LookupError, find_content};

/// Lines of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileText {
    /// The path of the file.
    pub path: String,
    /// The name of its language.
    pub language: &'static str,
    /// The role of the file.
    pub role: Role,
    /// Bytes of the whole file.
    pub bytes: u64,
    /// Lines of the whole file.
    pub line_count: u32,
    /// The lines in `text`; `None` if there are none.
    pub lines: Option<Lines>,
    /// Whole lines, unchanged, including line ends.
    pub text: String,
    /// The position after which the next page begins; `None` at the end.
    pub next: Option<Position>,
}

/// Maximum bytes of a page; a longer line makes a page of one line.
const MAX_BYTES: usize = 256 << 10;

/// Returns the `wanted` lines of a file, by default all, within the window, whose limit counts lines.
///
/// # Errors
/// When the file is unknown or not indexed, or has fewer lines.
pub fn file(
    snapshot: &Snapshot,
    path: &RepoPath,
    wanted: Option<Lines>,
    window: &Window,
) -> Result<FileText, LookupError> {
    let (id, content) = find_content(snapshot, path)?;
    let line_count = content.facts.line_count;
    let source = snapshot.files.file(id);
    if let Some(lines) = wanted.filter(|lines| lines.start > line_count) {
        return Err(LookupError::NoSuchLine {
            path: path.to_string(),
            line: lines.start,
            line_count,
        });
    }
    let first = wanted.map_or(1, |lines| lines.start);
    let last = wanted.map_or(line_count, |lines| lines.end.min(line_count));
    let after = window.after.as_ref().map_or(0, |after| after.line);
    let start = first.max(after.saturating_add(1));
    let (text, end) = read(&content.text, start, last, window.limit);
    let next = end.filter(|end| *end < last);
    Ok(FileText {
        path: path.to_string(),
        language: source.language.name(),
        role: source.role,
        bytes: source.size,
        line_count,
        lines: end.map(|end| Lines::new(start, end)),
        text: text.to_owned(),
        next: next.map(|line| Position::of_line(path.as_str(), line)),
    })
}

/// Returns the lines from `start` to `last`, at most `limit` and [`MAX_BYTES`], and the number of the last one
/// returned.
fn read(text: &str, start: u32, last: u32, limit: usize) -> (&str, Option<u32>) {
    let mut lines = text.split_inclusive('\n');
    let skipped = lines.by_ref().take(start.saturating_sub(1) as usize);
    let from: usize = skipped.map(str::len).sum();
    let (mut bytes, mut end) = (0, None);
    for (number, line) in (start..=last).zip(lines).take(limit) {
        if bytes > 0 && bytes + line.len() > MAX_BYTES {
            break;
        }
        bytes += line.len();
        end = Some(number);
    }
    (text.get(from..from + bytes).unwrap_or_default(), end)
}

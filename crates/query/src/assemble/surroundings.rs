//! Extends the lines of a definition to the comments and attributes above it and the blank lines around it.

use foveate_index::{DefId, Files};
use foveate_model::Lines;

/// Returns the lines in which a definition is shown: with the comments and attributes above it, unless they
/// are longer than `max_head` lines, and one blank line before and after, because new code is often
/// inserted there.
pub(super) fn of(files: &Files, id: DefId, max_head: u32) -> Lines {
    let mut lines = files.definition(id).lines;
    let file = id.file;
    let text = files.text(file);
    let head = files.head_line(id);
    if lines.start - head <= max_head {
        lines.start = head;
    }
    let span = files.lines_span(file, lines);
    let is_blank = |line: Option<&str>| line.is_some_and(|line| line.trim().is_empty());
    let above = text.get(..span.start as usize).unwrap_or("");
    let above = above.strip_suffix('\n');
    if is_blank(above.and_then(|above| above.rsplit('\n').next())) {
        lines.start -= 1;
    }
    let below = text.get(span.end as usize..).unwrap_or("");
    let below = below.strip_prefix('\n');
    if is_blank(below.and_then(|below| below.split_inclusive('\n').next())) {
        lines.end += 1;
    }
    lines
}

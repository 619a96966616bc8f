//! Extends the lines of a definition to the comments and attributes above it and the blank lines around it, and leaves out
//! the blank lines around a stretch between definitions.

use foveate_index::{DefId, FileId, Files};
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

/// Returns lines without the blank ones at their start and end; the same lines if all are blank.
pub(super) fn trimmed(files: &Files, file: FileId, lines: Lines) -> Lines {
    let text = files.lines_span(file, lines).of(files.text(file));
    let is_blank = |line: &&str| line.trim().is_empty();
    let above = text.split('\n').take_while(is_blank).count() as u32;
    let below = text.rsplit('\n').take_while(is_blank).count() as u32;
    if above >= lines.count() {
        return lines;
    }
    Lines::new(lines.start + above, lines.end - below)
}

#[cfg(test)]
mod tests {
    use foveate_fixture::snapshot::of_text;

    use super::*;

    #[test]
    fn blank_lines_around_a_stretch_are_left_out() {
        let snapshot = of_text("//- a.py\nA = 1\n\nB = 2\n\nC = 3\n");
        let file = snapshot.files.find("a.py").expect("it is in the fixture");
        let trimmed = |start, end| trimmed(&snapshot.files, file, Lines::new(start, end));
        assert_eq!(trimmed(2, 4), Lines::new(3, 3));
        assert_eq!(trimmed(1, 5), Lines::new(1, 5));
        assert_eq!(trimmed(2, 2), Lines::new(2, 2));
    }
}

//! Maps byte offsets to lines. Lines end at `\n`; a `\r` before it belongs to the line.

use foveate_model::{Lines, Span};

/// The starts of all lines of one text.
#[derive(Debug)]
pub(crate) struct LineIndex {
    /// Byte offset of each line's start, ascending. Empty for an empty text.
    starts: Vec<u32>,
    len: u32,
}

impl LineIndex {
    /// Finds the line starts of `text`.
    pub(crate) fn new(text: &str) -> Self {
        let len = u32::try_from(text.len()).unwrap_or(u32::MAX);
        let mut starts = Vec::with_capacity(text.len() / 32 + 1);
        if len > 0 {
            starts.push(0);
        }
        let newlines = memchr::memchr_iter(b'\n', text.as_bytes());
        let next = newlines.map(|at| u32::try_from(at + 1).unwrap_or(u32::MAX));
        starts.extend(next.filter(|start| *start < len));
        Self { starts, len }
    }

    /// Returns the number of lines; a last line without a newline counts.
    pub(crate) fn count(&self) -> u32 {
        u32::try_from(self.starts.len()).unwrap_or(u32::MAX)
    }

    /// Returns the 1-based line that contains `byte`.
    pub(crate) fn line_of(&self, byte: u32) -> u32 {
        let line = self.starts.partition_point(|start| *start <= byte);
        u32::try_from(line).unwrap_or(u32::MAX).max(1)
    }

    /// Returns the lines that `span` touches; a newline at its end adds no line.
    pub(crate) fn lines_of(&self, span: Span) -> Lines {
        let last = if span.is_empty() {
            span.start
        } else {
            span.end - 1
        };
        Lines::new(self.line_of(span.start), self.line_of(last))
    }

    /// Returns the bytes of 1-based `lines`, including the last newline.
    pub(crate) fn span_of(&self, lines: Lines) -> Span {
        Span::new(
            self.start_of(lines.start) as usize,
            self.start_of(lines.end + 1) as usize,
        )
    }

    /// Returns the first byte of 1-based `line`, or the text's end beyond the last line.
    fn start_of(&self, line: u32) -> u32 {
        self.starts
            .get(line.saturating_sub(1) as usize)
            .copied()
            .unwrap_or(self.len)
    }
}

/// Depth of a line on which no statement starts.
pub(crate) const NO_STATEMENT: u16 = u16::MAX;

#[derive(Clone, Copy, Debug)]
pub(crate) struct TextLines<'t> {
    pub(crate) text: &'t str,
    pub(crate) index: &'t LineIndex,
}

impl<'t> TextLines<'t> {
    /// Returns the text of 1-based `line`, without its newline.
    pub(crate) fn line(&self, line: u32) -> &'t str {
        let span = self.index.span_of(Lines::new(line, line));
        span.of(self.text).trim_end_matches(['\n', '\r'])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_lines_with_and_without_a_last_newline() {
        for (text, count) in [
            ("", 0),
            ("a", 1),
            ("a\n", 1),
            ("a\nb", 2),
            ("\n\n", 2),
            ("a\r\nb\r\n", 2),
        ] {
            assert_eq!(LineIndex::new(text).count(), count, "{text:?}");
        }
    }

    #[test]
    fn spans_and_lines_convert() {
        let index = LineIndex::new("ab\ncd\nef");
        assert_eq!(index.lines_of(Span::new(0, 3)), Lines::new(1, 1));
        assert_eq!(index.lines_of(Span::new(1, 4)), Lines::new(1, 2));
        assert_eq!(index.span_of(Lines::new(2, 3)), Span::new(3, 8));
    }
}

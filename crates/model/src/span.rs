//! Defines positions inside one file: byte spans and line ranges.

use std::fmt;

/// A half-open byte range `start..end` in a file of at most 4 GiB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// Creates a span from `start` to `end`; an inverted pair gives the empty span at `start`.
    pub fn new(start: usize, end: usize) -> Self {
        let start = u32::try_from(start).unwrap_or(u32::MAX);
        let end = u32::try_from(end).unwrap_or(u32::MAX);
        Self {
            start,
            end: end.max(start),
        }
    }

    /// Returns the length in bytes.
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether the span covers no byte.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Whether `other` lies wholly inside this span.
    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Returns the text under the span, or the empty string if the span does not fit `text`.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize)
            .unwrap_or("")
    }
}

/// An inclusive range of 1-based line numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lines {
    /// First line, 1-based.
    pub start: u32,
    /// Last line, inclusive.
    pub end: u32,
}

impl Lines {
    /// Creates the range from `start` to `end`, both 1-based and inclusive; an inverted pair gives one line.
    pub fn new(start: u32, end: u32) -> Self {
        Self {
            start,
            end: end.max(start),
        }
    }

    /// Returns the number of lines.
    pub fn count(self) -> u32 {
        self.end - self.start + 1
    }

    /// Whether `line` lies in the range.
    pub fn contains(self, line: u32) -> bool {
        self.start <= line && line <= self.end
    }

    /// Whether every line of `other` lies in the range.
    pub fn covers(self, other: Lines) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Returns the number of lines that both ranges share.
    pub fn overlap(self, other: Lines) -> u32 {
        let start = self.start.max(other.start);
        let end = self.end.min(other.end);
        if end < start { 0 } else { end - start + 1 }
    }
}

/// Writes `12`, or `12-40` for several lines.
impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { start, end } = self;
        if start == end {
            write!(f, "{start}")
        } else {
            write!(f, "{start}-{end}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_line_is_written_as_one_number() {
        assert_eq!(Lines::new(12, 12).to_string(), "12");
        assert_eq!(Lines::new(12, 40).to_string(), "12-40");
    }
}

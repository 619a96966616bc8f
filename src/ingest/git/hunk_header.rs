//! Parses the headers of the hunks in a patch, such as `@@ -3,2 +5,4 @@ fn main() {`.

use foveate_model::Lines;

/// The header of a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HunkHeader<'a> {
    /// The replaced lines of the earlier file.
    pub earlier: LineRange,
    /// The lines of the later file that replace them.
    pub later: LineRange,
    /// The text that git writes behind the ranges: usually the first line of the definition above the hunk.
    pub above: &'a [u8],
}

/// The lines of a hunk in one of its files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRange {
    /// The first line, 1-based. Without lines in this file, the line before the hunk; 0 at the beginning of the file.
    pub start: u32,
    /// Number of lines.
    pub count: u32,
}

impl<'a> HunkHeader<'a> {
    /// Parses a line; returns `None` if it is not exactly what git writes.
    pub fn parse(line: &'a [u8]) -> Option<Self> {
        let ranges = line.strip_prefix(b"@@ -")?;
        let end = ranges.windows(3).position(|bytes| bytes == b" @@")?;
        let (ranges, rest) = ranges.split_at(end);
        let (earlier, later) = std::str::from_utf8(ranges).ok()?.split_once(" +")?;
        let above = rest.strip_prefix(b" @@")?;
        Some(Self {
            earlier: LineRange::parse(earlier)?,
            later: LineRange::parse(later)?,
            above: above.strip_prefix(b" ").unwrap_or(above),
        })
    }
}

impl LineRange {
    /// Parses `5,4`, or `5` for one line.
    fn parse(text: &str) -> Option<Self> {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        let range = Self {
            start: number(start)?,
            count: number(count)?,
        };
        (range.count == 0 || range.lines().is_some()).then_some(range)
    }

    /// Returns the lines; `None` if there are none.
    pub fn lines(self) -> Option<Lines> {
        let end = self.start.checked_add(self.count.checked_sub(1)?)?;
        (self.start > 0).then(|| Lines::new(self.start, end))
    }
}

/// Parses a number of digits only, without the sign that `parse` would accept.
fn number(text: &str) -> Option<u32> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_git_are_parsed() {
        for (line, earlier, later, above) in [
            ("@@ -1 +1 @@", (1, 1), (1, 1), ""),
            ("@@ -1,0 +2,3 @@ def f():", (1, 0), (2, 3), "def f():"),
            ("@@ -1,2 +0,0 @@", (1, 2), (0, 0), ""),
            ("@@ -1,2 +7,0 @@", (1, 2), (7, 0), ""),
            ("@@ -0,0 +1 @@  deep", (0, 0), (1, 1), " deep"),
            ("@@ -9 +9 @@ a @@ b", (9, 1), (9, 1), "a @@ b"),
            ("@@ -1 +4294967295 @@", (1, 1), (4_294_967_295, 1), ""),
            ("@@ -1 +4294967295,0 @@", (1, 1), (4_294_967_295, 0), ""),
        ] {
            let header = HunkHeader::parse(line.as_bytes()).expect(line);
            let range = |range: LineRange| (range.start, range.count);
            assert_eq!(range(header.earlier), earlier, "{line}");
            assert_eq!(range(header.later), later, "{line}");
            assert_eq!(header.above, above.as_bytes(), "{line}");
        }
        assert!(HunkHeader::parse(b"@@ -1 +1 @@ caf\xe9").is_some());
    }

    #[test]
    fn lines_of_an_empty_range_do_not_exist() {
        let lines = |start, count| LineRange { start, count }.lines();
        assert_eq!(lines(5, 4), Some(Lines::new(5, 8)));
        assert_eq!(lines(5, 0), None);
        assert_eq!(lines(0, 0), None);
    }

    #[test]
    fn malformed_headers_are_rejected() {
        for ranges in [
            "-1 +4294967295,2 @@",
            "-1 +99999999999999999999 @@",
            "-1 +1,99999999999999999999 @@",
            "-4294967296 +1 @@",
            "-1 +-5 @@",
            "-1 ++5 @@",
            "-1 +5,-1 @@",
            "-1 +5,+1 @@",
            "-1,-2 +1 @@",
            "-0,1 +1 @@",
            "-1 +0,2 @@",
            "-1 +, @@",
            "-1 + @@",
            "-1 +x @@",
            "-x +1 @@",
            "-1 @@",
            "+1 @@",
            "-1 +1",
            "-1  +1 @@",
            "@@",
            "",
        ] {
            let line = format!("@@ {ranges}");
            assert_eq!(HunkHeader::parse(line.as_bytes()), None, "{line}");
        }
        assert_eq!(HunkHeader::parse(b"@@@ -1 -1 +1 @@@"), None);
        assert_eq!(HunkHeader::parse(b"-1 +1 @@"), None);
    }
}

//! Splits paths of names as written in sources (`a.b`, `a::b`, `a->b`, `a?.b`, `\A\b`), and compares full
//! names of definitions name by name.

/// Characters that may surround a name in a path: blanks, and marks of optional chaining.
const MARKS: [char; 7] = [' ', '\n', '\r', '\t', '?', '!', '&'];
const BLANKS: [char; 4] = [' ', '\n', '\r', '\t'];

/// One name of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment<'a> {
    pub(super) name: &'a str,
    /// End of its text in the path.
    pub(super) end: usize,
}

/// Iterates over the names of a path, first to last.
#[derive(Clone, Debug)]
pub(super) struct Segments<'a> {
    path: &'a str,
    /// Start of the next name; `None` after the last.
    start: Option<usize>,
    /// Whether the next name follows a dot or the start of the path, so that it is returned even if empty.
    after_dot: bool,
}

pub(super) fn segments(path: &str) -> Segments<'_> {
    Segments {
        path,
        start: Some(0),
        after_dot: true,
    }
}

pub(super) fn names(path: &str) -> impl Iterator<Item = &str> + Clone {
    segments(path).map(|segment| segment.name)
}

/// Whether a path starts outside all scopes: `::a`, `\a`.
pub(super) fn is_absolute(path: &str) -> bool {
    path.starts_with("::") || path.starts_with('\\')
}

/// Returns a path without the marks after its last name. A type may have such marks (`Item?`); do not call it
/// for names of methods, which may end with one (`valid?`).
pub(super) fn without_marks(path: &str) -> &str {
    path.trim_end_matches(MARKS)
}

impl<'a> Iterator for Segments<'a> {
    type Item = Segment<'a>;

    fn next(&mut self) -> Option<Segment<'a>> {
        loop {
            let start = self.start?;
            let rest = self.path.get(start..).unwrap_or("");
            let (length, separator) = separator(rest).unwrap_or((rest.len(), ""));
            let name = rest.get(..length).unwrap_or("").trim_start_matches(MARKS);
            let is_last = separator.is_empty();
            // Marks after the last name are part of it.
            let after: &[char] = if is_last { &BLANKS } else { &MARKS };
            let name = name.trim_end_matches(after);
            let is_written = self.after_dot && (is_last || separator == ".");
            self.start = (!is_last).then_some(start + length + separator.len());
            self.after_dot = separator == ".";
            if !name.is_empty() || is_written {
                let end = start + length;
                return Some(Segment { name, end });
            }
        }
    }
}

/// Returns the position of the first separator of a path, and the separator.
fn separator(path: &str) -> Option<(usize, &'static str)> {
    let bytes = path.as_bytes();
    let candidates = bytes.iter().enumerate();
    candidates
        .filter(|(_, byte)| matches!(byte, b'.' | b':' | b'-' | b'\\'))
        .find_map(|(at, byte)| {
            let next = bytes.get(at + 1);
            let separator = match (byte, next) {
                (b'.', _) => ".",
                (b':', Some(b':')) => "::",
                (b'-', Some(b'>')) => "->",
                // A backslash before the end of a line continues the line.
                (b'\\', Some(next)) if !next.is_ascii_whitespace() => "\\",
                _ => return None,
            };
            Some((at, separator))
        })
}

/// The name of a definition or place, including its package.
#[derive(Clone, Copy, Debug)]
pub(super) struct FullName<'a> {
    /// Dotted; may be empty.
    pub(super) package: &'a str,
    /// Dotted; may be empty.
    pub(super) name: &'a str,
}

impl<'a> FullName<'a> {
    pub(super) fn segments(self) -> impl DoubleEndedIterator<Item = &'a str> + Clone {
        let package = self.package.split('.');
        let all = package.chain(self.name.split('.'));
        all.filter(|segment| !segment.is_empty())
    }

    pub(super) fn len(self) -> usize {
        self.segments().count()
    }

    pub(super) fn is_same(self, other: FullName<'_>) -> bool {
        let is_equal = || self.name == other.name && self.package == other.package;
        // Names of one package begin alike: their ends tell them apart sooner.
        let segments_are_equal = || self.segments().rev().eq(other.segments().rev());
        self.may_end_like(other) && (is_equal() || segments_are_equal())
    }

    /// Whether the last names of both may be equal. Most are not, and this is quicker than to split them.
    fn may_end_like(self, other: FullName<'_>) -> bool {
        match (self.name.as_bytes().last(), other.name.as_bytes().last()) {
            (Some(b'.'), _) | (_, Some(b'.')) => true,
            (Some(a), Some(b)) => a == b,
            _ => true,
        }
    }

    /// Returns the number of trailing names that both share.
    pub(super) fn shared_end<'b>(self, names: impl DoubleEndedIterator<Item = &'b str>) -> usize {
        let pairs = self.segments().rev().zip(names.rev());
        pairs.take_while(|(a, b)| a == b).count()
    }

    /// Returns the number of leading names that both share.
    pub(super) fn shared_start(self, other: FullName<'_>) -> usize {
        let pairs = self.segments().zip(other.segments());
        pairs.take_while(|(a, b)| a == b).count()
    }

    /// Whether one of both is a suffix of the other, so that it may mean the other.
    pub(super) fn may_mean(self, other: FullName<'_>) -> bool {
        if !self.may_end_like(other) {
            return false;
        }
        let shared = self.shared_end(other.segments());
        shared > 0 && shared == self.len().min(other.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_of(path: &str) -> Vec<&str> {
        names(path).collect()
    }

    #[test]
    fn paths_of_all_languages_are_split() {
        for (path, wanted) in [
            ("a.b.c", &["a", "b", "c"][..]),
            ("a ?. b !. c", &["a", "b", "c"]),
            ("super().m", &["super()", "m"]),
            ("this.#x", &["this", "#x"]),
            ("$el.$x", &["$el", "$x"]),
            ("", &[""]),
            (".a", &["", "a"]),
            ("::a::B", &["a", "B"]),
            ("\\A\\B::c", &["A", "B", "c"]),
            ("$this->a?->b", &["$this", "a", "b"]),
            ("a&.b!.valid?", &["a", "b", "valid?"]),
            ("a!!.b", &["a", "b"]),
            ("a.\n    b", &["a", "b"]),
            ("svg:rect", &["svg:rect"]),
            ("a-b", &["a-b"]),
        ] {
            assert_eq!(names_of(path), wanted, "{path}");
        }
        let ends: Vec<usize> = segments("::a::B").map(|segment| segment.end).collect();
        assert_eq!(ends, [3, 6]);
    }

    #[test]
    fn full_names_are_compared_by_segment() {
        let full = |package, name| FullName { package, name };
        assert!(full("a.b", "C.d").is_same(full("", "a.b.C.d")));
        assert!(full("", "C").may_mean(full("a.b", "C")));
        assert!(full("a.b", "C").may_mean(full("", "b.C")));
        assert!(!full("", "x.C").may_mean(full("b", "C")));
        assert!(!full("", "").may_mean(full("b", "C")));
        assert_eq!(full("a", "B.c").shared_start(full("a.B", "d")), 2);
    }
}

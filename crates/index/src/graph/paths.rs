//! Paths of names as written in sources (`a.b`, `a::b`, `a->b`, `a?.b`, `\A\b`), taken apart, and full
//! names of definitions, compared name by name.

/// What may stand around a name in a path: blanks, and marks of optional chaining.
const MARKS: [char; 7] = [' ', '\n', '\r', '\t', '?', '!', '&'];
const BLANKS: [char; 4] = [' ', '\n', '\r', '\t'];

/// One name of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment<'a> {
    pub(super) name: &'a str,
    /// Where what is written of it ends in the path.
    pub(super) end: usize,
}

/// The names of a path, first to last.
#[derive(Clone, Debug)]
pub(super) struct Segments<'a> {
    path: &'a str,
    /// Where the next name begins; `None` after the last.
    start: Option<usize>,
    /// Whether it is written even if it is empty.
    after_dot: bool,
}

pub(super) fn segments(path: &str) -> Segments<'_> {
    Segments {
        path,
        start: Some(0),
        after_dot: true,
    }
}

/// Just the names.
pub(super) fn names(path: &str) -> impl Iterator<Item = &str> + Clone {
    segments(path).map(|segment| segment.name)
}

/// Whether a path begins outside all scopes: `::a`, `\a`.
pub(super) fn is_absolute(path: &str) -> bool {
    path.starts_with("::") || path.starts_with('\\')
}

/// A path without the marks after its last name. A type may have them (`Item?`), and so may the name
/// of a method (`valid?`), from which nothing must be taken.
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
            // What stands after the last name is part of it.
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

/// Where the first separator of a path is, and which.
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
                // Before the end of a line it continues the line.
                (b'\\', Some(next)) if !next.is_ascii_whitespace() => "\\",
                _ => return None,
            };
            Some((at, separator))
        })
}

/// The name of a definition, or of what is around it, from its package on.
#[derive(Clone, Copy, Debug)]
pub(super) struct FullName<'a> {
    /// Both with dots; either may be empty.
    pub(super) package: &'a str,
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
        self.segments().eq(other.segments())
    }

    /// How many names both end with.
    pub(super) fn shared_end<'b>(self, names: impl DoubleEndedIterator<Item = &'b str>) -> usize {
        let pairs = self.segments().rev().zip(names.rev());
        pairs.take_while(|(a, b)| a == b).count()
    }

    /// How many names both begin with.
    pub(super) fn shared_start(self, other: FullName<'_>) -> usize {
        let pairs = self.segments().zip(other.segments());
        pairs.take_while(|(a, b)| a == b).count()
    }

    /// Whether one of both, written in full or in part, may mean the other.
    pub(super) fn may_mean(self, other: FullName<'_>) -> bool {
        let shared = self.shared_end(other.segments());
        shared > 0 && shared == self.len().min(other.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken_apart(path: &str) -> Vec<&str> {
        names(path).collect()
    }

    #[test]
    fn paths_of_all_languages() {
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
            assert_eq!(taken_apart(path), wanted, "{path}");
        }
        let ends: Vec<usize> = segments("::a::B").map(|segment| segment.end).collect();
        assert_eq!(ends, [3, 6]);
    }

    #[test]
    fn full_names() {
        let full = |package, name| FullName { package, name };
        assert!(full("a.b", "C.d").is_same(full("", "a.b.C.d")));
        assert!(full("", "C").may_mean(full("a.b", "C")));
        assert!(full("a.b", "C").may_mean(full("", "b.C")));
        assert!(!full("", "x.C").may_mean(full("b", "C")));
        assert!(!full("", "").may_mean(full("b", "C")));
        assert_eq!(full("a", "B.c").shared_start(full("a.B", "d")), 2);
    }
}

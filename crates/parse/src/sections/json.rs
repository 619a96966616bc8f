//! Finds the sections of JSON with comments: key paths that span several lines.

use std::borrow::Cow;

use foveate_model::Span;

use super::section::SectionKind;
use super::tree::{Marks, cut};
use super::yaml::rank;
use crate::lines::TextLines;

const COMMENTS: &[&str] = &["//"];
const MAX_KEY: usize = 100;

pub(super) fn marks(lines: TextLines<'_>) -> Marks<'_> {
    let mut reader = Reader {
        lines,
        marks: Marks::new(lines, COMMENTS),
        open: Vec::new(),
        string: None,
    };
    let bytes = lines.text.as_bytes();
    let mut line = 1;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let next = match byte {
            b'"' => reader.string(at, line),
            b'/' => after_comment(bytes, at),
            _ => {
                reader.byte(*byte, line);
                at + 1
            }
        };
        let passed = bytes.get(at..next).unwrap_or(&[]);
        line += u32::try_from(memchr::memchr_iter(b'\n', passed).count()).unwrap_or(0);
        at = next;
    }
    reader.marks
}

/// An open object or list.
struct Open<'t> {
    /// The position of the current element in a list; `None` in an object.
    index: Option<u32>,
    /// The line on which it begins, if it is an element of a list.
    element: Option<u32>,
    /// How well the current name of that element identifies it.
    rank: u8,
    /// The key whose value is being read.
    key: &'t str,
}

struct Reader<'t> {
    lines: TextLines<'t>,
    marks: Marks<'t>,
    open: Vec<Open<'t>>,
    /// The last string and its line, which may turn out to be a key.
    string: Option<(&'t str, u32)>,
}

impl<'t> Reader<'t> {
    fn level(&self) -> u32 {
        u32::try_from(self.open.len()).unwrap_or(u32::MAX)
    }

    fn byte(&mut self, byte: u8, line: u32) {
        match byte {
            b':' => self.key(),
            b'{' => self.begin(None, line),
            b'[' => self.begin(Some(0), line),
            b'}' | b']' => {
                self.open.pop();
            }
            b',' => {
                if let Some(Open {
                    index: Some(index), ..
                }) = self.open.last_mut()
                {
                    *index = index.saturating_add(1);
                }
            }
            _ => return,
        }
        self.string = None;
    }

    fn begin(&mut self, index: Option<u32>, line: u32) {
        let level = self.level();
        let position = self.open.last().and_then(|open| open.index);
        let element = position.filter(|position| {
            let name = format!("[{position}]");
            self.marks.push(line, level, name, SectionKind::Item)
        });
        self.open.push(Open {
            index,
            element: element.map(|_| line),
            rank: 0,
            key: "",
        });
    }

    fn key(&mut self) {
        let level = self.level();
        if let (Some((key, line)), Some(open)) = (self.string, self.open.last_mut()) {
            open.key = key;
            let key = cut(key, MAX_KEY);
            // A path with names like `./lib` would not be readable.
            let name = match key.is_empty() || key.contains('.') {
                true => Cow::Owned(format!("[\"{key}\"]")),
                false => Cow::Borrowed(key),
            };
            self.marks.push(line, level, name, SectionKind::Key);
        }
    }

    /// Reads the string whose opening quote is at `at`; returns its end.
    fn string(&mut self, at: usize, line: u32) -> usize {
        let rest = self.lines.text.as_bytes().get(at + 1..).unwrap_or(&[]);
        let mut end = rest.len();
        let mut escaped = false;
        for (offset, byte) in rest.iter().enumerate() {
            // Strings do not span lines: an unclosed one ends here.
            if *byte == b'\n' || *byte == b'"' && !escaped {
                end = offset;
                break;
            }
            escaped = *byte == b'\\' && !escaped;
        }
        let text = Span::new(at + 1, at + 1 + end).of(self.lines.text);
        self.name_element(text);
        self.string = Some((text, line));
        let closes = rest.get(end) == Some(&b'"');
        at + 1 + end + usize::from(closes)
    }

    /// Names a list element by its own name rather than by its position.
    fn name_element(&mut self, value: &str) {
        let Some(open) = self.open.last_mut() else {
            return;
        };
        let rank = rank(open.key);
        if let Some(line) = open.element.filter(|_| rank > open.rank) {
            open.rank = rank;
            self.marks.rename(line, format!("[{value}]"));
        }
        open.key = "";
    }
}

/// Returns the end of a comment that begins at `at`; the next byte if there is none.
fn after_comment(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at + 1..).unwrap_or(&[]);
    let end = match rest.first() {
        Some(b'/') => memchr::memchr(b'\n', rest).unwrap_or(rest.len()),
        Some(b'*') => {
            let end = memchr::memmem::find(rest, b"*/");
            end.map_or(rest.len(), |end| end + 2)
        }
        _ => 0,
    };
    at + 1 + end
}

#[cfg(test)]
mod tests {
    #[test]
    fn keys_that_are_not_names_are_quoted() {
        let text = "{\n  \"exports\": {\n    \"./a\": {\n      \"a\": 1\n    }\n  }\n}\n";
        let expected = ["1-2 key exports", "3-7   key exports[\"./a\"]"];
        check(json(), "package.json", text, &expected);
    }

    use super::super::tests::{check, shown};
    use crate::testing::json;

    const PACKAGE: &str = "{\n  \"name\": \"x\",\n  \"version\": \"1\",\n  // How to run it.\n  \"scripts\": {\n    \"test\": \"mocha {\",\n    \"build\": \"rollup\"\n  },\n  \"private\": true,\n  \"people\": [\n    {\n      \"name\": \"A\",\n      \"mail\": \"a\"\n    },\n    { \"name\": \"B\" }\n  ],\n  \"files\": [\n    \"lib\"\n  ]\n}\n";

    #[test]
    fn keys_over_several_lines_are_sections() {
        check(
            json(),
            "package.json",
            PACKAGE,
            &[
                "1-3 text ", "4-8 key scripts", "9-9 text ", "10-10 key people",
                "11-14   item people[A]", "15-16   text people", "17-20 key files",
            ],
        );
        assert_eq!(shown(json(), "package.json", PACKAGE, 6, 40), "4-8 scripts");
        assert_eq!(
            shown(json(), "package.json", PACKAGE, 12, 40),
            "10-16 people"
        );
        assert_eq!(shown(json(), "package.json", PACKAGE, 2, 40), "1-8 ");
    }
}

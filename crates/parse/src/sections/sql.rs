//! Finds the sections of SQL: statements up to their semicolon.

use super::section::SectionKind;
use super::tree::Marks;
use crate::lines::TextLines;

/// Number of words of a statement that form its title.
const TITLE_WORDS: usize = 3;
/// Longest word of a title, in bytes.
const MAX_WORD: usize = 60;

pub(super) fn marks(lines: TextLines<'_>) -> Marks<'_> {
    let mut reader = Reader {
        text: lines.text,
        at: 0,
        line: 1,
        start: None,
        statement: None,
        code_line: 0,
        marks: Marks::new(lines, &[]),
    };
    while reader.step() {}
    reader.end_statement();
    reader.marks
}

/// The statement being read.
#[derive(Default)]
struct Statement<'t> {
    line: u32,
    words: Vec<&'t str>,
    /// Whether its title is complete.
    is_titled: bool,
    /// Whether it defines a routine, whose body may contain semicolons.
    is_routine: bool,
    /// Whether `END` was the last word; a following `IF` or `LOOP` belongs to it.
    after_end: bool,
    blocks: u32,
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    line: u32,
    /// The first line with a comment or code after the last statement.
    start: Option<u32>,
    statement: Option<Statement<'t>>,
    /// The last line with code.
    code_line: u32,
    marks: Marks<'t>,
}

impl<'t> Reader<'t> {
    /// Reads one token; returns `false` at the end.
    fn step(&mut self) -> bool {
        let rest = self.text.get(self.at..).unwrap_or("");
        let Some(first) = rest.chars().next() else {
            return false;
        };
        if rest.starts_with("--") || rest.starts_with("/*") {
            // A comment after a statement, on the same line, explains that statement.
            if self.line > self.code_line {
                self.start.get_or_insert(self.line);
            }
            let end = match first {
                '-' => rest.find('\n').unwrap_or(rest.len()),
                _ => closed(rest, 2, "*/"),
            };
            self.pass(end);
            return true;
        }
        let len = match first {
            c if c.is_whitespace() => c.len_utf8(),
            '\'' | '"' | '`' => quoted(rest, first),
            '$' => dollar_quoted(rest),
            c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        if !first.is_whitespace() {
            self.token(rest.get(..len).unwrap_or(""), first);
        }
        self.pass(len);
        true
    }

    fn pass(&mut self, len: usize) {
        let passed = self.text.as_bytes().get(self.at..self.at + len);
        let newlines = memchr::memchr_iter(b'\n', passed.unwrap_or(&[])).count();
        self.line += u32::try_from(newlines).unwrap_or(0);
        self.at += len;
    }

    fn token(&mut self, token: &'t str, first: char) {
        let line = self.line;
        self.code_line = line;
        self.start.get_or_insert(line);
        let statement = self.statement.get_or_insert_with(|| Statement {
            line,
            ..Statement::default()
        });
        if first == ';' && statement.blocks == 0 {
            self.end_statement();
        } else if is_word(first) || matches!(first, '"' | '`') {
            statement.word(token);
        } else if !matches!(first, '.' | '[' | ']') {
            statement.is_titled = true;
            statement.after_end = false;
        }
    }

    fn end_statement(&mut self) {
        let start = self.start.take();
        if let (Some(start), Some(statement)) = (start, self.statement.take()) {
            let name = statement.words.join(" ");
            let kind = SectionKind::Statement;
            self.marks.push_from(start, statement.line, 0, name, kind);
        }
    }
}

impl<'t> Statement<'t> {
    fn word(&mut self, word: &'t str) {
        let is = |words: &[&str]| words.iter().any(|w| w.eq_ignore_ascii_case(word));
        let is_filler = is(&[
            "if", "not", "exists", "or", "replace", "unique", "temporary",
        ]);
        if !self.is_titled && !is_filler {
            let end = word.floor_char_boundary(MAX_WORD);
            self.words.push(word.get(..end).unwrap_or(word));
            self.is_titled = self.words.len() >= TITLE_WORDS;
            let creates = self
                .words
                .first()
                .is_some_and(|w| w.eq_ignore_ascii_case("create"));
            self.is_routine |= creates && is(&["trigger", "function", "procedure"]);
        }
        if self.is_routine {
            // `END IF` ends no block that was counted: the decrement for `END` is undone.
            let begins = match self.after_end {
                true => is(&["if", "loop", "while", "repeat", "for"]),
                false => is(&["begin", "case"]),
            };
            if begins {
                self.blocks += 1;
            } else if is(&["end"]) {
                self.blocks = self.blocks.saturating_sub(1);
            }
            self.after_end = is(&["end"]);
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the end of the first `close` after `from` bytes; the end of the text without one.
fn closed(text: &str, from: usize, close: &str) -> usize {
    let rest = text.get(from..).unwrap_or("");
    let end = rest.find(close);
    end.map_or(text.len(), |end| from + end + close.len())
}

/// Returns the length of a quoted string. A doubled quote is read as two strings, which makes no
/// difference.
fn quoted(text: &str, quote: char) -> usize {
    let mut buffer = [0; 4];
    closed(text, quote.len_utf8(), quote.encode_utf8(&mut buffer))
}

/// Returns the length of `$tag$ … $tag$`, or of the dollar alone.
fn dollar_quoted(text: &str) -> usize {
    let tag = text.get(1..).and_then(|rest| rest.split_once('$'));
    match tag {
        Some((tag, _)) if tag.len() < MAX_WORD && tag.chars().all(is_word) => {
            let open = tag.len() + 2;
            closed(text, open, text.get(..open).unwrap_or("$"))
        }
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use crate::testing::sql;

    #[test]
    fn statements_include_their_comments() {
        let text = "-- Who buys;\nCREATE TABLE IF NOT EXISTS shop.orders (\n  id INT, -- a; b\n  name TEXT DEFAULT ';'\n);\n\n/* Fills it. */\nINSERT INTO orders (id)\nVALUES (1); -- one\nCREATE FUNCTION f() RETURNS int AS $$\n  SELECT 1;\n$$ LANGUAGE sql;\nCREATE TRIGGER t AFTER INSERT ON orders BEGIN\n  SELECT CASE WHEN 1 THEN 2 END;\n  IF a THEN b; END IF;\nEND;\nSELECT 1\n";
        check(
            sql(),
            "a.sql",
            text,
            &[
                "1-6 statement CREATE TABLE shop",
                "7-9 statement INSERT INTO orders",
                "10-12 statement CREATE FUNCTION f",
                "13-16 statement CREATE TRIGGER t",
                "17-17 statement SELECT 1",
            ],
        );
    }
}

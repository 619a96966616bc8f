//! Finds the sections of TOML: tables, and keys that span several lines.

use foldhash::HashMap;

use super::section::SectionKind;
use super::tree::{Marks, cut, is_comment, numbered};
use super::yaml::rank;
use crate::lines::TextLines;

const COMMENTS: &[&str] = &["#"];
const MAX_KEY: usize = 100;

pub(super) fn marks(lines: TextLines<'_>) -> Marks<'_> {
    let mut marks = Marks::new(lines, COMMENTS);
    let mut counts: HashMap<&str, u32> = HashMap::default();
    // The current array element, which a `name` key may still name: its line, path and rank.
    let mut element: Option<(u32, &str, u8)> = None;
    let mut value = Value::default();
    for (line, text) in numbered(lines) {
        if value.is_open() {
            value.read(text);
        } else if let Some((path, is_array)) = header(text) {
            let count = counts.entry(path).or_default();
            let name = match is_array {
                true => format!("{path}[{count}]"),
                false => path.to_owned(),
            };
            *count += 1;
            element = is_array.then_some((line, path, 0));
            marks.push(line, 0, name, SectionKind::Table);
        } else if let Some((key, rest)) = key(text) {
            if let Some((header, path, known)) = &mut element {
                let is_text = rest.starts_with(['"', '\'']);
                if is_text && rank(key) > *known {
                    *known = rank(key);
                    let label = rest.trim_matches(['"', '\'']);
                    marks.rename(*header, format!("{path}[{label}]"));
                }
            }
            marks.push(line, 1, cut(key, MAX_KEY), SectionKind::Key);
            value.read(rest);
        }
    }
    marks
}

/// Returns the path of `[a.b]` or `[[a.b]]`, and whether it is the latter.
fn header(text: &str) -> Option<(&str, bool)> {
    let inside = text.trim_start().strip_prefix('[')?;
    let array = inside.strip_prefix('[');
    let (path, _) = array.unwrap_or(inside).split_once(']')?;
    Some((path.trim(), array.is_some()))
}

fn key(text: &str) -> Option<(&str, &str)> {
    let (key, value) = text
        .split_once('=')
        .filter(|_| !is_comment(text, COMMENTS))?;
    let key = key.trim().trim_matches(['"', '\'']);
    (!key.is_empty()).then(|| (key, value.trim()))
}

/// State of reading a value: tells whether the next line still belongs to it.
#[derive(Default)]
struct Value {
    brackets: u32,
    quotes: Option<&'static str>,
}

impl Value {
    fn is_open(&self) -> bool {
        self.brackets > 0 || self.quotes.is_some()
    }

    fn read(&mut self, text: &str) {
        let mut rest = text;
        loop {
            if let Some(quotes) = self.quotes {
                let Some((_, after)) = rest.split_once(quotes) else {
                    return;
                };
                self.quotes = None;
                rest = after;
            }
            let Some(at) = rest.find(['[', ']', '{', '}', '"', '\'', '#']) else {
                return;
            };
            let (_, token) = rest.split_at(at);
            rest = match token.as_bytes().first() {
                Some(b'#') => return,
                Some(b'"') => self.after_quote(token, "\"\"\"", '"'),
                Some(b'\'') => self.after_quote(token, "'''", '\''),
                Some(bracket) => {
                    self.brackets = match bracket {
                        b'[' | b'{' => self.brackets.saturating_add(1),
                        _ => self.brackets.saturating_sub(1),
                    };
                    token.get(1..).unwrap_or("")
                }
                None => return,
            };
        }
    }

    /// Returns the text after a string, or after its opening quotes if it may span lines.
    fn after_quote<'t>(&mut self, token: &'t str, long: &'static str, short: char) -> &'t str {
        if let Some(text) = token.strip_prefix(long) {
            self.quotes = Some(long);
            return text;
        }
        let mut escaped = false;
        let end = token.char_indices().skip(1).find(|(_, c)| {
            let ends = *c == short && !escaped;
            escaped = *c == '\\' && short == '"' && !escaped;
            ends
        });
        end.and_then(|(at, _)| token.get(at + 1..)).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, shown};
    use crate::testing::toml;

    const PROJECT: &str = "[project]\nname = \"x\"\nrequires-python = \">=3.10\"\n\n# What tests need.\n[project.optional-dependencies]\ntest = [\n  \"pytest>=7\", # ]\n  \"tox[a]\",\n]\ndocs = [\"sphinx\"]\ndev = [\"ruff\"]\nlint = [\n  \"mypy\",\n]\n\n[[tool.mypy.overrides]]\nmodule = \"a\"\n\n[[bench]]\nname = \"tree\"\ntext = \"\"\"\n[no.table]\nk = 1\n\"\"\"\n";

    #[test]
    fn tables_and_long_keys_are_sections() {
        check(
            toml(),
            "pyproject.toml",
            PROJECT,
            &[
                "1-4 table project",
                "5-6 table project.optional-dependencies",
                "7-10   key project.optional-dependencies.test",
                "11-12   text project.optional-dependencies",
                "13-16   key project.optional-dependencies.lint",
                "17-19 table tool.mypy.overrides[0]",
                "20-21 table bench[tree]",
                "22-25   key bench[tree].text",
            ],
        );
    }

    #[test]
    fn hit_in_a_list_shows_its_table_if_it_fits() {
        let of = |max_lines| shown(toml(), "pyproject.toml", PROJECT, 8, max_lines);
        assert_eq!(of(40), "5-15 project.optional-dependencies");
        assert_eq!(of(8), "7-10 project.optional-dependencies.test");
    }
}

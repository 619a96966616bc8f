//! Finds the sections of shell scripts: functions, and blocks below a comment.

use super::prose::comment;
use super::section::SectionKind;
use super::tree::{Marks, cut, is_comment, numbered};
use crate::lines::TextLines;

const COMMENTS: &[&str] = &["#"];
const MAX_NAME: usize = 80;

pub(super) fn marks(lines: TextLines<'_>) -> Marks<'_> {
    let mut reader = Reader {
        marks: Marks::new(lines, COMMENTS),
        state: State::Commands,
        after_blank: false,
        heading: None,
        here: None,
    };
    for (line, text) in numbered(lines) {
        reader.read(line, text);
    }
    reader.marks
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Commands,
    Function,
    /// A function has ended; the next command begins a section.
    Ended,
}

struct Reader<'t> {
    marks: Marks<'t>,
    state: State,
    after_blank: bool,
    /// The first line and the words of the comment directly above.
    heading: Option<(u32, &'t str)>,
    /// The word that ends the here-document.
    here: Option<&'t str>,
}

impl<'t> Reader<'t> {
    fn read(&mut self, line: u32, text: &'t str) {
        if let Some(word) = self.here {
            self.here = (!is_here_end(text, word)).then_some(word);
            return;
        }
        self.here = here_document(text);
        if self.state == State::Function {
            if matches!(text.trim_end(), "}" | "end" | "};") {
                self.state = State::Ended;
            }
            self.after_blank = false;
            return;
        }
        if is_comment(text, COMMENTS) {
            let heads = self.heading.is_none() && (self.after_blank || self.state == State::Ended);
            if heads {
                self.heading = comment(text).map(|words| (line, words));
            }
        } else if text.trim().is_empty() {
            // A lone comment may still be the heading of the commands below the blank line.
            self.after_blank = true;
            return;
        } else {
            self.command(line, text);
        }
        self.after_blank = false;
    }

    fn command(&mut self, line: u32, text: &'t str) {
        let heading = self.heading.take();
        if let Some(name) = function(text) {
            let start = heading.map(|(start, _)| start);
            match start {
                Some(start) => {
                    let kind = SectionKind::Function;
                    self.marks.push_from(start, line, 0, name, kind)
                }
                None => self.marks.push(line, 0, name, SectionKind::Function),
            };
            let is_whole = text.trim_end().ends_with('}');
            self.state = match is_whole {
                true => State::Ended,
                false => State::Function,
            };
            return;
        }
        let is_inside = text.starts_with([' ', '\t']);
        match heading {
            Some((start, words)) if !is_inside => {
                let name = cut(words, MAX_NAME);
                self.marks
                    .push_from(start, line, 0, name, SectionKind::Text);
            }
            _ if self.state == State::Ended => {
                self.marks.push(line, 0, "", SectionKind::Text);
            }
            _ => {}
        }
        self.state = State::Commands;
    }
}

/// Returns the name of the function that a line without indentation begins.
fn function(text: &str) -> Option<&str> {
    let is_name = |name: &&str| !name.is_empty() && !name.contains(['$', '=', '"', '\'', ' ']);
    if let Some(rest) = text.strip_prefix("function ") {
        let name = rest.split(['(', '{', ' ', ';']).next()?;
        return Some(name).filter(is_name);
    }
    let (name, rest) = text.split_once("()")?;
    let begins = matches!(
        rest.trim_start().as_bytes().first(),
        None | Some(b'{' | b'#')
    );
    Some(name.trim_end()).filter(is_name).filter(|_| begins)
}

/// Returns the word that ends the here-document begun on a line.
pub(super) fn here_document(text: &str) -> Option<&str> {
    let (before, rest) = text.split_once("<<")?;
    let is_here = !rest.starts_with(['<', '=']) && !is_comment(before, COMMENTS);
    let rest = rest.strip_prefix('-').unwrap_or(rest).trim_start();
    let rest = rest.trim_start_matches(['"', '\'', '\\']);
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
    let word = rest.get(..end.unwrap_or(rest.len()))?;
    // `1 << 2` is arithmetic.
    let is_word = word.starts_with(|c: char| c.is_alphabetic() || c == '_');
    (is_here && is_word).then_some(word)
}

pub(super) fn is_here_end(text: &str, word: &str) -> bool {
    text.trim() == word
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use crate::testing::shell;

    #[test]
    fn functions_and_commented_blocks_are_sections() {
        let text = "#!/bin/sh\n# Installs it.\nset -e\n\n# Says\n# why.\nusage() {\n  cat <<EOF\n}\nEOF\n}\nusage\n\n## Build ##\nmake\nif true; then\n\n  # inside\n  x\nfi\n\nfunction last {\n  y\n}\n";
        check(
            shell(),
            "install.sh",
            text,
            &[
                "1-4 text ", "5-11 function usage", "12-13 text ", "14-21 text Build",
                "22-24 function last",
            ],
        );
    }
}

//! Splits the source of a message into its words, cut at placeholders of all languages: `%s`, `{name}`, `${x}`, `#{x}`,
//! `$x`, `<%= x %>`. A user sees other text in their place. Must not depend on the language: a file has the syntax of
//! several (SQL in Go, templates in Python), and libraries of one language differ.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;

/// Maximum bytes of a placeholder.
const MAX_PLACEHOLDER: usize = 200;
/// Maximum bytes between two literals that are one message.
const MAX_BETWEEN: usize = 120;
/// What stands before the quotes of literals.
const PREFIXES: [&str; 15] = [
    "$", "$@", "@", "@$", "B", "F", "L", "R", "b", "f", "fr", "r", "rf", "u", "u8",
];
/// Operators that concatenate literals.
const OPERATORS: [&str; 5] = ["+", ".", "..", "<<", "&"];

/// A word of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// Hash of the word in lower case.
    pub(super) hash: u64,
    /// Its length in bytes.
    pub(super) len: usize,
    /// Whether a placeholder is between the word before it and this one.
    pub(super) follows_placeholder: bool,
}

/// Collects the words of a message from its literals.
#[derive(Debug, Default)]
pub(super) struct Words {
    pub(super) words: Vec<Word>,
    follows_placeholder: bool,
}

/// What is between two literals that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Between {
    /// No text that a user sees: `"a " "b"`, `"a " + "b"`.
    Nothing,
    /// A value: `"a " + name + " b"`.
    Value,
}

/// Returns the hashes of the words of a plain text, ignoring case.
pub(super) fn hashes(text: &str) -> impl Iterator<Item = u64> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(hash)
}

fn hash(word: &str) -> u64 {
    FixedState::default().hash_one(word.to_lowercase())
}

impl Words {
    /// Marks that a value is between the words before and after.
    pub(super) fn placeholder(&mut self) {
        self.follows_placeholder = true;
    }

    /// Adds the words of a literal. Letters that touch a placeholder are a part of the word that it becomes.
    pub(super) fn literal(&mut self, text: &str) {
        let mut rest = text;
        let mut touches = false;
        while let Some(first) = rest.chars().next() {
            if let Some(len) = placeholder(rest) {
                self.placeholder();
                touches = true;
                rest = rest.get(len..).unwrap_or("");
            } else if first.is_alphanumeric() {
                let end = rest.find(|c: char| !c.is_alphanumeric());
                let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
                rest = after;
                if touches || placeholder(rest).is_some() {
                    self.placeholder();
                } else {
                    self.word(word);
                }
                touches = false;
            } else {
                touches = false;
                rest = rest.get(separator(rest, first)..).unwrap_or("");
            }
        }
    }

    fn word(&mut self, word: &str) {
        self.words.push(Word {
            hash: hash(word),
            len: word.len(),
            follows_placeholder: std::mem::take(&mut self.follows_placeholder),
        });
    }
}

/// Returns the length of the separator at the start of a text. The letter of an escape such as `\n` is no word.
fn separator(text: &str, first: char) -> usize {
    let is_escape = first == '\\'
        && text
            .get(1..)
            .is_some_and(|rest| rest.starts_with(['n', 'r', 't']));
    match is_escape {
        true => 2,
        false => first.len_utf8(),
    }
}

/// Returns the length of the placeholder at the start of a text, if there is one.
fn placeholder(text: &str) -> Option<usize> {
    match text.as_bytes().first()? {
        b'%' => format_specifier(text),
        b'{' => braced(text),
        b'#' if text.starts_with("#{") => braced(text.get(1..)?).map(|len| len + 1),
        b'$' if text.starts_with("${") => braced(text.get(1..)?).map(|len| len + 1),
        b'$' => variable(text),
        b'<' if text.starts_with("<%") => {
            let limit = text.floor_char_boundary(MAX_PLACEHOLDER);
            text.get(..limit)?.find("%>").map(|at| at + 2)
        }
        _ => None,
    }
}

/// Reads `%s`, `%-5.2f`, `%1$d`, `%(name)s`, `%<name>s`, `%{name}`. `100% of` has none.
fn format_specifier(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('%')?;
    let near = rest.get(..rest.floor_char_boundary(MAX_PLACEHOLDER))?;
    let name = match near.as_bytes().first()? {
        b'{' => return braced(rest).map(|len| len + 1),
        b'(' => near.find(')').map(|at| at + 1),
        b'<' => near.find('>').map(|at| at + 1),
        _ => None,
    };
    let rest = rest.get(name.unwrap_or(0)..)?;
    let is_flag = |c: char| c.is_ascii_digit() || "-+#'.,*$".contains(c);
    let conversion = rest.trim_start_matches(is_flag);
    let after = conversion.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    (after.len() < conversion.len()).then(|| text.len() - after.len())
}

/// Reads `{…}` with what is nested in it.
fn braced(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().take(MAX_PLACEHOLDER).enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return (byte == b'}').then_some(at + 1);
        }
    }
    None
}

/// Reads `$name` and `$object->field`.
fn variable(text: &str) -> Option<usize> {
    let mut rest = identifier(text.strip_prefix('$')?)?;
    while let Some(field) = rest.strip_prefix("->").and_then(identifier) {
        rest = field;
    }
    Some(text.len() - rest.len())
}

/// Returns the text after the identifier that it begins with.
fn identifier(text: &str) -> Option<&str> {
    let begins = text.starts_with(|c: char| c.is_alphabetic() || c == '_');
    begins.then(|| text.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_'))
}

/// Returns what is between two literals, given the text from the end of the first one's to the start of the second
/// one's, both without their quotes. `None` if they are two texts.
pub(super) fn between_literals(between: &str) -> Option<Between> {
    let is_quote = |c: char| matches!(c, '"' | '\'' | '`');
    let inside = between
        .strip_prefix(is_quote)
        .filter(|_| between.len() <= MAX_BETWEEN)?;
    let inside = inside.strip_suffix(is_quote)?;
    // A backslash continues a line.
    let inside = inside.trim_matches(|c: char| c.is_whitespace() || c == '\\');
    if inside.contains([';', '{', '}', '?', '"', '\'', '`']) {
        return None;
    }
    let start = inside.trim_end_matches(|c: char| !c.is_whitespace());
    let last = inside.strip_prefix(start).unwrap_or(inside);
    let joined = match PREFIXES.contains(&last) {
        true => start.trim_end(),
        false => inside,
    };
    if joined.is_empty() || OPERATORS.contains(&joined) {
        return Some(Between::Nothing);
    }
    let is_value = OPERATORS.into_iter().any(|operator| {
        let value = joined
            .strip_prefix(operator)
            .and_then(|rest| rest.strip_suffix(operator));
        value.is_some_and(|value| !value.trim().is_empty())
    });
    // `"%" PRIu64 " bytes"`
    let is_macro = joined.starts_with(|c: char| c.is_ascii_uppercase())
        && joined
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_');
    (is_value || is_macro).then_some(Between::Value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the words of a literal with those wanted. A `|` marks a word after a placeholder.
    #[track_caller]
    fn check(literal: &str, wanted: &str) {
        let mut words = Words::default();
        words.literal(literal);
        let found = words.words.iter();
        let found: Vec<(u64, bool)> = found
            .map(|word| (word.hash, word.follows_placeholder))
            .collect();
        let wanted: Vec<(u64, bool)> = wanted
            .split_whitespace()
            .map(|word| (hash(word.trim_start_matches('|')), word.starts_with('|')))
            .collect();
        assert_eq!(found, wanted, "{literal}");
    }

    #[test]
    fn literals_are_cut_at_placeholders() {
        for (literal, wanted) in [
            ("page %d: reachable freed", "page |reachable freed"),
            ("read %s: %w", "read"),
            ("%lu of %-5.2f bytes in %ds", "|of |bytes in"),
            ("no %1$s for %(name)s or %{other}", "no |for |or"),
            ("100% of them, 5%", "100 of them 5"),
            ("no {name} in {0:x} left", "no |in |left"),
            ("no {'.'.join(keys[{a}])} left", "no |left"),
            ("no ${a.b()} in #{c} of <%= d %> left", "no |in |of |left"),
            (
                "no $name of $this->a->b in {$c->d} left",
                "no |of |in |left",
            ),
            ("a $ 5 of {", "a 5 of"),
            ("the {name}Store of v{version} is old", "the |of |is old"),
            ("one\\nline\\tof don\\'t", "one line of don t"),
            ("{}: {}", ""),
            ("", ""),
        ] {
            check(literal, wanted);
        }
    }

    #[test]
    fn long_placeholders_are_text() {
        let long = "a".repeat(MAX_PLACEHOLDER);
        check(&format!("no {{{long}}} left"), &format!("no {long} left"));
        check(&"{".repeat(100_000), "");
        check(&"%<".repeat(100_000), "");
    }

    #[test]
    fn literals_beside_each_other_are_joined() {
        for seam in [
            "\"\n    \"", "\" + \"", "' .\n '", "\" \\\n \"", "\"\n f\"", "\" +\n $\"", "\" u8\"",
            "\" << \"",
        ] {
            assert_eq!(between_literals(seam), Some(Between::Nothing), "{seam}");
        }
        for value in [
            "\" + a.b(c) + \"", "' . $name . '", "\" << x << \"", "\" PRIu64 \"",
            "\" + name +\n    f\"",
        ] {
            assert_eq!(between_literals(value), Some(Between::Value), "{value}");
        }
        for other in [
            "\", \"", "\"; b = \"", "\" : \"", "\" if a else \"", "\" or \"", "\" + (a ? \"",
            ") + (", "", "\"",
        ] {
            assert_eq!(between_literals(other), None, "{other}");
        }
        assert_eq!(
            between_literals(&format!("\" + {} + \"", "a".repeat(200))),
            None
        );
    }
}

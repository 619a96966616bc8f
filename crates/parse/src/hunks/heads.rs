//! Describes how the functions and classes of a language begin, and splits such lines into words.

/// Rules that recognise the lines with which a language's functions and classes begin.
#[derive(Clone, Copy)]
pub struct HunkHeads {
    pub(crate) pattern: Pattern,
    /// Extensions of the files that these rules apply to.
    pub(crate) extensions: &'static [&'static str],
    /// Whether git keeps the indentation of the line in a hunk header.
    pub(crate) shows_indentation: bool,
    /// Returns the name in a line, without the blanks around it, that git took for a definition. It may be
    /// cut off.
    pub(crate) named: fn(&str) -> Option<&str>,
    /// Whether a changed line begins a definition.
    pub(crate) is_definition: fn(&str) -> bool,
}

/// How git finds the lines that begin a definition.
#[derive(Clone, Copy)]
pub(crate) enum Pattern {
    /// By git's built-in pattern of this name.
    Git(&'static str),
    /// By a pattern of this project: a name that git has no pattern of, and regular expressions, one per
    /// line; `!` excludes lines. Git shows the captured group: with the indentation, which tells whether a
    /// change is inside the definition or after it.
    Own(&'static str, &'static str),
}

/// Longest name that is kept, in bytes.
const MAX_NAME: usize = 100;

impl HunkHeads {
    /// Whether the indentation of a line in a hunk header is that of the line in the file.
    pub fn shows_indentation(&self) -> bool {
        self.shows_indentation
    }

    /// Returns the name in a line that git took for a definition. It may be cut off.
    pub fn named<'l>(&self, line: &'l str) -> Option<&'l str> {
        (self.named)(line.trim()).filter(|name| (1..=MAX_NAME).contains(&name.len()))
    }

    /// Returns the name that a changed line defines.
    pub fn defines<'l>(&self, line: &'l str) -> Option<&'l str> {
        if (self.is_definition)(line) {
            self.named(line)
        } else {
            None
        }
    }
}

pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Returns the words of a text, each with the text after it.
pub(crate) fn words(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c| !is_word(c));
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        rest = after;
        (!word.is_empty()).then_some((word, after))
    })
}

pub(crate) fn first_word(text: &str) -> Option<&str> {
    words(text).next().map(|(word, _)| word)
}

pub(crate) fn last_word(text: &str) -> Option<&str> {
    let text = text.trim_end_matches(|c| !is_word(c));
    let start = text.rfind(|c| !is_word(c)).map_or(0, |at| {
        at + text[at..].chars().next().map_or(1, char::len_utf8)
    });
    Some(&text[start..]).filter(|word| !word.is_empty())
}

/// Returns the keyword that a line begins with, after modifiers, and the text after it.
pub(crate) fn split_keyword<'a>(
    line: &'a str,
    modifiers: &[&str],
    keywords: &[&str],
) -> Option<(&'a str, &'a str)> {
    if !line.starts_with(is_word) {
        return None;
    }
    words(line)
        .find(|(word, _)| !modifiers.contains(word))
        .filter(|(word, rest)| keywords.contains(word) && !rest.starts_with(['=', '.', ':', ',']))
}

pub(crate) fn after_keyword<'a>(
    line: &'a str,
    modifiers: &[&str],
    keywords: &[&str],
) -> Option<&'a str> {
    let (_, rest) = split_keyword(line, modifiers, keywords)?;
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start();
    first_word(rest).filter(|word| rest.starts_with(word))
}

/// Returns the text before the parentheses of parameters, without type parameters.
pub(crate) fn before_parameters(text: &str) -> &str {
    let head = text.split('(').next().unwrap_or(text).trim_end();
    if !head.ends_with('>') {
        return head;
    }
    let mut depth = 0;
    let open = head.char_indices().rev().find(|(_, c)| {
        depth += match c {
            '>' => 1,
            '<' => -1,
            _ => 0,
        };
        depth == 0
    });
    open.map_or(head, |(at, _)| head[..at].trim_end())
}

/// Strips the annotations at the start of a line: `@Test(timeout = 3) public`, `[Fact] public`, `#[Pure]
/// public`.
pub(crate) fn without_annotations(line: &str) -> &str {
    let mut rest = line.trim_start();
    loop {
        let after = match rest.strip_prefix('@') {
            Some(annotation) if !annotation.starts_with("interface") => {
                let end = annotation.find(|c| !(is_word(c) || matches!(c, '.' | ':')));
                let after = &annotation[end.unwrap_or(annotation.len())..];
                match after.strip_prefix('(') {
                    Some(arguments) => arguments.split_once(')').map(|(_, after)| after),
                    None => Some(after),
                }
            }
            _ => {
                let attribute = rest.strip_prefix("#[").or_else(|| rest.strip_prefix('['));
                attribute.and_then(|inside| Some(inside.split_once(']')?.1))
            }
        };
        match after.filter(|after| after.starts_with([' ', '\t'])) {
            Some(after) => rest = after.trim_start(),
            None => return rest,
        }
    }
}

#[cfg(test)]
#[track_caller]
pub(crate) fn check(heads: HunkHeads, cases: &[(&str, Option<&str>)]) {
    for (line, name) in cases {
        assert_eq!(heads.defines(line), *name, "{line}");
    }
}

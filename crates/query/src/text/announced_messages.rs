//! Finds the error messages that a sentence announces with "error", "fails with", "says" and the like: quoted in it, or on a
//! line of its own after it. Must not take every quoted text for one: names, values and commands are quoted, too.

use foveate_parse::code;

use super::inline;

/// Maximum bytes of a message; a longer quotation is something else.
const MAX_MESSAGE: usize = 400;
/// Maximum bytes before a quotation that may announce it.
const MAX_BEFORE: usize = 80;
/// Minimum words of a message.
const MIN_WORDS: usize = 3;
/// Minimum words of letters alone.
const MIN_PLAIN_WORDS: usize = 2;
/// Maximum words between the word that announces a message and the message.
const MAX_BETWEEN: usize = 3;
/// Words before "says" that may name what says it.
const SUBJECT_WORDS: usize = 4;

/// Opening quotes with the closing ones.
const QUOTES: &[(char, char)] = &[
    ('`', '`'),
    ('"', '"'),
    ('“', '”'),
    ('\'', '\''),
    ('‘', '’'),
    ('«', '»'),
];

/// Nouns and verbs of failures. A message follows them directly, or after [`BETWEEN`].
const NOUNS: [&str; 7] = [
    "error", "errors", "exception", "message", "panic", "warning", "warnings",
];
const VERBS: [&str; 6] = [
    "raises", "raised", "throws", "threw", "complains", "complained",
];

/// Verbs of a speaker, which may be a program or a page.
const SPEECH: [&str; 3] = ["says", "said", "saying"];

/// Verbs that "with" and a message follow.
const FAILS: [&str; 12] = [
    "fail", "fails", "failed", "failing", "crash", "crashes", "crashed", "dies", "died", "exits",
    "aborts", "errors",
];

/// Words that may stand between the announcement and the message.
const BETWEEN: [&str; 10] = [
    "is", "was", "are", "that", "like", "reads", "the", "following", "this", "text",
];

/// Subjects that say something without failing.
const SPEAKERS: [&str; 12] = [
    "changelog", "comment", "doc", "docs", "docstring", "documentation", "guide", "manual",
    "readme", "spec", "specification", "wiki",
];

/// Words before "message" in names of messages that report no failure.
const OTHER_MESSAGES: [&str; 4] = ["commit", "chat", "success", "welcome"];

/// Returns the error messages that a line quotes.
pub(super) fn read(line: &str) -> Vec<&str> {
    let quoted = inline::quotes(line, QUOTES, MAX_MESSAGE).into_iter();
    let announced = quoted.filter(|range| announces(line.get(..range.start).unwrap_or("")));
    announced
        .filter_map(|range| line.get(range))
        .filter(|text| is_message(text))
        .collect()
}

/// Returns the error messages among the lines of prose that stand alone between blank lines.
pub(super) fn announced<'l>(lines: &[&'l str]) -> Vec<&'l str> {
    let is_blank = |at: usize| lines.get(at).is_none_or(|line| line.trim().is_empty());
    let alone =
        (1..lines.len()).filter(|at| !is_blank(*at) && is_blank(at - 1) && is_blank(at + 1));
    let mut found = Vec::new();
    for at in alone {
        let before = lines.get(..at).unwrap_or_default();
        let line = lines.get(at).map_or("", |line| line.trim());
        if ends_with_announcement(before) && is_message(line) {
            found.push(line);
        }
    }
    found
}

/// Whether the last sentence of some lines says that an error follows.
pub(super) fn ends_with_announcement(lines: &[&str]) -> bool {
    // The line before the blank one.
    let mut last = lines.iter().rev().take(2);
    last.find(|line| !line.trim().is_empty())
        .is_some_and(|line| announces(line))
}

/// Whether a text before a quotation says that an error follows.
fn announces(before: &str) -> bool {
    let start = before.floor_char_boundary(before.len().saturating_sub(MAX_BEFORE));
    let before = before.get(start..).unwrap_or("");
    // What is before the end of a sentence announces nothing after it.
    let sentence = before
        .rsplit(['.', '!', '?', ';', '('])
        .next()
        .unwrap_or(before);
    let words: Vec<String> = sentence
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    // The announcement is about something else: "the error that the `no such block` option causes".
    if words.last() == Some(&"the") {
        return false;
    }
    let between = words.iter().rev().take(MAX_BETWEEN);
    let between = between.take_while(|word| BETWEEN.contains(word)).count();
    let Some((last, earlier)) = words
        .get(..words.len() - between)
        .and_then(|words| words.split_last())
    else {
        return false;
    };
    let before_last = earlier.last().copied().unwrap_or("");
    if SPEECH.contains(last) {
        let mut subject = earlier.iter().rev().take(SUBJECT_WORDS);
        return !subject.any(|word| SPEAKERS.contains(word));
    }
    if NOUNS.contains(last) {
        return !(OTHER_MESSAGES.contains(&before_last) || matches!(before_last, "no" | "without"));
    }
    VERBS.contains(last) || *last == "with" && FAILS.contains(&before_last)
}

/// Whether a text is a message: words, not code or a command.
pub(super) fn is_message(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_plain = |word: &&&str| {
        let word = word.trim_end_matches([',', '.', ':', ';', '!']);
        !word.is_empty() && word.chars().all(char::is_alphabetic)
    };
    let is_called = words.iter().take(2).any(|word| word.contains('('));
    let is_command = words.iter().any(|word| word.starts_with('-'));
    let is_code = code::begins_like_code(text)
        || [" = ", "=>", "{", ";"]
            .iter()
            .any(|mark| text.contains(mark));
    words.len() >= MIN_WORDS
        && words.iter().filter(is_plain).count() >= MIN_PLAIN_WORDS
        && !is_called
        && !is_command
        && !is_code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_after_their_announcement_are_found() {
        for line in [
            "I get the error `no such block`.",
            "The error is 'no such block', which is wrong",
            "The error message reads: “no such block”",
            "It fails with `no such block` at once",
            "It crashed with the following text: 'no such block'",
            "The page says ‘no such block’.",
            "The compiler complains that `no such block`",
            "It throws \"no such block\" in 2.0",
            "Starting it errors with «no such block»",
        ] {
            assert_eq!(read(line), ["no such block"], "{line}");
        }
    }

    #[test]
    fn messages_on_lines_after_their_announcement_are_found() {
        let found = |text: &str| announced(&text.lines().collect::<Vec<_>>()).join("|");
        for before in ["I get this error:", "It fails with", "The page then says:"] {
            let text = format!("{before}\n\nno such block\n\nand stops.");
            assert_eq!(found(&text), "no such block", "{before}");
        }
        for text in [
            "I get an error.\n\nno such block",
            "I open the page:\n\nno such block",
            "I get this error:\n\nno such block\nis there",
            "I get this error:\n\nopen --no such block",
            "I get this error:",
            "no such block",
            "",
        ] {
            assert_eq!(found(text), "", "{text}");
        }
    }

    #[test]
    fn other_quotations_are_no_messages() {
        for line in [
            "I call `no such block` here",
            "There is an error the `no such block` option causes",
            "There is an error. The `no such block` option is off",
            "The error in `no such block`",
            "The documentation says 'use the new client'",
            "As the README of it says, `use the new client`",
            "The commit message is 'Fix the old client'",
            "It works with 'no such block'",
            "It stops without error 'no such block'",
            "The error is `KeyError`",
            "It fails with `x = open(a, b)`",
            "It fails with `run all tests --slow`",
            "It fails with `open(a, b, c)`",
            "It raises `raise ValueError(a, b, c)`",
            "it's an error that isn't one",
        ] {
            assert_eq!(read(line), Vec::<&str>::new(), "{line}");
        }
    }
}

//! Splits a query into clean lines. Accepts line ends of every kind; removes invisible characters and the prefixes that
//! programs write before each line of a stack trace; restores the line breaks that a text lost when it was pasted as one
//! line, as far as Markdown or the strings of a JSON log show them.

use std::ops::Range;
use std::sync::LazyLock;

use anstream::adapter::strip_str;
use foveate_parse::traces;
use regex::Regex;
use serde_json::Value;

use super::log_entry::{collect_log_texts, has_trace};
use crate::log_prefix::{after_time, strip_trace_prefixes};

/// A text with at most this many non-empty lines, one of them long, has lost its line breaks.
const FLAT_LINES: usize = 2;
/// A line longer than this many bytes counts as several joined ones.
const FLAT_BYTES: usize = 200;

/// Lengths in bytes of a line that a mail program wrapped: at least with the next word, at most alone.
const MIN_WRAPPED: usize = 60;
const MAX_WRAPPED: usize = 120;

/// From this many lines that begin with a time on, they are a pasted log.
const TIMED_LINES: usize = 2;

/// From this many lines with colour codes that lost their escape characters on, they are removed.
const COLOURED_LINES: usize = 2;

/// A colour code that lost its escape character, such as `[31m` or `[1;39m`.
static COLOUR: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\[[0-9;]{1,8}m").ok());

/// Splits a query into lines without line ends.
pub(super) fn split(query: &str) -> Vec<String> {
    let lines = with_whole_frames(clean_lines(query));
    let lines: Vec<String> = strip_trace_prefixes(lines.iter().map(String::as_str).collect())
        .into_iter()
        .flat_map(with_unescaped_traces)
        .collect();
    let filled = lines.iter().filter(|line| !line.trim().is_empty());
    let few = filled.clone().count() <= FLAT_LINES;
    let mark = |line: &String| line.contains(" ## ") || line.contains(" ### ");
    let flat = |line: &String| few && line.len() > FLAT_BYTES || mark(line);
    // Only the first lines are checked: a table or a log further down may hold such marks.
    if filled.take(FLAT_LINES).any(flat) {
        lines.iter().flat_map(|line| reflow(line)).collect()
    } else {
        lines
    }
}

/// Returns the lines without invisible characters, without colours and, if they are a log, without times.
fn clean_lines(query: &str) -> Vec<String> {
    let lines: Vec<&str> = query
        .split('\n')
        .flat_map(|line| line.trim_end_matches('\r').split('\r'))
        .collect();
    let has_times = lines
        .iter()
        .filter(|line| after_time(line).is_some())
        .count()
        >= TIMED_LINES;
    let coloured = |colour: &&Regex| lines.iter().filter(|line| colour.is_match(line)).count();
    let colours = COLOUR
        .as_ref()
        .filter(|colour| coloured(colour) >= COLOURED_LINES);
    let cleaned = lines.iter().map(|line| {
        let line = after_time(line).filter(|_| has_times).unwrap_or(line);
        let line = clean(after_level(line));
        match colours {
            Some(colour) => colour.replace_all(&line, "").into_owned(),
            None => line,
        }
    });
    cleaned.collect()
}

/// Joins the frames of stack traces that a mail program wrapped: `File "a/b.py", line 3, in` above `load`.
fn with_whole_frames(lines: Vec<String>) -> Vec<String> {
    let mut whole: Vec<String> = Vec::with_capacity(lines.len());
    for line in lines {
        let joined = whole.last().and_then(|above| whole_frame(above, &line));
        match (joined, whole.last_mut()) {
            (Some(joined), Some(above)) => *above = joined,
            _ => whole.push(line),
        }
    }
    whole
}

/// Returns the line of two that is a frame with its function, if the first one was wrapped and only both are one.
fn whole_frame(above: &str, line: &str) -> Option<String> {
    const STARTS: [&str; 3] = ["File \"", "at ", "#"];
    let (start, rest) = (unquoted(above), unquoted(line));
    let next = rest.split(' ').next().unwrap_or_default();
    let is_wrapped = STARTS.iter().any(|mark| start.starts_with(mark))
        && above.len() <= MAX_WRAPPED
        && rest.len() <= MAX_WRAPPED
        && above.len() + next.len() >= MIN_WRAPPED;
    // A frame that ends in the number of its line is complete: the code is below.
    let is_wrapped = is_wrapped && !start.ends_with(|c: char| c.is_ascii_digit());
    let is_whole = |text: &str| traces::of_line(text).is_some();
    if !is_wrapped || next.is_empty() || is_whole(start) || traces::is_trace_line(rest) {
        return None;
    }
    let whole = format!("{} {rest}", above.trim_end());
    is_whole(unquoted(&whole)).then_some(whole)
}

/// Returns the text of a line without its indentation and the marks of a quotation.
fn unquoted(line: &str) -> &str {
    line.trim_start_matches(['>', ' ', '\t']).trim_end()
}

/// Breaks a line of a log with stack traces in its strings into lines: of JSON, the messages and the traces; of other
/// forms, the text around the traces and the traces.
fn with_unescaped_traces(line: &str) -> Vec<String> {
    if !line.contains("\\n") {
        return vec![line.to_owned()];
    }
    if let Ok(Value::Object(entry)) = serde_json::from_str(line) {
        let (mut messages, mut traces) = (Vec::new(), Vec::new());
        collect_log_texts(&entry, &mut messages, &mut traces);
        let texts = messages.iter().chain(&traces);
        return match traces[..] {
            [] => vec![line.to_owned()],
            _ => texts.flat_map(|text| text.lines()).map(clean).collect(),
        };
    }
    let mut lines = Vec::new();
    // The start of the text that is not in `lines` yet.
    let mut start = 0;
    for string in strings(line) {
        let text = unescape(line.get(string.clone()).unwrap_or(""));
        if has_trace(&text) {
            let before = line.get(start..string.start).unwrap_or("");
            lines.push(before.trim_end_matches('"').to_owned());
            lines.extend(text.lines().map(clean));
            start = string.end + 1;
        }
    }
    if lines.is_empty() {
        return vec![line.to_owned()];
    }
    lines.push(line.get(start..).unwrap_or("").to_owned());
    lines
}

/// Returns the strings in double quotes that have an escaped line break, without the quotes.
fn strings(line: &str) -> Vec<Range<usize>> {
    let mut strings = Vec::new();
    let mut open = None;
    let (mut is_escaped, mut has_break) = (false, false);
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            b'n' if is_escaped => has_break = true,
            b'"' if !is_escaped => match open.take() {
                Some(start) if has_break => strings.push(start..at),
                Some(_) => {}
                None => (open, has_break) = (Some(at + 1), false),
            },
            _ => {}
        }
        is_escaped = byte == b'\\' && !is_escaped && open.is_some();
    }
    strings
}

/// Resolves the escapes of a string that stack traces have.
fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        let resolved = match char {
            '\\' => match chars.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => continue,
                Some(other) => other,
                None => char,
            },
            char => char,
        };
        plain.push(resolved);
    }
    plain
}

/// Strips the level that CI systems write before a line: `##[error]`.
fn after_level(line: &str) -> &str {
    let rest = ["##[error]", "##[warning]"]
        .iter()
        .find_map(|level| line.strip_prefix(level));
    rest.unwrap_or(line)
}

/// Removes the escape sequences of terminals and invisible characters: zero-width characters, byte order
/// marks, soft hyphens. Other control characters except tabs, and no-break spaces, become plain spaces. Mangled names
/// become those of sources.
fn clean(line: &str) -> String {
    traces::with_source_names(&strip_str(line).to_string())
        .chars()
        .filter(|c| {
            !matches!(
                c,
                '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}'
            )
        })
        .map(|c| match c {
            '\t' => '\t',
            '\u{a0}' => ' ',
            c if c.is_control() => ' ',
            c => c,
        })
        .collect()
}

/// Breaks a flattened Markdown line before headings, around bold labels, and at runs of spaces, which were
/// empty lines.
fn reflow(line: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for part in line.split("  ").map(str::trim).filter(|p| !p.is_empty()) {
        let mut current = String::new();
        for word in part.split(' ') {
            if is_heading_mark(word) {
                flush(&mut lines, &mut current);
            }
            if let Some(label) = bold_label(word) {
                flush(&mut lines, &mut current);
                lines.push(label.to_owned());
                continue;
            }
            if !current.is_empty() {
                current.push(' ');
            }
            current.push_str(word);
        }
        flush(&mut lines, &mut current);
        lines.push(String::new());
    }
    lines
}

fn flush(lines: &mut Vec<String>, current: &mut String) {
    if !current.is_empty() {
        lines.push(std::mem::take(current));
    }
}

/// Whether a word is `##` to `######`; a single `#` is more often a number sign.
fn is_heading_mark(word: &str) -> bool {
    (2..=6).contains(&word.len()) && word.bytes().all(|b| b == b'#')
}

/// Returns a word that is bold on its own, such as `**Version**`.
fn bold_label(word: &str) -> Option<&str> {
    let inner = word.trim_end_matches(':').strip_prefix("**")?;
    let inner = inner.strip_suffix("**")?.trim_end_matches(':');
    (inner.len() > 2 && inner.chars().all(char::is_alphanumeric)).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_in_strings_of_json_are_broken_into_lines() {
        let python = r#"{"exc": {"text": "Traceback (most recent call last):\n  File \"/app/x.py\", line 3, in f\n    y()\nValueError: no"}, "level": "ERROR", "msg": "a\nb", "request_id": "17", "thread": 4}"#;
        let lines = [
            "a",
            "b",
            "Traceback (most recent call last):",
            r#"  File "/app/x.py", line 3, in f"#,
            "    y()",
            "ValueError: no",
        ];
        assert_eq!(split(python), lines);
        let java = r#"level=error stack="java.lang.E: no\r\n\tat a.B.c(B.java:3)\r\n""#;
        let lines = [
            "level=error stack=", "java.lang.E: no", "\tat a.B.c(B.java:3)", "",
        ];
        assert_eq!(split(java), lines);
        let go =
            r#"{"msg": "x", "stack": "goroutine 1 [running]:\nmain.run(0x1)\n\t/app/a.go:4 +0x2"}"#;
        let lines = [
            "x", "goroutine 1 [running]:", "main.run(0x1)", "\t/app/a.go:4 +0x2",
        ];
        assert_eq!(split(go), lines);
        let rust = r#"level=error trace="   0: app::run\n             at ./src/a.rs:9:5\n""#;
        let lines = [
            "level=error trace=",
            "   0: app::run",
            "             at ./src/a.rs:9:5",
            "",
        ];
        assert_eq!(split(rust), lines);
        let panic = r#"{"msg": "thread 'main' panicked at src/a.rs:3:5:\nno thread left"}"#;
        let lines = ["thread 'main' panicked at src/a.rs:3:5:", "no thread left"];
        assert_eq!(split(panic), lines);
        for code in [
            r#"print("Traceback (most recent call last):\n")"#,
            r#"print("a\n  b\n")"#,
            r#"x = "File \" \\n "#,
            r#"split("\n").join('\n')"#,
        ] {
            assert_eq!(split(code), [code]);
        }
    }
}

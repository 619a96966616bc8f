//! Splits a query into clean lines: accepts line ends of every kind, removes invisible characters, and
//! restores lost line breaks (an issue pasted as one line) where Markdown shows them.

use std::ops::Range;

use anstream::adapter::strip_str;

use crate::failure::after_time;

/// A text with at most this many non-empty lines, one of them long, has lost its line breaks.
const FLAT_LINES: usize = 2;
/// A line longer than this many bytes counts as several joined ones.
const FLAT_BYTES: usize = 200;

/// From this many lines that begin with a time on, they are a pasted log.
const TIMED_LINES: usize = 2;

/// From this many lines with colour codes that lost their escape characters on, they are removed.
const COLOURED_LINES: usize = 2;

/// Splits a query into lines without line ends.
pub(super) fn split(query: &str) -> Vec<String> {
    let lines: Vec<&str> = query
        .split('\n')
        .flat_map(|line| line.trim_end_matches('\r').split('\r'))
        .collect();
    let has_times = lines
        .iter()
        .filter(|line| after_time(line).is_some())
        .count()
        >= TIMED_LINES;
    let has_colours = lines
        .iter()
        .filter(|line| first_colour(line).is_some())
        .count()
        >= COLOURED_LINES;
    let lines: Vec<String> = lines
        .into_iter()
        .map(|line| {
            let line = after_time(line).filter(|_| has_times).unwrap_or(line);
            let line = clean(after_level(line));
            if has_colours {
                without_colours(&line)
            } else {
                line
            }
        })
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

/// Strips the level that CI systems write before a line: `##[error]`.
fn after_level(line: &str) -> &str {
    let rest = ["##[error]", "##[warning]"]
        .iter()
        .find_map(|level| line.strip_prefix(level));
    rest.unwrap_or(line)
}

/// Returns the first colour code that lost its escape character, such as `[31m` or `[1;39m`.
fn first_colour(line: &str) -> Option<Range<usize>> {
    line.match_indices('[').find_map(|(at, _)| {
        let code = line.get(at + 1..)?;
        let len = code.find(|c: char| !c.is_ascii_digit() && c != ';')?;
        let is_colour = (1..=8).contains(&len) && code.get(len..)?.starts_with('m');
        is_colour.then_some(at..at + len + 2)
    })
}

fn without_colours(line: &str) -> String {
    let (mut rest, mut text) = (line, String::with_capacity(line.len()));
    while let Some(code) = first_colour(rest) {
        text.push_str(rest.get(..code.start).unwrap_or(""));
        rest = rest.get(code.end..).unwrap_or("");
    }
    text + rest
}

/// Removes the escape sequences of terminals and invisible characters: zero-width characters, byte order
/// marks, soft hyphens. Other control characters except tabs, and no-break spaces, become plain spaces.
fn clean(line: &str) -> String {
    strip_str(line)
        .to_string()
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

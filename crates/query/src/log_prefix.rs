//! Strips the prefixes that a log collector or a runner writes before each line of another program: times, and names of
//! services, workers or levels, with or without numbers.

use std::borrow::Cow;
use std::collections::BTreeMap;

use foveate_parse::traces::{self, Mark};

/// Longest prefix, in bytes.
const MAX_PREFIX: usize = 80;
/// Pairs of lines that are searched for a prefix of all lines.
const MAX_PAIRS: usize = 50;
/// Minimum lines with a prefix of all lines; fewer may be a coincidence.
const MIN_LINES: usize = 3;
/// Maximum lines above the header of a trace that lose its prefix: the error may be there.
const MAX_LINES_ABOVE: usize = 3;
/// Lines below the first line of a trace that are searched for a place.
const MAX_LINES_BELOW: usize = 4;
/// Maximum times at the start of a line: a logger and the program that runs it may each write one.
const MAX_TIMES: usize = 2;

/// The form of a time of day.
const CLOCK: &str = "00:00:00";

/// Returns the text after `2026-11-23T19:00:00.123Z `, with or without brackets, and after GitLab's `00O ` if that
/// follows.
pub(crate) fn after_time(text: &str) -> Option<&str> {
    let bracketed = text.strip_prefix('[');
    let text = bracketed.unwrap_or(text);
    let (time, rest) = text.split_at_checked(19)?;
    if !fits(time, "0000-00-00T00:00:00") {
        return None;
    }
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ','));
    let rest = rest.strip_prefix('Z').unwrap_or_else(|| zone(rest));
    let rest = match bracketed {
        Some(_) => rest.strip_prefix(']')?,
        None => rest,
    };
    let Some(rest) = rest.strip_prefix([' ', '\t']) else {
        return rest.is_empty().then_some(rest);
    };
    Some(after_stream(rest).unwrap_or(rest))
}

/// Returns the text after the times at the start of a line: those of [`after_time`], `12:00:00.123 `, `[12:00:00] `,
/// `2026/11/23 19:00:00 ` and `Nov 23 19:00:00 `. Returns the whole text if there are none.
pub(crate) fn after_times(text: &str) -> &str {
    let mut rest = text;
    for _ in 0..MAX_TIMES {
        match after_time(rest).or_else(|| after_clock(rest)) {
            Some(after) => rest = after.trim_start(),
            None => break,
        }
    }
    rest
}

/// Returns the text after a time of day, and after the date before it.
fn after_clock(text: &str) -> Option<&str> {
    let bracketed = text.strip_prefix('[');
    let text = bracketed.unwrap_or(text);
    let dated = after_date(text).unwrap_or(text);
    let (clock, rest) = dated.split_at_checked(CLOCK.len())?;
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ','));
    let rest = match bracketed {
        Some(_) => rest.strip_prefix(']')?,
        None => rest,
    };
    let is_whole = rest.is_empty() || rest.starts_with([' ', '\t']);
    (fits(clock, CLOCK) && is_whole).then_some(rest)
}

/// Returns the text after `2026/11/23 ` or `Nov 23 `.
fn after_date(text: &str) -> Option<&str> {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    const DATE: &str = "0000/00/00 ";
    if let Some((date, rest)) = text.split_at_checked(DATE.len())
        && fits(date, DATE)
    {
        return Some(rest);
    }
    let (month, rest) = text.split_once(' ')?;
    let (day, rest) = rest.trim_start().split_once(' ')?;
    let is_day = (1..=2).contains(&day.len()) && day.bytes().all(|b| b.is_ascii_digit());
    (is_day && MONTHS.contains(&month)).then_some(rest)
}

/// Returns a text by which it is compared with one that was written at another time: without the values of its digits
/// if it has a time of day.
pub(crate) fn without_times(text: &str) -> Cow<'_, str> {
    let mut windows = text.as_bytes().windows(CLOCK.len());
    match windows.any(|window| fits(window, CLOCK)) {
        true => Cow::Owned(shape(text).collect()),
        false => Cow::Borrowed(text),
    }
}

/// Whether a text consists of digits, at least one.
pub(crate) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a text has the form of a template of the same length: `0` stands for a digit, `T` for `T` or a space.
pub(crate) fn fits(text: impl AsRef<[u8]>, template: &str) -> bool {
    let mut pairs = text.as_ref().iter().zip(template.bytes());
    pairs.all(|(byte, like)| match like {
        b'0' => byte.is_ascii_digit(),
        b'T' => matches!(*byte, b'T' | b' '),
        _ => *byte == like,
    })
}

/// Removes a leading `+01:00` or `+0100`.
fn zone(text: &str) -> &str {
    let rest = text.strip_prefix(['+', '-']).and_then(|zone| {
        let mut templates = ["00:00", "0000"].into_iter();
        templates.find_map(|template| {
            let (offset, rest) = zone.split_at_checked(template.len())?;
            fits(offset, template).then_some(rest)
        })
    });
    rest.unwrap_or(text)
}

/// Returns the text after GitLab's stream number: `00O ` or `01E+`.
fn after_stream(text: &str) -> Option<&str> {
    let (number, rest) = text.split_at_checked(2)?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_hexdigit());
    let rest = rest.strip_prefix(['O', 'E']).filter(|_| is_number)?;
    rest.strip_prefix([' ', '+'])
        .or_else(|| rest.is_empty().then_some(rest))
}

/// Strips the prefix that nearly all lines share, and from each trace the prefix that its lines share.
pub(crate) fn strip(lines: Vec<&str>) -> Vec<&str> {
    strip_trace_prefixes(strip_common(lines))
}

fn strip_common(mut lines: Vec<&str>) -> Vec<&str> {
    let Some(prefix) = common_prefix(&lines) else {
        return lines;
    };
    for line in &mut lines {
        *line = after_prefix(line, prefix).unwrap_or(line);
    }
    lines
}

/// Finds the prefix of nearly all lines (nine of ten).
fn common_prefix<'t>(lines: &[&'t str]) -> Option<&'t str> {
    let filled: Vec<&str> = lines
        .iter()
        .copied()
        .filter(|l| !l.trim().is_empty())
        .collect();
    let mut counts: BTreeMap<String, (usize, &str)> = BTreeMap::new();
    for pair in filled.windows(2).take(MAX_PAIRS) {
        if let [line, next] = pair
            && let Some(prefix) = shared_prefix(line, next)
        {
            counts
                .entry(shape(prefix).collect())
                .or_insert((0, prefix))
                .0 += 1;
        }
    }
    let (_, prefix) = counts.into_values().max_by_key(|(count, _)| *count)?;
    let nearly_all = |count: usize| count >= MIN_LINES && count * 10 >= filled.len() * 9;
    let prefixed: Vec<&str> = filled
        .iter()
        .copied()
        .filter(|line| after_prefix(line, prefix).is_some())
        .collect();
    // Compilers write a file and line before each message, which is no prefix.
    let marks = prefixed.iter().filter(|line| traces::read(line).is_some());
    (nearly_all(prefixed.len()) && marks.count() * 10 <= prefixed.len()).then_some(prefix)
}

/// Strips the prefix of each trace: what its first line and the next one share.
pub(crate) fn strip_trace_prefixes(mut lines: Vec<&str>) -> Vec<&str> {
    let mut at = 0;
    while let Some([first, next]) = lines.get(at..at + 2) {
        let trace = lines.get(at..).unwrap_or_default();
        let prefix = shared_prefix(first, next).filter(|prefix| begins_trace(trace, prefix));
        let Some(prefix) = prefix else {
            at += 1;
            continue;
        };
        let above = lines.get(..at).unwrap_or_default().iter().rev();
        let alike = above.take_while(|line| after_prefix(line, prefix).is_some());
        at -= alike.take(MAX_LINES_ABOVE).count();
        while let Some(line) = lines.get_mut(at)
            && let Some(rest) = after_prefix(line, prefix)
        {
            *line = rest;
            at += 1;
        }
    }
    lines
}

/// Whether the first of some lines is the first of a trace, once the prefix is stripped. The marks of a quotation are
/// no prefix: Markdown needs them.
fn begins_trace(lines: &[&str], prefix: &str) -> bool {
    if prefix.trim_start().starts_with('>') {
        return false;
    }
    let mut stripped = lines.iter().map_while(|line| after_prefix(line, prefix));
    match stripped.next().and_then(traces::read) {
        // The text of a panic is on the next line.
        Some(Mark::Message(message)) if message.place.is_some() && message.text.is_empty() => true,
        // A sentence may look like a header, or like an error.
        Some(Mark::Header | Mark::Error | Mark::Message(_)) => {
            stripped.take(MAX_LINES_BELOW).any(|line| {
                let mark = traces::read(line);
                matches!(
                    mark,
                    Some(Mark::Frame(..) | Mark::Location(_) | Mark::Place(_))
                )
            })
        }
        _ => false,
    }
}

/// Returns the common start of two lines, up to its last space; none if it is blank.
fn shared_prefix<'t>(line: &'t str, next: &str) -> Option<&'t str> {
    let alike = shape(line)
        .zip(shape(next))
        .take_while(|(a, b)| a == b)
        .count();
    let alike = line.get(..line.floor_char_boundary(alike.min(MAX_PREFIX)))?;
    let prefix = alike.get(..=alike.rfind(' ')?)?;
    (!prefix.trim().is_empty()).then_some(prefix)
}

/// Returns the text after `prefix` if a line begins with it, whatever the digits. A line that is only the prefix
/// becomes empty.
fn after_prefix<'t>(line: &'t str, prefix: &str) -> Option<&'t str> {
    if line.len() < prefix.len() {
        return shape(line).eq(shape(prefix.trim_end())).then_some("");
    }
    let is_alike = shape(line).zip(shape(prefix)).all(|(a, b)| a == b);
    is_alike.then(|| line.get(prefix.len()..)).flatten()
}

/// Returns the bytes of a text with each digit replaced by 0.
fn shape(text: &str) -> impl Iterator<Item = char> {
    text.bytes().map(|byte| match byte {
        b'0'..=b'9' => '0',
        byte => char::from(byte),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: [&str; 4] = [
        "Traceback (most recent call last):",
        "  File \"a.py\", line 3, in f",
        "    g(1)",
        "ValueError: x",
    ];

    #[test]
    fn prefixes_of_traces_and_of_all_lines_are_stripped() {
        for prefix in [
            "E   ",
            "INFO: ",
            "remote: ",
            "May  1 12:00:00 host app[12]: ",
            "é> ",
        ] {
            let prefixed: Vec<String> =
                TRACE.iter().map(|line| format!("{prefix}{line}")).collect();
            let mut lines: Vec<&str> = prefixed.iter().map(String::as_str).collect();
            assert_eq!(strip(lines.clone()), TRACE, "{prefix}");
            // Among lines of other programs.
            lines.extend(["ok", "2 tests", prefix.trim_end(), "done"]);
            assert_eq!(strip(lines)[..4], TRACE, "{prefix}");
        }
        let numbered: Vec<String> = (1..9).map(|n| format!("[build {n}] line {n} x")).collect();
        let lines: Vec<&str> = numbered.iter().map(String::as_str).collect();
        assert_eq!(strip(lines)[2], "x", "digits do not differ");
    }

    #[test]
    fn times_of_loggers_are_recognised() {
        for time in [
            "2026-11-23T19:00:00.123Z ",
            "2026-11-23 19:00:00,123 ",
            "2026/11/23 19:00:00 ",
            "Nov 23 19:00:00 ",
            "Nov  3 19:00:00 ",
            "19:00:00.123 ",
            "[19:00:00] ",
            "2026-11-23T19:00:00Z 19:00:00 ",
            "2026-11-23T19:00:00.123+0100\t",
            "[2026-11-23T19:00:00+01:00] ",
        ] {
            assert_eq!(after_times(&format!("{time}x y")), "x y", "{time}");
        }
        for text in ["19:00 x", "Nov 23 x", "2026 x", "19:00:00x", "é", ""] {
            assert_eq!(after_times(text), text);
        }
    }

    #[test]
    fn texts_of_other_times_are_alike() {
        let alike = |a: &str, b: &str| without_times(a) == without_times(b);
        assert!(alike("lost at 12:00:01.5", "lost at 12:00:02.7"));
        assert!(!alike("lost at 12:00:01", "found at 12:00:01"));
        assert!(!alike("row 1", "row 2"));
    }

    #[test]
    fn traces_without_header_lose_their_prefixes() {
        for trace in [
            &["TypeError: x", "    at f (a.js:1:2)"][..],
            &[
                "panic: x", "", "goroutine 1 [running]:", "main.run(0x1)", "\t/app/a.go:4 +0x2",
            ],
            &["thread 'main' panicked at src/a.rs:3:5:", "no thread left"],
            &["error[E0425]: no x", "  --> src/a.rs:3:5"],
            &[
                "a.rb:12:in `f': no x (NoMethodError)",
                "\tfrom a.rb:3:in `g'",
            ],
        ] {
            let prefixed: Vec<String> = trace
                .iter()
                .map(|line| format!("web_1  | {line}"))
                .collect();
            let lines = prefixed.iter().map(String::as_str).collect();
            assert_eq!(strip_trace_prefixes(lines), trace);
        }
    }

    #[test]
    fn content_that_lines_share_is_kept() {
        for lines in [
            &TRACE[..],
            &["I get this stack trace:", "I get it in f", "I get it in g"],
            &["- a.go:12: calls f", "- b.go:14: calls g"],
            &["> ValueError: x", ">     at f (a.js:1:2)"],
            &[
                "a.py:1:2: E501 long", "a.py:3:4: E501 long", "a.py:5:6: F401 os",
            ],
            &["error: one", "error: two", "error: three"],
            &[
                "    at f (a.js:1:2)", "    at g (a.js:1:2)", "    at h (a.js:1:2)",
            ],
            &["", "x"],
            &[],
        ] {
            assert_eq!(strip(lines.to_vec()), lines);
        }
    }
}

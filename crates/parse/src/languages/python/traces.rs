//! Reads stack traces of Python, IPython and pytest.

use crate::traces::form::{Mark, Order, TraceForm};
use crate::traces::places::{
    Frame, Location, frame, is_path, leading_location, leading_number, location,
};

pub(super) const TRACES: TraceForm = TraceForm {
    extensions: &["py", "pyx", "pyi"],
    read: |text| {
        interpreter(text)
            .or_else(|| arrow(text))
            .or_else(|| within(text))
    },
    raised,
    is_header,
    is_joint: |text| {
        text.starts_with("During handling of the above exception")
            || text.starts_with("The above exception was the direct cause")
    },
    error_prefixes: &["E   "],
    signal: "python_traceback",
    ..TraceForm::NONE
};

/// Whether a line begins a trace: nothing follows the header, and at most the prefix of a log precedes it. A sentence may
/// cite the header: `set_alpha prints "Traceback (most recent call last)"`.
fn is_header(text: &str) -> bool {
    let Some((before, after)) = text.split_once("Traceback (most recent call last)") else {
        return false;
    };
    let is_end = |c: char| c.is_whitespace() || ":\"'`,”’".contains(c);
    after.trim_matches(is_end).is_empty() && is_log_prefix(before)
}

/// Whether a text before a header was written by a program: it has no words of a sentence, or a time, or one word and a
/// mark (`remote: `, `worker | `).
fn is_log_prefix(before: &str) -> bool {
    let before = before.trim_end();
    let is_lower = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        !word.is_empty() && word.chars().all(|c| c.is_alphabetic() && !c.is_uppercase())
    };
    let words = before
        .split_whitespace()
        .filter(|word| is_lower(word))
        .count();
    let is_quoted = before.len() > 1 && before.ends_with(['"', '\'', '`', '“', '‘']);
    let is_marked = before.ends_with([':', '|', '>', ']', ')', '-', '+']);
    has_time(before) || !is_quoted && (words == 0 || words == 1 && is_marked)
}

/// Whether a text contains a time of day: `12:13`.
fn has_time(text: &str) -> bool {
    text.as_bytes().windows(5).any(|time| match time {
        [a, b, b':', c, d] => [a, b, c, d].into_iter().all(u8::is_ascii_digit),
        _ => false,
    })
}

fn outermost_first(frame: Frame) -> Mark {
    Mark::Frame(frame, Order::OutermostFirst)
}

/// Reads `File "a/b.py", line 12, in name`, IPython's `File a/b.py:12, in name(args)` and `a/b.py in
/// name(args)`.
fn interpreter(text: &str) -> Option<Mark> {
    if let Some(rest) = text.strip_prefix("File ") {
        if let Some(quoted) = rest.strip_prefix('"') {
            let (path, rest) = quoted.split_once('"')?;
            let rest = rest.strip_prefix(", line ")?;
            let line = leading_number(rest);
            let function = rest.split_once(", in ").map_or("", |(_, name)| name);
            return Some(outermost_first(frame((path, line, 0), function)));
        }
        let (place, function) = rest.split_once(", in ").unwrap_or((rest, ""));
        let place = location(place)?;
        return is_path(place.0).then(|| outermost_first(frame(place, function)));
    }
    let (path, function) = text.split_once(" in ")?;
    // Web notebooks print the path as a link.
    let path = match path
        .strip_prefix('[')
        .and_then(|link| link.split_once("]("))
    {
        Some((path, _)) => path,
        None => path,
    };
    let name_ok = function.ends_with(')') && function.contains('(') || function == "<module>";
    let path_ok =
        (path.ends_with(".py") || path.ends_with(".pyx")) && !path.contains([' ', '(', '"']);
    (name_ok && path_ok && path.contains(['/', '\\']))
        .then(|| outermost_first(frame((path, 0, 0), function)))
}

/// Reads IPython's `---> 12 code` and `     12 code`.
fn arrow(text: &str) -> Option<Mark> {
    let rest = text.trim_start_matches('-');
    let dashes = text.len() - rest.len();
    if dashes >= 1 {
        let rest = rest.strip_prefix('>')?.trim_start();
        let line = leading_number(rest);
        return (line > 0).then_some(Mark::Arrow(line));
    }
    if text.chars().all(|c| matches!(c, '^' | '~' | ' ')) {
        return Some(Mark::Filler);
    }
    None
}

/// Reads pytest's `a/b.py:12: in name`.
fn within(text: &str) -> Option<Mark> {
    let (place, rest) = located(text)?;
    let function = rest.strip_prefix("in ").filter(|name| !name.is_empty())?;
    Some(outermost_first(frame(place, function)))
}

/// Reads pytest's `a/b.py:12: ValueError`. `a.py:12: error: …` of a checker is a place, not a frame.
fn raised(text: &str) -> Option<(&str, Mark)> {
    let (place, error) = located(text)?;
    let mark = || outermost_first(frame(place, ""));
    error
        .starts_with(char::is_uppercase)
        .then(|| (error, mark()))
}

/// Returns the place before a colon, and the text after it.
fn located(text: &str) -> Option<(Location<'_>, &str)> {
    let text = text.strip_prefix("from ").unwrap_or(text);
    let (place, rest) = leading_location(text, ".py")?;
    Some((place, rest.trim()))
}

#[cfg(test)]
mod tests {
    use super::is_header;

    #[test]
    fn header_stands_alone_or_after_the_prefix_of_a_log() {
        const HEADER: &str = "Traceback (most recent call last)";
        for prefix in [
            "",
            "E   ",
            "KeyError        ",
            "+ Exception Group ",
            "2024-01-01 ERROR ",
            "2024-01-01 12:13:14,123 error in worker: ",
            "May  1 12:00:00 host app[12]: ",
            "[pid 7] [ERROR] ",
            "remote: ",
            "web_1  | ",
            "\"",
        ] {
            assert!(is_header(&format!("{prefix}{HEADER}:")), "{prefix}");
        }
        assert!(is_header(&format!("\"{HEADER}:\",")));
        for sentence in [
            "When I call set_alpha I get Traceback (most recent call last): KeyError",
            "When I call set_alpha I get Traceback (most recent call last):",
            "Ctrl-C in Client.connect prints \"Traceback (most recent call last)\"",
            "Client.connect: \"Traceback (most recent call last)\"",
            "Client.connect prints Traceback (most recent call last)",
            "调用 set_alpha Traceback (most recent call last):",
        ] {
            assert!(!is_header(sentence), "{sentence}");
        }
    }
}

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
    is_header: |text| text.contains("Traceback (most recent call last)"),
    is_joint: |text| {
        text.starts_with("During handling of the above exception")
            || text.starts_with("The above exception was the direct cause")
    },
    error_prefixes: &["E   "],
    signal: "python_traceback",
    ..TraceForm::NONE
};

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

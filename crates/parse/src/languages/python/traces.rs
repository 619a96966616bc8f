//! Reads stack traces of Python, IPython, pytest, rich, crashtest and py-spy, and messages of type checkers.

use crate::traces::form::{Mark, Order, TraceForm};
use crate::traces::messages::of_compiler;
use crate::traces::places::{
    Frame, Location, frame, is_path, leading_location, leading_number, location, split_number,
};

pub(super) const TRACES: TraceForm = TraceForm {
    extensions: &["py", "pyx", "pyi"],
    read: |text| {
        boxed(text)
            .or_else(|| interpreter(text))
            .or_else(|| arrow(text))
            .or_else(|| within(text))
            .or_else(|| listed(text))
            .or_else(|| sampled(text))
            .or_else(|| checked(text))
            .or_else(|| is_rule(text).then_some(Mark::Rule))
            .or_else(|| is_group_line(text).then_some(Mark::Filler))
    },
    read_with_next: entry,
    raised,
    is_header: |text| is_header(text) || is_thread(text),
    is_other_stack: |text| text.starts_with("Thread ") && is_thread(text),
    is_joint: |text| {
        text.starts_with("During handling of the above exception")
            || text.starts_with("The above exception was the direct cause")
    },
    is_error: |text| GROUPS.iter().any(|group| text.starts_with(group)),
    // The bar of an exception in a group; a row of a table ends with one, too.
    marked: |text| text.strip_prefix(BAR).filter(|rest| !rest.ends_with('|')),
    error_prefixes: &["E   ", BAR],
    signal: "python_traceback",
    ..TraceForm::NONE
};

/// Errors that contain several others.
const GROUPS: [&str; 2] = ["ExceptionGroup: ", "BaseExceptionGroup: "];

const BAR: &str = "| ";

/// Whether a line begins a trace: nothing follows the header, and at most the prefix of a log precedes it. A sentence may
/// cite the header: `set_alpha prints "Traceback (most recent call last)"`.
fn is_header(text: &str) -> bool {
    let Some((before, after)) = text.split_once("Traceback (most recent call last)") else {
        return false;
    };
    // rich draws the upper side of its box around the header.
    let is_end = |c: char| c.is_whitespace() || ":\"'`,”’─╮-+".contains(c);
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

/// Whether a line begins the stack of a thread that faulthandler or py-spy prints.
fn is_thread(text: &str) -> bool {
    let starts = ["Current thread ", "Thread ", "Stack "];
    let is_dumped = text.ends_with("(most recent call first):");
    is_dumped && starts.iter().any(|start| text.starts_with(start)) || is_sampled_thread(text)
}

/// Whether a line begins the stack of a thread that py-spy prints: `Thread 12 (active+gil): "MainThread"`.
fn is_sampled_thread(text: &str) -> bool {
    let state = text
        .strip_prefix("Thread ")
        .and_then(|rest| rest.strip_suffix('"'))
        .and_then(|rest| rest.split_once("): \""))
        .and_then(|(thread, _)| thread.split_once(" ("));
    state.is_some_and(|(_, state)| state == "idle" || state.starts_with("active"))
}

fn outermost_first(frame: Frame) -> Mark {
    Mark::Frame(frame, Order::OutermostFirst)
}

/// Reads a line in the box that rich draws around a trace: `│ a/b.py:12 in name   │`, `│ ❱ 12 │   code   │`.
fn boxed(text: &str) -> Option<Mark> {
    if text.starts_with('╰') {
        return text.ends_with('╯').then_some(Mark::Filler);
    }
    let inner = text.strip_prefix('│')?.strip_suffix('│')?.trim();
    if let Some((place, function)) = inner.split_once(" in ")
        && let Some(place) = location(place)
        && place.0.ends_with(".py")
        && !place.0.contains(' ')
        && !function.contains(' ')
    {
        return Some(outermost_first(frame(place, function)));
    }
    // The lines around the one that was called are context.
    match inner.starts_with('❱') {
        true => Some(Mark::Source),
        false => Some(Mark::Filler),
    }
}

/// Whether a line separates the exceptions of a group: `+-+---------------- 1 ----------------`.
fn is_group_line(text: &str) -> bool {
    let number = text.trim_matches(['+', '-', ' ']);
    let is_number = number == "..." || number.bytes().all(|b| b.is_ascii_digit());
    // A border of a table ends with `+`.
    text.starts_with('+') && text.ends_with("----") && is_number
}

/// Reads `File "a/b.py", line 12, in name`, after the bar of a group, too; faulthandler's
/// `File "a/b.py", line 12 in name`; IPython's `File a/b.py:12, in name(args)` and `a/b.py in name(args)`.
fn interpreter(text: &str) -> Option<Mark> {
    let text = text.trim_start_matches(['|', '│', '+', ' ']);
    if let Some(rest) = text.strip_prefix("File ") {
        if let Some(quoted) = rest.strip_prefix('"') {
            let (path, rest) = quoted.split_once('"')?;
            return Some(numbered(path, rest.strip_prefix(", line ")?));
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

/// Returns the frame with a path and the text after `line`: `12, in name`, or faulthandler's `12 in name`, whose
/// innermost frame comes first.
fn numbered(path: &str, rest: &str) -> Mark {
    let place = (path, leading_number(rest), 0);
    if let Some((_, function)) = rest.split_once(", in ") {
        return outermost_first(frame(place, function));
    }
    match rest.split_once(" in ") {
        Some((_, function)) if !function.contains(' ') => {
            Mark::Frame(frame(place, function), Order::InnermostFirst)
        }
        _ => outermost_first(frame(place, "")),
    }
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

/// Reads entries of crashtest, which command lines built with cleo print: `7  a/b.py:12 in name`, the innermost one
/// `at a/b.py:12 in name`, and the source below them, `→ 12│ code`.
fn listed(text: &str) -> Option<Mark> {
    let (number, rest) = split_number(text.trim_start_matches('→').trim_start());
    if number > 0 && rest.starts_with('│') {
        return Some(Mark::Source);
    }
    let entry = match number {
        0 => text.strip_prefix("at ")?,
        _ => text
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .strip_prefix(' ')?,
    };
    let (place, function) = entry.trim_start().split_once(" in ")?;
    python_frame(place, function, Order::OutermostFirst)
}

/// Reads py-spy's `name (a/b.py:12)`.
fn sampled(text: &str) -> Option<Mark> {
    let (function, place) = text.strip_suffix(')')?.split_once(" (")?;
    python_frame(place, function, Order::InnermostFirst)
}

/// Returns a frame, if a place is one in a file of Python and the function is a single name.
fn python_frame(place: &str, function: &str, order: Order) -> Option<Mark> {
    let place = location(place)?;
    let is_name = |c: char| c.is_alphanumeric() || "_.<>".contains(c);
    let is_frame = place.0.ends_with(".py")
        && !place.0.contains([' ', '(', '"'])
        && !function.is_empty()
        && function.chars().all(is_name);
    is_frame.then(|| Mark::Frame(frame(place, function), order))
}

/// Reads pytest's `a/b.py:12: `, below which the next entry begins. Elsewhere the line is only a place.
fn entry(text: &str, next: &str) -> Option<Mark> {
    let place = location(text.strip_suffix(':')?)?;
    let is_place = place.0.ends_with(".py") && place.2 == 0 && !place.0.contains(' ');
    let next = next.trim();
    // Markdown drops the rule where the report has no fence.
    let is_entry = is_place && (is_rule(next) || within(next).is_some());
    is_entry.then(|| outermost_first(frame(place, "")))
}

/// Whether a line is the rule between two entries of pytest: `_ _ _ _ _`.
fn is_rule(text: &str) -> bool {
    const MIN_LEN: usize = "_ _ _ _ _".len();
    text.len() >= MIN_LEN && text.split(' ').all(|part| part == "_")
}

/// Reads `a/b.py:12: error: text  [code]` of mypy, also with a column, and `/a/b.py:12:5 - error: text (reportCode)` of
/// pyright.
fn checked(text: &str) -> Option<Mark> {
    let before = |code: &str, end: char| Some(text.strip_suffix(end)?.rsplit_once(code)?.0);
    let told = before("  [", ']').or_else(|| before(" (report", ')'));
    of_compiler(told.unwrap_or(text), &["py", "pyi"])
}

/// Reads pytest's `a/b.py:12: ValueError`.
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
mod tests;

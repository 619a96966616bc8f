//! Reads forms of messages that compilers of several languages share. Each language passes the extensions
//! of its files.

use super::form::{Mark, Message};
use super::places::{Location, frame, has_extension, is_path, leading_number, leading_place};

/// Returns the mark of a message about a place.
pub(crate) fn message(place: Location<'_>, function: &str, text: &str) -> Mark {
    Mark::Message(Message {
        place: Some(frame(place, function)),
        text: text.trim().to_owned(),
    })
}

/// Returns the mark of a message without a place.
pub(crate) fn text(text: &str) -> Mark {
    Mark::Message(Message {
        place: None,
        text: text.trim().to_owned(),
    })
}

/// Returns the text after the label of a message: `error: text`, `fatal error: text`, `error[E0308]: text`,
/// and `error CS1002: text`, which keeps its code.
pub(crate) fn labelled(rest: &str) -> Option<&str> {
    const LABELS: [&str; 5] = [
        "fatal error", "internal compiler error", "error", "warning", "runtime error",
    ];
    let rest = rest.trim_start();
    let after = LABELS.iter().find_map(|label| rest.strip_prefix(label))?;
    if let Some(text) = after.strip_prefix(':') {
        return Some(text.trim());
    }
    if let Some(code) = after.strip_prefix('[') {
        let (_, text) = code.split_once("]:")?;
        return Some(text.trim());
    }
    let (code, _) = after.strip_prefix(' ')?.split_once(':')?;
    let is_code = code.ends_with(|c: char| c.is_ascii_digit()) && !code.contains(' ');
    is_code.then(|| after.trim())
}

/// Whether a message is labelled as a warning: by its compiler (`a.c:3:5: warning: text`, `warning[E1]: text`,
/// `a.py:3:5 - warning: text`, `warning CS0168: text`, `w: text`), by its linter (`3:5  warning  text`), or by the build
/// tool around it (`[WARNING] text`).
pub fn is_warning(line: &str) -> bool {
    let line = line.trim_start();
    let is_label = |at: usize| {
        let (before, label) = line.split_at(at);
        let is_start = before.is_empty() || before.ends_with(": ") || before.ends_with(" - ");
        is_start && labelled(label).is_some()
    };
    let mut words = line.match_indices("warning");
    line.starts_with("w: ")
        || line.starts_with("[WARNING]")
        || line.contains("  warning  ")
        || words.any(|(at, _)| is_label(at))
}

pub(super) fn is_note(rest: &str) -> bool {
    ["note:", "info:", "information:", "remark:", "help:"]
        .iter()
        .any(|label| rest.trim_start().starts_with(label))
}

/// Reads `a.c:3:5: error: text` or `a.ts:3:5 - error TS2322: text` about a file with one of these extensions.
pub(crate) fn of_compiler(line: &str, extensions: &[&str]) -> Option<Mark> {
    let (place, rest) = leading_place(line)?;
    let rest = rest
        .strip_prefix(':')
        .or_else(|| rest.strip_prefix(" - "))?;
    if !has_extension(place.0, extensions) {
        return None;
    }
    if is_note(rest) {
        return Some(Mark::Filler);
    }
    Some(message(place, "", labelled(rest)?))
}

/// Reads `a.cpp(3,5): error C2065: text [a.vcxproj]` about a file with one of these extensions.
pub(crate) fn of_build(line: &str, extensions: &[&str]) -> Option<Mark> {
    let (place, rest) = build_place(line, extensions)?;
    if is_note(rest) {
        return Some(Mark::Filler);
    }
    let text = labelled(rest)?;
    let text = match text.rsplit_once(" [") {
        Some((text, project)) if project.ends_with("proj]") => text,
        _ => text,
    };
    Some(message(place, "", text))
}

/// Returns the place at the start of `a.cpp(3,5): text`, in a file with one of these extensions, and the text.
pub(crate) fn build_place<'t>(
    line: &'t str,
    extensions: &[&str],
) -> Option<(Location<'t>, &'t str)> {
    // A build of several projects numbers them.
    let line = match line.split_once('>') {
        Some((number, rest)) if number.bytes().all(|b| b.is_ascii_digit()) => rest,
        _ => line,
    };
    let (head, rest) = line.split_once("): ").or_else(|| line.split_once(") : "))?;
    let (path, numbers) = head.rsplit_once('(')?;
    let path = path.trim();
    let number = leading_number(numbers);
    let column = numbers
        .split_once(',')
        .map_or(0, |(_, column)| leading_number(column));
    let is_place = number > 0 && has_extension(path, extensions) && is_path(path);
    is_place.then_some(((path, number, column), rest))
}

/// Reads lines that compilers print around source: `12 | code`, `   | ^^^ expected`, `   = note: text`.
pub(crate) fn drawn(line: &str) -> Option<Mark> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let after = line.get(digits..)?.trim_start();
    if digits > 0 {
        let is_barred = after.starts_with("| ") || after == "|";
        return is_barred.then_some(Mark::Source);
    }
    let is_drawing = after.starts_with('|')
        && after
            .trim_start_matches(['|', ' ', '~', '-', '_', '/'])
            .starts_with('^');
    let is_note = after.starts_with("= note:") || after.starts_with("= help:");
    let is_left_out = after.starts_with("...") && after.ends_with('|');
    (is_drawing || is_left_out || is_note || after == "|").then_some(Mark::Filler)
}

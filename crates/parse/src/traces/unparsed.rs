//! Reads traces and messages about files in languages without a parser. Their forms differ in a few words, but each names
//! a path and a line, in one of a few ways. The path must have the name of a file in such a language, and the rest of the
//! line must be what tools print, so that no sentence is taken for one.

use foveate_model::{Language, LanguageKind, RepoPath};

use super::form::{Mark, Order};
use super::messages::{is_note, labelled, message};
use super::places::{Location, frame, split_number};
use crate::languages;

/// Longest line that is examined, in bytes.
const MAX_LINE: usize = 2_000;
/// Maximum numbers of a line that are taken for that of a line of a file.
const MAX_NUMBERS: usize = 20;

/// Lines above the frames of a trace.
const HEADERS: [&str; 5] = [
    "stack traceback:",
    "Stacktrace:",
    "Backtrace:",
    "CallStack (from HasCallStack):",
    "Current stack trace:",
];

/// What is before the place of a frame, where it is alone on the line but for what [`ends_frame`] accepts.
const BEFORE_FRAME: [&str; 9] = ["at", "At", "from", "in", "In", "on", "by", "File", "file"];

/// How the text before the place of a frame begins and ends.
const AROUND_CALL: [(&str, &str); 6] = [
    ("@ ", ""),
    ("CMake ", " at"),
    ("make", "["),
    ("nginx: ", " in"),
    ("", " called at"),
    ("", " called from"),
];

/// The same before a place with the word `line`.
const AROUND_CALL_WITH_WORD: [(&str, &str); 4] = [
    ("at ", ","),
    ("", " file"),
    ("", ",[{file,"),
    ("", " appears to be in"),
];

/// Beginnings of frames with their place in parentheses.
const BEFORE_PARENTHESIS: [&str; 6] = ["at ", "at: ", "from ", "in ", "#", "["];

/// What Lua, Ruby and Crystal print between the place and the function of a frame.
const BEFORE_FUNCTION: [&str; 8] = [
    "in '", "in `", "in function ", "in upvalue ", "in local ", "in method ", "in field ",
    "in main chunk",
];

/// A place in a line of text.
struct Place<'t> {
    /// The text before the path.
    before: &'t str,
    location: Location<'t>,
    form: Form,
    /// The text after the line and the column.
    after: &'t str,
}

/// How the number of the line follows the path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `a.zig:12`, `a.zig:12:5`
    Colon,
    /// `a.nim(12)`, `a.nim(12, 5)`
    Parentheses,
    /// `a.pm line 12`, `'a.yml': line 12, column 3`, `{file,"a.erl"},{line,12}`
    Word,
    /// `a.dart 12:5`
    Blank,
}

/// Reads a line of a trace or a message.
pub(super) fn read(text: &str) -> Option<Mark> {
    if text.len() > MAX_LINE {
        return None;
    }
    match text {
        // CMake's frames go on below it.
        "Call Stack (most recent call first):" => return Some(Mark::Filler),
        text if HEADERS.contains(&text) => return Some(Mark::Header),
        _ => {}
    }
    mark(&place(text)?)
}

/// Returns the first place of a line.
fn place(text: &str) -> Option<Place<'_>> {
    let bytes = text.as_bytes();
    let is_start = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        before.is_some_and(|byte| matches!(byte, b':' | b'(' | b' ' | b','))
    };
    let digits = text.match_indices(|c: char| c.is_ascii_digit());
    let starts = digits.map(|(at, _)| at).filter(|at| is_start(*at));
    let mut places = starts
        .take(MAX_NUMBERS)
        .filter_map(|at| place_with_line(text, at));
    places.next()
}

/// Returns the place whose line is the number at a byte of a text.
fn place_with_line(text: &str, at: usize) -> Option<Place<'_>> {
    let (head, tail) = text.split_at(at);
    let (line, rest) = split_number(tail);
    let (head, form, (column, after)) = if let Some(head) = before_word_line(head) {
        (head, Form::Word, named_column(rest))
    } else if let Some(head) = head.strip_suffix(':') {
        (head, Form::Colon, column_after(rest, ":"))
    } else if let Some(head) = head.strip_suffix(": ").filter(|_| rest.starts_with(':')) {
        // `a.sh: 12: f: not found`
        (head, Form::Colon, (0, rest))
    } else if let Some(head) = head.strip_suffix('(') {
        let (column, after) = column_after(rest, ",");
        (head, Form::Parentheses, (column, after.strip_prefix(')')?))
    } else {
        let (column, after) = column_after(rest, ":");
        let head = head.strip_suffix(' ').filter(|_| column > 0)?;
        (head, Form::Blank, (column, after))
    };
    let (before, path) = last_path(head)?;
    (line > 0).then_some(Place {
        before,
        location: (path, line, column),
        form,
        after,
    })
}

/// Returns the number after a separator, 0 if there is none, and the text after it.
fn column_after<'t>(text: &'t str, separator: &str) -> (u32, &'t str) {
    let after = text.strip_prefix(separator);
    let number = after.map(|after| split_number(after.trim_start()));
    number
        .filter(|(number, _)| *number > 0)
        .unwrap_or((0, text))
}

/// Returns the number in `, column 3` or `, characters 3-8`, 0 if there is none, and the text after it.
fn named_column(text: &str) -> (u32, &str) {
    let after = text.trim_start_matches([',', ' ']);
    let labels = ["column ", "column: ", "characters "];
    let Some(number) = labels.iter().find_map(|label| after.strip_prefix(label)) else {
        return (0, text);
    };
    let (column, after) = split_number(number);
    let (_, after) = after.strip_prefix('-').map_or((0, after), split_number);
    (column, after)
}

/// Returns the text before the word `line` and its punctuation, where it ends a text.
fn before_word_line(text: &str) -> Option<&str> {
    let is_mark = |c: char| matches!(c, ' ' | ':' | ',' | '=');
    let head = text.trim_end_matches(is_mark).strip_suffix("line")?;
    let path = head.trim_end_matches(|c| is_mark(c) || matches!(c, '{' | '}'));
    let bare = [" at", " on"]
        .iter()
        .find_map(|word| path.strip_suffix(word));
    (path.len() < head.len()).then_some(bare.unwrap_or(path))
}

/// Returns the path of a known file at the end of a text, and the text before it. In quotes it may have blanks.
fn last_path(text: &str) -> Option<(&str, &str)> {
    let is_quote = |c: char| matches!(c, '"' | '\'' | '`');
    let is_end = |c: char| c.is_whitespace() || is_quote(c) || "(<[{,│".contains(c);
    let (before, path) = match text.strip_suffix(is_quote) {
        Some(inside) => inside.rsplit_once(is_quote)?,
        None => {
            let path = text.rsplit(is_end).next()?;
            (text.strip_suffix(path)?, path)
        }
    };
    is_unparsed(path).then_some((before, path))
}

/// Whether a path is that of a file in a language without a parser, judged by its name. Documents are left out: in the
/// repository of a tool that checks documents, those of the reporters fail.
fn is_unparsed(path: &str) -> bool {
    let name = path.rsplit(['/', '\\', ':']).next().unwrap_or(path);
    // Times and addresses have none.
    let has_letter = name.bytes().any(|byte| byte.is_ascii_alphabetic());
    let name = RepoPath::new(name).ok().filter(|_| has_letter);
    let named = name.and_then(|name| languages::by_path(&name));
    named.is_some_and(|language| {
        let is_document =
            language.rules().kind == LanguageKind::Prose && language != Language::TEXT;
        !is_document && languages::spec(language).parser.is_none()
    })
}

fn mark(place: &Place<'_>) -> Option<Mark> {
    // Boxes and arrows around the lines, and quotes around the path.
    let is_drawn = |c: char| !c.is_ascii_graphic() || "|*->`".contains(c);
    let before = place.before.trim_start_matches(is_drawn);
    let before = before.trim_end_matches([' ', '"', '\'', '`']);
    let (path, line, column) = place.location;
    let path = path_of(path, before)?;
    let location = (path.as_str(), line, column);
    match kind(before, place)? {
        Kind::Frame(order) => Some(Mark::Frame(frame(location, ""), order)),
        Kind::Message(told) if is_note(told) => Some(Mark::Filler),
        Kind::Message("") => Some(Mark::Place(frame(location, ""))),
        Kind::Message(told) => Some(message(location, "", labelled(told).unwrap_or(told))),
    }
}

/// What a place is.
enum Kind<'t> {
    Frame(Order),
    /// The place of a message, or a place alone.
    Message(&'t str),
}

fn kind<'t>(before: &'t str, place: &Place<'t>) -> Option<Kind<'t>> {
    let after = place.after.trim_end();
    let told = told(after);
    if before.is_empty() {
        return kind_at_start(place.form, after, told);
    }
    if is_list_entry(before) && before.ends_with(" at") && after.is_empty() {
        return Some(Kind::Frame(Order::OutermostFirst));
    }
    if is_frame(before, place, after) {
        return Some(Kind::Frame(Order::InnermostFirst));
    }
    let told = match before.strip_suffix(" at") {
        Some(told) if place.form == Form::Word => Some(told).filter(|_| is_end_of_sentence(after)),
        _ => told.filter(|told| before.ends_with(':') && !told.is_empty()),
    };
    told.map(Kind::Message)
}

/// Returns what the place at the start of a line is.
fn kind_at_start<'t>(form: Form, after: &'t str, told: Option<&'t str>) -> Option<Kind<'t>> {
    let innermost_first = Some(Kind::Frame(Order::InnermostFirst));
    match (form, told) {
        (Form::Blank, _) => innermost_first,
        (_, Some(told)) if is_function(told) => innermost_first,
        (_, Some(told)) => Some(Kind::Message(told)),
        (Form::Parentheses, None) => match after.strip_prefix(' ') {
            Some(name) if is_name(name) => Some(Kind::Frame(Order::OutermostFirst)),
            Some(told) => is_labelled(told).then_some(Kind::Message(told)),
            None => None,
        },
        (Form::Colon, None) if is_command(after) => innermost_first,
        _ => None,
    }
}

/// Whether a place is that of a frame, by the text before and after it.
fn is_frame(before: &str, place: &Place<'_>, after: &str) -> bool {
    let is_around =
        |(start, end): &(&str, &str)| before.starts_with(start) && before.ends_with(end);
    let (_, _, column) = place.location;
    // Python's frames have no column, and are read elsewhere.
    let is_alone =
        BEFORE_FRAME.contains(&before) && ends_frame(after) && (before != "File" || column > 0);
    let is_in_parentheses = before.ends_with('(')
        && is_closed(after)
        && BEFORE_PARENTHESIS
            .iter()
            .any(|start| before.starts_with(start));
    // Elixir's `(shop 1.0) lib/cart.ex:12: Cart.sum/2`.
    let is_behind_package =
        before.starts_with('(') && before.ends_with(')') && after.starts_with(": ");
    is_alone
        || is_in_parentheses
        || is_behind_package
        || AROUND_CALL.iter().any(is_around)
        || place.form == Form::Word && AROUND_CALL_WITH_WORD.iter().any(is_around)
        // PowerShell.
        || after.starts_with(" char:")
}

/// Returns the path as the repository has it, as far as the line says: without the program before it, and with the
/// directories that a package of Dart and a namespace of Clojure stand for. `None` for frames of the JVM that name a class,
/// which are read elsewhere.
fn path_of(path: &str, before: &str) -> Option<String> {
    let function = before
        .strip_prefix("at ")
        .and_then(|call| call.strip_suffix('('));
    if let Some(function) = function.filter(|function| !function.contains(' ')) {
        let (namespace, _) = function.split_once('$')?;
        let (stem, extension) = path.rsplit_once('.')?;
        let directory = namespace.replace('.', "/");
        let is_namespace = stem.starts_with(char::is_lowercase) && directory.ends_with(stem);
        return is_namespace.then(|| format!("{directory}.{extension}"));
    }
    if let Some((package, path)) = path
        .strip_prefix("package:")
        .and_then(|path| path.split_once('/'))
    {
        return Some(format!("{package}/lib/{path}"));
    }
    let module = path.split_once(".terraform/modules/").map(|(_, path)| path);
    if let Some((_, path)) = module.and_then(|path| path.split_once('/')) {
        return Some(path.to_owned());
    }
    // `psql:a.sql`, and `...al/share/a.lua`, whose beginning is cut off.
    let path = path.strip_prefix("psql:").unwrap_or(path);
    let whole = path
        .strip_prefix("...")
        .and_then(|path| path.split_once('/'));
    Some(whole.map_or(path, |(_, path)| path).to_owned())
}

/// Returns the text after the colon that follows a place, or after a dash if it is labelled as an error.
fn told(after: &str) -> Option<&str> {
    if after.is_empty() {
        return Some("");
    }
    if let Some(told) = after.strip_prefix(" - ") {
        return labelled(told).map(|_| told);
    }
    let after = after.trim_start_matches(['"', '\'', '`', ')']);
    Some(after.strip_prefix(':')?.trim())
}

fn is_function(told: &str) -> bool {
    told.starts_with("0x") || BEFORE_FUNCTION.iter().any(|start| told.starts_with(start))
}

/// Whether a text is the name of a function alone.
fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '`' | '=' | ':'))
}

/// Whether a text is `Error: text`, as Nim prints it behind the place.
fn is_labelled(told: &str) -> bool {
    told.split_once(": ")
        .is_some_and(|(label, _)| is_name(label))
}

/// Whether the line of a frame ends, or goes on with what is at the place: ` in 'sum'`, `, in resource "cart"`.
fn ends_frame(after: &str) -> bool {
    let is_mark = |c: char| matches!(c, ' ' | ':' | '.' | ',' | ')' | ']' | '}' | '"' | '\'');
    let goes_on = [" in ", ", in ", ", but may"];
    after.trim_matches(is_mark).is_empty() || goes_on.iter().any(|start| after.starts_with(start))
}

/// Whether the parenthesis around the place ends the line, but for the archive that Java names behind it.
fn is_closed(after: &str) -> bool {
    let rest = after.strip_prefix(')');
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(" ~[") || rest.starts_with(" ["))
}

/// Whether a text is a command in parentheses: CMake's ` (include)`.
fn is_command(after: &str) -> bool {
    let command = after
        .strip_prefix(" (")
        .and_then(|rest| rest.strip_suffix(')'));
    command.is_some_and(is_name)
}

/// Whether a text begins with the number of an entry of a list, as the calls in R's backtraces do.
fn is_list_entry(text: &str) -> bool {
    let (number, rest) = split_number(text);
    number > 0 && rest.starts_with(". ")
}

/// Whether nothing but a full stop follows, or the handle that Perl last read from.
fn is_end_of_sentence(after: &str) -> bool {
    matches!(after, "" | ".") || after.starts_with(", <")
}

#[cfg(test)]
mod tests;

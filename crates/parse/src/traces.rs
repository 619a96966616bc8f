//! Reads lines of stack traces and of messages that compilers and test runners write. Each language has its
//! own [`TraceForm`]; this file holds what they share, and the order in which they are tried.
//! [`mod@pieces`] groups the lines.

pub(crate) mod form;
pub(crate) mod mangled;
pub(crate) mod messages;
mod pieces;
pub(crate) mod places;
mod tools;
mod unparsed;

use foveate_model::Language;

use self::form::TraceForm;
pub use self::form::{Mark, Message, Order};
pub use self::mangled::with_source_names;
pub use self::messages::is_warning;
pub use self::pieces::{Piece, Trace, begin_with_head, pieces};
use self::places::name_in;
pub use self::places::{Frame, Severity, clean_path};
use crate::languages;

/// Longest line that is examined, in bytes.
const MAX_LINE: usize = 4_000;

/// Whether a line is certainly part of a trace.
pub fn is_trace_line(line: &str) -> bool {
    match read(line) {
        Some(Mark::Header | Mark::Frame(..) | Mark::Location(_) | Mark::Joint) => true,
        Some(Mark::Message(message)) => message.place.is_some(),
        _ => false,
    }
}

/// Returns the function named on the line above a place.
fn function_above(path: &str, line: &str) -> String {
    let form = language_of(path).map(|language| &languages::spec(language).traces);
    form.map_or(name_in(line), |form| (form.function_above)(line))
}

/// Returns the frame that a piece of code in a sentence is, if it names a function.
pub fn of_line(code: &str) -> Option<Frame> {
    match read(code)? {
        Mark::Frame(frame, _) => Some(frame).filter(|frame| !frame.function.is_empty()),
        _ => None,
    }
}

/// Returns the language of a source file in a stack trace.
pub fn language_of(path: &str) -> Option<Language> {
    let (_, extension) = path.rsplit_once('.')?;
    languages::all()
        .find(|spec| spec.traces.extensions.contains(&extension))
        .map(|spec| spec.language)
}

/// Returns the signal for the intent that a trace in this language gives.
pub fn signal(language: Option<Language>) -> &'static str {
    language.map_or(TraceForm::NONE.signal, |language| {
        languages::spec(language).traces.signal
    })
}

/// Reads a line; `None` if it is not part of a trace.
pub fn read(line: &str) -> Option<Mark> {
    let text = strip_log_prefix(line.trim());
    if text.is_empty() || text.len() > MAX_LINE {
        return None;
    }
    header(text)
        .or_else(|| tools::read(text))
        .or_else(|| unparsed::read(text))
        .or_else(|| forms().find_map(|form| (form.read)(text).or_else(|| raised(form, text))))
        .or_else(|| forms().find_map(|form| (form.read_general)(text)))
        .or_else(|| is_error(text).then_some(Mark::Error))
}

/// Reads a line of a trace that the next line completes.
fn read_with_next(line: &str, next: &str) -> Option<Mark> {
    let text = strip_log_prefix(line.trim());
    if text.is_empty() || text.len() > MAX_LINE {
        return None;
    }
    let next = Some(next).filter(|next| next.len() <= MAX_LINE);
    let next = next.unwrap_or_default();
    forms().find_map(|form| (form.read_with_next)(text, next))
}

/// Whether a header begins the stack of another thread, or of an earlier event.
fn is_other_stack(line: &str) -> bool {
    let text = strip_log_prefix(line.trim());
    forms().any(|form| (form.is_other_stack)(text))
}

fn raised(form: &TraceForm, text: &str) -> Option<Mark> {
    let (error, mark) = (form.raised)(text)?;
    is_error(error).then_some(mark)
}

fn forms() -> impl Iterator<Item = &'static TraceForm> {
    languages::all().map(|spec| &spec.traces)
}

/// Strips log prefixes: `E/Timber ( 3055): at …` of Android's log, `> ` before a line.
fn strip_log_prefix(text: &str) -> &str {
    let text = text.strip_prefix("> ").unwrap_or(text);
    let text = strip_process(text);
    match text.split_once("): ") {
        Some((prefix, rest)) if prefix.len() < 40 && prefix.as_bytes().get(1) == Some(&b'/') => {
            rest.trim_start()
        }
        _ => text,
    }
}

/// Strips the process number: `==12== Invalid read`.
fn strip_process(text: &str) -> &str {
    let numbered = text
        .strip_prefix("==")
        .and_then(|rest| rest.split_once("=="));
    match numbered {
        Some((process, rest)) if process.bytes().all(|b| b.is_ascii_digit()) => rest.trim_start(),
        _ => text,
    }
}

fn header(text: &str) -> Option<Mark> {
    let is_labelled = ["stack trace:", "Stack trace:"]
        .iter()
        .any(|label| text.contains(label));
    if is_labelled || forms().any(|form| (form.is_header)(text)) {
        // "Stack trace:" alone is a label in prose; the frames below it are recognised without it.
        return (!text.to_ascii_lowercase().starts_with("stack trace")).then_some(Mark::Header);
    }
    if forms().any(|form| (form.is_joint)(text)) {
        return Some(Mark::Joint);
    }
    let more = text
        .strip_prefix("... ")
        .is_some_and(|rest| rest.ends_with(" more") || rest.ends_with("omitted"));
    more.then_some(Mark::Filler)
}

/// Whether a text is an error: `package.SomeError: text`, `SomeException`, `Uncaught TypeError: text`,
/// `thread 'main' panicked at …`, `panic: …`.
pub fn is_error(text: &str) -> bool {
    const MAX_MARKS: usize = 4;
    let mut text = strip_process(text.trim());
    if text.len() > MAX_LINE {
        return false;
    }
    for _ in 0..MAX_MARKS {
        if is_plain_error(text) {
            return true;
        }
        match forms().find_map(|form| (form.marked)(text)) {
            Some(rest) => text = strip_process(rest.trim()),
            None => return false,
        }
    }
    false
}

/// Whether a text is an error by itself, without the prefixes of [`TraceForm::marked`].
fn is_plain_error(text: &str) -> bool {
    const STARTS: [&str; 5] = [
        "Error: ", "error: ", "fatal error: ", "fatal: ", "Unhandled ",
    ];
    const ENDS: [&str; 10] = [
        "Error", "Exception", "Warning", "Interrupt", "SystemExit", "Failure", "Fault",
        "StopIteration", "DoesNotExist", "NotFound",
    ];
    if STARTS.iter().any(|start| text.starts_with(start))
        || forms().any(|form| (form.is_error)(text))
    {
        return true;
    }
    let text = text.strip_prefix("E ").map_or(text, str::trim_start);
    let (class, rest) = match text.find([':', ' ']) {
        Some(at) => (text.get(..at).unwrap_or(""), text.get(at..).unwrap_or("")),
        None => (text, ""),
    };
    let name = class.rsplit('.').next().unwrap_or("");
    let is_class = name.starts_with(char::is_uppercase)
        && class
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '$'));
    let named = ENDS.iter().any(|end| name.ends_with(end))
        && (rest.is_empty() || rest.starts_with(':') || rest.starts_with(" ["));
    is_class && (named || is_qualified_failure(class, rest))
}

/// Whether a line is an error of Python whose class does not end in `Error`: `zipfile.BadZipFile: File is not a zip file`.
/// Python prints the module of the class.
fn is_qualified_failure(class: &str, rest: &str) -> bool {
    const STARTS: [&str; 6] = [
        "Bad", "Invalid", "Missing", "TooMany", "Unexpected", "Unsupported",
    ];
    const ENDS: [&str; 7] = [
        "Aborted", "Denied", "Disconnected", "Expired", "Failed", "Refused", "Timeout",
    ];
    // A setting has one value: `server.ReadTimeout: 30`.
    const MIN_WORDS: usize = 2;
    let Some((module, name)) = class.rsplit_once('.') else {
        return false;
    };
    let is_lower = |c: char| c.is_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '_');
    let is_failure = STARTS.iter().any(|start| name.starts_with(start))
        || ENDS.iter().any(|end| name.ends_with(end));
    let text = rest.strip_prefix(':');
    let has_text =
        text.is_some_and(|text| text.is_empty() || text.split_whitespace().count() >= MIN_WORDS);
    is_failure && has_text && !module.is_empty() && module.chars().all(is_lower)
}

/// Returns the text of an error line without the prefixes that tools print.
pub fn error_text(line: &str) -> &str {
    let mut text = strip_log_prefix(line.trim());
    let prefixes = forms().flat_map(|form| form.error_prefixes);
    for prefix in prefixes.chain(&["> "]) {
        text = text.strip_prefix(prefix).map_or(text, str::trim_start);
    }
    text
}

/// Summarises a text, for tests: the frames, innermost last, then the errors.
#[cfg(test)]
pub(crate) fn summary(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let (mut summary, mut errors) = (Vec::new(), Vec::new());
    for piece in pieces(&lines) {
        match piece {
            Piece::Trace(trace) => {
                summary.extend(trace.frames.iter().map(shown));
                errors.extend(trace.errors);
            }
            Piece::Plain(part) => {
                let plain = lines.get(part).unwrap_or_default().iter();
                let found = plain.filter(|line| is_error(line));
                errors.extend(found.map(|line| error_text(line).to_owned()));
            }
        }
    }
    summary.extend(errors.iter().map(|error| format!("! {}", error.trim())));
    summary.join(" | ")
}

#[cfg(test)]
fn shown(frame: &Frame) -> String {
    let mut text = format!("{}:{}", frame.path, frame.line);
    if frame.column > 0 {
        text.push_str(&format!(":{}", frame.column));
    }
    if !frame.function.is_empty() {
        text.push_str(&format!(" {}", frame.function));
    }
    text
}

/// Checks the summaries of texts.
#[cfg(test)]
#[track_caller]
pub(crate) fn check(cases: &[(&str, &str)]) {
    let differ = cases
        .iter()
        .filter(|(text, wanted)| summary(text) != *wanted);
    let shown: Vec<String> = differ
        .map(|(text, wanted)| format!("{text}\n  wanted: {wanted}\n  told:   {}\n", summary(text)))
        .collect();
    assert!(shown.is_empty(), "{}", shown.join("\n"));
}

#[cfg(test)]
mod tests {
    use super::is_error;

    #[test]
    fn python_errors_with_other_names_are_recognised() {
        for line in [
            "zipfile.BadZipFile: File is not a zip file",
            "httpx.ReadTimeout: timed out twice",
            "requests.exceptions.TooManyRedirects:",
        ] {
            assert!(is_error(line), "{line}");
        }
        for line in [
            "server.ReadTimeout: 30",
            "httpx.ReadTimeout is too short",
            "Server.ReadTimeout: the time to wait",
            "ReadTimeout: the time to wait",
            "zipfile.ZipFile: a file of files",
        ] {
            assert!(!is_error(line), "{line}");
        }
    }

    /// Both would take hours, or overflow the stack, if every prefix were followed.
    #[test]
    fn repeated_prefixes_are_followed_a_few_times() {
        assert!(!is_error(&"---> AndroidRuntime: ".repeat(150)));
        assert!(!is_error(&"=> ".repeat(100_000)));
        assert!(is_error(
            "---> AndroidRuntime: java.lang.IllegalStateException: closed"
        ));
    }
}

//! Lines of stack traces and error messages. The forms of each language stand in its [`TraceForm`];
//! here is what they share, and the order in which they are asked.

use foveate_model::Language;

use crate::languages;

/// A stack frame of a traceback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The path as printed (absolute or relative), with `/` for `\\`, without `webpack://` and the
    /// like. For Java it is made of the package and the file: `org/acme/Client.java`. Empty for a
    /// component that is named without a place (`at <TodoList>` of Vue).
    pub path: String,
    /// 1-based line, 0 if absent.
    pub line: u32,
    /// 1-based column, 0 if absent.
    pub column: u32,
    /// The function as printed (`connect`, `Client.connect`), possibly empty.
    pub function: String,
}

/// In which order a language prints its frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The last frame is where it broke.
    OutermostFirst,
    /// The first frame is where it broke, as in most languages.
    InnermostFirst,
}

/// What a line of a trace is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// `Traceback (most recent call last):`, `stack backtrace:`, `goroutine 1 [running]:`.
    Header,
    /// A frame.
    Frame(Frame, Order),
    /// The second line of a frame: where the function on the line before stands (Go, Rust).
    Location(Frame),
    /// `During handling of the above exception, …`.
    Joint,
    /// IPython's `---> 12 code`: the line of the frame before.
    Arrow(u32),
    /// A numbered line of source, carets, `... 12 more`.
    Filler,
    /// The error: `ValueError: …`.
    Error,
}

/// What the traces and errors of a language look like.
#[derive(Clone, Copy)]
pub(crate) struct TraceForm {
    /// Extensions of the files that its frames are in, without their dot.
    pub(crate) extensions: &'static [&'static str],
    /// What a line of a trace that only this language prints is.
    pub(crate) read: fn(&str) -> Option<Mark>,
    /// The same for a form that others print, too: it is asked after all that are more particular.
    pub(crate) read_general: fn(&str) -> Option<Mark>,
    /// Whether a line begins a trace.
    pub(crate) is_header: fn(&str) -> bool,
    /// Whether a line stands between two traces.
    pub(crate) is_joint: fn(&str) -> bool,
    /// Whether a line is surely an error.
    pub(crate) is_error: fn(&str) -> bool,
    /// What stands before the text of an error, in the order in which it is taken off.
    pub(crate) error_prefixes: &'static [&'static str],
    /// The sign of an intent that a trace of this language is.
    pub(crate) signal: &'static str,
}

impl TraceForm {
    /// Nothing is known.
    pub(crate) const NONE: Self = Self {
        extensions: &[],
        read: |_| None,
        read_general: |_| None,
        is_header: |_| false,
        is_joint: |_| false,
        is_error: |_| false,
        error_prefixes: &[],
        signal: "stack_trace",
    };
}

/// Longest line that is looked at, in bytes.
const MAX_LINE: usize = 4_000;

/// Whether a line is surely part of a trace.
pub fn is_trace_line(line: &str) -> bool {
    matches!(
        read(line),
        Some(Mark::Header | Mark::Frame(..) | Mark::Location(_) | Mark::Joint)
    )
}

/// The frame that a piece of code in a sentence is, where it names a function.
pub fn of_line(code: &str) -> Option<Frame> {
    match read(code)? {
        Mark::Frame(frame, _) => Some(frame).filter(|frame| !frame.function.is_empty()),
        _ => None,
    }
}

/// The language of a source file of a stack trace.
pub fn language_of(path: &str) -> Option<Language> {
    let (_, extension) = path.rsplit_once('.')?;
    languages::all()
        .find(|spec| spec.traces.extensions.contains(&extension))
        .map(|spec| spec.language)
}

/// The sign of an intent that a trace is.
pub fn signal(language: Option<Language>) -> &'static str {
    language.map_or(TraceForm::NONE.signal, |language| {
        languages::spec(language).traces.signal
    })
}

/// Reads a line; none where it is no part of a trace.
pub fn read(line: &str) -> Option<Mark> {
    let text = strip_log_prefix(line.trim());
    if text.is_empty() || text.len() > MAX_LINE {
        return None;
    }
    header(text)
        .or_else(|| forms().find_map(|form| (form.read)(text)))
        .or_else(|| forms().find_map(|form| (form.read_general)(text)))
        .or_else(|| is_error(text).then_some(Mark::Error))
}

fn forms() -> impl Iterator<Item = &'static TraceForm> {
    languages::all().map(|spec| &spec.traces)
}

/// `E/Timber ( 3055): at …` of Android's log, `>>> ` before a header.
fn strip_log_prefix(text: &str) -> &str {
    let text = text.strip_prefix("> ").unwrap_or(text);
    match text.split_once("): ") {
        Some((prefix, rest)) if prefix.len() < 40 && prefix.as_bytes().get(1) == Some(&b'/') => {
            rest.trim_start()
        }
        _ => text,
    }
}

fn header(text: &str) -> Option<Mark> {
    let is_labelled = ["stack trace:", "Stack trace:"]
        .iter()
        .any(|label| text.contains(label));
    if is_labelled || forms().any(|form| (form.is_header)(text)) {
        // "Stack trace:" alone is a label of prose; the frames below it speak for themselves.
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

/// `package.SomeError: text`, `SomeException`, `Uncaught TypeError: text`, `thread 'main' panicked
/// at …`, `panic: …`.
pub fn is_error(text: &str) -> bool {
    const STARTS: [&str; 5] = [
        "Error: ",
        "error: ",
        "fatal error: ",
        "fatal: ",
        "Unhandled ",
    ];
    const ENDS: [&str; 10] = [
        "Error",
        "Exception",
        "Warning",
        "Interrupt",
        "SystemExit",
        "Failure",
        "Fault",
        "StopIteration",
        "DoesNotExist",
        "NotFound",
    ];
    let text = text.trim();
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
    let named = name.starts_with(char::is_uppercase)
        && ENDS.iter().any(|end| name.ends_with(end))
        && class
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '$'));
    named && (rest.is_empty() || rest.starts_with(':') || rest.starts_with(" ["))
}

/// The text of an error line without what tools print around it.
pub fn error_text(line: &str) -> &str {
    let mut text = strip_log_prefix(line.trim());
    let prefixes = forms().flat_map(|form| form.error_prefixes);
    for prefix in prefixes.chain(&["> "]) {
        text = text.strip_prefix(prefix).map_or(text, str::trim_start);
    }
    text
}

/// A frame as written.
pub(crate) fn frame((path, line, column): Location<'_>, function: &str) -> Frame {
    Frame {
        path: clean_path(path),
        line,
        column,
        function: clean_function(function),
    }
}

/// Takes off what bundlers, servers and Windows put into a path.
pub fn clean_path(path: &str) -> String {
    let mut path = path.trim_matches(['"', '\'', '`', '<', '>', '(', ')', ' ']);
    if let Some((scheme, rest)) = path.split_once("://") {
        let bundled = scheme.starts_with("webpack");
        let hosted = matches!(scheme, "http" | "https") || bundled && !rest.starts_with('/');
        path = match rest.split_once('/') {
            Some((_, path)) if hosted || bundled => path,
            _ => rest,
        };
        if bundled && let Some((_, path)) = path.rsplit_once("~/") {
            // What webpack called this directory once.
            return clean_path(&format!("node_modules/{path}"));
        }
    }
    let path = path.split('?').next().unwrap_or(path);
    // `**init**.py`: Markdown took the underscores for emphasis.
    let path = path.replace('\\', "/").replace("**", "__");
    path.trim_start_matches("./").to_owned()
}

fn clean_function(function: &str) -> String {
    let function = function.trim().trim_matches(['`', '\'', '"']);
    if function.starts_with('<') {
        return String::new();
    }
    let function = function.split(['(', ' ']).next().unwrap_or("");
    function.trim_start_matches("Object.").to_owned()
}

/// A path as written, its line and its column, which are 0 where they are not given.
pub(crate) type Location<'a> = (&'a str, u32, u32);

/// `path:12:34` or `path:12`.
pub(crate) fn location(text: &str) -> Option<Location<'_>> {
    let text = text.trim();
    let (head, last) = text.rsplit_once(':')?;
    let last = number(last)?;
    match head.rsplit_once(':') {
        Some((path, line)) if number(line).is_some() => Some((path, number(line)?, last)),
        _ => Some((head, last, 0)),
    }
}

fn number(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

pub(crate) fn leading_number(text: &str) -> u32 {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    text.get(..end).and_then(number).unwrap_or(0)
}

/// Whether a text may be a path of a source file: no spaces around it, an extension.
pub(crate) fn is_path(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or("");
    let name = name.split('?').next().unwrap_or(name);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let plausible =
        (1..=6).contains(&extension.len()) && extension.chars().all(char::is_alphanumeric);
    (plausible && !path.contains(['"', '(', ')']))
        || path.starts_with("node:")
        || path.starts_with("webpack")
}

/// The path and line that `a/b.ext:12:` begins with, and what follows; `text` may not begin with a
/// path that has blanks.
pub(crate) fn leading_location<'a>(text: &'a str, ending: &str) -> Option<(Location<'a>, &'a str)> {
    let at = text.find(&format!("{ending}:"))?;
    let end = at + ending.len();
    let path = text.get(..end)?;
    let rest = text.get(end + 1..)?;
    let line = leading_number(rest);
    let rest = rest
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .strip_prefix(':')?;
    (line > 0 && !path.contains(' ')).then_some(((path, line, 0), rest))
}

//! One line of a stack trace, in the forms that languages and tools print.

use super::Frame;

/// In which order a language prints its frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Python: the last frame is where it broke.
    OutermostFirst,
    /// Most others: the first frame is where it broke.
    InnermostFirst,
}

/// What a line of a trace is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// `Traceback (most recent call last):`, `stack backtrace:`, `goroutine 1 [running]:`.
    Header,
    /// A frame.
    Frame(Frame, Order),
    /// The second line of a frame: where the function on the line before stands (Go, Rust).
    Place(Frame),
    /// `During handling of the above exception, …`.
    Joint,
    /// IPython's `---> 12 code`: the line of the frame before.
    Arrow(u32),
    /// A numbered line of source, carets, `... 12 more`.
    Filler,
    /// The error: `ValueError: …`.
    Error,
}

/// Whether a line is surely part of a trace.
pub(super) fn is_trace_line(line: &str) -> bool {
    matches!(
        read(line),
        Some(Mark::Header | Mark::Frame(..) | Mark::Place(_) | Mark::Joint)
    )
}

/// The frame that a piece of code in a sentence is, where it names a function.
pub(super) fn of_line(code: &str) -> Option<Frame> {
    match read(code)? {
        Mark::Frame(frame, _) => Some(frame).filter(|frame| !frame.function.is_empty()),
        _ => None,
    }
}

/// Reads a line; none where it is no part of a trace.
pub(super) fn read(line: &str) -> Option<Mark> {
    let text = strip_log_prefix(line.trim());
    if text.is_empty() || text.len() > 4000 {
        return None;
    }
    header(text)
        .or_else(|| python(text))
        .or_else(|| component(text))
        .or_else(|| at(text))
        .or_else(|| arrow(text))
        .or_else(|| place(text))
        .or_else(|| by_symbol(text))
        .or_else(|| console(text))
        .or_else(|| located(text))
        .or_else(|| is_error(text).then_some(Mark::Error))
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
    const HEADERS: &[&str] = &[
        "Traceback (most recent call last)",
        "stack backtrace:",
        "stack trace:",
        "Stack trace:",
    ];
    const JOINTS: &[&str] = &[
        "During handling of the above exception",
        "The above exception was the direct cause",
    ];
    if HEADERS.iter().any(|h| text.contains(h))
        || (text.starts_with("goroutine ") && text.contains('['))
    {
        // "Stack trace:" alone is a label of prose; the frames below it speak for themselves.
        return (!text.to_ascii_lowercase().starts_with("stack trace")).then_some(Mark::Header);
    }
    if JOINTS.iter().any(|j| text.starts_with(j)) {
        return Some(Mark::Joint);
    }
    let more = text
        .strip_prefix("... ")
        .is_some_and(|rest| rest.ends_with(" more") || rest.ends_with("omitted"));
    more.then_some(Mark::Filler)
}

/// `File "a/b.py", line 12, in name`, IPython's `File a/b.py:12, in name(args)` and
/// `a/b.py in name(args)`.
fn python(text: &str) -> Option<Mark> {
    let order = Order::OutermostFirst;
    if let Some(rest) = text.strip_prefix("File ") {
        if let Some(quoted) = rest.strip_prefix('"') {
            let (path, rest) = quoted.split_once('"')?;
            let rest = rest.strip_prefix(", line ")?;
            let line = leading_number(rest);
            let function = rest.split_once(", in ").map_or("", |(_, name)| name);
            return Some(Mark::Frame(frame((path, line, 0), function), order));
        }
        let (place, function) = rest.split_once(", in ").unwrap_or((rest, ""));
        let place = place_of(place)?;
        return is_path(place.0).then(|| Mark::Frame(frame(place, function), order));
    }
    let (path, function) = text.split_once(" in ")?;
    // Notebooks on the web print the path as a link.
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
        .then(|| Mark::Frame(frame((path, 0, 0), function), order))
}

/// Vue's `at <TodoList items=3 >`, the innermost first, and of older versions
/// `---> <TodoList> at src/TodoList.vue`.
fn component(text: &str) -> Option<Mark> {
    let order = Order::InnermostFirst;
    let (rest, has_place) = match text.strip_prefix("at <") {
        Some(rest) => (rest, false),
        None => (
            text.trim_start_matches(['-', '>', ' ']).strip_prefix('<')?,
            true,
        ),
    };
    let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.')))?;
    let (name, after) = rest.split_at(end);
    if !name.starts_with(char::is_uppercase) {
        return None;
    }
    if has_place {
        let path = after.strip_prefix("> at ")?.trim_end();
        let is_file = is_path(path) && !path.contains(' ');
        return is_file.then(|| Mark::Frame(frame((path, 0, 0), ""), order));
    }
    let ends = after.starts_with([' ', '/', '>']) && after.trim_end().ends_with('>');
    // Vue's own names for what has none.
    let is_named = !matches!(name, "Anonymous" | "Root");
    ends.then(|| match is_named {
        true => Mark::Frame(frame(("", 0, 0), name), order),
        false => Mark::Filler,
    })
}

/// `at name (path:1:2)`, `at async name (path:1:2)`, `at path:1:2`, Java's `at a.b.C.name(C.java:1)`,
/// Rust's `at ./src/a.rs:1:2`.
fn at(text: &str) -> Option<Mark> {
    let rest = text.strip_prefix("at ")?.trim_start();
    let rest = rest.strip_prefix("async ").unwrap_or(rest);
    let order = Order::InnermostFirst;
    // What stands after the place, such as `{` of a printed object, is not of interest.
    let rest = rest.trim_end_matches([' ', '{', ',']);
    if let Some((name, place)) = rest.strip_suffix(')').and_then(|r| r.rsplit_once('(')) {
        let name = name.trim_end();
        if !name.contains(' ') && name.contains('.') && is_java_place(place) {
            return Some(Mark::Frame(java(name, place), order));
        }
        if let Some(place) = place_of(place).filter(|(path, ..)| is_path(path)) {
            return Some(Mark::Frame(frame(place, script_name(name)), order));
        }
        let known = place.starts_with("<anonymous")
            || place == "native"
            || place == "Native Method"
            || place.starts_with("Unknown Source");
        let named = !name.is_empty() && name.split(' ').count() <= 4;
        return (known && named).then_some(Mark::Filler);
    }
    let place = place_of(rest)?;
    if place.0.contains(' ') || !is_path(place.0) {
        return None;
    }
    if place.0.ends_with(".rs") {
        return Some(Mark::Place(frame(place, "")));
    }
    Some(Mark::Frame(frame(place, ""), order))
}

/// IPython's `---> 12 code` and `     12 code`.
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

/// Go's `/a/b.go:12 +0x1d`.
fn place(text: &str) -> Option<Mark> {
    let (place, offset) = text.split_once(" +0x").unwrap_or((text, ""));
    let place = place_of(place)?;
    let path = place.0;
    let go = path.ends_with(".go") && path.contains('/') && !path.contains(' ');
    (go && (!offset.is_empty() || path.starts_with('/'))).then(|| Mark::Place(frame(place, "")))
}

/// PHP's `#0 /a.php(12): A->b()`, gdb's `#1  0x… in f (…) at a.c:12`.
fn by_symbol(text: &str) -> Option<Mark> {
    let order = Order::InnermostFirst;
    if let Some(rest) = text.strip_prefix('#') {
        if leading_number(rest) == 0 && !rest.starts_with('0') {
            return None;
        }
        let rest = rest
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .trim_start();
        if let Some((path, rest)) = rest.split_once(".php(") {
            let function = rest
                .split_once("): ")
                .map_or("", |(_, name)| name)
                .replace("->", ".")
                .replace("::", ".");
            let path = format!("{path}.php");
            return Some(Mark::Frame(
                frame((&path, leading_number(rest), 0), &function),
                order,
            ));
        }
        let (head, place) = rest.rsplit_once(" at ")?;
        let place = place_of(place).filter(|(path, ..)| is_path(path))?;
        let head = head.split_once(" in ").map_or(head, |(_, name)| name);
        return Some(Mark::Frame(frame(place, head), order));
    }
    None
}

/// Firefox's and Safari's `f@http://h/a.js:1:2`, a console's `f @ a.js:12`, and `a.js:1:2 at f`.
fn console(text: &str) -> Option<Mark> {
    let order = Order::InnermostFirst;
    if let Some((place, function)) = text.split_once(" at ") {
        let place = place_of(place).filter(|(path, ..)| is_script(path))?;
        let is_name = !function.is_empty() && !function.contains(' ') && place.2 > 0;
        return is_name.then(|| Mark::Frame(frame(place, script_name(function)), order));
    }
    let (function, place) = text.split_once('@')?;
    let function = function.trim_end();
    let place = place.trim_start();
    if place == "[native code]" {
        return (!function.contains(' ')).then_some(Mark::Filler);
    }
    // `promise callback*f`, `setTimeout handler*f`: who called it, asynchronously.
    let function = function.rsplit('*').next().unwrap_or(function);
    let has_scheme = ["http", "file:", "webpack"]
        .iter()
        .any(|s| place.starts_with(s));
    let place = place_of(place).filter(|(path, ..)| has_scheme || is_script(path))?;
    let is_name = !function.contains(' ') && (has_scheme || !function.is_empty());
    is_name.then(|| Mark::Frame(frame(place, &nested_name(function)), order))
}

/// The function of a Firefox frame: `outer/inner` and `outer/inner/<`, the nameless one inside it,
/// stand in `inner`.
fn nested_name(function: &str) -> String {
    let names = function.rsplit('/').map(|name| name.trim_end_matches('<'));
    let name = names.into_iter().find(|name| !name.is_empty());
    name.unwrap_or_default().replace(".prototype.", ".")
}

/// Whether a path may be that of a script or of what is made into one.
fn is_script(path: &str) -> bool {
    let path = path.split('?').next().unwrap_or(path);
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    is_path(path)
        && !path.contains(' ')
        && matches!(
            extension,
            "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" | "vue" | "svelte"
        )
}

/// pytest's `a/b.py:12: in name` and `a/b.py:12: ValueError`, Ruby's `a/b.rb:12:in 'name'`.
fn located(text: &str) -> Option<Mark> {
    let text = text.strip_prefix("from ").unwrap_or(text);
    let (at, extension) = [".py:", ".rb:"]
        .iter()
        .filter_map(|extension| text.find(extension).map(|at| (at, *extension)))
        .min()?;
    let path_end = at + extension.len() - 1;
    let path = text.get(..path_end)?;
    let rest = text.get(path_end + 1..)?;
    let line = leading_number(rest);
    let rest = rest
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .strip_prefix(':')?;
    if line == 0 || path.contains(' ') {
        return None;
    }
    if extension == ".rb:" {
        let name = rest
            .strip_prefix("in ")?
            .trim_matches(['`', '\'', '"', ' ']);
        let name = name.split_once(['\'', '"']).map_or(name, |(name, _)| name);
        // `block in name` stands in `name`.
        let name = name.rsplit_once(" in ").map_or(name, |(_, name)| name);
        let name = name.replace(['#', ':'], ".").replace("..", ".");
        return Some(Mark::Frame(
            frame((path, line, 0), &name),
            Order::InnermostFirst,
        ));
    }
    let rest = rest.trim();
    let function = rest.strip_prefix("in ").unwrap_or("");
    // `a.py:12: error: …` of a checker is a place, not a frame.
    let raised = rest.starts_with(char::is_uppercase) && is_error(rest);
    let known = !function.is_empty() || raised;
    known.then(|| Mark::Frame(frame((path, line, 0), function), Order::OutermostFirst))
}

/// What Vue writes before its warnings.
const VUE_WARNING: &str = "[Vue warn]: ";

/// `package.SomeError: text`, `SomeException`, `Uncaught TypeError: text`, `thread 'main' panicked
/// at …`, `panic: …`.
pub(super) fn is_error(text: &str) -> bool {
    let text = text.trim();
    const STARTS: &[&str] = &[
        "panic: ",
        "Error: ",
        "error: ",
        "fatal error: ",
        "fatal: ",
        "Caused by: ",
        "Exception in thread ",
        "Uncaught ",
        "Unhandled ",
        VUE_WARNING,
    ];
    if STARTS.iter().any(|start| text.starts_with(start))
        || (text.starts_with("thread '") && text.contains("panicked at"))
    {
        return true;
    }
    let text = text.strip_prefix("E ").map_or(text, str::trim_start);
    let (class, rest) = match text.find([':', ' ']) {
        Some(at) => (text.get(..at).unwrap_or(""), text.get(at..).unwrap_or("")),
        None => (text, ""),
    };
    let name = class.rsplit('.').next().unwrap_or("");
    const ENDS: &[&str] = &[
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
    let named = name.starts_with(char::is_uppercase)
        && ENDS.iter().any(|end| name.ends_with(end))
        && class
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '$'));
    named && (rest.is_empty() || rest.starts_with(':') || rest.starts_with(" ["))
}

/// The text of an error line without what tools print around it.
pub(super) fn error_text(line: &str) -> &str {
    let mut text = strip_log_prefix(line.trim());
    for prefix in [
        "E   ",
        "Uncaught (in promise) ",
        "Uncaught ",
        "Caused by: ",
        VUE_WARNING,
        "> ",
    ] {
        text = text.strip_prefix(prefix).map_or(text, str::trim_start);
    }
    text
}

fn frame((path, line, column): Place<'_>, function: &str) -> Frame {
    Frame {
        path: clean_path(path),
        line,
        column,
        function: clean_function(function),
    }
}

/// Takes off what bundlers, servers and Windows put into a path.
pub(super) fn clean_path(path: &str) -> String {
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

/// The function of a V8 frame: `new A`, `A.b [as c]`.
fn script_name(name: &str) -> &str {
    let name = name.strip_prefix("new ").unwrap_or(name);
    name.split(" [as ").next().unwrap_or(name)
}

/// `C.java:12`, `C.kt:12`, `C.scala:12`.
fn is_java_place(place: &str) -> bool {
    let (file, ..) = place_of(place).unwrap_or((place, 0, 0));
    [".java", ".kt", ".scala", ".groovy"]
        .iter()
        .any(|e| file.ends_with(e))
        && !file.contains('/')
}

/// `a.b.C$D.name` in `C.java:12`: `a/b/C.java`, 12, `D.name`.
fn java(name: &str, place: &str) -> Frame {
    let (file, line, column) = place_of(place).unwrap_or((place, 0, 0));
    // `java.base/java.lang.Integer.parseInt`
    let name = name.rsplit_once('/').map_or(name, |(_, name)| name);
    let package: Vec<&str> = name
        .split('.')
        .take_while(|part| part.starts_with(char::is_lowercase))
        .collect();
    let inner: Vec<&str> = name.split('.').skip(package.len()).collect();
    let inner = inner.join(".").replace('$', ".");
    let mut path = package.join("/");
    if !path.is_empty() {
        path.push('/');
    }
    path.push_str(file);
    // Of `C.D.name` the last two: the method and the class that defines it.
    let parts: Vec<&str> = inner.split('.').filter(|p| !p.is_empty()).collect();
    let function = parts
        .get(parts.len().saturating_sub(2)..)
        .unwrap_or_default()
        .join(".");
    Frame {
        path,
        line,
        column,
        function,
    }
}

/// A path as written, its line and its column, which are 0 where they are not given.
type Place<'a> = (&'a str, u32, u32);

/// `path:12:34` or `path:12`.
fn place_of(text: &str) -> Option<Place<'_>> {
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

fn leading_number(text: &str) -> u32 {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    text.get(..end).and_then(number).unwrap_or(0)
}

/// Whether a text may be a path of a source file: no spaces around it, an extension.
fn is_path(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or("");
    let name = name.split('?').next().unwrap_or(name);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let plausible =
        (1..=6).contains(&extension.len()) && extension.chars().all(char::is_alphanumeric);
    (plausible && !path.contains(['"', '(', ')']))
        || path.starts_with("node:")
        || path.starts_with("webpack")
}

//! Reads places in lines of traces: paths, lines, columns, and the functions beside them.

/// A stack frame of a traceback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The path as printed (absolute or relative), with `/` for `\\`, without `webpack://` and the like.
    /// For Java it consists of the package and the file: `org/acme/Client.java`. Empty for a component that
    /// is named without a place (`at <TodoList>` of Vue).
    pub path: String,
    /// 1-based line, 0 if absent.
    pub line: u32,
    /// 1-based column, 0 if absent.
    pub column: u32,
    /// The package or namespace of the function as printed, its parts joined by `.`; empty if none is printed.
    pub package: String,
    /// The function as printed (`connect`, `Client.connect`), possibly empty.
    pub function: String,
    /// If it is the place of a message of a compiler, a linter or a test, and not a call: how serious the message is.
    pub reported_as: Option<Severity>,
}

/// How serious a message of a tool is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// An error, or a message without a label.
    Error,
    /// A warning.
    Warning,
}

/// Creates a frame from a location and a function as written.
pub(crate) fn frame((path, line, column): Location<'_>, function: &str) -> Frame {
    Frame {
        path: clean_path(path),
        line,
        column,
        package: String::new(),
        function: clean_function(function),
        reported_as: None,
    }
}

/// Strips the parts that bundlers, servers and Windows add to a path.
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
            // Webpack's former name for this directory.
            return clean_path(&format!("node_modules/{path}"));
        }
    }
    let path = path.split('?').next().unwrap_or(path);
    // `**init**.py`: Markdown rendered the underscores as emphasis.
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

/// A path as written, its line and its column, which are 0 if absent.
pub(crate) type Location<'a> = (&'a str, u32, u32);

/// Reads `path:12:34` or `path:12`.
pub(crate) fn location(text: &str) -> Option<Location<'_>> {
    let text = text.trim();
    let (head, last) = text.rsplit_once(':')?;
    let last = number(last)?;
    match head.rsplit_once(':') {
        Some((path, line)) if number(line).is_some() => Some((path, number(line)?, last)),
        _ => Some((head, last, 0)),
    }
}

/// Whether a text consists of digits.
pub(crate) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn number(text: &str) -> Option<u32> {
    // `parse` would accept a sign.
    is_number(text).then(|| text.parse().ok())?
}

/// Returns the number at the start of a text, 0 if there is none or it is too large.
pub(crate) fn leading_number(text: &str) -> u32 {
    split_number(text).0
}

/// Whether a text may be the path of a source file: it has an extension, and no quotes or parentheses.
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

/// Returns the path and line at the start of `a/b.ext:12:`, and the text after it. The path must not
/// contain blanks.
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

/// Returns the place at the start of a text, `a/b.ext:12` or `a/b.ext:12:5`, and the text after it.
pub(crate) fn leading_place(text: &str) -> Option<(Location<'_>, &str)> {
    let bytes = text.as_bytes();
    let mut colons = text.match_indices(':').map(|(at, _)| at);
    let at = colons.find(|at| bytes.get(at + 1).is_some_and(u8::is_ascii_digit))?;
    let (path, rest) = (text.get(..at)?, text.get(at + 1..)?);
    let (line, rest) = split_number(rest);
    let column = rest.strip_prefix(':').map(split_number);
    let (column, rest) = match column {
        Some((column, rest)) if column > 0 => (column, rest),
        _ => (0, rest),
    };
    (line > 0 && is_path(path) && !path.contains(' ')).then_some(((path, line, column), rest))
}

/// Returns the number at the start of a text, 0 if there is none or it is too large, and the text after it.
pub(crate) fn split_number(text: &str) -> (u32, &str) {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = text.strip_suffix(rest).unwrap_or(text);
    (number(digits).unwrap_or(0), rest)
}

/// Whether a path has one of these extensions.
pub(crate) fn has_extension(path: &str, extensions: &[&str]) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    extensions.contains(&extension)
}

/// Removes bracketed parts of a text, including nested ones.
pub(crate) fn without_brackets(text: &str, open: char, close: char) -> String {
    let mut depth = 0usize;
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if c == open {
            depth += 1;
        } else if c == close && depth > 0 {
            depth -= 1;
        } else if depth == 0 {
            plain.push(c);
        }
    }
    plain
}

/// Returns the last two names of a dotted one: a function and the definition that contains it.
pub(crate) fn last_two<'t>(parts: impl IntoIterator<Item = &'t str>) -> String {
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let start = parts.len().saturating_sub(2);
    parts.get(start..).unwrap_or_default().join(".")
}

/// Returns the function that a line of code names before its arguments.
pub(crate) fn name_in(line: &str) -> String {
    let line = line.trim();
    let head = line.split('(').next().unwrap_or(line);
    last_two(head.replace("::", ".").split('.'))
}

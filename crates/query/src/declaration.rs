//! Writes the head of a definition on one line. It reads no syntax tree: the text of a head is enough to tell comments and
//! attributes, in all languages alike.

use std::borrow::Cow;

use crate::excerpt::{one_line, prefix};

/// Maximum bytes of a head that are read: attributes and comments may be much longer than what is shown.
const MAX_READ: usize = 16 * 1024;

/// First words of lines that are addressed to a preprocessor or compiler.
const DIRECTIVES: [&str; 11] = [
    "pragma", "if", "ifdef", "ifndef", "else", "elif", "endif", "region", "endregion", "nullable",
    "define",
];

/// Returns a head on one line of at most about `limit` bytes, without comments and preprocessor lines. If it is longer,
/// `…` replaces the attributes and decorators before it, which would leave no room for its name.
pub(crate) fn head(text: &str, limit: usize) -> String {
    let read = prefix(text, MAX_READ);
    let bare = without_comments(read);
    let whole = one_line(&bare, limit);
    if whole.is_empty() {
        return one_line(text, limit);
    }
    let declared = without_attributes(&bare);
    if !whole.ends_with('…') || declared.is_empty() || declared.len() == bare.trim_start().len() {
        return whole;
    }
    format!("… {}", one_line(declared, limit))
}

/// Replaces comments and preprocessor lines with blanks.
fn without_comments(text: &str) -> Cow<'_, str> {
    if !text.contains(['#', '/']) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let width = match first {
            '"' | '\'' | '`' => quoted_len(rest),
            '/' | '#' => {
                let line = kept.rsplit('\n').next().unwrap_or_default();
                if let Some(comment) = comment_len(line, rest) {
                    kept.push(' ');
                    rest = rest.get(comment..).unwrap_or_default();
                    continue;
                }
                1
            }
            other => other.len_utf8(),
        };
        let (own, later) = rest.split_at(width);
        kept.push_str(own);
        rest = later;
    }
    Cow::Owned(kept)
}

/// Returns the length of the comment or preprocessor line at the start of `rest`; `line` is what precedes it on its
/// line.
fn comment_len(line: &str, rest: &str) -> Option<usize> {
    if let Some(inside) = rest.strip_prefix("/*") {
        return Some(inside.find("*/").map_or(rest.len(), |end| end + 4));
    }
    let is_apart = line.is_empty() || line.ends_with(char::is_whitespace);
    let is_comment = if rest.starts_with("//") {
        // Without a blank before it, it may be within an address; in `a=n // 2` it is Python's division.
        let is_operand = |c: char| c.is_alphanumeric() || c == '_';
        is_apart && !(line.contains('=') && line.trim_end().ends_with(is_operand))
    } else {
        let after = rest.strip_prefix('#')?;
        let word = after.split_whitespace().next();
        let is_directive = line.trim().is_empty() && word.is_some_and(|w| DIRECTIVES.contains(&w));
        is_directive || (is_apart && after.starts_with(char::is_whitespace))
    };
    is_comment.then(|| rest.find('\n').unwrap_or(rest.len()))
}

/// Returns the length of the literal at the start of `rest`; that of its quote if it does not end on the line, as the
/// quote of a lifetime in Rust.
fn quoted_len(rest: &str) -> usize {
    let mut chars = rest.char_indices();
    let quote = chars.next().map(|(_, quote)| quote);
    let mut is_escaped = false;
    for (at, c) in chars {
        if c == '\n' {
            break;
        }
        if !is_escaped && Some(c) == quote {
            return at + c.len_utf8();
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    1
}

/// Returns the rest of a head after its attributes, annotations or decorators: `[A]`, `#[a]`, `@A(b)`.
fn without_attributes(text: &str) -> &str {
    let mut rest = text.trim_start();
    loop {
        let len = if rest.starts_with('[') {
            bracketed_len(rest)
        } else if rest.starts_with("#[") {
            1 + bracketed_len(rest.get(1..).unwrap_or_default())
        } else if let Some(name) = rest.strip_prefix('@') {
            let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':');
            let end = name.find(|c| !is_name(c)).unwrap_or(name.len());
            let (name, arguments) = name.split_at(end);
            if name == "interface" {
                return rest;
            }
            let has_arguments = arguments.starts_with('(');
            1 + end
                + if has_arguments {
                    bracketed_len(arguments)
                } else {
                    0
                }
        } else {
            return rest;
        };
        rest = rest.get(len..).unwrap_or_default().trim_start();
    }
}

/// Returns the length of the brackets at the start of `rest` with what is in them; that of all if they do not end.
fn bracketed_len(rest: &str) -> usize {
    let mut depth = 0usize;
    let mut at = 0;
    while let Some(first) = rest.get(at..).and_then(|rest| rest.chars().next()) {
        match first {
            '"' | '\'' => {
                at += rest.get(at..).map_or(1, quoted_len);
                continue;
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += first.len_utf8();
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_preprocessor_lines_are_left_out() {
        for (text, wanted) in [
            (
                "@Deprecated // since 2.9\n    public Object find(/* not null */ Type type)",
                "@Deprecated public Object find(Type type)",
            ),
            (
                "#pragma warning disable CA1031 // all\nprivate void Run(\n#if DEBUG\n  int n,\n#endif\n  int m)",
                "private void Run(int n, int m)",
            ),
            (
                "def load(\n    path,  # of the file\n    base='http://a#b',\n    size=n // 2):",
                "def load(path, base='http://a#b', size=n // 2):",
            ),
            (
                "#[inline]\nfn take<'a>(all: &'a str, // it's whole\n    n: u8)",
                "#[inline] fn take<'a>(all: &'a str, n: u8)",
            ),
            ("#size(n)", "#size(n)"),
        ] {
            assert_eq!(head(text, 300), wanted);
        }
    }

    #[test]
    fn long_attributes_leave_room_for_the_head() {
        let why = "why ] ".repeat(60);
        for (text, wanted) in [
            (
                format!("[SuppressMessage(\"{why}\")]\n[Other]\npublic void Run(int n)"),
                "… public void Run(int n)",
            ),
            (
                format!("@Deprecated\n@Schema(text = \"{why}\")\npublic void run(int n)"),
                "… public void run(int n)",
            ),
            (
                format!("#[doc = \"{why}\"]\npub fn run(n: u8)"),
                "… pub fn run(n: u8)",
            ),
        ] {
            assert_eq!(head(&text, 300), wanted);
        }
        assert_eq!(head("@A(1) void run()", 300), "@A(1) void run()");
    }
}

//! Finds exact texts that may be string literals in the code: command line options, routes, codes of errors
//! and checks, names of settings. The resolver checks whether the code has them.

/// Maximum literals of a query.
pub(super) const MAX_LITERALS: usize = 24;

/// Maximum bytes of a word; a longer one is data.
const MAX_WORD_BYTES: usize = 80;

/// The form of an exact text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiteralKind {
    /// `--no-input`.
    Option,
    /// `/api/users/<id>`: the longest part without placeholders, without slashes at its ends.
    Route,
    /// `E123`, `fields.E304`, `TS2345`.
    Code,
    /// `UPLOAD_LIMIT`.
    Setting,
}

/// An exact text of the query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    /// The form of the text.
    pub kind: LiteralKind,
    /// The text as the code would contain it.
    pub text: String,
}

/// Returns the exact texts in a line of prose.
pub(super) fn read(line: &str) -> Vec<Literal> {
    words(line).filter_map(literal).collect()
}

/// Returns the command line options in a line of code.
pub(super) fn options(line: &str) -> Vec<Literal> {
    if !line.contains("--") {
        return Vec::new();
    }
    words(line).filter_map(option).collect()
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\'' | '(' | ')' | ','))
        .map(|word| word.trim_end_matches(['.', ':', ';', '!', '?', '*', ']']))
        .map(|word| word.trim_start_matches(['[', '*']))
        .filter(|word| (3..=MAX_WORD_BYTES).contains(&word.len()))
}

fn literal(word: &str) -> Option<Literal> {
    option(word)
        .or_else(|| route(word))
        .or_else(|| code(word))
        .or_else(|| setting(word))
}

fn option(word: &str) -> Option<Literal> {
    let name = word.strip_prefix("--")?;
    let name = name.split('=').next().unwrap_or(name);
    let plain = name
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    let named = name.len() >= 3 && name.starts_with(char::is_alphabetic);
    (plain && named).then(|| Literal {
        kind: LiteralKind::Option,
        text: format!("--{name}"),
    })
}

fn route(word: &str) -> Option<Literal> {
    const ROOTS: &[&str] = &[
        "bin", "dev", "etc", "home", "lib", "mnt", "opt", "private", "proc", "root", "srv", "sys",
        "tmp", "Users", "usr", "var", "Library", "Volumes", "path",
    ];
    let inside = word.strip_prefix('/')?;
    let first = inside.split('/').next().unwrap_or("");
    if first.is_empty() || ROOTS.contains(&first) || inside.contains(['.', '\\']) {
        return None;
    }
    let mut best = "";
    let mut start = 0;
    let mut at = 0;
    for part in inside.split('/') {
        let placeholder = part.starts_with(['<', '{', ':', '$', '[', '(', '*'])
            || !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let end = at + part.len();
        if placeholder {
            start = end + 1;
        } else {
            let run = inside.get(start..end).unwrap_or("").trim_matches('/');
            best = if run.len() > best.len() { run } else { best };
        }
        at = end + 1;
    }
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '-' | '_');
    (best.len() >= 4 && best.chars().all(plain)).then(|| Literal {
        kind: LiteralKind::Route,
        text: best.to_owned(),
    })
}

fn code(word: &str) -> Option<Literal> {
    let last = word.rsplit('.').next().unwrap_or(word);
    let before = word.get(..word.len() - last.len()).unwrap_or("");
    let plain = before
        .chars()
        .all(|c| c.is_ascii_lowercase() || matches!(c, '_' | '.'));
    (is_code(last) && plain).then(|| Literal {
        kind: LiteralKind::Code,
        text: word.to_owned(),
    })
}

/// Whether a word has the form of the code of an error or check: capital letters and digits, `TS2345`.
pub(super) fn is_code(word: &str) -> bool {
    let letters = word.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = word.get(letters..).unwrap_or("");
    (1..=6).contains(&letters)
        && (2..=6).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn setting(word: &str) -> Option<Literal> {
    // `settings.UPLOAD_LIMIT`, `UPLOAD_LIMIT=3`
    let word = word.split('=').next().unwrap_or(word);
    let name = word.rsplit('.').next().unwrap_or(word);
    let upper = name
        .bytes()
        .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    let parted = name.trim_matches('_').contains('_') && name.starts_with(char::is_alphabetic);
    (upper && parted).then(|| Literal {
        kind: LiteralKind::Setting,
        text: name.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_of_each_kind_are_read() {
        use LiteralKind::{Code, Option, Route, Setting};
        for (line, wanted) in [
            ("run `tool --no-input=x` now", vec![(Option, "--no-input")]),
            ("a -- b --- c --i", vec![]),
            (
                "GET /api/users/<id>/posts fails",
                vec![(Route, "api/users")],
            ),
            ("see /users/:id.", vec![(Route, "users")]),
            ("in /usr/lib/x and /a/b.py", vec![]),
            (
                "(fields.E304) and TS2345:",
                vec![(Code, "fields.E304"), (Code, "TS2345")],
            ),
            ("the URL of A1", vec![]),
            (
                "`settings.UPLOAD_LIMIT` is 3",
                vec![(Setting, "UPLOAD_LIMIT")],
            ),
        ] {
            let found = read(line);
            let found: Vec<(LiteralKind, &str)> =
                found.iter().map(|l| (l.kind, l.text.as_str())).collect();
            assert_eq!(found, wanted, "{line}");
        }
        assert_eq!(options("$ tool --dry-run a").len(), 1);
    }
}

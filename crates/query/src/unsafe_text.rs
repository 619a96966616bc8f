//! Reports deceptive text in an answer: paths, names and code with characters that control a terminal, or
//! that hide or reorder the text around them. Paths and names are unchanged in the fields of the answer
//! and escaped in the context; in code only characters that no markup can hold are replaced.

use std::collections::{BTreeMap, BTreeSet};

use foveate_index::{FileId, Files};
use foveate_model::Lines;
use foveate_model::escape::{has_unsafe, is_unsafe};

use crate::issue::{self, Issue, IssueCode};

/// Returns an issue that lists the paths and names with unsafe characters, if there are any.
pub(crate) fn in_names<'a>(names: impl Iterator<Item = &'a str>) -> Option<Issue> {
    let found: BTreeSet<&str> = names.filter(|name| has_unsafe(name)).collect();
    let mut found: Vec<&str> = found.into_iter().collect();
    // A resolved symbol is `path:name`; it follows its path.
    found.dedup_by(|name, path| {
        let rest = name.strip_prefix(*path);
        rest.is_some_and(|rest| rest.starts_with(':') && !has_unsafe(rest))
    });
    (!found.is_empty()).then(|| Issue {
        code: IssueCode::UnsafeCharacters,
        detail: format!(
            "paths or names contain characters that control a terminal or hide or reorder text; \
             the context shows them escaped: {}",
            issue::list(found)
        ),
    })
}

/// Returns an issue that lists the lines of code with unsafe characters, if there are any. `shown` has each stretch of
/// a file: its lines, and its body as the context shows it.
pub(crate) fn in_code<'a>(
    files: &Files,
    shown: impl Iterator<Item = (FileId, Lines, &'a str)>,
) -> Option<Issue> {
    let mut found: BTreeMap<(FileId, u32), char> = BTreeMap::new();
    for (file, lines, body) in shown {
        if is_suspect(body) {
            found.extend(in_lines(files.text(file), lines).map(|(line, c)| ((file, line), c)));
        }
    }
    let place = |((file, line), c): (&(FileId, u32), &char)| {
        format!("{}:{line} (U+{:04X})", files.path(*file), u32::from(*c))
    };
    (!found.is_empty()).then(|| Issue {
        code: IssueCode::UnsafeCharacters,
        detail: format!(
            "code in the context contains characters that control a terminal or hide or reorder text \
             (control characters are shown as U+FFFD): {}",
            issue::list(found.iter().map(place))
        ),
    })
}

/// Whether a rendered body may come from code with unsafe characters: those that cannot be written were replaced by
/// U+FFFD.
fn is_suspect(body: &str) -> bool {
    !body.is_ascii() && body.chars().any(|c| c == '\u{fffd}' || is_in_code(c))
}

/// Returns the numbers of the lines that hold an unsafe character, each with its first one.
fn in_lines(text: &str, lines: Lines) -> impl Iterator<Item = (u32, char)> + '_ {
    let numbered = (1..).zip(text.split('\n'));
    let within = numbered
        .skip(lines.start.saturating_sub(1) as usize)
        .take(lines.count() as usize);
    within.filter_map(|(number, line)| {
        let line = line.strip_suffix('\r').unwrap_or(line);
        Some((number, line.chars().find(|c| is_in_code(*c))?))
    })
}

/// Whether a character is unsafe in code, where tabs and line ends are usual.
fn is_in_code(c: char) -> bool {
    is_unsafe(c) && !matches!(c, '\t' | '\n')
}

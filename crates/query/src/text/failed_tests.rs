//! Reads which tests failed from the output of test runners: here of those that name a test by its titles, Mocha, Jest,
//! Vitest, Node, and those that write TAP; in [`names`] of those that name its class and function. Must not decide what a
//! title or a name means; the repository knows its tests.

mod names;

use foveate_parse::traces;

use crate::log_prefix::is_number;

/// Maximum tests of a query that are kept.
const MAX_TESTS: usize = 20;
/// Maximum titles of a test, with those of its groups.
const MAX_TITLES: usize = 12;
/// Lines after a test of Mocha that may say its error.
const LINES_TO_ERROR: usize = 3;

/// How a runner names a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestNaming {
    /// By texts: those of the blocks around it, and its own.
    Titles,
    /// As the source does, by classes or modules and a function.
    Names,
}

/// A failed test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedTest {
    /// The titles of its groups, the outermost first, and its own title; or the names of its classes and of its function.
    pub titles: Vec<String>,
    /// What the runner writes between two titles, which may also be a part of one.
    pub separator: &'static str,
    /// The path of its file as written; empty if unknown.
    pub path: String,
    /// How the runner names it.
    pub naming: TestNaming,
}

/// Returns the failed tests that the lines of a query name, without duplicates.
pub(super) fn read(lines: &[String]) -> Vec<FailedTest> {
    let mut tests: Vec<FailedTest> = Vec::new();
    // The file of Jest's tests is on a line of its own.
    let mut path: Option<&str> = None;
    // The heading of a list; the list ends at a blank line.
    let mut heading: Option<&str> = None;
    for (number, line) in lines.iter().enumerate() {
        let text = undecorated(line);
        heading = names::heading(text).or(heading.filter(|_| !text.is_empty()));
        let found = if let Some(rest) = text.strip_prefix("FAIL ") {
            let (file, test) = vitest(rest);
            path = file;
            test.or_else(|| names::nextest(rest))
        } else if let Some(file) = text.strip_prefix("❯ ").and_then(file_with_failures) {
            path = Some(file);
            None
        } else if let Some(titles) = text.strip_prefix("● ") {
            jest(titles, path)
        } else if let Some(rest) = text.strip_prefix("not ok ") {
            tap(rest)
        } else {
            names::read(text)
                .or_else(|| names::listed(heading?, text))
                .or_else(|| marked(text, path))
                .or_else(|| mocha(lines.get(number..).unwrap_or_default()))
        };
        let found = found.filter(|test| !tests.contains(test));
        tests.extend(found);
        if tests.len() == MAX_TESTS {
            break;
        }
    }
    tests
}

/// Returns the text of a line without the marks of a quotation in a mail, and without Maven's level.
fn undecorated(line: &str) -> &str {
    let text = line.trim_start_matches(['>', ' ', '\t']);
    text.strip_prefix("[ERROR]").unwrap_or(text).trim()
}

/// Reads what follows `FAIL`: the path of a file, and the test whose titles Vitest writes after it.
fn vitest(text: &str) -> (Option<&str>, Option<FailedTest>) {
    const SEPARATOR: &str = " > ";
    let text = text.trim_start();
    // The name of a project: `|core| src/a.test.ts`.
    let project = text.strip_prefix('|').and_then(|rest| rest.split_once('|'));
    let text = project.map_or(text, |(_, rest)| rest.trim_start());
    let (path, titles) = text.split_once(SEPARATOR).unwrap_or((text, ""));
    let is_path = path.contains('.') && !path.contains(char::is_whitespace);
    let test = || test(titles.split(SEPARATOR), SEPARATOR, path);
    (Some(path).filter(|_| is_path), is_path.then(test).flatten())
}

/// Reads what follows `●`. A test without a group needs a file, because lists have such bullets, too.
fn jest(titles: &str, path: Option<&str>) -> Option<FailedTest> {
    const SEPARATOR: &str = " › ";
    const NO_TESTS: &[&str] = &["Console", "Test suite failed to run"];
    if NO_TESTS.contains(&titles) || path.is_none() && !titles.contains(SEPARATOR) {
        return None;
    }
    test(titles.split(SEPARATOR), SEPARATOR, path.unwrap_or(""))
}

/// Reads what follows `not ok` in TAP: `3 - the title # time=2ms`.
fn tap(text: &str) -> Option<FailedTest> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let title = rest.trim_start().strip_prefix("- ")?;
    let (title, directive) = title.split_once(" # ").unwrap_or((title, ""));
    let directive = directive.to_ascii_lowercase();
    // These failures are expected.
    let is_expected = directive.starts_with("todo") || directive.starts_with("skip");
    test([title], " ", "").filter(|_| !is_expected)
}

/// Reads what follows the mark of a failed test in the lists of Vitest, Jest and Node: `scope > collects 12ms`,
/// `collects (3 ms)`. Without the file, only the duration tells that it is a test.
fn marked(text: &str, path: Option<&str>) -> Option<FailedTest> {
    const SEPARATOR: &str = " > ";
    let mut marks = ["× ", "✕ ", "✖ ", "✗ "].into_iter();
    let title = marks.find_map(|mark| text.strip_prefix(mark))?.trim();
    let timed = without_duration(title);
    if timed.is_none() && path.is_none() {
        return None;
    }
    let titles = timed.unwrap_or(title).split(SEPARATOR);
    test(titles, SEPARATOR, path.unwrap_or(""))
}

/// Returns the text before a duration: of `adds 12ms` or `adds (3 ms)`.
fn without_duration(text: &str) -> Option<&str> {
    let in_brackets = text
        .strip_suffix(')')
        .and_then(|text| text.rsplit_once(" ("));
    let (title, duration) = in_brackets.or_else(|| text.rsplit_once(' '))?;
    is_duration(duration).then_some(title)
}

/// Whether a text is a duration as runners write it: `12ms`, `1.5 s`, `< 1 ms`, `1 m 2 s`.
fn is_duration(text: &str) -> bool {
    let text = text.trim_start_matches(['<', ' ']);
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | ' ' | 'h' | 'm' | 's');
    text.starts_with(|c: char| c.is_ascii_digit())
        && text.ends_with('s')
        && text.chars().all(is_part)
}

/// Returns the path in Vitest's line about a file with failed tests: `src/a.test.ts (12 tests | 1 failed) 34ms`.
fn file_with_failures(text: &str) -> Option<&str> {
    let (path, counts) = text.split_once(" (")?;
    let is_path = path.contains('.') && !path.contains(char::is_whitespace);
    (is_path && counts.contains("failed")).then_some(path)
}

/// Reads a failure of Mocha's summary at the first of the lines: `1) group`, and below it, each further indented, the
/// groups inside and the title of the test, which ends in a colon and is followed by the error.
fn mocha(lines: &[String]) -> Option<FailedTest> {
    let first = lines.first()?;
    let (number, group) = first.trim().split_once(") ")?;
    if !is_number(number) || group.ends_with(':') {
        return None;
    }
    let mut titles = vec![group];
    let mut indent = indent_of(first);
    for (below, line) in lines.iter().enumerate().skip(1).take(MAX_TITLES) {
        let title = line.trim();
        if title.is_empty() || indent_of(line) <= indent {
            return None;
        }
        indent = indent_of(line);
        let Some(title) = title.strip_suffix(':') else {
            titles.push(title);
            continue;
        };
        titles.push(title);
        let after = lines.get(below + 1..).unwrap_or_default();
        return test(titles, " ", "").filter(|_| is_followed_by_error(after));
    }
    None
}

/// Whether an error is among the next lines, or none of them has text. A step of a list may look like a test.
fn is_followed_by_error(lines: &[String]) -> bool {
    let mut next = lines.iter().take(LINES_TO_ERROR);
    let is_error = |line: &String| {
        let line = line.trim();
        traces::is_error(line) || line.contains("Error")
    };
    next.any(is_error) || lines.iter().all(|line| line.trim().is_empty())
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Makes a test of its titles; `None` if it has none.
fn test<'t>(
    titles: impl IntoIterator<Item = &'t str>,
    separator: &'static str,
    path: &str,
) -> Option<FailedTest> {
    let titles = titles.into_iter().map(str::trim);
    let titles = titles.filter(|title| !title.is_empty());
    let titles: Vec<String> = titles.take(MAX_TITLES).map(str::to_owned).collect();
    (!titles.is_empty()).then(|| FailedTest {
        titles,
        separator,
        path: path.to_owned(),
        naming: TestNaming::Titles,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    pub(super) fn check(text: &str, wanted: &[(&[&str], &str)]) {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let found = read(&lines);
        let found: Vec<(Vec<&str>, &str)> = found
            .iter()
            .map(|test| {
                let titles = test.titles.iter().map(String::as_str).collect();
                (titles, test.path.as_str())
            })
            .collect();
        let wanted: Vec<(Vec<&str>, &str)> = wanted
            .iter()
            .map(|(titles, path)| (titles.to_vec(), *path))
            .collect();
        assert_eq!(found, wanted, "{text}");
    }

    #[test]
    fn titles_of_failed_tests_are_read() {
        check(
            "  1) Suite\n       a method\n         add()\n           sets the parent:\n     Error: no",
            &[(&["Suite", "a method", "add()", "sets the parent"], "")],
        );
        check(
            "1) Suite\n     adds:\n\n   AssertionError: no",
            &[(&["Suite", "adds"], "")],
        );
        check("1) Suite\n     adds:\n", &[(&["Suite", "adds"], "")]);
        check(
            "FAIL test/a.spec.ts\n  ● scope › nested › collects\n  ● alone\n  ● Console",
            &[
                (&["scope", "nested", "collects"], "test/a.spec.ts"),
                (&["alone"], "test/a.spec.ts"),
            ],
        );
        check(
            " FAIL  |core| src/a.test.ts > scope > collects",
            &[(&["scope", "collects"], "src/a.test.ts")],
        );
        check(
            "not ok 12 - returns a parser # time=2ms\nok 13 - reads\nnot ok 14 - later # TODO",
            &[(&["returns a parser"], "")],
        );
    }

    #[test]
    fn marked_tests_are_read() {
        let wanted: (&[&str], &str) = (&["scope", "collects"], "src/a.test.ts");
        check(
            " ❯ src/a.test.ts (12 tests | 1 failed) 34ms\n   × scope > collects 12ms\n     → no",
            &[wanted],
        );
        check(
            "FAIL src/a.test.ts\n  scope\n    ✓ adds (2 ms)\n    ✕ collects",
            &[(&["collects"], "src/a.test.ts")],
        );
        check("✖ collects (1.5ms)", &[(&["collects"], "")]);
        check("✖ failing tests:\n✖ 2 problems (1 error, 1 warning)", &[]);
        check("× no support for Windows", &[]);
    }

    #[test]
    fn lists_and_prose_name_no_failed_tests() {
        check("● the first point\n● the second", &[]);
        check("1) Open the page\n   and click:\n   a button", &[]);
        check("1) Steps:\n   open it", &[]);
        check("FAIL to open > see below", &[]);
        check("It is not ok - really", &[]);
    }
}

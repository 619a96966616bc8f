//! Reads which tests failed from the output of test runners that name a test by its titles: Mocha, Jest, Vitest, and
//! those that write TAP; and from that of pytest and unittest, which name its class and function. Must not decide what a
//! title means; the repository knows its tests.

use foveate_parse::traces;

use super::paths;

/// Maximum tests of a query that are kept.
const MAX_TESTS: usize = 20;
/// Maximum titles of a test, with those of its groups.
const MAX_TITLES: usize = 12;
/// Lines after a test of Mocha that may say its error.
const LINES_TO_ERROR: usize = 3;

/// A failed test that is named by its titles, or by the names of its class and function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedTest {
    /// The titles of its groups, the outermost first, and its own title. In Python these are names.
    pub titles: Vec<String>,
    /// What the runner writes between two titles, which may also be a part of one.
    pub separator: &'static str,
    /// The path of its file as written; empty if unknown.
    pub path: String,
}

/// Returns the failed tests that the lines of a query name, without duplicates.
pub(super) fn read(lines: &[String]) -> Vec<FailedTest> {
    let mut tests: Vec<FailedTest> = Vec::new();
    // The file of Jest's tests is on a line of its own.
    let mut path: Option<&str> = None;
    for (number, line) in lines.iter().enumerate() {
        let text = line.trim();
        let found = if let Some(rest) = text.strip_prefix("FAIL ") {
            let (file, test) = vitest(rest);
            path = file;
            test
        } else if let Some(titles) = text.strip_prefix("● ") {
            jest(titles, path)
        } else if let Some(rest) = text.strip_prefix("not ok ") {
            tap(rest)
        } else {
            pytest(text)
                .or_else(|| unittest(text))
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

/// Reads a line of pytest: `FAILED a/test_b.py::TestC::test_d[1] - KeyError: 1`, of its verbose form
/// `a/test_b.py::test_d FAILED [ 50%]`, and with several workers `[gw0] [ 50%] FAILED a/test_b.py::test_d`.
fn pytest(text: &str) -> Option<FailedTest> {
    let is_outcome = |word: &str| matches!(word, "FAILED" | "ERROR");
    let is_progress = |word: &&str| word.starts_with('[') || word.ends_with("%]");
    let mut words = text.split_whitespace().skip_while(is_progress);
    let id = match (words.next()?, words.next()?) {
        (outcome, id) if is_outcome(outcome) => id,
        (id, outcome) if is_outcome(outcome) => id,
        _ => return None,
    };
    let (file, name) = paths::read_test(id)?;
    test(name.split('.'), "::", &file.path)
}

/// Reads the heading of a failure of unittest: `FAIL: test_a (shop.test_cart.TestCart.test_a)`, before Python 3.11
/// `ERROR: test_a (shop.test_cart.TestCart)`.
fn unittest(text: &str) -> Option<FailedTest> {
    let heading = text.strip_prefix("FAIL: ");
    let (name, place) = heading
        .or_else(|| text.strip_prefix("ERROR: "))?
        .split_once(" (")?;
    let (place, _) = place.split_once(')')?;
    let owner = place
        .strip_suffix(name)
        .and_then(|owner| owner.strip_suffix('.'));
    let (module, class) = owner.unwrap_or(place).rsplit_once('.')?;
    let is_test = class.starts_with(char::is_uppercase) && !name.contains(' ');
    if !is_test || module.contains(' ') {
        return None;
    }
    test(
        [class, name],
        ".",
        &format!("{}.py", module.replace('.', "/")),
    )
}

/// Reads a failure of Mocha's summary at the first of the lines: `1) group`, and below it, each further indented, the
/// groups inside and the title of the test, which ends in a colon and is followed by the error.
fn mocha(lines: &[String]) -> Option<FailedTest> {
    let first = lines.first()?;
    let (number, group) = first.trim().split_once(") ")?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number || group.ends_with(':') {
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
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, wanted: &[(&[&str], &str)]) {
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
    fn names_of_failed_tests_of_python_are_read() {
        for line in [
            "FAILED shop/test_cart.py::TestCart::test_sum[a b] - KeyError: 1",
            "ERROR shop/test_cart.py::TestCart::test_sum",
            "shop/test_cart.py::TestCart::test_sum[1] FAILED [ 50%]",
            "[gw0] [ 50%] FAILED shop/test_cart.py::TestCart::test_sum",
            "FAIL: test_sum (shop.test_cart.TestCart.test_sum)",
            "ERROR: test_sum (shop.test_cart.TestCart) (i=1)",
        ] {
            check(line, &[(&["TestCart", "test_sum"], "shop/test_cart.py")]);
        }
        check(
            "FAILED shop/test_cart.py::test_sum",
            &[(&["test_sum"], "shop/test_cart.py")],
        );
        check("shop/test_cart.py::test_sum PASSED [ 50%]", &[]);
        check("ERROR: no stock (see Cart)", &[]);
        check("FAILED to read shop/test_cart.py::test_sum", &[]);
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

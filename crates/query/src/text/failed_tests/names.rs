//! Reads failed tests that a runner names as the source does, by classes or modules and functions: those of Python, Go,
//! Rust, the JVM, .NET, PHP, Ruby and C++. Must not look at lines above or below, except for the heading of a list.

use super::super::paths;
use super::{FailedTest, TestNaming, is_duration, test};
use crate::log_prefix::is_number;

/// Maximum names of a test: of a long path through modules, the last ones.
const MAX_NAMES: usize = 3;

/// Headings of lists of failed tests: of Rust and CTest, and of Go's tests that ran out of time.
const HEADINGS: [&str; 3] = ["failures:", "The following tests FAILED:", "running tests:"];

/// Returns the heading that a line is.
pub(super) fn heading(text: &str) -> Option<&'static str> {
    HEADINGS.into_iter().find(|heading| text == *heading)
}

/// Reads an item of a list.
pub(super) fn listed(heading: &str, item: &str) -> Option<FailedTest> {
    match heading {
        "failures:" => rust_path(item),
        "The following tests FAILED:" => {
            let (number, rest) = item.split_once(" - ")?;
            let (name, _) = rest.rsplit_once(" (")?;
            is_number(number).then(|| of_suite(name))?
        }
        _ => {
            let (name, time) = item.strip_suffix(')')?.split_once(" (")?;
            is_duration(time).then(|| of_go(name))?
        }
    }
}

/// Reads a line that is complete by itself.
pub(super) fn read(text: &str) -> Option<FailedTest> {
    pytest(text)
        .or_else(|| unittest(text))
        .or_else(|| go(text))
        .or_else(|| rust(text))
        .or_else(|| surefire(text))
        .or_else(|| gradle(text))
        .or_else(|| dotnet(text))
        .or_else(|| phpunit(text))
        .or_else(|| minitest(text))
        .or_else(|| googletest(text))
        .or_else(|| ctest(text))
        .or_else(|| reported(text))
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
    named(name.split('.'), "::", &file.path)
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
    let path = format!("{}.py", module.replace('.', "/"));
    named([class, name], ".", &path)
}

/// Reads `--- FAIL: TestSum/empty (0.00s)` of Go, and `=== FAIL: shop TestSum (0.00s)` of gotestsum. The part after a
/// slash is a title, unless it is the method of a suite.
fn go(text: &str) -> Option<FailedTest> {
    let package_and_test = || text.strip_prefix("=== FAIL: ")?.split_once(' ');
    let rest = text
        .strip_prefix("--- FAIL: ")
        .or_else(|| package_and_test().map(|(_, rest)| rest))?;
    of_go(rest.split(' ').next()?)
}

fn of_go(name: &str) -> Option<FailedTest> {
    let is_function = |part: &&str| {
        let starts = ["Test", "Fuzz", "Example", "Benchmark"];
        is_name(part) && starts.iter().any(|start| part.starts_with(start))
    };
    named(name.split('/').filter(is_function), "/", "")
}

/// Reads `test shop::tests::sums ... FAILED`, and the heading of its output, `---- shop::tests::sums stdout ----`.
fn rust(text: &str) -> Option<FailedTest> {
    let result = text
        .strip_prefix("test ")
        .and_then(|rest| rest.strip_suffix(" ... FAILED"));
    let output = || text.strip_prefix("---- ")?.strip_suffix(" stdout ----");
    // `sums - should panic`.
    rust_path(result.or_else(output)?.split(" - ").next()?)
}

/// Reads what follows `FAIL` in a line of nextest: `[   0.012s] shop::integration cart::sums`.
pub(super) fn nextest(text: &str) -> Option<FailedTest> {
    let (time, rest) = text.trim_start().strip_prefix('[')?.split_once(']')?;
    is_duration(time).then(|| rust_path(rest.split_whitespace().next_back()?))?
}

fn rust_path(path: &str) -> Option<FailedTest> {
    let parts = path.split("::");
    if !parts.clone().all(is_name) {
        return None;
    }
    let start = parts.clone().count().saturating_sub(MAX_NAMES);
    named(parts.skip(start), "::", "")
}

/// Reads Surefire's `shop.CartTest.sums -- Time elapsed: 0.003 s <<< FAILURE!`, and with the class behind the method,
/// `sums(shop.CartTest)  Time elapsed: 0.02 sec  <<< ERROR!`.
fn surefire(text: &str) -> Option<FailedTest> {
    let (head, rest) = text.split_once("Time elapsed:")?;
    let is_failure = rest.contains("<<< FAILURE!") || rest.contains("<<< ERROR!");
    is_failure.then(|| method(head.split_whitespace().next()?))?
}

/// Reads `shop.CartTest.sums[1]`, and `sums(shop.CartTest)`.
fn method(word: &str) -> Option<FailedTest> {
    let with_class = word.strip_suffix(')').and_then(|word| word.split_once('('));
    match with_class {
        Some((name, class)) if !name.contains('.') => member(class, name),
        _ => {
            let word = without_arguments(word);
            let (class, name) = word.rsplit_once('.')?;
            member(class, name)
        }
    }
}

/// Reads Gradle's `shop.CartTest > sums(int) > [1] 2 FAILED`. The name of a function of Kotlin, and that which an annotation
/// gives, may have several words.
fn gradle(text: &str) -> Option<FailedTest> {
    let (class, tests) = text.strip_suffix(" FAILED")?.split_once(" > ")?;
    let classes = classes(without_arguments(class))?;
    let tests = tests.split(" > ").map(without_arguments);
    named(classes.into_iter().chain(tests), ".", "")
}

/// Reads `Failed Shop.CartTest.Sums(n: 1) [15 ms]` of .NET, and `[xUnit.net 00:00:01.23]     Shop.CartTest.Sums [FAIL]`.
fn dotnet(text: &str) -> Option<FailedTest> {
    let of_xunit = || {
        let clock = text.strip_prefix("[xUnit.net ");
        let rest = clock.map_or(Some(text), |rest| Some(rest.split_once(']')?.1));
        rest?.trim().strip_suffix(" [FAIL]")
    };
    let of_console = || {
        let mut outcomes = ["Failed ", "failed "].into_iter();
        let rest = outcomes.find_map(|outcome| text.strip_prefix(outcome))?;
        let squared = rest
            .strip_suffix(']')
            .and_then(|rest| rest.rsplit_once(" ["));
        let (name, time) = squared.or_else(|| rest.strip_suffix(')')?.rsplit_once(" ("))?;
        is_duration(time).then_some(name)
    };
    let name = of_xunit().or_else(of_console)?;
    // MSTest writes a space before the values of a row.
    let name = name.split(['(', '<']).next()?.trim_end();
    match name.rsplit_once('.') {
        Some((class, name)) => member(class, name),
        None => is_name(name).then(|| named([name], ".", ""))?,
    }
}

/// Reads the heading of a failure of PHPUnit: `1) Shop\CartTest::testSums with data set #0 (2)`.
fn phpunit(text: &str) -> Option<FailedTest> {
    let (number, rest) = text.split_once(") ")?;
    let (class, test) = rest.split_once("::")?;
    let name = test.split([' ', '#']).next()?;
    // RSpec writes the names of modules there, and lists of prose have sentences.
    let values = test.strip_prefix(name)?;
    let is_heading =
        values.is_empty() || values.starts_with('#') || values.starts_with(" with data");
    let is_test = is_heading && is_number(number) && !name.starts_with(char::is_uppercase);
    is_test.then(|| member(class, name))?
}

/// Reads `CartTest#test_sums = 0.02 s = F` of Minitest's verbose form, and the heading of a failure of test-unit,
/// `Failure: test_sums(CartTest): text`.
fn minitest(text: &str) -> Option<FailedTest> {
    let mut outcomes = [" = F", " = E"].into_iter();
    if let Some(timed) = outcomes.find_map(|outcome| text.strip_suffix(outcome)) {
        let (class, name) = timed.split_once(" = ")?.0.split_once('#')?;
        return member(class, name);
    }
    let mut outcomes = ["Failure: ", "Error: "].into_iter();
    let rest = outcomes.find_map(|outcome| text.strip_prefix(outcome))?;
    let word = rest.split_whitespace().next()?.trim_end_matches(':');
    (word.starts_with("test") && word.ends_with(')')).then(|| method(word))?
}

/// Reads `[  FAILED  ] CartTest.Sums (3 ms)` of GoogleTest.
fn googletest(text: &str) -> Option<FailedTest> {
    let rest = text.strip_prefix("[  FAILED  ] ")?;
    let name = rest.split([' ', ',']).next()?;
    name.contains('.').then(|| of_suite(name))?
}

/// Reads `3/10 Test #3: CartTest.Sums ......***Failed  0.01 sec` of CTest.
fn ctest(text: &str) -> Option<FailedTest> {
    const OUTCOMES: [&str; 3] = ["Failed", "Exception", "Timeout"];
    let (head, outcome) = text.split_once("***")?;
    let (_, rest) = head.split_once("Test ")?;
    let (number, name) = rest.trim_start().strip_prefix('#')?.split_once(": ")?;
    let is_failure = OUTCOMES.iter().any(|start| outcome.starts_with(start));
    (is_failure && is_number(number)).then(|| of_suite(name.trim_end_matches(['.', ' '])))?
}

/// Reads the sentence about a failed test of a report that [`crate::failure`] writes: "`shop.CartTest.sums` fails.", with a
/// name of several words "`shop.CartTest adds up` fails.", and with its file
/// "`shop.test_cart.test_sum` fails in shop/test_cart.py:12.".
fn reported(text: &str) -> Option<FailedTest> {
    let (name, rest) = text.strip_prefix('`')?.split_once('`')?;
    let place = rest.strip_prefix(" fails")?.strip_suffix('.')?;
    let is_place = |place: &str| !place.contains(' ') && place.contains('.');
    if !place.is_empty() && !place.strip_prefix(" in ").is_some_and(is_place) {
        return None;
    }
    let name = without_arguments(name);
    let (owner, name) = name.split_once(' ').or_else(|| name.rsplit_once('.'))?;
    if let Some(classes) = classes(owner) {
        return named(classes.into_iter().chain([name]), ".", "");
    }
    let module = owner.rsplit(['.', '/']).next()?;
    (is_name(module) && is_name(name)).then(|| named([module, name], ".", ""))?
}

/// Reads `CartTest.Sums`, with the number of its values `Small/CartTest.Sums/0`, and `cart_test`, which has no suite.
fn of_suite(name: &str) -> Option<FailedTest> {
    let Some((suite, name)) = name.split_once('.') else {
        return is_name(name).then(|| named([name], ".", ""))?;
    };
    let suite = suite.split('/').rfind(|part| is_name(part))?;
    let name = name.split('/').next()?;
    is_name(name).then(|| named([suite, name], ".", ""))?
}

/// Returns the test that a method of a class is, whose name may have its package and the classes around it.
fn member(class: &str, name: &str) -> Option<FailedTest> {
    let name = without_arguments(name);
    let classes = classes(class)?;
    is_name(name).then(|| named(classes.into_iter().chain([name]), ".", ""))?
}

/// Splits `shop.CartTest$Sums` into its classes, without the package.
fn classes(class: &str) -> Option<Vec<&str>> {
    let class = class.rsplit(['.', '\\', '/', ':']).next()?;
    let classes: Vec<&str> = class.split(['$', '+']).collect();
    let is_class = classes.iter().copied().all(is_name) && class.starts_with(char::is_uppercase);
    is_class.then_some(classes)
}

/// Returns a name without what directly follows it in brackets: arguments, the number of the run, the platform.
fn without_arguments(name: &str) -> &str {
    let mut name = name.trim();
    for (open, close) in [('[', ']'), ('{', '}'), ('(', ')')] {
        let head = name
            .strip_suffix(close)
            .and_then(|name| Some(name.rsplit_once(open)?.0));
        name = head.filter(|head| !head.ends_with(' ')).unwrap_or(name);
    }
    name
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

fn named<'t>(
    names: impl IntoIterator<Item = &'t str>,
    separator: &'static str,
    path: &str,
) -> Option<FailedTest> {
    test(names, separator, path).map(|test| FailedTest {
        naming: TestNaming::Names,
        ..test
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn failed_tests_of_python_are_read() {
        for line in [
            "FAILED shop/test_cart.py::TestCart::test_sum[a b] - KeyError: 1",
            "ERROR shop/test_cart.py::TestCart::test_sum",
            "shop/test_cart.py::TestCart::test_sum[1] FAILED [ 50%]",
            "[gw0] [ 50%] FAILED shop/test_cart.py::TestCart::test_sum",
            "FAIL: test_sum (shop.test_cart.TestCart.test_sum)",
            "ERROR: test_sum (shop.test_cart.TestCart) (i=1)",
            "> FAILED shop/test_cart.py::TestCart::test_sum",
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
    fn failed_tests_of_go_are_read() {
        for line in [
            "--- FAIL: TestSum (0.00s)",
            "    --- FAIL: TestSum/no_item (0.00s)",
            "=== FAIL: shop/cart TestSum (0.01s)",
        ] {
            check(line, &[(&["TestSum"], "")]);
        }
        check(
            "--- FAIL: TestCart/TestSum (0.00s)",
            &[(&["TestCart", "TestSum"], "")],
        );
        check(
            "panic: test timed out after 10m0s\n\trunning tests:\n\t\tTestSum/no_item (9m59s)\n\ngoroutine 97 [running]:",
            &[(&["TestSum"], "")],
        );
        check("running tests:\nTestSum\nall of them (3s)", &[]);
        check("--- PASS: TestSum (0.00s)\n--- FAIL: the rest\nFAIL", &[]);
    }

    #[test]
    fn failed_tests_of_rust_are_read() {
        for text in [
            "test cart::tests::sums ... FAILED",
            "test cart::tests::sums - should panic ... FAILED",
            "---- cart::tests::sums stdout ----",
            "failures:\n    cart::tests::sums\n\ntest result: FAILED. 1 passed; 1 failed",
            "        FAIL [   0.012s] shop cart::tests::sums",
        ] {
            check(text, &[(&["cart", "tests", "sums"], "")]);
        }
        check(
            "test a::shop::cart::tests::sums ... FAILED",
            &[(&["cart", "tests", "sums"], "")],
        );
        for text in [
            "test cart::tests::sums ... ok",
            "test src/cart.rs - cart::sum (line 12) ... FAILED",
            "failures:\n\ncart",
            "failures: 3\ncart",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn failed_tests_of_the_jvm_are_read() {
        for text in [
            "[ERROR] shop.CartTest.sums -- Time elapsed: 0.003 s <<< FAILURE!",
            "[ERROR] shop.CartTest.sums[2]  Time elapsed: 0.003 s  <<< ERROR!",
            "sums(shop.CartTest)  Time elapsed: 0.02 sec  <<< ERROR!",
            "shop.CartTest > sums FAILED",
            "CartTest[jvm] > sums()[jvm] FAILED",
            "> CartTest > sums FAILED",
        ] {
            check(text, &[(&["CartTest", "sums"], "")]);
        }
        check(
            "CartTest$Small > an empty cart (new)() FAILED",
            &[(&["CartTest", "Small", "an empty cart (new)"], "")],
        );
        for text in [
            "[ERROR] Tests run: 3, Failures: 1, Time elapsed: 0.5 s <<< FAILURE! -- in shop.CartTest",
            "[INFO] shop.CartTest.sums -- Time elapsed: 0.003 s",
            "> Task :core:test FAILED",
            "a > b FAILED",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn failed_tests_of_dotnet_are_read() {
        for text in [
            "  Failed Shop.Tests.CartTest.Sums [15 ms]",
            "  Failed Shop.Tests.CartTest.Sums(name: \"a b\", n: 1) [< 1 ms]",
            "failed Shop.Tests.CartTest.Sums (15ms)",
            "[xUnit.net 00:00:01.23]     Shop.Tests.CartTest.Sums(n: 1) [FAIL]",
        ] {
            check(text, &[(&["CartTest", "Sums"], "")]);
        }
        for text in [
            "  Failed Sums(n: 1) [1 s]",
            "  Failed Sums (1,\"a b\") [2 ms]",
        ] {
            check(text, &[(&["Sums"], "")]);
        }
        check("Failed to open the cart [2 of 3]", &[]);
        check("Failed Sums", &[]);
    }

    #[test]
    fn failed_tests_of_php_and_ruby_are_read() {
        check(
            "1) Shop\\CartTest::testSums with data set #0 (2)",
            &[(&["CartTest", "testSums"], "")],
        );
        check("1) Shop::Cart adds an item", &[]);
        check("1) Shop::sum is slow", &[]);
        for text in [
            "Shop::CartTest#test_sums = 0.02 s = F",
            "Failure: test_sums(CartTest): expected 1",
            "Error: test_sums(CartTest)",
        ] {
            check(text, &[(&["CartTest", "test_sums"], "")]);
        }
        check("CartTest#test_sums = 0.02 s = .", &[]);
        check("Error: reset(Cart)", &[]);
    }

    #[test]
    fn failed_tests_of_reports_are_read() {
        for (text, names) in [
            (
                "`shop.CartTest adds up()[jvm]` fails.",
                &["CartTest", "adds up"][..],
            ),
            (
                "`shop.test_cart.test_sum[two]` fails in shop/test_cart.py:12.",
                &["test_cart", "test_sum"],
            ),
            ("`acme.io/shop/cart.TestSum` fails.", &["cart", "TestSum"]),
            ("`CartTest.sums` fails.", &["CartTest", "sums"]),
        ] {
            check(text, &[(names, "")]);
        }
        for text in [
            "`Cart.sum` fails in production.",
            "`Cart.sum` fails",
            "`Cart.sum` fails if it is empty.",
            "`sum` fails.",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn failed_tests_of_cpp_are_read() {
        for text in [
            "[  FAILED  ] CartTest.Sums (3 ms)",
            "[  FAILED  ] Small/CartTest.Sums/0, where GetParam() = 3",
            "[  FAILED  ] CartTest/1.Sums",
            "The following tests FAILED:\n\t  4 - CartTest.Sums (Failed)",
            " 3/10 Test  #3: CartTest.Sums ......***Failed    0.01 sec",
        ] {
            check(text, &[(&["CartTest", "Sums"], "")]);
        }
        check(
            "The following tests FAILED:\n\t 13 - cart_test (SEGFAULT)",
            &[(&["cart_test"], "")],
        );
        check("[  FAILED  ] 2 tests, listed below:", &[]);
        check("3/10 Test #3: CartTest.Sums ......***Skipped 0.01 sec", &[]);
    }
}

//! Tests reports and logs as tools write them, and the questions made of them.

use super::{Failures, MAX_BYTES, junit, log};
use crate::text::{QueryText, SegmentKind};

fn read_report(report: &str) -> Failures {
    let mut failures = Failures::default();
    junit::read(report, &mut failures).unwrap();
    failures
}

fn read_log(text: &str) -> log::LogReport {
    log::read(text.as_bytes()).unwrap()
}

/// `test | file:line | message` of each failure.
fn summaries(failures: &Failures) -> Vec<String> {
    let summaries = failures.kept().iter();
    summaries
        .map(|f| format!("{} | {}:{} | {}", f.test, f.file, f.line, f.message))
        .collect()
}

/// Asserts that parsing the question finds these frames and this error.
#[track_caller]
fn assert_question(failures: &Failures, frames: &[&str], error: &str) {
    let (question, shown) = failures.question(MAX_BYTES);
    assert_eq!(shown, failures.kept().len());
    let text = QueryText::parse(&question);
    let found: Vec<String> = text
        .frames
        .iter()
        .map(|f| format!("{}:{}", f.path, f.line))
        .collect();
    for frame in frames {
        assert!(
            found.iter().any(|f| f == frame),
            "{frame} of {found:?}\n{question}"
        );
    }
    let errors: Vec<&str> = text.of_kind(SegmentKind::ErrorMessage).collect();
    let has_error = text.title().contains(error) || errors.iter().any(|e| e.contains(error));
    assert!(
        has_error,
        "{error} in {:?} or {errors:?}\n{question}",
        text.title()
    );
}

const PYTEST: &str = r#"<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" errors="0" failures="1" tests="2">
<testcase classname="tests.test_cart.TestCart" name="test_total[two]" file="tests/test_cart.py" line="7" time="0.001"><failure message="AssertionError: assert 3 == 4&#10;  +  where 3 = total_price([1, 2])">self = &lt;tests.test_cart.TestCart object&gt;

    def test_total(self):
&gt;       assert total_price([1, 2]) == 4
E       assert 3 == 4

tests/test_cart.py:9: AssertionError</failure></testcase>
<testcase classname="tests.test_cart.TestCart" name="test_empty" time="0.001" /></testsuite></testsuites>"#;

const SUREFIRE: &str = r#"<testsuite name="org.acme.CartTest" tests="3" errors="1" failures="0">
  <testcase name="total" classname="org.acme.CartTest" time="0.01">
    <error message="Cannot invoke &quot;Item.price()&quot;" type="java.lang.NullPointerException"><![CDATA[java.lang.NullPointerException: Cannot invoke "Item.price()"
	at org.acme.Cart.total(Cart.java:21)
	at org.acme.CartTest.total(CartTest.java:12)
]]></error>
    <system-out><![CDATA[INFO starting]]></system-out>
  </testcase>
  <testcase name="flaky" classname="org.acme.CartTest"><flakyFailure type="x">passed at last</flakyFailure></testcase>
  <testcase name="skipped" classname="org.acme.CartTest"><skipped/></testcase>
</testsuite>"#;

const JEST: &str = r#"<testsuites name="jest tests"><testsuite name="cart" errors="0" failures="1">
<testcase classname="cart adds up" name="cart adds up" time="0.004"><failure>TypeError: Cannot read properties of undefined (reading &apos;price&apos;)
    at totalPrice (/home/runner/work/shop/shop/src/price.ts:3:17)
    at Object.&lt;anonymous&gt; (/home/runner/work/shop/shop/test/cart.test.ts:8:10)</failure></testcase></testsuite></testsuites>"#;

const GO: &str = r#"<testsuites><testsuite name="acme.com/shop/cart" tests="1" failures="1">
<testcase classname="acme.com/shop/cart" name="TestTotal" time="0.000"><failure message="Failed">    cart_test.go:12: got 3, want 4</failure></testcase></testsuite></testsuites>"#;

const RSPEC: &str = r#"<testsuite name="rspec" tests="1" failures="1"><testcase classname="spec.cart_spec" name="Cart adds up" file="./spec/cart_spec.rb" time="0.1"><failure message="undefined method `price&apos; for nil" type="NoMethodError">Failure/Error: items.sum(&amp;:price)

NoMethodError:
  undefined method `price' for nil
./lib/cart.rb:5:in `total'
./spec/cart_spec.rb:9:in `block (2 levels) in &lt;top (required)&gt;'</failure></testcase></testsuite>"#;

const PHPUNIT: &str = r#"<testsuites><testsuite name="Unit"><testsuite name="CartTest" file="/app/tests/CartTest.php">
<testcase name="testTotal" file="/app/tests/CartTest.php" line="10" class="CartTest" classname="CartTest"><failure type="PHPUnit\Framework\ExpectationFailedException">CartTest::testTotal
Failed asserting that 3 matches expected 4.

/app/tests/CartTest.php:14</failure></testcase></testsuite></testsuite></testsuites>"#;

const CTEST: &str = r#"<testsuite name="build" tests="1" failures="1"><testcase name="cart" classname="cart" status="fail">
<failure message="Failed"/><system-out>/src/cart_test.cpp:14: Failure
Expected equality of these values
terminate called after throwing an instance of 'std::out_of_range'
</system-out></testcase></testsuite>"#;

#[test]
fn failed_tests_of_every_tool_are_read_with_their_traces() {
    for (report, wanted, frames, error) in [
        (
            PYTEST,
            "tests.test_cart.TestCart.test_total[two] | tests/test_cart.py:7 | AssertionError: assert 3 == 4",
            &["tests/test_cart.py:9"][..],
            "assert 3 == 4",
        ),
        (
            SUREFIRE,
            "org.acme.CartTest.total | :0 | java.lang.NullPointerException: Cannot invoke \"Item.price()\"",
            &["org/acme/Cart.java:21", "org/acme/CartTest.java:12"],
            "NullPointerException",
        ),
        (
            JEST,
            "cart adds up | :0 | TypeError: Cannot read properties of undefined (reading 'price')",
            &["/home/runner/work/shop/shop/src/price.ts:3"],
            "Cannot read properties",
        ),
        (
            GO,
            "acme.com/shop/cart.TestTotal | :0 | got 3, want 4",
            &["cart_test.go:12"],
            "got 3, want 4",
        ),
        (
            RSPEC,
            "spec.cart_spec Cart adds up | ./spec/cart_spec.rb:0 | NoMethodError: undefined method `price' for nil",
            &["lib/cart.rb:5"],
            "undefined method",
        ),
        (
            PHPUNIT,
            "CartTest.testTotal | /app/tests/CartTest.php:10 | CartTest::testTotal",
            &[],
            "CartTest::testTotal",
        ),
        (
            CTEST,
            "cart | :0 | Expected equality of these values",
            &[],
            "Expected equality",
        ),
    ] {
        let failures = read_report(report);
        assert_eq!(summaries(&failures), [wanted]);
        assert_question(&failures, frames, error);
    }
}

#[test]
fn question_about_a_report_names_its_failed_tests() {
    for (name, wanted) in [("sums[1]", "sums"), ("adds up()", "adds up")] {
        let report = format!(
            "<testsuite><testcase classname='shop.CartTest' name='{name}'><failure message='it ran too long'/></testcase></testsuite>"
        );
        let (question, _) = read_report(&report).question(MAX_BYTES);
        let tests = QueryText::parse(&question).failed_tests;
        assert_eq!(tests.len(), 1, "{question}");
        assert_eq!(tests[0].titles, ["CartTest", wanted]);
    }
}

#[test]
fn hostile_reports_are_bounded_and_not_expanded() {
    let laughs = r#"<?xml version="1.0"?><!DOCTYPE t [<!ENTITY a "ha"><!ENTITY b "&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>
<testsuite><testcase name="t&b;"><failure message="&f;">&b;&f;&#65;&amp;</failure></testcase></testsuite>"#;
    let failures = read_report(laughs);
    assert_eq!(failures.kept()[0].trace, "&b;&f;A&");
    assert_eq!(failures.kept()[0].message, "&f;");

    let deep = format!("<testsuite>{}", "<a>".repeat(100_000));
    let error = junit::read(&deep, &mut Failures::default()).unwrap_err();
    assert!(matches!(error, junit::JunitError::TooDeep), "{error}");

    let attributes: String = (0..100_000).map(|n| format!(" a{n}='1'")).collect();
    let wide = format!(
        "<testsuite><testcase name='t'{attributes}><failure>E</failure></testcase></testsuite>"
    );
    assert_eq!(read_report(&wide).total(), 1);

    let long = format!(
        "<testsuite><testcase name='t'><failure>{}</failure></testcase></testsuite>",
        "at a (b.js:1:2)\n".repeat(1_000_000)
    );
    assert!(read_report(&long).kept()[0].trace.len() < 40_000);

    let many: String = (0..5_000)
        .map(|n| {
            format!(
                "<testcase name='t{n}'><failure>{n}\n{}</failure></testcase>",
                "x".repeat(3_000)
            )
        })
        .collect();
    let failures = read_report(&format!("<testsuite>{many}</testsuite>"));
    assert_eq!((failures.total(), failures.kept().len()), (5_000, 100));
    let (question, shown) = failures.question(MAX_BYTES);
    assert!(
        question.len() <= MAX_BYTES && shown > 8 && shown < 100,
        "{shown}"
    );
}

#[test]
fn foreign_files_are_refused_and_truncated_reports_read() {
    let refused = |report: &str| {
        junit::read(report, &mut Failures::default())
            .unwrap_err()
            .to_string()
    };
    assert!(refused("").contains("--log"));
    assert!(refused("<html><body/></html>").contains("--log"));
    assert!(refused("== not xml <").contains("--log"));
    assert!(refused("<testsuite><testcase name='a'></oops>").contains("well-formed"));
    let cut = PYTEST
        .split("<testcase classname=\"tests.test_cart.TestCart\" name=\"test_empty\"")
        .next()
        .unwrap();
    assert_eq!(read_report(&format!("{cut}<testca")).total(), 1);
    assert_eq!(read_report("<testsuite tests='0'/>").total(), 0);
}

#[test]
fn markdown_in_a_trace_stays_inside_its_fence() {
    let report = "<testsuite><testcase name='a`b'><failure message='m'>```\n# Title\n````\nat f (src/a.js:1:2)</failure></testcase></testsuite>";
    let failures = read_report(report);
    let (question, _) = failures.question(MAX_BYTES);
    assert!(
        question.contains("\n`````\n```\n# Title\n````\n"),
        "{question}"
    );
    assert!(question.contains("`a'b` fails"));
}

const GITHUB: &str = "2026-11-23T19:00:00.0000001Z ##[group]Run ./lint.sh\n2026-11-23T19:00:00.1Z Traceback (most recent call last):\n2026-11-23T19:00:00.2Z   File \"lint.py\", line 3, in warn\n2026-11-23T19:00:00.3Z ValueError: only a warning\n2026-11-23T19:00:01.0000001Z ##[group]Run pytest\n2026-11-23T19:00:01.1Z ##[endgroup]\n2026-11-23T19:00:02.1Z collected 2 items\n2026-11-23T19:00:02.2Z =================================== FAILURES ===================================\n2026-11-23T19:00:02.3Z \x1b[31m\x1b[1m_________________________________ test_total __________________________________\x1b[0m\n2026-11-23T19:00:02.4Z \n2026-11-23T19:00:02.5Z     def test_total():\n2026-11-23T19:00:02.6Z >       assert total_price([1, 2]) == 4\n2026-11-23T19:00:02.7Z \n2026-11-23T19:00:02.8Z tests/test_cart.py:9: \n2026-11-23T19:00:02.9Z _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _\n2026-11-23T19:00:03.0Z     def total_price(items):\n2026-11-23T19:00:03.1Z >       return sum(item.price for item in items)\n2026-11-23T19:00:03.2Z E       AttributeError: 'int' object has no attribute 'price'\n2026-11-23T19:00:03.3Z \n2026-11-23T19:00:03.4Z shop/price.py:2: AttributeError\n2026-11-23T19:00:03.5Z =========================== short test summary info ============================\n2026-11-23T19:00:03.6Z ##[error]Process completed with exit code 1.\n2026-11-23T19:00:04.0000001Z ##[group]Run ./upload.sh\n2026-11-23T19:00:04.1Z Traceback (most recent call last):\n2026-11-23T19:00:04.2Z   File \"upload.py\", line 3, in main\n2026-11-23T19:00:04.3Z OSError: no report\n";

#[test]
fn only_the_failed_step_counts() {
    let found = read_log(GITHUB);
    assert_eq!(found.failures.total(), 1, "{:#?}", found.failures);
    let failure = &found.failures.kept()[0];
    assert_eq!(failure.test, "test_total");
    assert!(
        failure.trace.contains(">       assert total_price"),
        "{}",
        failure.trace
    );
    assert_question(
        &found.failures,
        &["shop/price.py:2"],
        "has no attribute 'price'",
    );
}

#[test]
fn script_after_the_failed_one_does_not_hide_its_failure() {
    let found = read_log(
        "section_start:1700000000:step_script\r\x1b[0KExecuting \"step_script\"\n\
         $ pytest\n\
         Traceback (most recent call last):\n  \
           File \"shop/price.py\", line 2, in total\n    return rows.price\n\
         AttributeError: no price\n\
         section_end:1700000001:step_script\r\x1b[0K\n\
         section_start:1700000002:after_script\r\x1b[0KRunning after_script\n\
         $ ./upload_logs\nuploaded\n\
         section_end:1700000003:after_script\r\x1b[0K\n\
         \x1b[31;1mERROR: Job failed: exit code 1\n",
    );
    assert_question(&found.failures, &["shop/price.py:2"], "no price");
}

#[test]
fn message_of_a_cut_trace_is_in_the_question() {
    let middle = "    at org.acme.Cart.run(Cart.java:1)\n".repeat(600);
    let failure = |name: &str| {
        format!(
            "<testcase classname=\"CartTest\" name=\"{name}\"><failure message=\"quokka of {name}\">\
             {middle}java.lang.Error: quokka of {name}\n{middle}</failure></testcase>"
        )
    };
    let report = format!(
        "<testsuite name=\"CartTest\">{}{}{}</testsuite>",
        failure("one"),
        failure("two"),
        failure("three")
    );
    let (question, shown) = read_report(&report).question(MAX_BYTES);
    assert_eq!(shown, 3);
    for name in ["one", "two", "three"] {
        assert!(question.contains(&format!("quokka of {name}")), "{name}");
    }
}

#[test]
fn errors_of_compilers_are_found_among_warnings() {
    let mut text = String::new();
    for n in 1..500 {
        text.push_str(&format!("src/w{n}.c:{n}:5: warning: unused variable 'x' [-Wunused]\n   {n} |   int x;\n      |       ^\n"));
        if n == 250 {
            text.push_str("src/cart.c:12:9: error: 'total' undeclared (first use in this function)\n   12 |   return total;\n      |          ^~~~~\n");
        }
    }
    let found = read_log(&text);
    assert_question(&found.failures, &["src/cart.c:12"], "undeclared");
    let (question, _) = found.failures.question(MAX_BYTES);
    assert!(!question.contains("unused variable"), "{question}");
    let found = read_log(
        "error[E0425]: cannot find value `x` in this scope\n --> src/lib.rs:2:5\n  |\n2 |     x\n  |     ^ not found in this scope\n",
    );
    assert_question(&found.failures, &["src/lib.rs:2"], "cannot find value");
}

#[test]
fn violations_of_linters_are_failures() {
    let found = read_log(
        "ruff check\nshop/cart.py:9:8: F401 [*] `os` imported but unused\nshop/price.py:41:5: F821 undefined name 'rate'\nFound 2 errors.\n",
    );
    let places = ["shop/cart.py:9", "shop/price.py:41"];
    assert_question(&found.failures, &places, "undefined name");
}

#[test]
fn errors_of_type_checkers_are_failures() {
    for log in [
        "shop/cart.py:12: error: Name \"prize\" is not defined  [name-defined]\n\
         Found 1 error in 1 file (checked 9 source files)\n",
        "/ci/shop/cart.py\n  \
         /ci/shop/cart.py:12:5 - error: \"prize\" is not defined (reportUndefinedVariable)\n\
         1 error, 0 warnings, 0 informations\n",
    ] {
        let found = read_log(log);
        assert_eq!(found.failures.total(), 1, "{log}");
        let (question, _) = found.failures.question(MAX_BYTES);
        assert!(question.contains("cart.py:12"), "{question}");
    }
}

#[test]
fn warnings_of_every_label_are_left_out() {
    let error = "/ci/src/Cart.kt:12:9: error: no total\n";
    for warning in [
        "/ci/src/Tax.cs(3,5): warning CA1822: Member 'x' can be static [/ci/Shop.csproj]\n",
        "w: file:///ci/src/Tax.kt:3:5 This declaration needs opt-in\n",
        "[WARNING] /ci/src/Tax.java:[3,5] rate() in Tax has been deprecated\n",
        "  /ci/src/Tax.py:3:5 - warning: Import \"rates\" could not be resolved (reportMissingImports)\n",
    ] {
        let found = read_log(&format!("{warning}{error}{warning}"));
        let (question, _) = found.failures.question(MAX_BYTES);
        assert!(question.contains("no total"), "{question}");
        assert!(!question.contains("Tax"), "{question}");
    }
}

#[test]
fn message_of_a_compiler_is_the_whole_question() {
    let message = "/ci/src/Cart.java:12: error: cannot find symbol";
    let log =
        format!("> Task :shop:compileJava FAILED\n{message}\n    rates.total();\n\nBUILD FAILED\n");
    let (question, _) = read_log(&log).failures.question(MAX_BYTES);
    assert_eq!(
        question,
        format!("\n```\n{message}\n    rates.total();\n```\n")
    );
    // An error that the code raised has its cause in the lines above, too.
    let log = "> Task :shop:test FAILED\nreading the rates\nTypeError: no tax\n    at total (/ci/shop/price.js:3:1)\n";
    let (question, _) = read_log(log).failures.question(MAX_BYTES);
    assert!(question.contains("reading the rates"), "{question}");
    assert!(!question.contains("Task"), "{question}");
}

#[test]
fn what_a_compiler_cannot_find_belongs_to_its_message() {
    let log = "[INFO] Compiling 3 files\n[ERROR] /ci/src/Cart.java:[12,9] cannot find symbol\n\
               [ERROR]   symbol:   method total()\n[ERROR]   location: class acme.Rates\n\
               [INFO] 1 error\n[INFO] BUILD FAILURE\n";
    let (question, _) = read_log(log).failures.question(MAX_BYTES);
    assert!(question.contains("acme.Rates"), "{question}");
    assert!(!question.contains("BUILD"), "{question}");
}

#[test]
fn trace_across_block_boundary_stays_whole() {
    for before in 3_985..4_005 {
        let mut text = "ok\n".repeat(before);
        text.push_str("panic: runtime error: index out of range [3] with length 3\n\ngoroutine 1 [running]:\n");
        text.push_str("main.total(...)\n\t/src/shop/price.go:7 +0x1d\nmain.main()\n\t/src/shop/main.go:4 +0x1d\nexit status 2\n");
        text.push_str(&"ok\n".repeat(5_000));
        let found = read_log(&text);
        assert_eq!(found.failures.total(), 1, "{before}");
        assert_question(
            &found.failures,
            &["/src/shop/price.go:7", "/src/shop/main.go:4"],
            "index out of range",
        );
    }
}

/// Prefixes that runners and other programs write before each line.
const PREFIXES: [&str; 8] = [
    "2024-05-01T12:00:00.1234567Z ",
    "service_1  | ",
    "web-1 | 2024-05-01T12:00:00Z ",
    "[gw0] ",
    "E   ",
    "[12:00:01] ",
    "[build] ",
    "May  1 12:00:00 host app[12]: ",
];

#[test]
fn traces_are_found_behind_line_prefixes() {
    let python = "Traceback (most recent call last):\n  File \"/ci/shop/price.py\", line 3, in total_price\n    tax()\nValueError: no tax\n";
    let javascript = "starting\nTypeError: no tax\n    at total (/ci/shop/price.js:3:1)\n    at main (/ci/shop/main.js:3:1)\n";
    for prefix in PREFIXES {
        let prefixed = |text: &str| -> String {
            let lines = text.lines().map(|line| format!("{prefix}{line}\n"));
            lines.collect()
        };
        let found = read_log(&format!("{}ok\n", prefixed(python)));
        assert_eq!(found.failures.total(), 1, "{prefix}");
        assert_question(&found.failures, &["/ci/shop/price.py:3"], "no tax");
        let found = read_log(&prefixed(&format!("{javascript}{}", "ok\n".repeat(20))));
        assert_question(&found.failures, &["/ci/shop/price.js:3"], "no tax");
    }
}

#[test]
fn unrecognised_log_yields_its_last_lines() {
    let found = read_log(&format!(
        "{}the widget was not\nwelded\n",
        "noise\n".repeat(10_000)
    ));
    assert_eq!(found.failures.total(), 0);
    assert!(found.tail.ends_with("the widget was not\nwelded"));
    assert_eq!(found.tail.lines().count(), 60);
    assert_eq!(read_log("").tail, "");
}

#[test]
fn log_that_ends_in_success_is_told_from_one_that_does_not() {
    for success in [
        "===== 3 passed in 0.01s =====",
        "Ran 3 tests in 0.1s\n\nOK",
        "test result: ok. 3 passed; 0 failed; 0 ignored",
        "ok  \tgithub.com/acme/cart\t0.01s\nok  \tgithub.com/acme/shop\t(cached)",
        "[INFO] Tests run: 3, Failures: 0, Errors: 0\n[INFO] BUILD SUCCESS",
        "Tests:       3 passed, 3 total",
        "  3 passing (10ms)",
        "3 examples, 0 failures",
        "OK (3 tests, 4 assertions)",
    ] {
        assert!(read_log(success).has_succeeded, "{success}");
    }
    for other in [
        "the widget was not welded",
        "3 passing\n1 failing",
        "===== 2 failed, 3 passed in 0.01s =====",
        "BUILD SUCCESSFUL\nerror: the widget was not welded",
        "##[group]Run test\n3 passing\n##[error]Process completed with exit code 1.",
    ] {
        assert!(!read_log(other).has_succeeded, "{other}");
    }
}

#[test]
fn numbered_heading_names_the_failed_test() {
    let log = "\
Failures:

  1) Shop::Cart adds an item
     Failure/Error: raise 'no tax'

     RuntimeError:
       no tax
     # ./lib/shop/cart.rb:5:in 'Shop::Cart#add'
     # ./spec/shop/cart_spec.rb:8:in 'block (2 levels) in <top (required)>'

1 example, 1 failure
";
    let failures = read_log(log).failures;
    assert_eq!(
        summaries(&failures),
        ["Shop::Cart adds an item | :0 | RuntimeError:"]
    );
}

#[test]
fn long_lines_and_traces_are_bounded() {
    let mut text = vec![b'x'; 10 << 20];
    text.extend_from_slice(b"\n\xff\xfe\x00\nE   ValueError: x\nTraceback (most recent call last):\n  File \"a.py\", line 3, in f\nValueError: x\n");
    let found = log::read(&text[..]).unwrap();
    assert_question(&found.failures, &["a.py:3"], "ValueError");
    // One endless trace.
    let endless = format!(
        "Traceback (most recent call last):\n{}",
        "  File \"a.py\", line 3, in f\n    f()\n".repeat(30_000)
    );
    let found = read_log(&endless);
    assert!(found.failures.kept().iter().all(|f| f.trace.len() < 40_000));
    assert!(found.failures.total() >= 1);
}

#[test]
fn error_of_a_suite_outside_its_tests_is_read() {
    let report = r#"<testsuites><testsuite name="shop.CartTest" file="shop/cart_test.py" tests="0" errors="1">
<error message="no database" type="ConnectionError">Traceback (most recent call last):
  File "shop/db.py", line 12, in connect
ConnectionError: no database</error><error message="second"/>
<testcase name="test_total"/></testsuite></testsuites>"#;
    let failures = read_report(report);
    assert_eq!(
        summaries(&failures),
        [
            "shop.CartTest | shop/cart_test.py:0 | ConnectionError: no database",
            "shop.CartTest | shop/cart_test.py:0 | second"
        ]
    );
    assert_question(&failures, &["shop/db.py:12"], "no database");
}

#[test]
fn test_after_a_nested_suite_is_in_the_file_of_its_own_suite() {
    let report = r#"<testsuite name="Cart" file="shop/cart_test.py">
<testsuite name="Tax" file="shop/tax_test.py"><testcase name="test_tax"/></testsuite>
<testcase name="test_total"><failure message="3 != 4"/></testcase></testsuite>"#;
    assert_eq!(
        summaries(&read_report(report)),
        ["test_total | shop/cart_test.py:0 | 3 != 4"]
    );
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..2_000), max in 0usize..5_000) {
        let found = log::read(&bytes[..]).unwrap();
        let (question, _) = found.failures.question(max);
        proptest::prop_assert!(question.len() <= max.max(1_000));
        let _ = junit::read(&String::from_utf8_lossy(&bytes), &mut Failures::default());
    }
}

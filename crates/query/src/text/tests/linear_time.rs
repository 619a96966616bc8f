//! Tests that queries are parsed in linear time.

use std::time::Duration;

use super::*;
use crate::processor_time::processor_time;

#[test]
fn hostile_texts_take_linear_time() {
    let pieces = [
        "`",
        "``a`",
        "```\n",
        "<!--",
        "<details>\n",
        "</details>\n",
        "**",
        "[a](",
        "- [ ] ",
        "at (",
        "File \"",
        "a.b::c#d",
        "\u{200b}",
        "Traceback (most recent call last):\n",
        "é\r",
        "{{{",
        ">>> ",
        "from a import (",
        "https://",
        "____",
        "((((",
        "a ",
        "#0 ",
        "1 ",
        "> ",
        ">>",
        "- ",
        "- a\n",
        " - a\n  ",
        "1. ",
        "[",
        "![",
        "[a][",
        "[a]: b\n",
        "|a",
        "|-|\n",
        "*_",
        "~~",
        "&a",
        "<a ",
        "<a>\n",
        "\n    a",
        "a\n===\n",
        "'a \"",
        "/a/",
        "--a.py::b",
        "A_1",
        "a@b.js:1:2\n",
        "a@",
        "at <A a=b >\n",
        "node_modules/",
        "b.js:1:2 at a\n",
        "site-packages/a-1",
        "a.prototype",
        ".prototype",
        "a.c:1:2: error: x\n",
        "\\_",
        "A\\B",
        "a.py:b",
        "web | Error: x\n",
        "<pre>a\n",
        "{code}a\n",
        "\"a.py\":1",
        "level=error a=\"",
        "level=error err=a b ",
        "level=error err=a b\n",
        "{\"level\":",
        "error 'a b c ",
        "error `a b c` ",
        "ERROR a b c\n",
        "[a] - a.b - ",
        "12:00:00 a\n",
        "file=a.py:1 ",
        "--\na\n",
        "- [ ] I have\n  a\n",
        "$abc ",
        "a: eof\n",
        "the error is:\n\na b c\n\n",
        "at a.b(a) in\n",
        "_ZN1aE ",
        "[1.2]",
        "$ a.py\n",
    ];
    for piece in pieces {
        check_time(&piece.repeat(100_000 / piece.len()));
    }
    check_time(&pieces.concat().repeat(200));
    // Comments that begin where code is quoted, and the end of one.
    check_time(&format!("`{}\n-->", "<!--".repeat(25_000)));
}

/// Asserts that a query of some 100 kB is parsed in linear time, which takes the thread a second or two without
/// optimisation. Quadratic work takes a minute. Time in which the machine does other work does not count.
#[track_caller]
fn check_time(query: &str) {
    let before = processor_time();
    let text = parse(query);
    assert!(text.segments.len() <= query.len());
    let beginning: String = query.chars().take(30).collect();
    let spent = processor_time().saturating_sub(before);
    assert!(
        spent < Duration::from_secs(10),
        "{spent:?} for {beginning:?}"
    );
}

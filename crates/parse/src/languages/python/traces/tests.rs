//! Tests the frames and headers read from Python traces, the innermost frame last.

use super::is_header;
use crate::traces::check;

#[test]
fn header_stands_alone_or_after_the_prefix_of_a_log() {
    const HEADER: &str = "Traceback (most recent call last)";
    for prefix in [
        "",
        "E   ",
        "KeyError        ",
        "+ Exception Group ",
        "2024-01-01 ERROR ",
        "2024-01-01 12:13:14,123 error in worker: ",
        "May  1 12:00:00 host app[12]: ",
        "[pid 7] [ERROR] ",
        "remote: ",
        "web_1  | ",
        "\"",
    ] {
        assert!(is_header(&format!("{prefix}{HEADER}:")), "{prefix}");
    }
    assert!(is_header(&format!("\"{HEADER}:\",")));
    for sentence in [
        "When I call set_alpha I get Traceback (most recent call last): KeyError",
        "When I call set_alpha I get Traceback (most recent call last):",
        "Ctrl-C in Client.connect prints \"Traceback (most recent call last)\"",
        "Client.connect: \"Traceback (most recent call last)\"",
        "Client.connect prints Traceback (most recent call last)",
        "调用 set_alpha Traceback (most recent call last):",
    ] {
        assert!(!is_header(sentence), "{sentence}");
    }
}

#[test]
fn pytest_entries_without_a_function_are_frames() {
    check(&[
        (
            "    def test_open():\n>       open_it()\n\ntests/test_basic.py:120: \n_ _ _ _ _ _ _ _ _ _\nsrc/flask/testing.py:240: in open\n    response = super().open()\n_ _ _ _ _ _ _ _ _ _\n\nself = <SessionInterface>\n\n    def open_session(self):\n>       raise ValueError(\"no key\")\nE       ValueError: no key\n\nsrc/flask/sessions.py:325: ValueError",
            "tests/test_basic.py:120 | src/flask/testing.py:240 open | src/flask/sessions.py:325 | ! ValueError: no key",
        ),
        // Without the rule.
        (
            "tests/test_basic.py:120: \nsrc/flask/testing.py:240: in open\n    response = super().open()\nE   ValueError: no key",
            "tests/test_basic.py:120 | src/flask/testing.py:240 open | ! ValueError: no key",
        ),
        // Outside of a report, it is a place that somebody names.
        ("tests/test_basic.py:120: \nassert total == 3", ""),
        ("tests/test_basic.py:120:", ""),
    ]);
}

#[test]
fn exception_groups_are_read() {
    check(&[
        (
            "  + Exception Group Traceback (most recent call last):\n  |   File \"/w/app.py\", line 1000, in full_dispatch_request\n  |     rv = self.dispatch_request()\n  | ExceptionGroup: unhandled errors (2 sub-exceptions)\n  +-+---------------- 1 ----------------\n    | Traceback (most recent call last):\n    |   File \"/w/cart.py\", line 12, in total\n    |     raise ValueError(\"no price\")\n    | ValueError: no price\n    +---------------- 2 ----------------\n    | Traceback (most recent call last):\n    |   File \"/w/tax.py\", line 3, in rate\n    | KeyError: 'vat'\n    +------------------------------------",
            "/w/app.py:1000 full_dispatch_request | /w/cart.py:12 total | /w/tax.py:3 rate | ! ExceptionGroup: unhandled errors (2 sub-exceptions) | ! ValueError: no price | ! KeyError: 'vat'",
        ),
        // A table.
        (
            "+-------+------+\n| Error | Text |\n+-------+------+\n| ValueError: no price | here |",
            "",
        ),
    ]);
}

#[test]
fn stacks_of_faulthandler_are_innermost_first() {
    check(&[
        (
            "Fatal Python error: Segmentation fault\n\nCurrent thread 0x00007f (most recent call first):\n  File \"/w/sessions.py\", line 325 in open_session\n  File \"/w/app.py\", line 12 in <module>",
            "/w/app.py:12 | /w/sessions.py:325 open_session",
        ),
        // Other threads are not the cause, above and below the one that failed.
        (
            "Thread 0x00007e (most recent call first):\n  File \"/w/pool.py\", line 5 in wait\n\nCurrent thread 0x00007f (most recent call first):\n  File \"/w/sessions.py\", line 325 in open_session\n\nThread 0x00007d (most recent call first):\n  File \"/w/queue.py\", line 7 in get",
            "/w/queue.py:7 get | /w/pool.py:5 wait | /w/sessions.py:325 open_session",
        ),
        ("  File \"a.py\", line 3 in the middle of it", "a.py:3"),
    ]);
}

#[test]
fn boxes_of_rich_are_read() {
    check(&[(
        "╭───── Traceback (most recent call last) ─────╮\n│ /w/app.py:12 in main                        │\n│                                             │\n│   11 │   cart = Cart()                      │\n│ ❱ 12 │   total(cart)                        │\n│                                             │\n│ /w/cart.py:325 in total                     │\n╰─────────────────────────────────────────────╯\nValueError: no price",
        "/w/app.py:12 main | /w/cart.py:325 total | ! ValueError: no price",
    )]);
}

#[test]
fn numbered_entries_of_crashtest_are_read() {
    check(&[
        (
            "Stack trace:\n\n  2  ~/venv/shop/cart.py:12 in total\n      10│ \n      11│     try:\n    → 12│         rate(item)\n\n  1  ~/venv/shop/tax.py:3 in rate\n    → 3│     raise KeyError('vat')\n\n  KeyError\n\n  'vat'\n\n  at ~/venv/shop/rates.py:7 in find\n      6│ \n    → 7│     return self.rates[name]",
            "~/venv/shop/cart.py:12 total | ~/venv/shop/tax.py:3 rate | ~/venv/shop/rates.py:7 find | ! KeyError",
        ),
        // Sentences and lists.
        ("at shop/cart.py:12 in the middle of it", ""),
        ("2  items in shop/cart.py:12 in total", ""),
        ("1. shop/cart.py:12 in total", ""),
    ]);
}

#[test]
fn stacks_of_py_spy_are_innermost_first() {
    check(&[
        (
            "Thread 7 (idle): \"MainThread\"\n    wait (threading.py:359)\n    exit (shop/monitor.py:47)\n    <module> (run.py:3)\nThread 8 (active+gil): \"Thread-1\"\n    acquire (shop/lock.py:103)",
            "shop/lock.py:103 acquire | run.py:3 | shop/monitor.py:47 exit | threading.py:359 wait",
        ),
        // Sentences.
        ("the method exit (shop/monitor.py:47)", ""),
        ("see exit (shop/monitor.py:47) for that", ""),
    ]);
}

#[test]
fn messages_of_type_checkers_are_read() {
    check(&[
        (
            "shop/cart.py:12: error: \"Item\" has no attribute \"prize\"  [attr-defined]\nshop/cart.py:12: note: See the documentation\nshop/tax.pyi:3:5: error: Missing return\nFound 2 errors in 2 files (checked 9 source files)",
            "shop/tax.pyi:3:5 | shop/cart.py:12 | ! \"Item\" has no attribute \"prize\" | ! Missing return",
        ),
        (
            "  /ci/cart.py:12:5 - error: \"prize\" is not defined (reportUndefinedVariable)\n  /ci/cart.py:14:9 - information: Type is \"int\"\n  /ci/cart.py:20:9 - error: \"pay\" is unknown (reportUnknownMemberType)",
            "/ci/cart.py:20:9 | /ci/cart.py:12:5 | ! \"prize\" is not defined | ! \"pay\" is unknown",
        ),
        ("the file cart.py:12 has an error: none", ""),
        ("cart.py:12:5 - the error is here", ""),
        ("cart.py:12: errors are ignored here", ""),
    ]);
}

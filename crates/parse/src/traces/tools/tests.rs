//! Tests places in reports of tools; the first message comes last.

use crate::traces::check;

#[test]
fn problems_below_the_path_of_their_file_are_read() {
    check(&[
        (
            "/ci/shop/src/cart.ts\n  13:9  error  Unexpected constant condition  no-constant-condition\n  24:5  warning  Unsafe return  no-unsafe-return\n\n/ci/shop/src/effect.ts\n  7:3  error  'x' is never used  no-unused-vars\n\n✖ 3 problems (2 errors, 1 warning)",
            "/ci/shop/src/effect.ts:7:3 | /ci/shop/src/cart.ts:24:5 | /ci/shop/src/cart.ts:13:9 | ! Unexpected constant condition | ! Unsafe return | ! 'x' is never used",
        ),
        (
            "src/a.css\n  12:5  ✖  Unexpected unit  unit-allowed-list",
            "src/a.css:12:5 | ! Unexpected unit",
        ),
        // Times and notes below a path are no problems.
        ("src/cart.ts\n  12:30  we meet", ""),
        ("src/cart.ts\n12:30  error  not indented", ""),
        ("cart and price\n  12:30  error  no path", ""),
    ]);
}

#[test]
fn tables_of_problems_are_read() {
    let wanted = "src/Cart.php:201 | src/Cart.php:172 | ! Parameter #1 $name of method Cart::add() expects string, string|null given. | ! Method Cart::sum() should return int.";
    let rows = "  172    Parameter #1 $name of method Cart::add()\n         expects string, string|null given.\n         🪪  argument.type\n  201    Method Cart::sum() should return int.";
    let fenced = format!(
        " ------ -----\n  Line   src/Cart.php\n ------ -----\n{rows}\n ------ -----\n\n [ERROR] Found 2 errors"
    );
    let plain = format!("  Line   src/Cart.php\n{rows}\n\nIt is red.");
    check(&[
        (fenced.as_str(), wanted),
        (plain.as_str(), wanted),
        ("  Line   src/Cart.php\n  is long", ""),
        ("  Line   of the cart\n  172    Sums", ""),
    ]);
}

#[test]
fn messages_of_bundlers_and_formatters_are_read() {
    check(&[
        (
            "ERROR in ./src/cart.ts 53:0-44\nModule not found: Error: Can't resolve './rate'",
            "src/cart.ts:53 | ! Module not found: Error: Can't resolve './rate'",
        ),
        (
            "[tsl] ERROR in /ci/src/cart.ts(11,31)\n      TS2339: Property 'x' does not exist.",
            "/ci/src/cart.ts:11:31 | ! TS2339: Property 'x' does not exist.",
        ),
        (
            "ERROR in src/cart.ts:11:38\nTS2554: Expected 0 arguments, but got 1.",
            "src/cart.ts:11:38 | ! TS2554: Expected 0 arguments, but got 1.",
        ),
        (
            "SyntaxError: /ci/src/cart.ts: Unexpected token, expected \",\" (24:5)",
            "/ci/src/cart.ts:24:5 | ! SyntaxError: Unexpected token, expected \",\"",
        ),
        (
            "[error] src/cart.ts: SyntaxError: ';' expected. (16:59)",
            "src/cart.ts:16:59 | ! SyntaxError: ';' expected.",
        ),
        (
            "src/cart.ts (13:9)\nExpected identifier but found \"if\"",
            "src/cart.ts:13:9 | ! Expected identifier but found \"if\"",
        ),
        (
            "ERROR: UndefinedMethod - src/Cart.php:45:16 - Method Cart::sum does not exist",
            "src/Cart.php:45:16 | ! Method Cart::sum does not exist",
        ),
        ("ERROR: the cart - src/Cart.php:45:16 - is late", ""),
        ("ERROR in the cart at 12:30", ""),
        ("we meet for src/cart.ts: at noon (12:30)", ""),
        ("see src/cart.ts (13:9)", ""),
    ]);
}

#[test]
fn places_below_messages_are_read() {
    check(&[
        (
            "F401 [*] `os` imported but unused\n --> shop/cart.py:9:8\n  |\n7 | import io\n9 | import os\n  |        ^^\nhelp: Remove unused import: `os`",
            "shop/cart.py:9:8 | ! `os` imported but unused",
        ),
        (
            "error[unresolved-import]: Cannot resolve imported module `rates`\n --> shop/cart.py:3:8",
            "shop/cart.py:3:8 | ! Cannot resolve imported module `rates`",
        ),
        ("PEP8 is the style\nof shop/cart.py:9:8", ""),
        ("--> shop/cart.py:9:8", ""),
    ]);
}

#[test]
fn violations_behind_their_places_are_read() {
    check(&[
        (
            "shop/cart.py:9:8: F401 [*] `os` imported but unused\nshop/price.py:41:5: E1101: Module 'shop' has no 'rate' member (no-member)\nFound 2 errors.",
            "shop/price.py:41:5 | shop/cart.py:9:8 | ! `os` imported but unused | ! Module 'shop' has no 'rate' member (no-member)",
        ),
        (
            "C:\\ci\\shop\\cart.py:9:80: E501 line too long (92 > 79 characters)",
            "C:/ci/shop/cart.py:9:80 | ! line too long (92 > 79 characters)",
        ),
        // A remark about a line, a word of a sentence, a time, and a code without a message.
        ("shop/cart.py:9: PEP8 asks for two lines", ""),
        ("shop/cart.py:9:8: Cart is unused", ""),
        ("on 9:30:15: F401 is disabled", ""),
        ("shop/cart.py:9:8: F401", ""),
        (
            "shop/cart.py:9:8: C: Style/Quotes: Prefer single quotes",
            "",
        ),
    ]);
}

#[test]
fn annotations_are_read() {
    check(&[
        (
            "::error file=src/cart.ts,line=12,col=5::Unexpected any",
            "src/cart.ts:12:5 | ! Unexpected any",
        ),
        (
            "::warning title=Lint,file=src/cart.py,line=12,endLine=13::unused import",
            "src/cart.py:12 | ! unused import",
        ),
        (
            "Error: file=src/cart.ts,line=12,col=9::Unexpected any",
            "src/cart.ts:12:9 | ! Unexpected any",
        ),
        ("call it with file=a.ts,line=3", ""),
        ("std::vector<int> file=a", ""),
    ]);
}

#[test]
fn places_in_tap_are_read() {
    check(&[
        (
            "  at:\n    line: 4\n    column: 40\n    file: test/tap.js\n    function: Test.<anonymous>\n",
            "test/tap.js:4:40",
        ),
        ("  at: {line: 3, file: 'test/tap.js'}", "test/tap.js:3"),
        (
            "  at: Test.run (test/tap.js:4:40)",
            "test/tap.js:4:40 Test.run",
        ),
        // The keys of other YAML.
        ("at:\n  time: 12\n  place: here", ""),
        ("at: noon", ""),
    ]);
}

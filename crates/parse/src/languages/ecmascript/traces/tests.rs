//! Tests traces of JavaScript and messages of the TypeScript compiler; the innermost frame comes last.

use crate::traces::{Piece, check, pieces};

#[test]
fn error_that_caused_another_is_innermost() {
    check(&[(
        "Error: outer\n    at render (src/render.js:40:5) {\n  [cause]: TypeError: inner\n      at diff (src/diff/index.js:70:12)\n}",
        "src/render.js:40:5 render | src/diff/index.js:70:12 diff | ! Error: outer | ! TypeError: inner",
    )]);
}

#[test]
fn places_in_sources_are_read_before_those_in_bundles() {
    check(&[
        (
            "    at diff (webpack://preact/src/diff/index.js:70:12 <- test/browser/render.test.jsx:1234:5)",
            "src/diff/index.js:70:12 diff",
        ),
        (
            "    at webpack://preact/src/diff/index.js:70:12 <- test/browser/render.test.jsx:1234:5",
            "src/diff/index.js:70:12",
        ),
        (
            "diff@webpack://preact/src/diff/index.js:70:12 <- test/browser/render.test.jsx:1234:5",
            "src/diff/index.js:70:12 diff",
        ),
    ]);
}

#[test]
fn compiler_messages_are_read() {
    check(&[
        (
            "src/index.d.ts:120:5 - error TS2322: Type 'string' is not assignable to type 'number'.",
            "src/index.d.ts:120:5 | ! TS2322: Type 'string' is not assignable to type 'number'.",
        ),
        (
            "a.ts(45,3): error TS2304: Cannot find name 'x'.",
            "a.ts:45:3 | ! TS2304: Cannot find name 'x'.",
        ),
        (
            "src/a.tsx(1,2): error TS2345: Argument of type '() => void' is not assignable.\nsrc/b.ts(3,4): error TS2304: Cannot find name 'x'.",
            "src/b.ts:3:4 | src/a.tsx:1:2 | ! TS2345: Argument of type '() => void' is not assignable. | ! TS2304: Cannot find name 'x'.",
        ),
        // Sentences are not messages.
        ("src/a.ts:1:2 - the error is here", ""),
        ("a.ts(45,3): the error is here", ""),
    ]);
}

#[test]
fn places_above_errors_that_node_prints_are_read() {
    check(&[
        (
            "/app/lib/cart.js:83\n    return total || price;\n           ^\n\nReferenceError: total is not defined\n    at sum (/app/lib/cart.js:83:12)\n    at main (/app/index.js:3:1)",
            "/app/index.js:3:1 main | /app/lib/cart.js:83:12 sum | ! ReferenceError: total is not defined",
        ),
        // The frames of a syntax error are those of Node.
        (
            "file:///app/lib/cart.mjs:83\nlet a ?= 1;\n      ^^\n\nSyntaxError: Unexpected token '?='\n    at wrapSafe (node:internal/vm:3:1)",
            "node:internal/vm:3:1 wrapSafe | /app/lib/cart.mjs:83 | ! SyntaxError: Unexpected token '?='",
        ),
        (
            "node:events:491\n      throw er; // Unhandled 'error' event\n      ^\n\nError: write EPIPE\n    at sum (/app/lib/cart.js:83:12)",
            "/app/lib/cart.js:83:12 sum | ! Error: write EPIPE",
        ),
        // A sentence, and a place without a caret.
        ("See /app/lib/cart.js:83\nreturn total;\n^", ""),
        ("/app/lib/cart.js:83\nreturn total;\nand so on", ""),
    ]);
}

#[test]
fn source_that_node_prints_is_kept_apart_from_names() {
    let own = "/app/lib/cart.js:83\n    return total || price;\n           ^\nReferenceError: total is not defined";
    let of_node =
        "events.js:160\n      throw er; // Unhandled 'error' event\n      ^\nError: write EPIPE";
    let cases = [(own, vec!["return total || price;"]), (of_node, Vec::new())];
    for (text, wanted) in cases {
        let lines: Vec<&str> = text.lines().collect();
        let found = pieces(&lines);
        let [Piece::Trace(trace)] = found.as_slice() else {
            panic!("{found:?}");
        };
        assert_eq!(trace.source, wanted, "{text}");
        assert_eq!(trace.lines, 0..lines.len(), "{text}");
    }
}

#[test]
fn files_that_required_a_missing_module_are_frames() {
    let error = "Error: Cannot find module './till'";
    let text = format!(
        "{error}\nRequire stack:\n- /app/lib/cart.js\n- /app/lib/shop.js\n- /app/index.js\n- <repl>\n    at load (node:internal/loader:3:1)"
    );
    let wanted = format!(
        "node:internal/loader:3:1 load | /app/index.js:0 | /app/lib/shop.js:0 | /app/lib/cart.js:0 | ! {error}"
    );
    check(&[
        (text.as_str(), wanted.as_str()),
        (
            "Require stack:\n  lib/cart.js\n  test/cart.test.js",
            "test/cart.test.js:0 | lib/cart.js:0",
        ),
        ("Require stack:\nnothing is there", ""),
    ]);
}

#[test]
fn stack_of_an_emitted_event_is_farther_from_the_cause() {
    check(&[(
        "Error: write EPIPE\n    at send (/app/lib/cart.js:83:12)\nEmitted 'error' event on Socket instance at:\n    at emit (/app/lib/shop.js:8:3)",
        "/app/lib/shop.js:8:3 emit | /app/lib/cart.js:83:12 send | ! Error: write EPIPE",
    )]);
}

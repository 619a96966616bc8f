//! Tests traces of JavaScript and messages of the TypeScript compiler; the innermost frame comes last.

use crate::traces::check;

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

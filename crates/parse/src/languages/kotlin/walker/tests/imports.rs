//! Tests the collected imports and the messages of errors and logs.

use super::{check_imports, check_messages};

#[test]
fn all_import_forms_are_collected() {
    check_imports("import a.b.C", "From a.b: C");
    check_imports("import a.b.C as D", "From a.b: C as D");
    check_imports("import a.b.*", "From a.b: * as");
    check_imports("import a.b.C.*", "From a.b.C: * as");
    check_imports("import a.b.C.Companion.d", "From a.b.C: d");
    check_imports("import C", "From : C");
    check_imports("import a.`in`.b", "From a.in: b");
    check_imports(
        "package x
import a.B
import c.d;
class E",
        "From a: B
            From c: d",
    );
    check_imports(
        "@file:A
package x.y

import a.b.c as d",
        "From a.b: c as d",
    );
}

#[test]
fn error_and_log_messages_are_collected() {
    check_messages(
        r#"fun f() { throw IllegalStateException("no file") }"#,
        "Error: no file",
    );
    check_messages(
        r#"fun f() { throw Oops("no $x", g("in")) }"#,
        "Error: no $x
            Error: in",
    );
    check_messages(
        r#"fun f() { require(x > 0) { "x <= 0: $x" }; check(ok) { "not ok" }; error("broken") }"#,
        "Error: x <= 0: $x
            Error: not ok
            Error: broken",
    );
    check_messages(
        r#"fun f() { logger.warn("careful"); log.debug { "x=$x" }; Log.d(TAG, "debugged"); println("hello") }"#,
        "Log: careful
            Log: x=$x
            Log: debugged
            Log: hello",
    );
    check_messages(
        r#"fun f() { requireNotNull(x) { "no x" }; val y = z ?: throw NoSuchElementException("none") }"#,
        "Error: no x
            Error: none",
    );
}

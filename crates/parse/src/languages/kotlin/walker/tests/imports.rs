//! Imports, and texts of errors and logs.

use super::{says, takes};

#[test]
fn imports_of_all_forms() {
    takes("import a.b.C", "From a.b: C");
    takes("import a.b.C as D", "From a.b: C as D");
    takes("import a.b.*", "From a.b: * as");
    takes("import a.b.C.*", "From a.b.C: * as");
    takes("import a.b.C.Companion.d", "From a.b.C: d");
    takes("import C", "From : C");
    takes("import a.`in`.b", "From a.in: b");
    takes(
        "package x
import a.B
import c.d;
class E",
        "From a: B
            From c: d",
    );
    takes(
        "@file:A
package x.y

import a.b.c as d",
        "From a.b: c as d",
    );
}

#[test]
fn texts() {
    says(
        r#"fun f() { throw IllegalStateException("no file") }"#,
        "Error: no file",
    );
    says(
        r#"fun f() { throw Oops("no $x", g("in")) }"#,
        "Error: no $x
            Error: in",
    );
    says(
        r#"fun f() { require(x > 0) { "x <= 0: $x" }; check(ok) { "not ok" }; error("broken") }"#,
        "Error: x <= 0: $x
            Error: not ok
            Error: broken",
    );
    says(
        r#"fun f() { logger.warn("careful"); log.debug { "x=$x" }; Log.d(TAG, "debugged"); println("hello") }"#,
        "Log: careful
            Log: x=$x
            Log: debugged
            Log: hello",
    );
    says(
        r#"fun f() { requireNotNull(x) { "no x" }; val y = z ?: throw NoSuchElementException("none") }"#,
        "Error: no x
            Error: none",
    );
}

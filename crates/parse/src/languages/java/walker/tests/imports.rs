//! Tests imports, and messages of errors and logs.

use super::{check_imports, check_messages};

#[test]
fn all_forms_of_imports_are_found() {
    check_imports("import a.b.C;", "From a.b: C");
    check_imports("import a.b.C.D;", "From a.b.C: D");
    check_imports("import a.*;", "From a: * as");
    check_imports("import a.b.*;", "From a.b: * as");
    check_imports("import static a.B.c;", "From a.B: c");
    check_imports("import static a.b.C.D.e;", "From a.b.C.D: e");
    check_imports("import static a.B.*;", "From a.B: * as");
    check_imports("import C;", "From : C");
    check_imports(
        "import a .
  b.C ;", "From a.b: C",
    );
    check_imports(
        "package x; import a.B; import a.C; class D {}",
        "From a: B
            From a: C",
    );
}

#[test]
fn error_and_log_messages_are_found() {
    check_messages(
        r#"class A { void f() { throw new IllegalStateException("no file"); } }"#,
        "Error: no file",
    );
    check_messages(
        r#"class A { void f() { throw new Oops(String.format("no %s", x), g("in")); } }"#,
        "Error: no %s
            Error: in",
    );
    check_messages(
        r#"class A { void f() { log.info("started"); LOG.error("failed {}", x); logger.warning("careful"); LOGGER.log(Level.INFO, "x"); } }"#,
        "Log: started
            Log: failed {}
            Log: careful
            Log: x",
    );
    check_messages(
        r#"class A { void f() { Objects.requireNonNull(x, "x == null"); checkArgument(x > 0, "x <= 0"); Preconditions.checkState(ok, "not ok"); list.check("no"); } }"#,
        "Error: x == null
            Error: x <= 0
            Error: not ok",
    );
    check_messages(
        r#"class A { void f() { System.out.println("hello"); Log.d(TAG, "debugged"); fail("unreachable"); } }"#,
        "Log: hello
            Log: debugged
            Error: unreachable",
    );
    check_messages(
        r#"class A { void f() { x.orElseThrow(() -> new NoSuchElementException("none")); } }"#,
        "Error: none",
    );
}

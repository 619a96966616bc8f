//! Imports, and texts of errors and logs.

use super::{says, takes};

#[test]
fn imports_of_all_forms() {
    takes("import a.b.C;", "From a.b: C");
    takes("import a.b.C.D;", "From a.b.C: D");
    takes("import a.*;", "From a: * as");
    takes("import a.b.*;", "From a.b: * as");
    takes("import static a.B.c;", "From a.B: c");
    takes("import static a.b.C.D.e;", "From a.b.C.D: e");
    takes("import static a.B.*;", "From a.B: * as");
    takes("import C;", "From : C");
    takes(
        "import a .
  b.C ;",
        "From a.b: C",
    );
    takes(
        "package x; import a.B; import a.C; class D {}",
        "From a: B
            From a: C",
    );
}

#[test]
fn texts() {
    says(
        r#"class A { void f() { throw new IllegalStateException("no file"); } }"#,
        "Error: no file",
    );
    says(
        r#"class A { void f() { throw new Oops(String.format("no %s", x), g("in")); } }"#,
        "Error: no %s
            Error: in",
    );
    says(
        r#"class A { void f() { log.info("started"); LOG.error("failed {}", x); logger.warning("careful"); LOGGER.log(Level.INFO, "x"); } }"#,
        "Log: started
            Log: failed {}
            Log: careful
            Log: x",
    );
    says(
        r#"class A { void f() { Objects.requireNonNull(x, "x == null"); checkArgument(x > 0, "x <= 0"); Preconditions.checkState(ok, "not ok"); list.check("no"); } }"#,
        "Error: x == null
            Error: x <= 0
            Error: not ok",
    );
    says(
        r#"class A { void f() { System.out.println("hello"); Log.d(TAG, "debugged"); fail("unreachable"); } }"#,
        "Log: hello
            Log: debugged
            Error: unreachable",
    );
    says(
        r#"class A { void f() { x.orElseThrow(() -> new NoSuchElementException("none")); } }"#,
        "Error: none",
    );
}

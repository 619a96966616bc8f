use crate::testing::{c, cpp, definitions, same};

#[track_caller]
fn c_defines(source: &str, expected: &str) {
    same(&definitions(c(), source), expected, source);
}

#[track_caller]
fn cpp_defines(source: &str, expected: &str) {
    same(&definitions(cpp(), source), expected, source);
}

#[test]
fn functions() {
    c_defines(
        "static int f(int a) { return a; }",
        "function f private: static int f(int a)",
    );
    cpp_defines(
        "void a::B<int>::f() {}",
        "method a.B.f out-of-line: void a::B<int>::f()",
    );
}

//! Tests that a variable does not hide the function or macro of its name that makes its value.

use super::receivers::check;

const RUST: &str = "
    //- src/lib.rs
    struct Pool;
    impl Pool { fn close(&self) {} }
    struct Other;
    impl Other { fn close(&self) {} }
    fn opened() -> Pool { Pool }
    macro_rules! span { () => { 1 }; }
";

#[test]
fn function_that_makes_a_variable_of_its_name_is_called_in_rust() {
    let calls = "
        fn use_value() { let opened = opened(); drop(opened) }
        fn use_pattern() { if let Some(mut opened) = opened() { drop(opened) } }
        fn use_type() { let opened: Pool = opened(); }
        fn not_a_closure() { let opened = || 1; let n = opened(); }
        fn not_a_parameter(opened: fn() -> u8) { let opened = opened(); }
        fn not_assigned() { let mut opened = || 1; opened = opened(); }
    ";
    check(&format!("{RUST}{calls}"), "src/lib.rs:opened");
}

#[test]
fn variable_named_like_its_function_has_the_type_of_its_result() {
    let calls = "
        fn use_result() { let opened = opened(); opened.close() }
        fn not_another() { let other = Other; other.close() }
    ";
    check(&format!("{RUST}{calls}"), "src/lib.rs:Pool.close");
}

#[test]
fn variables_hide_no_macro() {
    let calls = "
        fn use_macro() { let span = 2; let other = span!(); }
        fn use_macro_twice() { let span = span!(); let span = span!(); }
        fn use_beside_parameter(span: u8) { span!(); }
        fn not_compared() { let span = 1; if span != (2) { } }
    ";
    check(&format!("{RUST}{calls}"), "src/lib.rs:span");
}

#[test]
fn function_that_makes_a_variable_of_its_name_is_called_in_go() {
    check(
        "
        //- go.mod
        module acme.io/shop
        //- pool.go
        package shop
        func pool() (int, error) { return 1, nil }
        func use_value() { pool, err := pool(); drop(pool, err) }
        func use_declared() { var pool = pool(); drop(pool) }
        func not_assigned(pool func() int) { pool = pool() }
        func not_a_closure() { pool := func() int { return 1 }; n := pool(); drop(n) }
        ",
        "pool.go:pool",
    );
}

#[test]
fn method_that_makes_a_variable_of_its_name_is_called_in_java_and_kotlin() {
    check(
        "
        //- Shop.java
        class Shop {
            String title() { return null; }
            void use_typed() { String title = title(); }
            void use_final() { final String title = title(); }
        }
        ",
        "Shop.java:Shop.title",
    );
    check(
        "
        //- Shop.kt
        fun title(): String = \"\"
        fun use_value() { val title = title() }
        fun use_typed() { val title: String = title() }
        fun not_a_parameter(title: () -> String) { val title = title() }
        ",
        "Shop.kt:title",
    );
}

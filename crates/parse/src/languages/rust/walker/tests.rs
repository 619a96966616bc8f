//! Tests the facts collected from Rust sources, feature by feature.

use crate::testing::{check_cases, definitions, imports, messages, references, rust, tests};

#[test]
fn definitions_are_collected() {
    let cases = include_str!("tests/definitions.txt");
    check_cases(cases, |source| definitions(rust(), source));
}

#[test]
fn references_are_collected() {
    let cases = include_str!("tests/references.txt");
    check_cases(cases, |source| references(rust(), source));
}

#[test]
fn imports_are_collected() {
    let cases = include_str!("tests/imports.txt");
    check_cases(cases, |source| imports(rust(), source));
}

#[test]
fn long_path_is_not_repeated_for_each_import() {
    let name = "a".repeat(2_000);
    let source = format!("use {name}::{{b, c::d}};\nuse e::f;\nmod {name} {{ use self::g::h; }}\n");
    assert_eq!(imports(rust(), &source), ["From e: f"]);
}

#[test]
fn outer_module_is_bound_again_after_many_imports() {
    let uses = "use a::b;\n".repeat(300);
    let source = format!(
        "mod m {{\nfn c() {{ super::d(); super::e(); }}\n{uses}fn f() {{ super::d(); super::e(); }}\n}}\n"
    );
    let imports = imports(rust(), &source);
    let bound = imports.iter().filter(|import| import.contains("as super"));
    assert_eq!(bound.count(), 2);
}

#[test]
fn error_and_log_messages_are_collected() {
    let cases = include_str!("tests/messages.txt");
    check_cases(cases, |source| messages(rust(), source));
}

#[test]
fn test_functions_are_recognised() {
    let cases = include_str!("tests/tests.txt");
    check_cases(cases, |source| tests(rust(), source));
}

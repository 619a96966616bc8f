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
fn error_and_log_messages_are_collected() {
    let cases = include_str!("tests/messages.txt");
    check_cases(cases, |source| messages(rust(), source));
}

#[test]
fn test_functions_are_recognised() {
    let cases = include_str!("tests/tests.txt");
    check_cases(cases, |source| tests(rust(), source));
}

//! Tests the facts of Go sources, feature by feature.

use crate::testing::{check_cases, definitions, go, imports, messages, references, tests};

#[test]
fn definitions_are_found() {
    let cases = include_str!("tests/definitions.txt");
    check_cases(cases, |source| definitions(go(), source));
}

#[test]
fn references_are_found() {
    let cases = include_str!("tests/references.txt");
    check_cases(cases, |source| references(go(), source));
}

#[test]
fn imports_are_found() {
    let cases = include_str!("tests/imports.txt");
    check_cases(cases, |source| imports(go(), source));
}

#[test]
fn error_and_log_messages_are_found() {
    let cases = include_str!("tests/messages.txt");
    check_cases(cases, |source| messages(go(), source));
}

#[test]
fn test_functions_are_recognised() {
    let cases = include_str!("tests/tests.txt");
    check_cases(cases, |source| tests(go(), source));
}

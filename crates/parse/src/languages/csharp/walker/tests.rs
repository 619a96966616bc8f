//! Tests the facts collected from C# sources, feature by feature.

use crate::testing::{check_cases, csharp, definitions, imports, messages, references, tests};

#[test]
fn definitions_are_collected() {
    let cases = include_str!("tests/definitions.txt");
    check_cases(cases, |source| definitions(csharp(), source));
}

#[test]
fn references_are_collected() {
    let cases = include_str!("tests/references.txt");
    check_cases(cases, |source| references(csharp(), source));
}

#[test]
fn imports_are_collected() {
    let cases = include_str!("tests/imports.txt");
    check_cases(cases, |source| imports(csharp(), source));
}

#[test]
fn error_and_log_messages_are_collected() {
    let cases = include_str!("tests/messages.txt");
    check_cases(cases, |source| messages(csharp(), source));
}

#[test]
fn test_functions_are_recognised() {
    let cases = include_str!("tests/tests.txt");
    check_cases(cases, |source| tests(csharp(), source));
}

//! What C# sources yield, feature by feature.

use crate::testing::{check_cases, csharp, definitions, imports, messages, references, tests};

#[test]
fn what_is_defined() {
    let cases = include_str!("tests/definitions.txt");
    check_cases(cases, |source| definitions(csharp(), source));
}

#[test]
fn what_is_used() {
    let cases = include_str!("tests/references.txt");
    check_cases(cases, |source| references(csharp(), source));
}

#[test]
fn what_is_imported() {
    let cases = include_str!("tests/imports.txt");
    check_cases(cases, |source| imports(csharp(), source));
}

#[test]
fn texts_of_errors_and_logs() {
    let cases = include_str!("tests/messages.txt");
    check_cases(cases, |source| messages(csharp(), source));
}

#[test]
fn which_functions_are_tests() {
    let cases = include_str!("tests/tests.txt");
    check_cases(cases, |source| tests(csharp(), source));
}

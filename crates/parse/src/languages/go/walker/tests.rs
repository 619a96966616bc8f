use crate::testing::{check_cases, definitions, go, imports, messages, references};

#[test]
fn what_is_defined() {
    let cases = include_str!("tests/definitions.txt");
    check_cases(cases, |source| definitions(go(), source));
}

#[test]
fn what_is_used() {
    let cases = include_str!("tests/references.txt");
    check_cases(cases, |source| references(go(), source));
}

#[test]
fn what_is_imported() {
    let cases = include_str!("tests/imports.txt");
    check_cases(cases, |source| imports(go(), source));
}

#[test]
fn texts_of_errors_and_logs() {
    let cases = include_str!("tests/messages.txt");
    check_cases(cases, |source| messages(go(), source));
}

//! Which definitions of a file are tests, and what their names say that they test.

use foveate_model::resolution::TestConventions;
use foveate_model::{LocalId, Role};

use crate::files::{FileId, Files};

/// Whether a file is there for tests.
pub(super) fn is_test_file(files: &Files, id: FileId) -> bool {
    let file = files.file(id);
    file.role == Role::Test && file.language.is_code() && file.content.is_some()
}

/// Which definitions of a file are tests: functions named or decorated so, and classes named so that hold
/// such functions (a `TestServer` without any is what tests use, not a test). Beside what is shipped only a
/// decorator makes a function a test.
pub(super) fn tests_in(files: &Files, file: FileId) -> Vec<bool> {
    let conventions = &files.file(file).language.rules().tests;
    let is_test_file = is_test_file(files, file);
    let is_source = files.file(file).role == Role::Source;
    if !is_test_file && (!is_source || conventions.function_decorators.is_empty()) {
        return Vec::new();
    }
    let definitions = files
        .content(file)
        .map_or(&[][..], |content| &content.facts.definitions);
    let mut tests = vec![false; definitions.len()];
    for (at, definition) in definitions.iter().enumerate() {
        let is_test = definition.kind.is_function()
            && match is_test_file {
                true => conventions.is_test(definition),
                false => conventions.is_decorated(definition),
            };
        if !is_test {
            continue;
        }
        tests[at] = true;
        if let Some(parent) = definition.parent
            && definitions.get(parent.0 as usize).is_some_and(|class| {
                class.kind.is_container() && is_test_class(&class.name, conventions)
            })
        {
            tests[parent.0 as usize] = true;
        }
    }
    tests
}

/// Which definitions of a file are tests, are what directly holds a test, or stand inside of either.
pub(super) fn with_tests(files: &Files, file: FileId, tests: &[bool]) -> Vec<bool> {
    let definitions = files
        .content(file)
        .map_or(&[][..], |content| &content.facts.definitions);
    let mut inside = tests.to_vec();
    for (definition, is_test) in definitions.iter().zip(tests) {
        let is_function = *is_test && definition.kind.is_function();
        if let Some(parent) = definition.parent.filter(|_| is_function) {
            inside[parent.0 as usize] = true;
        }
    }
    // What encloses a definition comes before it.
    for (at, definition) in definitions.iter().enumerate() {
        let parent = definition.parent.map(|parent| parent.0 as usize);
        inside[at] |= parent.is_some_and(|parent| inside[parent]);
    }
    inside
}

/// The test around a place among tests: the function rather than its class.
pub(super) fn test_around(
    files: &Files,
    file: FileId,
    tests: &[bool],
    mut inner: Option<LocalId>,
) -> Option<LocalId> {
    let facts = &files.content(file)?.facts;
    let mut class = None;
    while let Some(id) = inner {
        let definition = facts.definition(id)?;
        if tests.get(id.0 as usize) == Some(&true) {
            if definition.kind.is_function() {
                return Some(id);
            }
            class = class.or(Some(id));
        }
        inner = definition.parent;
    }
    class
}

fn is_test_class(name: &str, conventions: &TestConventions) -> bool {
    let mut beginnings = conventions.class_beginnings.iter();
    let mut endings = conventions.class_endings.iter();
    endings.any(|ending| name.ends_with(ending))
        || beginnings.any(|beginning| name.starts_with(beginning))
}

/// `test_connect` is about `connect`.
pub(super) fn function_stem<'a>(name: &'a str, conventions: &TestConventions) -> &'a str {
    let beginnings = conventions.function_beginnings.iter();
    let stem = beginnings.fold(name, |name, beginning| name.trim_start_matches(beginning));
    stem.trim_matches('_')
}

/// `TestClient`, `ClientTest` and `ClientTests` are about `Client`.
pub(super) fn class_stem<'a>(name: &'a str, conventions: &TestConventions) -> &'a str {
    let mut beginnings = conventions.class_beginnings.iter();
    let stem = beginnings
        .find_map(|beginning| name.strip_prefix(beginning))
        .unwrap_or(name);
    let mut endings = conventions.class_endings.iter();
    endings
        .find_map(|ending| stem.strip_suffix(ending))
        .unwrap_or(stem)
        .trim_matches('_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tests() {
        let common = &TestConventions::COMMON;
        for name in ["test_connect", "testConnect"] {
            assert!(common.is_test_name(name), "{name}");
        }
        assert!(!common.is_test_name("testimony"));
        assert_eq!(function_stem("test_connect", common), "connect");
        assert_eq!(class_stem("TestClient", common), "Client");
        assert_eq!(class_stem("ClientTests", common), "Client");
    }
}

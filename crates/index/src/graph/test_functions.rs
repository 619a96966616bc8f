//! Finds the definitions of a file that are tests, and the names of what they test.

use foveate_model::resolution::TestConventions;
use foveate_model::{LocalId, Role};

use crate::files::{FileId, Files};

/// Whether a file contains test code.
pub(super) fn is_test_file(files: &Files, id: FileId) -> bool {
    let file = files.file(id);
    file.role == Role::Test && file.language.is_code() && file.content.is_some()
}

/// Returns for each definition of a file whether it is a test: functions named or decorated as tests, and
/// classes named as tests that contain such functions (a `TestServer` without any is a helper, not a test).
/// In source files only a decorator makes a function a test.
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

/// Returns the test that contains a place: the function rather than its class.
pub(super) fn enclosing_test(
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

/// Returns the name that a test function is about: `connect` for `test_connect`.
pub(super) fn function_stem<'a>(name: &'a str, conventions: &TestConventions) -> &'a str {
    let beginnings = conventions.function_beginnings.iter();
    let stem = beginnings.fold(name, |name, beginning| name.trim_start_matches(beginning));
    stem.trim_matches('_')
}

/// Returns the name that a test class is about: `Client` for `TestClient`, `ClientTest` and `ClientTests`.
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
    fn test_names_and_stems_are_recognized() {
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

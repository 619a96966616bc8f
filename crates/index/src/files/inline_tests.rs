//! Finds the test code in a file by the decorators of its functions, as in `#[test]`.

use foveate_model::Definition;
use foveate_model::resolution::TestConventions;

/// Returns for each definition whether it is decorated as a test, directly contains such a function, or is inside
/// of either. Empty if there is no test.
pub(super) fn find(definitions: &[Definition], conventions: &TestConventions) -> Box<[bool]> {
    let is_test = |definition: &Definition| {
        definition.kind.is_function() && conventions.is_decorated(definition)
    };
    if conventions.function_decorators.is_empty() || !definitions.iter().any(is_test) {
        return Box::default();
    }
    let mut inside: Box<[bool]> = definitions.iter().map(is_test).collect();
    for definition in definitions.iter().filter(|definition| is_test(definition)) {
        if let Some(parent) = definition.parent {
            inside[parent.0 as usize] = true;
        }
    }
    // An enclosing definition precedes the enclosed ones.
    for (at, definition) in definitions.iter().enumerate() {
        inside[at] |= definition
            .parent
            .is_some_and(|parent| inside[parent.0 as usize]);
    }
    inside
}

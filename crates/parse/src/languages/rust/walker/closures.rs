//! Adds the parameters of closures. One without a type gets the value that a method of the standard library passes.

use foveate_model::values::Value;
use tree_sitter::Node;

use super::{method_call, patterns};
use crate::syntax::Descend;
use crate::walk::{Handled, Walk, children, field};

/// Enters `|a, b: B| …` and binds its parameters.
pub(super) fn closure<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    walk.enter_anonymous_function(depth);
    let parameters = field(node, "parameters").map_or_else(Vec::new, children);
    for parameter in &parameters {
        let declared = field(*parameter, "type");
        let value = match (declared, &*parameters) {
            (None, [_]) => passed(walk),
            (declared, _) => walk.declared_value(declared, None),
        };
        let pattern = field(*parameter, "pattern").unwrap_or(*parameter);
        patterns::bind(walk, pattern, value, Walk::nameless_parameter);
    }
    Some(Descend::Into)
}

/// Methods that pass an element, or what their receiver wraps, to a closure, sorted.
const PASSING: &[&str] = &[
    "all", "and_then", "any", "filter", "filter_map", "find", "find_map", "flat_map", "for_each",
    "inspect", "is_none_or", "is_ok_and", "is_some_and", "map", "map_or", "map_while",
    "max_by_key", "min_by_key", "partition", "position", "retain", "retain_mut", "rposition",
    "skip_while", "sort_by_cached_key", "sort_by_key", "sort_unstable_by_key", "take_while",
    "try_for_each", "with",
];

/// Those of them that only collections and wrappers have. The receiver of the others may be anything, unless it is the
/// result of one of [`SAME_ELEMENTS`].
const OF_COLLECTIONS: [&str; 8] = [
    "is_ok_and", "is_some_and", "retain", "retain_mut", "sort_by_cached_key", "sort_by_key",
    "sort_unstable_by_key", "with",
];

/// Methods whose result has the elements of their receiver, or wraps a reference to the same value, sorted.
const SAME_ELEMENTS: &[&str] = &[
    "as_deref", "as_deref_mut", "as_mut", "as_ref", "by_ref", "cloned", "copied", "drain",
    "enumerate", "filter", "inspect", "into_iter", "into_values", "iter", "iter_mut", "peekable",
    "rev", "skip", "skip_while", "step_by", "take", "take_while", "values", "values_mut",
];

/// Maximum number of calls before a method that are examined.
const MAX_CALLS: usize = 16;

/// Returns the value of the only parameter of the current closure: an element of `a` in `a.iter().rev().map(|b| …)`.
fn passed(walk: &Walk<'_>) -> Value {
    // Its parent is the list of arguments.
    let call = walk.ancestor(2);
    let Some((name, mut receiver)) = call.and_then(|call| method_call(walk, call)) else {
        return Value::Unknown;
    };
    if PASSING.binary_search(&name).is_err() {
        return Value::Unknown;
    }
    let mut is_known = OF_COLLECTIONS.contains(&name);
    for _ in 0..MAX_CALLS {
        match method_call(walk, receiver) {
            Some((name, inner)) if SAME_ELEMENTS.binary_search(&name).is_ok() => {
                (receiver, is_known) = (inner, true);
            }
            _ => break,
        }
    }
    match is_known {
        true => walk.value_of(receiver),
        false => Value::Unknown,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_sorted() {
        assert!(super::PASSING.is_sorted() && super::SAME_ELEMENTS.is_sorted());
    }
}

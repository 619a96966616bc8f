//! Finds bodies of classes that the grammar parses as a lambda after a delegate: `{ … }` in `class A : B by b { … }`. In Kotlin
//! a delegate cannot end with a lambda.

use tree_sitter::Node;

use crate::walk::{Walk, child_of_kind, last_child};

/// Maximum number of nodes between the delegate of a class and a lambda at its end.
const MAX_NODES: usize = 8;

/// Returns the body of a class that was parsed as a lambda.
pub(super) fn body(class: Node<'_>) -> Option<Node<'_>> {
    let specifiers = child_of_kind(class, "delegation_specifiers")?;
    let mut node = specifiers;
    for _ in 0..MAX_NODES {
        node = last_child(node).filter(|last| last.end_byte() == specifiers.end_byte())?;
        if node.kind() == "annotated_lambda" {
            return child_of_kind(node, "lambda_literal");
        }
    }
    None
}

/// Whether the current node, a lambda, is the body of a class.
pub(super) fn is_body(walk: &Walk<'_>, lambda: Node<'_>) -> bool {
    let around = (1..=MAX_NODES).map_while(|levels| walk.ancestor(levels));
    let mut ending_alike = around.take_while(|outer| outer.end_byte() == lambda.end_byte());
    ending_alike.any(|outer| outer.kind() == "explicit_delegation")
}

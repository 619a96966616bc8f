//! Walks Kotlin syntax trees and collects their facts.

mod accessors;
mod definitions;
mod delegates;
mod locals;
mod masking;
mod misparsed;
mod references;
#[cfg(test)]
mod tests;

use tree_sitter::Node;

use crate::collect::CollectorRules;
use crate::languages::MAX_TYPE_NESTING;
use crate::languages::java::walker::message;
use crate::walk::{
    Form, Handler, Step, TypeRules, Walker, arguments, child_of_kind, children, comment, field,
    handled_name, into, last_child, name, parent_in, past, type_position,
};

pub(super) static WALKER: Walker = Walker::new(Form {
    masked: masking::masked,
    messages: message,
    is_statement: |kind| {
        kind.ends_with("_statement")
            || kind.ends_with("_declaration")
            || matches!(
                kind,
                "assignment"
                    | "call_expression"
                    | "if_expression"
                    | "when_entry"
                    | "try_expression"
            )
    },
    rules: CollectorRules {
        // Local variables are bound, so the other bare names are members or names of other files.
        keeps_name: Some(|name| name.len() > 1 && KEYWORDS.binary_search(&name).is_err()),
        ..CollectorRules::new(&[
            "noinspection", "ktlint", "@formatter", "region", "endregion",
        ])
    },
    ..Form::new(tree_sitter_kotlin_ng::LANGUAGE, handler, step, TYPES)
});

const TYPES: TypeRules = TypeRules {
    builtin: BUILTIN_TYPES,
    extends_builtin: true,
    collections: COLLECTIONS,
    maps: MAPS,
    type_of_values: |name, whole| type_argument_at(name, whole, 1),
    type_argument: |name, whole| type_argument_at(name, whole, 0),
    function_receiver,
    callback_argument,
    // They return the object that they are called on.
    transparent: &["also", "apply", "takeIf", "takeUnless"],
    ..TypeRules::new(named_type)
};

/// Types of the language itself, sorted.
const BUILTIN_TYPES: &[&str] = &[
    "Any", "Array", "Boolean", "Byte", "ByteArray", "Char", "CharArray", "CharSequence", "Double",
    "DoubleArray", "Float", "FloatArray", "Int", "IntArray", "Long", "LongArray", "Nothing",
    "Number", "Short", "ShortArray", "String", "UByte", "UInt", "ULong", "UShort", "Unit",
];

/// Keywords that the grammar parses as identifiers, and names that are bound implicitly, sorted.
const KEYWORDS: &[&str] = &[
    "break", "continue", "false", "field", "it", "null", "super", "this", "true", "value",
];

fn handler(kind: &str) -> Handler {
    match kind {
        "line_comment" | "block_comment" | "shebang" => comment,
        "string_literal" | "multiline_string_literal" => references::text,
        "identifier" => name,
        "user_type" => references::type_use,
        "navigation_expression" => references::member,
        "call_expression" => references::call,
        "infix_expression" => misparsed::infix,
        "binary_expression" => references::binary,
        "callable_reference" => references::callable,
        "throw_expression" => references::throw,
        "annotation" | "file_annotation" => references::annotation,
        "value_argument" => references::argument,
        "return_expression" => references::returned,
        "type_arguments" | "function_type" => type_position,
        "value_arguments" => arguments,
        "delegation_specifier" => references::base,
        "package_header" => references::package,
        "import" => references::import,
        "class_declaration" | "object_declaration" => definitions::class,
        // It is no definition: its members belong to the class, by whose name they are accessed.
        "companion_object" => handled_name,
        "object_literal" => definitions::object,
        "enum_entry" => definitions::enum_entry,
        "class_parameter" => definitions::class_parameter,
        "function_declaration" => definitions::function,
        "secondary_constructor" => definitions::constructor,
        "property_declaration" => accessors::property,
        "setter" => accessors::setter,
        "type_alias" => definitions::type_alias,
        "anonymous_initializer" | "anonymous_function" => locals::nameless_body,
        "lambda_literal" => locals::lambda,
        "for_statement" => locals::loop_variables,
        "is_expression" => locals::type_test,
        "when_expression" => locals::type_tests,
        "when_subject" => locals::subject,
        "catch_block" => locals::catch,
        "parameter" | "type_parameter" | "type_constraint" => references::skip_declared_name,
        "this_expression" | "super_expression" | "label" | "number_literal" | "float_literal"
        | "character_literal" | "string_content" => past,
        _ => into,
    }
}

fn step(node: Node<'_>) -> Step<'_> {
    match node.kind() {
        "identifier" | "super_expression" => Step::Name,
        // `this@Outer` is not `this`.
        "this_expression" if node.named_child_count() == 0 => Step::Name,
        "navigation_expression" => match (node.named_child(0), last_identifier(node)) {
            (object, Some(name)) if object != Some(name) => Step::Member { object, name },
            _ => Step::Other,
        },
        "callable_reference" => {
            let name = last_identifier(node);
            let object = node.named_child(0).filter(|object| Some(*object) != name);
            Step::member(object, name)
        }
        "user_type" => {
            let mut names = children(node);
            names.retain(|part| part.kind() == "identifier");
            match *names {
                [only] => Step::Same(only),
                [.., outer, name] => Step::member(Some(outer), Some(name)),
                [] => Step::Other,
            }
        }
        // `a to b` calls `to` of `a`.
        "infix_expression" => match (node.named_child(0), node.named_child(1)) {
            (object, Some(name)) if name.kind() == "identifier" => Step::Invoke { object, name },
            _ => Step::Other,
        },
        "call_expression" => Step::call(references::called(node)),
        "binary_expression" => match references::with_default(node) {
            Some(value) => Step::Same(value),
            None => Step::call(references::generic_call(node)),
        },
        "constructor_invocation" => Step::call(node.named_child(0)),
        "index_expression" => Step::indexed(node.named_child(0)),
        // A cast gives an object of the type, as a constructor does.
        "as_expression" => match field(node, "right").and_then(named_type) {
            Some(named) => Step::Call(named),
            None => Step::Other,
        },
        "unary_expression" => Step::same(field(node, "argument")),
        "parenthesized_expression" | "nullable_type" | "parenthesized_type" => {
            Step::same(node.named_child(0))
        }
        _ => Step::Other,
    }
}

/// Returns the node of the name in a type: `B` of `B?`, `(B)` and `B<C>`.
fn named_type(mut node: Node<'_>) -> Option<Node<'_>> {
    for _ in 0..MAX_TYPE_NESTING {
        node = match node.kind() {
            "identifier" => return Some(node),
            "user_type" => match step(node) {
                Step::Same(only) => only,
                _ => return Some(node),
            },
            "nullable_type" | "parenthesized_type" | "non_nullable_type" => {
                children(node).into_iter().find(|part| is_type(*part))?
            }
            _ => return None,
        };
    }
    None
}

/// Returns the receiver of a function type: `A` of `A.(B) -> C`.
fn function_receiver(node: Node<'_>) -> Option<Node<'_>> {
    let function = function_type(node)?;
    let parameters = child_of_kind(function, "function_type_parameters")?;
    let mut parts = children(function).into_iter();
    let before = |part: &Node<'_>| part.end_byte() <= parameters.start_byte();
    parts.find(|part| is_type(*part) && before(part))
}

/// Returns the type of the first parameter of a function type: `A` of `(A) -> B` and `(a: A) -> B`.
fn callback_argument<'n>(node: Node<'n>, _: &str) -> Option<Node<'n>> {
    let parameters = child_of_kind(function_type(node)?, "function_type_parameters")?;
    let first = parameters.named_child(0)?;
    match first.kind() {
        "parameter" => children(first).into_iter().find(|part| is_type(*part)),
        _ => Some(first),
    }
}

/// Returns the function type in a type.
fn function_type(mut node: Node<'_>) -> Option<Node<'_>> {
    for _ in 0..MAX_TYPE_NESTING {
        match node.kind() {
            "function_type" => return Some(node),
            "nullable_type" | "parenthesized_type" => {
                node = children(node).into_iter().find(|part| is_type(*part))?;
            }
            _ => return None,
        }
    }
    None
}

fn is_type(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "user_type"
            | "nullable_type"
            | "function_type"
            | "non_nullable_type"
            | "parenthesized_type"
    )
}

/// Collections of the standard library, sorted.
const COLLECTIONS: &[&str] = &[
    "Array", "ArrayDeque", "ArrayList", "Collection", "HashSet", "Iterable", "LinkedHashSet",
    "List", "MutableCollection", "MutableList", "MutableSet", "Sequence", "Set",
];

/// Maps of the standard library, sorted.
const MAPS: &[&str] = &[
    "ConcurrentHashMap", "HashMap", "LinkedHashMap", "Map", "MutableMap", "SortedMap", "TreeMap",
];

/// Returns `A` of `List<A>`, given the node of `List`, one around the type, and the position of the argument.
fn type_argument_at<'n>(name: Node<'n>, whole: Node<'n>, at: u32) -> Option<Node<'n>> {
    let arguments = child_of_kind(parent_in(whole, name)?, "type_arguments")?;
    let projection = arguments.named_child(at)?;
    children(projection).into_iter().find(|part| is_type(*part))
}

/// Returns the first type among the parts of a declaration; given `part`, the first after it.
fn type_after<'n>(node: Node<'n>, part: Option<Node<'n>>) -> Option<Node<'n>> {
    let after = part.map_or(0, |part| part.end_byte());
    let mut parts = children(node).into_iter();
    parts.find(|part| part.start_byte() >= after && is_type(*part))
}

fn last_identifier(node: Node<'_>) -> Option<Node<'_>> {
    last_child(node).filter(|last| last.kind() == "identifier")
}

/// Returns the first name in a declaration.
fn first_identifier(node: Node<'_>) -> Option<Node<'_>> {
    child_of_kind(node, "identifier")
}

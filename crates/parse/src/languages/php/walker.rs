//! Walks PHP syntax trees and collects their facts.

mod bindings;
mod definitions;
mod imports;
mod pest;
mod phpdoc;
mod references;
#[cfg(test)]
mod tests;

use foveate_model::{MessageKind, RegionKind};
use tree_sitter::Node;

use crate::collect::{CollectorRules, span};
use crate::messages;
use crate::syntax::Descend;
use crate::walk::{
    Form, Handled, Handler, Step, TypeRules, Walk, Walker, arguments, base_list, child_of_kind,
    field, into, last_child, member, name, parent_in, past, skip_name, text,
};

pub(super) static WALKER: Walker = Walker::new(Form {
    messages: message,
    is_statement: |kind| {
        kind.ends_with("_statement")
            || kind.ends_with("_declaration")
            || kind.ends_with("_definition")
    },
    rules: CollectorRules {
        keeps_name: Some(|name| {
            let of_language = ["PHP_", "E_", "__"];
            !of_language
                .iter()
                .any(|beginning| name.starts_with(beginning))
        }),
        ..CollectorRules::new(&[
            "@phpstan-", "@psalm-", "phpcs:", "@noinspection", "@codeCoverageIgnore", "@phan-",
        ])
    },
    ..Form::new(tree_sitter_php::LANGUAGE_PHP, handler, step, TYPES)
});

const TYPES: TypeRules = TypeRules {
    builtin: BUILTIN_TYPES,
    casts: CASTS,
    type_argument: class_argument,
    ..TypeRules::new(named_type)
};

/// Functions and methods of containers and test doubles that return an object of the class that they are given, sorted:
/// `$container->get(A::class)`, `$this->createMock(A::class)`.
const CASTS: &[&str] = &[
    "app", "createConfiguredMock", "createMock", "createPartialMock", "createStub", "find", "get",
    "getMockForAbstractClass", "make", "makeWith", "mock", "partialMock", "resolve", "spy",
];

/// Returns the class that the first argument of a call names, given the name that is called, and the call: `A` of
/// `get(A::class)`.
fn class_argument<'n>(name: Node<'n>, call: Node<'n>) -> Option<Node<'n>> {
    let argument = field(parent_in(call, name)?, "arguments")?.named_child(0)?;
    let access = argument.named_child(0)?;
    if access.kind() != "class_constant_access_expression" || argument.named_child_count() != 1 {
        return None;
    }
    let is_class = last_child(access).is_some_and(|last| span(last).len() == "class".len());
    access
        .named_child(0)
        .filter(|class| is_class && is_name(*class))
}

/// Types of the language itself, sorted.
const BUILTIN_TYPES: &[&str] = &[
    "array", "bool", "boolean", "callable", "double", "false", "float", "int", "integer",
    "iterable", "mixed", "never", "null", "numeric", "object", "resource", "scalar", "string",
    "true", "void",
];

/// Kinds of nodes that yield no facts.
const PASSED: &[&str] = &[
    "variable_name", "relative_scope", "primitive_type", "bottom_type", "cast_type", "use_list",
    "named_label_statement", "goto_statement", "namespace_name", "integer", "float", "boolean",
    "null", "heredoc_start", "heredoc_end", "string_content", "escape_sequence",
    "declare_directive",
];

fn handler(kind: &str) -> Handler {
    match kind {
        "comment" => phpdoc::comment,
        "string" | "nowdoc" => text,
        "encapsed_string" | "heredoc_body" | "shell_command_expression" => interpolated,
        "text" => outside,
        "name" => name,
        "qualified_name" | "relative_name" => member,
        "named_type" => references::named,
        "member_access_expression"
        | "nullsafe_member_access_expression"
        | "scoped_property_access_expression"
        | "class_constant_access_expression" => references::access,
        "function_call_expression" => references::function_call,
        "member_call_expression" | "nullsafe_member_call_expression" => references::member_call,
        "scoped_call_expression" => references::scoped_call,
        "object_creation_expression" => references::creation,
        "throw_expression" => references::throw,
        // The name in `f(name: $a)` is that of a parameter.
        "argument" => skip_name,
        "array_element_initializer" => references::callable,
        "arguments" => arguments,
        "attribute" => references::attribute,
        "base_clause" | "class_interface_clause" => base_list,
        "namespace_definition" => imports::namespace,
        "namespace_use_declaration" => imports::uses,
        "include_expression"
        | "include_once_expression"
        | "require_expression"
        | "require_once_expression" => imports::include,
        "function_definition" | "method_declaration" => definitions::function,
        "class_declaration"
        | "trait_declaration"
        | "interface_declaration"
        | "enum_declaration" => definitions::type_declaration,
        "anonymous_class" => definitions::anonymous_class,
        "enum_case" => definitions::enum_case,
        "const_declaration" => definitions::constants,
        "property_declaration" => definitions::properties,
        "use_declaration" => definitions::traits,
        "anonymous_function" | "arrow_function" => bindings::closure,
        "assignment_expression"
        | "reference_assignment_expression"
        | "augmented_assignment_expression" => bindings::assignment,
        "return_statement" => bindings::returned,
        "static_variable_declaration" => bindings::static_variable,
        "foreach_statement" => bindings::foreach,
        "catch_clause" => bindings::catch,
        "binary_expression" => references::instance_of,
        _ if PASSED.contains(&kind) => past,
        _ => into,
    }
}

fn step(node: Node<'_>) -> Step<'_> {
    match node.kind() {
        "name" | "variable_name" | "relative_scope" | "namespace_name" => Step::Name,
        "qualified_name" | "relative_name" => match last_child(node) {
            Some(rest) => Step::Scoped {
                scope: child_of_kind(node, "namespace_name"),
                rest,
            },
            None => Step::Other,
        },
        "subscript_expression" => Step::indexed(node.named_child(0)),
        "member_access_expression" | "nullsafe_member_access_expression" => {
            let name = field(node, "name").filter(|name| name.kind() == "name");
            Step::member(field(node, "object"), name)
        }
        "scoped_property_access_expression" => {
            Step::member(field(node, "scope"), field(node, "name"))
        }
        "class_constant_access_expression" => match (node.named_child(0), node.named_child(1)) {
            (object, Some(name)) if name.kind() == "name" => Step::Member { object, name },
            _ => Step::Other,
        },
        "member_call_expression" | "nullsafe_member_call_expression" | "scoped_call_expression" => {
            let object = field(node, "object").or_else(|| field(node, "scope"));
            match field(node, "name").filter(|name| name.kind() == "name") {
                Some(name) => Step::Invoke { object, name },
                None => Step::Other,
            }
        }
        "function_call_expression" => Step::call(field(node, "function")),
        "object_creation_expression" => Step::call(created(node)),
        "parenthesized_expression" | "named_type" | "clone_expression" => {
            Step::same(node.named_child(0))
        }
        _ => Step::Other,
    }
}

/// Returns the node of the name in a type: `A` of `?A`, `A|null` and `A&B`, the first that names a
/// class.
fn named_type(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "named_type" => node.named_child(0),
        "name" | "qualified_name" => Some(node),
        "optional_type" | "union_type" | "intersection_type" => {
            child_of_kind(node, "named_type")?.named_child(0)
        }
        _ => None,
    }
}

/// Returns the class in `new A(…)`.
fn created(node: Node<'_>) -> Option<Node<'_>> {
    let class = node.named_child(0)?;
    is_name(class).then_some(class)
}

fn is_name(node: Node<'_>) -> bool {
    matches!(node.kind(), "name" | "qualified_name" | "relative_name")
}

fn message(path: &str, name: &str) -> Option<MessageKind> {
    match name {
        "trigger_error" | "trigger_deprecation" | "error_log" | "user_error" => {
            return Some(MessageKind::Log);
        }
        "die" | "abort" | "wp_die" => return Some(MessageKind::Error),
        "critical" | "alert" | "emergency" | "warning" if path.contains("log") => {
            return Some(MessageKind::Log);
        }
        _ => {}
    }
    // `$this->logger->info` is classified like `logger.info`.
    let start = path.len() - name.len();
    let receiver = path
        .get(..start)
        .unwrap_or("")
        .trim_end_matches([':', '>', '-', '?']);
    let receiver = receiver.rsplit(['>', ':', '$', '\\']).next().unwrap_or("");
    messages::of_call(&format!("{receiver}.{name}"), name)
}

/// Adds a string with interpolation such as `"a {$b->c()} d"`, whose interpolated parts are code.
fn interpolated<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    walk.literal(node, depth, |part| {
        !matches!(part.kind(), "string_content" | "escape_sequence")
    })
}

/// Records the region of the text outside `<?php … ?>`.
fn outside<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    walk.collector.region(RegionKind::Text, span(node));
    Some(Descend::Past)
}

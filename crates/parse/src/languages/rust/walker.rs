//! Walks Rust syntax trees and collects their facts.

mod closures;
mod definitions;
mod implementations;
mod imports;
mod macro_items;
mod macros;
mod patterns;
#[cfg(test)]
mod tests;
mod token_bindings;

use foveate_model::MessageKind;
use tree_sitter::Node;

use crate::collect::CollectorRules;
use crate::languages::MAX_TYPE_NESTING;
use crate::messages;
use crate::syntax::Descend;
use crate::walk::{
    Form, Handled, Handler, Step, TypeRules, Walk, Walker, base_list, children, field,
    handled_name, into, last_child, member, name, parent_in, past, skip_name, text, type_member,
    type_name, type_position,
};

pub(super) static WALKER: Walker = Walker::new(Form {
    messages: message,
    is_documentation,
    is_statement: |kind| {
        kind.ends_with("_statement")
            || kind.ends_with("_declaration")
            || kind.ends_with("_item")
            || matches!(kind, "match_arm" | "macro_rule" | "macro_definition")
    },
    with_macro_contents: macro_items::with_macro_contents,
    rules: CollectorRules {
        keeps_name: Some(|name| {
            name.len() > 1
                && name.starts_with(char::is_uppercase)
                && !matches!(name, "Some" | "None" | "Ok" | "Err" | "Self")
        }),
        ..CollectorRules::new(&["spell-checker:", "rustfmt-", "region", "endregion"])
    },
    ..Form::new(tree_sitter_rust::LANGUAGE, handler, step, TYPES)
});

const TYPES: TypeRules = TypeRules {
    builtin: BUILTIN_TYPES,
    transparent: TRANSPARENT,
    wrappers: WRAPPERS,
    wrapped,
    type_argument: |named, whole| type_argument_at(named, whole, 0),
    maps: MAPS,
    type_of_values: |named, whole| type_argument_at(named, whole, 1),
    ..TypeRules::new(named_type)
};

/// Types of the language itself and usual names of type parameters, sorted.
const BUILTIN_TYPES: &[&str] = &[
    "A", "B", "Box", "E", "F", "K", "N", "Option", "P", "R", "S", "String", "T", "U", "V", "Vec",
    "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "str", "u128", "u16",
    "u32", "u64", "u8", "usize",
];

/// Methods that return the object itself or what it wraps, sorted.
const TRANSPARENT: &[&str] = &[
    "as_deref", "as_deref_mut", "as_mut", "as_ref", "borrow", "borrow_mut", "by_ref", "clone",
    "cloned", "copied", "expect", "expect_err", "into_iter", "into_owned", "iter", "iter_mut",
    "lock", "ok", "ok_or", "ok_or_else", "or_else", "to_owned", "unwrap", "unwrap_err",
    "unwrap_or", "unwrap_or_default", "unwrap_or_else", "with_context",
];

/// Wrapper types, which count as their type argument, sorted.
const WRAPPERS: &[&str] = &[
    "Arc", "Box", "BoxFuture", "Cell", "Cow", "LazyLock", "Mutex", "MutexGuard", "Option", "Pin",
    "Rc", "Ref", "RefCell", "RefMut", "Result", "RwLock", "Vec", "VecDeque", "Weak",
];

/// Maps of the standard library and of well-known crates, sorted.
const MAPS: &[&str] = &["BTreeMap", "DashMap", "FxHashMap", "HashMap", "IndexMap"];

/// Functions of [`WRAPPERS`] that wrap their argument.
const WRAPPING: &[&str] = &[
    "Borrowed", "Owned", "clone", "downgrade", "from", "new", "pin",
];

/// Kinds of nodes that yield no facts.
const PASSED: &[&str] = &[
    "field_identifier", "shorthand_field_identifier", "lifetime", "label", "self", "super",
    "crate", "metavariable", "primitive_type", "integer_literal", "float_literal", "char_literal",
    "boolean_literal", "escape_sequence", "visibility_modifier", "inner_attribute_item",
    "macro_rule_pattern", "token_tree_pattern", "fragment_specifier", "mutable_specifier",
    "shebang",
];

fn handler(kind: &str) -> Handler {
    match kind {
        "line_comment" | "block_comment" => definitions::comment,
        "string_literal" | "raw_string_literal" => text,
        "identifier" => name,
        "type_identifier" => type_name,
        "field_expression" => member,
        "scoped_identifier" => scoped,
        "scoped_type_identifier" => scoped_type,
        "call_expression" => call,
        "struct_expression" => literal,
        "macro_invocation" => macros::invocation,
        "token_tree" | "token_repetition" => macros::tokens,
        "attribute_item" => definitions::attributes,
        "use_declaration" => imports::use_declaration,
        "extern_crate_declaration" => imports::extern_crate,
        "mod_item" => definitions::module,
        "function_item" | "function_signature_item" => definitions::function,
        "struct_item" | "union_item" | "enum_item" | "trait_item" => definitions::type_item,
        "enum_variant" => definitions::variant,
        "field_declaration" => definitions::field_declaration,
        "impl_item" => implementations::implementation,
        "const_item" | "static_item" => definitions::constant,
        "type_item" | "associated_type" => definitions::alias,
        "macro_definition" => definitions::macro_definition,
        "type_parameter" | "const_parameter" => skip_name,
        "closure_expression" => closures::closure,
        "trait_bounds" => bounds,
        "type_arguments" => type_position,
        // `Item` in `Item = A` is a type of the trait, not one of the file.
        "type_binding" => handled_name,
        "let_declaration" | "let_condition" | "for_expression" => patterns::variables,
        "match_expression" => patterns::arms,
        _ if PASSED.contains(&kind) => past,
        _ => into,
    }
}

fn step(node: Node<'_>) -> Step<'_> {
    match node.kind() {
        "identifier"
        | "type_identifier"
        | "field_identifier"
        | "shorthand_field_identifier"
        | "self"
        | "super"
        | "crate" => Step::Name,
        "field_expression" => {
            let (object, name) = (field(node, "value"), field(node, "field"));
            match name.map(|name| name.kind()) {
                Some("field_identifier") => Step::member(object, name),
                // `a.0` is what a struct with one value holds.
                Some("integer_literal") => Step::indexed(object),
                _ => Step::Other,
            }
        }
        "scoped_identifier" | "scoped_type_identifier" => {
            // `self::a` is resolved like `a`.
            let scope = field(node, "path").filter(|path| path.kind() != "self");
            Step::member(scope, field(node, "name"))
        }
        "call_expression" => Step::call(field(node, "function")),
        // `T { … }` gives an object of `T`.
        "struct_expression" => Step::call(field(node, "name")),
        "generic_function" => Step::same(field(node, "function")),
        "generic_type"
        | "generic_type_with_turbofish"
        | "qualified_type"
        | "reference_type"
        | "pointer_type" => Step::same(field(node, "type")),
        "reference_expression" => Step::same(field(node, "value")),
        "try_expression"
        | "await_expression"
        | "parenthesized_expression"
        | "bracketed_type"
        | "unary_expression"
        | "index_expression"
        | "unsafe_block" => Step::same(node.named_child(0)),
        _ => Step::Other,
    }
}

/// Returns the node of the name in a type: `T` of `&T`, `[T]`, `dyn T` and `T<A>`. The types in
/// [`WRAPPERS`] are not unwrapped here.
fn named_type(mut node: Node<'_>) -> Option<Node<'_>> {
    for _ in 0..MAX_TYPE_NESTING {
        node = match node.kind() {
            "type_identifier" | "scoped_type_identifier" => return Some(node),
            "reference_type" | "pointer_type" | "qualified_type" | "generic_type" => {
                field(node, "type")?
            }
            "array_type" => field(node, "element")?,
            "dynamic_type" | "abstract_type" => field(node, "trait")?,
            "bounded_type" | "bracketed_type" | "parenthesized_type" => node.named_child(0)?,
            _ => return None,
        };
    }
    None
}

/// Returns the type argument of a type at a position, without counting lifetimes, given the node of the type's name, and one
/// around the type.
fn type_argument_at<'n>(named: Node<'n>, whole: Node<'n>, at: usize) -> Option<Node<'n>> {
    let mut generic = parent_in(whole, named)?;
    if generic.kind() == "scoped_type_identifier" {
        generic = parent_in(whole, generic)?;
    }
    let arguments = field(generic, "type_arguments")?;
    let types = children(arguments).into_iter();
    types.filter(|child| child.kind() != "lifetime").nth(at)
}

/// Returns the value that a call wraps: `a` of `Arc::new(a)` and `Some(a)`.
fn wrapped<'n>(call: Node<'n>, text: &str) -> Option<Node<'n>> {
    let function = field(call, "function")?;
    // The text of `a.b` may be long.
    if !matches!(function.kind(), "identifier" | "scoped_identifier") {
        return None;
    }
    let mut names = text.get(function.byte_range())?.rsplit("::");
    let name = names.next()?;
    let wraps = match names.next() {
        None => matches!(name, "Some" | "Ok"),
        Some(wrapper) => WRAPPING.contains(&name) && WRAPPERS.binary_search(&wrapper).is_ok(),
    };
    field(call, "arguments").filter(|_| wraps)?.named_child(0)
}

fn message(path: &str, name: &str) -> Option<MessageKind> {
    let is_of_error = || {
        let scopes = path.rsplit("::").skip(1);
        scopes.take(2).any(|scope| scope.ends_with("Error"))
    };
    match name {
        "expect" | "expect_err" | "context" | "with_context" | "wrap_err" | "wrap_err_with" => {
            Some(MessageKind::Error)
        }
        _ if path.contains("Error") && is_of_error() => Some(MessageKind::Error),
        _ => messages::of_call(path, name),
    }
}

/// Whether a comment is documentation: `//!` documents the enclosing item, and four slashes begin an
/// ordinary comment.
fn is_documentation(text: &str) -> bool {
    (text.starts_with("///") && !text.starts_with("////"))
        || text.starts_with("//!")
        || (text.starts_with("/**") && !text.starts_with("/***") && text != "/**/")
        || text.starts_with("/*!")
}

fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let function = field(node, "function")?;
    // `Some`, `Ok` and `Err` wrap most values, so they are no references.
    if matches!(walk.of(function), "Some" | "Ok" | "Err") {
        walk.collector.skip_to(function.end_byte());
        if walk.of(function) == "Err" {
            walk.collector
                .within(depth, |context| context.message = Some(MessageKind::Error));
        }
        return Some(Descend::Into);
    }
    imports::bind_outer_module(walk, function);
    walk.call(function, depth)
}

/// Returns the name of the method that a node calls, and the receiver.
fn method_call<'t>(walk: &Walk<'t>, call: Node<'t>) -> Option<(&'t str, Node<'t>)> {
    let function = field(call, "function").filter(|_| call.kind() == "call_expression")?;
    if function.kind() != "field_expression" {
        return None;
    }
    Some((
        walk.of(field(function, "field")?),
        field(function, "value")?,
    ))
}

/// Adds the names of the fields in `A { b: 1, c }`.
fn literal<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let made = field(node, "name")?;
    let parts = field(node, "body").into_iter().flat_map(children);
    let names = parts.filter_map(|part| match part.kind() {
        "field_initializer" => field(part, "field"),
        "shorthand_field_initializer" => last_child(part),
        _ => None,
    });
    walk.literal_fields(
        names.filter(|name| name.kind().ends_with("identifier")),
        made,
    );
    Some(Descend::Into)
}

fn scoped<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    imports::bind_outer_module(walk, node);
    member(walk, node, depth)
}

fn scoped_type<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    imports::bind_outer_module(walk, node);
    type_member(walk, node, depth)
}

/// Bounds of a trait are its bases; those of a parameter are types.
fn bounds<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let around = walk.ancestor(1);
    match around.is_some_and(|around| around.kind() == "trait_item") {
        true => base_list(walk, node, depth),
        false => type_position(walk, node, depth),
    }
}

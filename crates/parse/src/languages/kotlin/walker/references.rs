//! Collects Kotlin references (calls, types, bases, annotations), packages and imports.

use foveate_model::{ImportKind, ImportedName, MessageKind, ReferenceKind, Span};
use tree_sitter::Node;

use super::{first_identifier, is_type, last_identifier};
use crate::collect::{Position, span};
use crate::languages::MAX_TYPE_NESTING;
use crate::syntax::Descend;
use crate::walk::{Handled, Walk, child_of_kind, children, field};

/// Maximum number of calls inside each other that count as one.
const MAX_CALLS: usize = 4;
/// Maximum number of expressions that begin at one position.
const MAX_DEPTH: usize = 32;
/// Maximum number of members in a chain that are followed to its start.
const MAX_MEMBERS: usize = 8;

/// Returns the function of a call. The grammar parses `f(x) { … }` as a call of `f(x)`; both count as
/// one call.
pub(super) fn called(call: Node<'_>) -> Option<Node<'_>> {
    let mut function = call.named_child(0)?;
    let is_call = |node: Node<'_>| node.kind() == "call_expression";
    if !is_call(function) || child_of_kind(call, "value_arguments").is_some() {
        return Some(function);
    }
    for _ in 0..MAX_CALLS {
        if !is_call(function) {
            break;
        }
        function = function.named_child(0)?;
    }
    Some(function)
}

pub(super) fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let function = called(node).filter(|function| {
        class_literal(walk, *function).is_none() && !is_member_of_callable(*function)
    })?;
    walk.call(function, depth)
}

/// Returns `f` of `f<T>(x)` and `f<T> { … }`, which the grammar parses as two comparisons. Real comparisons have blanks, and
/// none is with a lambda.
pub(super) fn generic_call(node: Node<'_>) -> Option<Node<'_>> {
    let (left, right) = (field(node, "left")?, field(node, "right")?);
    if left.kind() != "binary_expression" || operator(node)? != ">" || operator(left)? != "<" {
        return None;
    }
    let (function, argument) = (field(left, "left")?, field(left, "right")?);
    let is_call = match first_part(right)? {
        "parenthesized_expression" => left.end_byte() + 1 == right.start_byte(),
        kind => kind == "lambda_literal",
    };
    (is_call && function.end_byte() + 1 == argument.start_byte()).then_some(function)
}

/// Returns `a` of `a ?: b`.
pub(super) fn with_default(node: Node<'_>) -> Option<Node<'_>> {
    field(node, "left").filter(|_| operator(node) == Some("?:"))
}

fn operator(node: Node<'_>) -> Option<&str> {
    Some(field(node, "operator")?.kind())
}

/// Returns the kind of the bracket or lambda that an expression begins with.
fn first_part<'t>(mut node: Node<'t>) -> Option<&'t str> {
    for _ in 0..MAX_DEPTH {
        if matches!(node.kind(), "parenthesized_expression" | "lambda_literal") {
            return Some(node.kind());
        }
        let first = node.named_child(0)?;
        if first.start_byte() != node.start_byte() {
            return None;
        }
        node = first;
    }
    None
}

pub(super) fn binary<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let function = generic_call(node)?;
    let descend = walk.call(function, depth);
    if let Some(argument) = field(node, "left").and_then(|left| field(left, "right")) {
        walk.refer(ReferenceKind::Type, argument);
    }
    descend
}

/// Adds `a.b` and `A::b`. `A::class` is a reference to the type; the members after it belong to the library.
pub(super) fn member<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let Some(literal) = class_literal(walk, node) else {
        if is_member_of_callable(node) {
            walk.mark_handled(last_identifier(node));
            return Some(Descend::Into);
        }
        return crate::walk::member(walk, node, depth);
    };
    if literal == node
        && let Some(named) = node.named_child(0)
    {
        walk.refer(ReferenceKind::Type, named);
    }
    walk.mark_handled(last_identifier(node));
    Some(Descend::Into)
}

/// Returns the `A::class` that a chain of members starts with. The grammar parses it as a member, too.
fn class_literal<'t>(walk: &Walk<'t>, mut node: Node<'t>) -> Option<Node<'t>> {
    for _ in 0..MAX_MEMBERS {
        if node.kind() != "navigation_expression" {
            return None;
        }
        let is_literal =
            node.child(1)?.kind() == "::" && walk.of(last_identifier(node)?) == "class";
        if is_literal {
            return Some(node);
        }
        node = node.named_child(0)?;
    }
    None
}

/// Whether a node is a member of a function or property that a callable reference names, as in `::f.name` and
/// `a::b.isInitialized`. It belongs to the library.
fn is_member_of_callable(mut node: Node<'_>) -> bool {
    for _ in 0..MAX_MEMBERS {
        if node.kind() != "navigation_expression" {
            return false;
        }
        let Some(object) = node.named_child(0) else {
            return false;
        };
        let is_scoped = || object.child(1).is_some_and(|mark| mark.kind() == "::");
        match object.kind() {
            "callable_reference" => return true,
            "navigation_expression" if is_scoped() => return true,
            "navigation_expression" => node = object,
            _ => return false,
        }
    }
    false
}

/// Adds the function or property of `::f` and `A::f`.
pub(super) fn callable<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    if last_identifier(node).is_some() {
        walk.refer(ReferenceKind::Attribute, node);
    }
    Some(Descend::Into)
}

/// Adds the type raised by `throw E("…")`.
pub(super) fn throw<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let thrown = node.named_child(0);
    let created = thrown.filter(|thrown| thrown.kind() == "call_expression");
    let created = created.and_then(called)?;
    let name = last_identifier(created).unwrap_or(created);
    if walk.of(name).starts_with(char::is_uppercase) {
        walk.refer(ReferenceKind::Raise, created);
        walk.collector
            .within(depth, |context| context.message = Some(MessageKind::Error));
    }
    Some(Descend::Into)
}

/// Adds `a.B<C>` as a type: its whole path is one reference. One-letter names are type parameters.
pub(super) fn type_use<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let kind = match walk.context().position {
        Position::Base => ReferenceKind::Base,
        Position::Value | Position::Type => ReferenceKind::Type,
    };
    refer_to_type(walk, kind, node);
    Some(Descend::Into)
}

pub(super) fn refer_to_type<'t>(walk: &mut Walk<'t>, kind: ReferenceKind, node: Node<'t>) {
    let Some(named) = type_within(node) else {
        return;
    };
    let mut names = children(named);
    names.retain(|part| part.kind() == "identifier");
    let (Some(first), Some(last)) = (names.first(), names.last()) else {
        return;
    };
    if walk.collector.is_skipped(last.start_byte()) {
        return;
    }
    let path = Span::new(first.start_byte(), last.end_byte());
    let is_plain = !path.of(walk.collector.text).contains('<');
    if first == last || !is_plain {
        if walk.of(*last).len() > 1 {
            walk.refer(kind, *last);
        } else {
            walk.mark_handled(*last);
        }
        if first != last {
            walk.refer(ReferenceKind::Type, *first);
        }
    } else {
        walk.collector.refer_at(kind, span(*last), path);
        walk.collector.skip_to(last.end_byte());
    }
}

/// Returns the named type in `A?`, `(A)` and `A(…)`.
pub(super) fn type_within(mut node: Node<'_>) -> Option<Node<'_>> {
    for _ in 0..MAX_TYPE_NESTING {
        if node.kind() == "user_type" {
            return Some(node);
        }
        let mut parts = children(node).into_iter();
        node = parts.find(|part| is_type(*part) || part.kind() == "constructor_invocation")?;
    }
    None
}

/// Adds the base in `A(x)`, `A by x` and `A` after the colon of a class.
pub(super) fn base<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let part = children(node)
        .into_iter()
        .find(|part| part.kind() != "annotation");
    let named = part.map(|part| match part.kind() {
        "explicit_delegation" => part.named_child(0).unwrap_or(part),
        _ => part,
    });
    if let Some(named) = named
        && named.kind() != "function_type"
    {
        refer_to_type(walk, ReferenceKind::Base, named);
    }
    Some(Descend::Into)
}

/// Adds the annotations of `@A(x)`, `@get:A`, `@file:[A B]`.
pub(super) fn annotation<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    for named in annotated(node) {
        refer_to_type(walk, ReferenceKind::Decorator, named);
    }
    Some(Descend::Into)
}

/// Returns the types of an annotation.
pub(super) fn annotated(annotation: Node<'_>) -> Vec<Node<'_>> {
    let parts = children(annotation).into_iter();
    parts
        .filter(|part| is_type(*part) || part.kind() == "constructor_invocation")
        .filter_map(|part| match part.kind() {
            "constructor_invocation" => type_within(part),
            _ => Some(part),
        })
        .collect()
}

/// Skips the name in `f(name = value)`: a parameter of the function.
pub(super) fn argument<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let is_named = node.child(1).is_some_and(|second| second.kind() == "=");
    if is_named && let Some(name) = node.child(0) {
        walk.mark_handled(name);
    }
    Some(Descend::Into)
}

/// Skips the label in `return@label value`.
pub(super) fn returned<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    walk.mark_handled(field(node, "label"));
    Some(Descend::Into)
}

/// Skips the first name of a declaration: it is no reference.
pub(super) fn skip_declared_name<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    walk.mark_handled(first_identifier(node));
    Some(Descend::Into)
}

/// A string literal. The grammar has no nodes for the names in `$name`.
pub(super) fn text<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    for part in children(node) {
        if part.kind() != "string_content" || walk.of(part) != "$" {
            continue;
        }
        let rest = walk.collector.text.get(part.end_byte()..).unwrap_or("");
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let len = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        if !rest.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            continue;
        }
        let name = Span::new(part.end_byte(), part.end_byte() + len);
        walk.collector.refer_at(ReferenceKind::Name, name, name);
    }
    crate::walk::text(walk, node, depth)
}

pub(super) fn package<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    if let Some(name) = node.named_child(0) {
        walk.collector.facts.package = plain(walk.of(name)).into();
    }
    Some(Descend::Past)
}

/// Adds `import a.b.c`, `import a.b.c as d`, `import a.b.*`: all but the last name is the module. A member
/// imported from a companion is a member of its class.
pub(super) fn import<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let Some(path) = child_of_kind(node, "qualified_identifier") else {
        return Some(Descend::Past);
    };
    let mut cursor = node.walk();
    let is_star = node.children(&mut cursor).any(|part| part.kind() == "*");
    let alias = first_identifier(node).map(|alias| walk.of(alias));
    let path = plain(walk.of(path));
    let (module, name, local) = match (is_star, path.rsplit_once('.')) {
        (true, _) => (&*path, "*", ""),
        (false, Some((module, name))) => (module, name, alias.unwrap_or(name)),
        (false, None) => ("", &*path, alias.unwrap_or(&path)),
    };
    let module = module.strip_suffix(".Companion").unwrap_or(module);
    let names = vec![ImportedName::new(name, local)];
    walk.collector
        .import(node, None, ImportKind::From, module, names);
    Some(Descend::Past)
}

/// Returns a path without blanks and without the backticks of quoted names.
fn plain(path: &str) -> String {
    path.chars()
        .filter(|c| !c.is_whitespace() && *c != '`')
        .collect()
}

//! Collects PHP references: calls and other uses of names.

use foveate_model::values::Link;
use foveate_model::{DefinitionKind, MessageKind, ReferenceKind};
use tree_sitter::Node;

use super::{created, is_name, pest};
use crate::collect::{Draft, Position, span};
use crate::syntax::Descend;
use crate::walk::{Handled, Walk, child_of_kind, children, field, last_child, member, type_member};

/// Maximum number of members in a path that are followed to the class at its start.
const MAX_MEMBERS: usize = 16;

/// Adds a declared type; `self`, `static` and `parent` are no references.
pub(super) fn named<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    match walk.of(node) {
        "self" | "static" | "parent" => Some(Descend::Past),
        _ => type_member(walk, node, depth),
    }
}

/// Adds `$a->b`, `A::$b` and `A::B`.
pub(super) fn access<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    if !walk.collector.is_skipped(node.start_byte()) {
        class_before(walk, node);
        // `A::class` is a reference to the class only.
        let name = last_child(node);
        if name.is_some_and(|name| walk.of(name) == "class") {
            walk.collector.skip_to(node.end_byte());
            return Some(Descend::Past);
        }
    }
    member(walk, node, depth)
}

/// Records the class in `A::b()` as a reference of its own, since the member may be an inherited one.
fn class_before<'t>(walk: &mut Walk<'t>, mut node: Node<'t>) {
    // `A::$b->c` is one path.
    for _ in 0..MAX_MEMBERS {
        match field(node, "object").filter(|object| is_access(*object)) {
            Some(object) => node = object,
            None => break,
        }
    }
    let scope = field(node, "scope").or_else(|| node.named_child(0));
    let Some(class) = scope.filter(|scope| is_name(*scope)) else {
        return;
    };
    let is_own = matches!(walk.of(class), "self" | "static" | "parent");
    if is_own || walk.collector.is_skipped(class.start_byte()) {
        return;
    }
    let last = match class.kind() {
        "name" => Some(class),
        _ => last_child(class),
    };
    if let Some(last) = last {
        let kind = match class.kind() {
            "name" => ReferenceKind::Name,
            _ => ReferenceKind::Attribute,
        };
        walk.collector.refer_at(kind, span(last), span(class));
    }
}

fn is_access(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "member_access_expression"
            | "scoped_property_access_expression"
            | "class_constant_access_expression"
    )
}

pub(super) fn function_call<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let function = field(node, "function")?;
    if !is_name(function) {
        return Some(Descend::Into);
    }
    match walk.of(function) {
        "define" => {
            define_constant(walk, node);
            walk.collector.skip_to(function.end_byte());
        }
        called @ ("it" | "test" | "describe" | "todo") => {
            if let Some(descend) = pest::block(walk, node, called, depth) {
                return Some(descend);
            }
        }
        _ => {}
    }
    walk.call(function, depth)
}

pub(super) fn member_call<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    if field(node, "object").is_some_and(is_access) {
        class_before(walk, node);
    }
    walk.call(node, depth)
}

pub(super) fn scoped_call<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    class_before(walk, node);
    walk.call(node, depth)
}

/// Adds `new A(…)`; `new self` is no reference.
pub(super) fn creation<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let class = created(node)?;
    if matches!(walk.of(class), "self" | "static" | "parent") {
        walk.collector.skip_to(class.end_byte());
        return Some(Descend::Into);
    }
    walk.call(class, depth)
}

pub(super) fn throw<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let thrown = node.named_child(0);
    let class = thrown.filter(|thrown| thrown.kind() == "object_creation_expression");
    if let Some(class) = class.and_then(created) {
        walk.refer(ReferenceKind::Raise, class);
    }
    walk.collector
        .within(depth, |context| context.message = Some(MessageKind::Error));
    Some(Descend::Into)
}

/// Adds the method that the second element of `[$this, 'a']` and `[A::class, 'a']` names.
pub(super) fn callable<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    if let Some((receiver, method)) = callable_parts(walk, node) {
        let link = Link {
            name: span(receiver),
            is_called: false,
            is_indexed: false,
        };
        let kind = ReferenceKind::Attribute;
        walk.collector
            .refer_to_member_of(kind, span(method), method, link);
    }
    Some(Descend::Into)
}

/// Returns the object or class, and the name of its method, if the current `node` is the second element of such
/// an array.
fn callable_parts<'t>(walk: &Walk<'t>, node: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
    let array = walk.ancestor(1);
    let array = array.filter(|array| array.named_child_count() == 2)?;
    let first = array.named_child(0)?;
    if first == node || first.kind() != node.kind() {
        return None;
    }
    let only = |element: Node<'t>| {
        element
            .named_child(0)
            .filter(|_| element.named_child_count() == 1)
    };
    let (first, second) = (only(first)?, only(node)?);
    let receiver = match first.kind() {
        "variable_name" if walk.of(first) == "$this" => first,
        "class_constant_access_expression" => {
            let is_class = last_child(first).is_some_and(|name| walk.of(name) == "class");
            // A qualified name is not one link but several.
            let is_link = |class: &Node<'_>| is_class && class.kind() != "qualified_name";
            first.named_child(0).filter(is_link)?
        }
        _ => return None,
    };
    let method = child_of_kind(second, "string_content")?;
    let is_name = |text: &str| {
        let mut chars = text.chars();
        chars.all(|c| c.is_alphanumeric() || c == '_') && !text.starts_with(char::is_numeric)
    };
    let is_whole = second.named_child_count() == 1;
    (is_whole && is_name(walk.of(method))).then_some((receiver, method))
}

/// Adds the attribute `#[A(…)]`.
pub(super) fn attribute<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let name = node.named_child(0)?;
    walk.refer(ReferenceKind::Decorator, name);
    // A test gets its arguments from the method that these attributes name.
    let last = walk.of(name).rsplit('\\').next();
    if matches!(last, Some("DataProvider" | "Depends")) {
        let argument = field(node, "parameters").and_then(|list| list.named_child(0));
        let literal = argument.and_then(|argument| argument.named_child(0));
        let content = literal.and_then(|literal| child_of_kind(literal, "string_content"));
        if let Some(method) = content {
            walk.call_named_member(None, span(method));
        }
    }
    Some(Descend::Into)
}

/// Adds the type in `$a instanceof B`.
pub(super) fn instance_of<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let operator = field(node, "operator");
    let class = field(node, "right").filter(|right| is_name(*right));
    if let Some(class) = class.filter(|_| operator.is_some_and(|o| walk.of(o) == "instanceof")) {
        let left = field(node, "left");
        if let Some(tested) = left {
            walk.tested(tested, class);
        }
        let left = left.map_or("", |left| left.kind());
        // References in the left operand come first.
        if left == "variable_name" {
            walk.refer(ReferenceKind::Type, class);
        } else {
            walk.collector.enter_position(depth, Position::Value);
        }
    }
    Some(Descend::Into)
}

/// Adds the constant of `define('A', 1)`.
fn define_constant<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let arguments = field(node, "arguments").map_or_else(Vec::new, children);
    let literal = arguments
        .first()
        .and_then(|argument| argument.named_child(0));
    let content = literal.and_then(|literal| child_of_kind(literal, "string_content"));
    let Some(content) = content else { return };
    let place = span(content);
    let mut draft = Draft::new(
        place.of(walk.collector.text),
        DefinitionKind::Constant,
        span(node),
        place,
    );
    draft.body = arguments.get(1).map(|value| span(*value));
    walk.collector.define_in(None, draft);
}

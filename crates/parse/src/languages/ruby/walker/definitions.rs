//! Collects Ruby definitions: classes, modules, methods, and fields of structs.

use foveate_model::values::Link;
use foveate_model::{DefinitionKind, LocalId, ReferenceKind, Span, Visibility};
use tree_sitter::Node;

use super::yard::types_above;
use super::{arguments, is_constant, literal_name};
use crate::collect::{Draft, Section, span};
use crate::syntax::{Descend, inside_brackets};
use crate::values::DocumentedTypes;
use crate::walk::{Handled, Walk, children, field};

/// Adds `class A::B < C`.
pub(super) fn class<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let written = field(node, "name")?;
    let mut draft = constant_draft(walk, DefinitionKind::Class, node, written);
    let superclass = field(node, "superclass");
    let base = superclass.and_then(|superclass| superclass.named_child(0));
    let end = superclass.map_or(written.end_byte(), |superclass| superclass.end_byte());
    draft.signature_end = end;
    draft.body = Some(body(node, end));
    draft.bases = base
        .and_then(|base| base_name(walk, base))
        .into_iter()
        .collect();
    let id = enter(walk, draft, depth, DefinitionKind::Class);
    if let Some(created) = base.filter(|base| base.kind() == "call") {
        struct_fields(walk, id, created);
    }
    Some(Descend::Into)
}

pub(super) fn module<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let written = field(node, "name")?;
    let mut draft = constant_draft(walk, DefinitionKind::Module, node, written);
    draft.signature_end = written.end_byte();
    draft.body = Some(body(node, written.end_byte()));
    enter(walk, draft, depth, DefinitionKind::Module);
    Some(Descend::Into)
}

/// Enters `class << self`: its members are static members of the enclosing class.
pub(super) fn singleton_class<'t>(walk: &mut Walk<'t>, _: Node<'t>, depth: u32) -> Handled {
    walk.collector.within(depth, |context| {
        context.section = Section {
            visibility: Visibility::Public,
            is_static: true,
        };
    });
    Some(Descend::Into)
}

/// Drafts a class, module or constant under the last name of its path. The scope before it (`A::`) is
/// where it belongs.
pub(super) fn constant_draft<'t>(
    walk: &Walk<'t>,
    kind: DefinitionKind,
    node: Node<'t>,
    written: Node<'t>,
) -> Draft<'t> {
    let name = field(written, "name").unwrap_or(written);
    let mut draft = walk.draft(kind, node, name, None);
    draft.visibility = Some(Visibility::Public);
    if let Some(scope) = field(written, "scope").filter(|scope| is_constant(*scope)) {
        draft.receiver = Some(walk.of(scope));
        draft.modifiers.is_out_of_line = true;
    }
    draft
}

/// Returns the span of a statement with the here documents that it begins: they follow it.
pub(super) fn with_here_documents(node: Node<'_>) -> Span {
    let mut end = node.end_byte();
    let mut next = node.next_sibling();
    while let Some(body) = next.filter(|next| next.kind() == "heredoc_body") {
        end = body.end_byte();
        next = body.next_sibling();
    }
    Span::new(node.start_byte(), end)
}

/// Adds a definition with members, and enters it.
pub(super) fn enter<'t>(
    walk: &mut Walk<'t>,
    draft: Draft<'t>,
    depth: u32,
    kind: DefinitionKind,
) -> LocalId {
    // The names before the last one are its scope, not references.
    walk.collector.skip_to(draft.name_span.end as usize);
    let id = walk.define(draft);
    walk.enter_definition(depth, id, kind);
    walk.collector
        .within(depth, |context| context.section = Section::default());
    id
}

/// Returns the name of a base class: `B`, `A::B`, `B` of `B[1.0]`, `Class.new(B)` and
/// `DelegateClass(B)`. Other calls give `None`.
pub(super) fn base_name(walk: &Walk<'_>, base: Node<'_>) -> Option<Box<str>> {
    let named = match base.kind() {
        "element_reference" => field(base, "object")?,
        "call" => {
            let maker = field(base, "receiver").map(|receiver| walk.of(receiver));
            let is_class = maker == Some("Class")
                || field(base, "method").is_some_and(|name| walk.of(name) == "DelegateClass");
            is_class.then(|| arguments(base).into_iter().next())??
        }
        _ => base,
    };
    is_constant(named).then(|| walk.of(named).trim_start_matches("::").into())
}

/// Adds the fields of `Struct.new(:a, :b)` and `Data.define(:a)`.
pub(super) fn struct_fields<'t>(walk: &mut Walk<'t>, class: LocalId, created: Node<'t>) {
    let maker = field(created, "receiver").map_or("", |receiver| walk.of(receiver));
    if matches!(maker, "Struct" | "Data" | "::Struct" | "::Data") {
        symbol_fields(walk, class, created);
    }
}

/// Adds the fields that the symbols among the arguments of a call name.
pub(super) fn symbol_fields<'t>(walk: &mut Walk<'t>, class: LocalId, created: Node<'t>) {
    for argument in arguments(created) {
        if argument.kind() == "simple_symbol"
            && let Some((name, place)) = literal_name(walk, argument)
        {
            let mut draft = Draft::new(name, DefinitionKind::Field, span(argument), place);
            draft.visibility = Some(Visibility::Public);
            walk.collector.define_once(Some(class), draft);
        }
    }
}

/// Returns the span of the body; without one, the rest of the definition after its head.
fn body(node: Node<'_>, head_end: usize) -> Span {
    match field(node, "body") {
        Some(body) => span(body),
        None => Span::new(head_end, node.end_byte().max(head_end)),
    }
}

/// Adds `def name`, `def self.name`, `def Class.name`.
pub(super) fn method<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let name = field(node, "name")?;
    let is_member = walk.parent_kind().is_some_and(|kind| kind.is_container());
    let object = field(node, "object");
    let section = walk.context().section;
    let parameters = field(node, "parameters");
    let kind = match is_member || object.is_some_and(is_constant) {
        true => DefinitionKind::Method,
        false => DefinitionKind::Function,
    };
    let mut draft = walk.draft(kind, node, name, None);
    let end = parameters.unwrap_or(name).end_byte();
    draft.signature_end = end;
    draft.body = Some(body(node, end));
    draft.parameters = parameters.map(inside_brackets);
    draft.modifiers.is_static = object.is_some() || section.is_static;
    draft.modifiers.is_constructor = is_member && object.is_none() && draft.name == "initialize";
    draft.visibility = Some(match object {
        Some(_) => Visibility::Public,
        None => section.visibility,
    });
    if let Some(owner) = object.filter(|object| is_constant(*object))
        && !is_enclosing(walk, walk.of(owner))
    {
        draft.receiver = Some(walk.of(owner));
        draft.modifiers.is_out_of_line = true;
    }
    let documented = types_above(walk, node);
    let id = walk.define(draft);
    documented.add_return_type(walk, id);
    for parameter in parameters.into_iter().flat_map(children) {
        add_parameter(walk, id, parameter, &documented);
    }
    if let Some(returned) = returned_expression(walk, node) {
        let value = walk.value_of(returned);
        walk.holds(id, value);
    }
    walk.enter_definition(depth, id, kind);
    Some(Descend::Into)
}

/// Returns the expression whose value a method returns: the only one, or `A.new` after statements that return nothing.
/// Of an assignment, as in `@a ||= A.new`, it is the right side.
fn returned_expression<'t>(walk: &Walk<'t>, method: Node<'t>) -> Option<Node<'t>> {
    let body = field(method, "body")?;
    let mut statements = match body.kind() {
        "body_statement" => children(body),
        _ => vec![body],
    };
    statements.retain(|statement| statement.kind() != "comment");
    let (last, before) = statements.split_last()?;
    let value = match last.kind() {
        "assignment" | "operator_assignment" => field(*last, "right")?,
        _ => *last,
    };
    let goes_on = |statement: &Node<'t>| {
        matches!(
            statement.kind(),
            "assignment" | "operator_assignment" | "call"
        )
    };
    let is_returned =
        before.is_empty() || is_construction(walk, value) && before.iter().all(goes_on);
    is_returned.then_some(value)
}

/// Whether an expression is `A.new`, with or without arguments.
fn is_construction(walk: &Walk<'_>, expression: Node<'_>) -> bool {
    let method = field(expression, "method");
    expression.kind() == "call"
        && method.is_some_and(|method| walk.of(method) == "new")
        && field(expression, "receiver").is_some_and(is_constant)
}

/// Whether the enclosing definition has this name.
fn is_enclosing(walk: &Walk<'_>, name: &str) -> bool {
    walk.parent().is_some_and(|parent| &*parent.name == name)
}

/// Returns the name that a parameter binds; `(a, (b, *c))` binds several.
pub(super) fn bound_names<'t>(parameter: Node<'t>) -> Vec<Node<'t>> {
    if parameter.kind() == "identifier" {
        return vec![parameter];
    }
    let mut names = Vec::new();
    let mut pending = vec![parameter];
    while let Some(node) = pending.pop() {
        match node.kind() {
            "identifier" => names.push(node),
            "destructured_parameter"
            | "destructured_left_assignment"
            | "left_assignment_list"
            | "rest_assignment" => pending.extend(children(node)),
            _ => names.extend(field(node, "name").filter(|name| name.kind() == "identifier")),
        }
    }
    names
}

fn add_parameter<'t>(
    walk: &mut Walk<'t>,
    function: LocalId,
    parameter: Node<'t>,
    documented: &DocumentedTypes<'t>,
) {
    for name in bound_names(parameter) {
        walk.parameter(function, name, None);
        documented.set_parameter_type(walk, name);
    }
}

/// Adds the call of `super`: that of the method of the same name in a base class, which the graph knows.
pub(super) fn inherited<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let enclosing = walk.context().enclosing;
    let method = enclosing.and_then(|id| walk.collector.definition(id));
    if method.is_some_and(|method| method.kind == DefinitionKind::Method) {
        let name = span(node);
        let link = Link {
            name,
            is_called: true,
            is_indexed: false,
        };
        walk.collector
            .refer_to_member_of(ReferenceKind::Call, name, node, link);
    }
    Some(Descend::Past)
}

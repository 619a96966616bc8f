//! Collects functions, prototypes, variables and fields of C and C++.

use foveate_model::values::Value;
use foveate_model::{DefinitionKind, LocalId, ReferenceKind, Span, Visibility};
use tree_sitter::Node;

use super::declarators::{Declarator, declared};
use super::define::{define, is_rewritten};
use super::references::initial_fields;
use crate::collect::{Draft, Scope, span};
use crate::syntax::{Descend, inside_brackets};
use crate::walk::{Handled, Walk, child_of_kind, children, children_in, field};

/// Modifiers before a declarator.
#[derive(Clone, Copy, Debug, Default)]
struct DeclaredModifiers {
    is_static: bool,
    is_extern: bool,
    is_inline: bool,
    is_constant: bool,
}

impl DeclaredModifiers {
    fn of(walk: &Walk<'_>, node: Node<'_>) -> Self {
        let mut found = Self::default();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            if !matches!(child.kind(), "storage_class_specifier" | "type_qualifier") {
                continue;
            }
            match walk.of(child) {
                "static" => found.is_static = true,
                "extern" => found.is_extern = true,
                "inline" | "__inline" | "__inline__" | "__forceinline" => found.is_inline = true,
                "const" | "constexpr" => found.is_constant = true,
                _ => {}
            }
        }
        found
    }
}

/// Adds a function with its body.
pub(super) fn function<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let found = field(node, "declarator").and_then(declared);
    let is_function =
        |found: &Declarator<'_>| found.function.is_some() && !begins_statement(walk.of(found.name));
    let found = found.filter(is_function)?;
    if is_rewritten(walk, node) || !names_function(walk, node, &found) {
        return super::macros::defined_function(walk, node, &found, depth);
    }
    let mut draft = head(walk, node, &found);
    let body = field(node, "body").or_else(|| child_of_kind(node, "try_statement"));
    if let Some(body) = body {
        draft.body = Some(span(body));
        let list = child_of_kind(node, "field_initializer_list");
        draft.signature_end = list.unwrap_or(body).start_byte();
    }
    draft.modifiers.is_abstract = child_of_kind(node, "pure_virtual_clause").is_some();
    let id = define(walk, draft);
    enter(walk, node, depth, id, &found);
    Some(Descend::Into)
}

/// Whether a word begins a statement. Behind an unknown macro, `begin_stats if (a) {`, the grammar sees a function.
fn begins_statement(word: &str) -> bool {
    matches!(
        word,
        "catch" | "do" | "else" | "for" | "if" | "return" | "switch" | "while"
    )
}

/// Whether a node with the form of a function is one. Without a type it must be a constructor, a destructor
/// or a conversion; any other is a macro that expands to a function.
pub(super) fn names_function(walk: &Walk<'_>, node: Node<'_>, found: &Declarator<'_>) -> bool {
    field(node, "type").is_some()
        || found.scope(walk.collector.text).is_some()
        || found.name.kind() != "identifier"
        || child_of_kind(node, "field_initializer_list").is_some()
        || is_of_class_around(walk, walk.of(found.name))
}

fn is_of_class_around(walk: &Walk<'_>, name: &str) -> bool {
    walk.context().scope == Scope::Class && walk.parent().is_some_and(|class| &*class.name == name)
}

/// Returns the draft of a function or prototype, from its head.
fn head<'t>(walk: &Walk<'t>, node: Node<'t>, found: &Declarator<'t>) -> Draft<'t> {
    let text = walk.collector.text;
    let name_span = found.name_span();
    let name = name_span.of(text);
    let scope = found.scope(text);
    let is_member = walk.context().scope == Scope::Class;
    let kind = match is_member || scope.is_some() {
        true => DefinitionKind::Method,
        false => DefinitionKind::Function,
    };
    let mut draft = Draft::new(name, kind, span(node), name_span);
    draft.parameters = found.parameters().map(inside_brackets);
    let modifiers = DeclaredModifiers::of(walk, node);
    draft.modifiers.is_static = modifiers.is_static && kind == DefinitionKind::Method;
    // Inline functions are in headers, for all files that include them.
    if modifiers.is_static && !modifiers.is_inline && kind == DefinitionKind::Function {
        draft.visibility = Some(Visibility::Private);
    }
    if let Some(scope) = scope {
        draft.receiver = Some(scope);
        draft.modifiers.is_out_of_line = true;
    }
    draft.modifiers.is_constructor =
        is_of_class_around(walk, name) || scope.is_some_and(|scope| last_scope(scope) == name);
    draft
}

/// Returns `B` of `a::B<T>`.
fn last_scope(scope: &str) -> &str {
    let scope = scope.split('<').next().unwrap_or(scope);
    scope.rsplit("::").next().unwrap_or(scope).trim()
}

/// Adds the parameters and result of a function that the walk enters.
fn enter<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32, id: LocalId, found: &Declarator<'t>) {
    take_signature(walk, node, id, found);
    walk.enter_definition(depth, id, DefinitionKind::Function);
}

fn take_signature<'t>(walk: &mut Walk<'t>, node: Node<'t>, id: LocalId, found: &Declarator<'t>) {
    // `int f(a) int a; {`: the grammar does not see the declarations.
    let head = found.parameters().zip(field(node, "body"));
    let head =
        head.map(|(list, body)| Span::new(list.end_byte(), body.start_byte().max(list.end_byte())));
    let is_old = head.is_some_and(|head| head.of(walk.collector.text).contains(';'));
    for parameter in found.parameters().into_iter().flat_map(children) {
        let is_lone = parameter.named_child_count() == 1;
        let lone = parameter.named_child(0).filter(|_| is_lone && is_old);
        if parameter.kind() == "identifier" {
            walk.parameter(id, parameter, None);
        } else if let Some(name) = lone {
            walk.parameter(id, name, None);
        } else if let Some(named) = field(parameter, "declarator").and_then(declared) {
            walk.parameter(id, named.name, field(parameter, "type"));
        }
    }
    walk.returns(id, found.trailing_type().or_else(|| field(node, "type")));
}

/// Adds what `int a = 1, *b, f(int);` declares outside of types.
pub(super) fn declaration<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    if walk.context().is_foreign {
        return Some(Descend::Into);
    }
    let declarators = children_in(node, "declarator");
    let is_single = declarators.len() == 1;
    let mut holder = None;
    for declarator in declarators {
        let Some(mut found) = declared(declarator) else {
            continue;
        };
        found.value = found.value.or_else(|| field(node, "value"));
        if let Some(made) = field(node, "type") {
            initial_fields(walk, made, declarator);
        }
        if walk.is_in_function() {
            local(walk, node, &found);
        } else if found.function.is_none() {
            if is_instantiation(walk, node) {
                continue;
            }
            let id = variable(walk, node, declarator, &found, is_single);
            holder = holder.or(Some(id));
        } else if names_function(walk, node, &found) {
            prototype(walk, node, depth, &found);
        } else {
            // A macro that expands to declarations.
            walk.refer(ReferenceKind::Call, found.name);
        }
    }
    // The fields of `struct { … } a;` belong to the variable.
    let made = field(node, "type").filter(|made| field(*made, "body").is_some());
    if let (Some(_), Some(_)) = (made.filter(|made| field(*made, "name").is_none()), holder)
        && made.is_some_and(|made| made.kind() != "enum_specifier")
    {
        walk.collector.within(depth, |context| {
            (context.parent, context.scope) = (holder, Scope::Class);
        });
    }
    Some(Descend::Into)
}

/// Whether a declaration is the rest of `template class API a::B<int>;`, whose first word is masked. With a macro
/// before its name it looks like that of a variable.
fn is_instantiation(walk: &Walk<'_>, node: Node<'_>) -> bool {
    let before = walk.collector.text.get(..node.start_byte()).unwrap_or("");
    let before = before.trim_end();
    let before = ["class", "struct", "union"]
        .iter()
        .find_map(|word| before.strip_suffix(word))
        .unwrap_or(before);
    before.trim_end().ends_with("template")
}

/// Adds a function that is only declared: its body is elsewhere.
fn prototype<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32, found: &Declarator<'t>) {
    let mut draft = head(walk, node, found);
    let initial = field(node, "default_value");
    draft.modifiers.is_abstract = initial.is_some_and(|value| walk.of(value) == "0");
    draft.modifiers.is_overload = initial.is_none();
    let id = define(walk, draft);
    enter(walk, node, depth, id, found);
}

/// Adds a variable of a file or namespace.
fn variable<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    declarator: Node<'t>,
    found: &Declarator<'t>,
    is_single: bool,
) -> LocalId {
    let modifiers = DeclaredModifiers::of(walk, node);
    let kind = match modifiers.is_constant && !found.is_pointer {
        true => DefinitionKind::Constant,
        false => DefinitionKind::Variable,
    };
    let name = found.name;
    let mut draft = walk.draft(kind, node, name, None);
    if let Some(value) = found.value {
        draft.body = Some(span(value));
        if is_single {
            let named = field(declarator, "declarator").unwrap_or(declarator);
            draft.signature_end = named.end_byte();
        }
    }
    if modifiers.is_static {
        draft.visibility = Some(Visibility::Private);
    }
    draft.modifiers.is_overload = modifiers.is_extern && found.value.is_none();
    draft.receiver = found.scope(walk.collector.text);
    draft.modifiers.is_out_of_line = draft.receiver.is_some();
    let id = define(walk, draft);
    let value = held(walk, node, found);
    walk.holds(id, value);
    id
}

/// Returns the value of a variable: its type, or what its initial value tells.
fn held<'t>(walk: &Walk<'t>, node: Node<'t>, found: &Declarator<'t>) -> Value {
    let initial = found.value;
    let initial =
        initial.filter(|value| !matches!(value.kind(), "argument_list" | "initializer_list"));
    walk.declared_value(field(node, "type"), initial)
}

/// Adds a local variable. `Lock lock(mutex);` looks like a prototype, and hardly ever is one.
fn local<'t>(walk: &mut Walk<'t>, node: Node<'t>, found: &Declarator<'t>) {
    if found.name.kind() != "identifier" || found.whole != found.name {
        return;
    }
    let value = held(walk, node, found);
    walk.local(found.name, value);
    for argument in found.parameters().into_iter().flat_map(children) {
        let lone = field(argument, "type").filter(|_| argument.named_child_count() == 1);
        if let Some(name) = lone.filter(|name| name.kind() == "type_identifier") {
            walk.collector.refer(ReferenceKind::Name, name);
            walk.mark_handled(name);
        }
    }
}

/// Adds members of a type: fields, and methods without a body.
pub(super) fn field_declaration<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    if walk.context().scope != Scope::Class || walk.context().is_foreign {
        return Some(Descend::Into);
    }
    let declarators = children_in(node, "declarator");
    for declarator in declarators {
        let Some(found) = declared(declarator) else {
            continue;
        };
        if found.function.is_some() {
            prototype(walk, node, depth, &found);
            continue;
        }
        let modifiers = DeclaredModifiers::of(walk, node);
        let mut draft = walk.draft(DefinitionKind::Field, node, found.name, None);
        draft.modifiers.is_static = modifiers.is_static;
        let id = define(walk, draft);
        let value = walk.declared_value(field(node, "type"), field(node, "default_value"));
        walk.holds(id, value);
    }
    Some(Descend::Into)
}

/// Adds the variable of `for (auto& a : b)`.
pub(super) fn loop_variable<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    if let Some(found) = field(node, "declarator").and_then(declared) {
        let value = walk.element_value(field(node, "type"), field(node, "right"));
        walk.local(found.name, value);
    }
    Some(Descend::Into)
}

/// Adds the variables of `auto [a, b] = f();`
pub(super) fn structured_binding<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    walk.locals(children(node), Value::Unknown);
    Some(Descend::Into)
}

/// Enters `[a](int b) { … }` and adds its parameters.
pub(super) fn lambda<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    walk.enter_anonymous_function(depth);
    let parameters = field(node, "declarator").and_then(|head| field(head, "parameters"));
    for parameter in parameters.into_iter().flat_map(children) {
        if let Some(found) = field(parameter, "declarator").and_then(declared) {
            let value = walk.declared_value(field(parameter, "type"), None);
            walk.local(found.name, value);
        }
    }
    Some(Descend::Into)
}

/// Adds the variable of `[a = f()]`.
pub(super) fn capture<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    if let (Some(name), Some(value)) = (field(node, "left"), field(node, "right")) {
        let value = walk.value_of(value);
        walk.local(name, value);
    }
    Some(Descend::Into)
}

//! Collects references in calls of macros. Their arguments are tokens without structure, in which names
//! before parentheses are calls.

use foveate_model::{DefinitionKind, LocalId, MessageKind, ReferenceKind, Span};
use tree_sitter::Node;

use super::token_bindings;
use crate::collect::{Receiver, span};
use crate::messages;
use crate::syntax::Descend;
use crate::walk::{Handled, Walk, child_of_kind, field};

/// Adds the call of `a::b!(…)`.
pub(super) fn invocation<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let called = field(node, "macro")?;
    let name = walk.refer(ReferenceKind::Call, called);
    let message = name.and_then(|(name, path)| {
        let text = walk.collector.text;
        message(path.of(text), name.of(text))
    });
    walk.collector.skip_to(called.end_byte());
    if name.is_some_and(|(name, _)| name.of(walk.collector.text).ends_with("test"))
        && let Some((id, end)) = named_test(walk, node)
    {
        walk.collector.skip_to(end);
        walk.enter_definition(depth, id, DefinitionKind::Function);
        return Some(Descend::Into);
    }
    let message = walk.context().message.or(message);
    walk.collector
        .within(depth, |context| context.message = message);
    Some(Descend::Into)
}

/// Defines the test of a call such as `my_test!(name, |arguments| { … })` between items, and returns it with
/// the end of its name.
fn named_test<'t>(walk: &mut Walk<'t>, call: Node<'t>) -> Option<(LocalId, usize)> {
    let is_statement = |node: &Node<'t>| node.kind() == "expression_statement";
    let statement = call.parent().filter(is_statement).unwrap_or(call);
    let list = statement.parent()?;
    if !matches!(list.kind(), "source_file" | "declaration_list") {
        return None;
    }
    let tokens = child_of_kind(call, "token_tree")?;
    let (name, comma) = (tokens.child(1)?, tokens.child(2)?);
    if name.kind() != "identifier" || comma.kind() != "," {
        return None;
    }
    let mut draft = walk.draft(DefinitionKind::Function, statement, name, None);
    draft.signature_end = name.end_byte();
    draft.body = Some(Span::new(comma.end_byte(), tokens.end_byte()));
    draft.decorators.push("test".into());
    Some((walk.define(draft), name.end_byte()))
}

/// Returns the kind of the texts in a macro's call.
fn message(path: &str, name: &str) -> Option<MessageKind> {
    match name {
        "panic" | "bail" | "anyhow" | "ensure" | "unreachable" | "todo" | "unimplemented"
        | "assert" | "assert_eq" | "assert_ne" | "debug_assert" | "debug_assert_eq" | "eyre"
        | "format_err" => Some(MessageKind::Error),
        "error" | "warn" | "info" | "debug" | "trace" | "println" | "eprintln" | "log" => {
            Some(MessageKind::Log)
        }
        _ => messages::of_call(path, name),
    }
}

/// A sequence of names joined by `.` and `::`.
#[derive(Default)]
struct Run {
    /// Start of the first name.
    start: Option<usize>,
    /// Whether the next token continues it.
    is_open: bool,
    /// Whether something other than a name precedes it.
    is_opaque: bool,
}

/// The tokens of a macro's call, or a part of them.
pub(super) fn tokens<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let mut cursor = node.walk();
    let all: Vec<Node<'t>> = node.children(&mut cursor).collect();
    let mut run = Run::default();
    for (at, token) in all.iter().enumerate() {
        match token.kind() {
            // `$crate` is the crate of the macro.
            "metavariable" if walk.of(*token) == "$crate" => {
                run.start = Some(token.start_byte() + 1);
            }
            "identifier" | "self" | "super" | "crate" | "primitive_type" => {
                let start = match run.start.filter(|_| run.is_open) {
                    Some(start) => start,
                    None => token.start_byte(),
                };
                run.start = Some(start);
                run.is_open = false;
                let text_at = |at: usize| all.get(at).map_or("", |token| walk.of(*token));
                let (next, after) = (text_at(at + 1), text_at(at + 2));
                let has_arguments = next == "::" && after == "<";
                if !joins(next) || has_arguments {
                    let is_call = has_arguments || is_call(next, after);
                    name(walk, *token, start, run.is_opaque, is_call);
                    run = Run::default();
                }
            }
            kind if joins(kind) => {
                run.is_open = true;
                run.is_opaque |= run.start.is_none();
            }
            kind => {
                run = Run::default();
                let rest = all.get(at + 1..).unwrap_or_default();
                match kind {
                    "let" => token_bindings::variable(walk, rest),
                    "|" => token_bindings::parameters(walk, rest),
                    _ => {}
                }
            }
        }
    }
    // Token trees inside are handled by this function, level by level.
    walk.collector.skip_to(node.end_byte());
    Some(Descend::Into)
}

fn joins(token: &str) -> bool {
    matches!(token, "." | "::")
}

/// Whether what follows a name makes it a call: of a function, or of a macro.
fn is_call(next: &str, after: &str) -> bool {
    next.starts_with('(') || (next == "!" && after.starts_with(['(', '[', '{']))
}

fn name<'t>(walk: &mut Walk<'t>, node: Node<'t>, start: usize, is_opaque: bool, is_call: bool) {
    if node.kind() != "identifier" {
        return;
    }
    let path = Span::new(start, node.end_byte());
    let path = path.of(walk.collector.text);
    let (path, start) = match path.strip_prefix("self::") {
        Some(rest) => (rest, start + "self::".len()),
        None => (path, start),
    };
    let is_single = path.len() == node.end_byte() - node.start_byte();
    // Conditions of `cfg`, and variants that wrap most values.
    if is_single && matches!(path, "all" | "any" | "not" | "Some" | "Ok" | "Err") {
        return;
    }
    let kind = match (is_call, is_single) {
        (true, _) => ReferenceKind::Call,
        (false, true) if is_opaque => ReferenceKind::Attribute,
        (false, true) => ReferenceKind::Name,
        (false, false) => ReferenceKind::Attribute,
    };
    let (path, receiver) = match is_opaque {
        true => (span(node), Receiver::Opaque),
        false => (Span::new(start, node.end_byte()), Receiver::Names),
    };
    walk.collector.refer_through(kind, node, path, receiver);
}

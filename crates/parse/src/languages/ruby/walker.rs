//! Walks Ruby syntax trees and collects their facts. Nearly everything is a call: definitions, imports
//! and sections of a class are recognised by the name of the called method ([`macros`]).

mod bindings;
mod definitions;
mod macros;
mod specs;
#[cfg(test)]
mod tests;
mod yard;

use foveate_model::{MessageKind, ReferenceKind, RegionKind, Span};
use tree_sitter::Node;

use super::{CORE_CLASSES, CORE_METHODS};
use crate::collect::{CollectorRules, Position, Receiver, span};
use crate::messages;
use crate::syntax::Descend;
use crate::walk::{
    Form, Handled, Handler, Step, TypeRules, Walk, Walker, base_list, children, comment, field,
    into, member, past, text, type_name,
};

pub(super) static WALKER: Walker = Walker::new(Form {
    messages: message,
    is_documentation: |_| false,
    is_statement,
    rules: CollectorRules {
        bare_calls: true,
        keeps_name: Some(|name| {
            let is_class = name.starts_with(|first: char| first.is_ascii_uppercase())
                && CORE_CLASSES.binary_search(&name).is_ok();
            !is_class && CORE_METHODS.binary_search(&name).is_err()
        }),
        nesting: crate::chunks::Nesting::Scopes,
        ..CollectorRules::new(&[
            "rubocop:", "frozen_string_literal:", "encoding:", "coding:", "typed:", "warn_indent:",
            "-*-", ":nodoc:", ":stopdoc:", ":startdoc:",
        ])
    },
    ..Form::new(tree_sitter_ruby::LANGUAGE, handler, step, TYPES)
});

const TYPES: TypeRules = TypeRules {
    builtin: CORE_CLASSES,
    constructor: Some("new"),
    ..TypeRules::new(|_| None)
};

fn handler(kind: &str) -> Handler {
    match kind {
        "comment" => comment,
        "string" | "regex" | "subshell" | "heredoc_body" => text,
        "string_array" | "symbol_array" | "uninterpreted" => literal,
        "identifier" => identifier,
        "constant" => type_or_name,
        "scope_resolution" => member,
        "instance_variable" | "class_variable" => bindings::variable,
        "call" => call,
        "super" => definitions::inherited,
        "method" | "singleton_method" => definitions::method,
        "class" => definitions::class,
        "module" => definitions::module,
        "singleton_class" => definitions::singleton_class,
        "superclass" => base_list,
        "alias" => macros::alias,
        "assignment" | "operator_assignment" => bindings::assignment,
        "block" | "do_block" => bindings::block,
        "block_argument" => macros::block_argument,
        "lambda_parameters" => bindings::parameters,
        "for" => bindings::for_loop,
        "rescue" => bindings::rescue,
        "as_pattern" | "keyword_pattern" => bindings::pattern,
        "in_clause" | "match_pattern" | "test_pattern" | "array_pattern" | "find_pattern" => {
            bindings::pattern_list
        }
        "simple_symbol" | "hash_key_symbol" | "global_variable" | "integer" | "float" | "self"
        | "nil" | "true" | "false" | "character" | "heredoc_beginning" | "operator" | "undef"
        | "escape_sequence" | "string_content" | "heredoc_content" | "heredoc_end" => past,
        _ => into,
    }
}

fn is_statement(kind: &str) -> bool {
    [
        "call", "assignment", "operator_assignment", "method", "singleton_method", "class",
        "module", "if", "unless", "while", "until", "case", "for", "begin", "return", "alias",
        "if_modifier", "unless_modifier", "identifier", "binary",
    ]
    .contains(&kind)
}

fn step(node: Node<'_>) -> Step<'_> {
    match node.kind() {
        "identifier" | "constant" | "self" | "instance_variable" | "class_variable"
        | "global_variable" => Step::Name,
        "scope_resolution" => Step::member(field(node, "scope"), field(node, "name")),
        "call" => match (field(node, "method"), field(node, "receiver")) {
            (Some(name), object) if is_word(name) => match is_bare(node) {
                true => Step::Member { object, name },
                false => Step::Invoke { object, name },
            },
            _ => Step::Other,
        },
        "element_reference" => Step::indexed(field(node, "object")),
        "parenthesized_statements" if node.named_child_count() == 1 => {
            Step::same(node.named_child(0))
        }
        _ => Step::Other,
    }
}

/// Whether a call has neither arguments nor a block, so that it may be a read of a field.
fn is_bare(call: Node<'_>) -> bool {
    field(call, "arguments").is_none() && field(call, "block").is_none()
}

fn is_word(name: Node<'_>) -> bool {
    matches!(name.kind(), "identifier" | "constant")
}

fn is_constant(node: Node<'_>) -> bool {
    matches!(node.kind(), "constant" | "scope_resolution")
}

fn message(path: &str, name: &str) -> Option<MessageKind> {
    match name {
        "abort" => Some(MessageKind::Error),
        "deprecate" | "deprecation_warning" => Some(MessageKind::Log),
        "log" | "debug" | "info" | "error" | "fatal" if path == name => Some(MessageKind::Log),
        _ => messages::of_call(path.trim_start_matches(['$', '@']), name),
    }
}

/// Records the region of a list of words, or of the data after the program.
fn literal<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    walk.collector.region(RegionKind::Text, span(node));
    Some(Descend::Past)
}

/// Adds a constant: a base class, a caught class, or a value.
fn type_or_name<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    match walk.context().position {
        Position::Value => crate::walk::name(walk, node, depth),
        Position::Type | Position::Base => type_name(walk, node, depth),
    }
}

/// Adds a bare name: a local variable, or a call. In a class it may begin a section (`private` alone).
fn identifier<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    if walk.parent_kind().is_some_and(|kind| kind.is_container())
        && macros::begin_section(walk, walk.of(node))
    {
        return Some(Descend::Past);
    }
    if walk.of(node) == "described_class" {
        specs::described_class(walk, node);
    }
    crate::walk::name(walk, node, depth)
}

/// Adds a call with parentheses, arguments, a block or a receiver.
fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let method = field(node, "method").filter(|method| is_word(*method))?;
    let receiver = field(node, "receiver");
    let name = walk.of(method);
    if let Some(descend) = macros::special_call(walk, node, receiver, name, depth) {
        return Some(descend);
    }
    match receiver {
        Some(class) if name == "new" && is_constant(class) => construct(walk, class, method, depth),
        Some(receiver) => {
            let is_first = !walk.collector.is_skipped(node.start_byte());
            let descend = walk.call(node, depth);
            if is_first && walk.collector.is_skipped(receiver.start_byte()) {
                refer_to_receivers(walk, receiver);
            }
            descend
        }
        None if CORE_METHODS.binary_search(&name).is_ok() => {
            // A core method is none of the repository's, but its text may be a log or an error.
            let kind = (message)(name, name);
            walk.collector.skip_to(method.end_byte());
            walk.collector.within(depth, |context| {
                context.position = Position::Value;
                context.message = context.message.or(kind);
            });
            Some(Descend::Into)
        }
        None => walk.call(node, depth),
    }
}

/// Adds `A::B.new`, a reference to the class.
fn construct<'t>(walk: &mut Walk<'t>, class: Node<'t>, method: Node<'t>, depth: u32) -> Handled {
    if CORE_CLASSES.binary_search(&walk.of(class)).is_ok() {
        walk.collector.skip_to(method.end_byte());
        return Some(Descend::Into);
    }
    let descend = walk.call(class, depth);
    if walk.collector.is_skipped(class.start_byte()) {
        walk.collector.skip_to(method.end_byte());
    }
    descend
}

/// Maximum number of calls in a path that are followed to its start.
const MAX_CALLS: usize = 16;

/// Records the names of a receiver that is a plain path: each of them may be a method, too.
fn refer_to_receivers<'t>(walk: &mut Walk<'t>, mut receiver: Node<'t>) {
    let collector = &mut walk.collector;
    for _ in 0..MAX_CALLS {
        let name = match receiver.kind() {
            "identifier" | "constant" => {
                return collector.refer(ReferenceKind::Name, receiver);
            }
            "instance_variable" | "class_variable" => {
                return collector.refer(ReferenceKind::Attribute, receiver);
            }
            "scope_resolution" => field(receiver, "name"),
            "call" => field(receiver, "method"),
            _ => return,
        };
        let Some(name) = name else { return };
        let path = Span::new(receiver.start_byte(), name.end_byte());
        if receiver.kind() == "scope_resolution" {
            collector.refer_through(ReferenceKind::Attribute, name, path, Receiver::Names);
            return;
        }
        collector.refer_through(ReferenceKind::Call, name, path, Receiver::Names);
        match field(receiver, "receiver") {
            Some(before) => receiver = before,
            None => return,
        }
    }
}

fn arguments<'t>(call: Node<'t>) -> Vec<Node<'t>> {
    field(call, "arguments").map_or_else(Vec::new, children)
}

/// Skips the name of the called method: it is no reference.
fn skip_name<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    if let Some(method) = field(node, "method") {
        walk.collector.skip_to(method.end_byte());
    }
}

/// Returns the name in a symbol or in a string without interpolation, and its span.
fn literal_name<'t>(walk: &Walk<'t>, node: Node<'t>) -> Option<(&'t str, Span)> {
    let (written, start) = (walk.of(node), node.start_byte());
    let (from, to) = match node.kind() {
        "simple_symbol" => (1, written.len()),
        "hash_key_symbol" => (0, written.len()),
        "string" => {
            let content = node.named_child(0)?;
            let is_plain = node.named_child_count() == 1 && content.kind() == "string_content";
            let from = content.start_byte() - start;
            is_plain.then_some((from, from + walk.of(content).len()))?
        }
        _ => return None,
    };
    let name = written.get(from..to).filter(|name| !name.is_empty())?;
    Some((name, Span::new(start + from, start + to)))
}

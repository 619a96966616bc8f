//! Reads types from comments (`@var`, `@param`, `@return`) where the code declares none.

use foveate_model::values::{DefinitionType, HeldValue, Local, TypeForm, TypeName, Value};
use foveate_model::{LocalId, Span};
use tree_sitter::Node;

use super::BUILTIN_TYPES;
use crate::collect::span;
use crate::walk::{Handled, Walk};

/// A comment. In a function, `/** @var A $b */` gives the type of a local variable.
pub(super) fn comment<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let text = walk.collector.text;
    if walk.is_in_function()
        && let Some(rest) = tag(text, span(node), "var")
        && let Some(type_name) = class_in(text, rest)
        && let Some(name) = variable_in(text, line_of(text, rest))
    {
        let function = walk.context().enclosing;
        walk.collector.values.locals.push(Local {
            function,
            name,
            value: Value::Type(type_name),
        });
    }
    crate::walk::comment(walk, node, depth)
}

/// Returns the rest of the comment after its first `@name`.
pub(super) fn tag(text: &str, comment: Span, name: &str) -> Option<Span> {
    tags(text, comment, name).next()
}

fn tags(text: &str, comment: Span, name: &str) -> impl Iterator<Item = Span> {
    let written = comment.of(text);
    written.match_indices('@').filter_map(move |(at, _)| {
        let rest = written.get(at + 1..)?.strip_prefix(name)?;
        let ends = rest.is_empty() || rest.starts_with(|c: char| c.is_whitespace() || c == '*');
        let start = comment.start as usize + at + 1 + name.len();
        ends.then(|| Span::new(start, comment.end as usize))
    })
}

fn line_of(text: &str, rest: Span) -> Span {
    let line = rest.of(text).lines().next().unwrap_or("");
    Span::new(rest.start as usize, rest.start as usize + line.len())
}

/// Returns the first class in a type: `A` of `?A`, `null|A`, `A`, `A[]` and `list<A>`.
fn class_in(text: &str, rest: Span) -> Option<TypeName> {
    let line = line_of(text, rest);
    let mut at = line.start as usize;
    let written = line.of(text);
    let written = written.trim_start();
    at += line.of(text).len() - written.len();
    let end = written.find(char::is_whitespace).unwrap_or(written.len());
    let written = written.get(..end)?;
    for part in written.split('|') {
        let start = at;
        at += part.len() + 1;
        let (name, form) = match without_collection(part) {
            Some(element) => (element, TypeForm::Elements),
            None => (part.trim_start_matches('?'), TypeForm::Instance),
        };
        let is_name = !name.is_empty()
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'\\') || b >= 0x80);
        if (is_name || name == "$this") && BUILTIN_TYPES.binary_search(&name).is_err() {
            let start = start + (name.as_ptr() as usize - part.as_ptr() as usize);
            return Some(TypeName {
                path: Span::new(start, start + name.len()),
                form,
            });
        }
        if !is_name {
            return None;
        }
    }
    None
}

/// Returns `A` of `A[]`, `array<A>`, `list<A>` and `iterable<A>`.
fn without_collection(part: &str) -> Option<&str> {
    if let Some(element) = part.strip_suffix("[]") {
        return Some(element);
    }
    let (collection, element) = part.strip_suffix('>')?.split_once('<')?;
    matches!(collection, "array" | "list" | "iterable").then_some(element)
}

/// Returns the first `$name` in a span, with a blank before it.
fn variable_in(text: &str, rest: Span) -> Option<Span> {
    let written = rest.of(text);
    // `@return $this` is a type.
    let start = written.find(" $")? + 1;
    let name = written.get(start + 1..)?;
    let end = name.find(|c: char| !(c.is_alphanumeric() || c == '_'));
    let end = start + 1 + end.unwrap_or(name.len());
    let start_of = rest.start as usize;
    (end > start + 1).then(|| Span::new(start_of + start, start_of + end))
}

pub(super) fn returns(walk: &mut Walk<'_>, definition: LocalId, doc: Option<Span>) {
    let text = walk.collector.text;
    let rest = doc.and_then(|doc| tag(text, doc, "return"));
    if let Some(type_name) = rest.and_then(|rest| class_in(text, rest)) {
        walk.collector.values.types.push(DefinitionType {
            definition,
            type_name,
        });
    }
}

/// Sets the type of the parameter that was added last, unless it has one.
pub(super) fn parameter(walk: &mut Walk<'_>, name: Node<'_>, doc: Option<Span>) {
    let Some(doc) = doc else { return };
    let text = walk.collector.text;
    let written = walk.of(name);
    let known = walk.collector.values.parameters.last_mut();
    let Some(known) = known.filter(|known| known.type_name.is_none()) else {
        return;
    };
    let mut tags = tags(text, doc, "param");
    let rest = tags.find(|rest| {
        let named = variable_in(text, line_of(text, *rest));
        named.is_some_and(|named| named.of(text) == written)
    });
    known.type_name = rest.and_then(|rest| class_in(text, rest));
}

pub(super) fn holds(walk: &mut Walk<'_>, definition: LocalId, doc: Option<Span>) {
    let text = walk.collector.text;
    let rest = doc.and_then(|doc| tag(text, doc, "var"));
    if let Some(type_name) = rest.and_then(|rest| class_in(text, rest)) {
        walk.collector.values.held.push(HeldValue {
            definition,
            value: Value::Type(type_name),
        });
    }
}

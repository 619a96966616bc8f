//! Reads types from the tags of YARD above methods and attributes: `@param a [A]`, `@return [A, nil]`. The language itself
//! declares none.

use foveate_model::Span;
use foveate_model::values::{TypeForm, TypeName};
use tree_sitter::Node;

use super::CORE_CLASSES;
use crate::values::DocumentedTypes;
use crate::walk::Walk;

/// Collections whose elements YARD names: `Array<A>`.
const COLLECTIONS: [&str; 5] = ["Array", "Enumerable", "Enumerator", "Set", "SortedSet"];

/// Reads the comment above a definition that is added next, so that each comment is read once.
pub(super) fn types_above<'t>(walk: &Walk<'t>, definition: Node<'t>) -> DocumentedTypes<'t> {
    let text = walk.collector.text;
    let mut found = DocumentedTypes::default();
    let Some(comment) = walk.collector.comment_above(definition) else {
        return found;
    };
    for (name, rest) in tags(text, comment) {
        match name {
            "return" => found.returned = found.returned.or_else(|| class_in(text, rest)),
            "param" => {
                if let (Some(parameter), Some(class)) =
                    (parameter_in(text, rest), class_in(text, rest))
                {
                    found.parameters.entry(parameter).or_insert(class);
                }
            }
            _ => {}
        }
    }
    found
}

/// Returns the tags of a comment, each with the text behind it in its line.
fn tags(text: &str, comment: Span) -> impl Iterator<Item = (&str, Span)> {
    let mut next = comment.start as usize;
    comment.of(text).split('\n').filter_map(move |line| {
        let line_end = next + line.len();
        next = line_end + 1;
        let tag = line
            .trim_start_matches([' ', '\t', '#'])
            .strip_prefix('@')?;
        let name_end = tag.find(char::is_whitespace)?;
        let rest = line_end - (tag.len() - name_end);
        Some((tag.get(..name_end)?, Span::new(rest, line_end)))
    })
}

/// Returns the name in `a [A] text` and `[A] a text`.
fn parameter_in(text: &str, rest: Span) -> Option<&str> {
    let written = rest.of(text).trim_start();
    let named = match written.strip_prefix('[') {
        Some(class) => class.split_once(']')?.1.trim_start(),
        None => written,
    };
    let end = named.find(|c: char| !(c.is_alphanumeric() || c == '_'));
    let name = named.get(..end.unwrap_or(named.len()))?;
    (!name.is_empty()).then_some(name)
}

/// Returns the first class in brackets: `A` of `[A, nil]`, `[nil, A]` and `[Array<A>]`.
fn class_in(text: &str, rest: Span) -> Option<TypeName> {
    let (before, inside) = rest.of(text).split_once('[')?;
    let (inside, _) = inside.split_once(']')?;
    let mut next = rest.start as usize + before.len() + 1;
    inside.split(',').find_map(|part| {
        let start = next;
        next += part.len() + 1;
        let written = part.trim_start();
        let start = start + (part.len() - written.len());
        let written = written.trim_end();
        let (name, before, form) = match element_of(written) {
            Some((collection, element)) => (element, collection.len() + 1, TypeForm::Elements),
            None => (written, 0, TypeForm::Instance),
        };
        is_class(name).then(|| TypeName {
            path: Span::new(start + before, start + before + name.len()),
            form,
        })
    })
}

/// Returns `Array` and `A` of `Array<A>`.
fn element_of(written: &str) -> Option<(&str, &str)> {
    let (collection, element) = written.strip_suffix('>')?.split_once('<')?;
    COLLECTIONS
        .contains(&collection)
        .then_some((collection, element))
}

/// Whether a text names a class that a repository may define.
fn is_class(name: &str) -> bool {
    let plain = name.strip_prefix("::").unwrap_or(name);
    plain.starts_with(|first: char| first.is_ascii_uppercase())
        && plain
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | ':'))
        && plain != "Boolean"
        && CORE_CLASSES.binary_search(&plain).is_err()
}

//! Reads types from comments (`@var`, `@param`, `@return`) where the code declares none.

use foveate_model::Span;
use foveate_model::values::{TypeForm, TypeName, Value};
use tree_sitter::Node;

use super::BUILTIN_TYPES;
use crate::collect::span;
use crate::values::DocumentedTypes;
use crate::walk::{Handled, Walk};

/// Collections whose last type argument is that of their elements.
const COLLECTIONS: [&str; 8] = [
    "array", "list", "iterable", "non-empty-array", "non-empty-list", "Iterator",
    "IteratorAggregate", "Traversable",
];
/// Maximum number of classes whose members a class has by the comment above it.
const MAX_MIXINS: usize = 8;

/// Adds a comment. In a function, `/** @var A $b */` gives the type of a local variable.
pub(super) fn comment<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let text = walk.collector.text;
    if walk.is_in_function()
        && let Some(rest) = tag(text, span(node), "var")
        && let Some(type_name) = class_in(text, rest)
        && let Some(name) = variable_in(text, rest)
    {
        walk.collector.local(name, Value::Type(type_name));
    }
    crate::walk::comment(walk, node, depth)
}

/// The tags in the comment above a function.
#[derive(Default)]
pub(super) struct Tags<'t> {
    pub(super) is_test: bool,
    /// The types of `@return` and `@param`.
    pub(super) types: DocumentedTypes<'t>,
    /// The name of the method in `@dataProvider a` or `@depends a`.
    named_method: Option<Span>,
}

impl<'t> Tags<'t> {
    /// Reads the comment above a function. It is read once, as it may be long, and the function may have many
    /// parameters.
    pub(super) fn above(walk: &Walk<'t>, function: Node<'t>) -> Self {
        let text = walk.collector.text;
        let mut found = Self::default();
        let Some(comment) = walk.collector.comment_above(function) else {
            return found;
        };
        let types = &mut found.types;
        for (name, rest) in tags(text, comment) {
            match name {
                "test" => found.is_test = true,
                "return" => types.returned = types.returned.or_else(|| class_in(text, rest)),
                "dataProvider" | "depends" => {
                    found.named_method = found.named_method.or_else(|| method_in(text, rest));
                }
                "param" => {
                    if let (Some(parameter), Some(class)) =
                        (variable_in(text, rest), class_in(text, rest))
                    {
                        let known = types.parameters.entry(parameter.of(text));
                        known.or_insert(class);
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// Records that the enclosing function, a test, gets its arguments from the method that the comment names.
    pub(super) fn refer_to_data_provider(&self, walk: &mut Walk<'_>) {
        if let Some(name) = self.named_method {
            walk.call_named_member(None, name);
        }
    }
}

/// Returns the value of a property by the `@var` in the comment above it.
pub(super) fn of_variable(walk: &Walk<'_>, property: Node<'_>) -> Value {
    let text = walk.collector.text;
    let comment = walk.collector.comment_above(property);
    let rest = comment.and_then(|comment| tag(text, comment, "var"));
    let type_name = rest.and_then(|rest| class_in(text, rest));
    type_name.map_or(Value::Unknown, Value::Type)
}

/// Returns the classes whose members a class has by the comment above it: `A` of `@mixin A`, and of `@see A` if it is a
/// facade.
pub(super) fn mixins(walk: &Walk<'_>, class: Node<'_>, is_facade: bool) -> Vec<Box<str>> {
    let text = walk.collector.text;
    let comment = walk.collector.comment_above(class);
    let tags = comment
        .into_iter()
        .flat_map(|comment| tags(text, comment))
        .filter(|(name, _)| *name == "mixin" || is_facade && *name == "see");
    let classes = tags.filter_map(|(_, rest)| class_in(text, rest));
    let named = classes.filter(|class| class.form == TypeForm::Instance);
    let names = named.map(|class| Box::from(class.path.of(text)));
    names.take(MAX_MIXINS).collect()
}

/// Returns the name of a method at the start of a span, if nothing follows it directly.
fn method_in(text: &str, rest: Span) -> Option<Span> {
    let written = rest.of(text);
    let start = written.find(|c: char| !c.is_whitespace())?;
    let named = written.get(start..)?;
    let end = named.find(|c: char| !(c.is_alphanumeric() || c == '_'));
    let (name, after) = named.split_at(end.unwrap_or(named.len()));
    let is_whole = after.is_empty() || after.starts_with(char::is_whitespace);
    let start = rest.start as usize + start;
    (is_whole && !name.is_empty()).then(|| Span::new(start, start + name.len()))
}

/// Returns what follows the first `@name` of a comment.
fn tag(text: &str, comment: Span, name: &str) -> Option<Span> {
    let mut tags = tags(text, comment);
    tags.find(|(known, _)| *known == name).map(|(_, rest)| rest)
}

/// Returns the tags of a comment, and what follows each of them, up to the next tag or the end of its line.
fn tags(text: &str, comment: Span) -> impl Iterator<Item = (&str, Span)> {
    let mut at = comment.start as usize;
    let parts = comment.of(text).split('@').map(move |part| {
        let start = at;
        at += part.len() + 1;
        (start, part)
    });
    parts.skip(1).map(|(start, part)| {
        let line = part.lines().next().unwrap_or("");
        let name = line.split(|c: char| c.is_whitespace() || c == '*').next();
        let name = name.unwrap_or(line);
        (name, Span::new(start + name.len(), start + line.len()))
    })
}

/// Returns the first class in a type: `A` of `?A`, `null|A`, `A`, `A<B>`, `A[]` and `array<int, A>`.
fn class_in(text: &str, rest: Span) -> Option<TypeName> {
    let written = rest.of(text).trim_start();
    let mut at = rest.start as usize + (rest.len() - written.len());
    for part in alternatives(written) {
        let start = at;
        at += part.len() + 1;
        let (name, form) = match without_collection(part) {
            Some(element) => (element, TypeForm::Elements),
            None => (without_arguments(part), TypeForm::Instance),
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

/// Returns the alternatives of the type at the start of a text: `?A` and `array<int, B>` of `?A|array<int, B> $c`.
fn alternatives(written: &str) -> Vec<&str> {
    let (mut parts, mut start, mut end) = (Vec::new(), 0, written.len());
    let mut depth = 0_usize;
    for (at, c) in written.char_indices() {
        match c {
            '<' | '{' | '(' => depth += 1,
            '>' | '}' | ')' => depth = depth.saturating_sub(1),
            '|' if depth == 0 => {
                parts.extend(written.get(start..at));
                start = at + 1;
            }
            c if depth == 0 && c.is_whitespace() => {
                end = at;
                break;
            }
            _ => {}
        }
    }
    parts.extend(written.get(start..end));
    parts
}

/// Returns `A` of `A[]`, `array<A>`, `array<int, A>` and the like.
fn without_collection(part: &str) -> Option<&str> {
    if let Some(element) = part.strip_suffix("[]") {
        return Some(element);
    }
    let (collection, arguments) = part.strip_suffix('>')?.split_once('<')?;
    let element = arguments
        .rsplit_once(',')
        .map_or(arguments, |(_, last)| last);
    let collection = collection.trim_start_matches(['?', '\\']);
    COLLECTIONS.contains(&collection).then(|| element.trim())
}

/// Returns `A` of `A<B>` and `?A`.
fn without_arguments(part: &str) -> &str {
    let class = part.split_once('<').map_or(part, |(class, _)| class);
    class.trim_start_matches('?')
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

//! Reads types from the documentation above a definition or variable: `@param {Cart} cart`, `@returns {Cart}`,
//! `@type {Cart}`. They are only used where the code states none.

use foldhash::HashMap;
use foveate_model::values::TypeName;
use foveate_model::{Definition, FileFacts, RegionKind, Span};

use super::text::{annotation, leading_name};

/// Longest documentation that is read, in bytes.
const MAX_COMMENT: usize = 8 * 1024;
/// Longest type that is read, in bytes.
const MAX_TYPE: usize = 200;
/// Maximum bytes between documentation and its definition: a line break and the indent.
const MAX_GAP: usize = 256;

/// The types that the comment above a function states.
#[derive(Default)]
pub(crate) struct DocumentedTypes<'t> {
    pub(crate) returned: Option<TypeName>,
    /// Those of parameters, by name.
    pub(crate) parameters: HashMap<&'t str, TypeName>,
}

/// The documentation above a definition. It is read once, as it may be long, and a function may have many parameters, a
/// pattern many variables.
#[derive(Default)]
pub(super) struct Documentation<'t> {
    comment: Span,
    /// The type of a variable.
    pub(super) variable: Option<TypeName>,
    /// Those of a function.
    pub(super) function: DocumentedTypes<'t>,
}

impl<'t> Documentation<'t> {
    /// Reads the documentation directly above a definition, or before it on its line, unless it was read last.
    pub(super) fn move_to(&mut self, text: &'t str, facts: &FileFacts, definition: &Definition) {
        let comment = above(text, facts, definition).unwrap_or_default();
        if comment != self.comment {
            *self = Self::of(text, comment);
        }
    }

    fn of(text: &'t str, comment: Span) -> Self {
        let mut found = Self {
            comment,
            ..Self::default()
        };
        let function = &mut found.function;
        for (tag, written, after) in types(comment.of(text)) {
            let stated = || annotation(text, written);
            match tag {
                "type" => found.variable = found.variable.or_else(stated),
                "return" | "returns" => function.returned = function.returned.or_else(stated),
                "param" | "arg" | "argument" => {
                    if let (Some(name), Some(type_name)) = (parameter(after), stated()) {
                        function.parameters.entry(name).or_insert(type_name);
                    }
                }
                _ => {}
            }
        }
        found
    }
}

/// Returns the documentation directly above a definition, or before it on its line.
fn above(text: &str, facts: &FileFacts, definition: &Definition) -> Option<Span> {
    let start = definition.span.start;
    let regions = &facts.regions;
    let after = regions.partition_point(|region| region.span.start < start);
    let region = regions.get(after.checked_sub(1)?)?;
    let gap = text.get(region.span.end as usize..start as usize)?;
    let is_directly_above =
        gap.len() <= MAX_GAP && gap.trim().is_empty() && gap.matches('\n').count() <= 1;
    let is_read = region.kind == RegionKind::Documentation && region.span.len() <= MAX_COMMENT;
    (is_read && is_directly_above).then_some(region.span)
}

/// Returns the type of `@type` in the documentation that ends directly before a position.
pub(super) fn before(text: &str, at: usize) -> Option<&str> {
    let before = text.get(..at)?.trim_end().strip_suffix("*/")?;
    let floor = before.floor_char_boundary(before.len().saturating_sub(MAX_TYPE));
    let near = before.get(floor..)?;
    let comment = near.get(near.rfind("/**")?..)?;
    let (_, written, _) = types(comment).find(|(tag, ..)| *tag == "type")?;
    Some(written)
}

/// Returns the name of the parameter at the start of a text. `[cart=none]` is optional; `cart.price` is a member.
fn parameter(text: &str) -> Option<&str> {
    let text = text.trim_start().trim_start_matches('[');
    let name = leading_name(text);
    let is_member = text.get(name.len()..)?.starts_with('.');
    (!name.is_empty() && !is_member).then_some(name)
}

/// Returns the tags of a comment that have a type in braces: their names, the types, and the text behind each.
fn types(comment: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    comment.split('@').skip(1).filter_map(|part| {
        let tag = leading_name(part);
        let rest = part.get(tag.len()..)?.trim_start().strip_prefix('{')?;
        let (written, after) = rest.split_once('}')?;
        (written.len() <= MAX_TYPE).then(|| (tag, without_import(written), after))
    })
}

/// Returns the name in a type, without marks before it: `Cart` of `!Cart`, `...Cart`, and `import('./cart').Cart`.
fn without_import(written: &str) -> &str {
    let plain = written.trim_start_matches([' ', '!', '?', '.']);
    let imported = plain
        .strip_prefix("import(")
        .and_then(|rest| rest.split_once(")."));
    imported.map_or(plain, |(_, name)| name)
}

//! Reads types from the documentation above a definition or variable: `@param {Cart} cart`, `@returns {Cart}`,
//! `@type {Cart}`. They are only used where the code states none.

use foveate_model::values::TypeName;
use foveate_model::{Definition, FileFacts, RegionKind, Span};

use super::text::{annotation, leading_name};

/// Longest documentation that is read, in bytes.
const MAX_COMMENT: usize = 8 * 1024;
/// Longest type that is read, in bytes.
const MAX_TYPE: usize = 200;

/// Returns the documentation directly above a definition, or before it on its line.
pub(super) fn above<'t>(
    text: &'t str,
    facts: &FileFacts,
    definition: &Definition,
) -> Option<&'t str> {
    let start = definition.span.start;
    let regions = &facts.regions;
    let after = regions.partition_point(|region| region.span.start < start);
    let region = regions.get(after.checked_sub(1)?)?;
    let is_directly_above = text
        .get(region.span.end as usize..start as usize)
        .is_some_and(|between| between.trim().is_empty() && between.matches('\n').count() <= 1);
    let is_read = region.kind == RegionKind::Documentation && region.span.len() <= MAX_COMMENT;
    (is_read && is_directly_above).then(|| region.span.of(text))
}

/// Returns the type of `@type` in the documentation that ends directly before a position.
pub(super) fn before(text: &str, at: usize) -> Option<&str> {
    let before = text.get(..at)?.trim_end().strip_suffix("*/")?;
    let floor = before.floor_char_boundary(before.len().saturating_sub(MAX_TYPE));
    let near = before.get(floor..)?;
    let comment = near.get(near.rfind("/**")?..)?;
    types(comment, &["type"]).next().map(|(written, _)| written)
}

/// Returns the type of a variable.
pub(super) fn variable(text: &str, comment: &str) -> Option<TypeName> {
    let (written, _) = types(comment, &["type"]).next()?;
    annotation(text, written)
}

/// Returns the type of a function's result.
pub(super) fn result(text: &str, comment: &str) -> Option<TypeName> {
    let (written, _) = types(comment, &["returns", "return"]).next()?;
    annotation(text, written)
}

/// Returns the type of a parameter.
pub(super) fn parameter(text: &str, comment: &str, parameter: Span) -> Option<TypeName> {
    let wanted = parameter.of(text);
    let (written, _) = types(comment, &["param", "arg", "argument"]).find(|(_, after)| {
        // `[cart=none]` is optional; `cart.price` is a member.
        let after = after.trim_start().trim_start_matches('[');
        let name = leading_name(after);
        let rest = after.get(name.len()..).unwrap_or("");
        name == wanted && !rest.starts_with('.')
    })?;
    annotation(text, written)
}

/// Returns the types in braces behind some tags of a comment, and the text behind each.
fn types<'t>(
    comment: &'t str,
    tags: &'static [&'static str],
) -> impl Iterator<Item = (&'t str, &'t str)> {
    comment.split('@').skip(1).filter_map(move |part| {
        let tag = leading_name(part);
        let rest = part.get(tag.len()..)?.trim_start().strip_prefix('{')?;
        let (written, after) = rest.split_once('}')?;
        let is_read = tags.contains(&tag) && written.len() <= MAX_TYPE;
        is_read.then(|| (without_import(written), after))
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

//! Recognises how scripts write types, bind local variables and return values.

use foveate_model::Definition;

use super::walker::HOOKS;
use crate::values::{Binding, Scan, ValueForm, leading_name};

pub(super) const VALUES: ValueForm = ValueForm {
    bindings,
    // Hooks of tests, and many functions in scripts, are unnamed callbacks.
    has_nameless_scopes: true,
    return_mark: ":",
    parameter_modifiers: &["public", "private", "protected", "readonly", "override"],
    parameters_have_decorators: true,
    patterns: &['{', '['],
};

fn bindings(scan: &mut Scan<'_>, code: &str) {
    if let Some(value) = returned(scan, code) {
        scan.returns(typed_or_value(value));
    }
    let code = code
        .strip_prefix("for (")
        .or(code.strip_prefix("for await ("))
        .unwrap_or(code);
    let keywords = ["const ", "let ", "var "];
    match keywords
        .iter()
        .find_map(|keyword| code.strip_prefix(keyword))
    {
        Some(rest) => declaration(scan, rest.trim_start()),
        None => assignment(scan, code),
    }
}

/// Returns the value of `return x`, also after a condition or the head of its function on the same line.
fn returned<'t>(scan: &Scan<'_>, code: &'t str) -> Option<&'t str> {
    if let Some(value) = code.strip_prefix("return ") {
        return Some(value);
    }
    let (before, value) = code.split_once(" return ")?;
    let is_conditional = before.starts_with("if (") && before.ends_with([')', '{']);
    (is_conditional || (before.ends_with('{') && scan.is_head(code))).then_some(value)
}

/// Binds `client = new Client()`, as in a `beforeEach`.
fn assignment(scan: &mut Scan<'_>, code: &str) {
    let name = leading_name(code);
    let rest = code.get(name.len()..).unwrap_or("").trim_start();
    if let Some(value) = rest.strip_prefix("= ")
        && value.starts_with("new ")
    {
        scan.bind(name, Binding::Value(value));
        if scan.function().is_some_and(is_hook) {
            scan.bind_around(name, Binding::Value(value));
        }
    }
}

/// Whether a function is a hook of a test runner: it assigns to variables that the tests beside it use.
fn is_hook(function: &Definition) -> bool {
    let mut runners = function.decorators.iter();
    function.modifiers.is_block && runners.any(|runner| HOOKS.contains(&&**runner))
}

/// Returns the type in `x as T`, the whole of a value.
fn cast(value: &str) -> Option<&str> {
    let (_, written) = value.rsplit_once(" as ")?;
    let written = written.trim_end_matches(';');
    let is_type = written.starts_with(|c: char| c.is_uppercase())
        && !written.contains(['(', ')', '{', '}', ',', '+', '?', '"', '\'']);
    is_type.then_some(written)
}

/// Returns the binding to a value, or to the type that it is cast to.
fn typed_or_value(value: &str) -> Binding<'_> {
    match cast(value) {
        Some(annotation) => Binding::Annotation(annotation),
        None => Binding::Value(value),
    }
}

fn declaration(scan: &mut Scan<'_>, rest: &str) {
    if rest.starts_with(['{', '[']) {
        scan.bind_pattern(rest);
        return;
    }
    let name = leading_name(rest);
    let after = rest.get(name.len()..).unwrap_or("").trim_start();
    let after = after.trim_start_matches('!');
    let binding = if let Some(annotation) = after.strip_prefix(':') {
        Binding::Annotation(annotation)
    } else if let Some(value) = after.strip_prefix("= ") {
        typed_or_value(value)
    } else if let Some(collection) = after.strip_prefix("of ") {
        Binding::Element(collection)
    } else {
        Binding::Unknown
    };
    scan.bind(name, binding);
}

//! Recognises how Python writes types, binds local variables and returns values.

use super::RULES;
use crate::values::{Binding, Scan, ValueForm, leading_name};

pub(super) const VALUES: ValueForm = ValueForm {
    bindings,
    has_nameless_scopes: false,
    return_mark: "->",
    parameter_modifiers: &[],
    parameters_have_decorators: false,
    has_documented_types: false,
    patterns: &[],
};

fn bindings(scan: &mut Scan<'_>, code: &str) {
    result(scan, code);
    let plain = code.strip_prefix("async ").unwrap_or(code);
    if let Some(rest) = plain.strip_prefix("for ") {
        let (names, collection) = rest.split_once(" in ").unwrap_or((rest, ""));
        let counted = collection.strip_prefix("enumerate(");
        for (at, name) in names.split(',').enumerate() {
            let is_only = at == 0 && !names.contains(',');
            let binding = match counted {
                Some(counted) if at == 1 => Binding::Element(counted),
                None if is_only => Binding::Element(collection),
                _ => Binding::Unknown,
            };
            let name = leading_name(name.trim_start_matches(['(', ' ']));
            scan.bind(name, binding);
        }
    } else if let Some(rest) = plain.strip_prefix("with ") {
        for item in rest.split(", ") {
            if let Some((_, name)) = item.rsplit_once(" as ") {
                let value = item.trim_start_matches('(');
                scan.bind(leading_name(name), Binding::Value(value));
            }
        }
    } else if let Some(rest) = code.strip_prefix("except ") {
        if let Some((class, name)) = rest.rsplit_once(" as ") {
            let is_list = class.starts_with('(');
            let binding = match is_list {
                true => Binding::Unknown,
                false => Binding::Caught(rest),
            };
            scan.bind(leading_name(name), binding);
        }
    } else {
        assignment(scan, code);
    }
}

/// Words that begin a line on which a statement may follow a `:`.
const HEADS: &[&str] = &[
    "if", "elif", "else", "for", "while", "with", "try", "except", "finally", "case",
];

/// Decorators of functions that yield one value, which their users get.
const YIELDING: &[&str] = &["contextmanager", "asynccontextmanager"];

/// Reads `return x` and `yield x`, also after the head of a function or a block on the same line.
fn result(scan: &mut Scan<'_>, code: &str) {
    let Some(at) = code.find("return ").or_else(|| code.find("yield")) else {
        return;
    };
    let (before, statement) = code.split_at(at);
    let follows_head = || HEADS.contains(&leading_name(before)) || scan.is_head(code);
    let is_statement = before.is_empty() || (before.ends_with(": ") && follows_head());
    if let Some(value) = statement.strip_prefix("return ").filter(|_| is_statement) {
        scan.returns(Binding::Value(value));
    } else if let Some(value) = statement
        .strip_prefix("yield ")
        .filter(|_| is_statement && is_yielding(scan))
    {
        scan.returns(Binding::Value(value));
    } else if leading_name(statement) == "yield" && !code.starts_with('#') {
        // The result of a generator is none of its values.
        scan.returns(Binding::Unknown);
    }
}

/// Whether users of the function around the current line get the value that it yields.
fn is_yielding(scan: &Scan<'_>) -> bool {
    scan.function().is_some_and(|function| {
        let mut decorators = function.decorators.iter();
        let is_listed = decorators.any(|name| {
            let last = name.rsplit('.').next().unwrap_or(name);
            YIELDING.contains(&last)
        });
        is_listed || RULES.lookup.fixtures.includes(function)
    })
}

/// Binds the targets of `x = …`, `x: T = …` and `x, y = …`.
fn assignment(scan: &mut Scan<'_>, code: &str) {
    let name = leading_name(code);
    let rest = code.get(name.len()..).unwrap_or("").trim_start();
    if let Some(value) = rest.strip_prefix('=') {
        // `name=value,` on a line of its own is an argument.
        let is_argument = code.as_bytes().get(name.len()) == Some(&b'=') && code.ends_with(',');
        if !value.starts_with('=') && !is_argument {
            scan.bind(name, Binding::Value(value));
        }
    } else if let Some(annotation) = rest.strip_prefix(':') {
        // Without a value it may just as well be `else:` or an item of a dictionary.
        if annotation.contains(" = ") && !code.ends_with(',') {
            scan.bind(name, Binding::Annotation(annotation));
        }
    } else if rest.starts_with(',') && !name.is_empty() {
        let (targets, _) = code.split_once(" = ").unwrap_or(("", ""));
        for target in targets.split(',').map(str::trim) {
            if leading_name(target) == target {
                scan.bind(target, Binding::Unknown);
            }
        }
    }
}

//! Recognises how Python writes types and binds local variables.

use crate::values::{Binding, Scan, ValueForm, leading_name};

pub(super) const VALUES: ValueForm = ValueForm {
    bindings,
    has_nameless_scopes: false,
    return_mark: "->",
    parameter_modifiers: &[],
    parameters_have_decorators: false,
    patterns: &[],
};

fn bindings(scan: &mut Scan<'_>, code: &str) {
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

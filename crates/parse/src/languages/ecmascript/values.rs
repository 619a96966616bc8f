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
    has_documented_types: true,
    patterns: &['{', '['],
};

/// Longest line whose later statements are read, in bytes: minified lines are longer.
const MAX_STATEMENTS: usize = 500;

fn bindings(scan: &mut Scan<'_>, code: &str) {
    if let Some(value) = returned(code) {
        result(scan, value);
    }
    callbacks(scan, code);
    statement(scan, code);
    // `function f() { const c = new Cart(); return c; }`.
    for part in later_statements(code) {
        if !scan.advance(part) {
            continue;
        }
        if let Some(value) = returned(part) {
            // What a function without a name returns is not what the function around it returns.
            let before = scan.before_in_function(code, part);
            if !before.contains("=>") && !before.contains("function") {
                result(scan, value);
            }
        }
        statement(scan, part);
    }
}

/// Methods of collections that call a function with each element, sorted.
const ITERATIONS: &[&str] = &[
    "every", "filter", "find", "findIndex", "findLast", "findLastIndex", "flatMap", "forEach",
    "map", "some",
];

/// Binds the first parameters of the functions in a line that are called with each element of a collection:
/// `carts.forEach((cart) => …)`.
fn callbacks(scan: &mut Scan<'_>, code: &str) {
    if code.len() > MAX_STATEMENTS {
        return;
    }
    for (at, _) in code.match_indices('(') {
        let (before, after) = code.split_at(at);
        let Some((_, name)) = before.rsplit_once('.') else {
            continue;
        };
        if ITERATIONS.binary_search(&name).is_err() {
            continue;
        }
        let parameter = after.get(1..).and_then(first_parameter);
        let (Some(parameter), Some(collection)) = (parameter, collection_before(scan, name)) else {
            continue;
        };
        if !is_of_pairs(collection) {
            scan.bind(parameter, Binding::Passed(same_elements(collection)));
        }
    }
}

/// Maximum number of calls before a function that are examined.
const MAX_CALLS: usize = 4;

/// Returns the collection whose elements a function gets: `a` before `map` in `a.filter(b).map(c)`.
fn collection_before<'f>(scan: &Scan<'f>, function: &str) -> Option<&'f str> {
    let (mut collection, mut last) = scan.receiver_of(function)?;
    for _ in 0..MAX_CALLS {
        if !matches!(last, "filter" | "reverse" | "slice" | "sort") {
            break;
        }
        (collection, last) = scan.receiver_of(last)?;
    }
    Some(collection)
}

/// Returns the first parameter, if it has no type, of the nameless function at the start of a text: `a` of `a => …`,
/// `(a, b) => …` and `function (a) {`.
fn first_parameter(text: &str) -> Option<&str> {
    let text = text.strip_prefix("async ").unwrap_or(text);
    if let Some(rest) = text.strip_prefix("function") {
        return Some(leading_name(rest.trim_start().strip_prefix('(')?));
    }
    if let Some(list) = text.strip_prefix('(') {
        let name = leading_name(list);
        let (names, after) = list.split_once(')')?;
        let is_plain = names
            .get(name.len()..)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(','));
        return (is_plain && after.trim_start().starts_with("=>")).then_some(name);
    }
    let name = leading_name(text);
    let after = text.get(name.len()..)?.trim_start();
    after.starts_with("=>").then_some(name)
}

/// Functions that return the elements of their argument, as they are called.
const SAME_ELEMENTS: [&str; 3] = ["Array.from(", "Object.entries(", "Object.values("];

/// Returns the text that begins with the collection that has the elements of the one at the start of a text.
fn same_elements(collection: &str) -> &str {
    let mut functions = SAME_ELEMENTS.iter();
    let inner = functions.find_map(|function| collection.strip_prefix(function));
    let inner = inner.or_else(|| collection.strip_prefix("[..."));
    inner.unwrap_or(collection)
}

/// Whether the elements of a collection are pairs of a key and an element.
fn is_of_pairs(collection: &str) -> bool {
    collection.starts_with("Object.entries(") || collection.ends_with(".entries()")
}

/// Binds the names of a loop over pairs: `[key, cart] of carts.entries()`.
fn bind_pair(scan: &mut Scan<'_>, pattern: &str) -> bool {
    let pair = pattern
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("] of "));
    let Some((names, collection)) = pair else {
        return false;
    };
    let Some((key, value)) = names.split_once(',') else {
        return false;
    };
    let (key, value) = (key.trim(), value.trim());
    if leading_name(key) != key || leading_name(value) != value {
        return false;
    }
    scan.bind(key, Binding::Unknown);
    scan.bind(value, Binding::Element(same_elements(collection)));
    true
}

/// Returns the texts of a line after each brace and `;` that is outside of strings and comments.
fn later_statements(code: &str) -> Vec<&str> {
    let mut found = Vec::new();
    if code.len() > MAX_STATEMENTS {
        return found;
    }
    let mut quote = None;
    let mut bytes = code.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match (quote, byte) {
            (Some(_), b'\\') => {
                bytes.next();
            }
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'' | b'`') => quote = Some(byte),
            (None, b'/') if code.get(at..).is_some_and(|rest| rest.starts_with("//")) => break,
            (None, b'{' | b'}' | b';') => {
                let rest = code.get(at + 1..).unwrap_or("").trim_start();
                // A name or a keyword: `} = new X()` ends a pattern.
                if rest.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$') {
                    found.push(rest);
                }
            }
            _ => {}
        }
    }
    found
}

/// Reads the binding at the start of a statement.
fn statement(scan: &mut Scan<'_>, code: &str) {
    let code = code
        .strip_prefix("for (")
        .or(code.strip_prefix("for await ("))
        .unwrap_or(code);
    let keywords = ["const ", "let ", "var "];
    match keywords
        .iter()
        .find_map(|keyword| code.strip_prefix(keyword))
    {
        Some(rest) => {
            let stated = scan.documented_type(code);
            declaration(scan, rest.trim_start(), stated);
        }
        None => assignment(scan, code),
    }
}

/// Returns the value of `return x`, also after a condition on the same line.
fn returned(code: &str) -> Option<&str> {
    if let Some(value) = code.strip_prefix("return ") {
        return Some(value);
    }
    let (before, value) = code.split_once(" return ")?;
    (before.starts_with("if (") && before.ends_with(')')).then_some(value)
}

/// Records what a function returns.
fn result(scan: &mut Scan<'_>, value: &str) {
    match value.starts_with('{') && cast(value).is_none() {
        true => scan.returns_object(),
        false => scan.returns(typed_or_value(value)),
    }
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
        None => Binding::Value(same_in_both(value).unwrap_or(value)),
    }
}

/// Returns the text from the first new object in `cond ? new A(x) : new A(y)` on, if both have one class.
fn same_in_both(value: &str) -> Option<&str> {
    let (_, choices) = value.split_once(" ? ")?;
    let (first, second) = choices.split_once(" : ")?;
    let class = |text: &str| {
        let made = text.strip_prefix("new ")?.split_once('(')?;
        Some(made.0.to_owned())
    };
    (class(first)? == class(second)?).then_some(choices)
}

/// Binds the name of `c = new Cart()`; `stated` begins with the type in the documentation above it.
fn declaration(scan: &mut Scan<'_>, rest: &str, stated: Option<&str>) {
    if rest.starts_with(['{', '[']) {
        if !bind_pair(scan, rest) {
            scan.bind_pattern(rest);
        }
        return;
    }
    let name = leading_name(rest);
    let after = rest.get(name.len()..).unwrap_or("").trim_start();
    let after = after.trim_start_matches('!');
    let binding = if let Some(annotation) = after.strip_prefix(':') {
        Binding::Annotation(annotation)
    } else if let Some(stated) = stated {
        Binding::Annotation(stated)
    } else if let Some(value) = after.strip_prefix("= ") {
        typed_or_value(value)
    } else if let Some(collection) = after.strip_prefix("of ") {
        Binding::Element(same_elements(collection))
    } else {
        Binding::Unknown
    };
    scan.bind(name, binding);
}

#[cfg(test)]
mod tests {
    use super::{ITERATIONS, first_parameter};

    #[test]
    fn names_are_sorted() {
        assert!(ITERATIONS.is_sorted());
    }

    #[test]
    fn first_parameters_of_nameless_functions() {
        for text in [
            "a => a.b()", "(a) => {", "(a, b) => c", "async (a) => a", "function (a, b) {",
        ] {
            assert_eq!(first_parameter(text), Some("a"), "{text}");
        }
        for text in [
            "a)", "(a + b)", "(a: A) => a", "([a, b]) => a", "function b(a) {",
        ] {
            assert_eq!(first_parameter(text), None, "{text}");
        }
    }
}

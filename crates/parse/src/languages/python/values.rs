//! Recognises how Python writes types, binds local variables and returns values.

use super::RULES;
use crate::values::{Binding, Scan, ValueForm, leading_name};

pub(super) const VALUES: ValueForm = ValueForm {
    bindings,
    has_nameless_scopes: false,
    return_mark: "->",
    parameter_modifiers: &[],
    has_documented_types: false,
    patterns: &[],
};

fn bindings(scan: &mut Scan<'_>, code: &str) {
    result(scan, code);
    let plain = code.strip_prefix("async ").unwrap_or(code);
    comprehensions(scan, code);
    if let Some(rest) = plain.strip_prefix("for ") {
        let (names, collection) = rest.split_once(" in ").unwrap_or((rest, ""));
        for (name, collection) in loop_variables(names, collection) {
            scan.bind(name, collection.map_or(Binding::Unknown, Binding::Element));
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

/// Longest line in which comprehensions are read, in bytes.
const MAX_COMPREHENSION: usize = 400;

/// Binds the variables of the comprehensions in a line: `[a.b() for a in c]`.
fn comprehensions(scan: &mut Scan<'_>, code: &str) {
    if code.len() > MAX_COMPREHENSION {
        return;
    }
    for (at, mark) in code.match_indices(" for ") {
        let (before, rest) = code.split_at(at);
        let clause = rest.strip_prefix(mark).and_then(|r| r.split_once(" in "));
        let Some((names, after)) = clause.filter(|_| is_in_brackets(before)) else {
            continue;
        };
        for (name, collection) in loop_variables(names, collection_at(after)) {
            if let Some(collection) = collection {
                scan.bind(name, Binding::Passed(collection));
            }
        }
    }
}

/// Whether the code after a part of a line is in brackets that the part opens, and in no string or comment.
fn is_in_brackets(before: &str) -> bool {
    let count = |marks: &[char]| before.matches(marks).count();
    count(&['(', '[', '{']) > count(&[')', ']', '}'])
        && count(&['"', '\'']) % 2 == 0
        && !before.contains('#')
}

/// Returns the collection at the start of the rest of a comprehension: `b` of `b if c]`.
fn collection_at(rest: &str) -> &str {
    let mut depth = 0_usize;
    let end = rest.char_indices().find(|(at, c)| match c {
        '(' | '[' | '{' => {
            depth += 1;
            false
        }
        ')' | ']' | '}' if depth > 0 => {
            depth -= 1;
            false
        }
        ')' | ']' | '}' => true,
        ' ' if depth == 0 => {
            let after = rest.get(*at..).unwrap_or("");
            [" if ", " for ", " async "]
                .iter()
                .any(|word| after.starts_with(word))
        }
        _ => false,
    });
    let end = end.map_or(rest.len(), |(at, _)| at);
    rest.get(..end).unwrap_or("")
}

/// Functions that return collections of the elements of their argument, as they are called.
const SAME_ELEMENTS: [&str; 6] = ["iter(", "list(", "reversed(", "set(", "sorted(", "tuple("];

/// Returns the names that a loop binds, each with the text from the collection on whose element it is, if it is one: `a` in
/// `for a in b`, `for i, a in enumerate(b)` and `for key, a in b.items()`.
fn loop_variables<'c>(
    names: &'c str,
    collection: &'c str,
) -> impl Iterator<Item = (&'c str, Option<&'c str>)> {
    let counted = collection.strip_prefix("enumerate(");
    let mut elements = counted.unwrap_or(collection);
    if let Some(inner) = SAME_ELEMENTS
        .iter()
        .find_map(|function| elements.strip_prefix(function))
    {
        elements = inner;
    }
    let path = elements.split_once('(').map_or("", |(path, _)| path);
    let has_pairs = path.ends_with(".items");
    let count = 1 + names.matches(',').count();
    names.split(',').enumerate().map(move |(at, name)| {
        let is_element = match (counted.is_some(), has_pairs) {
            (false, false) => count == 1,
            (true, true) => false,
            _ => count == 2 && at == 1,
        };
        let name = leading_name(name.trim_start_matches(['(', ' ']));
        (name, is_element.then_some(elements))
    })
}

/// Words that begin a line on which a statement may follow a `:`.
const HEADS: &[&str] = &[
    "if", "elif", "else", "for", "while", "with", "try", "except", "finally", "case",
];

/// Decorators of functions that yield one value, which their users get.
const YIELDING: &[&str] = &["contextmanager", "asynccontextmanager"];
/// Maximum number of decorators of a function that are examined, for each `yield`.
const MAX_DECORATORS: usize = 64;

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
    let function = scan.function();
    let function = function.filter(|function| function.decorators.len() <= MAX_DECORATORS);
    function.is_some_and(|function| {
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

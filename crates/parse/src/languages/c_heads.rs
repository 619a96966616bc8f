//! Definitions that begin with a type, a name and parentheses: C, C++, Java, C#.

use crate::hunks::{after_keyword, before_parameters, first_word, last_word, words};

/// Words that stand before parentheses and are no function.
pub(in crate::languages) const CONTROL: [&str; 24] = [
    "if",
    "for",
    "foreach",
    "while",
    "switch",
    "catch",
    "return",
    "else",
    "do",
    "throw",
    "await",
    "new",
    "with",
    "case",
    "typeof",
    "yield",
    "super",
    "lock",
    "using",
    "sizeof",
    "synchronized",
    "function",
    "try",
    "fixed",
];

/// The name in the head of a definition.
pub(in crate::languages) fn named(line: &str) -> Option<&str> {
    const TYPES: [&str; 8] = [
        "class",
        "interface",
        "enum",
        "record",
        "struct",
        "namespace",
        "union",
        "@interface",
    ];
    let head = before_parameters(line);
    let of_type = words(head).find(|(word, _)| TYPES.contains(word));
    match of_type {
        // `struct a *f(` is a function.
        Some((_, rest)) if head.len() == line.len() || !rest.contains(['*', ' ']) => {}
        Some((_, rest)) if line.contains('{') && !line.contains('(') => {
            return first_word(rest);
        }
        _ => {
            return last_word(head).filter(|name| line.contains('(') && !CONTROL.contains(name));
        }
    }
    let (_, rest) = of_type?;
    let name = first_word(rest)?;
    if TYPES.contains(&name) {
        return words(rest).nth(1).map(|(word, _)| word);
    }
    Some(name)
}

/// Whether a line begins a type, or a function with its type before its name.
pub(in crate::languages) fn is_definition(line: &str) -> bool {
    if line.ends_with(';') || line.starts_with(['#', '/', '*', '@', '}', '"']) {
        return false;
    }
    let Some((head, _)) = line.split_once('(') else {
        let modifiers = [
            "public",
            "private",
            "protected",
            "internal",
            "static",
            "final",
            "abstract",
            "sealed",
            "partial",
            "typedef",
            "template",
        ];
        let types = [
            "class",
            "interface",
            "enum",
            "record",
            "struct",
            "namespace",
            "union",
        ];
        return after_keyword(line, &modifiers, &types).is_some();
    };
    let mut before = words(head);
    let first = before.next().map_or("", |(word, _)| word);
    let has_type = before.next().is_some();
    has_type
        && !CONTROL.contains(&first)
        && !head.contains(['=', '.', '"', '+', '?', '{'])
        && line.ends_with(['{', ')', ',', '('])
}

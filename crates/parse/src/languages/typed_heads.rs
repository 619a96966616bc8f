//! Recognises definitions that begin with a type, a name and parentheses: in C, C++, Java, C#.

use crate::hunks::heads::{
    before_parameters, last_word, split_keyword, without_annotations, words,
};

/// Words that may precede parentheses without being a function.
pub(in crate::languages) const CONTROL: [&str; 24] = [
    "if", "for", "foreach", "while", "switch", "catch", "return", "else", "do", "throw", "await",
    "new", "with", "case", "typeof", "yield", "super", "lock", "using", "sizeof", "synchronized",
    "function", "try", "fixed",
];

/// Words that begin a type.
const TYPES: [&str; 8] = [
    "class", "interface", "enum", "record", "struct", "namespace", "union", "@interface",
];

/// Returns the name in the head of a definition.
pub(in crate::languages) fn named(line: &str) -> Option<&str> {
    let line = written(line);
    let head = before_parameters(line);
    let of_type = words(head).find(|(word, _)| TYPES.contains(word));
    match of_type {
        // `struct a *f(` is a function.
        Some((_, rest)) if !line.contains('(') || !rest.trim().contains(['*', ' ']) => {}
        _ => {
            return last_word(head).filter(|name| line.contains('(') && !CONTROL.contains(name));
        }
    }
    type_name(of_type?.1)
}

/// Returns the name after the word that begins a type.
fn type_name(rest: &str) -> Option<&str> {
    let mut words = words(rest);
    let (name, after) = words.next()?;
    // `enum class Color`, `class EXPORT Cart`
    let is_macro = !name.contains(char::is_lowercase)
        && name.len() > 1
        && after.trim_start().starts_with(char::is_alphabetic)
        && !after.trim_start().starts_with("final");
    if TYPES.contains(&name) || is_macro {
        return words.next().map(|(word, _)| word);
    }
    Some(name)
}

/// Strips annotations and a linkage specification from a line.
fn written(line: &str) -> &str {
    let line = without_annotations(line);
    line.strip_prefix("extern \"C\" ").unwrap_or(line)
}

/// Whether a line begins a type, or a function with its type before its name.
pub(in crate::languages) fn is_definition(line: &str) -> bool {
    let line = written(line);
    let is_other = |line: &str| line.starts_with(['#', '/', '*', '}', '"', '@']);
    if line.ends_with(';') || is_other(line) && !line.starts_with("@interface") {
        return false;
    }
    let Some((head, _)) = line.split_once('(') else {
        let modifiers = [
            "public", "private", "protected", "internal", "static", "final", "abstract", "sealed",
            "partial", "typedef", "template", "inline", "readonly", "non",
        ];
        let line = line.trim_start_matches('@');
        return split_keyword(line, &modifiers, &TYPES[..7]).is_some();
    };
    let mut before = words(head);
    let first = before.next().map_or("", |(word, _)| word);
    let has_type = before.next().is_some();
    // A qualified type may precede the name, but a call on an object is no definition.
    let name = head.trim_end().rsplit([' ', '\t']).next().unwrap_or(head);
    let is_called = ['=', '"', '+', '{'].iter().any(|sign| head.contains(*sign));
    has_type
        && !CONTROL.contains(&first)
        && !is_called
        && !head.contains(" ? ")
        && !name.contains('.')
        && line.ends_with(['{', ')', ',', '('])
}

//! Recognises declarations of variables that have the name of the function which makes their value: `pool := pool()`.

use foveate_model::Span;

/// Maximum bytes that are examined before a name.
const MAX_BEFORE: usize = 200;
/// Characters that form another operator with an equals sign behind them: `==`, `+=`.
const OPERATORS: [char; 11] = ['=', '!', '<', '>', '+', '-', '*', '/', '%', '|', '&'];

/// Whether a name begins the initial value of a variable of the same name: `let pool = pool();`, `pool, err := pool()`,
/// `Pool pool = pool()`. An assignment to a variable that is declared elsewhere does not count.
pub(super) fn makes_value_of_its_name(text: &str, name: Span) -> bool {
    let (start, name) = (name.start as usize, name.of(text));
    let from = text.floor_char_boundary(start.saturating_sub(MAX_BEFORE));
    let before = text.get(from..start).unwrap_or("").trim_end();
    let Some(before) = before.strip_suffix('=') else {
        return false;
    };
    if before.ends_with(OPERATORS) {
        return false;
    }
    let statement = before.rsplit(['\n', ';', '{', '}']).next().unwrap_or("");
    let declared = statement.trim();
    let mut words = declared.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|word| word == name) && is_declaration(declared)
}

/// Whether the text before an equals sign declares a variable: `pool :` of Go, or a name after a keyword or a type. A list
/// of names (`pool, err`) is an assignment.
fn is_declaration(declared: &str) -> bool {
    if let Some(names) = declared.strip_suffix(':') {
        return !names.is_empty();
    }
    let mut words = declared.split_whitespace();
    let (first, second) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let begins_list = first.ends_with(',') && !first.contains('<');
    first.starts_with(char::is_alphabetic) && !begins_list && !second.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks about the last `pool` of a text.
    fn is_made(text: &str) -> bool {
        let at = text.rfind("pool").unwrap_or_default();
        makes_value_of_its_name(text, Span::new(at, at + "pool".len()))
    }

    #[test]
    fn declarations_are_recognised() {
        for text in [
            "let pool = pool();",
            "let mut pool: Pool = pool(1)?;",
            "if let Some(pool) = pool() {",
            "pool := pool()",
            "a(); pool, err := pool()",
            "Map<K, V> pool = pool();",
            "val pool =\n    pool()",
        ] {
            assert!(is_made(text), "{text}");
        }
        for text in [
            "pool = pool()", "pool, err = pool()", "pool == pool()", "if pool == pool()",
            "let other = pool();", "let pool = 1; other(pool())", "let pool = 1;\nx = pool()",
            "pool += pool()", "return pool()", "pool",
        ] {
            assert!(!is_made(text), "{text}");
        }
    }
}

//! Reads import statements of scripts in the text of an issue.

use crate::code::form::Imports;

pub(super) const IMPORTS: Imports = Imports {
    brackets: |line| {
        if line.starts_with("import ") || line.starts_with("export ") {
            Some(&['(', '{'])
        } else {
            is_require(line).then_some(&['{'])
        }
    },
    names: |statement| Some(imported(statement, specifier(statement)?)),
};

/// Whether a `require` begins on this line, possibly with a pattern that continues on the next lines.
fn is_require(line: &str) -> bool {
    ["const ", "let ", "var "]
        .iter()
        .any(|word| line.starts_with(word))
        && (line.contains("require(") || line.trim_end().ends_with('{'))
}

/// Returns the specifier between quotes after `from`, `require(` or a bare `import`.
fn specifier(statement: &str) -> Option<&str> {
    let after = [" from ", "require(", "import(", "import "]
        .iter()
        .find_map(|mark| {
            statement
                .rfind(mark)
                .and_then(|at| statement.get(at + mark.len()..))
        })?
        .trim_start();
    let quote = after
        .chars()
        .next()
        .filter(|c| matches!(c, '\'' | '"' | '`'))?;
    let inner = after.get(1..)?;
    inner.split_once(quote).map(|(specifier, _)| specifier)
}

fn imported(statement: &str, specifier: &str) -> Vec<String> {
    if specifier.starts_with('.') || specifier.is_empty() || specifier.contains(' ') {
        return Vec::new();
    }
    let list = statement
        .split_once('{')
        .and_then(|(_, rest)| rest.split_once('}'))
        .map(|(list, _)| list);
    let Some(list) = list else {
        return vec![specifier.to_owned()];
    };
    let names = list.split(',').map(|item| {
        let item = item.trim().trim_start_matches("type ");
        item.split([' ', ':']).next().unwrap_or("")
    });
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    names
        .filter(|name| !name.is_empty() && name.chars().all(is_word))
        .map(|name| format!("{specifier}.{name}"))
        .collect()
}

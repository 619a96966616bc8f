//! Import statements in code blocks, as absolute dotted names.

/// The longest import statement in lines.
const LONGEST: usize = 100;

/// The names that the lines import, in order.
pub(super) fn read(lines: &[&str]) -> Vec<String> {
    let mut names = Vec::new();
    let mut i = 0;
    while let Some(line) = lines.get(i) {
        i += 1;
        let line = strip_prompt(line).trim();
        let opens = match () {
            () if line.starts_with("from ")
                || line.starts_with("import ")
                || line.starts_with("export ") =>
            {
                ['(', '{'].into_iter().find(|c| line.contains(*c))
            }
            () if is_require(line) => line.contains('{').then_some('{'),
            () => continue,
        };
        let mut statement = line.to_owned();
        if let Some(open) = opens {
            let close = if open == '(' { ')' } else { '}' };
            let end = lines
                .iter()
                .skip(i)
                .take(LONGEST)
                .position(|l| l.contains(close));
            if let (false, Some(end)) = (statement.contains(close), end) {
                for line in lines.iter().skip(i).take(end + 1) {
                    statement.push(' ');
                    statement.push_str(strip_prompt(line).trim());
                }
                i += end + 1;
            }
        }
        statement_names(&statement, &mut names);
    }
    names
}

/// A `require` that begins on this line, possibly with a pattern that goes on.
fn is_require(line: &str) -> bool {
    ["const ", "let ", "var "]
        .iter()
        .any(|word| line.starts_with(word))
        && (line.contains("require(") || line.trim_end().ends_with('{'))
}

/// Takes the prompts of Python, IPython and doctests off.
pub(super) fn strip_prompt(line: &str) -> &str {
    let line = line.trim_start();
    for prompt in [">>>", "..."] {
        if let Some(rest) = line.strip_prefix(prompt) {
            return rest.strip_prefix(' ').unwrap_or(rest);
        }
    }
    if let Some(rest) = line.strip_prefix("In [") {
        return rest.split_once("]: ").map_or(line, |(_, code)| code);
    }
    line
}

fn statement_names(statement: &str, names: &mut Vec<String>) {
    let statement = statement.trim_end_matches(';');
    if let Some(rest) = statement.strip_prefix("from ") {
        if let Some((module, list)) = rest.split_once(" import ") {
            python(module.trim(), list, names);
        }
        return;
    }
    if let Some(specifier) = specifier(statement) {
        script(statement, specifier, names);
        return;
    }
    if let Some(list) = statement.strip_prefix("import ") {
        let list = list.strip_prefix("static ").unwrap_or(list);
        for item in list.split(',') {
            let name = item
                .split(" as ")
                .next()
                .unwrap_or("")
                .trim()
                .trim_end_matches(".*");
            push(names, name.to_owned());
        }
    }
}

fn python(module: &str, list: &str, names: &mut Vec<String>) {
    if module.starts_with('.') || !is_dotted(module) {
        return;
    }
    let list = list.split('#').next().unwrap_or(list);
    for item in list.split([',', '(', ')']) {
        let name = item.split(" as ").next().unwrap_or("").trim();
        match name {
            "" => {}
            "*" => push(names, module.to_owned()),
            name => push(names, format!("{module}.{name}")),
        }
    }
}

/// What stands between quotes after `from`, `require(` or a bare `import`.
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

fn script(statement: &str, specifier: &str, names: &mut Vec<String>) {
    if specifier.starts_with('.') || specifier.is_empty() || specifier.contains(' ') {
        return;
    }
    let list = statement
        .split_once('{')
        .and_then(|(_, rest)| rest.split_once('}'))
        .map(|(list, _)| list);
    let Some(list) = list else {
        push(names, specifier.to_owned());
        return;
    };
    for item in list.split(',') {
        let item = item.trim().trim_start_matches("type ");
        let name = item.split([' ', ':']).next().unwrap_or("");
        if !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || c == '_' || c == '$')
        {
            push(names, format!("{specifier}.{name}"));
        }
    }
}

fn push(names: &mut Vec<String>, name: String) {
    let valid = name.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '@' | '$'))
        && name.len() <= 300
        && !name.contains(char::is_whitespace);
    if valid {
        names.push(name);
    }
}

fn is_dotted(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || c == '_' || c == '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements() {
        for (text, wanted) in [
            ("from a.b import C, d as e", vec!["a.b.C", "a.b.d"]),
            (
                ">>> from a import (B,\n...     c)\n>>> x",
                vec!["a.B", "a.c"],
            ),
            ("from a import *", vec!["a"]),
            ("from . import x", vec![]),
            ("import a.b as c, d", vec!["a.b", "d"]),
            ("import X from 'lib'", vec!["lib"]),
            (
                "import {\n  a,\n  type B as C\n} from \"@s/lib\";",
                vec!["@s/lib.a", "@s/lib.B"],
            ),
            ("import * as m from 'm'", vec!["m"]),
            ("import './side'", vec![]),
            (
                "const { a, b: c } = require('lib/x')",
                vec!["lib/x.a", "lib/x.b"],
            ),
            ("const lib = require('lib');", vec!["lib"]),
            ("import org.acme.Client;", vec!["org.acme.Client"]),
            ("from here on it fails", vec![]),
            ("import (", vec![]),
        ] {
            let lines: Vec<&str> = text.lines().collect();
            assert_eq!(read(&lines), wanted, "{text}");
        }
    }
}

//! The language of a piece of code: as its fence says, else guessed from words that few languages
//! share.

use foveate_model::Language;

/// How many lines of a block are looked at.
const MOST_LINES: usize = 200;

/// The language of a fence's info string: `python`, `{.py}`, `ts title="a.ts"`.
pub(super) fn named(info: &str) -> Option<Language> {
    let word = info
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '+' | '#')))
        .find(|word| !word.is_empty())?;
    Some(match word.to_ascii_lowercase().as_str() {
        "py" | "python" | "python2" | "python3" | "pycon" | "ipython" | "ipython3" | "doctest"
        | "pytb" | "py3tb" => Language::Python,
        "js" | "javascript" | "node" | "jsx" | "mjs" | "cjs" => Language::JavaScript,
        "ts" | "typescript" => Language::TypeScript,
        "tsx" => Language::Tsx,
        "go" | "golang" => Language::Go,
        "rs" | "rust" => Language::Rust,
        "java" => Language::Java,
        "kt" | "kotlin" => Language::Kotlin,
        "scala" => Language::Scala,
        "swift" => Language::Swift,
        "rb" | "ruby" => Language::Ruby,
        "php" => Language::Php,
        "c" | "h" => Language::C,
        "cpp" | "c++" | "cc" | "hpp" => Language::Cpp,
        "cs" | "csharp" | "c#" => Language::CSharp,
        "sh" | "bash" | "shell" | "zsh" | "console" | "powershell" | "cmd" => Language::Shell,
        "sql" | "postgresql" | "mysql" => Language::Sql,
        "html" | "xml" | "vue" | "svelte" => Language::Html,
        "css" | "scss" | "less" => Language::Css,
        "md" | "markdown" => Language::Markdown,
        "rst" => Language::ReStructuredText,
        "json" | "json5" | "jsonc" => Language::Json,
        "yaml" | "yml" => Language::Yaml,
        "toml" => Language::Toml,
        "text" | "txt" | "log" | "plain" | "output" => Language::Text,
        _ => return None,
    })
}

/// The language that most lines look like; none where no line says it.
pub(super) fn guessed(lines: &[&str]) -> Option<Language> {
    let mut votes: [(Language, usize); 8] = [
        (Language::Python, 0),
        (Language::JavaScript, 0),
        (Language::Go, 0),
        (Language::Rust, 0),
        (Language::Java, 0),
        (Language::Php, 0),
        (Language::Shell, 0),
        (Language::Sql, 0),
    ];
    for line in lines.iter().take(MOST_LINES) {
        let Some(language) = of_line(line.trim()) else {
            continue;
        };
        if let Some(vote) = votes.iter_mut().find(|vote| vote.0 == language) {
            vote.1 += 1;
        }
    }
    // Of equally many the first: a total order.
    let best = votes.iter().rev().max_by_key(|vote| vote.1)?;
    (best.1 > 0).then_some(best.0)
}

/// The language of a line that few others could hold.
fn of_line(line: &str) -> Option<Language> {
    const STARTS: &[(&str, Language)] = &[
        (">>> ", Language::Python),
        ("In [", Language::Python),
        ("def ", Language::Python),
        ("async def ", Language::Python),
        ("elif ", Language::Python),
        ("from ", Language::Python),
        ("const ", Language::JavaScript),
        ("let mut ", Language::Rust),
        ("let ", Language::JavaScript),
        ("var ", Language::JavaScript),
        ("function ", Language::JavaScript),
        ("export ", Language::JavaScript),
        ("import {", Language::JavaScript),
        ("func ", Language::Go),
        ("package ", Language::Go),
        ("fn ", Language::Rust),
        ("pub fn ", Language::Rust),
        ("use ", Language::Rust),
        ("impl ", Language::Rust),
        ("public ", Language::Java),
        ("private ", Language::Java),
        ("<?php", Language::Php),
        ("$ ", Language::Shell),
        ("#!/bin/", Language::Shell),
        ("SELECT ", Language::Sql),
        ("CREATE TABLE ", Language::Sql),
        ("INSERT INTO ", Language::Sql),
    ];
    let (start, language) = *STARTS.iter().find(|(start, _)| line.starts_with(start))?;
    let fits = match start {
        "from " => line.contains(" import "),
        "use " => line.ends_with(';'),
        "package " => !line.ends_with(';'),
        "def " | "async def " | "elif " => line.ends_with(':'),
        _ => true,
    };
    fits.then_some(language)
}

/// The language of a source file of a stack trace.
pub(super) fn of_path(path: &str) -> Option<Language> {
    let (_, extension) = path.rsplit_once('.')?;
    match extension {
        "pyx" | "pyi" => Some(Language::Python),
        "mjs" | "cjs" | "jsx" => Some(Language::JavaScript),
        "py" | "js" | "ts" | "tsx" | "go" | "rs" | "java" | "kt" | "scala" | "swift" | "rb"
        | "php" | "c" | "cc" | "cpp" | "cs" => named(extension),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_fences() {
        for (info, language) in [
            ("python", Some(Language::Python)),
            ("{.py}", Some(Language::Python)),
            ("ts title=\"a.ts\"", Some(Language::TypeScript)),
            ("C++", Some(Language::Cpp)),
            ("mermaid", None),
            ("", None),
        ] {
            assert_eq!(named(info), language, "{info}");
        }
    }

    #[test]
    fn of_code() {
        for (code, language) in [
            ("x\ndef f(x):\n    return 1", Some(Language::Python)),
            ("const a = 1;\nlet b", Some(Language::JavaScript)),
            ("let mut a = 1;", Some(Language::Rust)),
            ("a b c", None),
        ] {
            let lines: Vec<&str> = code.lines().collect();
            assert_eq!(guessed(&lines), language, "{code}");
        }
    }
}

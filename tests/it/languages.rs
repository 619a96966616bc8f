//! Tests that language-specific code is only in the language folders and their table: no other source
//! distinguishes languages.

use std::path::{Path, PathBuf};

/// Paths that may distinguish languages.
const FOLDERS: [&str; 2] = [
    "crates/parse/src/languages/",
    "crates/parse/src/languages.rs",
];

/// Names of languages and families, and extensions of their files. Formats such as JSON are not among them.
const NAMES: &[&str] = &[
    "c", "cc", "cjs", "cpp", "cs", "csharp", "cts", "cxx", "ecmascript", "go", "h", "hpp", "java",
    "javascript", "js", "jsx", "kotlin", "kt", "kts", "mjs", "mts", "php", "py", "pyi", "python",
    "rb", "rs", "ruby", "rust", "scala", "svelte", "swift", "toy", "ts", "tsx", "typescript",
    "vue",
];

/// Literals that mean something else: a verb, a key, an operator, words of issues that are no names of code.
const WORDS: &[(&str, &[&str])] = &[
    ("crates/parse/src/traces/mangled.rs", &["rs"]),
    ("crates/query/src/intent/lexicon.rs", &["go"]),
    (
        "crates/query/src/text/boilerplate.rs",
        &["java", "python", "ruby"],
    ),
    ("crates/query/src/text/log_entry.rs", &["ts"]),
    (
        "crates/query/src/text/names.rs",
        &["javascript", "typescript"],
    ),
];

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// Whether a file has tests only. In the crates, `failed_tests.rs` and the like are about tests.
fn is_test_file(path: &str) -> bool {
    path.contains("/tests/")
        || path.ends_with("/tests.rs")
        || path.ends_with("/testing.rs")
        || path.starts_with("src/") && path.ends_with("_tests.rs")
}

/// Returns the lines before the unit tests, which may name languages. A test module in another file has code after it.
fn shipped(text: &str) -> impl Iterator<Item = &str> {
    let mut lines = text.lines().peekable();
    std::iter::from_fn(move || {
        let line = lines.next()?;
        let next = lines.peek().copied().unwrap_or_default();
        let begins_tests = line == "#[cfg(test)]" && next.contains("mod ") && next.ends_with('{');
        (!begins_tests).then_some(line)
    })
}

fn code_of(line: &str) -> &str {
    match line.trim_start().starts_with("//") {
        true => "",
        false => line.split(" // ").next().unwrap_or(line),
    }
}

/// Whether a line has a name as a literal, or as the extension of one: `"py"`, `".py"`, `"*.py"`.
fn has_literal(line: &str, name: &str) -> bool {
    let code = code_of(line);
    ["", ".", "*."]
        .iter()
        .any(|before| code.contains(&format!("\"{before}{name}\"")))
}

/// Describes how a line distinguishes languages, except by the literals in `words`; `None` if it does not.
fn offence(line: &str, words: &[&str]) -> Option<String> {
    let code = code_of(line);
    for (at, _) in code.match_indices("Language::") {
        let rest = &code[at + "Language::".len()..];
        let is_variant = rest.starts_with(|c: char| c.is_ascii_uppercase())
            && rest[1..].starts_with(|c: char| c.is_ascii_lowercase());
        if is_variant {
            return Some("a variant of `Language`".to_owned());
        }
    }
    if code.contains("Family::") {
        return Some("a family of languages".to_owned());
    }
    if code.contains("languages::by_name(") {
        return Some("a language by its name".to_owned());
    }
    let mut names = NAMES.iter().filter(|name| !words.contains(name));
    let name = names.find(|name| has_literal(line, name))?;
    Some(format!("the literal \"{name}\""))
}

#[test]
fn only_language_folders_distinguish_languages() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    sources(&root.join("src"), &mut files);
    for name in ["model", "parse", "index", "query"] {
        sources(&root.join("crates").join(name).join("src"), &mut files);
    }
    let mut offences = Vec::new();
    for path in files {
        let below = path.strip_prefix(root).unwrap().display().to_string();
        if is_test_file(&below) || FOLDERS.iter().any(|folder| below.starts_with(folder)) {
            continue;
        }
        let words = WORDS.iter().find(|(file, _)| *file == below);
        let words = words.map_or(&[][..], |(_, words)| *words);
        let text = std::fs::read_to_string(&path).unwrap();
        for (number, line) in (1..).zip(shipped(&text)) {
            if let Some(what) = offence(line, words) {
                offences.push(format!("{below}:{number}: {what}"));
            }
        }
        for word in words {
            assert!(
                shipped(&text).any(|line| has_literal(line, word)),
                "{below} has no \"{word}\": remove it from WORDS"
            );
        }
    }
    assert!(offences.is_empty(), "{}", offences.join("\n"));
}

#[test]
fn offences_are_detected() {
    for line in [
        "match language { Language::Python => 1 }",
        "if family == Family::Ecmascript {",
        "language.name() == \"python\"",
        "    \"javascript\" | \"tsx\" => {}",
        "[\"ruby\", \"php\"].contains(&language.name())",
        "path.ends_with(\".py\")",
        "let other = by_name(\"go\"); // the other language",
    ] {
        assert!(offence(line, &[]).is_some(), "{line}");
    }
    for line in [
        "Language::TEXT",
        "Language::of(&RULES)",
        "// not Language::Python",
        "let text = \"in go\"; // not \"go\"",
    ] {
        assert_eq!(offence(line, &[]), None, "{line}");
    }
    assert_eq!(offence("[\"go\", \"do\"]", &["go"]), None);
}

#[test]
fn tests_are_told_from_code() {
    assert!(is_test_file("src/eval/score_tests.rs"));
    assert!(is_test_file("crates/query/src/text/tests/code.rs"));
    assert!(!is_test_file("crates/query/src/text/failed_tests.rs"));
    let text = "#[cfg(test)]\nmod tests;\na\n#[cfg(test)]\nmod more {\nb\n}\n";
    let lines: Vec<&str> = shipped(text).collect();
    assert_eq!(lines, ["#[cfg(test)]", "mod tests;", "a"]);
}

//! Tests that language-specific code is only in the language folders and their table: no other source
//! distinguishes languages.

use std::path::{Path, PathBuf};

/// Paths that may distinguish languages.
const FOLDERS: [&str; 2] = [
    "crates/parse/src/languages/",
    "crates/parse/src/languages.rs",
];

/// Names of languages and families. Formats such as JSON are not among them.
const NAMES: [&str; 19] = [
    "c", "cpp", "csharp", "ecmascript", "go", "java", "javascript", "kotlin", "php", "python",
    "ruby", "rust", "scala", "svelte", "swift", "toy", "tsx", "typescript", "vue",
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

/// Describes how a line distinguishes languages; `None` if it does not.
fn offence(line: &str) -> Option<String> {
    let code = line.split("//").next().unwrap_or(line);
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
    NAMES.iter().find_map(|name| {
        let literal = format!("\"{name}\"");
        let (before, after) = code.split_once(&literal)?;
        let (before, after) = (before.trim_end(), after.trim_start());
        let is_compared = before.ends_with("==") || before.ends_with("!=");
        let is_matched = after.starts_with("=>") || after.starts_with('|');
        (is_compared || is_matched).then(|| format!("a match on {literal}"))
    })
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
        let is_test = below.contains("tests") || below.ends_with("testing.rs");
        if is_test || FOLDERS.iter().any(|folder| below.starts_with(folder)) {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        // Unit tests may name languages.
        let shipped = text.split("#[cfg(test)]\nmod ").next().unwrap_or(&text);
        for (number, line) in (1..).zip(shipped.lines()) {
            if let Some(what) = offence(line) {
                offences.push(format!("{below}:{number}: {what}"));
            }
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
    ] {
        assert!(offence(line).is_some(), "{line}");
    }
    for line in [
        "Language::TEXT", "Language::of(&RULES)", "\"go\", \"on\"", "// not Language::Python",
    ] {
        assert_eq!(offence(line), None, "{line}");
    }
}

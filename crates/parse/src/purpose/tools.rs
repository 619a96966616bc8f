//! Finds the tools that a file of settings for many tools configures: `[tool.mypy]` in `pyproject.toml` decides what
//! `mypy.ini` would.

use std::collections::HashMap;
use std::sync::LazyLock;

use foveate_model::{FileKind, Language, RepoPath};

use super::{WELL_KNOWN, rows};
use crate::sections::{Section, sections};

/// The longest text whose sections are looked at, in bytes.
const MAX_BYTES: usize = 100_000;

/// The words of each tool, by its [key]: those of the file that configures it alone, or of a row `section NAME WORDS`
/// for a tool that has no such file.
static TOOLS: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
    let files = WELL_KNOWN.iter().flatten().filter(|known| {
        known.directory.is_empty() && matches!(known.kind, FileKind::Tool | FileKind::TestRunner)
    });
    let named = files.map(|known| (key_of_file(known.name), known.words));
    let sections =
        rows().filter_map(|row| row.strip_prefix("section ")?.trim_start().split_once(' '));
    let sections = sections.map(|(name, words)| (key(name), words.trim_start()));
    named
        .chain(sections)
        .filter(|(name, _)| !name.is_empty())
        .collect()
});

/// Returns the words of the tools that the sections of a text configure, each once, in the order of the sections.
pub(super) fn words(path: &RepoPath, text: &str) -> Vec<&'static str> {
    let extension = path.extension();
    if text.len() > MAX_BYTES || !matches!(extension, "toml" | "ini" | "cfg" | "json") {
        return Vec::new();
    }
    let language = crate::language_by_name(path).unwrap_or(Language::TEXT);
    let mut found: Vec<&'static str> = Vec::new();
    for Section { title, depth, .. } in sections(language, path.as_str(), text) {
        let words = (depth == 0)
            .then(|| words_of_section(extension, &title))
            .flatten();
        found.extend(words.filter(|words| !found.contains(words)));
    }
    found
}

/// Returns the words of the tool that a section configures, by the title of the section: `tool.ruff.lint`,
/// `mypy-setup.*`, `tool:pytest`, `eslintConfig`.
fn words_of_section(extension: &str, title: &str) -> Option<&'static str> {
    let name = match extension {
        "toml" => title.strip_prefix("tool.")?.split(['.', '[']).next()?,
        "json" => title.strip_suffix("Config").unwrap_or(title),
        _ => {
            let title = title.strip_prefix("tool:").unwrap_or(title);
            title.split([':', '.', '-', ' ']).next()?
        }
    };
    TOOLS.get(&key(name)).copied()
}

/// Returns the key of the tool that reads a file of this name: `jest` for `jest.config.*`, `coverage` for `.coveragerc`.
fn key_of_file(name: &str) -> String {
    let stem = name.trim_start_matches('.').split(['.', '*']).next();
    let stem = stem.unwrap_or_default();
    key(stem.strip_suffix("rc").unwrap_or(stem))
}

/// Returns the name of a tool as it is compared: tools are written with and without hyphens.
fn key(name: &str) -> String {
    let letters = name.chars().filter(|c| !matches!(c, '-' | '_'));
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str, like: &[&str]) {
        let path = RepoPath::new(path).expect("a path");
        let found = words(&path, text);
        let known = like.iter().map(|name| TOOLS[*name]);
        assert_eq!(found, known.collect::<Vec<_>>(), "{path}");
    }

    #[test]
    fn sections_configure_the_tools_that_they_name() {
        check(
            "pyproject.toml",
            "[project]\nname = 'a'\n[tool.ruff]\nfix = true\n[tool.ruff.lint]\nselect = []\n[tool.pytest.ini_options]\na = 1\n",
            &["ruff", "pytest"],
        );
        check(
            "setup.cfg",
            "[metadata]\nname = a\n[mypy-yaml.*]\na = 1\n[tool:pytest]\na = 1\n[coverage:run]\na = 1\n",
            &["mypy", "pytest", "coverage"],
        );
        check(
            "web/package.json",
            "{\n  \"name\": \"a\",\n  \"jest\": {\n    \"a\": 1\n  },\n  \"eslintConfig\": {\n    \"jest\": {\n      \"a\": 1\n    }\n  },\n  \"lint-staged\": {\n    \"a\": 1\n  }\n}\n",
            &["jest", "eslint", "lintstaged"],
        );
        check("Cargo.toml", "[mypy]\na = 1\n", &[]);
        check("ruff.yml", "[tool.ruff]\na = 1\n", &[]);
    }
}

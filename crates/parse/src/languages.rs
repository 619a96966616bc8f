//! Holds the table of languages, with one row per language, and the lookups in it. Everything known of a
//! language is in its row and in the folder that defines the row; nothing else in the workspace tells
//! languages apart. Languages without a parser of their own are rows of [`plain`].
//!
//! To add one, see `docs/languages.md`.

mod builtins;
mod c;
mod csharp;
mod ecmascript;
mod files_by_name;
mod go;
mod java;
mod keyword_heads;
mod kotlin;
mod notebook;
mod package_numbers;
mod php;
mod plain;
mod python;
mod ruby;
mod rust;
mod spec;
/// A toy language for tests.
#[cfg(feature = "toy-language")]
#[path = "../tests/toy/toy.rs"]
mod toy;
mod typed_heads;

use foveate_model::{Language, RepoPath};

use self::spec::{LanguageSpec, Names};

/// Maximum number of bytes of a path that each import of a group repeats: `a::b` in `use a::b::{c, d}`.
const MAX_MODULE_PATH: usize = 1024;

/// Maximum nesting of a type in which the name of the outermost class is searched, in nodes.
const MAX_TYPE_NESTING: usize = 8;

/// Every language. Where several match, such as for a line that looks like code of two languages, the
/// earlier row wins.
static TABLE: &[&LanguageSpec] = &[
    &python::PYTHON,
    &ecmascript::JAVASCRIPT,
    &ecmascript::TYPESCRIPT,
    &ecmascript::TSX,
    &ecmascript::components::VUE,
    &ecmascript::components::SVELTE,
    &go::GO,
    &rust::RUST,
    &java::JAVA,
    &kotlin::KOTLIN,
    &plain::SCALA,
    &plain::SWIFT,
    &ruby::RUBY,
    &php::PHP,
    &c::C,
    &c::CPP,
    &csharp::CSHARP,
    &notebook::NOTEBOOK,
    &plain::SHELL,
    &plain::SQL,
    &plain::HTML,
    &plain::CSS,
    &plain::MARKDOWN,
    &plain::RESTRUCTUREDTEXT,
    &plain::JSON,
    &plain::YAML,
    &plain::TOML,
    &plain::TEXT,
    #[cfg(feature = "toy-language")]
    &toy::TOY,
];

/// Returns all languages in the order of the table, those of which only the file names are known last.
pub(crate) fn all() -> impl DoubleEndedIterator<Item = &'static LanguageSpec> {
    TABLE.iter().copied().chain(plain::OTHER_CODE)
}

/// Returns the row of a language; that of plain text for a language that is not in the table.
pub(crate) fn spec(language: Language) -> &'static LanguageSpec {
    all()
        .find(|spec| spec.language == language)
        .unwrap_or(&plain::TEXT)
}

/// Returns the language with a wire name.
pub fn by_name(name: &str) -> Option<Language> {
    let mut languages = all().map(|spec| spec.language);
    languages.find(|language| language.name() == name)
}

/// Returns the language with a number in stored data.
pub fn by_code(code: u8) -> Option<Language> {
    let mut languages = all().map(|spec| spec.language);
    languages.find(|language| language.rules().code == code)
}

/// Returns the language that a path's name tells; `None` if only the content can tell. A whole name tells more than its
/// beginning, and that more than the extension.
pub(crate) fn by_path(path: &RepoPath) -> Option<Language> {
    let name = path.file_name();
    let extension = path.extension();
    let first = |claims: &dyn Fn(&Names) -> bool| all().find(|spec| claims(&spec.names));
    first(&|names| names.files.contains(&name))
        .or_else(|| first(&|names| names.prefixes.iter().any(|start| name.starts_with(start))))
        .or_else(|| {
            first(&|names| {
                let mut own = names.extensions.iter();
                own.any(|known| known.eq_ignore_ascii_case(extension))
            })
        })
        .map(|spec| spec.language)
}

/// Whether files with this extension, in lower case, are code.
pub fn is_code_extension(extension: &str) -> bool {
    let mut code = all().filter(|spec| spec.language.is_code());
    code.any(|spec| spec.names.extensions.contains(&extension))
}

/// Whether a name with this extension may be code as well as a file: `x.d`, `self.re`, `player.move`. That holds for the
/// languages of which only the names are known.
pub fn is_ambiguous_extension(extension: &str) -> bool {
    let mut other = plain::OTHER_CODE.iter();
    other.any(|spec| spec.names.extensions.contains(&extension))
}

/// Returns the language of a text, given the language that its name tells.
pub(crate) fn by_content(by_name: Language, text: &str) -> Language {
    (spec(by_name).by_content)(text).unwrap_or(by_name)
}

/// Returns the language that a `#!` line names.
pub(crate) fn by_shebang(text: &str) -> Option<Language> {
    let line = text.lines().next()?.strip_prefix("#!")?;
    let mut words = line.split_whitespace();
    let mut program = words.next()?.rsplit('/').next()?;
    if program == "env" {
        program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    }
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    all()
        .find(|spec| spec.names.programs.contains(&program))
        .map(|spec| spec.language)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn extension_belongs_to_one_language() {
        let mut seen = HashSet::new();
        for extension in all().flat_map(|spec| spec.names.extensions) {
            assert!(seen.insert(extension), "{extension} has two rows");
        }
    }

    #[test]
    fn names_and_codes_are_unique_and_round_trip() {
        let codes: HashSet<u8> = all().map(|spec| spec.language.rules().code).collect();
        let names: HashSet<&str> = all().map(|spec| spec.language.name()).collect();
        let count = all().count();
        assert_eq!((codes.len(), names.len()), (count, count));
        for spec in all() {
            assert_eq!(by_name(spec.language.name()), Some(spec.language));
            assert_eq!(by_code(spec.language.rules().code), Some(spec.language));
        }
    }

    #[test]
    fn file_names_determine_languages() {
        for (name, language) in [
            ("a/b.py", "python"),
            ("a/b.d.ts", "typescript"),
            ("a/b.TSX", "tsx"),
            ("a/b.cjs", "javascript"),
            ("Makefile", "text"),
            ("Gemfile", "ruby"),
            ("docs/a.rst", "restructuredtext"),
            (".eslintrc", "json"),
            ("bin/tool", ""),
            ("a.unknown", ""),
        ] {
            let found = by_path(&RepoPath::new(name).unwrap());
            assert_eq!(found.map_or("", Language::name), language, "{name}");
        }
    }

    #[test]
    fn shebangs_determine_languages() {
        for (line, language) in [
            ("#!/usr/bin/env python3\n", "python"),
            ("#!/usr/bin/python2.7 -u\n", "python"),
            ("#!/usr/bin/env -S FOO=1 node --flag\n", "javascript"),
            ("#! /bin/sh\n", "shell"),
            ("#!/usr/bin/env\n", ""),
            ("# plain\n", ""),
        ] {
            assert_eq!(by_shebang(line).map_or("", Language::name), language);
        }
    }
}

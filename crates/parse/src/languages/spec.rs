//! Defines a row of the table of languages: everything that the program knows of one language.

use foveate_model::{Content, FileFacts, Language};

use crate::code::form::CodeForm;
use crate::hunks::heads::HunkHeads;
use crate::limits::Limits;
use crate::origin::form::OriginForm;
use crate::role::conventions::Roles;
use crate::sections::format::Format;
use crate::traces::form::TraceForm;
use crate::values::ValueForm;

/// One language: its identity for the other crates, and how its texts are read.
pub(crate) struct LanguageSpec {
    /// The language as other crates see it.
    pub(crate) language: Language,
    /// Names by which its files are recognised.
    pub(crate) names: Names,
    /// Extracts the text to read from a file format that wraps it. Every line stays where it is in the file.
    pub(crate) embedded_text: Option<fn(&str) -> String>,
    /// Detects by its content a text that is in another language with the same file name.
    pub(crate) by_content: fn(&str) -> Option<Language>,
    /// Its walker; without one, its files are plain text.
    pub(crate) parser: Option<Parser>,
    /// How it writes types and binds local variables.
    pub(crate) values: Option<ValueForm>,
    /// Which roles the paths of its files imply.
    pub(crate) roles: Roles,
    /// The structure of a file without definitions, by its path.
    pub(crate) sections: fn(&str) -> Option<Format>,
    /// How its code looks in an issue.
    pub(crate) code: CodeForm,
    /// How its stack traces and error messages look.
    pub(crate) traces: TraceForm,
    /// Where packages, its standard library and built files are, by the paths in traces.
    pub(crate) origins: OriginForm,
    /// How lines that begin a function or class are recognised.
    pub(crate) hunks: Option<HunkHeads>,
}

/// Parses a text; `None` if a limit was reached. Given an earlier version of the file, a walker may reuse
/// unchanged parts.
pub(crate) type Parser = fn(Language, &str, Option<&Content>, &Limits) -> Option<FileFacts>;

/// Names by which the files of a language are recognised.
#[derive(Clone, Copy)]
pub(crate) struct Names {
    /// Extensions in lower case, without their dot.
    pub(crate) extensions: &'static [&'static str],
    /// Whole names.
    pub(crate) files: &'static [&'static str],
    /// Beginnings of names.
    pub(crate) prefixes: &'static [&'static str],
    /// Programs that a `#!` line may name, without their version.
    pub(crate) programs: &'static [&'static str],
    /// Files that its package managers write, in any language. They are not read.
    pub(crate) lock_files: &'static [&'static str],
}

impl Names {
    /// Matches no name.
    pub(crate) const NONE: Self = Self {
        extensions: &[],
        files: &[],
        prefixes: &[],
        programs: &[],
        lock_files: &[],
    };

    /// Returns the names of files with these extensions.
    pub(crate) const fn extensions(extensions: &'static [&'static str]) -> Self {
        Self {
            extensions,
            ..Self::NONE
        }
    }
}

impl LanguageSpec {
    /// Creates a row for a language of which only the name is known.
    pub(crate) const fn new(language: Language) -> Self {
        Self {
            language,
            names: Names::NONE,
            embedded_text: None,
            by_content: |_| None,
            parser: None,
            values: None,
            roles: Roles::NONE,
            sections: |_| None,
            code: CodeForm::NONE,
            traces: TraceForm::NONE,
            origins: OriginForm::NONE,
            hunks: None,
        }
    }
}

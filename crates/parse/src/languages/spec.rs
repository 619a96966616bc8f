//! A row of the table of languages: all that the rest of the program knows of one.

use foveate_model::{Content, FileFacts, Language};

use crate::code::form::CodeForm;
use crate::hunks::heads::HunkHeads;
use crate::limits::Limits;
use crate::origin::form::OriginForm;
use crate::role::conventions::Roles;
use crate::sections::format::Format;
use crate::traces::form::TraceForm;
use crate::values::ValueForm;

/// One language: what it is to the rest of the program, and how its texts are read.
pub(crate) struct LanguageSpec {
    /// What other crates are handed of it.
    pub(crate) language: Language,
    /// By which names its files are known.
    pub(crate) names: Names,
    /// Another language that a text under one of its names may be in, by its content.
    pub(crate) by_content: fn(&str) -> Option<Language>,
    /// Its walker; without one its files are text.
    pub(crate) parser: Option<Parser>,
    /// How it writes types and binds local variables.
    pub(crate) values: Option<ValueForm>,
    /// What the paths of its files say about their roles.
    pub(crate) roles: Roles,
    /// The structure of a file that has no definitions, by its path.
    pub(crate) sections: fn(&str) -> Option<Format>,
    /// How its code looks in an issue.
    pub(crate) code: CodeForm,
    /// What its stack traces and error messages look like.
    pub(crate) traces: TraceForm,
    /// Where packages, its own library and built files lie, by the paths in traces.
    pub(crate) origins: OriginForm,
    /// How a line that begins a function or class is told.
    pub(crate) hunks: Option<HunkHeads>,
}

/// Parses a text; `None` when the time limit was reached. Where it is known what the file was before,
/// a walker may take over what did not change.
pub(crate) type Parser = fn(Language, &str, Option<&Content>, &Limits) -> Option<FileFacts>;

/// By which names the files of a language are known.
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
    /// Files that its package managers write, whatever language these are in. They are not read.
    pub(crate) lock_files: &'static [&'static str],
}

impl Names {
    /// No name.
    pub(crate) const NONE: Self = Self {
        extensions: &[],
        files: &[],
        prefixes: &[],
        programs: &[],
        lock_files: &[],
    };

    /// Files with these extensions.
    pub(crate) const fn extensions(extensions: &'static [&'static str]) -> Self {
        Self {
            extensions,
            ..Self::NONE
        }
    }
}

impl LanguageSpec {
    /// A language of which nothing is known but its name.
    pub(crate) const fn new(language: Language) -> Self {
        Self {
            language,
            names: Names::NONE,
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

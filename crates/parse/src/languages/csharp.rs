//! Registers C#.

mod code;
mod hunks;
mod lookup;
mod modules;
mod origin;
mod roles;
mod traces;
mod walker;

use foveate_model::{Language, LanguageRules};

use super::spec::{LanguageSpec, Names};

pub(super) static CSHARP: LanguageSpec = LanguageSpec {
    names: Names {
        lock_files: &["packages.lock.json"],
        ..Names::extensions(&["cs"])
    },
    parser: Some(|language, text, _, limits| {
        let shown = walker::mask_directives(text);
        walker::WALKER.facts_of(language, text, shown.as_bytes(), limits)
    }),
    roles: roles::ROLES,
    code: code::CODE,
    traces: traces::TRACES,
    origins: origin::ORIGINS,
    hunks: Some(hunks::HUNKS),
    ..LanguageSpec::new(Language::of(&RULES))
};

static RULES: LanguageRules = LanguageRules {
    modules: Some(&modules::MODULES),
    lookup: lookup::LOOKUP,
    tests: lookup::TESTS,
    ..LanguageRules::new("csharp", 14)
};

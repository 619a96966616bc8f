//! Registers Kotlin.

mod code;
mod hunks;
mod lookup;
mod origin;
mod roles;
mod traces;
mod walker;

use foveate_model::{Language, LanguageRules};

use super::spec::{LanguageSpec, Names};

pub(super) static KOTLIN: LanguageSpec = LanguageSpec {
    names: Names::extensions(&["kt", "kts"]),
    parser: Some(|language, text, _, limits| {
        let shown = walker::mask_misread_words(text);
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
    family: "jvm",
    modules: Some(&super::java::modules::MODULES),
    lookup: lookup::LOOKUP,
    tests: super::java::lookup::TESTS,
    ..LanguageRules::new("kotlin", 7)
};

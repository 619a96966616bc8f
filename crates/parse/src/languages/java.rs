//! Registers Java.

mod code;
pub(super) mod hunks;
pub(super) mod lookup;
pub(super) mod modules;
mod origin;
pub(super) mod roles;
mod traces;
pub(super) mod walker;

use foveate_model::{Language, LanguageRules};

use super::spec::{LanguageSpec, Names};

pub(super) static JAVA: LanguageSpec = LanguageSpec {
    names: Names::extensions(&["java"]),
    parser: Some(|language, text, _, limits| walker::WALKER.facts(language, text, limits)),
    roles: roles::ROLES,
    code: code::CODE,
    traces: traces::TRACES,
    origins: origin::ORIGINS,
    hunks: Some(hunks::heads("java", &["java"])),
    ..LanguageSpec::new(Language::of(&RULES))
};

static RULES: LanguageRules = LanguageRules {
    family: "jvm",
    modules: Some(&modules::MODULES),
    lookup: lookup::LOOKUP,
    tests: lookup::TESTS,
    ..LanguageRules::new("java", 6)
};

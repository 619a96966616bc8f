//! Kotlin.

mod code;
mod hunks;
mod origin;
mod roles;
mod traces;

use foveate_model::{Language, LanguageRules};

use super::{LanguageSpec, Names};

pub(super) static KOTLIN: LanguageSpec = LanguageSpec {
    names: Names::extensions(&["kt", "kts"]),
    roles: roles::ROLES,
    code: code::CODE,
    traces: traces::TRACES,
    origins: origin::ORIGINS,
    hunks: Some(hunks::HUNKS),
    ..LanguageSpec::new(Language::of(&RULES))
};

static RULES: LanguageRules = LanguageRules::new("kotlin", 7);

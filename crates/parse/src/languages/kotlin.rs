//! Kotlin.

mod code;
mod hunks;
mod origin;
mod traces;

use foveate_model::{Language, LanguageRules};

use super::{LanguageSpec, Names};
use crate::role::Roles;
use crate::role::conventions::is_test_class;

pub(super) static KOTLIN: LanguageSpec = LanguageSpec {
    names: Names::extensions(&["kt", "kts"]),
    roles: ROLES,
    code: code::CODE,
    traces: traces::TRACES,
    origins: origin::ORIGINS,
    hunks: Some(hunks::HUNKS),
    ..LanguageSpec::new(Language::of(&RULES))
};

static RULES: LanguageRules = LanguageRules::new("kotlin", 7);

const ROLES: Roles = Roles {
    is_test: is_test_class,
    ..Roles::NONE
};

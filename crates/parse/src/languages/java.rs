//! Java.

mod code;
pub(super) mod hunks;
mod origin;
mod traces;

use foveate_model::{Language, LanguageRules};

use super::{LanguageSpec, Names};
use crate::role::conventions::is_test_class;
use crate::role::{Ecosystem, Roles};

pub(super) static JAVA: LanguageSpec = LanguageSpec {
    names: Names::extensions(&["java"]),
    roles: ROLES,
    code: code::CODE,
    traces: traces::TRACES,
    origins: origin::ORIGINS,
    hunks: Some(hunks::heads("java", &["java"])),
    ..LanguageSpec::new(Language::of(&RULES))
};

static RULES: LanguageRules = LanguageRules::new("java", 6);

const ROLES: Roles = Roles {
    ecosystem: Ecosystem {
        configuration_names: &["pom.xml", "build.gradle"],
        ..Ecosystem::NONE
    },
    is_test: is_test_class,
    ..Roles::NONE
};

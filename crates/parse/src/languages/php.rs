//! PHP.

mod code;
mod hunks;
mod lookup;
mod modules;
mod origin;
mod traces;
mod walker;

use foveate_model::{Language, LanguageRules};

use super::{LanguageSpec, Names};
use crate::role::conventions::is_test_class;
use crate::role::{Ecosystem, Roles};

pub(super) static PHP: LanguageSpec = LanguageSpec {
    names: Names {
        programs: &["php"],
        lock_files: &["composer.lock"],
        ..Names::extensions(&["php", "phtml"])
    },
    parser: Some(|language, text, _, limits| walker::WALKER.facts(language, text, limits)),
    roles: ROLES,
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
    ..LanguageRules::new("php", 11)
};

const ROLES: Roles = Roles {
    ecosystem: Ecosystem {
        configuration_names: &["composer.json"],
        ..Ecosystem::NONE
    },
    is_test: is_test_class,
    ..Roles::NONE
};

//! Go.

mod code;
mod hunks;
mod origin;
mod traces;

use foveate_model::{Language, LanguageRules};

use super::{LanguageSpec, Names};
use crate::role::{Ecosystem, Roles};

pub(super) static GO: LanguageSpec = LanguageSpec {
    names: Names {
        lock_files: &["go.sum"],
        ..Names::extensions(&["go"])
    },
    roles: ROLES,
    code: code::CODE,
    traces: traces::TRACES,
    origins: origin::ORIGINS,
    hunks: Some(hunks::HUNKS),
    ..LanguageSpec::new(Language::of(&RULES))
};

static RULES: LanguageRules = LanguageRules::new("go", 4);

const ROLES: Roles = Roles {
    ecosystem: Ecosystem {
        generated_endings: &[".pb.go"],
        configuration_names: &["go.mod"],
        ..Ecosystem::NONE
    },
    is_test: |file| file.stem.ends_with("_test"),
    ..Roles::NONE
};

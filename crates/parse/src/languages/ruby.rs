//! Ruby.

mod code;
mod hunks;
mod origin;
mod traces;

use foveate_model::{Language, LanguageRules};

use super::{LanguageSpec, Names};
use crate::role::{Ecosystem, Roles};

pub(super) static RUBY: LanguageSpec = LanguageSpec {
    names: Names {
        files: &[
            "Rakefile",
            "Gemfile",
            "Podfile",
            "Vagrantfile",
            "Fastfile",
            "Brewfile",
        ],
        programs: &["ruby"],
        lock_files: &["Gemfile.lock"],
        ..Names::extensions(&["rb", "rake", "gemspec"])
    },
    roles: ROLES,
    code: code::CODE,
    traces: traces::TRACES,
    origins: origin::ORIGINS,
    hunks: Some(hunks::HUNKS),
    ..LanguageSpec::new(Language::of(&RULES))
};

static RULES: LanguageRules = LanguageRules::new("ruby", 10);

const ROLES: Roles = Roles {
    ecosystem: Ecosystem {
        configuration_names: &["vagrantfile", "gemfile", "rakefile"],
        ..Ecosystem::NONE
    },
    is_test: |file| file.stem.ends_with("_spec") || file.stem.ends_with("_test"),
    ..Roles::NONE
};

//! Registers Ruby.

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

pub(super) static RUBY: LanguageSpec = LanguageSpec {
    names: Names {
        files: &[
            "Rakefile", "Gemfile", "Podfile", "Vagrantfile", "Fastfile", "Brewfile",
        ],
        programs: &["ruby"],
        lock_files: &["Gemfile.lock"],
        ..Names::extensions(&["rb", "rake", "gemspec"])
    },
    parser: Some(|language, text, _, limits| walker::WALKER.facts(language, text, limits)),
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
    ..LanguageRules::new("ruby", 10)
};

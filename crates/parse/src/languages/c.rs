//! Registers C and C++, which share headers, debuggers and conventions.

mod code;
mod headers;
mod hunks;
mod lookup;
mod masks;
mod modules;
mod origin;
mod roles;
mod traces;
mod walker;

use foveate_model::{Language, LanguageRules};

use super::spec::{LanguageSpec, Names};

pub(super) static C: LanguageSpec = LanguageSpec {
    names: Names::extensions(&["c", "h"]),
    by_content: |text| headers::is_cpp(text).then_some(Language::of(&CPP_RULES)),
    parser: Some(|language, text, _, limits| walker::facts(&walker::C, language, text, limits)),
    roles: roles::C,
    code: code::C,
    traces: traces::C,
    origins: origin::C,
    hunks: Some(hunks::heads(&["c", "h"])),
    ..LanguageSpec::new(Language::of(&C_RULES))
};

pub(super) static CPP: LanguageSpec = LanguageSpec {
    names: Names::extensions(&[
        "cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "ipp", "cu", "cuh",
    ]),
    parser: Some(|language, text, _, limits| walker::facts(&walker::CPP, language, text, limits)),
    roles: roles::CPP,
    code: code::CPP,
    traces: traces::CPP,
    origins: origin::CPP,
    hunks: Some(hunks::heads(&["cc", "cpp", "cxx", "hh", "hpp", "hxx"])),
    ..LanguageSpec::new(Language::of(&CPP_RULES))
};

static C_RULES: LanguageRules = LanguageRules {
    family: FAMILY,
    modules: Some(&modules::MODULES),
    lookup: lookup::C,
    tests: lookup::TESTS,
    ..LanguageRules::new("c", 12)
};

static CPP_RULES: LanguageRules = LanguageRules {
    family: FAMILY,
    modules: Some(&modules::MODULES),
    lookup: lookup::CPP,
    tests: lookup::TESTS,
    ..LanguageRules::new("cpp", 13)
};

const FAMILY: &str = "c";

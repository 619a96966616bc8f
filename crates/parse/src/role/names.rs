//! Collects the names that imply roles in all languages: those of every ecosystem, and common ones.

use std::sync::LazyLock;

use super::conventions::Ecosystem;
use crate::languages;

/// The names of all ecosystems.
pub(super) struct Names {
    pub(super) generated_names: Vec<&'static str>,
    pub(super) generated_endings: Vec<&'static str>,
    pub(super) generated_directories: Vec<&'static str>,
    pub(super) test_directories: Vec<&'static str>,
    pub(super) configuration_names: Vec<&'static str>,
    pub(super) configuration_endings: Vec<&'static str>,
    pub(super) example_endings: Vec<&'static str>,
}

pub(super) static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let every = |of: fn(&Ecosystem) -> &'static [&'static str], common: &[&'static str]| {
        let own = languages::all().flat_map(|spec| of(&spec.roles.ecosystem));
        common.iter().chain(own).copied().collect()
    };
    Names {
        generated_names: every(|e| e.generated_names, &[]),
        generated_endings: every(|e| e.generated_endings, &[".map"]),
        generated_directories: every(|e| e.generated_directories, &GENERATED_DIRECTORIES),
        test_directories: every(|e| e.test_directories, &TEST_DIRECTORIES),
        configuration_names: every(|e| e.configuration_names, &[]),
        configuration_endings: every(|e| e.configuration_endings, &[]),
        example_endings: every(|e| e.example_endings, &[]),
    }
});

const GENERATED_DIRECTORIES: [&str; 15] = [
    "bundled", "vendor", "vendors", "vendored", "_vendor", "_vendored_packages", "third_party",
    "third-party", "thirdparty", "3rdparty", "extern", "externals", "_externals", "dist",
    "generated",
];

const TEST_DIRECTORIES: [&str; 8] = [
    "tests", "testdata", "test-data", "test_data", "test-fixtures", "test_fixtures",
    "testfixtures", "benchmarks",
];

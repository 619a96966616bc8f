//! Assigns roles to Rust files by their paths.

use crate::role::conventions::{Ecosystem, Roles};

pub(super) const ROLES: Roles = Roles {
    ecosystem: Ecosystem {
        generated_names: &["bindings.rs"],
        test_directories: &["benches"],
        configuration_names: &["build.rs", "cargo.toml", "rust-toolchain"],
        ..Ecosystem::NONE
    },
    is_test: |file| {
        let stem = file.stem.as_str();
        matches!(stem, "tests" | "test") || stem.ends_with("_test") || stem.ends_with("_tests")
    },
    ..Roles::NONE
};

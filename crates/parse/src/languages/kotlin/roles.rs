//! Assigns roles to Kotlin files by their paths.

use crate::languages::java::roles::{
    is_in_shipped_sources, is_in_test_sources, is_integration_test, is_test_package,
};
use crate::role::conventions::{Ecosystem, Roles, is_test_class};

pub(super) const ROLES: Roles = Roles {
    ecosystem: Ecosystem {
        configuration_names: &["build.gradle.kts", "settings.gradle.kts"],
        ..Ecosystem::NONE
    },
    is_test: |file| {
        is_test_class(file) && !is_in_shipped_sources(file)
            || is_integration_test(file)
            || is_in_test_sources(file)
    },
    is_test_package,
    ..Roles::NONE
};

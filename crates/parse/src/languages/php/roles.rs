//! Assigns roles to PHP files by their paths.

use crate::role::conventions::{Ecosystem, Roles, is_test_class};

pub(super) const ROLES: Roles = Roles {
    ecosystem: Ecosystem {
        generated_names: &["_ide_helper.php", "_ide_helper_models.php"],
        generated_directories: &["gpbmetadata"],
        configuration_names: &[
            "composer.json", "phpunit.xml", "phpunit.xml.dist", "phpstan.neon",
            "phpstan.neon.dist", "phpcs.xml", "psalm.xml", "rector.php", "ecs.php",
        ],
        ..Ecosystem::NONE
    },
    is_test: is_test_class,
    ..Roles::NONE
};

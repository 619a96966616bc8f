//! Assigns roles to Ruby files by their paths.

use crate::role::conventions::{Ecosystem, File, Roles};

pub(super) const ROLES: Roles = Roles {
    ecosystem: Ecosystem {
        configuration_names: &[
            "vagrantfile", "gemfile", "rakefile", "gems.rb", "guardfile", "capfile", "appraisals",
            "steepfile", "config.ru",
        ],
        configuration_endings: &[".gemspec"],
        ..Ecosystem::NONE
    },
    is_copy: |file| is_schema(file) || file.stem.ends_with("_pb") || file.stem.ends_with("_pb2"),
    is_test,
    ..Roles::NONE
};

fn is_test(file: &File<'_>) -> bool {
    let named = ["_spec", "_test", "_steps"];
    let is_in = |name: &str| {
        let at = file.directories.iter().position(|d| d == name);
        // `lib/acme/spec/…` is shipped code.
        at.is_some_and(|at| !file.directories.iter().take(at).any(|d| d == "lib"))
    };
    named.iter().any(|ending| file.stem.ends_with(ending))
        || is_in("spec")
        || is_in("step_definitions")
}

/// Whether a file is the database schema that is generated from migrations: `db/schema.rb`.
fn is_schema(file: &File<'_>) -> bool {
    file.stem == "schema" && file.directories.last().is_some_and(|d| d == "db")
}

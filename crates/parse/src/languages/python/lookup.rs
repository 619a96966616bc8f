//! States how Python looks names up, and how its tests are named.

use foveate_model::resolution::{LookupRules, Receiver, TestConventions};

use super::super::builtins::{BUILTIN_MEMBERS, GLOBALS};

pub(super) const LOOKUP: LookupRules = LookupRules {
    imports_bind_paths: true,
    modules_have_submodules: true,
    class_bodies_are_scopes: true,
    receivers: &[("self", Receiver::Instance), ("cls", Receiver::Class)],
    super_name: Some("super"),
    self_types: &["Self", "this"],
    globals: GLOBALS,
    builtin_members: BUILTIN_MEMBERS,
    ..LookupRules::DEFAULT
};

/// Test files are those that pytest and unittest find.
pub(super) const TESTS: TestConventions = TestConventions {
    package_stems: &["__init__", "index"],
    ..TestConventions::COMMON
};

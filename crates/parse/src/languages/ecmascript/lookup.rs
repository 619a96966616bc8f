//! States how scripts look names up, and how their tests are named.

use foveate_model::resolution::{Exports, LookupRules, Receiver, TestConventions};

use super::super::builtins::{BUILTIN_MEMBERS, GLOBALS};

pub(super) const LOOKUP: LookupRules = LookupRules {
    exports: Exports::Declared,
    star_imports_bind: false,
    // `const Client = require('./client')` binds the module and refers to its default export.
    modules_have_defaults: true,
    receivers: &[("this", Receiver::Instance), ("super", Receiver::Super)],
    super_name: Some("super"),
    self_types: &["this", "Self"],
    globals: GLOBALS,
    builtin_members: BUILTIN_MEMBERS,
    ..LookupRules::DEFAULT
};

/// Test files are those that jest, vitest and mocha find.
pub(super) const TESTS: TestConventions = TestConventions {
    package_stems: &["index"],
    ..TestConventions::COMMON
};

//! Derives the roles of Go files from their paths.

use crate::role::conventions::{Ecosystem, File, Roles};

pub(super) const ROLES: Roles = Roles {
    ecosystem: Ecosystem {
        generated_endings: &[
            ".pb.go", ".pb.gw.go", ".pb.validate.go", ".twirp.go", "_easyjson.go", "_ffjson.go",
            "wire_gen.go",
        ],
        generated_directories: &["godeps"],
        test_directories: &["testutil", "testutils"],
        configuration_names: &["go.mod", "go.work"],
        ..Ecosystem::NONE
    },
    is_copy,
    is_test: |file| file.stem.ends_with("_test"),
    every_directory_is_package: true,
    ..Roles::NONE
};

/// Whether a generator writes the file. The output of `stringer` and the like is recognised by its first
/// line; a name such as `to_string.go` is no evidence.
fn is_copy(file: &File<'_>) -> bool {
    let starts = ["zz_generated", "mock_", "bindata"];
    starts.iter().any(|start| file.stem.starts_with(start))
        || file.stem.starts_with("zz_") && file.stem.contains("generated")
        || file.has_directory(&["mocks"]) && !file.stem.ends_with("_test")
}

//! What paths say about files of Go.

use crate::role::conventions::{Ecosystem, File, Roles};

pub(super) const ROLES: Roles = Roles {
    ecosystem: Ecosystem {
        generated_endings: &[
            ".pb.go",
            ".pb.gw.go",
            ".pb.validate.go",
            ".twirp.go",
            "_easyjson.go",
            "_ffjson.go",
            "wire_gen.go",
        ],
        generated_directories: &["godeps"],
        configuration_names: &["go.mod", "go.work"],
        ..Ecosystem::NONE
    },
    is_copy,
    is_test: |file| file.stem.ends_with("_test"),
    ..Roles::NONE
};

/// What generators write. Those of `stringer` and the like say so in their first line; a name such as
/// `to_string.go` says nothing.
fn is_copy(file: &File<'_>) -> bool {
    let starts = ["zz_generated", "mock_", "bindata"];
    starts.iter().any(|start| file.stem.starts_with(start))
        || file.stem.starts_with("zz_") && file.stem.contains("generated")
        || file.has_directory(&["mocks"]) && !file.stem.ends_with("_test")
}

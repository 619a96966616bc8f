//! Assigns roles to C# files by their paths.

use crate::role::conventions::{Ecosystem, File, Roles, is_test_class};

pub(super) const ROLES: Roles = Roles {
    ecosystem: Ecosystem {
        generated_endings: &[".g.cs", ".g.i.cs", ".designer.cs", ".feature.cs"],
        configuration_names: &[
            "nuget.config", "global.json", "packages.config", "app.config", "web.config",
        ],
        configuration_endings: &[
            ".csproj", ".fsproj", ".vbproj", ".sln", ".slnx", ".props", ".targets", ".nuspec",
            ".ruleset",
        ],
        ..Ecosystem::NONE
    },
    is_test: |file| is_test_class(file) || is_in_test_project(file),
    ..Roles::NONE
};

/// Whether a directory is named like a test project: `Shop.Tests/`, `Shop.UnitTests/`, `ShopTests/`.
fn is_in_test_project(file: &File<'_>) -> bool {
    let mut directories = file.path.directory().split('/');
    directories.any(|directory| {
        let endings = ["Tests", ".Test", "UnitTest", "IntegrationTest", ".Specs"];
        endings.iter().any(|ending| directory.ends_with(ending))
    })
}

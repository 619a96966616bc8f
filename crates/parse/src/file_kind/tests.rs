//! Tests what files are for, by their paths.

use foveate_model::Language;

use super::*;
use crate::language_by_name;

#[test]
fn files_have_kinds() {
    let table = [
        ("src/cart.rs", Some(FileKind::Source)),
        ("tests/cart.rs", None),
        (".github/workflows/release.yml", Some(FileKind::Workflow)),
        (".gitlab-ci.yml", Some(FileKind::Workflow)),
        ("azure-pipelines-nightly.yml", Some(FileKind::Workflow)),
        (".github/ISSUE_TEMPLATE/bug.md", Some(FileKind::Forge)),
        (".github/dependabot.yml", Some(FileKind::Forge)),
        ("codecov.yml", Some(FileKind::Forge)),
        (".github/CONTRIBUTING.md", Some(FileKind::Community)),
        ("Cargo.toml", Some(FileKind::Manifest)),
        ("packages/cart/package.json", Some(FileKind::Manifest)),
        ("setup.py", Some(FileKind::Manifest)),
        ("pom.xml", Some(FileKind::Manifest)),
        ("shop.gemspec", Some(FileKind::Manifest)),
        ("src/Shop.csproj", Some(FileKind::Manifest)),
        ("requirements/dev.txt", Some(FileKind::Manifest)),
        (".eslintrc.cjs", Some(FileKind::Tool)),
        (".rubocop.yml", Some(FileKind::Tool)),
        (".golangci.yml", Some(FileKind::Tool)),
        (".editorconfig", Some(FileKind::Tool)),
        ("tox.ini", Some(FileKind::TestRunner)),
        ("karma.conf.cjs", Some(FileKind::TestRunner)),
        ("Makefile", Some(FileKind::Build)),
        ("CMakeLists.txt", Some(FileKind::Build)),
        ("Dockerfile.release", Some(FileKind::Build)),
        ("README.md", Some(FileKind::Readme)),
        ("CONTRIBUTING.rst", Some(FileKind::Community)),
        ("CHANGELOG.md", Some(FileKind::Changelog)),
        ("changelog/7122.fix.rst", Some(FileKind::Changelog)),
        ("docs/settings.rst", Some(FileKind::Page)),
        ("config/production.yml", Some(FileKind::Setting)),
    ];
    for (path, kind) in table {
        let path = RepoPath::new(path).expect("a path");
        let language = language_by_name(&path).unwrap_or(Language::TEXT);
        let role = crate::role(&path, language, false);
        assert_eq!(of(&path, role), kind, "{path}: {role:?}");
    }
}

#[test]
fn names_are_in_lower_case() {
    for (_, name) in NAMES.iter().flatten() {
        assert!(!name.chars().any(char::is_uppercase), "{name}");
        assert!(name.trim_matches('*').len() > 2, "{name}");
    }
}

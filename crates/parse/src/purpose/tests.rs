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
        assert_eq!(of(&path, role, "").kind, kind, "{path}: {role:?}");
    }
}

#[test]
fn well_known_files_have_words() {
    let words = |path: &str| {
        let path = RepoPath::new(path).expect("a path");
        let language = language_by_name(&path).unwrap_or(Language::TEXT);
        of(&path, crate::role(&path, language, false), "").words
    };
    let has = |path: &str, word: &str| {
        let words = words(path).into_iter();
        words
            .flat_map(|words| words.split(' '))
            .any(|known| known == word)
    };
    assert!(has("codecov.yml", "coverage"));
    assert!(has(".github/ISSUE_TEMPLATE/bug_report.md", "reproduce"));
    assert!(has(".github/ISSUE_TEMPLATE/crash.yml", "template"));
    assert!(has(".github/workflows/stale.yml", "inactive"));
    assert!(has("packages/cart/package.json", "npm"));
    assert!(has("docs/conf.py", "sphinx"));
    assert!(has("tsconfig.build.json", "typescript"));
    // A module is not a tool, a name elsewhere not the file that a tool reads.
    for path in [
        "src/prettier_printer.ts", "src/settings.json", "tests/package.json",
    ] {
        assert!(words(path).is_empty(), "{path}");
    }
}

#[test]
fn tables_are_in_lower_case_and_name_each_file_once() {
    let all: Vec<&WellKnown> = WELL_KNOWN.iter().flatten().collect();
    let mut names: Vec<_> = all
        .iter()
        .map(|known| (known.directory, known.name))
        .collect();
    names.sort_unstable();
    assert!(names.is_sorted_by(|a, b| a < b), "a name twice: {names:?}");
    for known in all {
        assert!(!known.name.chars().any(char::is_uppercase), "{known:?}");
        assert!(
            known.directory.len() + known.name.trim_matches('*').len() > 2,
            "{known:?}"
        );
        let words: Vec<&str> = known.words.split(' ').collect();
        let is_word = |word: &&str| {
            word.chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        };
        assert!(words.iter().all(is_word), "{known:?}");
    }
}

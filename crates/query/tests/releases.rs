//! Tests that a question about a release finds the section that the release heads, and that an issue with a version does not
//! ask for it.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

#[path = "shared/ask.rs"]
mod ask;

use foveate_fixture::snapshot::{of_files, source_file};
use foveate_index::Snapshot;
use foveate_model::RepoPath;

use self::ask::ask;

const CART: &str = "
def change_order(cart):
    return cart.release(version=3)


def breaking_changes(cart):
    return cart.notes
";

/// Builds a repository with a changelog. The sections of two releases have no word of the questions; all others have many.
fn repository(path: &str, heading: impl Fn(&str) -> String) -> Snapshot {
    let section = |version: &str| {
        let lines = "- Breaking changes: what changed is in the notes of the release.\n";
        let count = match version {
            "3.1.2" | "3.0.0" => 0,
            _ => 12,
        };
        let own = format!("- Only {} has this.\n", version.replace('.', "_"));
        let heading = heading(version);
        let rest = "- Carts keep their order.\n- Pages have numbers.\n";
        format!("{heading}\n\n{own}{rest}{}\n\n", lines.repeat(count))
    };
    let versions = ["3.2.0", "3.1.20", "3.1.2", "3.1.0", "3.0.0", "2.3.0"];
    let changes: String = versions.into_iter().map(section).collect();
    let limits = foveate_parse::Limits::default();
    let files = [(path, changes.as_str()), ("shop/cart.py", CART)];
    let files = files.map(|(path, text)| source_file(RepoPath::new(path).unwrap(), text, &limits));
    of_files(files.into(), None)
}

#[track_caller]
fn check(snapshot: &Snapshot, query: &str, path: &str, version: &str) {
    let answer = ask(snapshot, query);
    let place = answer.places.first().unwrap();
    assert_eq!(
        (place.path.as_str(), place.kind),
        (path, "section"),
        "{query}"
    );
    let words: Vec<&str> = place.name.split(|c: char| " []".contains(c)).collect();
    assert!(words.contains(&version), "{query}: {}", place.name);
    let own = format!("Only {} has this.", version.replace('.', "_"));
    assert!(
        answer.pack.context.contains(&own),
        "{query}: {}",
        answer.pack.context
    );
    let sum: f32 = place.signals.iter().map(|signal| signal.value).sum();
    assert!(
        (sum - place.score).abs() < 1e-3,
        "{:?}: {}",
        place.signals,
        place.score
    );
}

#[test]
fn question_about_a_release_finds_its_section() {
    for (path, heading) in [
        ("CHANGES.rst", "Version {}\n-------------"),
        ("CHANGELOG.md", "## [{}] - 2025-08-19"),
        ("docs/history.md", "# Shop {} (2025.08.19)"),
    ] {
        let snapshot = repository(path, |version| heading.replace("{}", version));
        for query in [
            "What changed in 3.1.2", "What's new in version 3.1.2?", "release notes of v3.1.2",
            "3.1.2",
        ] {
            check(&snapshot, query, path, "3.1.2");
        }
        check(&snapshot, "breaking changes in 3.0", path, "3.0.0");
    }
}

#[test]
fn version_in_an_issue_changes_nothing() {
    let snapshot = repository("CHANGES.rst", |version| {
        format!("Version {version}\n-------------")
    });
    for (before, after) in [
        ("The order of a cart changed in ", ""),
        (
            "Cart loses its order\n\nVersion: ",
            "\n\nIt happens after every release of a cart.",
        ),
        ("Upgrading to ", " breaks the order of carts"),
    ] {
        let places = |version: &str| -> Vec<(String, f32)> {
            let answer = ask(&snapshot, &format!("{before}{version}{after}"));
            let places = answer.places.into_iter();
            places.map(|place| (place.name, place.score)).collect()
        };
        // The other number is that of no release.
        assert_eq!(places("3.1.2"), places("9.8.7"), "{before}");
    }
}

//! Tests that what the caller has seen is not shown again, and that nothing else is withheld.

use foveate_model::RepoPath;

use super::request_options::POOL;
use super::*;
use crate::issue::IssueCode;
use crate::request::Seen;

fn ask_of(repository: &str, seen: Seen) -> Pack {
    let snapshot = fixture(repository);
    let query = "`Pool.acquire` ignores the timeout of a connection";
    let mut request = request(query, 4000, IntentKind::BugFix);
    request.seen = seen;
    let answer = ask(&snapshot, &request);
    check_invariants(&snapshot, &request, &answer.pack);
    answer.pack
}

fn places(places: impl IntoIterator<Item = impl Into<String>>) -> Seen {
    Seen {
        paths: Vec::new(),
        places: places.into_iter().map(Into::into).collect(),
    }
}

fn seen_as(pack: &Pack) -> Vec<String> {
    let items = pack.sections.iter().flat_map(|section| &section.items);
    items.filter_map(|item| item.seen_as.clone()).collect()
}

#[test]
fn seen_places_are_not_shown_again() {
    let first = ask_of(POOL, Seen::default());
    assert!(first.context.contains("def acquire"));
    let seen = Seen {
        paths: vec![RepoPath::new("pool/client.py").unwrap()],
        ..places(["pool/core.py:Pool.acquire", "tests/test_core.py:4-5"])
    };
    let second = ask_of(POOL, seen);
    assert!(
        !second.context.contains("def acquire"),
        "{}",
        second.context
    );
    assert!(!second.context.contains("pool/client.py"));
    assert!(!second.context.contains("def test_acquire"));
    assert!(second.context.contains("def release"), "{}", second.context);
}

#[test]
fn adjacent_seen_lines_add_up() {
    let seen = places(["pool/core.py:6-8", "pool/core.py:9-10"]);
    let pack = ask_of(POOL, seen);
    assert!(!pack.context.contains("def acquire"), "{}", pack.context);
    let seen = places(["pool/core.py:6-7", "pool/core.py:9-10"]);
    let pack = ask_of(POOL, seen);
    assert!(pack.context.contains("def acquire"), "{}", pack.context);
}

#[test]
fn answer_says_that_all_of_it_was_seen() {
    let snapshot = fixture(POOL);
    let mut request = request(
        "`Pool.acquire` ignores the timeout",
        4000,
        IntentKind::BugFix,
    );
    request.min_probability = Some(0.5);
    request.seen = Seen {
        paths: snapshot
            .files
            .as_slice()
            .iter()
            .map(|file| file.path.clone())
            .collect(),
        places: Vec::new(),
    };
    let answer = ask(&snapshot, &request);
    let codes: Vec<&str> = answer
        .issues
        .iter()
        .map(|issue| issue.code.name())
        .collect();
    assert_eq!(codes, ["all_seen"], "{}", answer.pack.context);
}

#[test]
fn shown_place_counts_as_seen_while_unchanged() {
    let shown = seen_as(&ask_of(POOL, Seen::default()));
    let is_acquire = |place: &String| place.starts_with("pool/core.py:6-10@");
    assert!(shown.iter().any(is_acquire), "{shown:?}");
    let again = ask_of(POOL, places(shown.clone()));
    assert!(!again.context.contains("def acquire"), "{}", again.context);

    let edited = POOL.replace("self.take(timeout)", "self.take(2 * timeout)");
    let fresh = ask_of(&edited, places(shown.clone()));
    assert!(fresh.context.contains("self.take(2 * timeout)"));
    assert!(!fresh.context.contains("def release"), "it reads the same");

    // Other code moved to these lines.
    let moved = POOL.replace(
        "    size = 4\n",
        "    size = 4\n    grow = 2\n    wait = 1\n",
    );
    let fresh = ask_of(&moved, places(shown));
    assert!(fresh.context.contains("def acquire"), "{}", fresh.context);
}

#[test]
fn best_new_place_keeps_its_rank() {
    let line = "            self.idle.append(connection)\n";
    let repository = POOL.replace(line, &line.repeat(200));
    let snapshot = fixture(&repository);
    let query = "`Pool.acquire` ignores the timeout of a connection";
    let mut request = request(query, 250, IntentKind::BugFix);
    let first = ask(&snapshot, &request);
    let best: Vec<String> = (first.places.iter().take_while(|p| p.name != "Pool.release"))
        .map(|p| format!("{}:{}-{}", p.path, p.lines.start, p.lines.end))
        .collect();
    assert!(!best.is_empty());
    let rank = format!("rank {}", best.len() + 1);
    request.seen = places(best);
    let second = ask(&snapshot, &request);
    let mut all = second
        .pack
        .sections
        .iter()
        .flat_map(|section| &section.items);
    let release = all.find(|item| item.name == "Pool.release");
    assert_eq!(release.map(|item| &item.reason), Some(&rank));
}

#[test]
fn seen_path_may_contain_colons() {
    // One path is a prefix of the other.
    let repository =
        POOL.replace("pool/core.py", "pool/core:a.py") + "    //- pool/core\n    prose\n";
    for place in [
        "pool/core:a.py", "pool/core:a.py:Pool.acquire", "pool/core:a.py:7-9",
    ] {
        let pack = ask_of(&repository, places([place]));
        assert!(!pack.context.contains("def acquire"), "{place}");
    }
    let shown = seen_as(&ask_of(&repository, Seen::default()));
    let pack = ask_of(&repository, places(shown));
    assert!(!pack.context.contains("def acquire"), "{}", pack.context);
}

#[test]
fn file_seen_in_parts_has_no_outline() {
    let outlines = |parts: [&str; 2]| {
        let pack = ask_of(POOL, places(parts));
        let mut items = pack.sections.iter().flat_map(|section| &section.items);
        items.any(|item| item.path == "pool/core.py" && item.name.is_empty())
    };
    assert!(outlines(["pool/core.py:1-9", "pool/core.py:11-40"]));
    assert!(!outlines(["pool/core.py:1-9", "pool/core.py:10-40"]));
}

/// Returns the issue about entries that name nothing; empty if there is none.
fn unknown_seen(repository: &str, seen: Seen) -> String {
    let snapshot = fixture(repository);
    let mut request = request("`Pool.acquire` fails", 4000, IntentKind::BugFix);
    request.seen = seen;
    let mut issues = ask(&snapshot, &request).issues.into_iter();
    let unknown = issues.find(|issue| issue.code == IssueCode::UnknownSeen);
    unknown.map(|issue| issue.detail).unwrap_or_default()
}

#[test]
fn seen_entries_that_name_nothing_are_reported() {
    for place in [
        "pool/gone.py:1-5", "pool:1-5", "pool/core.py:9-", "pool/core.py:100-50",
        "pool/core.py:900-950", "pool/core.py:Pool.gone", "pool/core.py:ool.acquire",
    ] {
        let detail = unknown_seen(POOL, places([place]));
        assert!(detail.contains(&format!("({place})")), "{place}: {detail}");
    }
    for known in [
        "pool/core.py:1-1625",
        "pool/core.py:7",
        "pool/core.py:Pool",
        // They were shown by earlier answers.
        "pool/core.py:7-9@0011223344556677",
        "pool/gone.py:7-9@0011223344556677",
    ] {
        assert_eq!(unknown_seen(POOL, places([known])), "", "{known}");
    }
    let files = ["pool/gone.py", "pool", "a", "b", "c", "d"];
    let seen = Seen {
        paths: files.map(|path| RepoPath::new(path).unwrap()).to_vec(),
        places: Vec::new(),
    };
    let detail = unknown_seen(POOL, seen);
    assert!(
        detail.contains("(pool/gone.py, pool, a, b, c and 1 more)"),
        "{detail}"
    );
}

#[test]
fn seen_definition_is_found_by_its_last_name() {
    for place in ["pool/core.py:acquire", "pool/core.py:Pool::acquire()"] {
        let pack = ask_of(POOL, places([place]));
        assert!(!pack.context.contains("def acquire"), "{place}");
    }
    let two = POOL.replace(
        "    //- pool/client.py",
        "\n\n    class Lake:\n        def acquire(self):\n            return 1\n    //- pool/client.py",
    );
    let place = "pool/core.py:acquire";
    let detail = unknown_seen(&two, places([place]));
    assert!(detail.contains(place), "two may be meant: {detail}");
}

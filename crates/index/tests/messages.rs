//! Tests which functions a pasted message finds, and how strongly.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

use foveate_fixture::snapshot::of_text;
use foveate_index::Snapshot;
use foveate_index::messages::MessagePlace;

const STORE: &str = r#"
//- store.py
def freed(page):
    raise E("page %d: reachable freed" % page)
def reading():
    raise E(f"bench: read: {error}")
def key():
    raise E("Key {} not in config".format(key))
def choice():
    raise E("the choice of a colour is unknown here")
def joined():
    raise E("the first half of a text, "
            "and then the other one")
def added(name):
    raise E("Cannot store " + name + " in an array")
def tiny():
    raise E("is a %s" % x)
def named():
    raise E("the %s of %s" % (x, y))
//- tests/test_store.py
def test_choice():
    raise E("the choice of a colour is unknown here")
"#;

/// Returns the functions found, with the strengths in percent, the strongest first.
fn names(snapshot: &Snapshot, found: Vec<(MessagePlace, f32)>) -> Vec<(String, u32)> {
    let mut names: Vec<(String, u32)> = found
        .into_iter()
        .map(|(place, strength)| {
            let function = snapshot.files.definition(place.enclosing.unwrap());
            (function.name.to_string(), (strength * 100.0) as u32)
        })
        .collect();
    names.sort_by_key(|(name, strength)| (100 - strength, name.clone()));
    names
}

fn search(text: &str) -> Vec<(String, u32)> {
    let snapshot = of_text(STORE);
    names(&snapshot, snapshot.messages.search(text))
}

#[track_caller]
fn check(text: &str, wanted: &[(&str, u32)]) {
    let found = search(text);
    let found: Vec<(&str, u32)> = found.iter().map(|(n, s)| (n.as_str(), *s)).collect();
    assert_eq!(found, wanted, "{text}");
}

#[test]
fn words_around_a_placeholder_find_their_message() {
    check("page 12: reachable freed", &[("freed", 33)]);
    check("page a.b/c: reachable freed", &[("freed", 33)]);
    // Two of three words, and those after it.
    check("Key cache.dir not in config", &[("key", 60)]);
    check("KEY CACHE_DIR NOT IN CONFIG!", &[("key", 60)]);
    check("Key not found: it is in the config", &[]);
    let many = ["word"; 12].join(" ");
    check(&format!("page {many} reachable freed"), &[]);
}

#[test]
fn message_of_two_words_is_found_by_both() {
    check("bench: read: EOF", &[("reading", 33)]);
    check("read the bench", &[]);
    // The words say nothing alone.
    check("it is a list", &[]);
    check("the end of that", &[]);
}

#[test]
fn concatenated_literals_are_one_message() {
    // Nine trigrams, two of them across the literals.
    check(
        "the first half of a text, and then the other one",
        &[("joined", 90)],
    );
    // One trigram, and three words around the value twice.
    check("Cannot store Foo in an array", &[("added", 66)]);
}

#[test]
fn messages_of_tests_are_left_out() {
    check("the choice of a colour is unknown here", &[("choice", 85)]);
}

#[test]
fn prose_finds_whole_messages_alone() {
    let snapshot = of_text(STORE);
    let prose = |text: &str| {
        let found = names(&snapshot, snapshot.messages.search_prose(text));
        found.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
    };
    let told = "It stops, and tells that the choice of a colour is unknown here, since today.";
    assert_eq!(prose(told), ["choice"]);
    assert_eq!(prose("I made the choice of a colour for it."), [""; 0]);
    assert_eq!(prose("The bench: read: it is slow."), [""; 0]);
}

//! Tests the evidence from past commits: those that the query cites, and the messages of those that touched a
//! function.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

#[path = "shared/ask.rs"]
mod ask;

use foveate_fixture::snapshot::{of_files, source_files};
use foveate_index::Snapshot;
use foveate_model::{Commit, History, Lines, ObjectId, RepoPath, Touched};
use foveate_query::permalink::WebPage;
use foveate_query::{Answer, Change, Deadline, Hunk, RankingConfig, Request, answer};

const SHOP: &str = "
    //- a.py
    def close():
        return 1


    def count():
        return 2

    //- b.py
    def lock():
        return 3

    //- c.py
    def other():
        return 4
";

fn commit(digit: &str, message: &str, path: &str, function: &str) -> Commit {
    Commit {
        id: ObjectId::from_hex(&digit.repeat(20)).unwrap(),
        message: message.to_owned(),
        is_bot: false,
        touched: vec![Touched {
            path: RepoPath::new(path).unwrap(),
            functions: vec![function.into()],
        }],
    }
}

fn shop() -> Snapshot {
    shop_with(vec![
        commit("3d", "Fixed #4711 -- tidied the evening.", "b.py", "lock"),
        commit("2c", "Shut at midnight", "a.py", "close"),
        commit("1b", "Begin (#12)", "c.py", "other"),
    ])
}

fn shop_with(commits: Vec<Commit>) -> Snapshot {
    of_files(source_files(SHOP), Some(History { commits }))
}

fn ask(query: &str) -> Answer {
    ask::ask(&shop(), query)
}

/// Returns the files and functions that have a signal.
fn with_signal(answer: &Answer, signal: &str) -> Vec<String> {
    let has = |signals: &[foveate_query::rank::Signal]| signals.iter().any(|s| s.name == signal);
    let files = answer.files.iter().filter(|file| has(&file.signals));
    let functions = answer.functions.iter().filter(|f| has(&f.signals));
    files
        .map(|file| file.path.clone())
        .chain(functions.map(|function| function.name.clone()))
        .collect()
}

#[test]
fn files_and_functions_of_cited_commits_get_signal() {
    for query in [
        "Nothing works since 2c2c2c2",
        "Nothing works since 2C2C2C2C2C",
        "Nothing works\n\nhttps://github.com/ada/shop/commit/2c2c2c2c2c broke it",
        "Nothing works\n\nBisected to `2c2c2c2c`.",
    ] {
        assert_eq!(
            with_signal(&ask(query), "cited"),
            ["a.py", "close"],
            "{query}"
        );
    }
    for query in ["Nothing works since #4711", "Nothing works, see GH-4711"] {
        assert_eq!(
            with_signal(&ask(query), "cited"),
            ["b.py", "lock"],
            "{query}"
        );
    }
    for query in [
        "Nothing works since 2c2c2c",
        "Nothing works since 2c2c2cc",
        "Nothing works, see other/shop#4711",
        "Nothing works, see https://github.com/ada/shop/blob/2c2c2c2c2c/README",
        "Nothing works: 4711",
    ] {
        assert!(with_signal(&ask(query), "cited").is_empty(), "{query}");
    }
}

#[test]
fn issues_of_other_repositories_are_not_cited() {
    let cited = |link: &str, page: Option<&str>| {
        let request = Request {
            query: format!("Nothing works\n\nIt is the same as {link}"),
            web_page: page.map(WebPage::guess),
            ..Request::default()
        };
        let config = RankingConfig::default();
        let found = answer(&shop(), &request, &config, &Deadline::none(), &|| 0.0);
        with_signal(&found, "cited")
    };
    let page = Some("https://github.com/ada/shop");
    let own = "https://github.com/ada/shop/issues/4711";
    let other = "https://github.com/ada/till/issues/4711";
    assert_eq!(cited(own, page), ["b.py", "lock"]);
    assert!(cited(other, page).is_empty());
    // It is unknown which repository this is.
    assert_eq!(cited(other, None), ["b.py", "lock"]);
}

#[test]
fn code_changed_together_with_callers_change_is_found() {
    let mut both = commit("4e", "Evening", "a.py", "close");
    both.touched
        .extend(commit("4e", "", "b.py", "lock").touched);
    let snapshot = shop_with(vec![both]);
    let request = Request {
        changes: vec![Change {
            path: RepoPath::new("a.py").unwrap(),
            hunks: vec![Hunk::Lines(Lines::new(2, 2))],
        }],
        ..Request::default()
    };
    let found = answer(
        &snapshot,
        &request,
        &RankingConfig::default(),
        &Deadline::none(),
        &|| 0.0,
    );
    assert_eq!(
        with_signal(&found, "cited"),
        ["a.py", "b.py", "close", "lock"]
    );
}

#[test]
fn commit_messages_match_touched_functions() {
    let found = ask("The door stays open at midnight");
    assert_eq!(with_signal(&found, "history"), ["a.py", "close"]);
}

#[test]
fn answer_is_independent_of_thread_count() {
    let answer_with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let ask = || ask("`close` at midnight: nothing works since 2c2c2c2, see #4711");
        let answer = pool.build().unwrap().install(ask);
        format!("{answer:?}")
    };
    let alone = answer_with(1);
    assert!(
        alone.contains("\"cited\"") && alone.contains("\"history\""),
        "{alone}"
    );
    for _ in 0..20 {
        assert_eq!(answer_with(4), alone);
    }
}

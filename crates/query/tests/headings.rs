//! Tests that a page or settings file is found by its headings: they count as names do in code.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

use foveate_fixture::snapshot::of_text;
use foveate_query::{Deadline, RankingConfig, Request, answer};

/// In each pair the file that is asked for comes last by path, and says the words less often.
const PAGES: &str = "
    //- docs/a.md
    # Requests

    A request may carry an upload. Large uploads are read in parts; see the notes on uploads below. The size
    of an upload is in its header.

    //- docs/b.md
    # Uploads

    Forms send files. They are kept in memory up to a limit, and on the disk beyond it.

    //- docs/c.rst
    =======
    Reading
    =======

    A session is read here. The session of a visitor is signed, and another session is not.

    //- docs/d.rst
    ========
    Sessions
    ========

    Cookies hold what a visitor did before.

    //- a.toml
    [scripts]
    check = \"ruff check; ruff format; ruff --version\"

    //- b.toml
    [tool.ruff]
    line-length = 100
";

#[track_caller]
fn check(query: &str, first: &str) {
    let request = Request {
        query: query.to_owned(),
        ..Request::default()
    };
    let snapshot = of_text(PAGES);
    let config = RankingConfig::default();
    let answer = answer(&snapshot, &request, &config, &Deadline::none(), &|| 0.0);
    assert_eq!(answer.files[0].path.as_str(), first, "{query}");
}

#[test]
fn page_is_found_by_its_heading() {
    check("How do I handle an upload?", "docs/b.md");
    check("How do I use a session?", "docs/d.rst");
}

#[test]
fn settings_are_found_by_their_table() {
    check("Where are the settings of ruff?", "b.toml");
}

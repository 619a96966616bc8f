//! Tests which error messages and places are found in logs and in sentences.

use super::*;

fn errors(query: &str) -> Vec<String> {
    texts(&parse(query), SegmentKind::ErrorMessage)
}

#[test]
fn entries_of_logs_tell_errors_wherever_they_are() {
    for entry in [
        "level=error msg=\"could not open block\" ts=1",
        "level=error err=could not open block component=tsdb",
        "{\"level\":\"error\",\"msg\":\"could not open block\"}",
        "2024-05-01 12:00:00,123 ERROR [worker-1] com.acme.Foo - could not open block",
        "[ERROR] foo.bar: could not open block",
        "12:00:00.123 ERROR db: could not open block",
        "E0501 12:00:00.000000 1 file.go:123] could not open block",
        "ERROR: could not open block",
        "error: could not open block",
        "fatal: could not open block",
    ] {
        for query in [
            entry.to_owned(),
            format!("It fails\n\nThe log has\n{entry}\nand more.\n"),
            format!("It fails\n\n```\n{entry}\n```\n"),
            format!("It fails\n\nThe log has `{entry}` only.\n"),
        ] {
            let found = errors(&query);
            assert!(
                found
                    .iter()
                    .any(|text| text.ends_with("could not open block")),
                "{found:?} of {query}"
            );
        }
    }
}

#[test]
fn fraction_of_a_time_is_no_version() {
    let found = errors("It fails\n\n12:00:00.123 ERROR db: no lock\n");
    assert_eq!(found, ["db: no lock"]);
}

#[test]
fn long_entry_is_read_as_a_title() {
    let fill = "x".repeat(150);
    for entry in [
        format!("level=error id={fill} msg=\"could not open block\""),
        format!("{{\"id\":\"{fill}\",\"level\":\"error\",\"msg\":\"could not open block\"}}"),
    ] {
        assert_eq!(errors(&entry), ["could not open block"], "{entry}");
    }
}

#[test]
fn output_in_a_fence_without_language_tells_errors() {
    for (line, wanted) in [
        ("WARN could not open block", "could not open block"),
        ("error TS2345: no such block", "TS2345: no such block"),
        ("Error: could not open block", "Error: could not open block"),
    ] {
        let query = format!("It fails\n\n```\n{line}\n```\n");
        assert_eq!(errors(&query), [wanted], "{line}");
    }
    for info in ["text", "log"] {
        let query = format!("It fails\n\n```{info}\nWARN could not open block\n```\n");
        assert_eq!(errors(&query), ["could not open block"], "{info}");
    }
    // Times are removed from pasted logs.
    let log = "2024-05-01T12:00:00Z INFO opening a block\n2024-05-01T12:00:01Z ERROR could not open block\n";
    let found = errors(&format!("It fails\n\n{log}"));
    assert_eq!(found, ["could not open block"]);
    let code = "```python\nWARN could not open block\n```";
    assert_eq!(errors(&format!("It fails\n\n{code}\n")), [""; 0]);
}

#[test]
fn sentences_about_errors_are_no_error_messages() {
    for line in [
        "ERROR handling of the parser is slow.",
        "WARN is shown as the level of errors.",
        "Set level=error in the configuration file.",
        "The configuration {\"level\": \"error\"} is ignored here.",
        "The error is in the `open all blocks` option.",
        "The documentation says 'use the new client' for it.",
    ] {
        assert_eq!(errors(&format!("A title\n\n{line}\n")), [""; 0], "{line}");
    }
}

#[test]
fn quoted_messages_are_errors() {
    let text = parse("It fails\n\nIt fails with `no such block` and says ‘it is not here’.\n");
    assert_eq!(
        texts(&text, SegmentKind::ErrorMessage),
        ["no such block", "it is not here"]
    );
    assert_eq!(texts(&text, SegmentKind::InlineCode), ["no such block"]);
}

#[test]
fn announced_lines_are_errors() {
    for query in [
        "It stops\n\nI get this error:\n\nno such block is there\n\nNothing else.\n",
        "It stops\n\nI get this error:\n\n```\nno such block is there\n```\n",
    ] {
        assert_eq!(errors(query), ["no such block is there"], "{query}");
    }
    for query in [
        "It stops\n\nI get this list:\n\n```\nno such block is there\n```\n",
        "It stops\n\nI get this error:\n\n```\na b c\n```\n\n```\nno such block is there\n```\n",
    ] {
        assert!(
            !errors(query).contains(&"no such block is there".into()),
            "{query}"
        );
    }
    let long = "no such block is there\n".repeat(6);
    let log = format!("It stops\n\nI get this error:\n\n```\n{long}```\n");
    assert_eq!(errors(&log), [""; 0]);
}

#[test]
fn errors_of_logs_are_limited() {
    let log = |count: usize| -> String {
        let lines = (0..count).map(|n| format!("ERROR could not open block {n}\n"));
        lines.collect()
    };
    let found = errors(&format!("It fails\n\n```\n{}```\n", log(200)));
    assert_eq!(found.len(), 50);
}

#[test]
fn places_of_entries_are_paths() {
    for entry in [
        "level=error caller=tsdb/db.go:908 msg=\"no block\"",
        "level=error source=\"tsdb/db.go:908\" msg=\"no block\"",
        "E0501 12:00:00.000000 1 tsdb/db.go:908] no block",
    ] {
        for query in [
            format!("It fails\n\nI see {entry}\n"),
            format!("It fails\n\n```\n{entry}\n```\n"),
        ] {
            assert_eq!(paths(&parse(&query)), ["tsdb/db.go:908"], "{query}");
        }
    }
}

#[test]
fn time_and_thread_of_an_entry_are_no_part_of_the_title() {
    for (head, logger, mentions) in [
        (
            "2024-05-01 12:00:00.123 [eventLoop-4-1] ERROR acme.ShopApp - ",
            "acme.ShopApp - ",
            &["Pool.take", "acme.ShopApp"][..],
        ),
        (
            "2024-05-01 12:00:00 ERROR 12 --- [eventLoop] acme.ShopApp : ",
            "acme.ShopApp : ",
            &["Pool.take", "acme.ShopApp"],
        ),
        (
            "[2024-05-01T12:00:00+00:00] acme.ERROR: ",
            "",
            &["Pool.take"],
        ),
    ] {
        let text = parse(&format!("{head}No lock for `Pool.take`\n\nIt waits."));
        assert_eq!(text.title(), format!("{logger}No lock for Pool.take"));
        assert_eq!(names(&text, MentionKind::Title), mentions, "{head}");
        assert_eq!(
            errors(&format!("{head}No lock for it")),
            ["No lock for it"],
            "{head}"
        );
    }
}

#[test]
fn marks_of_ci_logs_are_no_titles() {
    for mark in [
        "===== test session starts =====",
        "_____ TestShelf.test_add _____",
        "##[group]Run pytest",
        "::group::Run pytest",
        "section_start:1560896352:script",
    ] {
        let text = parse(&format!("{mark}\nShelf.add fails.\n"));
        assert_eq!(text.title(), "", "{mark}");
    }
    // A writer's own rules are shorter.
    let text = parse("== Shelf.add fails ==\n\nIt does.\n");
    assert_ne!(text.title(), "");
    let text = parse("[PATCH 1/2] Shelf.add fails\n\nIt does.\n");
    assert_ne!(text.title(), "");
}

#[test]
fn error_with_its_module_is_read_in_prose() {
    let found = errors("It fails\n\nzipfile.BadZipFile: File is not a zip file\n");
    assert_eq!(found, ["zipfile.BadZipFile: File is not a zip file"]);
}

//! Tests the parsing of whole queries: what is removed, what stays, and into which list it goes.

mod boilerplate;
mod code;
mod linear_time;
mod logs;
mod names_and_paths;
mod traces;

use super::*;

fn parse(query: &str) -> QueryText {
    QueryText::parse(query)
}

fn texts(text: &QueryText, kind: SegmentKind) -> Vec<String> {
    text.of_kind(kind).map(|t| t.trim().to_owned()).collect()
}

fn names(text: &QueryText, kind: MentionKind) -> Vec<&str> {
    let of_kind = text.mentions.iter().filter(|m| m.kind == kind);
    of_kind.map(|m| m.name.as_str()).collect()
}

fn frames(text: &QueryText) -> Vec<String> {
    text.frames
        .iter()
        .map(|f| format!("{}:{} {}", f.path, f.line, f.function))
        .collect()
}

fn paths(text: &QueryText) -> Vec<String> {
    let shown = text.paths.iter().map(|p| format!("{}:{}", p.path, p.line));
    shown.collect()
}

#[test]
fn issue_template_is_reduced_to_its_content() {
    let text = parse(
        "[Bug]: `Pool.acquire` hangs when max_size is 0\r\n\
         \r\n\
         ### First check\r\n\
         - [x] I have searched the existing issues\r\n\
         \r\n\
         ### Describe the bug\r\n\
         <!-- A clear and concise\r\n description -->\r\n\
         Calling `pool.acquire(timeout=1)` never returns, see lib/pool.py:42 and\r\n\
         https://github.com/acme/pool/blob/3f2a9c1/src/pool/wait_queue.py#L10-L20.\r\n\
         The WaitQueue is never woken up.\r\n\
         \r\n\
         ```python\r\n\
         from acme.pool import Pool, open_pool as op\r\n\
         pool = Pool(max_size=0)\r\n\
         pool.acquire()\r\n\
         ```\r\n\
         \r\n\
         ### Environment\r\n\
         - OS: Linux\r\n\
         - Python 3.11.2\r\n\
         ```\r\n\
         acme==1.2.3\r\n\
         ```\r\n\
         ### Additional context\r\n\
         _No response_\r\n",
    );
    assert_eq!(text.title(), "Pool.acquire hangs when max_size is 0");
    assert_eq!(
        text.labels,
        ["bug", "describe the bug", "additional context"]
    );
    let prose = texts(&text, SegmentKind::Prose).join("\n");
    assert!(prose.contains("never returns"), "{prose}");
    for gone in [
        "clear and concise", "searched", "Linux", "3.11", "No response", "https",
    ] {
        assert!(!prose.contains(gone), "{gone} is still in {prose}");
    }
    assert_eq!(
        texts(&text, SegmentKind::InlineCode),
        ["pool.acquire(timeout=1)"]
    );
    assert_eq!(texts(&text, SegmentKind::CodeBlock).len(), 1);
    assert_eq!(
        names(&text, MentionKind::Title),
        ["Pool.acquire", "max_size"]
    );
    assert_eq!(
        names(&text, MentionKind::InlineCode),
        ["Pool.acquire", "pool.acquire"]
    );
    assert_eq!(names(&text, MentionKind::Prose), ["WaitQueue"]);
    assert_eq!(
        paths(&text),
        ["lib/pool.py:42", "src/pool/wait_queue.py:10"]
    );
    assert_eq!(text.imports, ["acme.pool.Pool", "acme.pool.open_pool"]);
}

#[test]
fn errors_in_prose_and_title_are_found() {
    let text = parse(
        "TypeError: cannot pickle 'Lock' object when a job is cloned\n\nIt says \"could not find the job store\" as a message, or `StoreError: no such job_id`.",
    );
    assert_eq!(
        texts(&text, SegmentKind::ErrorMessage),
        [
            "TypeError: cannot pickle 'Lock' object when a job is cloned",
            "StoreError: no such job_id",
            "could not find the job store",
        ]
    );
    assert!(text.title().starts_with("TypeError"));
    let named = names(&text, MentionKind::ErrorMessage);
    assert!(
        named.contains(&"Lock") && named.contains(&"job_id"),
        "{named:?}"
    );
}

#[test]
fn chains_of_errors_are_error_messages() {
    let chain = "failed to load shelf: open /srv/a.db: permission denied";
    for query in [
        chain.to_owned(),
        format!("Shelf is lost\n\n{chain}\n"),
        format!("Shelf is lost\n\n```\n{chain}\n```\n"),
    ] {
        let text = parse(&query);
        assert_eq!(texts(&text, SegmentKind::ErrorMessage), [chain], "{query}");
    }
}

#[test]
fn quoted_strings_are_segments_and_stay_in_the_prose() {
    let text = parse("A title\n\nThe reporter's page says “no such store” and 'bad key'.");
    assert_eq!(
        texts(&text, SegmentKind::Quoted),
        ["no such store", "bad key"]
    );
    let prose = texts(&text, SegmentKind::Prose).join("\n");
    assert!(prose.contains("no such store"), "{prose}");
}

#[test]
fn flattened_text_is_split_into_lines() {
    let text = parse(
        "Timer fires twice ### Describe the bug  When the clock jumps the timer fires twice, which is wrong for everyone who counts on it. ### To Reproduce  **Steps**  1) Start the timer 2) Change the clock **Version** acme v1.3.1  **Platform** Linux",
    );
    assert_eq!(text.title(), "Timer fires twice");
    assert!(text.labels.contains(&"describe the bug".to_owned()));
    let prose = texts(&text, SegmentKind::Prose).join("\n");
    assert!(
        prose.contains("clock jumps") && !prose.contains("v1.3.1"),
        "{prose}"
    );
}

#[test]
fn unusual_queries_get_expected_titles() {
    for (query, title) in [
        ("", ""),
        ("   \n\n", ""),
        ("where is Foo defined?", "where is Foo defined?"),
        ("# Heading title #\nbody", "Heading title"),
        ("feat(router): add links\n\nbody", "(router): add links"),
        ("feat: add links\n\nbody", "add links"),
        ("```\ncode\n```", ""),
        ("```$ run\nok\n```", ""),
        ("\u{feff}Title with a mark", "Title with a mark"),
    ] {
        assert_eq!(parse(query).title(), title, "{query:?}");
    }
    let long = "word ".repeat(2000);
    assert!(parse(&long).title().len() <= 161);
}

#[test]
fn first_sentence_of_a_template_is_the_title() {
    for head in [
        "### Describe the bug\n\n",
        "**Description**\n",
        "<!-- Fill this in -->\n### Initial Checks\n\n- [x] I have searched\n\n### Description\n\n",
        "### Provide environment information\n\n  System:\n    OS: macOS 14.1\n\n### Describe the bug\n\n",
    ] {
        let text = parse(&format!(
            "{head}`Pool.acquire` hangs forever.\nIt is never woken up.\n"
        ));
        assert_eq!(text.title(), "Pool.acquire hangs forever.", "{head}");
        assert_eq!(names(&text, MentionKind::Title), ["Pool.acquire"], "{head}");
        let prose = texts(&text, SegmentKind::Prose).join("\n");
        assert_eq!(prose, "It is never woken up.", "{head}");
        assert!(!text.labels.is_empty(), "{head}");
    }
    assert_eq!(parse("# Description").title(), "Description");
    assert_eq!(parse("### Steps\n\n```\ncode\n```\nLater").title(), "");
}

#[test]
fn lines_that_say_what_was_expected_are_labelled() {
    let text = parse(
        "Cart puts the total first\n\nExpected: total last\n- **Actual result:** total first\n\
         Expected of us: nothing\nActual:\n",
    );
    assert_eq!(text.labels, ["expected", "actual result"]);
    let prose = texts(&text, SegmentKind::Prose).join("\n");
    assert!(prose.contains("total last"), "{prose}");
}

#[test]
fn citations_are_read_outside_code_and_file_links() {
    let text = parse(
        "Shop closes too early since #4711\n\
         \n\
         Bisected to `5a4d7285`, see [the pull request](https://github.com/ada/shop/pull/77)\n\
         and https://github.com/ada/shop/blob/3f2a9c1d/shop.py#L10, again with #4711.\n\
         ```\n\
         0a1b2c3d and #55\n\
         ```\n",
    );
    let cited: Vec<String> = text.citations.iter().map(|c| format!("{c:?}")).collect();
    assert_eq!(
        cited,
        ["Number(4711)", "Number(77)", "Commit(\"5a4d7285\")"]
    );
}

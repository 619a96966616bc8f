//! Checks the parts of the engine crates that read untrusted data: queries, traces, reports, logs, files. Each function
//! accepts any bytes, and panics if a contract is violated. The fuzzer calls them with generated data, the project's
//! tests with the committed seeds.

use std::time::Duration;

use foveate_model::RepoPath;
use foveate_model::facts::ParseIssue;
use foveate_parse::{Limits, traces};
use foveate_query::failure::{Failures, MAX_BYTES, junit, log};
use foveate_query::text::QueryText;

/// Names of files, one for each parser and each format with sections.
pub const NAMES: [&str; 26] = [
    "a.py", "a.ts", "a.tsx", "a.js", "a.vue", "a.svelte", "a.go", "a.rs", "a.java", "a.kt", "a.c",
    "a.h", "a.cpp", "a.cs", "a.rb", "a.php", "a.md", "a.rst", "a.yaml", "a.toml", "a.ini",
    "a.json", "Dockerfile", "Makefile", "CMakeLists.txt", "a",
];

/// Checks the text of an issue, with its Markdown.
pub fn query(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let read = QueryText::parse(&text);
    assert!(read.title().len() <= text.len());
    // Parsing is deterministic.
    let again = QueryText::parse(&text);
    assert_eq!(read.segments, again.segments);
    assert_eq!(read.frames, again.frames);
}

/// Checks lines with stack traces and compiler messages.
pub fn traces(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let lines: Vec<&str> = text.lines().collect();
    // The pieces cover all lines, each once and in order.
    let mut next = 0;
    for piece in traces::pieces(&lines) {
        let part = match piece {
            traces::Piece::Plain(part) => part,
            traces::Piece::Trace(trace) => trace.lines,
        };
        assert!(
            part.start == next && part.end > part.start,
            "{part:?} after {next}"
        );
        next = part.end;
    }
    assert_eq!(next, lines.len());
}

/// Checks a test report.
pub fn junit(data: &[u8]) {
    let mut failures = Failures::default();
    let _ = junit::read(&String::from_utf8_lossy(data), &mut failures);
    check_question(&failures);
}

/// Checks the log of a job.
pub fn log(data: &[u8]) {
    // Reading from memory does not fail.
    let Ok(found) = log::read(data) else {
        return;
    };
    check_question(&found.failures);
    assert!(found.failures.total() == 0 || found.tail.is_empty());
}

fn check_question(failures: &Failures) {
    let (question, shown) = failures.question(MAX_BYTES);
    assert!(question.len() <= MAX_BYTES && shown <= failures.kept().len());
    assert!(failures.kept().is_empty() || shown > 0);
    query(question.as_bytes());
}

/// Checks a file of a repository. The first byte selects its name, the second one a line that its earlier version
/// lacks.
pub fn file(data: &[u8]) {
    let [name, edit, bytes @ ..] = data else {
        return;
    };
    let name = NAMES[usize::from(*name) % NAMES.len()];
    let Ok(path) = RepoPath::from_typed(name) else {
        return;
    };
    // Long enough for a busy machine: a file that times out tests nothing.
    let limits = Limits {
        timeout: Duration::from_secs(20),
        ..Limits::default()
    };
    let by_name = foveate_parse::language_by_name(&path);
    let (language, read) = foveate_parse::read(by_name, bytes, &limits);
    let Ok(content) = read else {
        return;
    };
    for definition in &content.facts.definitions {
        let span = definition.span;
        let range = span.start as usize..span.end as usize;
        assert!(content.text.get(range).is_some(), "{span:?}");
    }
    if foveate_parse::has_sections(language, name) {
        let sections = foveate_parse::sections::sections(language, name, &content.text);
        assert!(sections.len() <= 4_096);
    }
    // Parsing after an edit gives the same facts as parsing from scratch.
    let mut kept: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let removed = usize::from(*edit);
    if kept.is_empty() {
        return;
    }
    kept.remove(removed % kept.len());
    let (_, earlier) = foveate_parse::read(by_name, &kept.concat(), &limits);
    let Ok(earlier) = earlier else {
        return;
    };
    let (_, after) = foveate_parse::read_after(by_name, bytes, Some(&earlier), &limits);
    let Ok(after) = after else {
        panic!("an edit changed whether the file is read");
    };
    let is_late = |facts: &foveate_model::FileFacts| facts.issues.contains(&ParseIssue::Timeout);
    if !is_late(&after.facts) && !is_late(&content.facts) {
        assert_eq!(format!("{:?}", after.facts), format!("{:?}", content.facts));
    }
}

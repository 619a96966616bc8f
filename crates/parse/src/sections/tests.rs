//! Tests the properties of all formats: sections tile the file, passages fit, hostile texts are bounded.

use std::time::{Duration, Instant};

use foveate_model::{Language, Lines};
use proptest::prelude::*;

use super::tree::{MAX_DEPTH, MAX_SECTIONS, MAX_TITLE};
use super::{Section, headings, passage, sections};
use crate::languages::by_name;
use crate::testing::{markdown, yaml};

/// One path per format.
const FILES: [(&str, &str); 17] = [
    ("markdown", "a.md"),
    ("restructuredtext", "a.rst"),
    ("yaml", "a.yml"),
    ("toml", "a.toml"),
    ("text", "a.ini"),
    ("json", "a.json"),
    ("text", "Dockerfile"),
    ("text", "Makefile"),
    ("shell", "a.sh"),
    ("sql", "a.sql"),
    ("html", "a.html"),
    ("html", "a.xml"),
    ("css", "a.scss"),
    ("text", "a.proto"),
    ("text", "a.txt"),
    ("go", "a.go"),
    ("css", "a.sass"),
];

fn files() -> impl Iterator<Item = (Language, &'static str)> {
    FILES
        .iter()
        .map(|(name, path)| (by_name(name).unwrap(), *path))
}

/// Asserts the sections of a text, each as `first-last kind title`, indented by its depth.
#[track_caller]
pub(super) fn check(language: Language, path: &str, text: &str, expected: &[&str]) {
    let sections = sections(language, path, text);
    let shown: Vec<String> = sections.iter().map(line_of).collect();
    assert_eq!(shown, expected, "{path}");
    check_tiles(&sections, text);
}

/// Asserts the headings of a text.
#[track_caller]
fn check_headings(language: &str, text: &str, expected: &[&str]) {
    let headings = headings(by_name(language).unwrap(), text);
    let shown: Vec<&str> = headings
        .iter()
        .map(|r| r.span.of(text).trim_end())
        .collect();
    assert_eq!(shown, expected, "{language}");
}

#[test]
fn headings_are_the_lines_that_name_sections_and_tables() {
    check_headings(
        "markdown",
        "# Title\n\nWords.\n\nBelow\n-----\n\n```\n# code\n```\n",
        &["# Title", "Below"],
    );
    check_headings(
        "restructuredtext",
        "=====\nTitle\n=====\n\nWords.\n\n.. confval:: LIMIT\n\n   How many.\n\nBelow\n-----\n",
        &["Title", ".. confval:: LIMIT", "Below"],
    );
    check_headings("toml", "a = 1\n[tool.ruff]\nb = 2\n", &["[tool.ruff]"]);
    check_headings("text", "Words.\n\nMore words.\n", &[]);
    check_headings("python", "# no heading\n", &[]);
}

fn line_of(section: &Section) -> String {
    let Lines { start, end } = section.lines;
    let indent = "  ".repeat(section.depth as usize);
    let kind = section.kind.name();
    format!("{start}-{end} {indent}{kind} {}", section.title)
}

/// Returns the passage for a hit on one line, as `first-last title`.
pub(super) fn shown(
    language: Language,
    path: &str,
    text: &str,
    line: u32,
    max_lines: u32,
) -> String {
    let sections = sections(language, path, text);
    match passage(&sections, Lines::new(line, line), max_lines) {
        Some((lines, title)) => format!("{}-{} {title}", lines.start, lines.end),
        None => String::new(),
    }
}

#[track_caller]
fn check_tiles(sections: &[Section], text: &str) {
    let count = u32::try_from(text.lines().count()).unwrap();
    let mut next = 1;
    for (at, section) in sections.iter().enumerate() {
        assert_eq!(section.lines.start, next, "{section:?}");
        assert!(section.lines.end >= section.lines.start);
        assert!(section.blank_tail < section.lines.count());
        assert!(section.title.len() <= MAX_TITLE, "{section:?}");
        assert!((section.depth as usize) < MAX_DEPTH);
        let inside = sections[at + 1..].iter();
        let last = inside.take_while(|s| s.depth > section.depth).last();
        let end = last.map_or(section.lines.end, |last| last.lines.end);
        assert_eq!(section.subtree_end, end, "{section:?}");
        next = section.lines.end + 1;
    }
    assert_eq!(next, count + 1);
    assert!(sections.len() <= MAX_SECTIONS);
}

#[track_caller]
fn check_passages(sections: &[Section], text: &str) {
    let count = u32::try_from(text.lines().count()).unwrap();
    for (line, content) in (1_u32..).zip(text.lines()) {
        for max_lines in [0, 1, 3, 10, 60] {
            let around = Lines::new(line.saturating_sub(1), line + 1);
            let (lines, _) = passage(sections, around, max_lines).unwrap();
            assert!(lines.start >= 1 && lines.end <= count, "{lines:?}");
            assert!(lines.count() <= max_lines.max(1), "{lines:?} {max_lines}");
            assert!(lines.count() >= max_lines.min(4).min(count), "{lines:?}");
            // The middle of the hit moves where the hit is cut at the ends of the file.
            let is_middle = line > 1 && line < count;
            let is_shown = lines.contains(line) || content.trim().is_empty();
            assert!(is_shown || !is_middle, "{lines:?} {line}");
        }
    }
}

#[track_caller]
fn check_all(text: &str) {
    for (language, path) in files() {
        let sections = sections(language, path, text);
        check_tiles(&sections, text);
        check_passages(&sections, text);
    }
}

/// Pieces of all formats, which are joined at random into texts that nobody would write.
const PIECES: [&str; 44] = [
    "\n", "\n\n", " ", "  ", "\t", "\r\n", "# a", "## b", "===", "---", "```", ".. data:: x", "a:",
    "- ", "b: |", "name: x", "steps:", "jobs:", "[t]", "[[u]]", "k = ", "\"\"\"", "'", "\"", "{",
    "}", "[", "]", ",", ":", "\\", "FROM x", "<<EOF", "EOF", "f() {", "CREATE TABLE t", ";", "$$",
    "/*", "*/", "//", "<div id=\"a\">", "</div>", "é",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn any_text_is_tiled(pieces in prop::collection::vec(0..PIECES.len(), 0..120)) {
        let text: String = pieces.iter().map(|piece| PIECES[*piece]).collect();
        check_all(&text);
    }

    #[test]
    fn random_bytes_are_tiled(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        check_all(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn hostile_texts_are_bounded() {
    let deep = 50_000;
    let lines = |piece: &str| format!("{piece}\n").repeat(deep / 10);
    let indented = |piece: &str| -> String {
        let line = |depth: usize| format!("{}{piece}\n", " ".repeat(depth));
        (0..1_000).map(line).collect()
    };
    let mut texts = vec![
        "a".repeat(1 << 19),
        " ".repeat(1 << 18),
        "\n".repeat(1 << 16),
        "é\"".repeat(1 << 16),
        indented("a:"),
        indented("- a"),
        indented("<a id=\"x\">"),
        indented(".. data:: x"),
    ];
    for piece in [
        "{", "[", "{\"a\":", "\"", "'", "\"\"\"", "$a", "$", "<", "<h1>", "<<A", "`", "#", "a {",
        "a: ", "- ", "](", "#{", "/*", "--", "\\", "=",
    ] {
        texts.push(piece.repeat(deep));
        texts.push(lines(piece));
    }
    for text in &texts {
        for (language, path) in files() {
            let started = Instant::now();
            let sections = sections(language, path, text);
            let beginning: String = text.chars().take(30).collect();
            // Far above the expected time: the machine may be busy, but quadratic time is still detected.
            let is_quick = started.elapsed() < Duration::from_secs(10);
            assert!(is_quick, "{path} {beginning:?}");
            check_tiles(&sections, text);
            passage(&sections, Lines::new(500, 510), 40);
        }
    }
}

#[test]
fn empty_text_has_no_sections() {
    for (language, path) in files() {
        assert_eq!(sections(language, path, ""), []);
    }
    assert_eq!(passage(&[], Lines::new(1, 1), 40), None);
}

#[test]
fn deepest_levels_are_dropped_above_the_section_limit() {
    let keys: String = (0..5_000)
        .map(|n| format!("k{n}:\n  a:\n    b: 1\n"))
        .collect();
    let text = format!("top:\n  x: 1\n  y: 2\n{keys}");
    let found = sections(yaml(), "a.yml", &text);
    assert_eq!(found.len(), MAX_SECTIONS - 1);
    check_tiles(&found, &text);
}

const GUIDE: &str = "# Guide\n\nIntro.\n\n## Install\n\nRun it.\n\n### From source\n\nClone,\nthen make.\n\n### From a package\n\nInstall.\n\n## Usage\n\none\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n";

#[test]
fn hit_in_prose_shows_its_section_if_it_fits() {
    for (line, max_lines, expected) in [
        (3, 40, "1-28 Guide"),
        (3, 20, "1-16 Guide"),
        (7, 20, "5-16 Guide > Install"),
        (11, 20, "9-12 Guide > Install > From source"),
        (16, 20, "5-16 Guide > Install"),
        (16, 9, "9-16 Guide > Install > From a package"),
        (20, 5, "18-22 Guide > Usage"),
        (27, 5, "24-28 Guide > Usage"),
    ] {
        let found = shown(markdown(), "a.md", GUIDE, line, max_lines);
        assert_eq!(found, expected, "{line} {max_lines}");
    }
}

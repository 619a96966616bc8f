//! Turns a document's blocks into segments, mentions, paths, imports and frames.

use foldhash::HashSet;

use super::blocks::{BlockKind, Document};
use super::imports::{self, strip_prompt};
use super::names;
use super::paths::{self, Link, Strictness};
use super::trace::{self, Piece, Trace};
use super::{Frame, Mention, MentionKind, PathMention, QueryText, Segment, SegmentKind, frame};

/// The longest error message that is kept, in bytes.
const LONGEST_ERROR: usize = 400;

/// Fills a [`QueryText`], each list without duplicates.
#[derive(Default)]
struct Collector {
    text: QueryText,
    seen_mentions: HashSet<(MentionKind, String)>,
    seen_paths: HashSet<(String, u32)>,
    seen_imports: HashSet<String>,
    seen_frames: HashSet<(String, u32, String)>,
    seen_errors: HashSet<String>,
}

/// Collects everything from a document.
pub(super) fn collect(document: Document<'_>) -> QueryText {
    let mut collector = Collector::default();
    collector.text.labels = document.labels;
    collector.title(document.title);
    for block in &document.blocks {
        for piece in trace::split(&block.lines) {
            match (piece, block.kind) {
                (Piece::Trace(trace), _) => collector.trace(&trace),
                (Piece::Plain(lines), BlockKind::Code) => collector.code(&lines),
                (Piece::Plain(lines), BlockKind::Prose) => collector.prose_or_code(&lines),
            }
        }
    }
    collector.text
}

impl Collector {
    fn segment(&mut self, kind: SegmentKind, text: String) {
        if text.trim().is_empty() {
            return;
        }
        let text = text.trim_end().to_owned();
        self.text.segments.push(Segment { kind, text });
    }

    fn mention(&mut self, kind: MentionKind, name: &str) {
        if self.seen_mentions.insert((kind, name.to_owned())) {
            self.text.mentions.push(Mention {
                name: name.to_owned(),
                kind,
            });
        }
    }

    fn path(&mut self, mention: PathMention) {
        if self.seen_paths.insert((mention.path.clone(), mention.line)) {
            self.text.paths.push(mention);
        }
    }

    fn error(&mut self, text: &str) {
        let text = cut(text.trim(), LONGEST_ERROR);
        if text.is_empty() || !self.seen_errors.insert(text.to_owned()) {
            return;
        }
        for name in names::scan(text) {
            let trimmed = names::trim(&name.text);
            let plain = name.quoted && trimmed.chars().count() > 1 && !names::is_keyword(trimmed);
            if plain || names::is_identifier_like(trimmed, name.called) {
                self.mention(MentionKind::ErrorMessage, trimmed);
            }
        }
        self.segment(SegmentKind::ErrorMessage, text.to_owned());
    }

    fn title(&mut self, title: &str) {
        if title.is_empty() {
            return;
        }
        let (text, codes) = split_inline(title);
        for code in &codes {
            self.inline_code(code);
            for name in names::scan(code) {
                let trimmed = names::trim(&name.text);
                if whole_name(code, &name.text) || names::is_identifier_like(trimmed, name.called) {
                    self.mention(MentionKind::Title, trimmed);
                }
            }
        }
        self.words(&text, MentionKind::Title);
        let plain = if codes.is_empty() {
            text
        } else {
            title.replace('`', "")
        };
        self.segment(SegmentKind::Title, plain);
        self.errors_in(title);
    }

    /// Lines outside fences: code that was pasted without one is told apart line by line.
    fn prose_or_code(&mut self, lines: &[&str]) {
        let mut run: Vec<&str> = Vec::new();
        let mut run_is_code = false;
        let mut blank_before = true;
        for line in lines {
            let blank = line.trim().is_empty();
            let code = if blank {
                run_is_code
            } else {
                is_code(line, run_is_code, blank_before)
            };
            if code != run_is_code && !run.is_empty() {
                self.run(&std::mem::take(&mut run), run_is_code);
            }
            run_is_code = code;
            run.push(line);
            blank_before = blank;
        }
        self.run(&run, run_is_code);
    }

    fn run(&mut self, lines: &[&str], is_code: bool) {
        if is_code {
            self.code(lines);
        } else {
            self.prose(lines);
        }
    }

    fn prose(&mut self, lines: &[&str]) {
        let mut prose = String::new();
        let mut inline = Vec::new();
        for line in lines {
            let (text, codes) = split_inline(line);
            let text = self.words(&text, MentionKind::Prose);
            for code in codes {
                self.inline_code(&code);
                inline.push(code);
            }
            prose.push_str(&text);
            if !prose.ends_with("\n\n") {
                prose.push('\n');
            }
        }
        self.segment(SegmentKind::Prose, prose);
        for code in inline {
            self.segment(SegmentKind::InlineCode, code);
        }
        for line in lines {
            self.errors_in(line);
        }
    }

    /// Mentions and paths of plain words. Gives the text with links replaced by what they say.
    fn words(&mut self, text: &str, kind: MentionKind) -> String {
        let mut plain = String::with_capacity(text.len());
        for word in text.split_whitespace() {
            if !plain.is_empty() {
                plain.push(' ');
            }
            if let Some(at) = word.find("https://").or_else(|| word.find("http://")) {
                let (before, url) = word.split_at(at);
                let end = url
                    .find([')', '>', ']', '"', '|', '`'])
                    .unwrap_or(url.len());
                let (url, after) = url.split_at(end);
                plain.push_str(before);
                match paths::read_url(url) {
                    Link::File(mention) => {
                        plain.push(' ');
                        plain.push_str(&mention.path);
                        self.path(mention);
                    }
                    Link::Other(words) => plain.push_str(&words),
                }
                plain.push_str(after);
                continue;
            }
            plain.push_str(word.trim_matches('*'));
            if word.starts_with('@')
                || (word.contains('@') && word.contains('.')) && !word.contains('/')
            {
                continue;
            }
            if let Some(mention) = paths::read(word, Strictness::Extension) {
                self.path(mention);
                continue;
            }
            for name in names::scan(word) {
                let trimmed = names::trim(&name.text);
                if names::is_identifier_like(trimmed, name.called) {
                    self.mention(kind, trimmed);
                }
            }
        }
        plain
    }

    fn inline_code(&mut self, code: &str) {
        let code = code.trim();
        self.imports(&[code]);
        if frame::is_error(code) && code.contains(": ") {
            self.error(code);
        }
        if !code.contains(' ')
            && !code.contains("://")
            && let Some(mention) = paths::read(code, Strictness::Slash)
        {
            self.path(mention);
            return;
        }
        for name in names::scan(code) {
            let trimmed = names::trim(&name.text);
            let whole = whole_name(code, &name.text)
                && !names::is_keyword(trimmed)
                && trimmed.chars().count() > 1;
            if whole
                || names::is_code_name(trimmed, name.called)
                    && names::is_identifier_like(trimmed, name.called)
            {
                self.mention(MentionKind::InlineCode, trimmed);
            }
        }
    }

    fn imports(&mut self, lines: &[&str]) {
        for name in imports::read(lines) {
            if self.seen_imports.insert(name.clone()) {
                self.text.imports.push(name);
            }
        }
    }

    fn code(&mut self, lines: &[&str]) {
        self.imports(lines);
        let mut code = String::new();
        for line in lines {
            if frame::is_error(line) {
                self.error(frame::error_text(line));
                continue;
            }
            self.code_paths(line);
            let line = line.trim_end();
            let comment = ["# ", "// ", "* "]
                .iter()
                .any(|mark| line.trim_start().starts_with(mark));
            for name in names::scan(strip_prompt(line)) {
                let trimmed = names::trim(&name.text);
                // A comment is prose: its first word is no class.
                let named = !comment || names::is_identifier_like(trimmed, name.called);
                if named && names::is_code_name(trimmed, name.called) {
                    self.mention(MentionKind::CodeBlock, trimmed);
                }
            }
            code.push_str(line);
            code.push('\n');
        }
        self.segment(SegmentKind::CodeBlock, code);
    }

    /// Paths in code: the heads of a patch, and places with a line (`src/a.rs:1:2`).
    fn code_paths(&mut self, line: &str) {
        let line = line.trim();
        for head in ["--- a/", "+++ b/", "diff --git a/"] {
            if let Some(path) = line.strip_prefix(head) {
                let path = path.split_whitespace().next().unwrap_or("");
                if let Some(mention) = paths::read(path, Strictness::Extension) {
                    self.path(mention);
                }
                return;
            }
        }
        if !line.contains(':') {
            return;
        }
        for word in line.split_whitespace() {
            let mention = paths::read(word, Strictness::Extension);
            if let Some(mention) = mention.filter(|m| m.line > 0) {
                self.path(mention);
            }
        }
    }

    fn trace(&mut self, trace: &Trace<'_>) {
        let mut text = String::new();
        for found in &trace.frames {
            text.push_str(inside(&found.path));
            text.push(' ');
            text.push_str(&found.function);
            text.push('\n');
            self.frame(found);
        }
        for line in &trace.source {
            text.push_str(line);
            text.push('\n');
        }
        self.segment(SegmentKind::Traceback, text);
        for error in &trace.errors {
            self.error(error);
        }
    }

    fn frame(&mut self, frame: &Frame) {
        let key = (frame.path.clone(), frame.line, frame.function.clone());
        if self.seen_frames.insert(key) {
            self.text.frames.push(frame.clone());
        }
    }

    /// `SomeError: text` in a sentence, and quoted sentences where the line speaks of an error.
    fn errors_in(&mut self, line: &str) {
        let lower = line.to_lowercase();
        const WORDS: &[&str] = &[
            "error",
            "exception",
            "warning",
            "panic",
            "message",
            "fails with",
            "throws",
            "complain",
        ];
        if !WORDS.iter().any(|word| lower.contains(word)) {
            return;
        }
        let mut from = 0;
        for word in line.split(' ') {
            let at = from;
            from += word.len() + 1;
            let class = word.trim_start_matches(['`', '"', '\'', '(', '*', '“']);
            let is_class = class.ends_with(':') && class.len() > 6 && frame::is_error(class);
            if is_class {
                let rest = line.get(at + word.len() - class.len()..).unwrap_or("");
                let end = rest.find(['`', '“', '”']).unwrap_or(rest.len());
                let message = rest.get(..end).unwrap_or(rest);
                if message.split(' ').count() > 1 {
                    self.error(message);
                }
                break;
            }
        }
        for quoted in line.split('"').skip(1).step_by(2) {
            if quoted.split_whitespace().count() >= 3 {
                self.error(quoted);
            }
        }
    }
}

/// Splits a line into its text and the codes between backticks (runs of one length).
fn split_inline(line: &str) -> (String, Vec<String>) {
    if !line.contains('`') {
        return (line.to_owned(), Vec::new());
    }
    let runs = runs_of_backticks(line);
    let (mut text, mut codes) = (String::new(), Vec::new());
    let mut from = 0;
    let mut i = 0;
    while let Some(&(start, length, closing)) = runs.get(i) {
        let Some(&(end, ..)) = closing.and_then(|closing| runs.get(closing)) else {
            i += 1;
            continue;
        };
        text.push_str(line.get(from..start).unwrap_or(""));
        text.push(' ');
        let code = line.get(start + length..end).unwrap_or("").trim();
        if !code.is_empty() {
            codes.push(code.to_owned());
        }
        from = end + length;
        i = closing.unwrap_or(i) + 1;
    }
    text.push_str(line.get(from..).unwrap_or(""));
    (text, codes)
}

/// Runs of backticks as (start, length, index of the next run of the same length).
fn runs_of_backticks(line: &str) -> Vec<(usize, usize, Option<usize>)> {
    let mut runs: Vec<(usize, usize, Option<usize>)> = Vec::new();
    let mut at = 0;
    while let Some(found) = line.get(at..).and_then(|rest| rest.find('`')) {
        let start = at + found;
        let rest = line.get(start..).unwrap_or("");
        let length = rest.len() - rest.trim_start_matches('`').len();
        runs.push((start, length, None));
        at = start + length;
    }
    let mut next_of_length = foldhash::HashMap::default();
    for (i, run) in runs.iter_mut().enumerate().rev() {
        run.2 = next_of_length.insert(run.1, i);
    }
    runs
}

/// Whether a name is all that a piece of code says, apart from a call's arguments or a value.
fn whole_name(code: &str, name: &str) -> bool {
    let written = code.trim_start_matches(['@', '$', '.', '<', '&', '*']);
    let head = written
        .split(['(', '=', '[', '>', ' '])
        .next()
        .unwrap_or("");
    let only = !written.trim_end().contains(' ') || written.contains(['(', '=']);
    only && head
        .replace("::", ".")
        .replace('#', ".")
        .trim_end_matches([':', ',', ';'])
        == name
}

/// The part of a path that may be the repository's: what is below the installed packages, at most
/// the last five segments.
fn inside(path: &str) -> &str {
    for packages in ["site-packages/", "dist-packages/", "node_modules/"] {
        if let Some((_, rest)) = path.rsplit_once(packages) {
            return rest;
        }
    }
    match path.rmatch_indices('/').nth(4) {
        Some((at, _)) => path.get(at + 1..).unwrap_or(path),
        None => path,
    }
}

fn cut(text: &str, limit: usize) -> &str {
    let mut end = text.len().min(limit);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or(text)
}

/// Whether a line outside fences is code.
fn is_code(line: &str, after_code: bool, blank_before: bool) -> bool {
    let trimmed = line.trim();
    const STARTS: &[&str] = &[
        ">>>",
        "In [",
        "Out[",
        "def ",
        "async def ",
        "@pytest.",
        "#include",
        "const ",
        "let ",
        "var ",
        "public class ",
        "private ",
        "$ ",
        "<?php",
        "</",
        "diff --git",
    ];
    if STARTS.iter().any(|start| trimmed.starts_with(start)) {
        return !trimmed.ends_with('.') || trimmed.starts_with(">>>");
    }
    if after_code && trimmed.starts_with("...") && !blank_before {
        return true;
    }
    let words = trimmed.split_whitespace().count();
    if trimmed.starts_with("import ") || trimmed.starts_with("from ") {
        return trimmed.starts_with("import ") && words <= 4 && !trimmed.ends_with('.')
            || trimmed.contains(" import ");
    }
    let opens_block = trimmed.ends_with(':')
        && [
            "class ", "if ", "for ", "while ", "with ", "try", "else", "elif ", "except", "finally",
        ]
        .iter()
        .any(|word| trimmed.starts_with(word));
    if opens_block {
        return after_code || words <= 3 || trimmed.contains(['(', '=', '[', '.']);
    }
    let indented = line.starts_with('\t') || line.starts_with("    ");
    let bullet = trimmed.starts_with(['-', '*', '+', '|', '>'])
        || trimmed.bytes().next().is_some_and(|b| b.is_ascii_digit());
    if indented && !bullet && (after_code || (blank_before && is_symbolic(trimmed, words))) {
        return true;
    }
    if trimmed.ends_with([';', '{', '}']) || matches!(trimmed, ")" | "]" | "})" | ");" | "...") {
        return !trimmed.ends_with("}}") || is_symbolic(trimmed, words);
    }
    is_statement(trimmed, words) || (after_code && is_symbolic(trimmed, words))
}

/// `name = …`, `a.b(…)`, `return …`, `@decorator`.
fn is_statement(line: &str, words: usize) -> bool {
    let head = line
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']' | '\'' | '"')))
        .unwrap_or(line.len());
    let (name, rest) = line.split_at(head);
    if name.is_empty() {
        return line.starts_with('@') && words == 1 && line.contains('.')
            || line.starts_with("<") && line.ends_with('>');
    }
    let assigned = rest
        .strip_prefix(" = ")
        .or_else(|| rest.strip_prefix('='))
        .is_some_and(|value| !value.starts_with('='));
    let called =
        rest.starts_with('(') && !line.contains("](") && line.ends_with(')') && words <= 12;
    let returned = name == "return" && words <= 6 && !line.ends_with('.');
    assigned && words <= 20 || called || returned
}

/// Whether a line has about as many marks of code as words.
fn is_symbolic(line: &str, words: usize) -> bool {
    let marks = line
        .chars()
        .filter(|c| {
            matches!(
                c,
                '(' | ')'
                    | '['
                    | ']'
                    | '{'
                    | '}'
                    | '='
                    | ';'
                    | '_'
                    | '<'
                    | '>'
                    | '/'
                    | '\''
                    | '"'
                    | ':'
            )
        })
        .count();
    marks >= 2 && marks * 2 >= words
}

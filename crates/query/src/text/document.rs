//! Splits the lines of a query into a title, blocks of prose and blocks of code, in order. Leaves out
//! boilerplate and sections about the reporter's machine.

use foveate_model::Language;
use foveate_parse::{code, traces};

use super::boilerplate::{
    asks_for_versions, fold, is_environment, is_machine_line, is_noise, is_standard_heading,
    is_sure_code, is_template_check, is_version_line, is_version_list, promises_code, tag,
};
use super::log_entry::{self, Surroundings};
use super::markdown::{LineKind, Markdown, Span, SpanKind};
use super::repair;
use crate::excerpt::prefix;

/// A title longer than this many bytes contains the first sentences of the body.
const LONG_TITLE: usize = 160;

/// Maximum words of an info string; a longer text after the mark of a fence is code.
const MAX_INFO: usize = 3;

/// Maximum blank lines between a fence and the line that introduces it.
const MAX_BLANK: usize = 2;

/// Minimum words of a sentence that ends a section about the machine, if it has code between backticks.
const MIN_SENTENCE: usize = 4;

/// A line of prose.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// The text without quotation marks (`>`).
    pub text: &'a str,
    /// How many bytes were removed at the start.
    pub cut: usize,
    /// Code and links, in bytes of the uncut line.
    pub spans: &'a [Span],
    /// Whether Markdown takes it for code because it is indented.
    pub indented: bool,
}

/// Consecutive lines of one kind.
#[derive(Debug)]
pub(super) enum Block<'a> {
    /// Lines outside fences.
    Prose(Vec<Line<'a>>),
    /// Lines between fences, in the language that the fence names.
    Code(Vec<&'a str>, Option<Language>),
}

/// The query without its boilerplate.
#[derive(Debug, Default)]
pub(super) struct Document<'a> {
    pub title: Option<Line<'a>>,
    pub blocks: Vec<Block<'a>>,
    pub labels: Vec<String>,
}

/// Whether the first line of a text is a title: it is neither code nor a stack frame, nor a mark in the log of a CI job.
pub(super) fn has_title(line: &str) -> bool {
    let starts_with = |mark: &&str| line.trim_start().starts_with(*mark);
    !(repair::opens_fence(line)
        || traces::is_trace_line(line)
        || is_banner(line)
        || NO_TITLES.iter().any(starts_with))
}

/// Starts of lines by which CI jobs fold their logs and annotate them, of comments and of prompts.
const NO_TITLES: [&str; 10] = [
    "##[", "::group::", "::error::", "::error ", "::warning::", "::warning ", "section_start:",
    "travis_fold:", "<!--", ">>> ",
];

/// Shortest rule that test runners and tools draw.
const MIN_RULE: usize = 5;

/// Whether a line is a rule as tools draw it above a table or report: `------ ------`.
pub(super) fn is_rule(line: &str) -> bool {
    let line = line.trim();
    let is_mark = |byte| matches!(byte, b'-' | b'=' | b'*' | b' ');
    line.len() >= MIN_RULE && line.bytes().all(is_mark)
}

/// Whether a line is a heading as test runners print it, words between two rules: `===== FAILURES =====`.
fn is_banner(line: &str) -> bool {
    let line = line.trim();
    let is_ruled = |sign: char| {
        let rest = line.trim_start_matches(sign);
        let words = rest.trim_end_matches(sign);
        let (before, after) = (line.len() - rest.len(), rest.len() - words.len());
        let is_set_off = words.starts_with(' ') && words.ends_with(' ');
        is_set_off && before.min(after) >= MIN_RULE
    };
    ['=', '-', '_', '*'].into_iter().any(is_ruled)
}

/// Whether the first line of a text is a heading of an issue template: the text is a body without its title.
pub(super) fn opens_template(line: &str) -> bool {
    let line = line.trim();
    let heading = match strip_heading(line) {
        text if text.len() < line.len() => Some(trim_marks(text)),
        _ => bold(line),
    };
    let is_of_template = |heading: &str| {
        let folded = fold(heading);
        is_environment(&folded) || is_standard_heading(&folded)
    };
    heading.is_some_and(is_of_template)
}

/// The state of splitting the lines.
struct Reader<'a> {
    lines: &'a [String],
    markdown: &'a Markdown,
    document: Document<'a>,
    prose: Vec<Line<'a>>,
    /// Whether the text has no title of its own yet, so that its first sentence is the title.
    awaits_title: bool,
    /// Whether the current section is about the reporter's machine.
    in_environment: bool,
    /// Whether the last line is a box of a template, or the continuation of one.
    in_check: bool,
}

/// Splits lines into a document. The first line is the title if `titled` is set; else the first sentence below comments and
/// headings of a template is, unless code precedes it.
pub(super) fn split<'a>(lines: &'a [String], markdown: &'a Markdown, titled: bool) -> Document<'a> {
    let mut reader = Reader {
        lines,
        markdown,
        document: Document::default(),
        prose: Vec::new(),
        awaits_title: !titled,
        in_environment: false,
        in_check: false,
    };
    let mut i = 0;
    if titled {
        reader.title(0, lines.first().map_or("", String::as_str), 0);
        i = 1;
    }
    // `<details>` are classified once, at the outermost level: nesting must not cost quadratic time.
    let mut judged = 0;
    while let Some(line) = lines.get(i) {
        match reader.line_kind(i) {
            LineKind::Fence(_) | LineKind::Fenced(_) => i = reader.code(i),
            LineKind::Rule => i += 1,
            LineKind::Text if line.trim_start().starts_with("<details") => {
                let start = i;
                i += 1;
                if i > judged {
                    judged = details_end(lines, start);
                    if about_machine(lines.get(start..judged).unwrap_or_default()) {
                        i = judged;
                        continue;
                    }
                }
                let rest = line.split_once('>').map_or("", |(_, rest)| rest);
                if !rest.trim().is_empty() {
                    reader.summary_or_sentence(start, line, rest);
                }
            }
            _ => {
                reader.prose_line(i);
                i += 1;
            }
        }
    }
    reader.flush();
    reader.document
}

impl<'a> Reader<'a> {
    fn line_kind(&self, line: usize) -> LineKind {
        self.markdown
            .line_kinds
            .get(line)
            .copied()
            .unwrap_or_default()
    }

    fn part(&self, number: usize, text: &'a str, cut: usize) -> Line<'a> {
        Line {
            text,
            cut,
            spans: self.markdown.spans.get(number).map_or(&[], Vec::as_slice),
            indented: self.line_kind(number) == LineKind::Indented,
        }
    }

    /// Takes `text`, which begins `cut` bytes after the start of a line, as the title, without the tags before it.
    fn title(&mut self, number: usize, text: &'a str, cut: usize) {
        let mut title = text;
        while let Some((found, rest)) = tag(title) {
            self.document.labels.push(found);
            title = rest;
        }
        let cut = cut + text.len() - title.len();
        // An entry of a log has no sentences, and is read as a whole.
        let end = if title.len() > LONG_TITLE && !log_entry::is_record(title) {
            title_end(title)
        } else {
            title.len()
        };
        let (head, body) = title.split_at(end);
        self.document.title = Some(self.part(number, head, cut));
        if !body.is_empty() {
            let body = self.part(number, body, cut + end);
            self.prose.push(body);
        }
    }

    /// Keeps `text`, which begins `cut` bytes after the start of a line: as the title if that is awaited, else as prose.
    fn keep(&mut self, number: usize, text: &'a str, cut: usize) {
        if self.awaits_title && !text.trim().is_empty() {
            self.awaits_title = false;
            if has_title(text) && self.line_kind(number) != LineKind::Indented {
                return self.title(number, text, cut);
            }
        }
        let part = self.part(number, text, cut);
        self.prose.push(part);
    }

    fn flush(&mut self) {
        let lines = std::mem::take(&mut self.prose);
        if lines.iter().any(|line| !line.text.trim().is_empty()) {
            self.document.blocks.push(Block::Prose(lines));
        }
    }

    /// Reads the fenced block that begins in line `start` and returns the line after it.
    fn code(&mut self, start: usize) -> usize {
        let (LineKind::Fence(number) | LineKind::Fenced(number)) = self.line_kind(start) else {
            return start + 1;
        };
        let fence = self.lines.get(start).map_or("", String::as_str);
        let quoted = fence.trim_start().starts_with('>');
        let mut end = start + 1;
        while self.line_kind(end) == LineKind::Fenced(number) {
            end += 1;
        }
        let info = self.markdown.infos.get(number).map_or("", String::as_str);
        let mut lines = Vec::with_capacity(end - start);
        // An info string is a few words; more than that is code on the wrong line.
        let is_code = info.split_whitespace().count() > MAX_INFO;
        let first =
            repair::code_after_mark(fence).or_else(|| is_code.then(|| repair::after_mark(fence)));
        lines.extend(first.filter(|code| !code.is_empty()));
        let content = self.lines.get(start + 1..end).unwrap_or_default();
        lines.extend(content.iter().map(|line| match quoted {
            true => strip_quote(line),
            false => line.as_str(),
        }));
        let closing = self.lines.get(end).map(String::as_str);
        let last = closing.and_then(|line| repair::code_before_mark(line, fence));
        lines.extend(last.filter(|code| !code.is_empty()));
        self.flush();
        self.in_check = false;
        self.awaits_title = false;
        let is_failure = |line: &&str| {
            traces::is_trace_line(line)
                || !log_entry::failures(line, Surroundings::Prose).is_empty()
        };
        let has_failure = || lines.iter().any(is_failure);
        // A code sample may follow the environment without a heading.
        let machine = is_version_list(lines.iter().copied())
            || self.in_environment && !lines.iter().copied().any(is_sure_code);
        if !machine || has_failure() {
            let language = code::named(info).or_else(|| code::guessed(&lines));
            self.document.blocks.push(Block::Code(lines, language));
        }
        end
    }

    fn prose_line(&mut self, number: usize) {
        let line = self.lines.get(number).map_or("", String::as_str);
        if self.continues_check(line) {
            return;
        }
        if let Some(heading) = self.heading(number, line) {
            return self.section(number, line, heading);
        }
        self.summary_or_sentence(number, line, line);
    }

    /// Whether a line is the continuation of a box of a template: it is indented, and directly below. A list or a
    /// paragraph there is the reporter's.
    fn continues_check(&mut self, line: &str) -> bool {
        let is_continued = line.starts_with("  ") && !line.trim().is_empty() && !is_bullet(line);
        let continues = self.in_check && is_continued;
        self.in_check = continues || is_template_check(strip_quote(line).trim());
        continues
    }

    /// Keeps `text`, the end of a line or all of it: a summary as a heading, and the text after it.
    fn summary_or_sentence(&mut self, number: usize, line: &'a str, text: &'a str) {
        let Some(summary) = summary(text) else {
            return self.sentence(number, line, text);
        };
        self.title_of_section(number, line, summary);
        if let Some((_, after)) = line.split_once("</summary>")
            && !after.trim().is_empty()
        {
            self.sentence(number, line, after);
        }
    }

    /// Keeps `text`, the end of a line or all of it, unless it is boilerplate.
    fn sentence(&mut self, number: usize, line: &'a str, text: &'a str) {
        if self.in_environment && !self.leaves_environment(number, text) {
            return;
        }
        self.in_environment = false;
        let text = strip_quote(text);
        if is_noise(text) || is_html_tag(text) {
            return;
        }
        // A version line may be the point of the issue, unless it is labelled or a bullet.
        let is_stated = || text.contains(": ") || is_bullet(text);
        // The fraction of a time looks like a version.
        let is_failure = || !log_entry::failures(text, Surroundings::Prose).is_empty();
        if is_version_line(text) && is_stated() && !is_failure() {
            return;
        }
        self.document.labels.extend(label_of_outcome(text));
        let end = text.strip_suffix("</details>").unwrap_or(text).len();
        let cut = line.len() - text.len();
        self.keep(number, text.get(..end).unwrap_or(text), cut);
    }

    fn heading(&self, number: usize, line: &'a str) -> Option<&'a str> {
        match self.line_kind(number) {
            LineKind::Heading => Some(trim_marks(strip_heading(line.trim()))),
            LineKind::Text => label(line),
            _ => None,
        }
    }

    /// Starts the section of a heading.
    fn section(&mut self, number: usize, line: &'a str, heading: &'a str) {
        self.in_environment = is_environment(&fold(heading));
        if !self.in_environment {
            self.title_of_section(number, line, heading);
        }
    }

    /// Keeps a heading: as a label if it consists of standard words, else as prose.
    fn title_of_section(&mut self, number: usize, line: &'a str, heading: &'a str) {
        let folded = fold(heading);
        if is_standard_heading(&folded) {
            self.document.labels.push(folded);
        } else {
            let cut = line.find(heading).unwrap_or(0);
            self.keep(number, heading, cut);
        }
    }

    /// Whether a line ends an environment section without a heading: a stack frame, a label, a sentence with code or a
    /// long one.
    fn leaves_environment(&self, number: usize, line: &str) -> bool {
        if traces::is_trace_line(line)
            || is_one_word_label(line)
            || self.introduces_code(number, line)
            || self.is_about_code(number, line)
        {
            return true;
        }
        let words = line.split_whitespace().count();
        let numbers = line
            .split_whitespace()
            .filter(|word| word.bytes().any(|b| b.is_ascii_digit()))
            .count();
        words >= 9 && numbers * 3 < words && !is_noise(line) && !is_version_line(line)
    }

    /// Whether a line ends in a colon and a fence follows: `Here is my code:`.
    fn introduces_code(&self, number: usize, line: &str) -> bool {
        let Some(label) = line.trim().strip_suffix(':') else {
            return false;
        };
        let is_blank = |line: &&String| line.trim().is_empty();
        let blank = self.lines.iter().skip(number + 1).take(MAX_BLANK);
        let next = number + 1 + blank.take_while(is_blank).count();
        matches!(self.line_kind(next), LineKind::Fence(_))
            && !is_bullet(line)
            && !is_environment(&fold(label))
    }

    /// Whether a line is a sentence with code between backticks.
    fn is_about_code(&self, number: usize, line: &str) -> bool {
        let spans = self
            .markdown
            .spans
            .get(number)
            .map_or(&[][..], Vec::as_slice);
        spans.iter().any(|span| span.kind == SpanKind::Code)
            && line.split_whitespace().count() >= MIN_SENTENCE
            && !is_bullet(line)
            && !is_machine_line(line)
            && !asks_for_versions(line)
            && !is_version_line(line)
    }
}

/// Whether a line is one word of standard headings with a colon: `Code:`.
fn is_one_word_label(line: &str) -> bool {
    line.trim().strip_suffix(':').is_some_and(|label| {
        label.starts_with(char::is_uppercase)
            && !label.contains(' ')
            && is_standard_heading(&fold(label))
    })
}

/// Returns the text of a line that is meant as a heading although Markdown has none: a line in bold, or a
/// short line that names a standard section.
fn label(line: &str) -> Option<&str> {
    let line = line.trim();
    if line.is_empty() || line.len() > 200 {
        return None;
    }
    if let Some(inner) = bold(line) {
        return Some(inner);
    }
    let plain = line.strip_suffix(':').unwrap_or(line);
    let words = plain.split_whitespace().count();
    let label = plain.len() < line.len() || words <= 3 && !line.ends_with(['.', '?', '!', ',']);
    if words <= 5 && label {
        let folded = fold(plain);
        let standard = is_environment(&folded) || (words >= 2 && is_standard_heading(&folded));
        let capital = plain.starts_with(char::is_uppercase);
        return (standard && capital || folded == "description").then_some(plain);
    }
    None
}

/// Returns the label (folded) of a line that says what was expected, or what came instead: `Expected: x`, `**Actual result:**
/// y`.
fn label_of_outcome(line: &str) -> Option<String> {
    let (label, outcome) = line.split_once(':')?;
    let label = fold(label);
    let is_outcome = matches!(label.split(' ').next(), Some("expected" | "actual"));
    (is_outcome && is_standard_heading(&label) && !outcome.trim().is_empty()).then_some(label)
}

/// Returns the text of a line that is in bold as a whole, apart from a colon.
fn bold(line: &str) -> Option<&str> {
    ["**", "__"].into_iter().find_map(|mark| {
        let marked = line.trim_end_matches([':', ' ']);
        let inner = marked.strip_prefix(mark)?.strip_suffix(mark)?;
        (!inner.contains(mark)).then(|| inner.trim_matches([' ', ':']))
    })
}

/// Removes bold type and colons around a heading.
fn trim_marks(heading: &str) -> &str {
    heading.trim_matches(['*', ' ', ':'])
}

/// Turns `### Title ###` into `Title`; other lines are returned unchanged.
pub(super) fn strip_heading(line: &str) -> &str {
    let rest = line.trim_start_matches('#');
    let marks = line.len() - rest.len();
    if (1..=6).contains(&marks) && rest.starts_with([' ', '\t']) {
        rest.trim().trim_end_matches('#').trim_end()
    } else {
        line
    }
}

/// Removes the marks of a quotation, but not Python's prompt.
fn strip_quote(line: &str) -> &str {
    let mut rest = line;
    while let Some(quoted) = rest.strip_prefix("> ") {
        if quoted.starts_with('>') || rest.starts_with(">>") {
            break;
        }
        rest = quoted;
    }
    rest
}

fn is_bullet(line: &str) -> bool {
    line.trim_start().starts_with(['-', '*', '+', '|'])
}

/// Whether a line is one HTML tag and nothing else.
fn is_html_tag(line: &str) -> bool {
    let line = line.trim();
    let Some(inner) = line.strip_prefix('<').and_then(|l| l.strip_suffix('>')) else {
        return false;
    };
    let name = inner
        .trim_start_matches('/')
        .split([' ', '/'])
        .next()
        .unwrap_or("");
    const TAGS: &[&str] = &[
        "details", "summary", "p", "br", "hr", "div", "b", "i", "ul", "ol", "li", "table", "tr",
        "td", "img", "a", "center", "sub",
    ];
    !inner.contains('<') && TAGS.contains(&name)
}

/// Returns the text of a `<summary>` line.
fn summary(line: &str) -> Option<&str> {
    let inside = line.trim().strip_prefix("<summary")?;
    let (_, text) = inside.split_once('>')?;
    Some(text.split('<').next().unwrap_or(text).trim())
}

/// Returns the line after the end of the `<details>` that opens in line `start`; the end of the text if it
/// is never closed.
fn details_end(lines: &[String], start: usize) -> usize {
    let mut depth = 0usize;
    for (i, line) in lines.iter().enumerate().skip(start) {
        depth += line.matches("<details").count();
        depth = depth.saturating_sub(line.matches("</details").count());
        if depth == 0 {
            return i + 1;
        }
    }
    lines.len()
}

/// Whether the lines of a `<details>` are about the reporter's machine.
fn about_machine(inside: &[String]) -> bool {
    if inside.iter().any(|line| traces::is_trace_line(line)) {
        return false;
    }
    let summary = inside
        .iter()
        .skip_while(|line| !line.contains("<summary"))
        .take(4)
        .map(|line| line.split("</summary").next().unwrap_or(line))
        .map(|line| fold(&strip_tags(line)))
        .find(|text| !text.is_empty());
    if summary.as_ref().is_some_and(|text| promises_code(text)) {
        return false;
    }
    summary.is_some_and(|text| is_environment(&text))
        || inside
            .iter()
            .any(|line| line.trim() == "INSTALLED VERSIONS")
        || is_version_list(
            inside
                .iter()
                .map(String::as_str)
                .filter(|l| !is_html_tag(l)),
        )
}

/// Returns a line without its HTML tags.
fn strip_tags(line: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    for c in line.chars() {
        match c {
            '<' => inside = true,
            '>' => inside = false,
            c if !inside => text.push(c),
            _ => {}
        }
    }
    text
}

/// Returns where a title that runs into the body ends: after its first sentence, else at the last space
/// before the limit.
fn title_end(title: &str) -> usize {
    let head = prefix(title, LONG_TITLE);
    let sentence = [". ", "? ", "! ", " - "]
        .iter()
        .filter_map(|end| head.find(end).map(|at| at + end.len()))
        .filter(|at| *at > 20)
        .min();
    sentence.or_else(|| head.rfind(' ')).unwrap_or(head.len())
}

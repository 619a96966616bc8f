//! Markdown (and Trac, and HTML) into a title, blocks of prose and blocks of code, in order.
//! Sections about the reporter's machine, comments and boilerplate are left out here.

use super::boilerplate::{
    fold, is_environment, is_noise, is_standard_heading, is_version_line, is_version_list, tag,
};
use super::frame;

/// A title longer than this many bytes has the first sentences of the body in it.
const LONG_TITLE: usize = 160;

/// A stretch of the query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockKind {
    /// Lines outside fences.
    Prose,
    /// Lines between fences.
    Code,
}

/// Consecutive lines of one kind.
#[derive(Debug)]
pub(super) struct Block<'a> {
    pub kind: BlockKind,
    pub lines: Vec<&'a str>,
}

/// The query without its boilerplate.
#[derive(Debug, Default)]
pub(super) struct Document<'a> {
    pub title: &'a str,
    pub blocks: Vec<Block<'a>>,
    pub labels: Vec<String>,
}

/// What the reader of lines is in.
struct Reader<'a> {
    document: Document<'a>,
    prose: Vec<&'a str>,
    /// In a section about the reporter's machine.
    in_environment: bool,
}

/// Splits lines into a document.
pub(super) fn split(lines: &[String]) -> Document<'_> {
    let mut reader = Reader {
        document: Document::default(),
        prose: Vec::new(),
        in_environment: false,
    };
    let start = reader.take_title(lines);
    let last_comment_end = lines.iter().rposition(|line| line.contains("-->"));
    let mut i = start;
    // Details are judged once, at their outermost level: nesting must not cost quadratic time.
    let mut judged = 0;
    while let Some(line) = lines.get(i) {
        i += 1;
        let line = line.as_str();
        if let Some(fence) = Fence::opening(line) {
            let end = fence.end(lines, i);
            reader.code(fence.rest, lines.get(i..end).unwrap_or_default());
            i = end + 1;
            continue;
        }
        if let Some(at) = line.find("<!--")
            && last_comment_end.is_some_and(|end| end + 1 >= i)
        {
            reader.prose_line(line.get(..at).unwrap_or(""), None);
            let (next, rest) = skip_comment(lines, i - 1, at);
            reader.prose_line(rest, None);
            i = next;
            continue;
        }
        if line.trim_start().starts_with("<details") {
            if i > judged {
                let end = details_end(lines, i - 1);
                judged = end;
                if about_machine(lines.get(i - 1..end).unwrap_or_default()) {
                    i = end;
                }
            }
            continue;
        }
        reader.prose_line(line, lines.get(i).map(String::as_str));
    }
    reader.flush();
    reader.document
}

impl<'a> Reader<'a> {
    /// Takes the title and gives the index of the next line. A text that begins with code or a
    /// stack frame has none.
    fn take_title(&mut self, lines: &'a [String]) -> usize {
        let Some((first, line)) = lines.iter().enumerate().find(|(_, l)| !l.trim().is_empty())
        else {
            return lines.len();
        };
        if Fence::opening(line).is_some()
            || frame::is_trace_line(line)
            || line.trim_start().starts_with("<!--")
            || line.trim_start().starts_with(">>> ")
        {
            return first;
        }
        let mut title = strip_heading(line.trim());
        while let Some((found, rest)) = tag(title) {
            self.document.labels.push(found);
            title = rest;
        }
        if title.len() > LONG_TITLE {
            let (head, body) = title.split_at(title_end(title));
            self.document.title = head.trim();
            self.prose.push(body.trim());
        } else {
            self.document.title = title;
        }
        first + 1
    }

    fn flush(&mut self) {
        let lines = std::mem::take(&mut self.prose);
        if lines.iter().any(|line| !line.trim().is_empty()) {
            self.document.blocks.push(Block {
                kind: BlockKind::Prose,
                lines,
            });
        }
    }

    fn code(&mut self, rest: &'a str, lines: &'a [String]) {
        self.flush();
        let has_trace = || lines.iter().any(|line| frame::is_trace_line(line));
        if self.in_environment && !has_trace() {
            return;
        }
        if is_version_list(lines.iter().map(String::as_str)) && !has_trace() {
            return;
        }
        let rest = Some(rest).filter(|rest| !rest.is_empty());
        self.document.blocks.push(Block {
            kind: BlockKind::Code,
            lines: rest
                .into_iter()
                .chain(lines.iter().map(String::as_str))
                .collect(),
        });
    }

    fn prose_line(&mut self, line: &'a str, next: Option<&str>) {
        if let Some(heading) = heading(line, next) {
            let folded = fold(heading);
            self.in_environment = is_environment(&folded);
            if self.in_environment {
                return;
            }
            if is_standard_heading(&folded) {
                self.document.labels.push(folded);
            } else if folded != "description" {
                self.prose.push(heading);
            }
            return;
        }
        if self.in_environment && !self.leaves_environment(line) {
            return;
        }
        self.in_environment = false;
        if is_noise(line) || is_html_tag(line) {
            return;
        }
        // One version line alone may be the point of the issue; one that is labelled is not.
        if is_version_line(line) && (line.contains(": ") || is_bullet(line)) {
            return;
        }
        self.prose.push(strip_quote(line));
    }

    /// A stack frame or a real sentence ends an environment section that no heading ends.
    fn leaves_environment(&self, line: &str) -> bool {
        if frame::is_trace_line(line) {
            return true;
        }
        let words = line.split_whitespace().count();
        let numbers = line
            .split_whitespace()
            .filter(|word| word.bytes().any(|b| b.is_ascii_digit()))
            .count();
        words >= 9 && numbers * 3 < words && !is_noise(line) && !is_version_line(line)
    }
}

/// An opening code fence.
struct Fence<'a> {
    mark: Mark,
    /// Code that stands on the line of the fence itself.
    rest: &'a str,
}

enum Mark {
    /// At least so many of a character, alone on its line.
    Run(char, usize),
    /// A line that starts with this text.
    Text(&'static str),
}

impl<'a> Fence<'a> {
    fn opening(line: &'a str) -> Option<Self> {
        let trimmed = line.trim_start_matches([' ', '\t', '>']).trim_end();
        for mark in ['`', '~'] {
            let rest = trimmed.trim_start_matches(mark);
            let length = trimmed.len() - rest.len();
            if length >= 3 {
                // "```a```" on one line is inline code, and Python underlines with tildes.
                let named = rest
                    .trim_start()
                    .chars()
                    .next()
                    .is_none_or(|c| c.is_alphanumeric() || matches!(c, '{' | '.' | '(' | '<'));
                let underlines = mark == '~' && line.starts_with("    ");
                if rest.contains(mark) || !named || underlines {
                    return None;
                }
                // An info string is one word; more than that is code on the wrong line.
                let code = if rest.split_whitespace().count() > 3 {
                    rest.trim()
                } else {
                    ""
                };
                return Some(Self {
                    mark: Mark::Run(mark, length),
                    rest: code,
                });
            }
        }
        const PAIRS: &[(&str, &str)] = &[
            ("{{{", "}}}"),
            ("<pre", "</pre"),
            ("{code", "{code}"),
            ("{noformat}", "{noformat}"),
        ];
        let (open, close) = PAIRS.iter().find(|(open, _)| trimmed.starts_with(open))?;
        let closes_here = trimmed
            .get(open.len()..)
            .is_some_and(|rest| rest.contains(close));
        (!closes_here).then_some(Self {
            mark: Mark::Text(close),
            rest: "",
        })
    }

    /// Index of the closing line, or of the end of the text where the fence is never closed.
    fn end(&self, lines: &[String], from: usize) -> usize {
        let closes = |line: &String| {
            let line = line.trim_start_matches([' ', '\t', '>']).trim_end();
            match self.mark {
                Mark::Run(mark, length) => line.len() >= length && line.chars().all(|c| c == mark),
                Mark::Text(close) => line.contains(close),
            }
        };
        lines
            .iter()
            .skip(from)
            .position(closes)
            .map_or(lines.len(), |found| from + found)
    }
}

/// The text of a heading: `## x`, a line in bold, an underlined line, a short line that ends with a
/// colon and names a standard section.
fn heading<'a>(line: &'a str, next: Option<&str>) -> Option<&'a str> {
    let line = line.trim();
    if line.is_empty() || line.len() > 200 {
        return None;
    }
    if line.starts_with('#') {
        let text = strip_heading(line);
        return (text.len() < line.len()).then(|| text.trim_matches(['*', ' ', ':']));
    }
    for mark in ["**", "__"] {
        let bold = line.trim_end_matches([':', ' ']).strip_prefix(mark);
        if let Some(inner) = bold.and_then(|l| l.strip_suffix(mark)) {
            return (!inner.contains(mark)).then(|| inner.trim_matches([' ', ':']));
        }
    }
    let underlined = next.map(str::trim).is_some_and(|next| {
        next.len() >= 3 && (next.bytes().all(|b| b == b'-') || next.bytes().all(|b| b == b'='))
    });
    if underlined && line.len() <= 80 {
        return Some(line);
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

/// `### Title ###` to `Title`; a line of other kinds stays as it is.
fn strip_heading(line: &str) -> &str {
    let rest = line.trim_start_matches('#');
    let marks = line.len() - rest.len();
    if (1..=6).contains(&marks) && rest.starts_with([' ', '\t']) {
        rest.trim().trim_end_matches('#').trim_end()
    } else {
        line
    }
}

/// Takes the marks of a quotation off, but not Python's prompt.
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

/// A line that is one HTML tag and nothing else.
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

/// The line after a comment that starts in line `start` at byte `at`, and what follows it on its
/// last line.
fn skip_comment(lines: &[String], start: usize, at: usize) -> (usize, &str) {
    let mut from = at + "<!--".len();
    for (i, line) in lines.iter().enumerate().skip(start) {
        let rest = line.get(from..).unwrap_or("");
        if let Some(end) = rest.find("-->") {
            return (i + 1, rest.get(end + "-->".len()..).unwrap_or(""));
        }
        from = 0;
    }
    (lines.len(), "")
}

/// The line after the end of the `<details>` that opens in line `start`; the end of the text where
/// it is never closed.
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
    if inside.iter().any(|line| frame::is_trace_line(line)) {
        return false;
    }
    let summary = inside
        .iter()
        .skip_while(|line| !line.contains("<summary"))
        .take(4)
        .map(|line| fold(&strip_tags(line)))
        .find(|text| !text.is_empty());
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

/// The text of a line without its tags.
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

/// Where a title that runs into the body ends: after its first sentence, otherwise at the last
/// space before the limit.
fn title_end(title: &str) -> usize {
    let limit = title
        .char_indices()
        .map(|(at, _)| at)
        .take_while(|at| *at <= LONG_TITLE)
        .last()
        .unwrap_or(0);
    let head = title.get(..limit).unwrap_or(title);
    let sentence = [". ", "? ", "! ", " - "]
        .iter()
        .filter_map(|end| head.find(end).map(|at| at + end.len()))
        .filter(|at| *at > 20)
        .min();
    sentence.or_else(|| head.rfind(' ')).unwrap_or(head.len())
}

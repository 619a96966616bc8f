//! Finds the sections of Markdown: ATX and setext headings outside of fenced code and front matter.

use std::borrow::Cow;

use super::section::SectionKind;
use super::tree::{Marks, cut, indent, numbered};
use crate::lines::TextLines;

/// Largest indentation of a heading; lines further right are code.
const MAX_INDENT: u32 = 3;

pub(super) fn marks(lines: TextLines<'_>) -> Marks<'_> {
    let mut marks = Marks::new(lines, &[]);
    let body = front_matter_end(lines) + 1;
    let mut fence: Option<&str> = None;
    for (line, text) in numbered(lines).skip_while(|(line, _)| *line < body) {
        if let Some(opened) = fence {
            if closes(opened, text) {
                fence = None;
            }
            continue;
        }
        fence = opening_fence(text);
        let heading = heading(text).or_else(|| setext(lines, line, body));
        if let (Some((level, name)), None) = (heading, fence) {
            marks.push(line, level, without_links(name), SectionKind::Section);
        }
    }
    marks
}

/// Returns the last line of the front matter between `---` lines at the top; 0 without it.
fn front_matter_end(lines: TextLines<'_>) -> u32 {
    if lines.line(1).trim_end() != "---" {
        return 0;
    }
    let mut rest = numbered(lines).skip(1);
    let end = rest.find(|(_, text)| matches!(text.trim_end(), "---" | "..."));
    end.map_or(0, |(line, _)| line)
}

/// Returns the backticks or tildes that open a code block on this line.
fn opening_fence(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = text.trim_start_matches(mark);
    let fence = text.get(..text.len() - rest.len())?;
    // Backticks after the fence make it inline code.
    (fence.len() >= 3 && !(mark == '`' && rest.contains('`'))).then_some(fence)
}

fn closes(opened: &str, text: &str) -> bool {
    let text = text.trim();
    text.starts_with(opened) && text.trim_start_matches(cut(opened, 1)).is_empty()
}

fn heading(text: &str) -> Option<(u32, &str)> {
    if indent(text) > MAX_INDENT {
        return None;
    }
    let text = text.trim();
    let rest = text.trim_start_matches('#');
    let level = u32::try_from(text.len() - rest.len()).ok()?;
    let is_heading = (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t']));
    is_heading.then(|| (level, rest.trim_end_matches('#').trim()))
}

/// Returns a setext heading: a line of text with an underline below and nothing above. In most paragraphs
/// with several lines, the `---` below is meant as a rule.
fn setext(lines: TextLines<'_>, line: u32, body: u32) -> Option<(u32, &str)> {
    let text = lines.line(line);
    let starts_paragraph =
        text.starts_with(|c: char| c.is_alphanumeric() || "[`*_<(\"".contains(c));
    if !starts_paragraph || text.starts_with("* ") {
        return None;
    }
    let is_first = line == body || {
        let above = lines.line(line - 1);
        above.trim().is_empty() || heading(above).is_some()
    };
    let under = lines.line(line + 1).trim_end();
    let level = match under.as_bytes().first() {
        Some(b'=') if under.bytes().all(|b| b == b'=') => 1,
        Some(b'-') if under.len() > 1 && under.bytes().all(|b| b == b'-') => 2,
        _ => return None,
    };
    is_first.then(|| (level, text.trim()))
}

/// Strips link targets: `[1.2.0](https://…)` becomes `[1.2.0]`.
fn without_links(name: &str) -> Cow<'_, str> {
    if !name.contains("](") {
        return Cow::Borrowed(name);
    }
    let mut plain = String::new();
    let mut rest = name;
    while let Some((before, link)) = rest.split_once("](") {
        plain.push_str(before);
        plain.push(']');
        rest = link.split_once(')').map_or("", |(_, after)| after);
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use crate::testing::markdown;

    #[test]
    fn headings_outside_code_make_a_tree() {
        let text = "---\ntitle: Guide\n---\nIntro.\n\n# Guide\n\nText.\n\n## Install ##\n\n```sh\n# no heading\npip install x\n```\n\n### From source\n\nClone it.\n\nUsage\n-----\n\nCall [it](http://x).\n\n---\n\nEnd.\n\n## [1.0](http://y) - 2024\n\nFirst.\n";
        check(
            markdown(),
            "a.md",
            text,
            &[
                "1-5 text ",
                "6-9 section Guide",
                "10-16   section Guide > Install",
                "17-20     section Guide > Install > From source",
                "21-29   section Guide > Usage",
                "30-32   section Guide > [1.0] - 2024",
            ],
        );
    }

    #[test]
    fn rule_below_a_paragraph_is_not_a_heading() {
        let text = "# A\n\none\ntwo\n---\n\n#hashtag\n    # code\n";
        check(markdown(), "a.md", text, &["1-8 section A"]);
    }
}

//! Finds the sections of reStructuredText: headings by adornment, and directives that document one name.

use std::borrow::Cow;

use super::section::SectionKind;
use super::tree::{Marks, cut, indent, numbered};
use crate::lines::TextLines;

/// Level added to entries, so that they are below every heading.
const ENTRY_LEVEL: u32 = 1_000;
/// Shortest underline, in bytes.
const MIN_UNDERLINE: usize = 3;

pub(super) fn marks(lines: TextLines<'_>) -> Marks<'_> {
    let mut reader = Reader {
        lines,
        marks: Marks::new(lines, &[]),
        styles: Vec::new(),
        entries: Vec::new(),
        lead: None,
        adorned: 0,
    };
    for (line, text) in numbered(lines) {
        if !text.trim().is_empty() && line > reader.adorned {
            reader.read(line, text);
        }
    }
    reader.marks
}

/// The adornment of a heading: its character, and whether there is also a line above.
type Style = (u8, bool);

struct Heading<'t> {
    style: Style,
    name: &'t str,
    last: u32,
}

struct Reader<'t> {
    lines: TextLines<'t>,
    marks: Marks<'t>,
    /// Styles in the order of their first use; each is one level.
    styles: Vec<Style>,
    /// Indentations of the open entries.
    entries: Vec<u32>,
    /// The first of the labels and empty directives above, which belong to the next section.
    lead: Option<u32>,
    /// The last line of the last heading.
    adorned: u32,
}

impl<'t> Reader<'t> {
    fn read(&mut self, line: u32, text: &'t str) {
        let start = self.lead.unwrap_or(line);
        if let Some(heading) = heading(self.lines, line) {
            self.adorned = heading.last;
            self.entries.clear();
            self.lead = None;
            let level = level(&mut self.styles, heading.style);
            let (name, kind) = (without_markup(heading.name), SectionKind::Section);
            self.marks.push_from(start, line, level, name, kind);
            return;
        }
        let indent = indent(text);
        let mut closed = None;
        while let Some(entry) = self.entries.pop_if(|entry| *entry >= indent) {
            closed = Some(entry);
        }
        let has_body = has_body(self.lines, line, indent);
        if let Some(name) = entry(text).filter(|_| has_body) {
            let kind = SectionKind::Entry;
            let level = ENTRY_LEVEL + indent;
            self.marks.push_from(start, line, level, name, kind);
            self.entries.push(indent);
        } else if let Some(closed) = closed {
            let level = ENTRY_LEVEL + closed;
            self.marks.push(line, level, "", SectionKind::Text);
        }
        let leads = text.starts_with(".. ") && !has_body;
        self.lead = leads.then_some(start);
    }
}

/// Replaces inline code and roles by their text: ``:mod:`~a.b` `` becomes `a.b`.
fn without_markup(name: &str) -> Cow<'_, str> {
    if !name.contains('`') {
        return Cow::Borrowed(name);
    }
    let mut plain = String::new();
    for part in name.split('`') {
        let text = part.strip_prefix('~').unwrap_or(part);
        let role = text.strip_suffix(':').and_then(|t| t.rsplit_once(':'));
        let before = role.filter(|(_, role)| !role.is_empty() && !role.contains(' '));
        plain.push_str(before.map_or(text, |(before, _)| before));
    }
    Cow::Owned(plain)
}

fn level(styles: &mut Vec<Style>, style: Style) -> u32 {
    let known = styles.iter().position(|known| *known == style);
    let at = known.unwrap_or_else(|| {
        styles.push(style);
        styles.len() - 1
    });
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Returns the heading whose first line is `line`.
fn heading(lines: TextLines<'_>, line: u32) -> Option<Heading<'_>> {
    if line > 1 && !lines.line(line - 1).trim().is_empty() && !is_label(lines.line(line - 1)) {
        return None;
    }
    let text = lines.line(line);
    let below = lines.line(line + 1);
    if let Some(over) = adornment(text) {
        let name = below.trim();
        let under = adornment(lines.line(line + 2));
        return (under == Some(over) && !name.is_empty() && adornment(below).is_none()).then_some(
            Heading {
                style: (over, true),
                name,
                last: line + 2,
            },
        );
    }
    let under = adornment(below)?;
    // A short underline below a long line is more likely a row of a table or a diagram.
    let is_long = below.trim_end().len() * 2 >= text.trim().len();
    let is_title = is_long && !text.is_empty() && !text.starts_with([' ', '\t', '.', '|', '+']);
    is_title.then(|| Heading {
        style: (under, false),
        name: text.trim(),
        last: line + 1,
    })
}

fn is_label(text: &str) -> bool {
    text.starts_with(".. ")
}

/// Returns the character of a line that consists of one punctuation character.
fn adornment(text: &str) -> Option<u8> {
    let text = text.trim_end();
    let first = *text.as_bytes().first()?;
    let is_line = first.is_ascii_punctuation() && text.bytes().all(|byte| byte == first);
    (is_line && text.len() >= MIN_UNDERLINE).then_some(first)
}

/// Whether the next non-blank line is further right.
fn has_body(lines: TextLines<'_>, line: u32, indent: u32) -> bool {
    // At most two blank lines or options precede a body in practice.
    let below = (line + 1..=line + 3).map(|line| lines.line(line));
    let first = below.into_iter().find(|text| !text.trim().is_empty());
    first.is_some_and(|text| self::indent(text) > indent)
}

/// Returns the name that a directive documents: `.. py:data:: NAME` and the like. Directives that take
/// their text from code (`autoclass`) belong to the surrounding prose.
fn entry(text: &str) -> Option<&str> {
    let (directive, name) = text.trim().strip_prefix(".. ")?.split_once("::")?;
    let directive = directive.rsplit(':').next()?;
    let documents = [
        "data", "confval", "setting", "option", "envvar", "function", "class", "method",
        "classmethod", "staticmethod", "attribute", "property", "exception", "decorator",
        "describe", "object", "macro", "type", "struct", "enum", "member", "django-admin",
        "templatefilter", "templatetag", "fieldlookup", "program-option",
    ]
    .contains(&directive);
    let name = name.trim();
    (documents && !name.is_empty()).then(|| cut(name, 120))
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use crate::testing::restructuredtext;

    #[test]
    fn heading_levels_follow_first_use_of_adornments() {
        let text = ".. _top:\n\n=====\nGuide\n=====\n\nIntro.\n\nInstall\n=======\n\nText::\n\n    Not a title\n    ===========\n\n.. setting:: A\n\n``A`` and :class:`~b.C`\n-----------------------\n\nAbout A.\n\nUsage\n=====\n\nEnd.\n";
        check(
            restructuredtext(),
            "a.rst",
            text,
            &[
                "1-8 section Guide",
                "9-16   section Guide > Install",
                "17-23     section Guide > Install > A and b.C",
                "24-27   section Guide > Usage",
            ],
        );
    }

    #[test]
    fn entries_are_sections_below_their_heading() {
        let text = "Values\n------\n\nThe following:\n\n.. py:data:: DEBUG\n\n    Whether to debug.\n\n.. py:data:: TESTING\n\n    Whether to test.\n\n    .. versionadded:: 1.0\n\nAfter them.\n\n.. autoclass:: Config\n   :members:\n\n.. class:: Box\n\n   A box.\n\n   .. method:: open()\n\n      Opens it.\n";
        check(
            restructuredtext(),
            "a.rst",
            text,
            &[
                "1-5 section Values",
                "6-9   entry Values > DEBUG",
                "10-15   entry Values > TESTING",
                "16-20   text Values",
                "21-24   entry Values > Box",
                "25-27     entry Values > Box > open()",
            ],
        );
    }
}

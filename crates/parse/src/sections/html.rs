//! Finds the sections of HTML and templates (headings, and elements with an id, by indentation) and of XML
//! (all elements).

use std::borrow::Cow;

use super::section::SectionKind;
use super::tree::{Marks, cut, indent, numbered};
use crate::lines::TextLines;

const COMMENTS: &[&str] = &["<!--", "{#"];
/// Level added to headings, so that they are below every element.
const HEADING_LEVEL: u32 = 1 << 20;
/// Longest part of a line that is searched for a tag, in bytes.
const MAX_TAG: usize = 1_000;
const MAX_NAME: usize = 80;

pub(super) fn marks(lines: TextLines<'_>) -> Marks<'_> {
    read(lines, |tag, column| {
        let is_page = matches!(tag.name, "html" | "head" | "body");
        let label = tag.attribute("id").map(|id| format!("#{id}"));
        match label {
            Some(label) => Some(label.into()),
            // Components and templates are split at their outermost elements.
            None if column == 0 && !is_page => Some(Cow::Borrowed(tag.name)),
            None => None,
        }
    })
}

/// Returns the marks of a document whose elements are its structure.
pub(super) fn element_marks(lines: TextLines<'_>) -> Marks<'_> {
    read(lines, |tag, _| {
        let label = tag.attribute("name").or_else(|| tag.attribute("id"));
        Some(match label {
            Some(label) => format!("{}[{label}]", tag.name).into(),
            None => Cow::Borrowed(tag.name),
        })
    })
}

fn read<'t>(
    lines: TextLines<'t>,
    name: impl Fn(&Tag<'t>, u32) -> Option<Cow<'t, str>>,
) -> Marks<'t> {
    let mut marks = Marks::new(lines, COMMENTS);
    let mut open = Open::default();
    for (line, text) in numbered(lines) {
        let column = indent(text);
        let short = cut(text, MAX_TAG + column as usize).trim_start();
        if let Some(end) = end_tag(short) {
            open.close(column, end);
            continue;
        }
        let heading = heading(lines, line);
        let tag = tag(short).filter(|tag| !tag.is_whole(short));
        let named = tag.and_then(|tag| Some((tag.end, name(&tag, column)?)));
        if let Some((level, words)) = heading {
            open.ended = None;
            marks.push(line, HEADING_LEVEL + level, words, SectionKind::Section);
        } else if let Some((end, name)) = named {
            open.begin(column, end);
            marks.push(line, column, cut_name(name), SectionKind::Element);
        } else if let Some(level) = open.ended.take_if(|_| !short.is_empty()) {
            marks.push(line, level, "", SectionKind::Text);
        }
    }
    marks
}

/// The elements that enclose a line.
#[derive(Default)]
struct Open<'t> {
    /// Their columns and the tags that end them.
    elements: Vec<(u32, &'t str)>,
    /// The column of the element that ended directly above.
    ended: Option<u32>,
}

impl<'t> Open<'t> {
    fn begin(&mut self, column: u32, end: &'t str) {
        self.ended = None;
        while self.elements.pop_if(|(c, _)| *c >= column).is_some() {}
        self.elements.push((column, end));
    }

    fn close(&mut self, column: u32, end: &str) {
        while self.elements.pop_if(|(c, _)| *c > column).is_some() {}
        let closed = self.elements.pop_if(|(c, e)| *c == column && *e == end);
        let outer = closed.map(|(column, _)| column);
        self.ended = outer.or(self.ended.filter(|ended| *ended > column));
    }
}

fn cut_name(name: Cow<'_, str>) -> Cow<'_, str> {
    match name.len() > MAX_NAME {
        true => Cow::Owned(cut(&name, MAX_NAME).to_owned()),
        false => name,
    }
}

/// An opening tag, or the block of a template.
struct Tag<'t> {
    name: &'t str,
    attributes: &'t str,
    end: &'t str,
}

impl<'t> Tag<'t> {
    /// Whether the element ends on its line, or has no end tag.
    fn is_whole(&self, line: &str) -> bool {
        let is_void = matches!(
            self.name,
            "area" | "base" | "br" | "col" | "hr" | "img" | "input" | "link" | "meta" | "source"
        );
        let is_closed = line.contains("</") || line.contains("{% end");
        is_void || is_closed || line.trim_end().ends_with("/>")
    }

    fn attribute(&self, key: &str) -> Option<&'t str> {
        let mut parts = self.attributes.split('=');
        let mut before = parts.next()?;
        for value in parts {
            if before.split_whitespace().next_back() == Some(key) {
                let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
                return value
                    .get(1..)?
                    .split(quote)
                    .next()
                    .filter(|v| !v.is_empty());
            }
            before = value;
        }
        None
    }
}

fn tag(text: &str) -> Option<Tag<'_>> {
    if let Some(block) = text.strip_prefix("{%") {
        let words = block.trim_start_matches('-').trim_start();
        let block = words
            .strip_prefix("block ")
            .or(words.strip_prefix("macro "));
        let name = block?
            .split(['%', '(', ' '])
            .find(|name| !name.is_empty())?;
        return Some(Tag {
            name,
            attributes: "",
            end: "block",
        });
    }
    let inside = text.strip_prefix('<')?;
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | ':' | '_' | '.');
    let end = inside.find(|c| !is_part(c)).unwrap_or(inside.len());
    let (name, rest) = inside.split_at_checked(end)?;
    let attributes = rest.split('>').next()?;
    name.starts_with(char::is_alphabetic).then_some(Tag {
        name,
        attributes,
        end: name,
    })
}

/// Returns the element that a line closes.
fn end_tag(text: &str) -> Option<&str> {
    if let Some(block) = text.strip_prefix("{%") {
        let word = block.trim_start_matches('-').trim_start();
        let ends = word.starts_with("endblock") || word.starts_with("endmacro");
        return ends.then_some("block");
    }
    let rest = text.strip_prefix("</")?;
    Some(rest.split(['>', ' ']).next().unwrap_or(rest))
}

/// Returns the heading that begins on a line: its level and words.
fn heading(lines: TextLines<'_>, line: u32) -> Option<(u32, String)> {
    let text = lines.line(line).trim_start();
    let level = text
        .strip_prefix(['<'])
        .and_then(|t| t.strip_prefix(['h', 'H']));
    let mut rest = level?.chars();
    let level = rest.next()?.to_digit(10).filter(|l| (1..=6).contains(l))?;
    if !matches!(rest.next(), Some('>' | ' ' | '\t') | None) {
        return None;
    }
    // The words may be on the next two lines.
    let joined = (line..line + 3).map(|line| cut(lines.line(line), MAX_TAG));
    let joined = joined.collect::<Vec<_>>().join(" ");
    let end = joined.find("</h").or_else(|| joined.find("</H"))?;
    let words = without_tags(joined.get(..end)?);
    (!words.is_empty()).then_some((level, words))
}

/// Returns the words outside of tags such as `<b>` and `{% … %}`.
fn without_tags(text: &str) -> String {
    let mut words = String::new();
    let mut until = None;
    let mut before = ' ';
    for c in text.chars() {
        match (until, c) {
            (None, '<') => until = Some('>'),
            (None, '%') if before == '{' => {
                words.pop();
                until = Some('}');
            }
            (None, _) => words.push(c),
            (Some(end), _) if c == end => until = None,
            _ => {}
        }
        before = c;
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use crate::testing::html;

    #[test]
    fn headings_and_elements_with_an_id_are_sections() {
        let text = "<!doctype html>\n<html>\n<body>\n  <nav id=\"top\">\n    <a>x</a>\n  </nav>\n  <p>Hi</p>\n  <main class='a' id='content'>\n    <h1>The <b>guide</b></h1>\n    <p>a</p>\n    <h2>\n      Install\n    </h2>\n    <p>b</p>\n  </main>\n</body>\n</html>\n";
        check(
            html(),
            "a.html",
            text,
            &[
                "1-3 text ",
                "4-6 element #top",
                "7-7 text ",
                "8-8 element #content",
                "9-10   section #content > The guide",
                "11-17     section #content > The guide > Install",
            ],
        );
    }

    #[test]
    fn components_and_templates_are_split() {
        let text = "<template>\n  <p>a</p>\n</template>\n\n<script>\nlet a;\n</script>\n";
        check(
            html(),
            "a.vue",
            text,
            &["1-4 element template", "5-7 element script"],
        );
        let text = "{% extends 'a' %}\n{% block title %}\n<hr>\n<h1>{% block x %}A{% endblock %}</h1>\n{% endblock %}\n<p>\nb\n</p>\nEnd.\n";
        let expected = [
            "1-1 text ", "2-3 element title", "4-5   section title > A", "6-8 element p",
            "9-9 text ",
        ];
        check(html(), "a.html", text, &expected);
    }

    #[test]
    fn xml_elements_nest() {
        let text = "<project>\n  <name>a</name>\n  <deps>\n    <dep>\n      <id>x</id>\n    </dep>\n  </deps>\n</project>\n";
        check(
            html(),
            "pom.xml",
            text,
            &[
                "1-2 element project",
                "3-3   element project > deps",
                "4-8     element project > deps > dep",
            ],
        );
    }
}

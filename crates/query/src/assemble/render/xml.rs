//! Renders XML: an element per file and one per entry in it, with code in CDATA if it contains markup.

use foveate_model::escape::escape;

use crate::assemble::entry::{Entry, Layout, Scope, SectionKind};

pub(super) fn section(section: SectionKind) -> (String, String) {
    (
        format!("<{}>\n", section.name()),
        format!("</{}>\n", section.name()),
    )
}

pub(super) fn file(path: &str) -> (String, String) {
    let mut open = "<file path=\"".to_owned();
    attribute(&mut open, &escape(path));
    open.push_str("\">\n");
    (open, "</file>\n".to_owned())
}

pub(super) fn scope(scope: &Scope) -> String {
    let mut text = format!("<scope line=\"{}\">", scope.line);
    content(&mut text, &scope.text);
    text.push_str("</scope>\n");
    text
}

pub(super) fn entry(entry: &Entry) -> String {
    let tag = entry.section.item();
    let mut text = entry.text_with_capacity();
    text.push('<');
    text.push_str(tag);
    entry.for_each_property(|name, value| {
        text.push(' ');
        text.push_str(name);
        text.push_str("=\"");
        attribute(&mut text, value);
        text.push('"');
    });
    text.push('>');
    let gap = if entry.layout == Layout::Block {
        "\n"
    } else {
        ""
    };
    text.push_str(gap);
    content(&mut text, &entry.body);
    text.push_str(gap);
    text.push_str("</");
    text.push_str(tag);
    text.push_str(">\n");
    text
}

/// Appends code, in CDATA if it contains markup: entities would change what the reader sees and cost tokens.
fn content(out: &mut String, body: &str) {
    let has_markup = memchr::memchr2(b'<', b'&', body.as_bytes()).is_some();
    if !has_markup && !body.contains("]]>") {
        return out.push_str(body);
    }
    out.push_str("<![CDATA[");
    let mut parts = body.split("]]>");
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        out.push_str("]]]]><![CDATA[>");
        out.push_str(part);
    }
    out.push_str("]]>");
}

/// Appends an attribute value. It is escaped already, so every character of it is valid in XML.
fn attribute(out: &mut String, value: &str) {
    for c in value.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
}

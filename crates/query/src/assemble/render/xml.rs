//! XML: one element per entry, code in CDATA where it holds markup.

use super::{Entry, SectionKind, Shape};

pub(super) fn section(section: SectionKind) -> (String, String) {
    (
        format!("<{}>\n", section.name()),
        format!("</{}>\n", section.name()),
    )
}

pub(super) fn entry(entry: &Entry) -> String {
    let tag = entry.section.item();
    let mut text = format!("<{tag}");
    for (name, value) in entry.properties() {
        text.push_str(&format!(" {name}=\"{}\"", attribute(&value)));
    }
    text.push('>');
    let gap = if entry.shape == Shape::Block {
        "\n"
    } else {
        ""
    };
    text.push_str(gap);
    text.push_str(&content(&entry.body));
    text.push_str(gap);
    text.push_str(&format!("</{tag}>\n"));
    text
}

/// Code stays as it is where it can: entities would change what the reader sees and cost tokens.
fn content(body: &str) -> String {
    if !body.contains(['<', '&']) && !body.contains("]]>") {
        return body.to_owned();
    }
    format!("<![CDATA[{}]]>", body.replace("]]>", "]]]]><![CDATA[>"))
}

fn attribute(value: &str) -> String {
    let mut escaped = String::with_capacity(value.len());
    for c in value.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' => escaped.push_str("&#9;"),
            '\n' => escaped.push_str("&#10;"),
            '\r' => escaped.push_str("&#13;"),
            // XML has no way to write these at all.
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

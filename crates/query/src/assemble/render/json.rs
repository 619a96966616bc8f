//! JSON: `{"intent": …, "confidence": …, "sections": [{"name": …, "items": [{…}]}]}`, one item a
//! line. Written by hand, since every piece is counted alone; each list element ends with `,\n` and
//! the last comma is taken off when the list is closed.

use std::fmt::Write;

use foveate_model::escape::is_unsafe;

use super::{Entry, Piece, SectionKind};
use crate::intent::Intent;

pub(super) fn header(intent: &Intent) -> (String, String) {
    let open = format!(
        "{{\"intent\":\"{}\",\"confidence\":{:.2},\"sections\":[\n",
        intent.kind.name(),
        intent.confidence
    );
    (open, "]}\n".to_owned())
}

pub(super) fn section(section: SectionKind) -> (String, String) {
    (
        format!("{{\"name\":\"{}\",\"items\":[\n", section.name()),
        "]},\n".to_owned(),
    )
}

pub(super) fn entry(entry: &Entry) -> String {
    let mut text = entry.room();
    text.push('{');
    entry.for_each_property(|name, value| {
        string(&mut text, name);
        text.push(':');
        string(&mut text, value);
        text.push(',');
    });
    text.push_str("\"text\":");
    string(&mut text, &entry.body);
    text.push_str("},\n");
    text
}

/// Takes the comma after the last element off.
pub(super) fn end_list(last: &mut Piece<'_>) {
    if let Some(element) = last.text.strip_suffix(",\n") {
        *last = Piece::new(format!("{element}\n"));
    }
}

fn string(out: &mut String, value: &str) {
    out.push('"');
    for c in value.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if is_unsafe(c) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    // Writing to a string cannot fail.
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

//! Renders JSON: `{"intent": …, "confidence": …, …, "sections": [{"name": …, "items": [{…}]}]}`, one item per
//! line. It is written by hand, because the tokens of each piece are counted separately. Each list element ends
//! with `,\n`; the last comma is removed when the list is closed.

use std::fmt::Write;

use foveate_model::escape::{escape, is_unsafe};

use super::parts::{Head, HeadFigures, Piece};
use crate::assemble::entry::{Entry, SectionKind};

pub(super) fn header(head: &Head<'_>, figures: HeadFigures) -> (String, String) {
    let mut open = format!(
        "{{\"intent\":\"{}\",\"confidence\":{:.2},",
        head.intent.kind.name(),
        figures.confidence
    );
    if let Some(advice) = figures.advice {
        open.push_str("\"low_confidence\":");
        string(&mut open, advice);
        open.push(',');
    }
    for (name, value) in [
        ("repo", head.repo),
        ("commit", head.commit),
        ("base", head.base),
    ] {
        if !value.is_empty() {
            string(&mut open, name);
            open.push(':');
            string(&mut open, value);
            open.push(',');
        }
    }
    if head.changed_files > 0 {
        let _ = write!(open, "\"changed_files\":{},", head.changed_files);
    }
    let _ = writeln!(
        open,
        "\"tokens\":{},\"budget\":{},\"left_out\":{},\"sections\":[",
        figures.used, head.budget, figures.left_out
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
    let mut text = entry.text_with_capacity();
    text.push_str("{\"path\":");
    string(&mut text, &escape(&entry.path));
    text.push(',');
    if let Some(scope) = &entry.scope {
        text.push_str("\"scope\":");
        string(&mut text, &scope.text);
        text.push(',');
    }
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

/// Removes the comma after the last element.
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

//! Renders entries as text in three formats: a head, then sections, their files, and the entries of each
//! file in the order of their lines, with methods under the line of their class. Contents are untrusted:
//! nothing in them may end the markup around them, and paths and names are escaped. Every rendered piece
//! begins with a punctuation mark and ends with a line end, so that the counts of the pieces add up to the
//! count of the whole except for a few tokens.

mod json;
mod markdown;
pub(super) mod parts;
mod xml;

pub(crate) use self::markdown::fence;
pub use self::markdown::inline as inline_code;
use self::parts::{Head, HeadFigures, Piece};
use super::entry::{Entry, Scope, SectionKind};

use foveate_model::escape::escape;

use crate::permalink::Permalinks;
use crate::request::Format;

/// Returns the text before the first section and the text after the last.
pub(super) fn header(format: Format, head: &Head<'_>, figures: HeadFigures) -> (String, String) {
    match format {
        Format::Xml | Format::Markdown => (comment(head, figures), String::new()),
        Format::Json => json::header(head, figures),
    }
}

fn comment(head: &Head<'_>, figures: HeadFigures) -> String {
    let mut text = format!(
        "intent: {}, confidence: {:.2}",
        head.intent.kind.name(),
        figures.confidence
    );
    if let Some(advice) = figures.advice {
        text.push_str(&format!(" (low: {advice})"));
    }
    for (name, value) in [
        ("repo", head.repo),
        ("commit", head.commit),
        ("base", head.base),
    ] {
        if !value.is_empty() {
            text.push_str(&format!(", {name}: {}", escape(value)));
        }
    }
    if head.changed_files > 0 {
        text.push_str(&format!(", changed files: {}", head.changed_files));
    }
    text.push_str(&format!(
        ", tokens: {} of {}, left out: {}",
        figures.used, head.budget, figures.left_out
    ));
    // Two hyphens would end the comment.
    format!("<!-- {} -->\n", text.replace("--", "-\u{2010}"))
}

/// Returns the text before and after the entries of a section. Sections after the first may be collapsed.
pub(super) fn section(format: Format, section: SectionKind, is_first: bool) -> (String, String) {
    match format {
        Format::Xml => xml::section(section),
        Format::Markdown => markdown::section(section, is_first),
        Format::Json => json::section(section),
    }
}

/// Returns the text before and after the entries of a file.
pub(super) fn file(format: Format, path: &str, links: Option<&Permalinks>) -> (String, String) {
    match format {
        Format::Xml => xml::file(path),
        Format::Markdown => (markdown::file(path, links), String::new()),
        // Each item has its path.
        Format::Json => (String::new(), String::new()),
    }
}

/// Returns the line of a class above its methods.
pub(super) fn scope(format: Format, scope: &Scope) -> String {
    match format {
        Format::Xml => xml::scope(scope),
        Format::Markdown => markdown::scope(scope),
        Format::Json => String::new(),
    }
}

/// Renders one entry.
pub(super) fn entry(format: Format, entry: &Entry, links: Option<&Permalinks>) -> String {
    match format {
        Format::Xml => xml::entry(entry),
        Format::Markdown => markdown::entry(entry, links),
        Format::Json => json::entry(entry),
    }
}

/// Returns the pieces of the whole text, made from the rendered pieces of each section. Empty pieces are
/// removed.
pub(super) fn compose<'a>(
    format: Format,
    (start, end): (String, String),
    sections: Vec<(SectionKind, Vec<Piece<'a>>)>,
) -> Vec<Piece<'a>> {
    let mut pieces = vec![Piece::new(start)];
    let end_list = |pieces: &mut Vec<Piece<'a>>| {
        if let (Format::Json, Some(last)) = (format, pieces.last_mut()) {
            json::end_list(last);
        }
    };
    for (position, (kind, entries)) in sections.into_iter().enumerate() {
        let (open, close) = section(format, kind, position == 0);
        pieces.push(Piece::new(open));
        pieces.extend(entries.into_iter().filter(|piece| !piece.text.is_empty()));
        end_list(&mut pieces);
        pieces.push(Piece::new(close));
    }
    end_list(&mut pieces);
    pieces.push(Piece::new(end));
    pieces.retain(|piece| !piece.text.is_empty());
    pieces
}

//! Encodes and decodes positions inside a file (spans, lines, ids of definitions) and flags.

use foveate_model::{Lines, LocalId, Span};

use super::bytes::{Decoder, Encoder};

/// Delta coder for a list of positions: each is stored as its difference from the previous one.
#[derive(Default)]
pub(super) struct Deltas {
    at: u32,
    line: u32,
}

impl Deltas {
    pub(super) fn put_span(&mut self, out: &mut Encoder, span: Span) {
        out.difference(self.at, span.start);
        out.difference(span.start, span.end);
        self.at = span.start;
    }

    pub(super) fn take_span(&mut self, rest: &mut Decoder<'_>) -> Option<Span> {
        let start = rest.difference(self.at)?;
        self.at = start;
        let end = rest.difference(start)?;
        Some(Span { start, end })
    }

    pub(super) fn put_line(&mut self, out: &mut Encoder, line: u32) {
        out.difference(self.line, line);
        self.line = line;
    }

    pub(super) fn take_line(&mut self, rest: &mut Decoder<'_>) -> Option<u32> {
        self.line = rest.difference(self.line)?;
        Some(self.line)
    }

    pub(super) fn put_lines(&mut self, out: &mut Encoder, lines: Lines) {
        self.put_line(out, lines.start);
        out.difference(lines.start, lines.end);
    }

    pub(super) fn take_lines(&mut self, rest: &mut Decoder<'_>) -> Option<Lines> {
        let start = self.take_line(rest)?;
        let end = rest.difference(start)?;
        Some(Lines { start, end })
    }
}

/// Writes a list of items with positions.
pub(super) fn put_places<T>(
    out: &mut Encoder,
    items: &[T],
    mut item: impl FnMut(&mut Encoder, &mut Deltas, &T),
) {
    let mut deltas = Deltas::default();
    out.list(items, |out, each| item(out, &mut deltas, each));
}

/// Reads what [`put_places`] wrote.
pub(super) fn take_places<T>(
    rest: &mut Decoder<'_>,
    mut item: impl FnMut(&mut Decoder<'_>, &mut Deltas) -> Option<T>,
) -> Option<Vec<T>> {
    let mut deltas = Deltas::default();
    rest.list(|rest| item(rest, &mut deltas))
}

pub(super) fn put_id(out: &mut Encoder, id: Option<LocalId>) {
    out.number(id.map_or(0, |id| u64::from(id.0) + 1));
}

pub(super) fn take_id(rest: &mut Decoder<'_>) -> Option<Option<LocalId>> {
    let number = rest.number()?;
    match number.checked_sub(1) {
        None => Some(None),
        Some(id) => Some(Some(LocalId(u32::try_from(id).ok()?))),
    }
}

pub(super) fn put_optional_span(out: &mut Encoder, deltas: &mut Deltas, span: Option<Span>) {
    out.byte(u8::from(span.is_some()));
    if let Some(span) = span {
        deltas.put_span(out, span);
    }
}

pub(super) fn take_optional_span(
    rest: &mut Decoder<'_>,
    deltas: &mut Deltas,
) -> Option<Option<Span>> {
    Some(if take_flag(rest)? {
        Some(deltas.take_span(rest)?)
    } else {
        None
    })
}

/// Reads a boolean.
pub(super) fn take_flag(rest: &mut Decoder<'_>) -> Option<bool> {
    match rest.byte()? {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

//! Cuts stack traces out of a run of lines.

use std::ops::Range;

use foveate_parse::traces::{self, Frame, Mark, Order};

/// A stretch of lines: part of a trace, or not.
#[derive(Debug)]
pub(super) enum Piece<'a> {
    /// Lines that are no trace, by their positions.
    Plain(Range<usize>),
    /// A trace.
    Trace(Trace<'a>),
}

/// One stack trace (several, where one was raised while handling another).
#[derive(Debug, Default)]
pub(super) struct Trace<'a> {
    /// Outermost first.
    pub frames: Vec<Frame>,
    /// Lines of source code and headers, frames and errors left out.
    pub source: Vec<&'a str>,
    /// The error lines.
    pub errors: Vec<&'a str>,
    /// Frames of the run that is being read, as printed.
    run: Vec<Frame>,
    order: Option<Order>,
    /// The line of source that may name the function of a `Location`.
    before: Option<&'a str>,
}

/// Splits lines into traces and the rest.
pub(super) fn split<'a>(lines: &[&'a str]) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    // Where the lines that are no trace begin.
    let mut plain = 0;
    let mut i = 0;
    let marks: Vec<Option<Mark>> = lines.iter().map(|line| traces::read(line)).collect();
    // For each line the next one that is not blank: traces may be double spaced.
    let mut next_filled = vec![lines.len(); lines.len() + 1];
    for at in (0..lines.len()).rev() {
        let blank = lines.get(at).is_none_or(|line| line.trim().is_empty());
        let next = if blank {
            next_filled.get(at + 1).copied().unwrap_or(lines.len())
        } else {
            at
        };
        if let Some(slot) = next_filled.get_mut(at) {
            *slot = next;
        }
    }
    let filled_after = |at: usize| next_filled.get(at + 1).copied().unwrap_or(lines.len());
    let mark = |at: usize| marks.get(at).and_then(Option::as_ref);
    while let Some(line) = lines.get(i) {
        let opens = match mark(i) {
            Some(Mark::Header | Mark::Frame(..) | Mark::Location(_)) => true,
            Some(Mark::Error) => matches!(
                mark(filled_after(i)),
                Some(Mark::Frame(_, Order::InnermostFirst) | Mark::Header)
            ),
            // The function of a frame whose place is on the next line.
            _ => matches!(mark(i + 1), Some(Mark::Location(_))) && !line.trim().is_empty(),
        };
        if !opens {
            i += 1;
            continue;
        }
        if plain < i {
            pieces.push(Piece::Plain(plain..i));
        }
        let mut trace = Trace::default();
        i = read_trace(lines, &marks, &next_filled, i, &mut trace);
        trace.finish_run();
        pieces.push(Piece::Trace(trace));
        plain = i;
    }
    if plain < lines.len() {
        pieces.push(Piece::Plain(plain..lines.len()));
    }
    pieces
}

/// Reads a trace from line `start`; gives the line after it.
fn read_trace<'a>(
    lines: &[&'a str],
    marks: &[Option<Mark>],
    next_filled: &[usize],
    start: usize,
    trace: &mut Trace<'a>,
) -> usize {
    let mark = |at: usize| marks.get(at).and_then(Option::as_ref);
    let filled_from = |at: usize| next_filled.get(at).copied().unwrap_or(lines.len());
    let mut i = start;
    let mut after_frame = false;
    let mut after_header = false;
    while let Some(line) = lines.get(i) {
        if line.trim().is_empty() {
            // A gap belongs to the trace where the trace goes on after it.
            let next = filled_from(i);
            let goes_on = match mark(next) {
                Some(Mark::Filler) | None => is_numbered(lines.get(next)),
                Some(_) => true,
            };
            if !goes_on {
                return i;
            }
            i = next;
            continue;
        }
        match mark(i) {
            Some(Mark::Header | Mark::Joint) => {
                trace.finish_run();
                after_header = true;
                after_frame = false;
            }
            Some(Mark::Frame(found, order)) => {
                trace.push(found.clone(), *order);
                after_frame = *order == Order::OutermostFirst;
                after_header = true;
            }
            Some(Mark::Location(found)) => {
                trace.place(found.clone());
                after_frame = false;
                after_header = true;
            }
            Some(Mark::Arrow(number)) => {
                if let Some(last) = trace.run.last_mut().filter(|last| last.line == 0) {
                    last.line = *number;
                }
                trace.source.push(code_of(line));
            }
            Some(Mark::Filler) => {}
            Some(Mark::Error) => {
                // Java's `Caused by:` starts a run of its own, nearer to the cause.
                if trace.order == Some(Order::InnermostFirst) {
                    trace.finish_run();
                }
                trace.errors.push(traces::error_text(line));
                after_frame = false;
            }
            None if after_frame || line.starts_with([' ', '\t']) || is_numbered(Some(line)) => {
                trace.source.push(code_of(line));
                after_frame = false;
            }
            None if matches!(mark(i + 1), Some(Mark::Location(_))) => trace.before = Some(line),
            None if after_header && trace.errors.is_empty() && looks_like_error(line) => {
                trace.errors.push(traces::error_text(line));
                return i + 1;
            }
            None => return i,
        }
        i += 1;
    }
    i
}

impl<'a> Trace<'a> {
    fn push(&mut self, frame: Frame, order: Order) {
        if self.order.is_some_and(|known| known != order) {
            self.finish_run();
        }
        self.order = Some(order);
        self.run.push(frame);
    }

    /// A place whose function stands on the line before.
    fn place(&mut self, mut frame: Frame) {
        let named = self.before.take().or_else(|| self.source.pop());
        if let Some(line) = named {
            frame.function = function_of(line);
        }
        self.push(frame, Order::InnermostFirst);
    }

    fn finish_run(&mut self) {
        if self.order.take() == Some(Order::InnermostFirst) {
            self.run.reverse();
        }
        self.frames.append(&mut self.run);
    }
}

/// `pkg.(*Client).Dial(0xc0…)` to `Client.Dial`; `  3: app::pool::Pool::get` to `Pool.get`.
fn function_of(line: &str) -> String {
    let line = line.trim().trim_start_matches("created by ");
    let line = match line.split_once(": ") {
        Some((number, rest)) if number.bytes().all(|b| b.is_ascii_digit()) => rest,
        _ => line,
    };
    // Arguments are in the last parentheses; those of a receiver are before a dot.
    let line = match line.rfind('(') {
        Some(at) if line.ends_with(')') || line.ends_with("...)") => line.get(..at).unwrap_or(line),
        _ => line,
    };
    let line = line.rsplit('/').next().unwrap_or(line);
    let plain: String = line
        .replace("::", ".")
        .chars()
        .filter(|c| !matches!(c, '(' | ')' | '*' | '<' | '>' | '&'))
        .collect();
    let parts: Vec<&str> = plain
        .split('.')
        .filter(|p| !p.is_empty() && !p.starts_with("{{"))
        .collect();
    // The first part is the package (Go) or the crate (Rust).
    let parts = if parts.len() > 1 {
        parts.get(1..).unwrap_or_default()
    } else {
        parts.as_slice()
    };
    parts
        .get(parts.len().saturating_sub(2)..)
        .unwrap_or_default()
        .join(".")
}

/// A line of source that IPython numbered.
fn is_numbered(line: Option<&&str>) -> bool {
    line.is_some_and(|line| {
        let trimmed = line.trim_start();
        let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
        digits > 0
            && line.len() > trimmed.len()
            && trimmed
                .get(digits..)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    })
}

/// The code of a numbered or marked line.
fn code_of(line: &str) -> &str {
    line.trim_start_matches(|c: char| {
        c == '-' || c == '>' || c.is_whitespace() || c.is_ascii_digit()
    })
    .trim_end()
}

/// A line after the frames that is an error although its class is not named like one.
fn looks_like_error(line: &str) -> bool {
    let class = line.split(':').next().unwrap_or("");
    !class.is_empty()
        && class.len() < 80
        && class
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '.' | '_'))
        && class
            .rsplit('.')
            .next()
            .is_some_and(|name| name.starts_with(char::is_uppercase))
        && (line.contains(": ") || class.len() == line.trim_end().len())
}

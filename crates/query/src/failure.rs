//! Collects the failures of a CI job from its test reports ([`junit`]) and its log ([`log`]), and writes the
//! question that asks about them. The input is untrusted: sizes, depths and counts are bounded, and nothing is
//! executed, looked up or expanded. Start at [`Failures`].

pub mod junit;
mod lines;
pub mod log;

#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use crate::assemble::fence;

/// Maximum bytes of a question about failures: a quarter of what a server accepts by default, so that the text of
/// an issue fits too.
pub const MAX_BYTES: usize = 65_536;
/// Maximum failures that are kept with their traces.
const MAX_KEPT: usize = 100;
/// Maximum bytes of one trace that are kept.
const MAX_TRACE_BYTES: usize = 32_768;
/// Smallest share of the question's bytes for one failure. Shares keep one long trace from hiding all others.
const MIN_SHARE_BYTES: usize = 2_048;
/// Maximum shares that the bytes of the question are divided into; further failures are shown if space is left.
const MAX_SHARES: usize = 8;
/// Maximum bytes of a name or a message.
const MAX_LINE_BYTES: usize = 400;

/// A failed test, or an error of a build.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failure {
    /// The name of the test, with its class or module where known: `tests.test_cart.test_total`. Empty for an
    /// error outside tests.
    pub test: String,
    /// The file of the test as written in the report; empty if it names none.
    pub file: String,
    /// The 1-based line of the test in its file, 0 if unknown.
    pub line: u32,
    /// The first line of the error.
    pub message: String,
    /// The output of the tool: trace, source, difference.
    pub trace: String,
}

/// Failures without duplicates, in the order in which they were read.
#[derive(Clone, Debug, Default)]
pub struct Failures {
    kept: Vec<Failure>,
    total: usize,
}

impl Failures {
    /// Adds a failure, unless it is a duplicate. Only the first ones are kept; all are counted.
    pub fn add(&mut self, mut failure: Failure) {
        if self.kept.len() == MAX_KEPT {
            self.total += 1;
            return;
        }
        for line in [&mut failure.test, &mut failure.file, &mut failure.message] {
            *line = first_line(line);
        }
        failure.trace = cut_middle(&failure.trace, MAX_TRACE_BYTES);
        let from_trace = (failure.message.is_empty()).then(|| main_error(&failure.trace));
        failure.message = from_trace.unwrap_or(failure.message);
        let is_same = |kept: &Failure| {
            kept.test == failure.test
                && kept.message == failure.message
                && kept.trace == failure.trace
        };
        if !self.kept.iter().any(is_same) {
            self.total += 1;
            self.kept.push(failure);
        }
    }

    /// Adds the failures of another list after these.
    pub fn append(&mut self, others: Self) {
        let dropped = others.total - others.kept.len();
        for failure in others.kept {
            self.add(failure);
        }
        self.total += dropped;
    }

    /// Returns how many were added.
    pub fn total(&self) -> usize {
        self.total
    }

    /// Returns the first failures, those that were kept.
    pub fn kept(&self) -> &[Failure] {
        &self.kept
    }

    /// Returns the text that asks about the failures, of at most `max_bytes`, and how many of them it shows. Its first
    /// line is a title, unless all that is known is a trace; traces stand between fences.
    pub fn question(&self, max_bytes: usize) -> (String, usize) {
        let Some(first) = self.kept.first() else {
            return (String::new(), 0);
        };
        let mut text = match short_name(&first.test) {
            // The trace has the message, too. As a title, its words would count for more than the place.
            "" if first.trace.contains(&first.message) => String::new(),
            "" => format!("{}\n", first.message),
            name => format!("{name} fails: {}\n", first.message),
        };
        let share = (max_bytes / self.kept.len().min(MAX_SHARES)).max(MIN_SHARE_BYTES);
        let mut shown = 0;
        for failure in &self.kept {
            let block = failure.block(share);
            if text.len() + block.len() > max_bytes {
                break;
            }
            text.push_str(&block);
            shown += 1;
        }
        (text, shown)
    }
}

impl Failure {
    /// Returns a paragraph about the failure and its trace, of at most about `max_bytes`.
    fn block(&self, max_bytes: usize) -> String {
        let mut text = String::from("\n");
        // Writing to a string does not fail.
        if !self.test.is_empty() {
            let _ = write!(text, "`{}` fails", self.test.replace('`', "'"));
            if !self.file.is_empty() {
                let _ = write!(text, " in {}", self.file);
            }
            if !self.file.is_empty() && self.line > 0 {
                let _ = write!(text, ":{}", self.line);
            }
            text.push_str(".\n\n");
        }
        let room = max_bytes.saturating_sub(text.len() + self.message.len());
        let trace = cut_middle(&self.trace, room);
        if !self.message.is_empty() && !trace.contains(&self.message) {
            let _ = writeln!(text, "{}\n", self.message);
        }
        if trace.trim().is_empty() {
            return text;
        }
        let fence = fence(&trace);
        let _ = writeln!(text, "{fence}\n{}\n{fence}", trace.trim_end());
        text
    }
}

/// Returns the first line that is not blank, cut to [`MAX_LINE_BYTES`].
fn first_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    let line = line.unwrap_or_default();
    line[..line.floor_char_boundary(MAX_LINE_BYTES)].to_owned()
}

/// Returns the name of a test without its class or module; a sentence is returned unchanged.
fn short_name(test: &str) -> &str {
    // Brackets hold the parameters of the test.
    let end = test.find(['[', '(']).unwrap_or(test.len());
    let name = test.get(..end).unwrap_or(test);
    match name.rsplit(['.', ':', '/']).next() {
        Some(last) if !name.contains(' ') && !last.is_empty() => last,
        _ => test,
    }
}

/// Returns the error that matters most in a trace, else the first line: of compiler messages the first error, of a
/// stack trace the last one, which is the cause.
fn main_error(trace: &str) -> String {
    use foveate_parse::traces::{self, Mark, Piece};
    let lines: Vec<&str> = trace.lines().collect();
    let found = traces::pieces(&lines).into_iter().find_map(|piece| {
        let Piece::Trace(trace) = piece else {
            return None;
        };
        let first = lines
            .get(trace.lines.start)
            .and_then(|line| traces::read(line));
        let mut errors = trace.errors.into_iter();
        match first {
            Some(Mark::Message(_)) => errors.next(),
            _ => errors.next_back(),
        }
    });
    first_line(found.as_deref().unwrap_or(trace))
}

/// Cuts a text that is longer than `max_bytes` in the middle. The first and the last lines stay: which of them matter
/// depends on the language.
fn cut_middle(text: &str, max_bytes: usize) -> String {
    const MARK: &str = "...\n";
    if text.len() <= max_bytes {
        return text.to_owned();
    }
    let half = max_bytes.saturating_sub(MARK.len()) / 2;
    let head = &text[..text.floor_char_boundary(half)];
    let head = head.rfind('\n').map_or(head, |end| &head[..=end]);
    let start = text.ceil_char_boundary(text.len() - half);
    let tail = text.get(start..).unwrap_or_default();
    let tail = tail.split_once('\n').map_or(tail, |(_, rest)| rest);
    let gap = if head.ends_with('\n') { "" } else { "\n" };
    format!("{head}{gap}{MARK}{tail}")
}

//! Finds the failures in the log of a CI job, of any size and in bounded memory: lines are read once, in blocks.
//! [`foveate_parse::traces`] recognises traces and compiler errors. If a log says which steps failed, only those
//! steps count; if nothing is recognised, the last lines are returned.

use std::collections::VecDeque;
use std::io::{self, BufRead};
use std::ops::Range;
use std::sync::LazyLock;

use foveate_parse::traces::{self, Mark, Piece};
use regex::Regex;

use super::lines::{Cleaner, LogLine};
use super::{Failure, Failures};
use crate::log_prefix::{self, is_number};

/// Maximum bytes that are read of a line; the rest is skipped.
const MAX_LINE: usize = 4_000;
/// Lines of a block. A trace across the end of a block is read with the next one, unless it fills half of a block.
const BLOCK_LINES: usize = 4_000;
/// Lines needed after a line to decide whether it belongs to a trace.
const LOOK_AHEAD: usize = 16;
/// Lines before a trace that are searched for the heading of the test.
const MAX_HEAD: usize = 60;
/// Lines before a trace that are kept if there is no such heading.
const LINES_BEFORE: usize = 3;
/// Lines that are kept if nothing is recognised.
const TAIL_LINES: usize = 60;

/// The result of reading a log.
#[derive(Clone, Debug, Default)]
pub struct LogReport {
    /// Traces and errors of compilers.
    pub failures: Failures,
    /// If there are no failures, the last lines of the last failed step, or of the log; else empty.
    pub tail: String,
    /// Whether these lines report success and nothing else.
    pub has_succeeded: bool,
}

/// Reads a log to its end.
///
/// # Errors
/// When the log cannot be read.
pub fn read(mut log: impl BufRead) -> io::Result<LogReport> {
    let mut reading = Reading::default();
    let mut cleaner = Cleaner::default();
    let mut raw = Vec::new();
    while next_line(&mut log, &mut raw)? {
        let (is_new_step, line) = cleaner.line(&String::from_utf8_lossy(&raw));
        if is_new_step {
            reading.end_step();
        }
        match line {
            LogLine::Step => reading.end_step(),
            LogLine::Mark => {}
            LogLine::Text(text) => reading.push(text),
            LogLine::Failed(message) => {
                reading.step.has_failed = true;
                reading.push(message);
            }
        }
    }
    reading.end_step();
    Ok(reading.found())
}

/// Reads a line without its line end into `line`, at most [`MAX_LINE`] bytes; returns false at the end of the log.
fn next_line(log: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let mut is_any = false;
    loop {
        let buffer = log.fill_buf()?;
        if buffer.is_empty() {
            return Ok(is_any);
        }
        is_any = true;
        let end = memchr::memchr(b'\n', buffer);
        let part = end.map_or(buffer, |end| buffer.get(..end).unwrap_or_default());
        let room = MAX_LINE.saturating_sub(line.len()).min(part.len());
        line.extend_from_slice(part.get(..room).unwrap_or_default());
        let used = end.map_or(buffer.len(), |end| end + 1);
        log.consume(used);
        if end.is_some() {
            return Ok(true);
        }
    }
}

/// A step of the job.
#[derive(Default)]
struct Step {
    has_failed: bool,
    failures: Failures,
    tail: VecDeque<String>,
}

/// The position of a block of lines in its step, which decides whether a trace may continue in the next block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    Inner,
    Last,
}

/// The state of reading a log.
#[derive(Default)]
struct Reading {
    /// Lines to search, after `searched` lines of context.
    block: Vec<String>,
    /// How many lines at the start of the block were searched before; they are kept as context of a trace.
    searched: usize,
    step: Step,
    /// Failures and tail of the steps that failed.
    failed: Option<Step>,
    /// Failures and tail of all other steps.
    others: Step,
}

impl Reading {
    fn push(&mut self, text: String) {
        if !text.trim().is_empty() {
            if self.step.tail.len() == TAIL_LINES {
                self.step.tail.pop_front();
            }
            self.step.tail.push_back(text.clone());
        }
        self.block.push(text);
        if self.block.len() >= BLOCK_LINES {
            self.search(Block::Inner);
        }
    }

    /// Searches the block and keeps the lines that the next one needs.
    fn search(&mut self, block: Block) {
        let lines = log_prefix::strip(self.block.iter().map(String::as_str).collect());
        let pieces = traces::pieces(&lines);
        let ahead = match block {
            Block::Inner => LOOK_AHEAD,
            Block::Last => 0,
        };
        let decided = lines.len().saturating_sub(ahead);
        let mut keep = decided;
        let mut previous = 0;
        for piece in &pieces {
            let Piece::Trace(trace) = piece else {
                continue;
            };
            let Range { start, end } = trace.lines;
            if start < self.searched {
                continue;
            }
            let continues = block == Block::Inner && end > decided && start > BLOCK_LINES / 2;
            if continues || start >= decided {
                keep = keep.min(start);
                break;
            }
            if let Some(failure) = failure(&lines, trace, previous) {
                self.step.failures.add(failure);
            }
            previous = end;
        }
        keep = keep.max(previous);
        let before = keep.saturating_sub(MAX_HEAD).max(previous);
        self.searched = keep - before;
        self.block.drain(..before);
    }

    fn end_step(&mut self) {
        self.search(Block::Last);
        self.block.clear();
        self.searched = 0;
        let step = std::mem::take(&mut self.step);
        let into = match step.has_failed {
            true => self.failed.get_or_insert_default(),
            false => &mut self.others,
        };
        into.failures.append(step.failures);
        if !step.tail.is_empty() {
            into.tail = step.tail;
        }
    }

    fn found(self) -> LogReport {
        let has_failed_step = self.failed.is_some();
        let step = self.failed.unwrap_or(self.others);
        let tail = match step.failures.total() {
            0 => Vec::from(step.tail).join("\n"),
            _ => String::new(),
        };
        LogReport {
            failures: step.failures,
            has_succeeded: !has_failed_step && reports_success(&tail),
            tail,
        }
    }
}

/// Whether a line of a text is the success of a test runner or build tool, and no line speaks of a failure.
fn reports_success(text: &str) -> bool {
    // pytest, unittest, cargo, go, Maven, Gradle, Jest, Mocha, PHPUnit, RSpec, Minitest, .NET.
    static SUCCESS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let lines = [
            r"=+ .*\d+ passed.* =+",
            r"OK(?: \(.*\))?",
            r"test result: ok\..*",
            r"PASS",
            r"ok\s+\S+\s+(?:[\d.]+s|\(cached\)).*",
            r"(?:\[INFO\] )?BUILD SUCCESS(?:FUL)?.*",
            r"Tests:\s+.*\d+ passed.*",
            r"\d+ passing.*",
            r"\d+ examples?, 0 failures.*",
            r"\d+ runs, .* 0 failures, 0 errors.*",
            r"Passed!\s.*",
        ];
        Regex::new(&format!(r"(?m)^\s*(?:{})\s*$", lines.join("|"))).ok()
    });
    static FAILURE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)error|fail|fatal|panic|exception|cannot|abort|not found|timed out").ok()
    });
    static NONE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"(?i)\b(?:0|no) (?:failures?|failed|errors?)|\b(?:failures?|failed|errors?): +0\b",
        )
        .ok()
    });
    let (Some(success), Some(failure), Some(none)) = (&*SUCCESS, &*FAILURE, &*NONE) else {
        return false;
    };
    success.is_match(text) && !failure.is_match(&none.replace_all(text, ""))
}

/// Returns the failure that a trace reports, with the lines before it that belong to it; none if it has only warnings.
/// `previous` is the end of the previous trace.
fn failure(lines: &[&str], trace: &traces::Trace<'_>, previous: usize) -> Option<Failure> {
    let start = trace.lines.start;
    let trace_lines = lines.get(trace.lines.clone()).unwrap_or_default();
    let trace_lines = without_warnings(trace_lines);
    if trace_lines.is_empty() {
        return None;
    }
    let mut head = head(lines, start, previous);
    if head.test.is_empty() {
        // Some headings are the first line of the trace.
        let heading = trace_lines.first().and_then(|line| numbered(line));
        head.test = heading.unwrap_or_default().to_owned();
    }
    let before = lines.get(head.at..start).unwrap_or_default().iter();
    let before: Vec<&str> = before.filter(|line| !is_progress(line)).copied().collect();
    let mut text = before.join("\n");
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(&trace_lines.join("\n"));
    Some(Failure {
        test: head.test,
        trace: text,
        ..Failure::default()
    })
}

/// Whether a line says which step of a build runs or ran: `> Task :shop:test FAILED`.
fn is_progress(line: &str) -> bool {
    ["> Task :", "> Configure project "]
        .iter()
        .any(|start| line.starts_with(start))
}

/// The first line that belongs to a trace.
struct Head {
    at: usize,
    /// The name of the test; empty if the line names none.
    test: String,
}

/// Finds the line above a trace that names the test, between rules or otherwise; without one, takes
/// [`LINES_BEFORE`] lines, unless the trace begins with the message of a compiler, which is complete.
fn head(lines: &[&str], start: usize, previous: usize) -> Head {
    let first = start.saturating_sub(MAX_HEAD).max(previous);
    let above = lines.get(first..start).unwrap_or_default();
    for (before, line) in above.iter().rev().enumerate() {
        let test = match between_rules(line) {
            Some(name) => name.to_owned(),
            None => match traces::read(line) {
                Some(Mark::Function(name)) => name,
                _ => match numbered(line) {
                    Some(name) => name.to_owned(),
                    None => continue,
                },
            },
        };
        return Head {
            at: start - before - 1,
            test,
        };
    }
    let before = match lines.get(start).and_then(|line| traces::read(line)) {
        Some(Mark::Message(message)) if message.place.is_some() => 0,
        _ => LINES_BEFORE,
    };
    Head {
        at: start.saturating_sub(before).max(previous),
        test: String::new(),
    }
}

/// Returns the name in `_____ test_name _____` and `---- module::name stdout ----`.
fn between_rules(line: &str) -> Option<&str> {
    let line = line.trim();
    let rule = ['_', '-', '='].into_iter().find(|rule| {
        let is_rule = |c: char| c == *rule;
        let (left, right) = (
            line.trim_start_matches(is_rule),
            line.trim_end_matches(is_rule),
        );
        line.len() - left.len() >= 4 && line.len() - right.len() >= 4
    })?;
    let name = line.trim_matches(rule).trim();
    let name = name.strip_suffix(" stdout").unwrap_or(name);
    let is_name = !name.is_empty() && !name.contains(' ') && rule != '=';
    is_name.then_some(name)
}

/// Returns the name in a heading of RSpec, PHPUnit or Mocha: `  1) Cart adds an item`. Minitest has its kind of failure
/// there.
fn numbered(line: &str) -> Option<&str> {
    let (number, name) = line.trim().split_once(") ")?;
    (is_number(number) && !name.ends_with(':')).then(|| name.trim())
}

/// Returns the lines of a trace without compiler warnings.
fn without_warnings<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let mut is_warning = false;
    let kept = lines.iter().filter(|line| {
        match traces::read(line) {
            Some(Mark::Message(_) | Mark::Error | Mark::Header | Mark::Frame(..)) => {
                is_warning = traces::is_warning(line);
            }
            Some(Mark::Function(_)) => is_warning = false,
            _ => {}
        }
        !is_warning
    });
    kept.copied().collect()
}

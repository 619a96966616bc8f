//! Cuts stack traces and messages of tools out of a run of lines. [`read`] classifies single lines; this
//! file groups them.

use std::ops::Range;

use foldhash::HashSet;

use super::form::{Mark, Message, Order};
use super::places::Frame;
use super::{error_text, function_above, read};

/// A stretch of lines: a trace, or other text.
#[derive(Debug)]
pub enum Piece<'a> {
    /// Lines that are not a trace, by their positions.
    Plain(Range<usize>),
    /// A trace.
    Trace(Trace<'a>),
}

/// One stack trace (several, if one was raised while handling another), or messages of a tool.
#[derive(Debug, Default)]
pub struct Trace<'a> {
    /// Its lines, by their positions.
    pub lines: Range<usize>,
    /// Outermost first. Several messages are in reverse order: the first is the last here.
    pub frames: Vec<Frame>,
    /// Lines of source code, without headers, frames and errors.
    pub source: Vec<&'a str>,
    /// The texts of errors.
    pub errors: Vec<String>,
    /// Frames of the current run, in printed order.
    run: Vec<Frame>,
    order: Option<Order>,
    /// The last line of source, which may name the function of a `Location`.
    before: Option<&'a str>,
    /// The function that contains the places of messages.
    function: String,
    /// Places of messages, by path and line.
    places: HashSet<(String, u32)>,
    /// Whether the text of a message is on the next line.
    awaits_text: bool,
    /// Whether the run contains frames other than places of messages.
    has_calls: bool,
    after_frame: bool,
    after_header: bool,
}

/// Number of lines that may separate the name of a function from a place in it.
const MAX_BEFORE_PLACE: usize = 8;

/// Splits lines into traces and the rest.
pub fn pieces<'a>(lines: &[&'a str]) -> Vec<Piece<'a>> {
    let reader = Reader::new(lines);
    let mut pieces = Vec::new();
    // Start of the lines that are not a trace.
    let mut plain = 0;
    let mut at = 0;
    while at < lines.len() {
        if !reader.opens(at) {
            at += 1;
            continue;
        }
        if plain < at {
            pieces.push(Piece::Plain(plain..at));
        }
        let mut trace = Trace::default();
        trace.lines.start = at;
        at = reader.trace(at, &mut trace);
        trace.lines.end = at;
        trace.finish();
        pieces.push(Piece::Trace(trace));
        plain = at;
    }
    if plain < lines.len() {
        pieces.push(Piece::Plain(plain..lines.len()));
    }
    pieces
}

struct Reader<'l, 'a> {
    lines: &'l [&'a str],
    marks: Vec<Option<Mark>>,
    /// For each position, that of the next non-blank line: traces may be double-spaced.
    filled: Vec<usize>,
}

impl<'l, 'a> Reader<'l, 'a> {
    fn new(lines: &'l [&'a str]) -> Self {
        let marks = lines.iter().map(|line| read(line)).collect();
        let mut filled = vec![lines.len(); lines.len() + 1];
        let mut next = lines.len();
        for (at, line) in lines.iter().enumerate().rev() {
            if !line.trim().is_empty() {
                next = at;
            }
            if let Some(slot) = filled.get_mut(at) {
                *slot = next;
            }
        }
        Self {
            lines,
            marks,
            filled,
        }
    }

    fn mark(&self, at: usize) -> Option<&Mark> {
        self.marks.get(at)?.as_ref()
    }

    fn filled_from(&self, at: usize) -> usize {
        self.filled.get(at).copied().unwrap_or(self.lines.len())
    }

    /// Whether a trace begins with a line.
    fn opens(&self, at: usize) -> bool {
        let next = || self.mark(self.filled_from(at + 1));
        match self.mark(at) {
            Some(Mark::Header | Mark::Frame(..) | Mark::Location(_)) => true,
            Some(Mark::Message(message)) if message.place.is_some() => true,
            Some(Mark::Function(_) | Mark::Message(_)) => self.leads_to_place(at),
            Some(Mark::Error) => match next() {
                Some(Mark::Frame(_, order)) => *order != Order::OutermostFirst,
                Some(Mark::Message(message)) => message.place.is_some(),
                Some(Mark::Header | Mark::Place(_)) => true,
                _ => false,
            },
            // The name of a function, whose place is on the next line.
            _ => {
                let is_located = matches!(self.mark(at + 1), Some(Mark::Location(_)));
                is_located
                    && self
                        .lines
                        .get(at)
                        .is_some_and(|line| !line.trim().is_empty())
            }
        }
    }

    /// Whether one of the lines below contains a place.
    fn leads_to_place(&self, start: usize) -> bool {
        let mut at = start;
        for _ in 0..MAX_BEFORE_PLACE {
            at = self.filled_from(at + 1);
            match self.mark(at) {
                Some(Mark::Frame(..) | Mark::Place(_) | Mark::Header) => return true,
                Some(Mark::Message(message)) if message.place.is_some() => return true,
                _ => {}
            }
        }
        false
    }

    /// Reads a trace from a line on; returns the line after it.
    fn trace(&self, start: usize, trace: &mut Trace<'a>) -> usize {
        let mut at = start;
        while let Some(line) = self.lines.get(at).copied() {
            if line.trim().is_empty() {
                // A gap belongs to the trace if the trace continues after it.
                let next = self.filled_from(at);
                let goes_on = match self.mark(next) {
                    Some(Mark::Filler) | None => {
                        is_numbered(self.lines.get(next))
                            || trace.awaits_text && next < self.lines.len()
                    }
                    Some(_) => true,
                };
                if !goes_on {
                    return at;
                }
                at = next;
                continue;
            }
            let reading = match self.mark(at) {
                Some(mark) => {
                    trace.marked(mark, line);
                    Reading::On
                }
                None => {
                    let is_located = matches!(self.mark(at + 1), Some(Mark::Location(_)));
                    trace.unmarked(line, is_located)
                }
            };
            match reading {
                Reading::On => at += 1,
                Reading::EndsHere => return at + 1,
                Reading::Ended => return at,
            }
        }
        at
    }
}

/// Whether a trace continues after a line.
enum Reading {
    On,
    /// The line is the last one of the trace.
    EndsHere,
    /// The line is not part of the trace.
    Ended,
}

impl<'a> Trace<'a> {
    /// Adds a line that is certainly part of a trace.
    fn marked(&mut self, mark: &Mark, line: &'a str) {
        match mark {
            Mark::Header | Mark::Joint => {
                self.finish_run();
                self.awaits_text = false;
                self.after_header = true;
                self.after_frame = false;
            }
            Mark::Frame(found, order) => {
                self.push(found.clone(), *order);
                self.has_calls = true;
                self.awaits_text = false;
                self.after_frame = *order == Order::OutermostFirst;
                self.after_header = true;
            }
            Mark::Location(found) => {
                self.place(found.clone());
                self.has_calls = true;
                self.awaits_text = false;
                self.after_frame = false;
                self.after_header = true;
            }
            Mark::Arrow(number) => {
                if let Some(last) = self.run.last_mut().filter(|last| last.line == 0) {
                    last.line = *number;
                }
                self.source.push(code_of(line));
            }
            Mark::Source => self.source.push(numbered_code(line)),
            Mark::Filler => {}
            Mark::Error => {
                // Java's `Caused by:` starts a new run, closer to the cause.
                if self.has_calls && self.order != Some(Order::OutermostFirst) {
                    self.finish_run();
                }
                self.errors.push(error_text(line).to_owned());
                self.awaits_text = false;
                self.after_frame = false;
            }
            Mark::Function(name) => {
                self.function.clone_from(name);
                self.awaits_text = true;
                self.after_header = true;
            }
            Mark::Place(found) => {
                self.report(found);
                self.after_header = true;
            }
            Mark::Message(message) => self.message(message),
        }
    }

    fn message(&mut self, message: &Message) {
        if self.has_calls {
            self.finish_run();
        }
        if let Some(place) = &message.place {
            self.report(place);
        }
        self.awaits_text = message.text.is_empty();
        if !self.awaits_text {
            self.errors.push(message.text.clone());
        }
        self.after_header = true;
        self.after_frame = false;
    }

    /// Adds the place of a message.
    fn report(&mut self, place: &Frame) {
        let mut place = place.clone();
        if place.function.is_empty() {
            place.function.clone_from(&self.function);
        }
        let key = (place.path.clone(), place.line);
        if !self.places.insert(key) {
            return;
        }
        let order = self.order.filter(|order| *order != Order::OutermostFirst);
        self.push(place, order.unwrap_or(Order::InnermostFirst));
    }

    /// Adds a line that was not recognised on its own.
    fn unmarked(&mut self, line: &'a str, is_located: bool) -> Reading {
        if is_located {
            self.before = Some(line);
        } else if self.awaits_text {
            self.awaits_text = false;
            self.errors.push(error_text(line).trim().to_owned());
        } else if self.after_frame || line.starts_with([' ', '\t']) || is_numbered(Some(&line)) {
            self.source.push(code_of(line));
            self.after_frame = false;
        } else if self.after_header && self.errors.is_empty() && looks_like_error(line) {
            self.errors.push(error_text(line).to_owned());
            return Reading::EndsHere;
        } else {
            return Reading::Ended;
        }
        Reading::On
    }

    fn push(&mut self, frame: Frame, order: Order) {
        let is_turned =
            |known: Order| (known == Order::OutermostFirst) != (order == Order::OutermostFirst);
        if self.order.is_some_and(is_turned) {
            self.finish_run();
        }
        self.order = Some(order);
        self.run.push(frame);
    }

    /// Adds a place whose function is named on the line before.
    fn place(&mut self, mut frame: Frame) {
        let named = self.before.take().or_else(|| self.source.pop());
        if let Some(line) = named {
            frame.function = function_above(&frame.path, line);
        }
        self.push(frame, Order::InnermostFirst);
    }

    fn finish_run(&mut self) {
        match self.order.take() {
            Some(Order::InnermostFirst) => self.run.reverse(),
            Some(Order::InnermostCalls) => {
                name_callers(&mut self.run);
                self.run.reverse();
            }
            Some(Order::OutermostFirst) | None => {}
        }
        self.frames.append(&mut self.run);
        self.has_calls = false;
    }

    fn finish(&mut self) {
        self.finish_run();
        // A message may repeat the place of the innermost frame.
        let named: HashSet<(String, u32)> = self
            .frames
            .iter()
            .filter(|frame| !frame.function.is_empty() && frame.line > 0)
            .map(|frame| (frame.path.clone(), frame.line))
            .collect();
        let places = std::mem::take(&mut self.places);
        self.frames.retain(|frame| {
            let place = (frame.path.clone(), frame.line);
            let is_named = named.contains(&place) && places.contains(&place);
            !(frame.function.is_empty() && is_named)
        });
    }
}

/// Names frames by the functions that contain their places. In a run of frames that name the called function,
/// innermost first, each frame gets the function of the next. Frames without a file only provide a name and
/// are removed.
fn name_callers(run: &mut Vec<Frame>) {
    let mut caller = String::new();
    for frame in run.iter_mut().rev() {
        std::mem::swap(&mut frame.function, &mut caller);
    }
    run.retain(|frame| !frame.path.is_empty());
}

/// Whether a line is a numbered line of source.
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

/// Returns the code of a numbered or marked line.
fn code_of(line: &str) -> &str {
    line.trim_start_matches(|c: char| {
        c == '-' || c == '>' || c.is_whitespace() || c.is_ascii_digit()
    })
    .trim_end()
}

/// Returns the code after a number and a bar.
fn numbered_code(line: &str) -> &str {
    line.split_once('|').map_or(line, |(_, code)| code).trim()
}

/// Whether a line after the frames is an error, although its class is not named like one.
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

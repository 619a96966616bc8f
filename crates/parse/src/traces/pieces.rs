//! Cuts stack traces and messages of tools out of a run of lines. [`read`] classifies single lines; this
//! file groups them.

use std::ops::Range;

use foldhash::HashSet;

use super::form::{Mark, Message, Order};
use super::messages::is_warning;
use super::places::{Frame, Severity};
use super::tools::read_groups;
use super::{error_text, function_above, is_other_stack, read, read_with_next};

/// A stretch of lines: a trace, or other text.
#[derive(Debug)]
pub enum Piece<'a> {
    /// Lines that are not a trace, by their positions.
    Plain(Range<usize>),
    /// A trace.
    Trace(Box<Trace<'a>>),
}

/// One stack trace (several, if one was raised while handling another), or messages of a tool.
#[derive(Debug, Default)]
pub struct Trace<'a> {
    /// Its lines, by their positions.
    pub lines: Range<usize>,
    /// Outermost first. Several messages, and the stacks of several threads, are in reverse order: the first is
    /// the last here.
    pub frames: Vec<Frame>,
    /// The innermost frames of the errors that led to the last one, where callers are printed first.
    pub causes: Vec<Frame>,
    /// Lines of source code, and the lines below the first one of an error, without headers and frames.
    pub source: Vec<&'a str>,
    /// The texts of errors.
    pub errors: Vec<String>,
    run: Run,
    /// Finished runs of other threads or of earlier events, in printed order.
    others: Vec<Vec<Frame>>,
    /// The last line of source, which may name the function of a `Location`.
    before: Option<&'a str>,
    messages: MessagePlaces,
    expected: Expected,
}

/// The current run of frames.
#[derive(Debug, Default)]
struct Run {
    /// In printed order.
    frames: Vec<Frame>,
    order: Option<Order>,
    /// Whether it belongs to another thread or to an earlier event.
    is_other: bool,
    /// Whether it contains frames other than places of messages.
    has_calls: bool,
}

/// The places of messages.
#[derive(Debug, Default)]
struct MessagePlaces {
    /// By path and line.
    places: HashSet<(String, u32)>,
    /// The function that contains them.
    function: String,
    /// The places that instantiate the template of the next message.
    instantiated_at: Vec<Frame>,
    /// Whether the last place was added, and not known before.
    is_new_place: bool,
    /// Whether the last message is a warning.
    is_warning: bool,
}

/// What a line that is not recognised on its own may be.
#[derive(Debug, Default)]
struct Expected {
    /// The text of the message above.
    awaits_text: bool,
    /// The error that opens the trace: its frames are still to come.
    in_message: bool,
    /// Source code: a frame is above.
    after_frame: bool,
    /// An error: a header, a frame or a message is above.
    after_header: bool,
}

/// Number of lines that may separate the name of a function, or an error, from its place.
const MAX_BEFORE_PLACE: usize = 8;

/// Number of unknown lines that may separate an error from its frames.
const MAX_MESSAGE_LINES: usize = 3;

/// Longest entry of a report, in lines.
const MAX_ENTRY: usize = 200;

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
        trace.expected.in_message = matches!(reader.mark(at), Some(Mark::Error));
        trace.lines.start = at;
        at = reader.trace(at, &mut trace);
        trace.lines.end = at;
        trace.finish();
        pieces.push(Piece::Trace(Box::new(trace)));
        plain = at;
    }
    if plain < lines.len() {
        pieces.push(Piece::Plain(plain..lines.len()));
    }
    pieces
}

/// Whether the first of some lines is the head of a trace whose places are below: the name of a test, a message, a path
/// above its problems, a place above its source. Alone, such a line belongs to no trace.
pub fn begin_with_head(lines: &[&str]) -> bool {
    let reader = Reader::new(lines.get(..=MAX_BEFORE_PLACE).unwrap_or(lines));
    let is_alone = || lines.first().is_some_and(|line| read(line).is_some());
    let is_head = match reader.mark(0) {
        Some(Mark::Function(_)) => true,
        Some(Mark::Message(message)) => message.place.is_none() || !is_alone(),
        Some(Mark::Header) => !is_alone(),
        _ => false,
    };
    is_head && reader.opens(0)
}

struct Reader<'l, 'a> {
    lines: &'l [&'a str],
    marks: Vec<Option<Mark>>,
    /// For each position, that of the next non-blank line: traces may be double-spaced.
    filled: Vec<usize>,
}

impl<'l, 'a> Reader<'l, 'a> {
    fn new(lines: &'l [&'a str]) -> Self {
        let with_next = |(at, line): (usize, &&str)| {
            let next = lines.get(at + 1).copied().unwrap_or_default();
            read_with_next(line, next).or_else(|| read(line))
        };
        let mut marks: Vec<Option<Mark>> = lines.iter().enumerate().map(with_next).collect();
        read_groups(lines, &mut marks);
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
        match self.mark(at) {
            Some(Mark::Header | Mark::Frame(..) | Mark::Location(_)) => true,
            Some(Mark::Message(message)) if message.place.is_some() => true,
            Some(Mark::Function(_) | Mark::Message(_) | Mark::InstantiatedAt(_)) => {
                self.leads_to_place(at)
            }
            Some(Mark::Error) => self.leads_to_frames(at),
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
                Some(Mark::Frame(..) | Mark::Place(_) | Mark::InstantiatedAt(_) | Mark::Header) => {
                    return true;
                }
                Some(Mark::Message(message)) if message.place.is_some() => return true,
                _ => {}
            }
        }
        false
    }

    /// Whether an error is the head of a trace: frames follow, after at most a few lines of its message.
    fn leads_to_frames(&self, error: usize) -> bool {
        let (mut at, mut unknown) = (error, 0);
        for _ in 0..MAX_BEFORE_PLACE {
            let next = self.filled_from(at + 1);
            match self.mark(next) {
                Some(Mark::Filler) => {}
                // A paragraph below is not the message.
                None if next == at + 1 && unknown < MAX_MESSAGE_LINES => unknown += 1,
                Some(Mark::Frame(_, order)) => return *order != Order::OutermostFirst,
                Some(Mark::Header | Mark::Location(_)) => return true,
                Some(Mark::Place(_)) => return unknown == 0,
                Some(Mark::Message(message)) => return unknown == 0 && message.place.is_some(),
                _ => return false,
            }
            at = next;
        }
        false
    }

    /// Reads an entry of a report, from the line below its rule to the one above its frame; returns the line of
    /// the frame, or `first` if there is none.
    fn entry(&self, first: usize, trace: &mut Trace<'a>) -> usize {
        let Some(frame) = self.frame_of_entry(first) else {
            return first;
        };
        let lines = self.lines.get(first..frame).unwrap_or_default();
        let marks = self.marks.get(first..frame).unwrap_or_default();
        for (&line, mark) in lines.iter().zip(marks) {
            match mark {
                Some(Mark::Error) => trace.marked(&Mark::Error, line),
                _ if line.trim().is_empty() => {}
                _ => trace.source.push(code_of(line)),
            }
        }
        frame
    }

    /// Returns the line of the frame of an entry that begins in line `first`.
    fn frame_of_entry(&self, first: usize) -> Option<usize> {
        let marks = self.marks.get(first..)?.iter().take(MAX_ENTRY);
        for (after, mark) in marks.enumerate() {
            match mark {
                Some(Mark::Frame(_, Order::OutermostFirst)) => return Some(first + after),
                Some(Mark::Rule | Mark::Header | Mark::Joint) => return None,
                _ => {}
            }
        }
        None
    }

    /// Reads a trace from a line on; returns the line after it.
    fn trace(&self, start: usize, trace: &mut Trace<'a>) -> usize {
        let mut at = start;
        while let Some(line) = self.lines.get(at).copied() {
            if line.trim().is_empty() {
                // A gap belongs to the trace if the trace continues after it.
                let next = self.filled_from(at);
                let goes_on = match self.mark(next) {
                    Some(Mark::Filler) if trace.expected.in_message => true,
                    Some(Mark::Filler) | None => {
                        is_numbered(self.lines.get(next))
                            || trace.expected.awaits_text && next < self.lines.len()
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
                Some(Mark::Rule) => {
                    at = self.entry(at + 1, trace);
                    continue;
                }
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
        self.expected.in_message &= matches!(mark, Mark::Error | Mark::Filler);
        match mark {
            Mark::Header => self.header(line),
            Mark::Joint => {
                self.end_cause();
                self.header(line);
            }
            Mark::Frame(found, order) => {
                self.push(found.clone(), *order);
                self.run.has_calls = true;
                self.expected.awaits_text = false;
                self.expected.after_frame = *order == Order::OutermostFirst;
                self.expected.after_header = true;
            }
            Mark::Location(found) => {
                self.place(found.clone());
                self.run.has_calls = true;
                self.expected.awaits_text = false;
                self.expected.after_frame = false;
                self.expected.after_header = true;
            }
            Mark::Arrow(number) => {
                if let Some(last) = self.run.frames.last_mut().filter(|last| last.line == 0) {
                    last.line = *number;
                }
                self.source.push(code_of(line));
            }
            Mark::Source => self.source.push(numbered_code(line)),
            Mark::Filler | Mark::Rule => {}
            Mark::Error => {
                // Java's `Caused by:` starts a new run, closer to the cause.
                let has_run = self.run.has_calls && self.run.order != Some(Order::OutermostFirst);
                if has_run || self.run.is_other {
                    self.finish_run();
                }
                self.errors.push(error_text(line).to_owned());
                self.expected.awaits_text = false;
                self.expected.after_frame = false;
            }
            Mark::Function(name) => {
                self.messages.function.clone_from(name);
                self.expected.awaits_text = true;
                self.expected.after_header = true;
            }
            Mark::Place(found) => {
                self.report(found);
                self.expected.after_header = true;
            }
            Mark::InstantiatedAt(found) => {
                self.messages.instantiated_at.push(found.clone());
                self.expected.after_header = true;
            }
            Mark::Instantiates { template, at } => self.instantiation(template, at),
            Mark::Message(message) => self.message(message, line),
        }
    }

    /// Begins a run of frames below a heading.
    fn header(&mut self, line: &str) {
        let has_stack_above = self.run.has_calls || self.run.is_other;
        self.finish_run();
        self.run.is_other = has_stack_above && is_other_stack(line);
        self.expected.awaits_text = false;
        self.expected.after_header = true;
        self.expected.after_frame = false;
    }

    /// Ends the frames of an error that led to the next one.
    fn end_cause(&mut self) {
        let is_innermost_last = self.run.order == Some(Order::OutermostFirst) && !self.run.is_other;
        let innermost = self.run.frames.last().filter(|_| is_innermost_last);
        self.causes.extend(innermost.cloned());
    }

    fn message(&mut self, message: &Message, line: &str) {
        if self.run.has_calls || self.run.is_other {
            self.finish_run();
        }
        self.messages.is_warning = is_warning(line);
        if let Some(place) = &message.place {
            self.report(place);
        }
        self.report_instantiations();
        self.expected.awaits_text = message.text.is_empty();
        if !self.expected.awaits_text {
            self.errors.push(message.text.clone());
        }
        self.expected.after_header = true;
        self.expected.after_frame = false;
    }

    /// Adds the place of a message, in the function that is named above it.
    fn report(&mut self, place: &Frame) {
        let mut place = place.clone();
        if place.function.is_empty() {
            place.function.clone_from(&self.messages.function);
        }
        self.add_place(place);
    }

    /// Adds the places above a message that instantiate its template: behind its own, since they are further out.
    fn report_instantiations(&mut self) {
        for place in std::mem::take(&mut self.messages.instantiated_at) {
            self.add_place(place);
        }
    }

    /// Names the function around the last place of a message, and adds the place that instantiates it.
    fn instantiation(&mut self, template: &str, at: &Frame) {
        let last = self.run.frames.last_mut().filter(|last| {
            self.messages.is_new_place && last.function.is_empty() && last.reported_as.is_some()
        });
        if let Some(last) = last {
            last.function = template.to_owned();
        }
        self.add_place(at.clone());
    }

    /// Adds a place of a message, unless it is known.
    fn add_place(&mut self, mut place: Frame) {
        place.reported_as = Some(match self.messages.is_warning {
            true => Severity::Warning,
            false => Severity::Error,
        });
        let key = (place.path.clone(), place.line);
        self.messages.is_new_place = self.messages.places.insert(key);
        if !self.messages.is_new_place {
            return;
        }
        let order = self
            .run
            .order
            .filter(|order| *order != Order::OutermostFirst);
        self.push(place, order.unwrap_or(Order::InnermostFirst));
    }

    /// Adds a line that was not recognised on its own.
    fn unmarked(&mut self, line: &'a str, is_located: bool) -> Reading {
        if is_located {
            self.before = Some(line);
        } else if self.expected.in_message {
            self.source.push(line.trim());
        } else if self.expected.awaits_text {
            self.expected.awaits_text = false;
            self.errors.push(error_text(line).trim().to_owned());
        } else if self.expected.after_frame
            || line.starts_with([' ', '\t'])
            || is_numbered(Some(&line))
        {
            self.source.push(code_of(line));
            self.expected.after_frame = false;
        } else if self.expected.after_header && self.errors.is_empty() && looks_like_error(line) {
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
        if self.run.order.is_some_and(is_turned) {
            self.finish_run();
        }
        self.run.order = Some(order);
        self.run.frames.push(frame);
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
        let mut run = std::mem::take(&mut self.run);
        match run.order {
            Some(Order::InnermostFirst) => run.frames.reverse(),
            Some(Order::InnermostCalls) => {
                name_callers(&mut run.frames);
                run.frames.reverse();
            }
            Some(Order::OutermostFirst) | None => {}
        }
        match run.is_other {
            true => self.others.push(run.frames),
            false => self.frames.append(&mut run.frames),
        }
    }

    fn finish(&mut self) {
        // A text may leave out the message.
        self.report_instantiations();
        self.finish_run();
        let failed = std::mem::take(&mut self.frames);
        let others = std::mem::take(&mut self.others).into_iter().rev().flatten();
        self.frames = others.chain(failed).collect();
        // A message may repeat the place of the innermost frame.
        let named: HashSet<(String, u32)> = self
            .frames
            .iter()
            .filter(|frame| !frame.function.is_empty() && frame.line > 0)
            .map(|frame| (frame.path.clone(), frame.line))
            .collect();
        let places = std::mem::take(&mut self.messages.places);
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
        matches!(c, '-' | '>' | '|') || c.is_whitespace() || c.is_ascii_digit()
    })
    .trim_end()
}

/// Returns the code of a line of source, after a number and a bar or a tab if it has these: `12 | code`,
/// `│ ❱ 12 │   code   │`.
fn numbered_code(line: &str) -> &str {
    let line = line.trim().trim_matches('│');
    let is_code = |c: char| c.is_alphabetic() || matches!(c, '(' | '{' | '"' | '\'' | '`');
    let code = line
        .split_once(['|', '│', '\t'])
        .filter(|(number, _)| !number.contains(is_code))
        .map_or(line, |(_, code)| code);
    code.trim_matches(|c: char| c == '│' || c.is_whitespace())
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

#[cfg(test)]
mod tests {
    use super::{Piece, Trace, begin_with_head, pieces};

    /// Returns the traces in a text.
    fn traces(text: &str) -> Vec<Trace<'_>> {
        let lines: Vec<&str> = text.lines().collect();
        let traces = pieces(&lines).into_iter().filter_map(|piece| match piece {
            Piece::Trace(trace) => Some(*trace),
            Piece::Plain(_) => None,
        });
        traces.collect()
    }

    /// Asserts the first and the last line of each trace, counted from 0.
    #[track_caller]
    fn check_lines(text: &str, wanted: &[(usize, usize)]) {
        let found: Vec<(usize, usize)> = traces(text)
            .iter()
            .map(|trace| (trace.lines.start, trace.lines.end - 1))
            .collect();
        assert_eq!(found, wanted, "{text}");
    }

    #[test]
    fn error_opens_the_trace_below_the_rest_of_its_message() {
        for text in [
            "panic: runtime error: nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1]\n\ngoroutine 34 [running]:\nmain.main()\n\t/w/main.go:3 +0x1d",
            "panic: no stock\n\n[signal SIGSEGV: segmentation violation code=0x1]\n\ngoroutine 34 [running]:\nmain.main()\n\t/w/main.go:3 +0x1d",
            "SyntaxError: Unexpected token\n    at JSON.parse (<anonymous>)\n    at diff (src/diff/index.js:70:12)",
            "Exception in thread \"main\" com.google.gson.JsonSyntaxException: Expected BEGIN_OBJECT\nSee https://github.com/google/gson/blob/main/Troubleshooting.md#x\n\tat com.google.gson.Gson.fromJson(Gson.java:12)",
            "NoMethodError: undefined method\n<internal:kernel>:187:in 'loop'\nlib/cart.rb:12:in 'Cart#sum'",
            "==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60\nREAD of size 1 at 0x60 thread T0\n    #0 0x55d0 in sum /w/cart.c:12:5",
            "Error: no item\nacme.io/shop.find\n\t/w/shop/find.go:12",
        ] {
            check_lines(text, &[(0, text.lines().count() - 1)]);
        }
    }

    #[test]
    fn rest_of_a_message_is_kept() {
        let text =
            "java.io.IOException: reset\nSee the manual\n\tat org.acme.Wire.read(Wire.java:7)";
        let found = traces(text);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].errors, ["java.io.IOException: reset"]);
        assert_eq!(found[0].source, ["See the manual"]);
    }

    #[test]
    fn source_below_a_frame_of_gdb_is_kept() {
        let text = "0x0000555 in sum (c=0x0) at cart.c:12\n12\t  return c->price;\n(gdb) bt";
        check_lines(text, &[(0, 1)]);
        assert_eq!(traces(text)[0].source, ["return c->price;"]);
        check_lines("12\t  return c->price;", &[]);
    }

    #[test]
    fn places_of_messages_are_told_from_calls() {
        use super::Severity::{Error, Warning};
        let of = |text: &str| {
            let traces = traces(text);
            let frames = traces.iter().flat_map(|trace| &trace.frames);
            frames.map(|frame| frame.reported_as).collect::<Vec<_>>()
        };
        assert_eq!(of("a.go:3:5: undefined: x\n"), [Some(Error)]);
        assert_eq!(
            of("src/a.c:3:5: error: no x\nsrc/a.c:4:5: warning: y is unused"),
            [Some(Warning), Some(Error)]
        );
        assert_eq!(
            of("warning: unused variable: `x`\n --> src/a.rs:9:1"),
            [Some(Warning)]
        );
        assert_eq!(
            of("src/cart.ts\n  13:9  warning  Unexpected any  no-any\n  14:9  error  No x  no-x"),
            [Some(Error), Some(Warning)]
        );
        for (message, severity) in [
            ("w: file:///w/src/Cart.kt:3:5 x is unused", Warning),
            ("/w/src/Cart.cs(3,5): warning CS0168: x is unused", Warning),
            ("src/a.c:3:5: error: no x: warnings are errors", Error),
        ] {
            assert_eq!(of(message), [Some(severity)], "{message}");
        }
        assert_eq!(of("TypeError: x\n    at f (a.js:1:2)"), [None]);
    }

    #[test]
    fn heads_of_traces_are_recognised() {
        let is_head = |text: &str| begin_with_head(&text.lines().collect::<Vec<_>>());
        for text in [
            "error: no method `sum`\n  --> src/cart.rs:3:5",
            "--- FAIL: TestSum (0.00s)\n    cart_test.go:12: got 3",
            "/ci/src/cart.ts\n  13:9  error  Unexpected any  no-explicit-any",
            "/ci/src/cart.js:83\n  return a || b;\n         ^\nReferenceError: a is not defined",
            "node:events:491\n      throw er;\n      ^\nError: write EPIPE",
        ] {
            assert!(is_head(text), "{text}");
        }
        for text in [
            "error: no method `sum`\nin src/cart.rs",
            "--- FAIL: TestSum (0.00s)\nFAIL",
            "/ci/src/cart.ts\nis the file",
            "/ci/src/cart.js:83\nis the line",
            // Complete by itself, or an error.
            "src/cart.c:3:5: error: no member",
            "TypeError: x\n    at f (a.js:1:2)",
            "",
        ] {
            assert!(!is_head(text), "{text}");
        }
    }

    #[test]
    fn error_without_frames_opens_no_trace() {
        check_lines(
            "TypeError: x is not a function\nis what I see.\nIt began today.",
            &[],
        );
        check_lines("TypeError: x is not a function", &[]);
        // The frames are below another paragraph, or too far away.
        check_lines(
            "TypeError: x is not a function\n\nI call it so:\n\n    at f (a.js:1:2)",
            &[(4, 4)],
        );
        check_lines(
            "TypeError: x is not a function\na\nb\nc\nd\n    at f (a.js:1:2)",
            &[(5, 5)],
        );
        // In Python, errors are below their frames.
        check_lines("ValueError: x\n  File \"a.py\", line 3, in f", &[(1, 1)]);
    }

    #[test]
    fn entries_of_a_report_are_one_trace() {
        let text = "tests/test_cart.py:9: \n_ _ _ _ _ _ _ _\n\nself = <Cart>\n\n    def total(self):\n>       raise ValueError(\"no price\")\nE       ValueError: no price\n\nshop/cart.py:12: ValueError";
        check_lines(text, &[(0, 9)]);
        let found = traces(text);
        assert_eq!(found[0].errors, ["ValueError: no price"]);
        assert_eq!(
            found[0].source,
            [
                "self = <Cart>",
                "def total(self):",
                "raise ValueError(\"no price\")"
            ]
        );
        // Without its frame, an entry is other text.
        check_lines(
            "tests/test_cart.py:9: \n_ _ _ _ _ _ _ _\n\nself = <Cart>\nand so on",
            &[(0, 1)],
        );
    }
}

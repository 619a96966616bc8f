//! Defines the kinds of lines in traces, and how a language describes its own.

use super::places::{Frame, name_in};

/// The order in which a language prints its frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The error occurred in the last frame.
    OutermostFirst,
    /// The error occurred in the first frame, as in most languages.
    InnermostFirst,
    /// Like `InnermostFirst`, but each frame names the function called at its place, not the one that
    /// contains it (PHP).
    InnermostCalls,
}

/// A message of a compiler, a test runner or an engine about a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// The place, if the line contains it.
    pub place: Option<Frame>,
    /// The text; empty if it is on the next line.
    pub text: String,
}

/// The kind of a line in a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// `Traceback (most recent call last):`, `stack backtrace:`, `goroutine 1 [running]:`.
    Header,
    /// A frame.
    Frame(Frame, Order),
    /// The rule between two entries of a report: `_ _ _ _ _`. The frame of the entry below is printed after its
    /// source.
    Rule,
    /// The second line of a frame: the place of the function named on the line before (Go, Rust).
    Location(Frame),
    /// `During handling of the above exception, …`.
    Joint,
    /// IPython's `---> 12 code`: the line number of the frame before.
    Arrow(u32),
    /// Carets, `... 12 more`, notes.
    Filler,
    /// A line of source, after its number and a bar if it has these: `12 | return a;`.
    Source,
    /// `a.c:3:5: error: text`, `thread 'main' panicked at a.rs:3:5:`.
    Message(Message),
    /// The function that contains the places below: `--- FAIL: TestSum (0.00s)`.
    Function(String),
    /// A place of the message above: `  --> a.rs:3:5`. Outside of a trace it is only a place.
    Place(Frame),
    /// The place that instantiates the template of the message below: `a.cc:4:5:   required from here`.
    InstantiatedAt(Frame),
    /// The place that instantiates the template of the message above: `a.cc:4:5: note: in instantiation of …`.
    Instantiates {
        /// The template, as the function around the place above.
        template: String,
        /// The place.
        at: Frame,
    },
    /// The error: `ValueError: …`.
    Error,
}

/// How the traces and errors of a language look.
#[derive(Clone, Copy)]
pub(crate) struct TraceForm {
    /// Extensions of the files in its frames, without their dot.
    pub(crate) extensions: &'static [&'static str],
    /// Reads a line of a trace that only this language prints.
    pub(crate) read: fn(&str) -> Option<Mark>,
    /// Like `read`, for a form that other languages print too: it is tried after all specific ones.
    pub(crate) read_general: fn(&str) -> Option<Mark>,
    /// Reads a line of a trace that the next line completes: it shows that the line is a frame, or names the
    /// function. The next line is passed as written, empty at the end. Tried before `read`.
    pub(crate) read_with_next: fn(&str, &str) -> Option<Mark>,
    /// Reads what a line and those below it say together: returns the marks of the lines, from the first one on; empty if
    /// they are no such group. They replace those of `read`.
    pub(crate) read_group: fn(&str, &[&str]) -> Vec<Mark>,
    /// Reads a line of a trace that must contain an error: returns that part, and the mark. Tried after
    /// `read`.
    pub(crate) raised: fn(&str) -> Option<(&str, Mark)>,
    /// Whether a line begins a trace.
    pub(crate) is_header: fn(&str) -> bool,
    /// Whether such a line begins the stack of another thread, or of an earlier event. Below the stack of the
    /// failure it does not lead closer to the cause.
    pub(crate) is_other_stack: fn(&str) -> bool,
    /// Whether a line is printed between two traces.
    pub(crate) is_joint: fn(&str) -> bool,
    /// Whether a line is certainly an error.
    pub(crate) is_error: fn(&str) -> bool,
    /// Returns the text after a prefix that may also begin other lines: the line is an error if that text
    /// is one.
    pub(crate) marked: fn(&str) -> Option<&str>,
    /// Returns the function on the line above a [`Mark::Location`], as sources name it: `Pool.get`.
    pub(crate) function_above: fn(&str) -> String,
    /// Prefixes of error texts, in the order in which they are stripped.
    pub(crate) error_prefixes: &'static [&'static str],
    /// The signal for the intent that a trace in this language gives.
    pub(crate) signal: &'static str,
}

impl TraceForm {
    /// A form that recognises nothing.
    pub(crate) const NONE: Self = Self {
        extensions: &[],
        read: |_| None,
        read_general: |_| None,
        read_with_next: |_, _| None,
        read_group: |_, _| Vec::new(),
        raised: |_| None,
        is_header: |_| false,
        is_other_stack: |_| false,
        is_joint: |_| false,
        is_error: |_| false,
        marked: |_| None,
        function_above: name_in,
        error_prefixes: &[],
        signal: "stack_trace",
    };
}

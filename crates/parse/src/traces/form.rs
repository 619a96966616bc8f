//! What lines of traces can be, and what a language says of its own.

use super::places::{Frame, name_in};

/// In which order a language prints its frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The last frame is where it broke.
    OutermostFirst,
    /// The first frame is where it broke, as in most languages.
    InnermostFirst,
    /// The same, and each frame names the function that is called at its place, not the one that the
    /// place is in (PHP).
    InnermostCalls,
}

/// What a compiler, a test runner or an engine says of a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// The place, where the line says it.
    pub place: Option<Frame>,
    /// The text; empty where it is on the next line.
    pub text: String,
}

/// What a line of a trace is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// `Traceback (most recent call last):`, `stack backtrace:`, `goroutine 1 [running]:`.
    Header,
    /// A frame.
    Frame(Frame, Order),
    /// The second line of a frame: where the function on the line before stands (Go, Rust).
    Location(Frame),
    /// `During handling of the above exception, …`.
    Joint,
    /// IPython's `---> 12 code`: the line of the frame before.
    Arrow(u32),
    /// Carets, `... 12 more`, notes.
    Filler,
    /// A line of source behind its number and a bar: `12 | return a;`.
    Source,
    /// `a.c:3:5: error: text`, `thread 'main' panicked at a.rs:3:5:`.
    Message(Message),
    /// The function that the places below it are in: `--- FAIL: TestSum (0.00s)`.
    Function(String),
    /// A place of the message above it: `  --> a.rs:3:5`. Elsewhere it is only a place.
    Place(Frame),
    /// The error: `ValueError: …`.
    Error,
}

/// What the traces and errors of a language look like.
#[derive(Clone, Copy)]
pub(crate) struct TraceForm {
    /// Extensions of the files that its frames are in, without their dot.
    pub(crate) extensions: &'static [&'static str],
    /// What a line of a trace that only this language prints is.
    pub(crate) read: fn(&str) -> Option<Mark>,
    /// The same for a form that others print, too: it is asked after all that are more particular.
    pub(crate) read_general: fn(&str) -> Option<Mark>,
    /// What a line is if a part of it is surely an error: that part, and the mark. Asked after `read`.
    pub(crate) raised: fn(&str) -> Option<(&str, Mark)>,
    /// Whether a line begins a trace.
    pub(crate) is_header: fn(&str) -> bool,
    /// Whether a line stands between two traces.
    pub(crate) is_joint: fn(&str) -> bool,
    /// Whether a line is surely an error.
    pub(crate) is_error: fn(&str) -> bool,
    /// What stands behind a mark that may begin other lines, too: the line is an error if that is one.
    pub(crate) marked: fn(&str) -> Option<&str>,
    /// The function on the line above a [`Mark::Location`], as it is called in sources: `Pool.get`.
    pub(crate) function_above: fn(&str) -> String,
    /// What stands before the text of an error, in the order in which it is taken off.
    pub(crate) error_prefixes: &'static [&'static str],
    /// The sign of an intent that a trace of this language is.
    pub(crate) signal: &'static str,
}

impl TraceForm {
    /// Nothing is known.
    pub(crate) const NONE: Self = Self {
        extensions: &[],
        read: |_| None,
        read_general: |_| None,
        raised: |_| None,
        is_header: |_| false,
        is_joint: |_| false,
        is_error: |_| false,
        marked: |_| None,
        function_above: name_in,
        error_prefixes: &[],
        signal: "stack_trace",
    };
}

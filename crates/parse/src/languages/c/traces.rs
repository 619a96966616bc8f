//! Reads frames of debuggers and sanitizers, and messages of compilers and test frameworks, for C and C++.

mod frames;
mod instantiations;
mod messages;
mod names;

use super::CPP_EXTENSIONS;
use crate::traces::form::{Mark, TraceForm};

pub(super) const C: TraceForm = TraceForm {
    // `h` is left out: a header may be in either language.
    extensions: &["c"],
    read: |text| {
        frames::of_debugger(text)
            .or_else(|| frames::of_valgrind(text))
            .or_else(|| frames::of_backtrace(text))
            .or_else(|| frames::of_logger(text, ""))
            .or_else(|| frames::of_listing(text))
            .or_else(|| instantiations::read(text))
            .or_else(|| messages::compiler(text))
            .or_else(|| messages::runtime(text))
            .or_else(|| messages::test(text))
            .or_else(|| is_filler(text).then_some(Mark::Filler))
    },
    read_with_next: frames::of_logger,
    is_header: |text| is_failed_stack(text) || is_other_stack(text),
    is_other_stack,
    is_error: messages::is_error,
    error_prefixes: &["SUMMARY: ", "ERROR: ", "what():  "],
    ..TraceForm::NONE
};

pub(super) const CPP: TraceForm = TraceForm {
    extensions: CPP_EXTENSIONS,
    ..TraceForm::NONE
};

/// Extensions of all files that messages refer to.
const EXTENSIONS: &[&str] = &[
    "c", "h", "cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "cu", "cuh", "cppm", "ixx",
    "inl", "ipp", "tcc", "tpp", "txx", "m", "mm", "y", "l",
];

/// Whether a line is a sanitizer's or debugger's heading of the stack that failed.
fn is_failed_stack(text: &str) -> bool {
    text.ends_with(':') && text.contains(" leak of ") && text.contains("allocated from")
        || text.starts_with("Thread ") && text.contains(" received signal ")
}

/// Whether a line is the heading of another stack in a report about memory, or a line above it: where the memory
/// is, where it was allocated and freed, what another thread did.
fn is_other_stack(text: &str) -> bool {
    /// The start and another part of each.
    const HEADINGS: [(&str, &str); 21] = [
        ("freed by thread ", " here:"),
        ("previously allocated by ", " here:"),
        ("allocated by thread ", " here:"),
        ("0x", "-byte region ["),
        ("0x", " global variable '"),
        ("Address 0x", " is located in stack of thread "),
        ("Uninitialized value was created ", "by "),
        ("Uninitialized value was stored ", "to memory at"),
        ("Previous read of size ", " at 0x"),
        ("Previous write of size ", " at 0x"),
        ("Previous atomic ", " at 0x"),
        ("As if synchronized via ", ":"),
        ("Location is global '", "' of size "),
        ("Location is heap block of size ", " allocated by "),
        ("Location is file descriptor ", " created by "),
        ("Location is stack of ", "thread"),
        ("Location is TLS of ", "thread"),
        ("Mutex M", " created at:"),
        ("Thread T", " at:"),
        ("Thread T", " here:"),
        ("Block was alloc'd ", "at"),
    ];
    HEADINGS
        .iter()
        .any(|(start, part)| text.starts_with(start) && text.contains(part))
}

fn is_filler(text: &str) -> bool {
    let is_frame = text.starts_with("#") && text.contains(" in ") && text.contains("0x");
    is_frame
        || (text.starts_with("by 0x") || text.starts_with("at 0x")) && text.contains(": ")
        || text.starts_with("Address 0x")
}

#[cfg(test)]
mod tests;

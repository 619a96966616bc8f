//! Reads frames of debuggers and sanitizers, and messages of compilers and test frameworks, for C and C++.

mod frames;
mod messages;
mod names;

use crate::traces::form::{Mark, TraceForm};

pub(super) const C: TraceForm = TraceForm {
    // `h` is left out: a header may be in either language.
    extensions: &["c"],
    read: |text| {
        frames::of_debugger(text)
            .or_else(|| frames::of_valgrind(text))
            .or_else(|| messages::compiler(text))
            .or_else(|| messages::runtime(text))
            .or_else(|| messages::test(text))
            .or_else(|| is_filler(text).then_some(Mark::Filler))
    },
    is_header,
    is_error: messages::is_error,
    error_prefixes: &["SUMMARY: ", "ERROR: ", "what():  "],
    ..TraceForm::NONE
};

pub(super) const CPP: TraceForm = TraceForm {
    extensions: &[
        "cc", "cpp", "cxx", "hh", "hpp", "hxx", "cu", "cuh", "inl", "ipp", "tcc",
    ],
    ..TraceForm::NONE
};

/// Extensions of all files that messages refer to.
const EXTENSIONS: &[&str] = &[
    "c", "h", "cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "cu", "cuh", "inl", "ipp",
    "tcc", "m", "mm", "y", "l",
];

/// Whether a line is a sanitizer's or debugger's heading of a stack.
fn is_header(text: &str) -> bool {
    let is_stack = text.ends_with(':');
    is_stack
        && [
            "freed by thread", "previously allocated by", "allocated by thread",
        ]
        .iter()
        .any(|start| text.starts_with(start))
        || is_stack && text.contains(" leak of ") && text.contains("allocated from")
        || text.starts_with("Thread ") && text.contains(" received signal ")
}

fn is_filler(text: &str) -> bool {
    let is_frame = text.starts_with("#") && text.contains(" in ") && text.contains("0x");
    is_frame
        || (text.starts_with("by 0x") || text.starts_with("at 0x")) && text.contains(": ")
        || text.starts_with("Address 0x")
}

#[cfg(test)]
mod tests;

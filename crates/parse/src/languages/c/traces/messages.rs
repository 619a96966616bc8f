//! Reads messages about C and C++: of compilers and linkers, of the program itself, of test frameworks.

use super::EXTENSIONS;
use super::names::written;
use crate::traces::form::{Mark, Message, Order};
use crate::traces::messages::{drawn, message, of_build, of_compiler};
use crate::traces::places::{Frame, frame, has_extension, leading_number, leading_place, location};

fn at(found: Frame, text: &str) -> Mark {
    Mark::Message(Message {
        place: Some(found),
        text: text.trim().to_owned(),
    })
}

/// Reads messages of gcc, clang and Microsoft's compiler, and the lines around them.
pub(super) fn compiler(text: &str) -> Option<Mark> {
    included(text)
        .or_else(|| within(text))
        .or_else(|| of_compiler(text, EXTENSIONS))
        .or_else(|| of_build(text, EXTENSIONS))
        .or_else(|| linker(text))
        .or_else(|| drawn(text))
}

/// Reads `In file included from a.h:3,` and, below it, `from b.c:5:`: the includers of the next message's
/// file. Their lines are directives, and no places of the problem.
fn included(text: &str) -> Option<Mark> {
    let rest = text.strip_prefix("In file included ").unwrap_or(text);
    let place = rest.strip_prefix("from ")?.trim_end_matches([':', ',']);
    let place = location(place).filter(|place| has_extension(place.0, EXTENSIONS))?;
    let includer = (place.0, 0, 0);
    (!place.0.contains(' ')).then(|| Mark::Frame(frame(includer, ""), Order::OutermostFirst))
}

/// Reads `a.cc: In member function 'void Pool::get(int)':`: the function of the messages below.
fn within(text: &str) -> Option<Mark> {
    let (path, rest) = text.split_once(": ")?;
    if !has_extension(path, EXTENSIONS) {
        return None;
    }
    if rest == "At global scope:" || rest == "At top level:" {
        return Some(Mark::Function(String::new()));
    }
    let kind = rest.strip_prefix("In ")?;
    if kind.starts_with("substitution of ") {
        return Some(Mark::Function(String::new()));
    }
    let (kind, name) = kind.split_once(['\'', '‘', '`'])?;
    let name = name.split(" [with ").next().unwrap_or(name);
    let name = name.trim_end_matches([':', '\'', '’']);
    let is_known = ["function", "constructor", "destructor", "instantiation"];
    let is_known = is_known.iter().any(|word| kind.contains(word));
    is_known.then(|| Mark::Function(written(name)))
}

/// Reads `a.c:12: undefined reference to 'f'` and
/// `a.c:(.text+0x1a): multiple definition of 'f'; b.o:b.c:3: first defined here`.
fn linker(text: &str) -> Option<Mark> {
    let phrases = ["undefined reference to ", "multiple definition of "];
    let (phrase, (head, name)) = phrases
        .iter()
        .find_map(|phrase| Some((phrase, text.split_once(*phrase)?)))?;
    let name = name.split("; ").next().unwrap_or(name);
    let message_text = format!("{phrase}{name}");
    let head = head.rsplit("ld: ").next().unwrap_or(head);
    if let Some((place, _)) = leading_place(head) {
        return Some(message(place, "", &message_text));
    }
    let (path, _) = head.split_once(":(.text")?;
    let path = path.rsplit(' ').next().unwrap_or(path);
    Some(message((path, 0, 0), "", &message_text))
}

/// Reads a sanitizer's `a.c:3:5: runtime error: text`, and failed assertions.
pub(super) fn runtime(text: &str) -> Option<Mark> {
    assertion(text)
        .or_else(|| failed(text))
        .or_else(|| untrue(text))
        .or_else(|| summary(text))
}

/// Reads `a.out: a.c:3: f: Assertion 'x' failed.`.
fn assertion(text: &str) -> Option<Mark> {
    let (head, message_text) = text.split_at(text.find(": Assertion ")?);
    let start = head.find(": ").map_or(0, |at| at + 2);
    let (place, rest) = leading_place(head.get(start..)?).or_else(|| leading_place(head))?;
    let name = rest.trim_start_matches(':').trim();
    let mut found = frame(place, "");
    found.function = written(name);
    Some(at(found, message_text.trim_start_matches([':', ' '])))
}

/// Reads `Assertion failed: (x), function f, file a.c, line 3.`.
fn failed(text: &str) -> Option<Mark> {
    let rest = text.strip_prefix("Assertion failed: ")?;
    let (rest, line) = rest.rsplit_once(", line ")?;
    let (rest, path) = rest.rsplit_once("file ")?;
    let rest = rest.trim_end_matches([',', ' ']);
    let (message_text, name) = rest.split_once(", function ").unwrap_or((rest, ""));
    let mut found = frame((path, leading_number(line), 0), "");
    found.function = written(name);
    Some(at(found, &format!("Assertion failed: {message_text}")))
}

/// Reads `==> a.c:3 'x > 0' is not true`, which loggers print behind a time.
fn untrue(text: &str) -> Option<Mark> {
    let (before, rest) = text.split_once("==> ")?;
    let (place, rest) = leading_place(rest)?;
    let expression = rest.strip_prefix(" '")?.strip_suffix("' is not true")?;
    let is_begun = before.is_empty() || before.ends_with("# ");
    let is_match = is_begun && has_extension(place.0, EXTENSIONS);
    is_match.then(|| message(place, "", &format!("'{expression}' is not true")))
}

/// Reads `SUMMARY: AddressSanitizer: heap-use-after-free /a/b.c:3:5 in f`.
fn summary(text: &str) -> Option<Mark> {
    let rest = text.strip_prefix("SUMMARY: ")?;
    let (head, name) = rest.rsplit_once(" in ")?;
    let (message_text, place) = head.rsplit_once(' ')?;
    let place = location(place)?;
    let mut found = frame(place, "");
    found.function = written(name);
    Some(at(found, message_text))
}

/// Reads googletest's `a_test.cc:12: Failure`, Catch2's `a_test.cc:12: FAILED:` and doctest's
/// `a_test.cc:12: ERROR: text`; the text may be on the next line.
pub(super) fn test(text: &str) -> Option<Mark> {
    if let Some(name) = text.strip_prefix("[ RUN      ] ") {
        let name = name.rsplit('.').next().unwrap_or(name);
        // Behind the name of a test with parameters is the number of its values.
        let name = name.split('/').next().unwrap_or(name);
        return Some(Mark::Function(name.to_owned()));
    }
    let (place, rest) = leading_place(text)?;
    let rest = rest.strip_prefix(':')?.trim();
    if !has_extension(place.0, EXTENSIONS) {
        return None;
    }
    if matches!(rest, "Failure" | "FAILED:" | "Fatal failure") {
        return Some(message(place, "", ""));
    }
    let message_text = rest
        .strip_prefix("ERROR: ")
        .or_else(|| rest.strip_prefix("FATAL ERROR: "))?;
    Some(message(place, "", message_text))
}

/// Whether a line is an error without a place.
pub(super) fn is_error(text: &str) -> bool {
    const STARTS: [&str; 19] = [
        "terminate called after throwing",
        "what():  ",
        "Program received signal ",
        "Program terminated with signal ",
        "Segmentation fault",
        "Invalid read of size ",
        "Invalid write of size ",
        "Invalid free() ",
        "Conditional jump or move depends on uninitialised",
        "Use of uninitialised value",
        "collect2: error: ",
        "LINK : fatal error ",
        // Of the C library.
        "*** stack smashing detected ***",
        "corrupted size vs. prev_size",
        "double free or corruption",
        "free(): double free",
        "free(): invalid ",
        "malloc(): ",
        "munmap_chunk(): ",
    ];
    STARTS.iter().any(|start| text.starts_with(start))
        || text.contains(" lost in loss record ")
        || text.contains("Sanitizer: ")
            && (text.starts_with("ERROR: ") || text.starts_with("WARNING: "))
}

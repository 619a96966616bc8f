//! Reads panics of Go, and messages of its compiler, its vet and its tests.

use super::{is_import_path, is_standard};
use crate::traces::form::{Mark, Order, TraceForm};
use crate::traces::messages::{message, text as message_text};
use crate::traces::places::{
    frame, has_extension, last_two, leading_place, location, without_brackets,
};

pub(super) const TRACES: TraceForm = TraceForm {
    extensions: &["go"],
    read: |text| {
        frame_location(text)
            .or_else(|| recovered(text, ""))
            .or_else(|| test(text))
            .or_else(|| located_message(text))
            .or_else(|| is_filler(text).then_some(Mark::Filler))
    },
    read_with_next: |text, next| recovered(text, next).or_else(|| inlined(text, next)),
    is_header: |text| {
        text == "WARNING: DATA RACE"
            || is_access(text, ["Read at ", "Write at "])
            || is_other_stack(text)
    },
    is_other_stack,
    is_error: |text| text.starts_with("panic: "),
    function_above: called,
    error_prefixes: &["panic: "],
    ..TraceForm::NONE
};

/// The file of the program that `go test` generates, whose `main` runs the tests.
const TEST_PROGRAM: &str = "_testmain.go";

/// Reads `/a/b.go:12 +0x1d`, below the name of the function.
fn frame_location(text: &str) -> Option<Mark> {
    let (place, offset) = text.split_once(" +0x").unwrap_or((text, ""));
    let place = location(place)?;
    let path = place.0;
    let is_located = path.contains('/') || path == TEST_PROGRAM;
    let go = path.ends_with(".go") && is_located && !path.contains(' ');
    let is_drive = path.as_bytes().get(1) == Some(&b':');
    let is_whole = path.starts_with('/') || is_drive || is_import_path(path);
    (go && (!offset.is_empty() || is_whole)).then(|| Mark::Location(frame(place, "")))
}

/// Reads the name of a function of the standard library that the compiler inlined, `net/http.HandlerFunc.ServeHTTP(...)`,
/// above its place without an offset, `net/http/server.go:2136`. Such a place alone may be a file of the project.
fn inlined(text: &str, next: &str) -> Option<Mark> {
    let place = location(next).filter(|(path, ..)| is_standard(path))?;
    let is_call = text.ends_with("(...)") && !text.contains(' ');
    let mut found = frame(place, "");
    found.function = called(text);
    is_call.then_some(Mark::Frame(found, Order::InnermostFirst))
}

/// Reads `/a/b.go:12 (0x1d)` of gin's recovery. If the source is installed, the function and the code are on the
/// next line: `\t(*Pool).Get: return p.take()`.
fn recovered(text: &str, next: &str) -> Option<Mark> {
    let (place, address) = text.split_once(" (0x")?;
    let place = location(place)?;
    let is_source = place.0.ends_with(".go") && !place.0.contains(' ');
    let address = address.strip_suffix(')')?;
    let is_address = address.bytes().all(|b| b.is_ascii_hexdigit());
    let mut found = frame(place, "");
    let name = next
        .trim_start()
        .split_once(':')
        .map_or("", |(name, _)| name);
    if next.starts_with([' ', '\t']) && !name.contains([' ', '/']) {
        found.function = without_package(name);
    }
    (is_source && is_address).then_some(Mark::Frame(found, Order::InnermostFirst))
}

/// Whether a line is the race detector's heading of an access to memory.
fn is_access(text: &str, starts: [&str; 2]) -> bool {
    let is_stack = text.ends_with(':') && text.contains("goroutine");
    is_stack && starts.iter().any(|start| text.starts_with(start))
}

/// Whether a line begins a stack that is not the one that failed, if that is above it: of the goroutines in a
/// dump, the first one failed.
fn is_other_stack(text: &str) -> bool {
    text.starts_with("goroutine ") && text.contains('[')
        || text.starts_with("Goroutine ") && text.ends_with("created at:")
        || is_access(text, ["Previous read at ", "Previous write at "])
}

/// Reads `--- FAIL: TestSum/empty (0.00s)`, and `=== RUN   TestSum/empty` of the verbose form, which has the result below
/// the messages; testify's `Error Trace: a_test.go:12` and `Error: text`.
fn test(text: &str) -> Option<Mark> {
    const HEADINGS: [&str; 4] = ["--- FAIL: ", "=== RUN ", "=== CONT ", "=== NAME "];
    let heading = HEADINGS.iter().find_map(|start| text.strip_prefix(start));
    if let Some(rest) = heading.map(str::trim_start) {
        let name = rest.split(['/', ' ']).next().unwrap_or(rest);
        return Some(Mark::Function(name.to_owned()));
    }
    let error = text
        .strip_prefix("Error:")
        .filter(|rest| rest.starts_with("  "));
    if let Some(error) = error {
        return Some(message_text(error));
    }
    let place = text.strip_prefix("Error Trace:")?.trim();
    let place = location(place).filter(|place| place.0.ends_with(".go"))?;
    Some(message(place, "", ""))
}

/// Reads `./a.go:3:5: text`, `vet: ./a.go:3:5: text`, a test's `a_test.go:12: text`, and the lines of
/// loggers, which have text before and after the place.
fn located_message(text: &str) -> Option<Mark> {
    let text = text.strip_prefix("vet: ").unwrap_or(text);
    let text = undated(text);
    let (place, rest) = leading_place(text)?;
    let rest = rest.strip_prefix(':')?;
    let text = rest.trim();
    // The text of a test's message may begin on the next line.
    let has_text = rest.starts_with(' ') && !text.is_empty();
    let is_message = has_text || rest.is_empty() && place.0.ends_with("_test.go");
    (is_message && has_extension(place.0, &["go"]))
        .then(|| message(place, "", text.trim_start_matches("error: ")))
}

/// Strips the date and time of a log.
fn undated(text: &str) -> &str {
    let is_number = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_digit())
            && part
                .bytes()
                .all(|b| b.is_ascii_digit() || matches!(b, b'/' | b':' | b'.' | b'-'))
    };
    let mut rest = text;
    for _ in 0..2 {
        match rest.split_once(' ') {
            Some((part, after)) if is_number(part) => rest = after,
            _ => break,
        }
    }
    rest
}

fn is_filler(text: &str) -> bool {
    let starts = [
        "exit status ", "[signal SIG", "=== PAUSE ", "--- PASS: ", "--- SKIP: ", "FAIL\t",
        "...additional frames elided", "Test:       ", "Messages:   ",
    ];
    let is_inlined = |(path, ..): (&str, u32, u32)| is_standard(path);
    // The race detector prints a line of this length.
    text == "FAIL"
        || location(text).is_some_and(is_inlined)
        || text == "=================="
        || starts.iter().any(|start| text.starts_with(start))
}

/// Converts `a.com/db.(*Pool).Get(0xc0…)` to `Pool.Get`, `main.run.func1()` to `run`.
fn called(line: &str) -> String {
    let line = line.trim().trim_start_matches("created by ");
    let line = line.split(" in goroutine ").next().unwrap_or(line);
    // Arguments are in the last parentheses; those of a receiver are before a dot.
    let line = match line.rfind('(') {
        Some(at) if line.ends_with(')') => line.get(..at).unwrap_or(line),
        _ => line,
    };
    let line = without_brackets(line, '[', ']');
    let line = line.rsplit('/').next().unwrap_or(&line);
    match line.split_once('.') {
        Some((_package, name)) => without_package(name),
        None => without_receiver_marks(line),
    }
}

/// Converts `(*Pool).Get.func1`, which is printed without its package, to `Pool.Get`.
fn without_package(name: &str) -> String {
    let name = without_receiver_marks(name);
    let parts = name.split('.').filter(|part| !part.is_empty());
    last_two(parts.filter(|part| !is_inner(part)).map(|part| {
        let part = part.split("-fm").next().unwrap_or(part);
        part.split("-range").next().unwrap_or(part)
    }))
}

/// Converts `(*Pool).Get` to `Pool.Get`.
fn without_receiver_marks(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, '(' | ')' | '*' | '&'))
        .collect()
}

/// Whether a name is the compiler's for a function inside another: `func1`, `2`, `gowrap1`, `glob`.
fn is_inner(part: &str) -> bool {
    let stem = part.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_numbered = stem.len() < part.len();
    let starts = ["", "func", "gowrap", "deferwrap"];
    (is_numbered && starts.contains(&stem)) || part == "glob"
}

#[cfg(test)]
mod tests;

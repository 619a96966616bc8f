//! Reads panics and backtraces of Rust, and messages of its compiler and its tests.

use crate::traces::form::{Mark, Order, TraceForm};
use crate::traces::mangled::is_hash;
use crate::traces::messages::{drawn, labelled, message, of_compiler, text as message_text};
use crate::traces::places::{
    Frame, frame, is_number, is_path, last_two, location, split_number, without_brackets,
};

pub(super) const TRACES: TraceForm = TraceForm {
    extensions: &["rs"],
    read: |text| {
        frame_location(text)
            .or_else(|| panicked(text))
            .or_else(|| compiler(text))
            .or_else(|| test(text))
            .or_else(|| is_filler(text).then_some(Mark::Filler))
            .or_else(|| drawn(text))
    },
    read_with_next: unplaced,
    is_header: |text| text.to_ascii_lowercase().contains("stack backtrace:"),
    is_error: |text| {
        text.starts_with("thread '") && text.contains("panicked at")
            || text.starts_with("error[") && labelled(text).is_some()
    },
    function_above: function_name,
    ..TraceForm::NONE
};

/// Reads `at ./src/a.rs:1:2`, which is below the name of the function.
fn frame_location(text: &str) -> Option<Mark> {
    let rest = text.strip_prefix("at ")?.trim_start();
    let place = source(rest.trim_end_matches([' ', '{', ',']))?;
    Some(Mark::Location(frame(place, "")))
}

/// Reads a frame of a program without debug symbols, `3: acme::pool::Pool::get`: no place is on the next line.
fn unplaced(text: &str, next: &str) -> Option<Mark> {
    let (number, _) = text.split_once(": ")?;
    if !is_number(number) || next.trim_start().starts_with("at ") {
        return None;
    }
    let path = plain_path(text);
    let parts: Vec<&str> = parts_of(&path).collect();
    let is_name = |part: &&str| part.chars().all(|c| c.is_alphanumeric() || c == '_');
    if !parts.iter().all(is_name) {
        return None;
    }
    let function = function_name(text);
    let modules = parts.len().checked_sub(function.split('.').count())?;
    let package = parts.get(..modules)?.join(".");
    let named = Frame {
        package,
        function,
        ..frame(("", 0, 0), "")
    };
    (modules > 0).then_some(Mark::Frame(named, Order::InnermostFirst))
}

fn source(place: &str) -> Option<(&str, u32, u32)> {
    let place = location(place)?;
    let is_source = place.0.ends_with(".rs") && !place.0.contains(' ') && is_path(place.0);
    is_source.then_some(place)
}

/// Reads `thread 'main' panicked at src/a.rs:3:5:`, which has the text on the next line, and
/// `thread 'main' panicked at 'text', src/a.rs:3:5` of older versions.
fn panicked(text: &str) -> Option<Mark> {
    let (thread, rest) = text.split_once(" panicked at ")?;
    let is_thread = thread.starts_with("thread '") || thread.starts_with("The application");
    if !is_thread {
        return None;
    }
    if let Some(place) = source(rest.trim_end_matches(':')) {
        return Some(message(place, "", ""));
    }
    let (text, place) = rest.rsplit_once(", ")?;
    let text = text.trim_matches('\'');
    Some(message(source(place)?, "", text))
}

/// Reads `error[E0308]: text`, which has the place below (`  --> src/a.rs:3:5`), and cargo's short
/// form, which has both on one line.
fn compiler(text: &str) -> Option<Mark> {
    let is_diagnostic = text.starts_with("error") || text.starts_with("warning: ");
    if is_diagnostic && let Some(diagnostic) = labelled(text) {
        return Some(message_text(diagnostic));
    }
    of_compiler(text, &["rs"])
}

/// Reads `---- shop::tests::sums stdout ----`, and the place of an example in documentation:
/// `---- src/cart.rs - cart::Cart::sum (line 12) stdout ----`.
fn test(text: &str) -> Option<Mark> {
    let name = text.strip_prefix("---- ")?.split_once(" std")?.0;
    if let Some((path, example)) = name.split_once(" - ") {
        return documented(path, example);
    }
    let name = name.split(" (line ").next()?;
    let name = name.rsplit("::").next()?;
    (!name.contains(' ')).then(|| Mark::Function(name.to_owned()))
}

fn documented(path: &str, example: &str) -> Option<Mark> {
    let (documented, line) = example.rsplit_once("(line ")?;
    let (line, _) = split_number(line);
    let is_source = path.ends_with(".rs") && !path.contains(' ') && is_path(path) && line > 0;
    is_source.then(|| message((path, line, 0), &function_name(documented), ""))
}

fn is_filler(text: &str) -> bool {
    let starts = [
        "note: run with `RUST_BACKTRACE",
        "note: Some details are omitted",
        "note: run with",
        "Test executable failed",
        "error: test failed, to rerun",
        "error: aborting due to",
        "For more information about this error",
        "Some errors have detailed explanations",
    ];
    text == "stderr:" || starts.iter().any(|start| text.starts_with(start))
}

/// Returns the function of a frame as it is named in sources: `Pool.get` for
/// `  3: app::pool::Pool::get::h0123456789abcdef`, `Pool.take` for
/// `<app::Pool<T> as app::Take>::take::{{closure}}`.
fn function_name(line: &str) -> String {
    let path = plain_path(line);
    let parts: Vec<&str> = parts_of(&path).collect();
    // The owner is kept only if it is a type: modules are no part of a method's name.
    let function = parts.last().copied().unwrap_or_default();
    let owner = parts.iter().rev().nth(1).copied().unwrap_or_default();
    let is_type = owner.starts_with(char::is_uppercase);
    last_two([if is_type { owner } else { "" }, function])
}

/// Returns the path of a frame's function without its number, its address, a trait and type arguments.
fn plain_path(line: &str) -> String {
    let line = line.trim();
    let mut name = match line.split_once(": ") {
        Some((number, rest)) if number.bytes().all(|b| b.is_ascii_digit()) => rest.trim(),
        _ => line,
    };
    // Old versions print the address first.
    if let Some((address, rest)) = name.split_once(" - ")
        && address.starts_with("0x")
    {
        name = rest;
    }
    let name = without_brackets(name, '[', ']');
    let name = without_trait(&name);
    without_brackets(&name, '<', '>')
}

/// Returns the names of a path that sources have, too: without closures and hashes.
fn parts_of(path: &str) -> impl Iterator<Item = &str> {
    path.split("::")
        .filter(|part| !part.is_empty() && !part.starts_with('{') && !is_hash(part))
}

/// Removes the trait from a method's path: `<app::Pool as app::Take>::take` and
/// `app::<impl app::Take for app::Pool>::take` become `app::Pool::take`.
fn without_trait(name: &str) -> String {
    let (before, inner) = match name.split_once("<impl ") {
        Some((before, rest)) => (before, rest),
        None => match name.strip_prefix('<') {
            Some(rest) => ("", rest),
            None => return name.to_owned(),
        },
    };
    let Some(end) = closing(inner) else {
        return name.to_owned();
    };
    let (owner, after) = inner.split_at(end);
    let owner = match before.is_empty() && !name.starts_with("<impl ") {
        true => owner.split(" as ").next().unwrap_or(owner),
        false => owner.rsplit(" for ").next().unwrap_or(owner),
    };
    format!("{owner}{}", after.trim_start_matches('>'))
}

/// Returns the offset of the `>` that closes an angle bracket before the text; the one of `->` closes
/// none.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 1;
    text.char_indices().find_map(|(at, c)| {
        match c {
            '<' => depth += 1,
            '>' if !text[..at].ends_with('-') => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })
}

#[cfg(test)]
mod tests;

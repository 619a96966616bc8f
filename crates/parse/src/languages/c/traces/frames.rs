//! Reads frames of gdb, lldb, sanitizers, valgrind and libraries that print stacks.

use super::EXTENSIONS;
use super::names::written;
use crate::traces::form::{Mark, Order};
use crate::traces::places::{
    Location, frame, has_extension, is_number, is_path, leading_place, location,
};

fn innermost_first(place: Location<'_>, function: &str) -> Mark {
    let mut found = frame(place, "");
    found.function = written(function);
    Mark::Frame(found, Order::InnermostFirst)
}

/// Reads `#1  0x… in f (x=1) at a.c:12`, `frame #1: 0x… a.out`f(x=1) at a.c:12:5`, `#1 0x… in f /a/b.c:12:5`,
/// `1# f() at a.c:12`.
pub(super) fn of_debugger(text: &str) -> Option<Mark> {
    let text = text.strip_prefix("* ").unwrap_or(text).trim_start();
    let text = text.strip_prefix("frame ").unwrap_or(text);
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match text.strip_prefix('#') {
        Some(rest) => {
            let end = digits(rest);
            rest.get(end..).filter(|_| end > 0)?
        }
        None => {
            let end = digits(text);
            // Where the program stopped, gdb prints the frame without its number.
            let stopped = Some(text).filter(|text| text.starts_with("0x") && text.contains(" at "));
            let rest = text.get(end..).filter(|_| end > 0)?;
            stopped.or_else(|| rest.strip_prefix("# "))?
        }
    };
    let rest = rest.trim_start_matches(':').trim();
    // Skips an address and, for lldb, the program.
    let (address, after) = rest.split_once(' ').unwrap_or(("", rest));
    let rest = if address.starts_with("0x") {
        after
    } else {
        rest
    };
    let rest = rest.trim_start();
    let rest = rest.strip_prefix("in ").unwrap_or(rest);
    let rest = match rest.split_once('`') {
        Some((program, rest)) if !program.contains(['(', ' ']) => rest,
        _ => rest,
    };
    if let Some((name, place)) = rest.rsplit_once(" at ") {
        let place = location(place).filter(|(path, ..)| is_path(path))?;
        return Some(innermost_first(place, name));
    }
    of_sanitizer(rest)
}

/// Reads `f(int) /a/b.c:12:5`, which some sanitizers follow with the program.
fn of_sanitizer(rest: &str) -> Option<Mark> {
    let rest = match rest.rsplit_once(" (") {
        Some((head, program)) if program.contains("+0x") => head,
        _ => rest,
    };
    let (name, place) = rest.rsplit_once(' ')?;
    let place = location(place).filter(|place| has_extension(place.0, EXTENSIONS))?;
    Some(innermost_first(place, name))
}

/// Reads the line of source that gdb prints below a frame: its number, a tab, and the code.
pub(super) fn of_listing(text: &str) -> Option<Mark> {
    let (number, code) = text.split_once('\t')?;
    (is_number(number) && !code.trim().is_empty()).then_some(Mark::Source)
}

/// Reads `at 0x1A: f(int) (a.c:12)`, `by 0x1B: main (a.c:3)`.
pub(super) fn of_valgrind(text: &str) -> Option<Mark> {
    let rest = text
        .strip_prefix("at 0x")
        .or_else(|| text.strip_prefix("by 0x"))?;
    let (_, rest) = rest.split_once(": ")?;
    let (name, place) = rest.strip_suffix(')')?.rsplit_once(" (")?;
    let (place, rest) = leading_place(place)?;
    rest.is_empty().then(|| innermost_first(place, name))
}

/// `./shop(sum+0x51e)[0x55d0]`, as `backtrace_symbols` of the C library prints frames. They have no place; static
/// functions and many in libraries have no name either.
pub(super) fn of_backtrace(text: &str) -> Option<Mark> {
    let (symbol, address) = text.strip_suffix(']')?.rsplit_once("[0x")?;
    let (program, symbol) = symbol.trim_end().strip_suffix(')')?.rsplit_once('(')?;
    let (name, offset) = symbol.rsplit_once("+0x")?;
    let is_frame = is_hex(address) && is_hex(offset) && !program.is_empty();
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '~');
    if !is_frame || !name.chars().all(is_name) {
        return None;
    }
    // A mangled name that could not be read is in no source.
    if name.is_empty() || name.starts_with("_Z") || program.contains("/libc.so") {
        return Some(Mark::Filler);
    }
    Some(innermost_first(("", 0, 0), name))
}

/// `@     0x55d0  shop::Cart::sum()`, as Google's loggers and the like print frames; the frame's size may stand before
/// the name. The place, if it is known, is on the next line.
pub(super) fn of_logger(text: &str, next: &str) -> Option<Mark> {
    let text = text.strip_prefix("PC: ").unwrap_or(text);
    let (address, name) = text.strip_prefix("@ ")?.trim_start().split_once(' ')?;
    if !is_printed_address(address) {
        return None;
    }
    let name = without_size(name.trim());
    if matches!(name, "" | "(unknown)" | "(not found)") {
        return Some(Mark::Filler);
    }
    let is_source =
        |place: &Location<'_>| has_extension(place.0, EXTENSIONS) && !place.0.contains(' ');
    let place = location(next).filter(is_source);
    Some(innermost_first(place.unwrap_or(("", 0, 0)), name))
}

/// Whether a word is an address: `0x55d0`, or all digits of one without the prefix.
fn is_printed_address(word: &str) -> bool {
    const DIGITS: usize = 16;
    let digits = word.strip_prefix("0x");
    let digits = digits.or_else(|| (word.len() == DIGITS).then_some(word));
    digits.is_some_and(is_hex)
}

fn is_hex(digits: &str) -> bool {
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Strips the size of the frame before a name: `32  main`.
fn without_size(name: &str) -> &str {
    match name.split_once(' ') {
        Some((size, rest)) if size.bytes().all(|byte| byte.is_ascii_digit()) => rest.trim_start(),
        _ => name,
    }
}

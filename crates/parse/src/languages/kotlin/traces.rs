//! Reads messages of the Kotlin compiler and stack traces of native programs. JVM traces are parsed
//! with those of Java.

use crate::traces::form::{Mark, Order, TraceForm};
use crate::traces::messages::{message, of_compiler};
use crate::traces::places::{
    Frame, frame, has_extension, last_two, leading_number, leading_place, location,
};

pub(super) const TRACES: TraceForm = TraceForm {
    extensions: &["kt"],
    read: |text| {
        native(text)
            .or_else(|| compiler(text))
            .or_else(|| of_compiler(text, EXTENSIONS))
    },
    is_error: |text| text.starts_with("e: ") && text.len() > 4 && !text.contains(".kt"),
    error_prefixes: &["e: "],
    ..TraceForm::NONE
};

const EXTENSIONS: &[&str] = &["kt", "kts"];

/// Reads `e: file:///a/B.kt:3:5 text`, and `e: /a/B.kt: (3, 5): text` of older versions.
fn compiler(text: &str) -> Option<Mark> {
    let (severity, rest) = text.split_once(": ")?;
    if !matches!(severity, "e" | "w") {
        return None;
    }
    let rest = rest.strip_prefix("file://").unwrap_or(rest);
    if let Some((place, text)) = leading_place(rest) {
        return has_extension(place.0, EXTENSIONS).then(|| message(place, "", text));
    }
    let (path, rest) = rest.split_once(": (")?;
    let (place, text) = rest.split_once("): ")?;
    let (line, column) = place.split_once(", ")?;
    let place = (path, leading_number(line), leading_number(column));
    (has_extension(path, EXTENSIONS) && place.1 > 0).then(|| message(place, "", text))
}

/// Reads `at 3   app.kexe   0x1a2b   kfun:shop.Cart#sum(kotlin.Int){} + 12 (/a/Cart.kt:3:5)`. Without debug symbols,
/// the place is missing; in reports of crashes, `at`.
fn native(text: &str) -> Option<Mark> {
    let (head, rest) = text.split_once("kfun:")?;
    let number = head.strip_prefix("at ").unwrap_or(head).trim_start();
    if leading_number(number) == 0 && !number.starts_with('0') {
        return None;
    }
    let placed = rest.strip_suffix(')').and_then(|r| r.rsplit_once(" ("));
    let (symbol, place) = placed.unwrap_or((rest, ""));
    let place = location(place).filter(|place| has_extension(place.0, EXTENSIONS));
    let symbol = symbol.split(" + ").next().unwrap_or(symbol);
    let (package, function) = native_function(symbol);
    if place.is_none() && (package.is_empty() || function.is_empty()) {
        return None;
    }
    let found = Frame {
        package,
        function,
        ..frame(place.unwrap_or_default(), "")
    };
    Some(Mark::Frame(found, Order::InnermostFirst))
}

/// Returns the package and the function of a symbol: `shop` and `Cart.sum` for `shop.Cart#sum(kotlin.Int){}`,
/// `shop#sum__at__shop.Cart(){}`, `shop.Cart.sum$lambda-0#internal` and
/// `shop.Cart.$sumCOROUTINE$1.invokeSuspend#internal`.
fn native_function(symbol: &str) -> (String, String) {
    let name = symbol.split(['(', '{']).next().unwrap_or(symbol);
    let (path, function) = match name.split_once('#') {
        Some((path, function)) if function != "internal" => (path, function),
        found => {
            let path = found.map_or(name, |(path, _)| path);
            path.rsplit_once('.').unwrap_or(("", path))
        }
    };
    let (function, receiver) = ["__at__", "@"]
        .iter()
        .find_map(|at| function.split_once(at))
        .unwrap_or((function, ""));
    let mut names: Vec<&str> = path.split('.').filter(|name| !name.is_empty()).collect();
    // The body of a suspending function is a class of its own.
    let body = names.iter().rposition(|name| coroutine(name).is_some());
    let suspending = body.and_then(|at| names.drain(at..).next());
    let function = suspending.and_then(coroutine).unwrap_or(function);
    let is_class = |name: &&str| name.starts_with(char::is_uppercase);
    let classes = names.iter().position(is_class);
    let classes = names.split_off(classes.unwrap_or(names.len()));
    let owner = classes.iter().copied().rfind(is_class);
    let receiver = receiver.split(['<', '?']).next().unwrap_or(receiver);
    let receiver = receiver.rsplit('.').next().filter(is_class);
    let parts = [
        owner.unwrap_or(""),
        receiver.unwrap_or(""),
        source_name(function),
    ];
    (names.join("."), last_two(parts))
}

/// Returns the function whose body a class is: `sum` for `$sumCOROUTINE$1`.
fn coroutine(class: &str) -> Option<&str> {
    let (function, _) = class.strip_prefix('$')?.split_once("COROUTINE$")?;
    Some(function)
}

/// Returns a function as sources name it: `sum` for `sum$lambda-0`, `size` for `<get-size>`, nothing for `<init>`.
fn source_name(function: &str) -> &str {
    let inner = ["<get-", "<set-"]
        .iter()
        .find_map(|start| function.strip_prefix(start)?.strip_suffix('>'));
    let name = inner.unwrap_or(function);
    let name = name.split('$').next().unwrap_or(name);
    if name.starts_with('<') { "" } else { name }
}

#[cfg(test)]
mod tests;

//! Parses messages of the Kotlin compiler and stack traces of native programs. JVM traces are parsed
//! with those of Java.

use crate::traces::form::{Mark, Order, TraceForm};
use crate::traces::messages::{message, of_compiler};
use crate::traces::places::{
    frame, has_extension, last_two, leading_number, leading_place, location, without_brackets,
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

/// Parses `e: file:///a/B.kt:3:5 text`, and `e: /a/B.kt: (3, 5): text` of older versions.
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

/// Parses `at 3   app.kexe   0x1a2b   kfun:shop.Cart#sum(kotlin.Int){} + 12 (/a/Cart.kt:3:5)`.
fn native(text: &str) -> Option<Mark> {
    let (_, rest) = text.strip_prefix("at ")?.split_once("kfun:")?;
    let (name, place) = rest.strip_suffix(')')?.rsplit_once(" (")?;
    let place = location(place).filter(|place| has_extension(place.0, EXTENSIONS))?;
    let name = without_brackets(name.split('{').next().unwrap_or(name), '(', ')');
    let (owner, function) = name.split_once('#').unwrap_or(("", &name));
    let owner = owner.rsplit('.').next().unwrap_or(owner);
    // A function outside classes has its package as owner.
    let owner = Some(owner).filter(|owner| owner.starts_with(char::is_uppercase));
    let name = last_two([owner.unwrap_or_default(), function.trim()]);
    Some(Mark::Frame(frame(place, &name), Order::InnermostFirst))
}

#[cfg(test)]
mod tests;

//! Reads stack traces and messages of PHP, of its frameworks and of PHPUnit.

use crate::traces::form::{Mark, Order, TraceForm};
use crate::traces::messages::message;
use crate::traces::places::{frame, is_number, last_two, leading_number, location};

pub(super) const TRACES: TraceForm = TraceForm {
    extensions: &["php"],
    read: |text| {
        numbered(text)
            .or_else(|| called_at(text))
            .or_else(|| thrown(text))
            .or_else(|| symfony_place(text))
            .or_else(|| case(text))
            .or_else(|| place_alone(text))
            .or_else(|| is_filler(text).then_some(Mark::Filler))
    },
    is_error: |text| LEVELS.iter().any(|level| text.starts_with(level)),
    error_prefixes: &["PHP "],
    ..TraceForm::NONE
};

const LEVELS: [&str; 8] = [
    "PHP Fatal error:", "PHP Parse error:", "PHP Warning:", "PHP Notice:", "PHP Deprecated:",
    "PHP Recoverable fatal error:", "Fatal error: Uncaught ", "Parse error: syntax error",
];

/// Whether a line is a label between an error and its frames.
fn is_filler(text: &str) -> bool {
    matches!(
        text,
        "Stack trace:" | "[stacktrace]" | "Exception trace:" | "PHP Stack trace:" | "Call Stack:"
    )
}

/// Reads `#0 /a.php(12): A->b()`, where `b` is the function called at the place, and
/// `#1 [internal function]: A->b()`.
fn numbered(text: &str) -> Option<Mark> {
    let rest = text.strip_prefix('#')?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let rest = rest.get(digits..).filter(|_| digits > 0)?.trim_start();
    if rest == "{main}" || rest.starts_with("{main}") {
        return Some(Mark::Filler);
    }
    let (place, call) = match rest.strip_prefix("[internal function]: ") {
        Some(call) => (None, call),
        None => {
            let (path, rest) = rest.split_once(".php(")?;
            let call = rest.split_once("): ").map_or("", |(_, call)| call);
            (Some((format!("{path}.php"), leading_number(rest))), call)
        }
    };
    let mut found = match &place {
        Some((path, line)) => frame((path, *line, 0), ""),
        None => frame(("", 0, 0), ""),
    };
    found.function = function(call);
    Some(Mark::Frame(found, Order::InnermostCalls))
}

/// Returns the class and the method of a call: `App\Router->match('/')`, `App\Router::match()`,
/// `{closure:App\Router::match():12}`. `App\{closure}()` and includes give an empty text.
fn function(call: &str) -> String {
    let call = call.strip_prefix("{closure:").unwrap_or(call);
    let head = call.split('(').next().unwrap_or(call);
    if head.contains("{closure") || head.contains("{main}") {
        return String::new();
    }
    if ["include", "include_once", "require", "require_once"].contains(&head) {
        return String::new();
    }
    let head = head.replace("->", "::");
    let (class, method) = head.split_once("::").unwrap_or(("", &head));
    let last = |name: &str| name.rsplit('\\').next().unwrap_or_default().to_owned();
    last_two([last(class).as_str(), last(method).as_str()])
}

/// Reads an error with its place: `PHP Fatal error:  Uncaught X: text in /a/b.php:3`,
/// `Warning: text in /a/b.php on line 3`, `thrown in /a/b.php on line 3`, `X: text in /a/b.php:3`,
/// `… (X(code: 0): text at /a/b.php:3)`.
fn thrown(text: &str) -> Option<Mark> {
    let (error, place) = match text.rsplit_once(" on line ") {
        Some((head, line)) => {
            let (error, path) = head.rsplit_once(" in ")?;
            (error, (path, leading_number(line), 0))
        }
        None => {
            let end = text.rfind(".php:")?;
            let (head, line) = text.split_at(end + ".php".len());
            let from = [" in ", " at "]
                .iter()
                .filter_map(|mark| head.rfind(mark))
                .max()?;
            let (error, path) = (head.get(..from)?, head.get(from + 4..)?);
            (
                error,
                (path, leading_number(line.trim_start_matches(':')), 0),
            )
        }
    };
    if !place.0.ends_with(".php") || place.0.contains(' ') || place.1 == 0 {
        return None;
    }
    if error == "thrown" {
        return Some(Mark::Place(frame(place, "")));
    }
    Some(message(place, "", error_of(error)?))
}

/// Returns the error in the text before a place; `None` for a sentence.
fn error_of(error: &str) -> Option<&str> {
    let error = error.strip_prefix("PHP ").unwrap_or(error).trim_start();
    let error = match error.split_once("(code: ") {
        // Laravel's log has the error inside braces.
        Some((head, rest)) => {
            let class = head.rsplit(['(', ' ']).find(|part| !part.is_empty())?;
            let is_class = class.contains('\\') || is_error_name(class);
            let error = rest.split_once("): ").map_or("", |(_, error)| error);
            return is_class.then_some(error);
        }
        None => error,
    };
    let error = error.strip_prefix("Next ").unwrap_or(error);
    let levels = [
        "Fatal error:", "Parse error:", "Warning:", "Notice:", "Deprecated:",
        "Recoverable fatal error:", "Catchable fatal error:", "Strict Standards:",
    ];
    if let Some(rest) = levels.iter().find_map(|level| error.strip_prefix(level)) {
        let rest = rest.trim_start();
        return Some(rest.strip_prefix("Uncaught ").unwrap_or(rest));
    }
    let error = error.strip_prefix("Uncaught ").unwrap_or(error);
    let class = error.split([':', ' ']).next()?;
    (is_error_name(class) || class.contains('\\')).then_some(error)
}

fn is_error_name(class: &str) -> bool {
    ["Error", "Exception", "Throwable"]
        .iter()
        .any(|end| class.ends_with(end))
}

/// Reads Symfony's `In Router.php line 12:`, which has the text below.
fn symfony_place(text: &str) -> Option<Mark> {
    let rest = text.strip_prefix("In ")?;
    let (path, line) = rest.split_once(" line ")?;
    let is_place = path.ends_with(".php") && !path.contains(' ') && line.ends_with(':');
    is_place.then(|| message((path, leading_number(line), 0), "", ""))
}

/// Reads Symfony's `App\Router->match() at /a/Router.php:12`, its first line `() at /a/Router.php:20`, which
/// names no call, and Xdebug's `2. App\Router->match() /a/Router.php:12`.
fn called_at(text: &str) -> Option<Mark> {
    let (head, place) = text.rsplit_once(' ')?;
    let place = location(place).filter(|place| place.0.ends_with(".php"))?;
    let (head, order) = match head.strip_suffix(" at") {
        Some(head) => (head, Order::InnermostCalls),
        None => (head.rsplit_once(". ")?.1, Order::OutermostFirst),
    };
    let call = head.strip_suffix(')')?;
    let name = call.split('(').next()?;
    let is_named = !name.contains(' ') && name.contains(['\\', ':', '>', '{']);
    let is_unnamed = call == "(" && order == Order::InnermostCalls;
    if !is_named && !is_unnamed {
        return None;
    }
    let mut found = frame(place, "");
    if order == Order::InnermostCalls {
        found.function = function(name);
    }
    Some(Mark::Frame(found, order))
}

/// Reads PHPUnit's `1) App\Tests\CartTest::testSum with data set "empty"`, which has the text below.
fn case(text: &str) -> Option<Mark> {
    let (number, rest) = text.split_once(") ")?;
    let (class, method) = rest.split(' ').next()?.split_once("::")?;
    let is_class = class
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '\\' | '_'));
    let class = class.rsplit('\\').next().unwrap_or(class);
    (is_number(number) && is_class).then(|| Mark::Function(last_two([class, method])))
}

/// Reads PHPUnit's `/a/tests/CartTest.php:12`, which is below the text.
fn place_alone(text: &str) -> Option<Mark> {
    let place = location(text).filter(|place| place.0.ends_with(".php"))?;
    let is_path = place.0.contains(['/', '\\']) && !place.0.contains(' ');
    is_path.then(|| Mark::Place(frame(place, "")))
}

#[cfg(test)]
mod tests;

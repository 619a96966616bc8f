//! Recognises literals that are messages by a name beside them, in the syntax of any language: `ERR_FULL = "…"`,
//! `message: "…"`, `'error' => '…'`, `E1001: "…"`. Must read only a few bytes before a literal.

use super::{is_one_of, words};

/// Bytes before a literal that are read.
const MAX_BEFORE: usize = 160;
/// Maximum calls between a name and its literal: `message = str(_("…"))`.
const MAX_CALLS: usize = 3;
/// First and last words of the names of messages, in lower case.
const FIRST: [&str; 2] = ["err", "error"];
const LAST: [&str; 12] = [
    "err", "errmsg", "error", "errors", "exception", "message", "messages", "msg", "msgs",
    "reason", "warning", "warnings",
];
/// Beginnings of constants that are messages.
const CONSTANTS: [&str; 4] = ["E_", "MESSAGE_", "MSG_", "WARNING_"];
/// First and last words of the names of functions that make errors or report them.
const OF_ERRORS: [&str; 5] = ["error", "errors", "exception", "warning", "warnings"];
/// The other functions that describe an error: conventions of the languages.
const DESCRIBING: [&str; 10] = [
    "__str__", "description", "errmsg", "fmt", "getMessage", "get_message", "message",
    "messageFor", "strerror", "what",
];
/// Functions that return the text that they get, with values or translated.
const FORMATTERS: [&str; 15] = [
    "Format", "Sprintf", "String", "_", "concat", "dedent", "format", "from", "gettext", "sprintf",
    "str", "t", "tr", "trans", "ugettext",
];

/// Whether a literal has at least two words.
pub(crate) fn is_sentence(literal: &str) -> bool {
    let is_word = |word: &&str| word.chars().filter(|c| c.is_alphabetic()).nth(1).is_some();
    let words = literal.split_whitespace().filter(is_word);
    words.take(2).count() == 2
}

/// Whether a text, from the end of one literal to the start of another, says that they are parts of one text: nothing, an
/// operator, or a value between operators.
pub(crate) fn is_between_parts(between: &str) -> bool {
    if between.len() > MAX_BEFORE {
        return false;
    }
    let operators = ['+', '.', '<'];
    let is_blank = |c: char| c.is_whitespace() || "\"'`\\".contains(c);
    let inside = between.trim_matches(is_blank);
    let is_joined = inside.starts_with(operators) && inside.ends_with(operators);
    (inside.is_empty() || is_joined)
        && !inside.contains([';', '{', '}', '?', ':', ',', '"', '\'', '`'])
}

/// Whether a function returns or reports texts of errors, by its name.
pub(crate) fn describes(function: &str) -> bool {
    has_word(function, &OF_ERRORS, &OF_ERRORS) || DESCRIBING.contains(&function)
}

/// Whether the text before a literal gives it the name of a message.
pub(crate) fn names_literal_after(before: &str) -> bool {
    let start = before.floor_char_boundary(before.len().saturating_sub(MAX_BEFORE));
    let before = outside_calls(before.get(start..).unwrap_or(""));
    before.and_then(assigned).is_some_and(is_message_name)
}

/// Returns the text before the calls that a literal is the first argument of; `None` if one of them is of another
/// function than a formatter.
fn outside_calls(before: &str) -> Option<&str> {
    let is_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '!' | '\\');
    let mut before = before.trim_end();
    for _ in 0..MAX_CALLS {
        let Some(call) = before.strip_suffix('(') else {
            return Some(before);
        };
        let outside = call.trim_end_matches(is_path);
        let callee = call.get(outside.len()..)?;
        let name = callee
            .trim_end_matches('!')
            .rsplit(['.', ':', '\\'])
            .next()?;
        if !callee.is_empty() && !FORMATTERS.contains(&name) {
            return None;
        }
        before = outside.trim_end();
    }
    None
}

/// Returns the name that a text assigns what follows it to: a variable, field, parameter or key.
fn assigned(before: &str) -> Option<&str> {
    let target = match before.strip_suffix("=>") {
        Some(key) => key,
        None => match before.strip_suffix(':') {
            Some(key) => key.strip_suffix(':').is_none().then_some(key)?,
            None => variable(before.strip_suffix('=')?)?,
        },
    };
    let target = target
        .trim_end()
        .trim_end_matches(['"', '\'', '`', ']', '[']);
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let name = target.get(target.trim_end_matches(is_name).len()..)?;
    (!name.is_empty()).then_some(name)
}

/// Returns the variable of an assignment, given the text before its `=`, without the type after the name.
fn variable(before: &str) -> Option<&str> {
    // Comparisons.
    if before.ends_with(['=', '!', '<', '>']) {
        return None;
    }
    // `:=`, `+=`, `.=`, `||=`, `??=`
    let target = before.trim_end_matches([':', '+', '.', '|', '?']);
    let clause = target.rsplit(['\n', ';', '{', '(', ',']).next()?;
    match clause.split_once(':') {
        Some((name, rest)) if !rest.starts_with(':') => Some(name),
        _ => Some(clause),
    }
}

/// Whether a name is that of a message: `errorMessage`, `ERR_FULL`, `E_FULL`, `E1001`.
fn is_message_name(name: &str) -> bool {
    let is_constant = CONSTANTS.iter().any(|start| name.starts_with(start));
    is_constant || has_word(name, &FIRST, &LAST) || is_code(name)
}

/// Whether the first word of a name is one of `first`, or its last one of `last`, ignoring case and numbers.
fn has_word(name: &str, first: &[&str], last: &[&str]) -> bool {
    let mut words = words(name).filter(|word| !is_number(word));
    let Some(begin) = words.next() else {
        return false;
    };
    is_one_of(begin, first) || is_one_of(words.last().unwrap_or(begin), last)
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a name is a code of errors: `E1001`, `TS_2345`.
fn is_code(name: &str) -> bool {
    let digits = name.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let letters = name.len() - digits.len();
    let digits = digits.strip_prefix('_').unwrap_or(digits);
    (1..=6).contains(&letters) && (2..=6).contains(&digits.len()) && is_number(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_messages_are_recognised() {
        for before in [
            "const ERR_FULL = ",
            "const errFull: &'static str = ",
            "val message: String =\n    ",
            "  var msg = fmt.Sprintf(",
            "message = (\n    ",
            "message := ",
            "$errorMessage .= ",
            "'error' => ",
            ":message => ",
            "{\"message\": ",
            "fail(reason=_(",
            "let message = format!(",
            "E1001: ",
            "E_FULL => ",
            "MSG_FULL = ",
            "[ErrorCode.X]: '', errorMessage1: ",
            "static const char errmsg[] = ",
            "const std::string kTooLargeError = ",
            "[LoggerMessage(EventId = 0, Message = ",
        ] {
            assert!(names_literal_after(before), "{before}");
        }
        for before in [
            "const NAME = ", "if message == ", "if message != ", "if error >= ", "messageQueue = ",
            "error = parse(", "errors::", "raise ", "message, ", "= ", "((((((", "",
        ] {
            assert!(!names_literal_after(before), "{before}");
        }
    }

    #[test]
    fn functions_that_describe_errors_are_recognised() {
        for name in [
            "Error", "errorFor", "description", "fmt", "__str__", "raise_error",
        ] {
            assert!(describes(name), "{name}");
        }
        for name in ["send_message", "terror", "format", ""] {
            assert!(!describes(name), "{name}");
        }
    }

    #[test]
    fn parts_of_one_text_are_recognised() {
        for between in [
            "\"\n  ", "' + ", "' . $name . ", "\" \\\n ", "\" << name << ",
        ] {
            assert!(is_between_parts(between), "{between}");
        }
        for between in ["', ", "'; a = ", "') + f(b, ", "' if a else ", "' + a ? "] {
            assert!(!is_between_parts(between), "{between}");
        }
    }

    #[test]
    fn sentences_have_two_words() {
        assert!(is_sentence("\"not found\""));
        assert!(!is_sentence("\"found\""));
        assert!(!is_sentence("\"%s: %d - x\""));
    }
}

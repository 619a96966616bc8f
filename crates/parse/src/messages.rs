//! Decides which texts a user may see and paste into an issue: those that calls carry, by the callee, and other literals,
//! by the name that they get ([`named`]).

pub(crate) mod named;

use foveate_model::MessageKind;

/// Verbs before a noun of [`NOUNS`] in the names of functions that report it, in lower case.
const VERBS: [&str; 11] = [
    "add", "emit", "log", "print", "push", "raise", "report", "set", "show", "throw", "write",
];
const NOUNS: [&str; 5] = ["error", "exception", "message", "msg", "warning"];

/// Returns the kind of message that a call's string arguments are, by the dotted callee and its last name.
pub(crate) fn of_call(path: &str, name: &str) -> Option<MessageKind> {
    if is_error_name(name) || reports(name) {
        return Some(MessageKind::Error);
    }
    let is_warning = name.starts_with("warn") || name.starts_with("_warn");
    let is_level = matches!(
        name,
        "debug"
            | "info"
            | "error"
            | "critical"
            | "exception"
            | "fatal"
            | "log"
            | "trace"
            | "notice"
    );
    let receiver = || {
        let receiver = path.strip_suffix(name).unwrap_or("").trim_end_matches('.');
        receiver.rsplit('.').next().unwrap_or("")
    };
    (is_warning || (is_level && is_logger(receiver()))).then_some(MessageKind::Log)
}

/// Whether a name is that of an error class. Errors are usually raised where they are constructed: `const
/// error = new TypeError("…")`.
fn is_error_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && (name.ends_with("Error") || name.ends_with("Exception") || name.ends_with("Warning"))
}

/// Whether a name is that of a function that reports: `addError`, `set_message`.
fn reports(name: &str) -> bool {
    let mut words = words(name);
    words.next().is_some_and(|first| is_one_of(first, &VERBS))
        && words.last().is_some_and(|last| is_one_of(last, &NOUNS))
}

/// Whether a word is one of several, ignoring case.
pub(crate) fn is_one_of(word: &str, of: &[&str]) -> bool {
    of.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// Splits a name of any form into words: `serverLog`, `RETURN_ERROR_IF`, `log_debug`.
pub(crate) fn words(name: &str) -> impl Iterator<Item = &str> {
    let parts = name.split('_').filter(|part| !part.is_empty());
    parts.flat_map(|part| {
        let mut rest = part;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let bytes = rest.as_bytes();
            let end = (1..bytes.len()).find(|at| {
                let is_lower = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_lowercase);
                is_lower(at - 1) && !is_lower(*at)
            });
            let (word, after) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
            rest = after;
            Some(word)
        })
    })
}

fn is_logger(receiver: &str) -> bool {
    if matches!(receiver, "console" | "warnings" | "messages") {
        return true;
    }
    let name = receiver.trim_start_matches(['_', '#']);
    let lower = name.to_ascii_lowercase();
    lower.starts_with("log") || lower.ends_with("log") || lower.ends_with("logger")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loggers_and_errors_are_distinguished_from_other_calls() {
        for (path, kind) in [
            ("logger.info", Some(MessageKind::Log)),
            ("self.log.debug", Some(MessageKind::Log)),
            ("console.error", Some(MessageKind::Log)),
            ("warnings.warn", Some(MessageKind::Log)),
            ("warnOnce", Some(MessageKind::Log)),
            ("exc.HTTPException", Some(MessageKind::Error)),
            ("TypeError", Some(MessageKind::Error)),
            ("binder.addError", Some(MessageKind::Error)),
            ("set_error_message", Some(MessageKind::Error)),
            ("addErrorListener", None),
            ("message", None),
            ("Math.log", None),
            ("np.log", None),
            ("catalog_item.info", None),
            ("get", None),
        ] {
            let name = path.rsplit('.').next().unwrap_or(path);
            assert_eq!(of_call(path, name), kind, "{path}");
        }
    }
}

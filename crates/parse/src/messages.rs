//! Decides which calls carry text that a user may see and paste into an issue.

use foveate_model::MessageKind;

/// Returns the kind of message that a call's string arguments are, by the dotted callee and its last name.
pub(crate) fn of_call(path: &str, name: &str) -> Option<MessageKind> {
    if is_error_name(name) {
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
    let receiver = path.strip_suffix(name).unwrap_or("").trim_end_matches('.');
    let receiver = receiver.rsplit('.').next().unwrap_or("");
    (is_warning || (is_level && is_logger(receiver))).then_some(MessageKind::Log)
}

/// Whether a name is that of an error class. Errors are usually raised where they are constructed: `const
/// error = new TypeError("…")`.
fn is_error_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && (name.ends_with("Error") || name.ends_with("Exception") || name.ends_with("Warning"))
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

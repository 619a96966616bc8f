//! Stack traces of PHP.

use crate::traces::{Mark, Order, TraceForm, frame, leading_number};

pub(super) const TRACES: TraceForm = TraceForm {
    extensions: &["php"],
    read: numbered,
    ..TraceForm::NONE
};

/// `#0 /a.php(12): A->b()`.
fn numbered(text: &str) -> Option<Mark> {
    let rest = text.strip_prefix('#')?;
    if leading_number(rest) == 0 && !rest.starts_with('0') {
        return None;
    }
    let rest = rest
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .trim_start();
    let (path, rest) = rest.split_once(".php(")?;
    let function = rest
        .split_once("): ")
        .map_or("", |(_, name)| name)
        .replace("->", ".")
        .replace("::", ".");
    let path = format!("{path}.php");
    Some(Mark::Frame(
        frame((&path, leading_number(rest), 0), &function),
        Order::InnermostFirst,
    ))
}

//! Frames of debuggers.

use crate::traces::{Mark, Order, TraceForm, frame, is_path, leading_number, location};

pub(super) const C: TraceForm = TraceForm {
    extensions: &["c"],
    read: debugger,
    ..TraceForm::NONE
};

pub(super) const CPP: TraceForm = TraceForm {
    extensions: &["cc", "cpp"],
    ..TraceForm::NONE
};

/// gdb's `#1  0x… in f (…) at a.c:12`.
fn debugger(text: &str) -> Option<Mark> {
    let rest = text.strip_prefix('#')?;
    if leading_number(rest) == 0 && !rest.starts_with('0') {
        return None;
    }
    let rest = rest
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .trim_start();
    let (head, place) = rest.rsplit_once(" at ")?;
    let place = location(place).filter(|(path, ..)| is_path(path))?;
    let head = head.split_once(" in ").map_or(head, |(_, name)| name);
    Some(Mark::Frame(frame(place, head), Order::InnermostFirst))
}

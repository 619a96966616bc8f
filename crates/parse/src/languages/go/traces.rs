//! Panics of Go.

use crate::traces::{Mark, TraceForm, frame, location};

pub(super) const TRACES: TraceForm = TraceForm {
    extensions: &["go"],
    read: frame_location,
    is_header: |text| text.starts_with("goroutine ") && text.contains('['),
    is_error: |text| text.starts_with("panic: "),
    ..TraceForm::NONE
};

/// `/a/b.go:12 +0x1d`, below the name of the function.
fn frame_location(text: &str) -> Option<Mark> {
    let (place, offset) = text.split_once(" +0x").unwrap_or((text, ""));
    let place = location(place)?;
    let path = place.0;
    let go = path.ends_with(".go") && path.contains('/') && !path.contains(' ');
    (go && (!offset.is_empty() || path.starts_with('/'))).then(|| Mark::Location(frame(place, "")))
}

//! Panics and backtraces of Rust.

use crate::traces::{Mark, TraceForm, frame, is_path, location};

pub(super) const TRACES: TraceForm = TraceForm {
    extensions: &["rs"],
    read: frame_location,
    is_header: |text| text.contains("stack backtrace:"),
    is_error: |text| text.starts_with("thread '") && text.contains("panicked at"),
    ..TraceForm::NONE
};

/// `at ./src/a.rs:1:2`, below the name of the function.
fn frame_location(text: &str) -> Option<Mark> {
    let rest = text.strip_prefix("at ")?.trim_start();
    let place = location(rest.trim_end_matches([' ', '{', ',']))?;
    let is_meant = place.0.ends_with(".rs") && !place.0.contains(' ') && is_path(place.0);
    is_meant.then(|| Mark::Location(frame(place, "")))
}

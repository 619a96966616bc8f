//! Backtraces of Ruby.

use crate::traces::{Mark, Order, TraceForm, frame, leading_location};

pub(super) const TRACES: TraceForm = TraceForm {
    extensions: &["rb"],
    read: located,
    ..TraceForm::NONE
};

/// `a/b.rb:12:in 'name'`.
fn located(text: &str) -> Option<Mark> {
    let text = text.strip_prefix("from ").unwrap_or(text);
    let (place, rest) = leading_location(text, ".rb")?;
    let name = rest
        .strip_prefix("in ")?
        .trim_matches(['`', '\'', '"', ' ']);
    let name = name.split_once(['\'', '"']).map_or(name, |(name, _)| name);
    // `block in name` stands in `name`.
    let name = name.rsplit_once(" in ").map_or(name, |(_, name)| name);
    let name = name.replace(['#', ':'], ".").replace("..", ".");
    Some(Mark::Frame(frame(place, &name), Order::InnermostFirst))
}

//! Stack traces of C#.

use crate::traces::TraceForm;

pub(super) const TRACES: TraceForm = TraceForm {
    extensions: &["cs"],
    ..TraceForm::NONE
};

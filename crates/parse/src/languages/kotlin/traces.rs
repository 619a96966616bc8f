//! Stack traces of Kotlin.

use crate::traces::TraceForm;

pub(super) const TRACES: TraceForm = TraceForm {
    extensions: &["kt"],
    ..TraceForm::NONE
};

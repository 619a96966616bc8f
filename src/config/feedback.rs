//! Defines the settings for recording answers and feedback.

use serde::Deserialize;

/// The `[feedback]` table.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeedbackConfig {
    pub record: bool,
    pub queries: bool,
    pub retention_days: u32,
    pub max_answers: u32,
    pub queue: usize,
}

impl FeedbackConfig {
    /// Returns the numbers that must be at least 1.
    pub(super) fn numbers(&self) -> [(&'static str, u64); 3] {
        [
            ("feedback.retention_days", self.retention_days.into()),
            ("feedback.max_answers", self.max_answers.into()),
            ("feedback.queue", self.queue as u64),
        ]
    }
}

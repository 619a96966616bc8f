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

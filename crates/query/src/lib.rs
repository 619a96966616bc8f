//! Answers a request from a snapshot in four stages: [`intent`] detects the kind of help that is wanted,
//! [`resolve`] finds the definitions that the query names, [`rank`] orders files and functions,
//! [`assemble`] packs what fits the budget. Pure: no file, no randomness, and no clock but that of a
//! [`Deadline`]. Start at [`answer()`].

pub mod answer;
pub mod assemble;
pub mod config;
pub mod deadline;
mod declaration;
mod excerpt;
pub mod failure;
pub mod intent;
pub mod issue;
mod log_prefix;
pub mod lookup;
pub mod permalink;
#[cfg(test)]
mod processor_time;
pub mod rank;
pub mod request;
pub mod resolve;
pub mod text;
pub mod tokenizer;
mod unsafe_text;

pub use answer::{Answer, Timings, answer, warm};
pub use config::RankingConfig;
pub use deadline::Deadline;
pub use intent::{Intent, IntentKind};
pub use issue::{Issue, IssueCode};
pub use rank::{CandidateSignals, SignalValues, candidate_signals};
pub use request::{Breadth, Change, Deletion, Focus, Format, Hunk, Removed, Request, Seen};

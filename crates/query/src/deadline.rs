//! Tracks the deadline of an answer, and the optional work that was left out because it had passed. Nothing
//! here stops a thread, and without a deadline no clock is read.

use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Instant;

use crate::issue::{Issue, IssueCode};

foveate_model::named_enum! {
    /// Work that an answer can do without.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Stage {
        /// Resolving names, paths and frames of the query beyond the first ones.
        Names = "further names in the query",
        /// Finding names with a similar spelling.
        SimilarNames = "similar names",
        /// Searching words beyond the weightiest ones.
        Words = "less weighty words of the query",
        /// Evidence from past commits of functions.
        History = "past commits of functions",
        /// Uses of what the query names.
        Uses = "uses of the named definitions",
        /// Narrowing prose and settings to the section or key.
        Sections = "sections of prose and settings",
        /// Code beyond the best place.
        Bodies = "code below the best place",
        /// Finding near-duplicate bodies.
        NearDuplicates = "the search for near-duplicates",
        /// Cards of definitions that are named, used or nearby.
        Cards = "cards",
        /// Tests, callers and imports.
        Links = "tests, callers and imports",
    }
}

impl Stage {
    fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// The deadline of one answer, and the stages that were left out because it had passed.
#[derive(Debug, Default)]
pub struct Deadline {
    at: Option<Instant>,
    /// One bit per stage.
    left_out: AtomicU16,
}

impl Deadline {
    /// No deadline: nothing is left out.
    pub fn none() -> Self {
        Self::default()
    }

    /// Returns a deadline at `instant`.
    pub fn at(instant: Instant) -> Self {
        Self {
            at: Some(instant),
            ..Self::default()
        }
    }

    /// Whether it is too late for optional work.
    pub fn has_passed(&self) -> bool {
        self.at.is_some_and(|at| Instant::now() >= at)
    }

    /// Whether there is time for a stage or for its next step; if not, the stage is recorded as left out.
    pub fn allows(&self, stage: Stage) -> bool {
        let is_late = self.has_passed();
        if is_late {
            self.left_out.fetch_or(stage.bit(), Ordering::Relaxed);
        }
        !is_late
    }

    /// Returns an issue that names the stages left out, if any were.
    pub fn issue(&self) -> Option<Issue> {
        let left_out = self.left_out.load(Ordering::Relaxed);
        let stages = Stage::ALL.into_iter();
        let names: Vec<&str> = stages
            .filter(|stage| left_out & stage.bit() != 0)
            .map(Stage::name)
            .collect();
        (!names.is_empty()).then(|| {
            let lack = format!(
                "the deadline was close, so the answer lacks: {}",
                names.join(", ")
            );
            issue(&lack, "ask again later, ask with less text")
        })
    }
}

/// Returns an issue of a lookup that names what was not done before the deadline.
pub(crate) fn passed(what: &str) -> Issue {
    issue(
        &format!("the deadline has passed: {what}"),
        "ask again later",
    )
}

fn issue(lack: &str, advice: &str) -> Issue {
    let detail = format!("{lack}; {advice}, or raise answer.deadline_ms");
    Issue::new(IssueCode::Deadline, detail)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn passed_deadline_skips_stages_and_reports_them() {
        let hour = Instant::now() + Duration::from_secs(3600);
        for early in [Deadline::none(), Deadline::at(hour)] {
            assert!(Stage::ALL.into_iter().all(|stage| early.allows(stage)));
            assert_eq!(early.issue(), None);
        }
        let late = Deadline::at(Instant::now());
        assert_eq!(late.issue(), None);
        assert!(!late.allows(Stage::Links) && !late.allows(Stage::Names));
        let issue = late.issue().map(|issue| issue.detail).unwrap_or_default();
        assert!(
            issue.contains(
                "the answer lacks: further names in the query, tests, callers and imports;"
            ),
            "{issue}"
        );
    }

    #[test]
    fn each_stage_has_its_own_bit() {
        let bits = Stage::ALL.into_iter().map(Stage::bit);
        assert_eq!(bits.fold(0, |all, bit| all | bit).count_ones(), 10);
    }
}

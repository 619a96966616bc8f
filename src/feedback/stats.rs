//! Sums up answers and feedback, by repository and period.

use std::collections::BTreeMap;

use time::{Date, Duration, OffsetDateTime};

use super::Feedback;
use crate::access::Grant;
use crate::access::audit::{self, Action, Outcome};
use crate::store::{ChangeCounts, FeedbackDayRow, FeedbackSource, StoreError};

/// Length of a period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PeriodLength {
    /// A day in UTC.
    Day,
    /// A week in UTC, from Monday.
    #[default]
    Week,
}

/// Counts of answers and feedback.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FeedbackCounts {
    /// Stored answers.
    pub answers: i64,
    /// Feedback entries of clients.
    pub feedback: i64,
    /// Merged pull requests that were compared with an answer.
    pub merges: i64,
    /// Files and functions that these pull requests changed.
    pub merged: ChangeCounts,
    /// Files and functions that clients reported as changed.
    pub reported: ChangeCounts,
}

/// The figures of one day or week.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Period {
    /// First day of the period.
    pub start: Date,
    /// Counts within the period.
    pub figures: FeedbackCounts,
}

/// The figures of one repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepositoryStats {
    /// Name of the repository.
    pub repo: String,
    /// Counts over all stored answers.
    pub total: FeedbackCounts,
    /// Periods with at least one entry, oldest first.
    pub periods: Vec<Period>,
}

/// Why no figures are returned.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what failed")]
pub enum StatsError {
    #[error("no repository is called {0:?}")]
    UnknownRepo(String),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Feedback {
    /// Returns the figures of one repository, or of every repository with figures that the holder of the
    /// grant sees, sorted by name.
    pub async fn stats(
        &self,
        grant: &Grant,
        repo: Option<&str>,
        by: PeriodLength,
    ) -> Result<Vec<RepositoryStats>, StatsError> {
        let stats = self.stats_unaudited(grant, repo, by).await;
        let (seen, outcome) = match &stats {
            Ok(_) => (repo, Outcome::Done),
            Err(StatsError::UnknownRepo(_)) => (None, Outcome::Unknown),
            Err(StatsError::Store(_)) => (repo, Outcome::Failed),
        };
        audit::record(grant, Action::Stats, seen, outcome);
        stats
    }

    async fn stats_unaudited(
        &self,
        grant: &Grant,
        repo: Option<&str>,
        by: PeriodLength,
    ) -> Result<Vec<RepositoryStats>, StatsError> {
        if let Some(name) = repo.filter(|name| self.engine.get(grant, name).is_none()) {
            return Err(StatsError::UnknownRepo(name.to_owned()));
        }
        self.flush().await;
        let days = self.store.feedback_days().await?;
        let is_wanted = |name: &str| match repo {
            Some(repo) => repo == name,
            None => self.engine.get(grant, name).is_some(),
        };
        let mut repos = by_repository(&days, by, is_wanted);
        if let (true, Some(repo)) = (repos.is_empty(), repo) {
            repos.push(RepositoryStats {
                repo: repo.to_owned(),
                ..RepositoryStats::default()
            });
        }
        Ok(repos)
    }
}

/// Sums up the wanted repositories. `days` must be sorted by repository.
pub fn by_repository(
    days: &[FeedbackDayRow],
    by: PeriodLength,
    is_wanted: impl Fn(&str) -> bool,
) -> Vec<RepositoryStats> {
    let of_each = days.chunk_by(|a, b| a.repo == b.repo);
    let wanted = of_each.filter(|days| days.first().is_some_and(|day| is_wanted(&day.repo)));
    wanted.map(|days| summed(days, by)).collect()
}

/// Sums up the days of one repository.
fn summed(days: &[FeedbackDayRow], by: PeriodLength) -> RepositoryStats {
    let mut stats = RepositoryStats::default();
    let mut periods: BTreeMap<i64, FeedbackCounts> = BTreeMap::new();
    for day in days {
        stats.repo.clone_from(&day.repo);
        stats.total.add(day);
        periods.entry(by.start(day.day)).or_default().add(day);
    }
    let period = |(day, figures)| {
        let start = date(day)?;
        Some(Period { start, figures })
    };
    stats.periods = periods.into_iter().filter_map(period).collect();
    stats
}

impl PeriodLength {
    /// Returns the first day of the period that contains `day`; both count days since 1970-01-01, a Thursday.
    fn start(self, day: i64) -> i64 {
        match self {
            Self::Day => day,
            Self::Week => day - (day + 3).rem_euclid(7),
        }
    }
}

fn date(day: i64) -> Option<Date> {
    OffsetDateTime::UNIX_EPOCH
        .date()
        .checked_add(Duration::days(day))
}

impl FeedbackCounts {
    fn add(&mut self, day: &FeedbackDayRow) {
        match day.source {
            None => self.answers += day.number,
            Some(FeedbackSource::Merge) => {
                self.merges += day.number;
                add(&mut self.merged, day.counts);
            }
            Some(FeedbackSource::Caller) => {
                self.feedback += day.number;
                add(&mut self.reported, day.counts);
            }
        }
    }
}

fn add(sum: &mut ChangeCounts, counts: ChangeCounts) {
    sum.files += counts.files;
    sum.files_in_context += counts.files_in_context;
    sum.functions += counts.functions;
    sum.functions_in_context += counts.functions_in_context;
}

/// Returns `part` divided by `whole`, 0 to 1; `None` if `whole` is 0.
pub fn share(part: i64, whole: i64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(
        repo: &str,
        day: i64,
        source: Option<FeedbackSource>,
        in_context: i64,
    ) -> FeedbackDayRow {
        FeedbackDayRow {
            repo: repo.to_owned(),
            day,
            source,
            number: 2,
            counts: ChangeCounts {
                files: 4,
                files_in_context: in_context,
                functions: 0,
                functions_in_context: 0,
            },
        }
    }

    #[test]
    fn days_are_summed_into_weeks_and_totals() {
        let merge = Some(FeedbackSource::Merge);
        // 2026-11-22 is a Sunday.
        let sunday = 20_779;
        let days = [
            row("a", sunday, None, 0),
            row("a", sunday, merge, 1),
            row("a", sunday + 1, merge, 2),
            row("a", sunday + 7, Some(FeedbackSource::Caller), 3),
            row("hidden", sunday, None, 0),
        ];
        let stats = by_repository(&days, PeriodLength::Week, |name| name != "hidden");
        assert_eq!(stats.len(), 1);
        let starts: Vec<String> = stats[0]
            .periods
            .iter()
            .map(|period| period.start.to_string())
            .collect();
        assert_eq!(starts, ["2026-11-16", "2026-11-23"]);
        let total = stats[0].total;
        assert_eq!((total.answers, total.feedback), (2, 2));
        assert_eq!((total.merges, total.merged.files_in_context), (4, 3));
        assert_eq!(total.reported.files_in_context, 3);
        let last = &stats[0].periods[1].figures;
        assert_eq!((last.merges, last.feedback, last.answers), (2, 2, 0));
        assert_eq!(share(3, 8), Some(0.375));
        assert_eq!(share(0, 0), None);
        let by_day = by_repository(&days, PeriodLength::Day, |_| true);
        assert_eq!((by_day[0].periods.len(), by_day.len()), (3, 2));
    }
}

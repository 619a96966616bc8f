//! Loads the cases that a command works on, and finds their repositories.

use std::path::PathBuf;

use anyhow::bail;

use super::UsageError;
use crate::eval::case::{Case, Repositories, Selection, add_edits, read_cases};
use crate::eval::visit::Walk;
use crate::ingest::git::HistoryLimits;
use crate::wire::whole_number;

/// The arguments that choose cases.
#[derive(Debug, clap::Args)]
pub struct CaseArgs {
    /// Files of cases: one JSON object a line with id, repo, commit, query, gold_files and, where
    /// known, gold_functions, language, query_kind, intent.
    #[arg(required = true, value_name = "CASES.jsonl")]
    cases: Vec<PathBuf>,
    /// File with the edited stretches of cases: one JSON object a line with id and edits (file,
    /// start, end, inside).
    #[arg(long, value_name = "EDITS.jsonl")]
    edits: Option<PathBuf>,
    /// Path of a case's repository; `{owner}` and `{name}` are replaced.
    #[arg(long, value_name = "TEMPLATE")]
    repos: String,
    /// Table with tab-separated columns `repo` and `full_history_at`, for repositories that are stored
    /// under another owner or name.
    #[arg(long, value_name = "FILE")]
    aliases: Option<PathBuf>,
    /// Run at most this many cases, spread evenly over those selected.
    #[arg(long, value_parser = whole_number::parse::<usize>, value_name = "N")]
    limit_cases: Option<usize>,
    /// Run only repositories whose owner/name contains this.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Run only these kinds of query, such as `issue,commit`.
    #[arg(long, value_delimiter = ',', value_name = "KIND")]
    kinds: Vec<String>,
}

/// The arguments that control the walk over the cases.
#[derive(Debug, clap::Args)]
pub struct WalkArgs {
    /// Number of repositories processed at the same time.
    #[arg(long, default_value_t = 2, value_parser = whole_number::parse::<usize>, value_name = "N")]
    jobs: usize,
    /// Number of past commits loaded per case.
    #[arg(
        long,
        default_value_t = HistoryLimits::default().commits,
        value_parser = whole_number::parse::<usize>,
        value_name = "N"
    )]
    history: usize,
    /// Load no past commits.
    #[arg(long)]
    no_history: bool,
}

impl CaseArgs {
    /// Loads the cases, and the walk over them.
    ///
    /// # Errors
    /// When an input cannot be read or no case is selected.
    pub fn load(&self, walk: &WalkArgs) -> anyhow::Result<(Vec<Case>, Walk)> {
        let mut repositories = Repositories::new(self.repos.clone());
        if let Some(path) = &self.aliases {
            repositories = repositories.with_aliases(path).map_err(unusable)?;
        }
        let selection = Selection {
            only: self.only.clone(),
            kinds: self.kinds.clone(),
            limit: self.limit_cases,
        };
        let mut cases = selection.apply(read_cases(&self.cases).map_err(unusable)?);
        if let Some(path) = &self.edits {
            add_edits(&mut cases, path).map_err(unusable)?;
        }
        if cases.is_empty() {
            bail!(UsageError(
                "no case is selected: check --only, --kinds and --limit-cases".to_owned()
            ));
        }
        Ok((cases, walk.over(repositories)))
    }
}

impl WalkArgs {
    /// Returns the walk over cases of the given repositories.
    pub fn over(&self, repositories: Repositories) -> Walk {
        Walk {
            repositories,
            jobs: self.jobs,
            history: HistoryLimits {
                commits: if self.no_history { 0 } else { self.history },
                function_commits: self.history,
                ..HistoryLimits::default()
            },
        }
    }
}

fn unusable(error: anyhow::Error) -> UsageError {
    UsageError(format!("{error:#}"))
}

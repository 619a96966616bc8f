//! Orders files and functions: many weak signals, one explained sum.

use foveate_index::Snapshot;

use crate::answer::{RankedFile, RankedFunction};
use crate::config::RankingConfig;
use crate::resolve::Candidates;
use crate::text::QueryText;

/// The `[rank]` table of `config/ranking.toml`.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RankConfig {}

/// Files and functions, best first.
#[derive(Clone, Debug, Default)]
pub struct Ranked {
    /// The best files, at least the largest `limit` where there are as many.
    pub files: Vec<RankedFile>,
    /// The best functions.
    pub functions: Vec<RankedFunction>,
}

/// Ranks the files and functions of a snapshot.
pub fn rank(
    _snapshot: &Snapshot,
    _text: &QueryText,
    _candidates: &Candidates,
    _config: &RankingConfig,
) -> Ranked {
    Ranked::default()
}

//! Packs what the reader must see into the budget.

use foveate_index::Snapshot;
use foveate_model::Lines;

use crate::config::RankingConfig;
use crate::intent::Intent;
use crate::rank::Ranked;
use crate::request::Request;
use crate::resolve::Candidates;

/// The `[assemble]` table of `config/ranking.toml`.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AssembleConfig {}

/// How much of a definition is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fidelity {
    /// Signature, kind, place, one line of documentation; about 50 tokens.
    Compact,
    /// Also members and bases; about 120 tokens.
    Standard,
    /// Its whole text.
    Full,
}

/// One thing in the context.
#[derive(Clone, Debug)]
pub struct Item {
    /// The file that it is from.
    pub path: String,
    /// Qualified name, or empty for a stretch of a file.
    pub name: String,
    /// The lines that it describes (all of them are in the context where `fidelity` is `Full`
    /// and `cut` is false).
    pub lines: Lines,
    /// How much of it is shown.
    pub fidelity: Fidelity,
    /// Whether lines inside it were left out (marked in the text).
    pub cut: bool,
    /// What it costs, its own markup included.
    pub tokens: usize,
}

/// One part of the context.
#[derive(Clone, Debug)]
pub struct Section {
    /// `definitions`, `snippets`, `imports`, `tests` or `callers`.
    pub name: &'static str,
    /// Its share of the budget in tokens, before unused shares flowed over.
    pub budget: usize,
    /// What it used, its own tags included.
    pub used: usize,
    /// What is in it, in order.
    pub items: Vec<Item>,
}

/// Something relevant that is not in the context.
#[derive(Clone, Debug)]
pub struct Dropped {
    /// The file that it is from.
    pub path: String,
    /// Qualified name.
    pub name: String,
    /// What it would have cost; 0 where it could not be read.
    pub tokens: usize,
    /// `budget`, or the code of the reason why the file is not indexed.
    pub reason: &'static str,
}

/// The assembled context.
#[derive(Clone, Debug, Default)]
pub struct Pack {
    /// The rendered text.
    pub context: String,
    /// Tokens of `context`, at most the budget.
    pub used: usize,
    /// What is in it.
    pub sections: Vec<Section>,
    /// What is not.
    pub dropped: Vec<Dropped>,
}

/// Assembles the context for a ranked answer.
pub fn assemble(
    _snapshot: &Snapshot,
    _request: &Request,
    _intent: &Intent,
    _candidates: &Candidates,
    _ranked: &Ranked,
    _config: &RankingConfig,
) -> Pack {
    Pack::default()
}

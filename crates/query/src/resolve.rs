//! The definitions and files that the query names.

use foveate_index::{DefId, FileId, Snapshot};

use crate::answer::ResolvedSymbol;
use crate::config::RankingConfig;
use crate::request::Focus;
use crate::text::QueryText;

/// The `[resolve]` table of `config/ranking.toml`.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResolveConfig {}

/// Evidence that the query means a definition.
#[derive(Clone, Copy, Debug)]
pub struct Evidence {
    /// Which definition.
    pub definition: DefId,
    /// 0 to 1: the weight of the kind of mention divided by how many definitions share the name.
    pub strength: f32,
    /// How it was found: `backtick`, `traceback`, `fuzzy`, ….
    pub from: &'static str,
}

/// What the query names.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    /// For the reader.
    pub symbols: Vec<ResolvedSymbol>,
    /// Definitions, by id, each with all its evidence.
    pub definitions: Vec<Evidence>,
    /// Files named by path, frame, import or focus, with their strength and origin.
    pub files: Vec<(FileId, f32, &'static str)>,
}

/// Resolves what the query names.
pub fn resolve(
    _snapshot: &Snapshot,
    _text: &QueryText,
    _focus: &Focus,
    _config: &RankingConfig,
) -> Candidates {
    Candidates::default()
}

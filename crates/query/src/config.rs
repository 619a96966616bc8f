//! Reads weights and budgets from `config/ranking.toml`. The committed file is compiled in as the
//! default, so that each number is written in one place only.

use serde::Deserialize;

use crate::assemble::AssembleConfig;
use crate::rank::RankConfig;
use crate::resolve::ResolveConfig;

/// All numbers used to rank and assemble. Each is explained in `config/ranking.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RankingConfig {
    /// Finding what the query names.
    pub resolve: ResolveConfig,
    /// Ordering files and functions.
    pub rank: RankConfig,
    /// Packing the context.
    pub assemble: AssembleConfig,
}

/// The committed defaults.
pub const DEFAULT_RANKING: &str = include_str!("../config/ranking.toml");

impl RankingConfig {
    /// Reads a whole ranking file.
    ///
    /// # Errors
    /// When a key is missing, unknown or of another type; the message names it.
    pub fn parse(text: &str) -> Result<Self, toml::de::Error> {
        toml::from_str(text)
    }
}

impl Default for RankingConfig {
    /// The committed `config/ranking.toml`.
    ///
    /// # Panics
    /// Never in a build whose tests pass: the file is part of the build and a test reads it.
    fn default() -> Self {
        match Self::parse(DEFAULT_RANKING) {
            Ok(config) => config,
            Err(error) => unreachable!("config/ranking.toml: {error}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn committed_file_parses_and_unknown_keys_are_named() {
        assert!(RankingConfig::parse(DEFAULT_RANKING).is_ok());
        let extra = format!("{DEFAULT_RANKING}\n[nonsense]\nx = 1\n");
        let error = RankingConfig::parse(&extra).err().map(|e| e.to_string());
        assert!(error.is_some_and(|e| e.contains("nonsense")));
    }
}

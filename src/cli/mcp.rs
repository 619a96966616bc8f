//! The arguments of `foveate mcp`.

use std::path::{Path, PathBuf};

use super::cache::{CacheArgs, RunCache};

/// Answer a coding agent's questions about a directory over standard input and output (Model Context Protocol).
///
/// No server is needed. The index follows file changes. It is stored in the cache of `foveate context`.
#[derive(Debug, clap::Args)]
pub struct McpArgs {
    /// A working tree, a plain directory or a bare repository.
    #[arg(value_name = "DIR", default_value = ".")]
    pub directory: PathBuf,
    /// Filter of the log on standard error.
    #[arg(
        long,
        env = "FOVEATE__LOG__FILTER",
        default_value = "warn",
        value_name = "FILTER"
    )]
    pub log_filter: String,
    #[command(flatten)]
    cache: CacheArgs,
}

impl McpArgs {
    /// Opens the cache for the repository at `root`, which is canonical.
    pub fn cache(&self, root: &Path) -> RunCache {
        RunCache::open(&self.cache, root)
    }
}

//! The arguments of `foveate serve`.

use std::path::PathBuf;

/// Serve answers over HTTP and keep the repositories' indexes current.
///
/// Settings come from the built-in defaults, then --config, then environment variables
/// FOVEATE__SECTION__KEY, then these arguments.
#[derive(Debug, clap::Args)]
pub struct ServeArgs {
    /// Address and port to listen on [default: 127.0.0.1:7878].
    #[arg(long, value_name = "ADDR")]
    pub listen: Option<String>,
    /// The data directory [default: $XDG_DATA_HOME/foveate or ~/.local/share/foveate].
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// A TOML file with settings; see config/default.toml for every key.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// A working tree to index and watch, registered under the name of its directory. May be given more than
    /// once.
    #[arg(long, value_name = "DIR")]
    pub watch: Vec<PathBuf>,
}

//! `foveate completions` and `foveate man`: generates shell completions and manual pages from the command
//! line's arguments.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Command, CommandFactory as _};
use clap_complete::Shell;

use super::Arguments;

/// Print the completion script of a shell
///
/// Save it where the shell loads it from:
///
/// bash: ~/.local/share/bash-completion/completions/foveate
/// zsh:  _foveate in a directory of $fpath
/// fish: ~/.config/fish/completions/foveate.fish
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct CompletionsArgs {
    /// The shell.
    shell: Shell,
}

/// Write the manual pages into a directory, one for each command.
#[derive(Debug, clap::Args)]
pub struct ManArgs {
    /// The directory; it is created if it does not exist.
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

/// Prints the completion script.
///
/// # Errors
/// When standard output cannot be written to.
pub fn completions(args: &CompletionsArgs) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut visible_commands(), "foveate", &mut script);
    super::stdout().write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the command line without the commands that only programs run.
fn visible_commands() -> Command {
    let all = Arguments::command();
    let visible = all
        .get_subcommands()
        .filter(|command| !command.is_hide_set());
    Command::new("foveate")
        .version(env!("CARGO_PKG_VERSION"))
        .args(all.get_arguments().cloned())
        .subcommands(visible.cloned())
}

/// Writes the manual pages.
///
/// # Errors
/// When the directory cannot be written to.
pub fn man(args: &ManArgs) -> anyhow::Result<ExitCode> {
    let directory = &args.directory;
    let failed = || format!("cannot write to {}", directory.display());
    std::fs::create_dir_all(directory).with_context(failed)?;
    clap_mangen::generate_to(Arguments::command(), directory).with_context(failed)?;
    Ok(ExitCode::SUCCESS)
}

//! Copies of remote repositories in the data directory. The only place that talks to a network; a
//! copy appears whole or not at all.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use super::{GitError, command};

/// The copy of a remote repository.
#[derive(Clone, Debug)]
pub struct RemoteCopy {
    url: String,
    directory: PathBuf,
    timeout: Duration,
}

impl RemoteCopy {
    /// The copy of `url` at `directory`, which need not exist yet.
    pub fn new(url: String, directory: PathBuf, timeout: Duration) -> Self {
        Self {
            url,
            directory,
            timeout,
        }
    }

    /// Where it is.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Whether it was made before.
    pub fn exists(&self) -> bool {
        self.directory.join("HEAD").exists()
    }

    /// Makes the copy. Dropping the future ends git.
    ///
    /// # Errors
    /// When git fails or takes too long.
    pub async fn clone(&self) -> Result<(), GitError> {
        let unfinished = self.directory.with_extension("unfinished");
        remove(&unfinished).await?;
        if let Some(parent) = self.directory.parent() {
            tokio::fs::create_dir_all(parent).await?;
        }
        let mut command = command::git();
        command
            .args(["clone", "--bare", "--quiet", "--no-hardlinks", "--"])
            .arg(&self.url)
            .arg(&unfinished);
        self.run("clone", command).await?;
        tokio::fs::rename(&unfinished, &self.directory).await?;
        Ok(())
    }

    /// Brings branches and tags up to date. Dropping the future ends git.
    ///
    /// # Errors
    /// When git fails or takes too long.
    pub async fn fetch(&self) -> Result<(), GitError> {
        let mut command = command::git_in(&self.directory);
        command
            .args(["fetch", "--quiet", "--prune", "--no-write-fetch-head"])
            .args(["--no-recurse-submodules", "--", "origin"])
            .args(["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"]);
        self.run("fetch", command).await
    }

    /// Removes the copy.
    ///
    /// # Errors
    /// When files cannot be removed.
    pub async fn remove(&self) -> Result<(), GitError> {
        remove(&self.directory.with_extension("unfinished")).await?;
        remove(&self.directory).await?;
        Ok(())
    }

    async fn run(
        &self,
        subcommand: &'static str,
        mut command: std::process::Command,
    ) -> Result<(), GitError> {
        // Nobody is there to type a password.
        if std::env::var_os("GIT_SSH_COMMAND").is_none() {
            command.env("GIT_SSH_COMMAND", "ssh -oBatchMode=yes");
        }
        let output = tokio::process::Command::from(command)
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .output();
        let output = match tokio::time::timeout(self.timeout, output).await {
            Ok(output) => output.map_err(command::start_error)?,
            Err(_) => {
                return Err(GitError::Timeout {
                    subcommand,
                    seconds: self.timeout.as_secs(),
                    setting: "git.timeout_seconds",
                });
            }
        };
        if output.status.success() {
            return Ok(());
        }
        Err(GitError::Failed {
            subcommand: subcommand.to_owned(),
            stderr: command::first_lines(&output.stderr),
        })
    }
}

async fn remove(directory: &Path) -> Result<(), GitError> {
    match tokio::fs::remove_dir_all(directory).await {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

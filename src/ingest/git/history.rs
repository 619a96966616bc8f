//! The past commits of a revision, read from one `git log` and bounded in size. Renames are never
//! detected: that would read blobs, which a partial clone may lack.

use std::collections::HashMap;

use foveate_model::{Commit, History, RepoPath};

use super::{GitError, GitRepo, command};

/// How much of the past is kept.
#[derive(Clone, Copy, Debug)]
pub struct HistoryLimits {
    /// Commits, merges not counted.
    pub commits: usize,
    /// Bytes of one message; the rest is cut.
    pub message_bytes: usize,
    /// Paths of one commit. One that touched more (a reformatting, an import) keeps its message
    /// and no path: it says nothing about any of them.
    pub paths_per_commit: usize,
}

impl Default for HistoryLimits {
    fn default() -> Self {
        Self {
            commits: 5000,
            message_bytes: 4096,
            paths_per_commit: 200,
        }
    }
}

/// Starts a record; cannot stand in a message that git accepts as text.
const RECORD: u8 = 0x1e;
/// Ends the message of a record.
const UNIT: u8 = 0x1f;

pub(super) fn load(
    repo: &GitRepo,
    commit: &str,
    limits: &HistoryLimits,
) -> Result<History, GitError> {
    if limits.commits == 0 {
        return Ok(History::default());
    }
    let mut command = command::git_in(&repo.git_dir);
    command
        .args(["log", "--no-renames", "--no-merges", "--no-ext-diff"])
        .args(["--no-textconv", "--encoding=UTF-8", "--name-only", "-z"])
        .arg(format!("--max-count={}", limits.commits))
        .arg("--format=%x1e%B%x1f");
    if !repo.prefix.is_empty() {
        command.arg(format!("--relative={}", repo.prefix));
    }
    command.args(["--end-of-options", commit, "--"]);
    if !repo.prefix.is_empty() {
        command.arg(format!(":(top,literal){}", repo.prefix));
    }
    Ok(parse(&command::stdout(&mut command)?, limits))
}

fn parse(output: &[u8], limits: &HistoryLimits) -> History {
    let mut known: HashMap<&str, RepoPath> = HashMap::new();
    let mut commits = Vec::new();
    for record in output.split(|b| *b == RECORD).skip(1) {
        let mut parts = record.splitn(2, |b| *b == UNIT);
        let message = parts.next().unwrap_or_default();
        let names: Vec<&str> = parts
            .next()
            .unwrap_or_default()
            .split(|b| *b == 0)
            .filter_map(|name| std::str::from_utf8(name).ok())
            .map(|name| name.trim_start_matches('\n'))
            .filter(|name| !name.is_empty())
            .collect();
        let mut paths = Vec::new();
        if names.len() <= limits.paths_per_commit {
            paths.reserve_exact(names.len());
            for name in names {
                if let Some(path) = known.get(name) {
                    paths.push(path.clone());
                } else if let Ok(path) = RepoPath::new(name) {
                    known.insert(name, path.clone());
                    paths.push(path);
                }
            }
        }
        commits.push(Commit {
            message: cut(message, limits.message_bytes),
            paths,
        });
    }
    History { commits }
}

fn cut(message: &[u8], bytes: usize) -> String {
    let text = String::from_utf8_lossy(message);
    let text = text.trim_end();
    text[..text.floor_char_boundary(bytes)].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_and_paths_are_told_apart() {
        let output = b"\x1efix typo\n\nbody\n\x1f\0\ndocs/a.rst\0b.py\0\x1eempty\x1f\0\x1elast\x1f\0\nb.py\0";
        let limits = HistoryLimits {
            paths_per_commit: 1,
            message_bytes: 12,
            ..HistoryLimits::default()
        };
        let history = parse(output, &limits);
        let seen: Vec<(&str, Vec<&str>)> = history
            .commits
            .iter()
            .map(|c| (&*c.message, c.paths.iter().map(RepoPath::as_str).collect()))
            .collect();
        assert_eq!(
            seen,
            [
                ("fix typo\n\nbo", vec![]),
                ("empty", vec![]),
                ("last", vec!["b.py"])
            ]
        );
    }
}

//! Reads id, author and message of commits, and selects the commits of a history.

use foveate_model::ObjectId;

use super::{Reader, touched_files};
use crate::ingest::git::{GitError, stream};

/// Longest header of a commit that is read (all before its message), in bytes.
pub const MAX_HEADER_BYTES: usize = 1024;

/// Metadata and message of a commit.
pub struct CommitMetadata {
    pub parents: Vec<ObjectId>,
    pub id: ObjectId,
    pub is_bot: bool,
    pub message: String,
}

impl Reader<'_> {
    /// Returns the commits of the history of a commit, newest first.
    pub(super) fn commit_metadata(&self, commit: &str) -> Result<Vec<CommitMetadata>, GitError> {
        let mut command = self.repo.command()?;
        command
            .args(["log", "-z", "--no-follow", "--encoding=UTF-8"])
            // Usually at most every other commit is a merge.
            .arg(format!(
                "--max-count={}",
                self.limits.commits.saturating_mul(2)
            ))
            .arg(format!("--format={FORMAT}"))
            .args(["--end-of-options", commit, "--"])
            .args(self.repo.pathspec());
        let mut commits = Vec::new();
        let max_bytes = MAX_HEADER_BYTES + self.limits.message_bytes;
        let mut remaining = self.limits.commits;
        let mut take = |piece: &[u8]| {
            let Some(metadata) = parse(piece, self.limits.message_bytes) else {
                return;
            };
            let is_merge = metadata.parents.len() > 1;
            if remaining == 0 || is_merge && !is_informative(&metadata.message) {
                return;
            }
            remaining -= usize::from(!is_merge);
            commits.push(metadata);
        };
        stream::pieces(
            &mut command,
            b"",
            (0, max_bytes),
            &self.run_limits,
            &mut take,
        )?;
        Ok(commits)
    }
}

/// Whether the message of a merge describes its changes, as that of a pull request does, instead of only saying
/// that it is a merge.
pub fn is_informative(message: &str) -> bool {
    let lines = message.lines().map(|line| line.trim().to_ascii_lowercase());
    let is_boilerplate =
        |line: &String| line.is_empty() || line.starts_with("merge") || line.starts_with('#');
    lines
        .take_while(|line| !line.starts_with("conflicts:"))
        .any(|line| !is_boilerplate(&line))
}

/// Format of a commit in the output of `log`, for [`parse`].
pub const FORMAT: &str = "%P%n%H%n%an%n%ae%n%B";

/// Parses the lines of parents, id, author and email, and the message after them.
pub fn parse(piece: &[u8], message_bytes: usize) -> Option<CommitMetadata> {
    let mut lines = piece.splitn(5, |byte| *byte == b'\n');
    let parents = lines.next()?.split(|byte| *byte == b' ');
    let parents = parents.filter_map(touched_files::id).collect();
    let id = touched_files::id(lines.next()?)?;
    let name = String::from_utf8_lossy(lines.next()?);
    let email = String::from_utf8_lossy(lines.next()?);
    Some(CommitMetadata {
        parents,
        id,
        is_bot: is_bot(&name, &email),
        message: cut(lines.next().unwrap_or_default(), message_bytes),
    })
}

fn cut(message: &[u8], bytes: usize) -> String {
    let text = String::from_utf8_lossy(message);
    let text = text.trim_end();
    text[..text.floor_char_boundary(bytes)].to_owned()
}

/// Whether an author is a bot, judged by the names that bots commonly use.
pub fn is_bot(name: &str, email: &str) -> bool {
    const KNOWN: [&str; 9] = [
        "dependabot", "renovate", "pre-commit-ci", "greenkeeper", "github-actions", "snyk-bot",
        "codecov", "transifex", "weblate",
    ];
    let (name, email) = (name.to_lowercase(), email.to_lowercase());
    let user = email.split('@').next().unwrap_or_default();
    let ends_as_bot = |text: &str| {
        ["[bot]", "-bot", " bot", "_bot"]
            .iter()
            .any(|end| text.ends_with(end))
    };
    ends_as_bot(&name)
        || ends_as_bot(user)
        || [&*name, user].contains(&"bot")
        || KNOWN.contains(&&*name)
}

//! Reads id, author and message of commits, and selects the commits of a history.

use foveate_model::ObjectId;

use super::{Reader, touched_files};
use crate::ingest::git::{GitError, stream};

/// Longest header of a commit that is read (all before its message), in bytes.
pub const MAX_HEADER_BYTES: usize = 1024;

/// Metadata and message of a commit.
pub struct CommitMetadata {
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
            .arg("--format=%P%n%H%n%an%n%ae%n%B")
            .args(["--end-of-options", commit, "--"])
            .args(self.repo.pathspec());
        let mut commits = Vec::new();
        let max_bytes = MAX_HEADER_BYTES + self.limits.message_bytes;
        let mut remaining = self.limits.commits;
        let mut take = |piece: &[u8]| {
            let Some((parents, metadata)) = with_parents(piece, self.limits.message_bytes) else {
                return;
            };
            if remaining == 0 || parents > 1 && !is_informative(&metadata.message) {
                return;
            }
            remaining -= usize::from(parents <= 1);
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

/// Parses a commit that follows a line of its parents, and the number of parents.
fn with_parents(piece: &[u8], message_bytes: usize) -> Option<(usize, CommitMetadata)> {
    let end = piece.iter().position(|byte| *byte == b'\n')?;
    let parents = piece[..end].split(|byte| *byte == b' ');
    let parents = parents.filter(|id| !id.is_empty()).count();
    Some((parents, parse(&piece[end + 1..], message_bytes)?))
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

/// Parses the lines of id, author and email, and the message after them.
pub fn parse(piece: &[u8], message_bytes: usize) -> Option<CommitMetadata> {
    let mut lines = piece.splitn(4, |byte| *byte == b'\n');
    let id = touched_files::id(lines.next()?)?;
    let name = String::from_utf8_lossy(lines.next()?);
    let email = String::from_utf8_lossy(lines.next()?);
    Some(CommitMetadata {
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

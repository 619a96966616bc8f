//! Reads the files that single commits modified, with the commits' first parents. The history of a revision
//! lists files under their present paths; this keeps the paths of each commit. Reads only trees, no blobs.

use std::ops::Range;

use foveate_model::{ObjectId, RepoPath};

use super::Reader;
use super::commit_metadata::{self, MAX_HEADER_BYTES};
use super::touched_files::{self, COMMIT};
use crate::ingest::git::{GitError, stream};

/// A commit with one parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitChange {
    /// The commit.
    pub id: ObjectId,
    /// Its parent.
    pub parent: ObjectId,
    /// Whether its author is a bot.
    pub is_bot: bool,
    /// Its message, truncated as in a history.
    pub message: String,
    /// The files that it modified, without added, removed and renamed ones.
    pub modified: Vec<RepoPath>,
}

impl Reader<'_> {
    /// Reads the ancestors of a commit that have one parent, newest first, at a range of positions.
    pub(super) fn changes(
        &self,
        commit: &str,
        positions: Range<usize>,
    ) -> Result<Vec<CommitChange>, GitError> {
        let mut command = self.repo.command()?;
        command.args(["log", "-z", "--min-parents=1", "--max-parents=1"]);
        command.args(["--no-ext-diff", "--no-textconv", "--no-color"]);
        command.args(["--no-follow", "--encoding=UTF-8", "--name-status"]);
        // A renamed file appears as one removed and one added.
        command.args(["--no-renames", "--ignore-submodules=all"]);
        command
            .arg(format!("--skip={}", positions.start))
            .arg(format!("--max-count={}", positions.len()))
            .arg(format!("--format=%x1e{}", commit_metadata::FORMAT));
        command.arg(self.repo.relative_option());
        command.args(["--end-of-options", commit, "--"]);
        command.args(self.repo.pathspec());
        let mut reader = ChangesReader {
            message_bytes: self.limits.message_bytes,
            done: Vec::new(),
            expected: None,
        };
        let max_bytes =
            (MAX_HEADER_BYTES + self.limits.message_bytes).max(touched_files::MAX_PATH_BYTES);
        let mut take = |piece: &[u8]| reader.take(piece);
        stream::pieces(
            &mut command,
            b"",
            (0, max_bytes),
            &self.run_limits,
            &mut take,
        )?;
        Ok(reader.done.into_iter().flatten().collect())
    }
}

/// Parses output that is split at NUL bytes.
struct ChangesReader {
    message_bytes: usize,
    /// `None` for a commit that could not be parsed, so that its files do not go to another one.
    done: Vec<Option<CommitChange>>,
    /// For the path of a file that is expected next, whether its status is `M`; `None`: a commit or a status follows.
    expected: Option<bool>,
}

impl ChangesReader {
    fn take(&mut self, piece: &[u8]) {
        match self.expected.take() {
            None => self.status(piece.trim_ascii_start()),
            Some(true) => self.modified(piece),
            Some(false) => {}
        }
    }

    fn status(&mut self, piece: &[u8]) {
        match piece.first() {
            None => {}
            Some(&COMMIT) => self.done.push(change(&piece[1..], self.message_bytes)),
            Some(status) => self.expected = Some(*status == b'M'),
        }
    }

    fn modified(&mut self, path: &[u8]) {
        let path = std::str::from_utf8(path).ok();
        let path = path.and_then(|path| RepoPath::new(path).ok());
        if let (Some(Some(change)), Some(path)) = (self.done.last_mut(), path) {
            change.modified.push(path);
        }
    }
}

/// Parses a commit, without its files.
fn change(piece: &[u8], message_bytes: usize) -> Option<CommitChange> {
    let metadata = commit_metadata::parse(piece, message_bytes)?;
    Some(CommitChange {
        id: metadata.id,
        parent: *metadata.parents.first()?,
        is_bot: metadata.is_bot,
        message: metadata.message,
        modified: Vec::new(),
    })
}

//! What single commits changed in files that were there before, with their first parents. Unlike the
//! history of a revision, which speaks of all files by their present names, this keeps each commit
//! as it was made. Trees alone are read.

use std::ops::Range;

use foveate_model::{ObjectId, RepoPath};

use super::Reader;
use super::heads::{HEAD_BYTES, head};
use super::names::{self, COMMIT};
use crate::ingest::git::{GitError, stream};

/// A commit with one parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitChange {
    /// The commit.
    pub id: ObjectId,
    /// The tree that it was made on.
    pub parent: ObjectId,
    /// Whether its author is a program.
    pub is_bot: bool,
    /// Its message, cut as in a history.
    pub message: String,
    /// The files that it changed and neither added, removed nor renamed.
    pub modified: Vec<RepoPath>,
}

impl Reader<'_> {
    /// The ancestors of a commit with one parent, newest first, those of a range of positions.
    pub(super) fn changes(
        &self,
        commit: &str,
        positions: Range<usize>,
    ) -> Result<Vec<CommitChange>, GitError> {
        let mut command = self.repo.command()?;
        command.args(["log", "-z", "--min-parents=1", "--max-parents=1"]);
        command.args(["--no-ext-diff", "--no-textconv", "--no-color"]);
        command.args(["--no-follow", "--encoding=UTF-8", "--name-status"]);
        // A renamed file counts as one that went and one that came.
        command.args(["--no-renames", "--ignore-submodules=all"]);
        command
            .arg(format!("--skip={}", positions.start))
            .arg(format!("--max-count={}", positions.len()))
            .arg("--format=%x1e%P%n%H%n%ct%n%an%n%ae%n%B");
        if !self.repo.prefix.is_empty() {
            command.arg(format!("--relative={}", self.repo.prefix));
        }
        command.args(["--end-of-options", commit, "--"]);
        if !self.repo.prefix.is_empty() {
            command.arg(format!(":(top,literal){}", self.repo.prefix));
        }
        let mut reader = ChangesReader {
            message_bytes: self.limits.message_bytes,
            done: Vec::new(),
            expected: Expected::Status,
        };
        let longest = (HEAD_BYTES + self.limits.message_bytes).max(names::LONGEST);
        let mut take = |piece: &[u8]| reader.take(piece);
        stream::pieces(&mut command, b"", (0, longest), &self.patience, &mut take)?;
        Ok(reader.done.into_iter().flatten().collect())
    }
}

/// Reads pieces that NUL bytes end.
struct ChangesReader {
    message_bytes: usize,
    /// Nothing for a commit that was not understood: its files are not another's.
    done: Vec<Option<CommitChange>>,
    expected: Expected,
}

/// What the next piece is.
#[derive(Clone, Copy)]
enum Expected {
    /// A commit, or what happened to a file.
    Status,
    /// The path of a file, and whether it was there before and after.
    Path { is_modified: bool },
}

impl ChangesReader {
    fn take(&mut self, piece: &[u8]) {
        match std::mem::replace(&mut self.expected, Expected::Status) {
            Expected::Status => self.status(piece.trim_ascii_start()),
            Expected::Path { is_modified: true } => self.modified(piece),
            Expected::Path { is_modified: false } => {}
        }
    }

    fn status(&mut self, piece: &[u8]) {
        match piece.first() {
            None => {}
            Some(&COMMIT) => self.done.push(change(&piece[1..], self.message_bytes)),
            Some(status) => {
                self.expected = Expected::Path {
                    is_modified: *status == b'M',
                }
            }
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

/// A commit without its files.
fn change(piece: &[u8], message_bytes: usize) -> Option<CommitChange> {
    let end = piece.iter().position(|byte| *byte == b'\n')?;
    let head = head(&piece[end + 1..], message_bytes)?;
    Some(CommitChange {
        id: head.id,
        parent: names::id(&piece[..end])?,
        is_bot: head.is_bot,
        message: head.message,
        modified: Vec::new(),
    })
}

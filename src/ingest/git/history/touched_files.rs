//! Finds the files that commits touched, from `git log --name-status`. This reads only trees, and blobs of
//! files that were added and removed in one commit, to detect renames.

use std::process::Command;

use foveate_model::{ObjectId, RepoPath};

use super::commit_record::TouchedFiles;

/// Byte that starts the line of a commit.
pub const COMMIT: u8 = 0x1e;
/// Length at which a piece is truncated, in bytes; longer paths are ignored. Leaves room for the text before a path.
pub const MAX_PATH_BYTES: usize = 4100;
/// Maximum renames kept per commit.
const MAX_RENAMES: usize = 20_000;

/// Whether files that were added and removed in one commit are matched as renames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renames {
    /// They are matched by content.
    Found,
    /// They are not matched, because blobs are missing.
    Ignored,
}

/// Adds the arguments of every `log` of given commits that control the diffs. They override the repository's
/// settings.
pub fn add_arguments(command: &mut Command, renames: Renames) {
    command.args(["log", "--stdin", "--no-walk=unsorted", "--root"]);
    // The changes of a merge are those against its first parent, the branch that it was merged into.
    command.args(["--diff-merges=first-parent", "--first-parent"]);
    command.args([
        "--no-ext-diff", "--no-textconv", "--no-color", "--no-follow",
    ]);
    command.args(["--ignore-submodules=all", "--submodule=short"]);
    match renames {
        // Copies are not detected. Above the limit, only renames without a change are found.
        Renames::Found => command.args(["-M", "-l400"]),
        Renames::Ignored => command.arg("--no-renames"),
    };
    command.arg("--format=%x1e%H");
}

/// Parses output that is split at NUL bytes.
pub struct TouchedFilesReader<'a> {
    paths_per_commit: usize,
    intern: &'a mut dyn FnMut(&str) -> Option<RepoPath>,
    /// Commits that were read completely.
    pub done: Vec<(ObjectId, TouchedFiles)>,
    /// The commit that is being read.
    pub current: Option<(ObjectId, TouchedFiles)>,
    paths: usize,
    expected: Expected,
}

/// Kind of the next piece.
#[derive(Debug)]
enum Expected {
    /// A commit, or the status of a file.
    Status,
    /// The path of a file.
    Path,
    /// The earlier path of a renamed file.
    OldPath,
    /// The later path of a renamed file, after the earlier one.
    NewPath(Option<RepoPath>),
}

impl<'a> TouchedFilesReader<'a> {
    /// Creates a reader. A commit that touched more than `paths_per_commit` paths keeps only its renames.
    pub fn new(
        paths_per_commit: usize,
        intern: &'a mut dyn FnMut(&str) -> Option<RepoPath>,
    ) -> Self {
        Self {
            paths_per_commit,
            intern,
            done: Vec::new(),
            current: None,
            paths: 0,
            expected: Expected::Status,
        }
    }

    /// Parses the next piece.
    pub fn take(&mut self, piece: &[u8]) {
        match std::mem::replace(&mut self.expected, Expected::Status) {
            Expected::Status => self.status(piece),
            Expected::Path => {
                let path = self.path(piece);
                self.touched(path);
            }
            Expected::OldPath => self.expected = Expected::NewPath(self.path(piece)),
            Expected::NewPath(old) => {
                let new = self.path(piece);
                self.renamed(old, new.clone());
                self.touched(new);
            }
        }
    }

    /// Completes the current commit. To be called only if git succeeded.
    pub fn finish(&mut self) {
        self.paths = 0;
        self.done.extend(self.current.take());
    }

    fn status(&mut self, piece: &[u8]) {
        let piece = piece.trim_ascii_start();
        match piece.first() {
            None => {}
            Some(&COMMIT) => {
                self.finish();
                self.current = id(&piece[1..]).map(|id| (id, TouchedFiles::default()));
            }
            Some(b'R') => self.expected = Expected::OldPath,
            Some(_) => self.expected = Expected::Path,
        }
    }

    fn path(&mut self, piece: &[u8]) -> Option<RepoPath> {
        if piece.len() >= MAX_PATH_BYTES {
            return None;
        }
        (self.intern)(std::str::from_utf8(piece).ok()?)
    }

    fn touched(&mut self, path: Option<RepoPath>) {
        self.paths += 1;
        let Some((_, touched)) = &mut self.current else {
            return;
        };
        if self.paths > self.paths_per_commit {
            touched.files = Vec::new();
        } else {
            touched.files.extend(path);
        }
    }

    fn renamed(&mut self, old: Option<RepoPath>, new: Option<RepoPath>) {
        if let (Some((_, touched)), Some(old), Some(new)) = (&mut self.current, old, new)
            && touched.renames.len() < MAX_RENAMES
        {
            touched.renames.push((old, new));
        }
    }
}

/// Parses the object id in a line.
pub fn id(text: &[u8]) -> Option<ObjectId> {
    let text = std::str::from_utf8(text.trim_ascii()).ok()?;
    ObjectId::from_hex(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_renames_and_large_commits_are_parsed() {
        let ids = ["a", "b", "c"].map(|digit| digit.repeat(40));
        let output = format!(
            "\x1e{}\0\nM\0docs/a.rst\0R087\0old.py\0\x1enew.py\0\x1e{}\0\x1e{}\0\nR100\0x\0y\0A\0z\0D\0w\0",
            ids[0], ids[1], ids[2]
        );
        let mut intern = |path: &str| RepoPath::new(path).ok();
        let mut reader = TouchedFilesReader::new(2, &mut intern);
        for piece in output.split('\0') {
            reader.take(piece.as_bytes());
        }
        reader.finish();
        let seen: Vec<String> = reader
            .done
            .iter()
            .map(|(_, touched)| format!("{:?} {:?}", touched.files, touched.renames))
            .collect();
        assert_eq!(
            seen,
            [
                r#"["docs/a.rst", "\u{1e}new.py"] [("old.py", "\u{1e}new.py")]"#,
                "[] []",
                r#"[] [("x", "y")]"#,
            ]
        );
    }
}

//! Which files commits touched, from `git log --name-status`: trees alone are read, and where files
//! came and went in one commit their blobs, to find renames.

use std::process::Command;

use foveate_model::{ObjectId, RepoPath};

use super::record::Names;

/// Starts the line of a commit.
pub const COMMIT: u8 = 0x1e;
/// Longest path that counts, in bytes, with room for what stands before it.
pub const LONGEST: usize = 4100;
/// Renames of one commit that are followed.
const MAX_RENAMES: usize = 20_000;

/// How files that came and went in one commit are told from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renames {
    /// By their content.
    Found,
    /// Not at all: their blobs are missing.
    Ignored,
}

/// What every `log` of given commits says about how differences are made. All of it would else
/// come from the repository's settings.
pub fn add_arguments(command: &mut Command, renames: Renames) {
    command.args(["log", "--stdin", "--no-walk=unsorted", "--root"]);
    // What a merge brings is what it changed on the branch that took it in.
    command.args(["--diff-merges=first-parent", "--first-parent"]);
    command.args([
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
        "--no-follow",
    ]);
    command.args(["--ignore-submodules=all", "--submodule=short"]);
    match renames {
        // Copies are not looked for. Past the limit only renames without a change are found.
        Renames::Found => command.args(["-M", "-l400"]),
        Renames::Ignored => command.arg("--no-renames"),
    };
    command.arg("--format=%x1e%H");
}

/// Reads pieces that NUL bytes end.
pub struct NamesReader<'a> {
    paths_per_commit: usize,
    intern: &'a mut dyn FnMut(&str) -> Option<RepoPath>,
    /// Commits that were read whole.
    pub done: Vec<(ObjectId, Names)>,
    /// The commit that is being read.
    pub current: Option<(ObjectId, Names)>,
    paths: usize,
    expected: Expected,
}

/// What the next piece is.
#[derive(Debug)]
enum Expected {
    /// A commit, or what happened to a file.
    Status,
    /// The path of a file.
    Path,
    /// The path that a file had before.
    OldPath,
    /// The path that it has now.
    NewPath(Option<RepoPath>),
}

impl<'a> NamesReader<'a> {
    /// A commit that touched more than `paths_per_commit` has its renames alone.
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

    /// The next piece.
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

    /// Nothing more comes, and nothing failed.
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
                self.current = id(&piece[1..]).map(|id| (id, Names::default()));
            }
            Some(b'R') => self.expected = Expected::OldPath,
            Some(_) => self.expected = Expected::Path,
        }
    }

    fn path(&mut self, piece: &[u8]) -> Option<RepoPath> {
        if piece.len() >= LONGEST {
            return None;
        }
        (self.intern)(std::str::from_utf8(piece).ok()?)
    }

    fn touched(&mut self, path: Option<RepoPath>) {
        self.paths += 1;
        let Some((_, names)) = &mut self.current else {
            return;
        };
        if self.paths > self.paths_per_commit {
            names.files = Vec::new();
        } else {
            names.files.extend(path);
        }
    }

    fn renamed(&mut self, old: Option<RepoPath>, new: Option<RepoPath>) {
        if let (Some((_, names)), Some(old), Some(new)) = (&mut self.current, old, new)
            && names.renames.len() < MAX_RENAMES
        {
            names.renames.push((old, new));
        }
    }
}

/// The id that a line holds.
pub fn id(text: &[u8]) -> Option<ObjectId> {
    let text = std::str::from_utf8(text.trim_ascii()).ok()?;
    ObjectId::from_hex(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_renames_and_large_commits_are_told_apart() {
        let ids = ["a", "b", "c"].map(|digit| digit.repeat(40));
        let output = format!(
            "\x1e{}\0\nM\0docs/a.rst\0R087\0old.py\0\x1enew.py\0\x1e{}\0\x1e{}\0\nR100\0x\0y\0A\0z\0D\0w\0",
            ids[0], ids[1], ids[2]
        );
        let mut intern = |path: &str| RepoPath::new(path).ok();
        let mut reader = NamesReader::new(2, &mut intern);
        for piece in output.split('\0') {
            reader.take(piece.as_bytes());
        }
        reader.finish();
        let seen: Vec<String> = reader
            .done
            .iter()
            .map(|(_, names)| format!("{:?} {:?}", names.files, names.renames))
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

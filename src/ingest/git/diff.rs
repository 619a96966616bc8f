//! Finds the lines that a commit changed since it left another one, from the hunk headers of one `diff-tree`.
//! The changed text itself is not read.

use foveate_model::{Lines, RepoPath};
use foveate_query::Change;
use tokio_util::sync::CancellationToken;

use super::history::empty_tree;
use super::hunk_header::{HunkHeader, LineRange};
use super::process::{self, RunLimits};
use super::{GitError, GitRepo, command, stream};
use crate::engine::{Diff, OldLines, OmittedParts};

/// Maximum files in a diff; more are only counted.
const MAX_FILES: usize = 1000;
/// Maximum hunks of all files together; more are only counted.
const MAX_HUNKS: usize = 10_000;
/// Maximum bytes that are read, counted after lines are truncated.
const MAX_BYTES: usize = 64 << 20;
/// Length at which a line is truncated, in bytes: the longest path still fits, even with every byte escaped.
const MAX_LINE: usize = 4 * 4096 + 16;

/// Options that override the settings of the repository. Deleted files are left out: they are not in the tree of
/// the head.
const OPTIONS: [&str; 16] = [
    "-r", "-p", "-U0", "--inter-hunk-context=0", "--diff-algorithm=myers", "--indent-heuristic",
    "--src-prefix=a/", "--dst-prefix=b/", "--diff-filter=d",
    // Above the limit, only renames without a change are found.
    "-M", "-l400", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=all",
    "--submodule=short",
];
/// The text before the path of the earlier file in a header: a sign and a directory, or words if the file is renamed.
const EARLIER: [&str; 3] = ["--- ", "a/", "rename from "];
/// The same for the later file.
const LATER: [&str; 3] = ["+++ ", "b/", "rename to "];

impl GitRepo {
    /// Returns the changes of the commit `head` since it left the commit `base`, both given by full id.
    ///
    /// # Errors
    /// When git fails, takes too long, or the work is asked to stop.
    pub fn diff(&self, base: &str, head: &str, stop: &CancellationToken) -> Result<Diff, GitError> {
        let enough = stop.child_token();
        let run_limits = self.read_limits.lookup_limits(&enough, "diff-tree");
        let fork = merge_base(self, base, head, &run_limits)?;
        let mut command = self.command()?;
        command
            .args(["-c", command::LARGE_FILES, "diff-tree"])
            .args(OPTIONS);
        // Ignores `.gitattributes` files, which could hide the changes of a file.
        command.env("GIT_ATTR_SOURCE", empty_tree(head.len()));
        command.arg(self.relative_option());
        command.args(["--end-of-options", &fork, head, "--"]);
        command.args(self.pathspec());
        let mut reader = Reader::default();
        let mut bytes = 0;
        let mut take = |line: &[u8]| {
            bytes += line.len();
            if bytes > MAX_BYTES {
                enough.cancel();
            } else {
                reader.take(line);
            }
        };
        let ran = stream::pieces(&mut command, b"", (b'\n', MAX_LINE), &run_limits, &mut take);
        reader.left_out.is_cut = bytes > MAX_BYTES;
        match ran {
            Err(GitError::Cancelled(_)) if reader.left_out.is_cut && !stop.is_cancelled() => {}
            Err(GitError::Failed { stderr, .. }) if stderr.contains("promisor remote") => {
                return Err(GitError::Partial);
            }
            ran => ran?,
        }
        Ok(Diff {
            head: head.to_owned(),
            fork,
            changes: reader.changes,
            before: reader.before,
            left_out: reader.left_out,
        })
    }
}

/// Returns the commit where `head` left `base`; `base` itself if the two have no common ancestor.
fn merge_base(
    repo: &GitRepo,
    base: &str,
    head: &str,
    run_limits: &RunLimits<'_>,
) -> Result<String, GitError> {
    let mut command = repo.command()?;
    command.args(["merge-base", "--end-of-options", base, head]);
    let output = process::output(&mut command, run_limits)?;
    if output.status.code() == Some(1) && output.stdout.is_empty() {
        return match is_shallow(repo, run_limits)? {
            // The common ancestor may be among the commits that the clone lacks.
            true => Err(GitError::Shallow {
                base: base.to_owned(),
                head: head.to_owned(),
            }),
            false => Ok(base.to_owned()),
        };
    }
    if !output.status.success() {
        return Err(command::failure(&command, &output.stderr));
    }
    let id = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Ok(id)
}

/// Whether a repository is a shallow clone, so that it lacks old commits.
pub(super) fn is_shallow(repo: &GitRepo, run_limits: &RunLimits<'_>) -> Result<bool, GitError> {
    let mut command = repo.command()?;
    command.args(["rev-parse", "--is-shallow-repository"]);
    let output = process::stdout(&mut command, run_limits)?;
    Ok(output.trim_ascii() == b"true")
}

/// Parses the lines of a patch.
#[derive(Debug, Default)]
struct Reader {
    changes: Vec<Change>,
    before: Vec<OldLines>,
    left_out: OmittedParts,
    hunks: usize,
    file: File,
    /// Earlier path of the current file; `None` for a new file.
    earlier_path: Option<RepoPath>,
    /// Whether the last element of `before` belongs to the current file.
    has_before: bool,
    /// Whether the header of a file, before its first hunk, is being read. Later lines can hold any text.
    in_head: bool,
}

/// State of the current file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum File {
    /// No usable path so far.
    #[default]
    Unnamed,
    /// It is the last element of the changes.
    Counted,
    LeftOut,
}

impl Reader {
    /// Parses the next line, without its end.
    fn take(&mut self, line: &[u8]) {
        // Lines of files begin with a sign, so none of them is mistaken for these.
        if line.starts_with(b"diff --git ") {
            self.file = File::Unnamed;
            self.earlier_path = None;
            self.has_before = false;
            self.in_head = true;
        } else if line.starts_with(b"@@ ") {
            self.in_head = false;
            self.hunk(line);
        } else if let (true, Some(path)) = (self.in_head, path_of(line, EARLIER)) {
            self.earlier_path = Some(path);
        } else if let (true, Some(path)) = (self.in_head, path_of(line, LATER)) {
            self.start_file(path);
        }
    }

    /// Starts the file with its later path. The path of a renamed file comes twice.
    fn start_file(&mut self, path: RepoPath) {
        if self.file != File::Unnamed {
            return;
        }
        if self.changes.len() == MAX_FILES || self.hunks == MAX_HUNKS {
            self.file = File::LeftOut;
            self.left_out.files += 1;
            return;
        }
        self.file = File::Counted;
        let lines = Vec::new();
        self.changes.push(Change { path, lines });
        if let Some(path) = self.earlier_path.take() {
            self.has_before = true;
            self.before.push(OldLines {
                path,
                lines: Vec::new(),
                insertions: Vec::new(),
            });
        }
    }

    fn hunk(&mut self, line: &[u8]) {
        let Some(header) = HunkHeader::parse(line) else {
            return;
        };
        let Some(lines) = changed_lines(header.later) else {
            return;
        };
        let is_full = self.file == File::LeftOut || self.hunks == MAX_HUNKS;
        match (self.file, self.changes.last_mut()) {
            (File::Unnamed, _) | (_, None) => {}
            (_, Some(_)) if is_full => self.left_out.hunks += 1,
            (_, Some(change)) => {
                change.lines.push(lines);
                self.hunks += 1;
                if let (true, Some(before)) = (self.has_before, self.before.last_mut()) {
                    note_before(before, header.earlier);
                }
            }
        }
    }
}

/// Adds the earlier lines of a hunk to its file.
fn note_before(before: &mut OldLines, earlier: LineRange) {
    match earlier.lines() {
        Some(lines) => before.lines.push(lines),
        None => before.insertions.push(earlier.start),
    }
}

/// Parses the path on one side from a line of a file's header; a file that is missing on that side has none.
fn path_of(line: &[u8], [sign, directory, rename]: [&str; 3]) -> Option<RepoPath> {
    let (name, prefix) = match line.strip_prefix(sign.as_bytes()) {
        // Git ends a name that has blanks with a tab.
        Some(name) => (name.strip_suffix(b"\t").unwrap_or(name), directory),
        None => (line.strip_prefix(rename.as_bytes())?, ""),
    };
    let name = unquoted(name)?;
    let path = std::str::from_utf8(&name).ok()?.strip_prefix(prefix)?;
    RepoPath::new(path).ok()
}

/// Decodes a name as git writes it: quoted and escaped if it has quotes, backslashes or control characters.
/// Returns `None` if it is malformed.
fn unquoted(name: &[u8]) -> Option<Vec<u8>> {
    let Some(mut rest) = name.strip_prefix(b"\"") else {
        return Some(name.to_owned());
    };
    let mut bytes = Vec::with_capacity(rest.len());
    loop {
        let (byte, tail) = match *rest {
            [b'"'] => return Some(bytes),
            [
                b'\\',
                a @ b'0'..=b'3',
                b @ b'0'..=b'7',
                c @ b'0'..=b'7',
                ref tail @ ..,
            ] => ((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'), tail),
            [b'\\', letter, ref tail @ ..] => (escaped(letter)?, tail),
            [byte, ref tail @ ..] if byte != b'"' => (byte, tail),
            _ => return None,
        };
        bytes.push(byte);
        rest = tail;
    }
}

fn escaped(letter: u8) -> Option<u8> {
    Some(match letter {
        b'a' => 0x07,
        b'b' => 0x08,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 0x0b,
        b'f' => 0x0c,
        b'r' => b'\r',
        b'"' | b'\\' => letter,
        _ => return None,
    })
}

/// Returns the lines of a hunk in the later file. For a pure deletion, whose range is empty, returns the lines before and
/// after it; at the end of the file the second one does not exist.
fn changed_lines(later: LineRange) -> Option<Lines> {
    match later.count {
        0 => Some(Lines::new(later.start.max(1), later.start.checked_add(1)?)),
        _ => later.lines(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Reader {
        let mut reader = Reader::default();
        text.lines().for_each(|line| reader.take(line.as_bytes()));
        reader
    }

    fn shown(reader: &Reader) -> Vec<String> {
        let lines = |change: &Change| {
            let lines = change.lines.iter();
            let lines: Vec<_> = lines.map(|l| format!("{}-{}", l.start, l.end)).collect();
            format!("{:?} {}", change.path.as_str(), lines.join(" "))
        };
        reader.changes.iter().map(lines).collect()
    }

    #[test]
    fn hunk_headers_are_read_and_text_is_ignored() {
        let reader = read(
            "\
diff --git a/cart.py b/cart.py
index 1..2 100644
--- a/cart.py
+++ b/cart.py
@@ -3 +3,2 @@ class Cart:
-a
+++ b/none.py
+@@ -9 +9 @@
@@ -9,2 +10,0 @@ def gone():
-rename to none.py
-x
@@ -1,2 +0,0 @@
-x
-x
diff --git a/old.py b/new.py
similarity index 90%
rename from old.py
rename to new.py
--- a/old.py
+++ b/new.py
@@ -7 +7 @@
-a
+b
diff --git a/was.py b/is.py
similarity index 100%
rename from was.py
rename to is.py
diff --git a/gone.py b/gone.py
deleted file mode 100644
--- a/gone.py
+++ /dev/null
@@ -1,2 +0,0 @@
-a
-b
diff --git a/logo.png b/logo.png
Binary files a/logo.png and b/logo.png differ
diff --git a/new file b/new file
new file mode 100644
--- /dev/null
+++ b/new file\t
@@ -0,0 +1,3 @@
+a
\\ No newline at end of file
",
        );
        assert_eq!(
            shown(&reader),
            [
                r#""cart.py" 3-4 10-11 1-1"#, r#""new.py" 7-7"#, r#""is.py" "#,
                r#""new file" 1-3"#,
            ]
        );
        let before = |before: &OldLines| {
            let lines = before.lines.iter();
            let lines: Vec<_> = lines.map(|l| format!("{}-{}", l.start, l.end)).collect();
            let path = before.path.as_str();
            format!("{path} {} {:?}", lines.join(" "), before.insertions)
        };
        let before: Vec<String> = reader.before.iter().map(before).collect();
        let expected = ["cart.py 3-3 9-10 1-2 []", "old.py 7-7 []", "was.py  []"];
        assert_eq!(before, expected);
        assert_eq!(reader.left_out, OmittedParts::default());
    }

    #[test]
    fn insertions_have_no_earlier_lines() {
        let text =
            "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -4,0 +5,2 @@ f\n@@ -0,0 +1 @@\n@@ -9 +9 @@";
        let reader = read(text);
        assert_eq!(reader.before[0].insertions, [4, 0]);
        assert_eq!(reader.before[0].lines, [Lines::new(9, 9)]);
    }

    #[test]
    fn paths_are_unquoted_and_stay_inside_root() {
        for (name, path) in [
            (r#""b/tab\there""#, Some("tab\there")),
            (r#""b/line\nend""#, Some("line\nend")),
            (
                r#""b/say \"hi\" \\ \001\303\274""#,
                Some("say \"hi\" \\ \u{1}ü"),
            ),
            ("b/ü ber\t", Some("ü ber")),
            ("\"b/a\\tb c\"\t", Some("a\tb c")),
            ("b/b/c", Some("b/c")),
            ("/dev/null", None),
            ("b/../secret", None),
            ("b//etc/passwd", None),
            ("b/", None),
            ("", None),
            (r#""b/open"#, None),
            (r#""b/in"side""#, None),
            (r#""b/odd\q""#, None),
            (r#""b/large\777""#, None),
            (r#""b/end\""#, None),
            (r#""b/\377""#, None),
            (r#""b/nul\000""#, None),
        ] {
            let found = path_of(format!("+++ {name}").as_bytes(), LATER);
            assert_eq!(found.as_ref().map(RepoPath::as_str), path, "{name}");
        }
        let long = format!("+++ b/{}", "a".repeat(5000));
        assert!(path_of(long.as_bytes(), LATER).is_none());
    }

    #[test]
    fn deletion_is_shown_by_the_lines_around_it() {
        let lines = |start, count| changed_lines(LineRange { start, count });
        assert_eq!(lines(2, 3), Some(Lines::new(2, 4)));
        assert_eq!(lines(0, 0), Some(Lines::new(1, 1)));
        assert_eq!(lines(7, 0), Some(Lines::new(7, 8)));
        assert_eq!(lines(u32::MAX, 0), None);
    }

    #[test]
    fn hunks_without_a_file_are_ignored() {
        // Hunks before any file, after an unusable name, and after a name that comes too late.
        let text = "@@ -1 +1 @@\ndiff --git x y\n+++ b/../x\n@@ -1 +1 @@\n+++ b/late\n@@ -1 +1 @@";
        assert!(read(text).changes.is_empty());
    }

    #[test]
    fn files_and_hunks_above_limits_are_counted() {
        let file = |n: usize| format!("diff --git a/f{n} b/f{n}\n+++ b/f{n}\n@@ -1 +1 @@\n");
        let reader = read(&(0..MAX_FILES + 3).map(file).collect::<String>());
        assert_eq!(reader.changes.len(), MAX_FILES);
        assert_eq!((reader.left_out.files, reader.left_out.hunks), (3, 3));
        let hunks = "@@ -1 +1 @@\n".repeat(MAX_HUNKS + 5);
        let reader = read(&format!("diff --git a/f b/f\n+++ b/f\n{hunks}{}", file(1)));
        assert_eq!(reader.changes[0].lines.len(), MAX_HUNKS);
        assert_eq!((reader.left_out.files, reader.left_out.hunks), (1, 6));
        assert!(!reader.left_out.is_cut);
    }
}

//! Which lines a commit changed since it left another one, from the heads of the hunks of one
//! `diff-tree`. The changed text itself is not looked at.

use foveate_model::{Lines, RepoPath};
use foveate_query::Change;
use tokio_util::sync::CancellationToken;

use super::history::empty_tree;
use super::process::{self, Patience};
use super::{GitError, GitRepo, command, stream};
use crate::engine::{Before, Diff, LeftOut};

/// Files that count.
const MAX_FILES: usize = 1000;
/// Hunks that count, of all files together.
const MAX_HUNKS: usize = 10_000;
/// Bytes of lines that are read, each of them cut.
const MAX_BYTES: usize = 64 << 20;
/// Where a line is cut: the longest path, every byte of it escaped, still fits.
const MAX_LINE: usize = 4 * 4096 + 16;

/// Whatever the settings of the repository are. Files that the head has not are no news about its tree;
/// larger ones than these are not indexed and count as binary ones, which have no lines.
const OPTIONS: [&str; 16] = [
    "-r",
    "-p",
    "-U0",
    "--inter-hunk-context=0",
    "--diff-algorithm=myers",
    "--indent-heuristic",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--diff-filter=d",
    // Past the limit only renames without a change are found.
    "-M",
    "-l400",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--ignore-submodules=all",
    "--submodule=short",
];
const LARGE_FILES: &str = "core.bigFileThreshold=2m";

/// Compares `head` with the commit where it left `base`, both full ids of commits.
pub(super) fn diff(
    repo: &GitRepo,
    base: &str,
    head: &str,
    stop: &CancellationToken,
) -> Result<Diff, GitError> {
    let enough = stop.child_token();
    let limit = repo.access.lookup;
    let patience = Patience::new(&enough, limit, "diff-tree", "answer.deadline_ms")
        .with_memory(repo.access.memory_bytes);
    let fork = merge_base(repo, base, head, &patience)?;
    let mut command = repo.command()?;
    command.args(["-c", LARGE_FILES, "diff-tree"]).args(OPTIONS);
    // No file says of another one that its changes are not to be shown.
    command.env("GIT_ATTR_SOURCE", empty_tree(head.len()));
    let prefix = &repo.prefix;
    command.arg(match prefix.as_str() {
        "" => "--no-relative".to_owned(),
        prefix => format!("--relative={prefix}"),
    });
    command.args(["--end-of-options", &fork, head, "--"]);
    if !prefix.is_empty() {
        command.arg(format!(":(top,literal){prefix}"));
    }
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
    let ran = stream::pieces(&mut command, b"", (b'\n', MAX_LINE), &patience, &mut take);
    reader.left_out.is_cut = bytes > MAX_BYTES;
    match ran {
        Err(GitError::Cancelled(_)) if reader.left_out.is_cut && !stop.is_cancelled() => {}
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

/// The commit where `head` left `base`; `base` itself where the two have no ancestor in common.
fn merge_base(
    repo: &GitRepo,
    base: &str,
    head: &str,
    patience: &Patience<'_>,
) -> Result<String, GitError> {
    let mut command = repo.command()?;
    command.args(["merge-base", "--end-of-options", base, head]);
    let output = process::output(&mut command, patience)?;
    if output.status.code() == Some(1) && output.stdout.is_empty() {
        return match is_shallow(repo, patience)? {
            // Its edge may be what parts them.
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

/// Whether a repository lacks old commits.
pub(super) fn is_shallow(repo: &GitRepo, patience: &Patience<'_>) -> Result<bool, GitError> {
    let mut command = repo.command()?;
    command.args(["rev-parse", "--is-shallow-repository"]);
    let output = process::stdout(&mut command, patience)?;
    Ok(output.trim_ascii() == b"true")
}

/// Reads the lines of a patch.
#[derive(Debug, Default)]
struct Reader {
    changes: Vec<Change>,
    before: Vec<Before>,
    left_out: LeftOut,
    hunks: usize,
    file: File,
    /// Where the file was before; `None` for a new one.
    was: Option<RepoPath>,
    /// Whether the last one of `before` is the file.
    has_before: bool,
    /// Whether the lines before the first hunk of a file are being read. Those after it may say anything.
    in_head: bool,
}

/// The file that is being read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum File {
    /// One without a name that can be used, so far.
    #[default]
    Unnamed,
    /// The last one of the changes.
    Counted,
    LeftOut,
}

impl Reader {
    /// The next line, without its end.
    fn take(&mut self, line: &[u8]) {
        // Lines of files begin with a sign, whatever stands in them.
        if line.starts_with(b"diff --git ") {
            self.file = File::Unnamed;
            self.was = None;
            self.has_before = false;
            self.in_head = true;
        } else if let Some(ranges) = line.strip_prefix(b"@@ ") {
            self.in_head = false;
            self.hunk(ranges);
        } else if let (true, Some(path)) = (self.in_head, path_before(line)) {
            self.was = Some(path);
        } else if let (true, Some(path)) = (self.in_head, path_of(line)) {
            self.named(path);
        }
    }

    /// The name of the file now. That of a renamed one comes twice.
    fn named(&mut self, path: RepoPath) {
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
        if let Some(path) = self.was.take() {
            self.has_before = true;
            self.before.push(Before {
                path,
                lines: Vec::new(),
                insertions: Vec::new(),
            });
        }
    }

    fn hunk(&mut self, ranges: &[u8]) {
        let Some(lines) = changed_lines(ranges) else {
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
                    note_before(before, ranges);
                }
            }
        }
    }
}

/// Adds where a hunk stood before to what is known of its file.
fn note_before(before: &mut Before, ranges: &[u8]) {
    match earlier_lines(ranges) {
        Some((start, 0)) => before.insertions.push(start),
        Some((start, count)) if start > 0 => {
            let end = start.saturating_add(count - 1);
            before.lines.push(Lines::new(start, end));
        }
        _ => {}
    }
}

/// The path before in a line of a file's head; a new file has none.
fn path_before(line: &[u8]) -> Option<RepoPath> {
    let (name, prefix) = match line.strip_prefix(b"--- ") {
        Some(name) => (name.strip_suffix(b"\t").unwrap_or(name), "a/"),
        None => (line.strip_prefix(b"rename from ")?, ""),
    };
    let name = unquoted(name)?;
    let path = std::str::from_utf8(&name).ok()?.strip_prefix(prefix)?;
    RepoPath::new(path).ok()
}

/// The path in a line of a file's head; that of a file that is gone is none.
fn path_of(line: &[u8]) -> Option<RepoPath> {
    let (name, prefix) = match line.strip_prefix(b"+++ ") {
        // Git ends a name with blanks in it by a tab.
        Some(name) => (name.strip_suffix(b"\t").unwrap_or(name), "b/"),
        None => (line.strip_prefix(b"rename to ")?, ""),
    };
    let name = unquoted(name)?;
    let path = std::str::from_utf8(&name).ok()?.strip_prefix(prefix)?;
    RepoPath::new(path).ok()
}

/// A name as git writes it: between quotes and with escapes where it holds quotes, backslashes or
/// control characters.
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

/// The lines of the later file in `-3,2 +5,4 @@ …`. Of a mere deletion, whose range is empty, those around
/// it, of which the later one is not there at the end of the file.
fn changed_lines(ranges: &[u8]) -> Option<Lines> {
    let end = ranges.windows(3).position(|bytes| bytes == b" @@")?;
    let ranges = std::str::from_utf8(&ranges[..end]).ok()?;
    let (_, later) = ranges.split_once(" +")?;
    let (start, count) = later.split_once(',').unwrap_or((later, "1"));
    let (start, count) = (number(start)?, number(count)?);
    match (start, count) {
        (_, 0) => Some(Lines::new(start.max(1), start.checked_add(1)?)),
        (0, _) => None,
        _ => Some(Lines::new(start, start.checked_add(count - 1)?)),
    }
}

/// The first line and the number of lines of the earlier file in `-3,2 +5,4 @@ …`.
fn earlier_lines(ranges: &[u8]) -> Option<(u32, u32)> {
    let end = ranges.iter().position(|byte| *byte == b' ')?;
    let earlier = std::str::from_utf8(&ranges[..end])
        .ok()?
        .strip_prefix('-')?;
    let (start, count) = earlier.split_once(',').unwrap_or((earlier, "1"));
    Some((number(start)?, number(count)?))
}

/// Digits alone: no sign, which a number may have otherwise.
fn number(text: &str) -> Option<u32> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_plain)
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
    fn heads_count_and_text_does_not() {
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
                r#""cart.py" 3-4 10-11 1-1"#,
                r#""new.py" 7-7"#,
                r#""is.py" "#,
                r#""new file" 1-3"#,
            ]
        );
        let before = |before: &Before| {
            let lines = before.lines.iter();
            let lines: Vec<_> = lines.map(|l| format!("{}-{}", l.start, l.end)).collect();
            let path = before.path.as_str();
            format!("{path} {} {:?}", lines.join(" "), before.insertions)
        };
        let before: Vec<String> = reader.before.iter().map(before).collect();
        let expected = ["cart.py 3-3 9-10 1-2 []", "old.py 7-7 []", "was.py  []"];
        assert_eq!(before, expected);
        assert_eq!(reader.left_out, LeftOut::default());
    }

    #[test]
    fn what_was_inserted_had_no_lines_before() {
        let text =
            "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -4,0 +5,2 @@ f\n@@ -0,0 +1 @@\n@@ -9 +9 @@";
        let reader = read(text);
        assert_eq!(reader.before[0].insertions, [4, 0]);
        assert_eq!(reader.before[0].lines, [Lines::new(9, 9)]);
        for odd in ["-x +1 @@", "+1 @@", "-1,-2 +1 @@", "-4294967296 +1 @@", ""] {
            assert_eq!(earlier_lines(odd.as_bytes()), None, "{odd}");
        }
    }

    #[test]
    fn odd_names_are_read_and_none_leaves_the_root() {
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
            let found = path_of(format!("+++ {name}").as_bytes());
            assert_eq!(found.as_ref().map(RepoPath::as_str), path, "{name}");
        }
        let long = format!("+++ b/{}", "a".repeat(5000));
        assert!(path_of(long.as_bytes()).is_none());
    }

    #[test]
    fn odd_ranges_are_no_lines() {
        for (ranges, lines) in [
            ("-1 +1 @@", Some((1, 1))),
            ("-1,0 +2,3 @@ def f():", Some((2, 4))),
            ("-1,2 +0,0 @@", Some((1, 1))),
            ("-1,2 +7,0 @@", Some((7, 8))),
            ("-1 +4294967295 @@", Some((u32::MAX, u32::MAX))),
            ("-1 +4294967295,2 @@", None),
            ("-1 +4294967295,0 @@", None),
            ("-1 +99999999999999999999 @@", None),
            ("-1 +1,99999999999999999999 @@", None),
            ("-1 +-5 @@", None),
            ("-1 ++5 @@", None),
            ("-1 +5,-1 @@", None),
            ("-1 +5,+1 @@", None),
            ("-1 +0,2 @@", None),
            ("-1 +, @@", None),
            ("-1 + @@", None),
            ("-1 +x @@", None),
            ("-1 @@", None),
            ("-1 +1", None),
            ("@@", None),
            ("", None),
        ] {
            let found = changed_lines(ranges.as_bytes());
            let found = found.map(|lines| (lines.start, lines.end));
            assert_eq!(found, lines, "{ranges:?}");
        }
        assert!(changed_lines(b"-1 +1 @@ caf\xe9").is_some());
        // Without a name, after a name that cannot be used, and before any file.
        let text = "@@ -1 +1 @@\ndiff --git x y\n+++ b/../x\n@@ -1 +1 @@\n+++ b/late\n@@ -1 +1 @@";
        assert!(read(text).changes.is_empty());
    }

    #[test]
    fn what_is_too_much_is_counted() {
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

//! Parses the patch of a diff line by line. Of the changed lines only their white space and the definitions that begin in
//! removed ones are read, and whether one line replaces an equal one.

use foveate_model::{Lines, RepoPath};
use foveate_parse::hunks::{self, HunkHeads};
use foveate_query::{Change, Deletion, Hunk};

use super::paths::{EARLIER, LATER, path_of, path_of_both};
use crate::engine::{Diff, OldLines};
use crate::ingest::git::hunk_header::HunkHeader;

/// Maximum files in a diff; more are only counted.
const MAX_FILES: usize = 1000;
/// Maximum hunks of all files together; more are only counted.
const MAX_HUNKS: usize = 10_000;
/// Maximum names of definitions that began in removed lines, and of variables that these gave a value.
const MAX_REMOVED_NAMES: usize = 500;
/// Length at which a removed line is truncated before it is searched for a definition, in bytes.
const MAX_DEFINITION: usize = 512;
/// Maximum length of a line that is compared with the one that replaces it, in bytes.
const MAX_COMPARED: usize = 1 << 16;
/// The text before the mode of a deleted file.
const DELETED_MODE: &[u8] = b"deleted file mode ";
/// The text before the names of a file of which git shows no lines.
const BINARY: &[u8] = b"Binary files ";

/// Parses the lines of a patch.
#[derive(Default)]
pub(super) struct PatchReader {
    /// What was read so far.
    pub(super) diff: Diff,
    hunks: usize,
    file: File,
    /// Definition patterns of the current file's language before the change; `None` if it has none.
    heads: Option<&'static HunkHeads>,
    /// Indentation of the class that the current removed line is in, as far as it is known.
    class: Option<usize>,
    /// The hunk whose lines are being read; it belongs to the last of the changes.
    open: Option<OpenHunk>,
    /// Its first removed line; empty if that is long.
    removed_line: Vec<u8>,
    /// Path of the current file if it has the same before and after the change.
    same_path: Option<RepoPath>,
    /// Earlier path of the current file; `None` for a new file.
    earlier_path: Option<RepoPath>,
    /// Whether the last element of `diff.before` belongs to the current file.
    has_before: bool,
    /// Whether the header of a file, before its first hunk, is being read. Later lines can hold any text.
    in_head: bool,
}

/// A hunk of which the header and some lines were read.
#[derive(Clone, Copy, Debug, Default)]
struct OpenHunk {
    /// The first line of the later file and the number of lines; for a pure deletion the line above and 0.
    start: u32,
    count: u32,
    /// Added lines so far.
    added: u32,
    /// Blank lines before the first added line that is not blank, and after the last one.
    blank: [u32; 2],
    /// Whether an added line is not blank.
    adds_text: bool,
    /// Removed lines so far.
    removed: u32,
    /// Whether an added line equals the only removed one before it.
    repeats_line: bool,
    /// Indentation of the first removed line that is not blank, in bytes.
    indentation: Option<u32>,
    /// Whether a removed line began a definition.
    has_definition: bool,
}

impl OpenHunk {
    fn add(&mut self, line: &[u8]) {
        // Git never adds more lines than it said.
        if self.added == self.count {
            return;
        }
        self.added += 1;
        let [before, after] = &mut self.blank;
        if !line.trim_ascii().is_empty() {
            self.adds_text = true;
            *after = 0;
            return;
        }
        *after += 1;
        if !self.adds_text {
            *before += 1;
        }
    }

    fn remove(&mut self, line: &[u8], is_definition: bool) {
        self.removed = self.removed.saturating_add(1);
        let text = line.trim_ascii_start();
        if text.is_empty() {
            return;
        }
        let indentation = u32::try_from(line.len() - text.len()).unwrap_or(u32::MAX);
        self.indentation = self.indentation.or(Some(indentation));
        self.has_definition |= is_definition;
    }

    /// Returns the hunk without the blank lines at its ends, which separate the new code from its neighbours. `None` if
    /// it only adds blank lines, or the line break at the end of a file.
    fn closed(self) -> Option<Hunk> {
        if self.repeats_line && (self.removed, self.count) == (1, 1) {
            return None;
        }
        let deletion = |after| {
            Hunk::Deletion(Deletion {
                after,
                has_definition: self.has_definition,
                indentation: self.indentation.unwrap_or_default(),
            })
        };
        let is_complete = self.added == self.count;
        if self.count == 0 {
            return Some(deletion(self.start));
        }
        if is_complete && !self.adds_text {
            return self.indentation.map(|_| deletion(self.start - 1));
        }
        let [before, after] = self.blank;
        let last = self.start + (self.count - 1);
        let end = if is_complete { last - after } else { last };
        let start = if self.adds_text {
            self.start + before
        } else {
            self.start
        };
        Some(Hunk::Lines(Lines::new(start, end)))
    }
}

/// State of the current file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum File {
    /// No usable path so far.
    #[default]
    Unnamed,
    /// It is the last element of the changes.
    Counted,
    Deleted,
    LeftOut,
}

impl PatchReader {
    /// Parses the next line, without its end.
    pub(super) fn take(&mut self, line: &[u8]) {
        // Lines of files begin with a sign, so none of them is mistaken for these.
        if let Some(names) = line.strip_prefix(b"diff --git ") {
            self.close_hunk();
            self.same_path = path_of_both(names);
            self.heads = None;
            self.file = File::Unnamed;
            self.earlier_path = None;
            self.has_before = false;
            self.in_head = true;
        } else if line.starts_with(b"@@ ") {
            self.close_hunk();
            self.in_head = false;
            self.hunk(line);
        } else if !self.in_head {
            match line {
                [b'+', added @ ..] => self.add(added),
                [b'-', removed @ ..] => self.remove(removed),
                _ => {}
            }
        } else if line.starts_with(DELETED_MODE) {
            self.delete_file();
        } else if line.starts_with(BINARY) {
            self.diff.binary_files += usize::from(self.file == File::Unnamed);
        } else if let Some(path) = path_of(line, EARLIER) {
            self.earlier_path = Some(path);
        } else if let Some(path) = path_of(line, LATER) {
            self.start_file(path);
        }
    }

    fn add(&mut self, line: &[u8]) {
        if let Some(hunk) = &mut self.open {
            let is_equal = !line.is_empty() && line == self.removed_line.as_slice();
            hunk.repeats_line |= hunk.removed == 1 && is_equal;
            hunk.add(line);
        }
    }

    fn remove(&mut self, line: &[u8]) {
        if self.open.is_some_and(|hunk| hunk.removed == 0) {
            self.removed_line.clear();
            if line.len() <= MAX_COMPARED {
                self.removed_line.extend_from_slice(line);
            }
        }
        let line = line.get(..MAX_DEFINITION).unwrap_or(line);
        let text = String::from_utf8_lossy(line);
        let name = self.heads.and_then(|heads| heads.defines(&text));
        if let Some(hunk) = &mut self.open {
            hunk.remove(line, name.is_some());
        }
        self.note_class(&text, name.is_some());
        let variable = match (self.heads, name) {
            (Some(_), None) => hunks::variable(&text, self.class),
            _ => None,
        };
        note_name(&mut self.diff.removed_names, name);
        note_name(&mut self.diff.removed_variables, variable);
    }

    /// Records the class that a removed line begins, or that it is no longer in one.
    fn note_class(&mut self, line: &str, is_definition: bool) {
        let indentation = hunks::indentation(line);
        if is_definition && hunks::begins_class(line) {
            self.class = Some(indentation);
        } else if !line.trim().is_empty() && self.class.is_some_and(|class| indentation <= class) {
            self.class = None;
        }
    }

    fn delete_file(&mut self) {
        self.file = File::Deleted;
        let path = self.same_path.take();
        if let Some(path) = path.filter(|_| self.diff.deleted.len() < MAX_FILES) {
            self.heads = hunks::of_path(path.as_str());
            self.diff.deleted.push(path);
        }
    }

    /// Starts the file with its later path. The path of a renamed file comes twice.
    fn start_file(&mut self, path: RepoPath) {
        if self.file != File::Unnamed {
            return;
        }
        if self.diff.changes.len() == MAX_FILES || self.hunks == MAX_HUNKS {
            self.file = File::LeftOut;
            self.diff.left_out.files += 1;
            return;
        }
        self.file = File::Counted;
        let hunks = Vec::new();
        if let Some(earlier) = self
            .earlier_path
            .as_ref()
            .filter(|earlier| **earlier != path)
        {
            self.diff.renamed.push([earlier.clone(), path.clone()]);
        }
        self.diff.changes.push(Change { path, hunks });
        if let Some(path) = self.earlier_path.take() {
            self.heads = hunks::of_path(path.as_str());
            self.has_before = true;
            self.diff.before.push(OldLines {
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
        // Without a driver for the language, git writes the last line that is not indented: the first line of a
        // top-level class.
        let above = String::from_utf8_lossy(header.above);
        self.class = hunks::begins_class(&above).then_some(0);
        let is_full = self.file == File::LeftOut || self.hunks == MAX_HUNKS;
        match self.file {
            File::Unnamed | File::Deleted => {}
            _ if is_full => self.diff.left_out.hunks += 1,
            _ => {
                self.open = Some(OpenHunk {
                    start: header.later.start,
                    count: header.later.count,
                    ..OpenHunk::default()
                });
                self.hunks += 1;
                if let (true, Some(before)) = (self.has_before, self.diff.before.last_mut()) {
                    match header.earlier.lines() {
                        Some(lines) => before.lines.push(lines),
                        None => before.insertions.push(header.earlier.start),
                    }
                }
            }
        }
    }

    /// Adds the hunk that was being read, if any, to its file.
    pub(super) fn close_hunk(&mut self) {
        let hunk = self.open.take().and_then(OpenHunk::closed);
        if let Some(change) = self.diff.changes.last_mut() {
            change.hunks.extend(hunk);
        }
    }
}

/// Adds a name to a list, unless the list has it or is full.
fn note_name(names: &mut Vec<String>, name: Option<&str>) {
    let Some(name) = name else { return };
    let has_room = names.len() < MAX_REMOVED_NAMES;
    if has_room && !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::OmittedParts;

    fn read(text: &str) -> Diff {
        let mut reader = PatchReader::default();
        text.lines().for_each(|line| reader.take(line.as_bytes()));
        reader.close_hunk();
        reader.diff
    }

    fn shown(diff: &Diff) -> Vec<String> {
        let hunk = |hunk: &Hunk| match hunk {
            Hunk::Lines(Lines { start, end }) => format!("{start}-{end}"),
            Hunk::Deletion(deletion) => {
                let of = if deletion.has_definition {
                    "definition"
                } else {
                    ""
                };
                format!("{}:{}{of}", deletion.after, deletion.indentation)
            }
        };
        let lines = |change: &Change| {
            let hunks: Vec<_> = change.hunks.iter().map(hunk).collect();
            format!("{:?} {}", change.path.as_str(), hunks.join(" "))
        };
        diff.changes.iter().map(lines).collect()
    }

    #[test]
    fn hunk_headers_are_read_and_text_is_ignored() {
        let diff = read(
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
            shown(&diff),
            [
                r#""cart.py" 3-4 10:0 0:0"#, r#""new.py" 7-7"#, r#""is.py" "#, r#""new file" 1-3"#,
            ]
        );
        let before = |before: &OldLines| {
            let lines = before.lines.iter();
            let lines: Vec<_> = lines.map(|l| format!("{}-{}", l.start, l.end)).collect();
            let path = before.path.as_str();
            format!("{path} {} {:?}", lines.join(" "), before.insertions)
        };
        let before: Vec<String> = diff.before.iter().map(before).collect();
        let expected = ["cart.py 3-3 9-10 1-2 []", "old.py 7-7 []", "was.py  []"];
        assert_eq!(before, expected);
        let path = |path: &str| RepoPath::new(path).unwrap();
        assert_eq!(diff.deleted, [path("gone.py")]);
        let renamed = [["old.py", "new.py"], ["was.py", "is.py"]];
        assert_eq!(diff.renamed, renamed.map(|ends| ends.map(path)));
        assert_eq!(diff.binary_files, 1);
        assert_eq!(diff.left_out, OmittedParts::default());
    }

    #[test]
    fn deletions_and_blank_lines_at_ends_of_insertions_are_recognised() {
        let file =
            |hunks: &str| format!("diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n{hunks}");
        for (hunks, expected) in [
            (
                "@@ -4,0 +5,5 @@ f\n+\n+ \n+def g():\n+    pass\n+\r\n",
                "7-8",
            ),
            ("@@ -4,0 +5,3 @@ f\n+def g():\n+\n+    pass\n", "5-7"),
            ("@@ -4,0 +5,2 @@ f\n+\n+\n", ""),
            ("@@ -4 +5,2 @@ f\n-    a()\n+\n+\n", "4:4"),
            // The file now ends in a line break.
            ("@@ -4 +4 @@ f\n-}\n\\ No newline at end of file\n+}\n", ""),
            ("@@ -4 +4 @@ f\n-}\n+];\n", "4-4"),
            ("@@ -4 +4,2 @@ f\n-}\n+}\n+}\n", "4-5"),
            ("@@ -4,2 +4 @@ f\n-}\n-}\n+}\n", "4-4"),
            (
                "@@ -4,4 +5,0 @@ f\n-\n-    def g(self):\n-        pass\n",
                "5:4definition",
            ),
            ("@@ -1,2 +0,0 @@\n-\n-import os\n", "0:0"),
            // Lines that were not read may hold any text.
            ("@@ -4,0 +5,5 @@ f\n+\n+a()\n+\n", "6-9"),
            ("@@ -4,0 +5,5 @@ f\n+\n", "5-9"),
        ] {
            let diff = read(&file(hunks));
            assert_eq!(shown(&diff), [format!("\"a.py\" {expected}")], "{hunks}");
        }
    }

    #[test]
    fn names_and_paths_of_removed_code_are_collected() {
        let diff = read(
            "\
diff --git a/a b.py b/a b.py
deleted file mode 100644
--- a/a b.py\t
+++ /dev/null
@@ -1,3 +0,0 @@
-def total(cart):
-    return 1
-class Cart:
diff --git a/logo.png b/logo.png
deleted file mode 100644
Binary files a/logo.png and /dev/null differ
diff --git \"a/t\\tb.md\" \"b/t\\tb.md\"
deleted file mode 100644
diff --git a/cart.py b/cart.py
--- a/cart.py
+++ b/cart.py
@@ -3,3 +2,0 @@
-def total(cart):
-    def add(self, item):
-# def no(self):
",
        );
        let deleted: Vec<&str> = diff.deleted.iter().map(RepoPath::as_str).collect();
        assert_eq!(deleted, ["a b.py", "logo.png", "t\tb.md"]);
        assert_eq!(diff.removed_names, ["total", "Cart", "add"]);
        assert!(diff.removed_variables.is_empty());
        assert_eq!((diff.changes.len(), diff.binary_files), (1, 0));
        let many: String = (0..600).map(|n| format!("-def f{n}():\n")).collect();
        let diff = read(&format!(
            "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,600 +0,0 @@\n{many}"
        ));
        assert_eq!(diff.removed_names.len(), MAX_REMOVED_NAMES);
    }

    #[test]
    fn names_of_removed_variables_are_collected() {
        let diff = read(
            "\
diff --git a/cart.py b/cart.py
--- a/cart.py
+++ b/cart.py
@@ -1,2 +1,0 @@
-MAX_ROWS = 40
-rates = {}
@@ -8,3 +5,0 @@ class Cart:
-    page_size = 10
-    def add(self, item):
-        row_count = 1
@@ -14 +8,0 @@ def total(cart):
-    row_sum = 0
@@ -20,7 +14,0 @@ def total(cart):
-class Order:
-    note_text = ''
-
-def close(order):
-    row_number = 1
-    LIMIT = 3
-# OLD = 2
diff --git a/notes.md b/notes.md
--- a/notes.md
+++ b/notes.md
@@ -1 +0,0 @@
-SIZE = 3
",
        );
        let expected = ["MAX_ROWS", "rates", "page_size", "note_text", "LIMIT"];
        assert_eq!(diff.removed_variables, expected);
        assert_eq!(diff.removed_names, ["add", "Order", "close"]);
        let many: String = (0..600).map(|n| format!("-NAME_{n} = 1\n")).collect();
        let diff = read(&format!(
            "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,600 +0,0 @@\n{many}"
        ));
        assert_eq!(diff.removed_variables.len(), MAX_REMOVED_NAMES);
    }

    #[test]
    fn insertions_have_no_earlier_lines() {
        let text =
            "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -4,0 +5,2 @@ f\n@@ -0,0 +1 @@\n@@ -9 +9 @@";
        let diff = read(text);
        assert_eq!(diff.before[0].insertions, [4, 0]);
        assert_eq!(diff.before[0].lines, [Lines::new(9, 9)]);
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
        let diff = read(&(0..MAX_FILES + 3).map(file).collect::<String>());
        assert_eq!(diff.changes.len(), MAX_FILES);
        assert_eq!((diff.left_out.files, diff.left_out.hunks), (3, 3));
        let hunks = "@@ -1 +1 @@\n".repeat(MAX_HUNKS + 5);
        let diff = read(&format!("diff --git a/f b/f\n+++ b/f\n{hunks}{}", file(1)));
        assert_eq!(diff.changes[0].hunks.len(), MAX_HUNKS);
        assert_eq!((diff.left_out.files, diff.left_out.hunks), (1, 6));
        assert!(!diff.left_out.is_cut);
    }
}

//! Finds the functions that commits changed, from the lines of `git log -p -U0`: from each hunk header, which
//! names the last definition above the hunk, and from definitions among the changed lines.

use foveate_model::ObjectId;
use foveate_parse::hunks::{self, HunkHeads};

use super::touched_files::{self, COMMIT};
use crate::ingest::git::hunk_header::HunkHeader;

/// Length at which a line is truncated, in bytes.
pub const MAX_LINE_BYTES: usize = 512;
/// Maximum functions kept per file.
pub const MAX_FUNCTIONS: usize = 50;

/// Paths of files with their changed functions.
pub type FunctionsByFile = Vec<(String, Vec<Box<str>>)>;

/// Parses the lines of patches.
#[derive(Default)]
pub struct HunksReader {
    /// Commits that were read completely.
    pub done: Vec<(ObjectId, FunctionsByFile)>,
    /// The commit that is being read.
    pub current: Option<(ObjectId, FunctionsByFile)>,
    /// Definition patterns of the current file's language; `None` if it has none.
    heads: Option<&'static HunkHeads>,
    hunk: Hunk,
}

/// One hunk: removed lines and the lines that replace them.
#[derive(Debug, Default)]
struct Hunk {
    /// Numbers of removed and of added lines that are still to come.
    left: [u32; 2],
    /// The definition above the hunk: its name, and its indentation if that is known.
    above: Option<(Box<str>, Option<usize>)>,
    /// The sign of the current lines.
    sign: u8,
    /// Whether the lines with that sign have reached another definition.
    left_definition: bool,
}

impl HunksReader {
    /// Parses the next line, without its end.
    pub fn take(&mut self, line: &[u8]) {
        let first = line.first().copied().unwrap_or_default();
        let is_changed = match first {
            b'-' => self.hunk.expects(0),
            b'+' => self.hunk.expects(1),
            _ => false,
        };
        if is_changed {
            return self.changed(first, &line[1..]);
        }
        if first == COMMIT {
            self.finish();
            self.current = touched_files::id(&line[1..]).map(|id| (id, FunctionsByFile::new()));
        } else if line.starts_with(b"diff --git ") {
            self.heads = None;
        } else if line.starts_with(b"--- a/") || line.starts_with(b"+++ b/") {
            self.file(&line[6..]);
        } else if line.starts_with(b"@@ ") {
            self.head(line);
        }
    }

    /// Completes the current commit. To be called only if git succeeded.
    pub fn finish(&mut self) {
        self.heads = None;
        self.hunk = Hunk::default();
        self.done.extend(self.current.take());
    }

    /// Sets the path of the current file. The later path of a renamed file replaces the earlier one.
    fn file(&mut self, path: &[u8]) {
        let Some((_, files)) = &mut self.current else {
            return;
        };
        // Git ends a name that has blanks with a tab.
        let path = path.strip_suffix(b"\t").unwrap_or(path);
        let Ok(path) = std::str::from_utf8(path) else {
            return;
        };
        if self.heads.take().is_some() {
            files.pop();
        }
        self.heads = hunks::of_path(path);
        if self.heads.is_some() {
            files.push((path.to_owned(), Vec::new()));
        }
    }

    /// Starts the hunk of a header. No lines follow a malformed one.
    fn head(&mut self, line: &[u8]) {
        self.hunk = HunkHeader::parse(line).map_or_else(Hunk::default, |header| Hunk {
            left: [header.earlier.count, header.later.count],
            above: self.above(&String::from_utf8_lossy(header.above)),
            ..Hunk::default()
        });
    }

    fn above(&self, line: &str) -> Option<(Box<str>, Option<usize>)> {
        let heads = self.heads?;
        let name = heads.named(line)?;
        let indentation = heads
            .shows_indentation()
            .then(|| line.len() - line.trim_start().len());
        Some((name.into(), indentation))
    }

    fn changed(&mut self, sign: u8, line: &[u8]) {
        let Some(heads) = self.heads else { return };
        let line = String::from_utf8_lossy(line);
        if line.trim().is_empty() {
            return;
        }
        let defined = heads.defines(&line);
        let inside = self.hunk.is_inside(sign, &line, defined.is_some());
        if inside && let Some((name, _)) = self.hunk.above.take() {
            self.add(name);
        }
        if let Some(name) = defined {
            self.add(name.into());
        }
    }

    fn add(&mut self, name: Box<str>) {
        let file = self
            .current
            .as_mut()
            .and_then(|(_, files)| files.last_mut());
        let Some((_, functions)) = file else { return };
        if functions.len() < MAX_FUNCTIONS && !functions.contains(&name) {
            functions.push(name);
        }
    }
}

impl Hunk {
    fn expects(&mut self, side: usize) -> bool {
        let expected = self.left[side] > 0;
        self.left[side] = self.left[side].saturating_sub(1);
        expected
    }

    /// Whether a changed line belongs to the definition above: it is indented deeper, or is a bracket that belongs
    /// to that definition, and no other definition of the same depth has begun in between.
    fn is_inside(&mut self, sign: u8, line: &str, is_definition: bool) -> bool {
        if self.sign != sign {
            self.sign = sign;
            self.left_definition = false;
        }
        let Some((_, indentation)) = &self.above else {
            return false;
        };
        let text = line.trim_start();
        let is_deeper = match indentation {
            Some(indentation) => line.len() - text.len() > *indentation,
            None => !is_definition,
        };
        if is_definition && !is_deeper {
            self.left_definition = true;
        }
        !self.left_definition && (is_deeper || text.starts_with([')', ']', '}', '{']))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        let mut reader = HunksReader::default();
        reader.take(format!("\x1e{}", "a".repeat(40)).as_bytes());
        for line in text.lines() {
            reader.take(line.as_bytes());
        }
        reader.finish();
        let files: Vec<String> = reader.done[0]
            .1
            .iter()
            .map(|(path, functions)| format!("{path}: {}", functions.join(" ")))
            .collect();
        files.join("; ")
    }

    #[test]
    fn functions_come_from_hunk_headers_and_changed_definitions() {
        let text = "
diff --git a/shop/cart.py b/shop/basket.py
--- a/shop/cart.py
+++ b/shop/basket.py
@@ -3 +3,2 @@ class Cart:
-    --- a/none.py
+    size = 1
+
@@ -9,0 +10,3 @@ class Cart:     def add(self):
@@ -9,0 +10,3 @@     def add(self):
+    @property
+    def total(self):
+        return 1
@@ -20 +30 @@     def checkout(self):
-        return 1
+        return 2
@@ -40,2 +50,0 @@     def last(self):
-def helper():
-    return 1
@@ -60 +50 @@ def above():
-NAME = 1
+NAME = 2
diff --git a/README.md b/README.md
--- a/README.md
+++ b/README.md
@@ -1 +1 @@ def no():
-  a
+  b
diff --git a/my app.ts b/my app.ts
--- /dev/null
+++ b/my app.ts\t
@@ -0,0 +1 @@
+export class App {
\\ No newline at end of file
";
        assert_eq!(
            read(text),
            "shop/basket.py: Cart total checkout helper; my app.ts: App"
        );
    }

    #[test]
    fn deleted_file_keeps_its_last_path() {
        let text = "
diff --git a/old.rs b/old.rs
--- a/old.rs
+++ /dev/null
@@ -1,2 +0,0 @@
-fn gone() {
-}
";
        assert_eq!(read(text), "old.rs: gone");
    }
}

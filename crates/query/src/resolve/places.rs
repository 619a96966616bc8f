//! Places that the query names: stack frames, paths with and without lines, imports of its code.

use foveate_index::{DefId, FileId};

use super::Finder;
use crate::text::{Frame, QueryText};

impl Finder<'_> {
    /// The stack frames: the innermost one (the last) weighs most.
    pub(super) fn frames(&mut self, text: &QueryText) {
        let mut last = true;
        for frame in text.frames.iter().rev() {
            let files = self.files_at(&frame.path);
            if files.is_empty() {
                continue;
            }
            let strength = if last {
                self.config.strength.last_frame
            } else {
                self.config.strength.frame
            };
            last = false;
            for file in files {
                self.note_file(file, "traceback", strength);
                if let Some(definition) = self.at_frame(file, frame) {
                    let label = frame_label(frame);
                    self.note(&label, "traceback", strength, &[definition]);
                }
            }
        }
    }

    /// The paths and links.
    pub(super) fn paths(&mut self, text: &QueryText) {
        for mention in &text.paths {
            for file in self.files_at(&mention.path) {
                self.note_file(file, "path", self.config.strength.path);
                self.line(file, &mention.path, mention.line);
                if mention.last_line > mention.line {
                    self.line(file, &mention.path, mention.last_line);
                }
            }
        }
    }

    /// The definition at a line.
    fn line(&mut self, file: FileId, path: &str, line: u32) {
        if let Some(definition) = self.snapshot.files.definition_at(file, line) {
            let label = format!("{path}:{line}");
            self.note(&label, "line", self.config.strength.line, &[definition]);
        }
    }

    /// The imports of the query's code.
    pub(super) fn imports(&mut self, text: &QueryText) {
        let snapshot = self.snapshot;
        for import in &text.imports {
            let found = snapshot.graph.resolve_dotted(&snapshot.files, import);
            if !found.is_empty() {
                self.note(import, "import", self.config.strength.import, &found);
                let mut files: Vec<FileId> =
                    found.iter().map(|id| snapshot.files.file_of(*id)).collect();
                files.sort_unstable();
                files.dedup();
                for file in files {
                    self.note_file(file, "import", self.config.strength.import);
                }
            } else if let Some(file) = snapshot.graph.resolve_module(&snapshot.files, import) {
                self.note_file(file, "import", self.config.strength.import);
            }
        }
    }

    fn files_at(&self, path: &str) -> Vec<FileId> {
        let files = self.snapshot.files.find_by_suffix(path);
        if files.len() > self.config.most_files_of_path {
            Vec::new()
        } else {
            files
        }
    }

    /// The function of a frame: by its name, the nearest to the line where several have it (the
    /// traceback may come from another version); else by the line.
    fn at_frame(&self, file: FileId, frame: &Frame) -> Option<DefId> {
        let files = &self.snapshot.files;
        let name = frame.function.rsplit('.').next().unwrap_or_default();
        files
            .definitions_of(file)
            .filter(|id| {
                let definition = files.definition(*id);
                definition.kind.is_function() && !name.is_empty() && *definition.name == *name
            })
            .min_by_key(|id| {
                let lines = files.definition(*id).lines;
                (lines.start.abs_diff(frame.line), *id)
            })
            .or_else(|| files.definition_at(file, frame.line))
    }
}

fn frame_label(frame: &Frame) -> String {
    let file = frame.path.rsplit(['/', '\\']).next().unwrap_or_default();
    if frame.function.is_empty() {
        format!("{file}:{}", frame.line)
    } else {
        format!("{file}:{}", frame.function)
    }
}

//! Resolves the paths of the query, with and without lines, and the imports of its code.

use foveate_index::{DefId, FileId};

use super::Finder;
use crate::text::QueryText;

impl Finder<'_> {
    /// Resolves the paths and links.
    pub(super) fn paths(&mut self, text: &QueryText) {
        for (position, mention) in text.paths.iter().enumerate() {
            if !self.has_time_for(position) {
                break;
            }
            let files = match (mention.from_url, mention.is_certain) {
                // A link may lead to another repository.
                (true, _) => self
                    .snapshot
                    .files
                    .find(&mention.path)
                    .into_iter()
                    .collect(),
                (false, true) => self.files_at(&mention.path),
                (false, false) => self.files_at_whole_path(&mention.path),
            };
            for file in &files {
                self.add_file(*file, "path", self.config.strength.path);
            }
            self.line(&files, &mention.path, mention.line);
            if mention.last_line > mention.line {
                self.line(&files, &mention.path, mention.last_line);
            }
        }
    }

    /// Records the definitions at a line of the files that a path may mean.
    fn line(&mut self, files: &[FileId], path: &str, line: u32) {
        let at_line = files
            .iter()
            .filter_map(|file| self.snapshot.files.definition_at(*file, line));
        let definitions: Vec<DefId> = at_line.collect();
        let label = format!("{path}:{line}");
        self.add_definitions(&label, "line", self.config.strength.line, &definitions);
        if let Some(first) = definitions.first() {
            self.found.place.get_or_insert(*first);
        }
    }

    /// Resolves the imports of the query's code.
    pub(super) fn imports(&mut self, text: &QueryText) {
        let snapshot = self.snapshot;
        for (position, import) in text.imports.iter().enumerate() {
            if !self.has_time_for(position) {
                break;
            }
            let found = snapshot
                .graph
                .resolve_dotted(&snapshot.files, &snapshot.symbols, import);
            if !found.is_empty() {
                self.add_definitions(import, "import", self.config.strength.import, &found);
                let mut files: Vec<FileId> = found.iter().map(|id| id.file).collect();
                files.sort_unstable();
                files.dedup();
                for file in files {
                    self.add_file(file, "import", self.config.strength.import);
                }
            } else if let Some(file) = snapshot.graph.resolve_module(&snapshot.files, import) {
                if self.names_single_file(file, import) {
                    self.add_file(file, "import", self.config.strength.import);
                }
            } else {
                // For languages that include files by path.
                for file in self.files_at_whole_path(import) {
                    self.add_file(file, "import", self.config.strength.import);
                }
            }
        }
    }

    /// Whether an import names this file alone. In a package whose files share their names, only a file whose name
    /// is a part of the import is named.
    fn names_single_file(&self, file: FileId, import: &str) -> bool {
        let snapshot = self.snapshot;
        let stem = snapshot.files.file(file).path.stem();
        let mut names = import.split(['.', '/', '\\', ':']);
        !snapshot.graph.shares_package(&snapshot.files, file) || names.any(|name| name == stem)
    }
}

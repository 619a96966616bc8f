//! Resolves the paths of the query, with and without lines, and the imports of its code.

use foveate_index::{DefId, FileId};
use foveate_model::Role;

use super::frames::place_at_line;
use super::{EvidenceSource, Resolver};
use crate::text::QueryText;

/// Maximum segments of a branch's name after the first: `2.2.x` of `stable/2.2.x`.
const MAX_BRANCH_SEGMENTS: usize = 3;

impl Resolver<'_> {
    /// Resolves the paths and links.
    pub(super) fn paths(&mut self, text: &QueryText) {
        for mention in self.in_time(&text.paths) {
            let is_hidden_name = mention.path.starts_with('.') && !mention.path.contains('/');
            let mut files: Vec<FileId> = match (mention.from_url, mention.is_certain) {
                (true, _) => self.file_of_link(&mention.path).into_iter().collect(),
                (false, true) => self.files_at(&mention.path),
                (false, false) => self.files_at_whole_path(&mention.path),
            };
            if is_hidden_name {
                // "Loading of .env files" is not about one that tests load.
                files.retain(|file| self.snapshot.files.file(*file).role != Role::Test);
            }
            if self.leads_to_sources(&files, &mention.path, mention.line) {
                continue;
            }
            for file in &files {
                self.add_file(*file, EvidenceSource::Path, self.config.strength.path);
            }
            let is_name = mention.line == 0
                && !mention.from_url
                && !mention.path.contains('/')
                && !is_hidden_name;
            if files.is_empty() && is_name {
                // `shop.json` may be a module, and `Reply.json` a method.
                let (name, from) = (&mention.path, EvidenceSource::Prose);
                let strength = self.config.strength.qualified;
                if !self.as_module(name, from, strength) {
                    self.by_suffix(name, from, strength);
                }
            }
            self.line(&files, &mention.path, mention.line, text);
            if mention.last_line > mention.line {
                self.line(&files, &mention.path, mention.last_line, text);
            }
        }
        for mention in self.in_time(&text.other_files) {
            let files = self.files_at_whole_path(&mention.path);
            if files.is_empty() {
                continue;
            }
            for file in &files {
                self.add_file(*file, EvidenceSource::Path, self.config.strength.path);
            }
            self.line(&files, &mention.path, mention.line, text);
        }
    }

    /// Whether the sources of a generated file count in its place. Records the one at a line that the query names; where it
    /// names the file alone, a frame or another line has led to them.
    fn leads_to_sources(&mut self, files: &[FileId], path: &str, line: u32) -> bool {
        let sources = self.sources_at(files, |this, file| {
            this.definition_at(file, line).filter(|_| line > 0)
        });
        if !sources.is_empty() {
            let label = format!("{path}:{line}");
            let strength = self.config.strength.line;
            let added = self.added(&label, EvidenceSource::Line, strength, &sources);
            self.add_place(place_at_line(path, &added));
        }
        matches!(files, [file] if self.copies.contains(file))
    }

    /// Returns the file at exactly the path of a link. The path may begin with the end of a branch's name, because a link
    /// does not tell where `stable/2.2.x` ends. The file's own path must be the longer part: a link may lead to another
    /// repository.
    fn file_of_link(&self, path: &str) -> Option<FileId> {
        let max_dropped = path.split('/').count().div_ceil(2) - 1;
        let parts = std::iter::successors(Some(path), |path| Some(path.split_once('/')?.1));
        let mut parts = parts.take(1 + max_dropped.min(MAX_BRANCH_SEGMENTS));
        parts.find_map(|part| self.snapshot.files.find(part))
    }

    /// Records the definitions at a line of the files that a path may mean; if there is no function, the stretch at the line.
    fn line(&mut self, files: &[FileId], path: &str, line: u32, text: &QueryText) {
        if line == 0 {
            return;
        }
        let at_line = files.iter().filter_map(|file| {
            let found = self.definition_at(*file, line);
            found.or_else(|| self.titled_test(*file, line, text))
        });
        let definitions: Vec<DefId> = at_line.collect();
        if let [file] = files
            && !definitions.iter().any(|id| self.is_function(*id))
        {
            self.add_line(*file, line, false);
        }
        let label = format!("{path}:{line}");
        let strength = self.config.strength.line;
        let added = self.added(&label, EvidenceSource::Line, strength, &definitions);
        self.add_place(place_at_line(path, &added));
    }

    /// Resolves the imports of the query's code.
    pub(super) fn imports(&mut self, text: &QueryText) {
        let (snapshot, strength) = (self.snapshot, self.config.strength.import);
        for import in self.in_time(&text.imports) {
            let name = import.replace("::", ".");
            let found = snapshot
                .graph
                .resolve_dotted(&snapshot.files, &snapshot.symbols, &name);
            if !found.is_empty() {
                self.add_definitions(&name, EvidenceSource::Import, strength, &found);
                let mut files: Vec<FileId> = found.iter().map(|id| id.file).collect();
                files.sort_unstable();
                files.dedup();
                for file in files {
                    self.add_file(file, EvidenceSource::Import, strength);
                }
            } else if let Some(file) = snapshot.graph.resolve_module(&snapshot.files, &name) {
                if self.names_single_file(file, &name) {
                    self.add_file(file, EvidenceSource::Import, strength);
                }
            } else {
                // For languages that include files by path.
                for file in self.files_at_whole_path(import) {
                    self.add_file(file, EvidenceSource::Import, strength);
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

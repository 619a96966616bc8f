//! Resolves the lines that the query names: to the function or test there, or else to the stretch of the file, as for a
//! line of imports, of top-level code, or between two tests.

use std::cmp::Reverse;

use foveate_index::{ChunkId, DefId, FileId, Files};

use super::Resolver;
use crate::text::QueryText;

/// Maximum stretches that lines of the query name, and maximum functions that messages are about: the output of a
/// compiler may have hundreds.
const MAX_LINES: usize = 4;
/// Maximum bytes of a part of the query in which titles of tests are looked for.
const MAX_TITLED: usize = 20_000;

/// A line that the query names and that is in no function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedLine {
    /// The stretch that contains it.
    pub chunk: ChunkId,
    /// 1-based.
    pub line: u32,
    /// Whether it only led to the failure: the line of a frame outside the innermost one.
    pub is_caller: bool,
}

impl Resolver<'_> {
    /// Returns the innermost function, class or test at a line. A block that contains other blocks (`describe`) counts as
    /// none: it has many tests, and the line is in none of them.
    pub(super) fn definition_at(&self, file: FileId, line: u32) -> Option<DefId> {
        let found = self.snapshot.files.definition_at(file, line);
        found.filter(|id| !self.is_group(*id))
    }

    pub(super) fn is_function(&self, id: DefId) -> bool {
        self.snapshot.files.definition(id).kind.is_function()
    }

    fn is_group(&self, id: DefId) -> bool {
        self.is_block(id) && has_blocks(&self.snapshot.files, id)
    }

    /// Returns the test of a file whose title the query has; of several, the one with the longest title, then the nearest
    /// to the line. A report may give a test with the line of a hook, or that of the block around it.
    pub(super) fn titled_test(&self, file: FileId, line: u32, text: &QueryText) -> Option<DefId> {
        let files = &self.snapshot.files;
        let parts = text.segments.iter().map(|segment| segment.text.as_str());
        let parts: Vec<&str> = parts.filter(|part| part.len() <= MAX_TITLED).collect();
        // One word may be anything.
        let is_titled = |id: &DefId| {
            let name = &*files.definition(*id).name;
            name.contains(' ') && parts.iter().any(|part| part.contains(name))
        };
        let tests = files.definitions_of(file);
        let tests = tests.filter(|id| self.is_block(*id) && is_titled(id) && !self.is_group(*id));
        tests.min_by_key(|id| {
            let definition = files.definition(*id);
            let distance = definition.lines.start.abs_diff(line);
            (Reverse(definition.name.len()), distance, *id)
        })
    }

    /// Records the function that a message is about, if only one may be meant.
    pub(super) fn add_reported(&mut self, found: &[DefId]) {
        let [id] = found else {
            return;
        };
        let is_function = self.is_function(*id);
        let reported = &mut self.found.reported;
        if is_function && reported.len() < MAX_LINES && !reported.contains(id) {
            reported.push(*id);
        }
    }

    /// Records the stretch at a line that is in no function: of a class, too, whose attributes or head the line may be.
    pub(super) fn add_line(&mut self, file: FileId, line: u32, is_caller: bool) {
        let found = self.definition_at(file, line);
        if self.found.lines.len() >= MAX_LINES || found.is_some_and(|id| self.is_function(id)) {
            return;
        }
        let files = &self.snapshot.files;
        let mut chunks = files.chunks_of(file);
        let chunk = chunks.find(|chunk| files.chunk(*chunk).lines.contains(line));
        let named = chunk.map(|chunk| NamedLine {
            chunk,
            line,
            is_caller,
        });
        let is_new = |named: &NamedLine| !self.found.lines.contains(named);
        if let Some(named) = named.filter(is_new) {
            self.found.lines.push(named);
        }
    }
}

/// Whether blocks that are named by texts are directly inside a definition: tests in a `describe`.
pub(crate) fn has_blocks(files: &Files, id: DefId) -> bool {
    let mut members = files.members(id);
    members.any(|member| files.definition(member).modifiers.is_block)
}

//! Resolves the titles of failed tests to the blocks that define the tests: `it('collects', …)` within
//! `describe('scope', …)`; and the names that a test runner writes with a file to functions there.

use foveate_index::{DefId, Snapshot};

use super::{EvidenceSource, Resolver};
use crate::text::{FailedTest, QueryText};

/// Maximum bytes of the name of a block: parsers cut longer titles.
const MAX_TITLE: usize = 120;

impl Resolver<'_> {
    /// Resolves the failed tests. Without a stack trace, a test is the only place of the failure that is known.
    pub(super) fn failed_tests(&mut self, text: &QueryText) {
        let strength = match text.frames.is_empty() {
            true => self.config.strength.last_frame,
            false => self.config.strength.frame,
        };
        for (position, test) in text.failed_tests.iter().enumerate() {
            if !self.has_time_for(position) {
                break;
            }
            let found = blocks_of(self.snapshot, test);
            let label = test.titles.join(test.separator);
            let added = self.added(&label, EvidenceSource::Traceback, strength, &found);
            let mut files: Vec<_> = added.iter().map(|id| id.file).collect();
            files.dedup();
            for file in &files {
                let share = strength / files.len() as f32;
                self.add_file(*file, EvidenceSource::Traceback, share);
            }
        }
    }
}

/// Returns the blocks that a test may be: by its own title, or else the innermost group that is found, since the titles
/// of tests with parameters are built when they run.
fn blocks_of(snapshot: &Snapshot, test: &FailedTest) -> Vec<DefId> {
    let ends = (1..=test.titles.len()).rev();
    let mut found = ends.map(|end| {
        let titles = test.titles.get(..end).unwrap_or_default();
        named(snapshot, titles, test)
    });
    found.find(|found| !found.is_empty()).unwrap_or_default()
}

/// Returns the blocks with the last of some titles; those in its group and in the file of the test if there are any. In
/// that file, a function may be the test. A title may contain the separator, so that it looks like several.
fn named(snapshot: &Snapshot, titles: &[String], test: &FailedTest) -> Vec<DefId> {
    let Snapshot { files, symbols, .. } = snapshot;
    for start in (0..titles.len()).rev() {
        let (groups, own) = titles.split_at(start);
        let title = own.join(test.separator);
        let title = title
            .get(..title.floor_char_boundary(MAX_TITLE))
            .unwrap_or("");
        let is_in_file =
            |id: &DefId| !test.path.is_empty() && files.path(id.file).ends_with(&test.path);
        let is_test = |id: &DefId| {
            let definition = files.definition(*id);
            definition.modifiers.is_block || definition.kind.is_function() && is_in_file(id)
        };
        let blocks = symbols.named(title).iter().copied();
        let mut blocks: Vec<DefId> = blocks.filter(is_test).collect();
        if blocks.is_empty() {
            continue;
        }
        let is_in_group = |id: &DefId| {
            let parent = files.parent(*id).map(|parent| files.definition(parent));
            parent.is_some_and(|parent| groups.last().is_some_and(|group| *group == *parent.name))
        };
        narrow(&mut blocks, is_in_file);
        narrow(&mut blocks, is_in_group);
        return blocks;
    }
    Vec::new()
}

/// Keeps the blocks that meet a condition, if any does.
fn narrow(blocks: &mut Vec<DefId>, condition: impl Fn(&DefId) -> bool) {
    if blocks.iter().any(&condition) {
        blocks.retain(&condition);
    }
}

//! Records the caller's change as evidence: its files, and the definitions at its lines.

use std::collections::BTreeSet;

use foveate_index::{DefId, FileId, Files};
use foveate_model::Lines;

use super::{Evidence, EvidenceSource, Finder};
use crate::request::Change;

/// Maximum changed stretches that are recorded.
const MAX_CHANGED: usize = 2000;

impl Finder<'_> {
    pub(super) fn changes(&mut self, changes: &[Change]) {
        let strength = self.config.strength.focus;
        for change in changes {
            let Some(file) = self.snapshot.files.find(change.path.as_str()) else {
                continue;
            };
            self.add_file(file, EvidenceSource::Change, strength);
            let room = MAX_CHANGED.saturating_sub(self.found.changed.len());
            let lines = change.lines.get(..room).unwrap_or(&change.lines);
            self.found
                .changed
                .extend(lines.iter().map(|lines| (file, *lines)));
            let changed = changed_definitions(&self.snapshot.files, file, lines);
            let evidence = changed.into_iter().map(|definition| Evidence {
                definition,
                strength,
                certainty: strength,
                from: EvidenceSource::Change,
            });
            self.found.definitions.extend(evidence);
        }
    }
}

/// Returns the functions that overlap changed lines, and the innermost function or class at the ends of each
/// stretch.
fn changed_definitions(files: &Files, file: FileId, lines: &[Lines]) -> BTreeSet<DefId> {
    let functions = files.definitions_of(file).filter(|id| {
        let definition = files.definition(*id);
        definition.kind.is_function()
            && lines
                .iter()
                .any(|lines| definition.lines.overlap(*lines) > 0)
    });
    let ends = lines.iter().flat_map(|lines| [lines.start, lines.end]);
    let innermost = ends.filter_map(|line| files.definition_at(file, line));
    functions.chain(innermost).collect()
}

/// Returns the changed stretches of a file that overlap `lines`.
pub(crate) fn changed_lines(changed: &[(FileId, Lines)], file: FileId, lines: Lines) -> Vec<Lines> {
    let of_file = changed
        .iter()
        .filter(|(changed_file, _)| *changed_file == file);
    let touching = of_file.filter(|(_, changed)| changed.overlap(lines) > 0);
    touching.map(|(_, changed)| *changed).collect()
}

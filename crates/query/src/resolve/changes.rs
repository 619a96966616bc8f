//! Records the caller's change as evidence: its files, and the definitions at its lines.

use std::collections::BTreeSet;

use foveate_index::{DefId, FileId, Files};
use foveate_model::{DefinitionKind, Lines};

use super::{DefinitionEvidence, EvidenceSource, Resolver};
use crate::request::{Change, Deletion, Hunk};

/// Maximum changed parts that are recorded.
const MAX_CHANGED: usize = 2000;

impl Resolver<'_> {
    pub(super) fn changes(&mut self, changes: &[Change]) {
        let strength = self.config.strength.focus;
        for change in changes {
            let Some(file) = self.snapshot.files.find(change.path.as_str()) else {
                continue;
            };
            self.add_file(file, EvidenceSource::Change, strength);
            let room = MAX_CHANGED.saturating_sub(self.found.changed.len());
            let hunks = change.hunks.get(..room).unwrap_or(&change.hunks);
            self.found
                .changed
                .extend(hunks.iter().map(|hunk| (file, *hunk)));
            let changed = changed_definitions(&self.snapshot.files, file, hunks);
            let evidence = changed.into_iter().map(|definition| DefinitionEvidence {
                definition,
                strength,
                mention: strength,
                meanings: 1,
                from: EvidenceSource::Change,
            });
            self.found.definitions.extend(evidence);
        }
    }
}

/// Returns the functions that overlap changed lines, the innermost function or class at the ends of each stretch of
/// them, and the one around each deletion.
fn changed_definitions(files: &Files, file: FileId, hunks: &[Hunk]) -> BTreeSet<DefId> {
    let changed = hunks.iter().filter_map(|hunk| match hunk {
        Hunk::Lines(lines) => Some(*lines),
        Hunk::Deletion(_) => None,
    });
    let changed: Vec<Lines> = changed.collect();
    let functions = files.definitions_of(file).filter(|id| {
        let definition = files.definition(*id);
        definition.kind.is_function()
            && changed
                .iter()
                .any(|lines| definition.lines.overlap(*lines) > 0)
    });
    let innermost = hunks.iter().flat_map(|hunk| match *hunk {
        Hunk::Lines(lines) => [lines.start, lines.end].map(|line| changed_at(files, file, line)),
        Hunk::Deletion(deletion) => [definition_around(files, file, deletion), None],
    });
    functions.chain(innermost.flatten()).collect()
}

/// Returns the innermost function or class at a changed line. A line of the documentation above a method is part of the
/// method: its class did not change.
fn changed_at(files: &Files, file: FileId, line: u32) -> Option<DefId> {
    let innermost = files.definition_at(file, line);
    let is_function = |id: &DefId| files.definition(*id).kind.is_function();
    let function = innermost.filter(is_function);
    let is_above = |id: &DefId| line < files.definition(*id).lines.start;
    function
        .or_else(|| unit_at(files, file, line).filter(|id| is_function(id) && is_above(id)))
        .or(innermost)
}

/// Returns the innermost function or class that a deletion changed. What is removed between two methods, such as a
/// comment, changes neither of them, and their class only if it was a member.
pub(crate) fn definition_around(files: &Files, file: FileId, deletion: Deletion) -> Option<DefId> {
    let around = files.definitions_of(file).filter(|id| {
        let kind = files.definition(*id).kind;
        (kind.is_function() || kind.is_container() && kind != DefinitionKind::Module)
            && is_within(files, *id, deletion)
    });
    let id = around.last()?;
    let is_in_function = |line| is_function_line(files, file, line);
    let changes_it = files.definition(id).kind.is_function()
        || deletion.has_definition
        || !is_in_function(deletion.after)
        || !is_in_function(deletion.after.saturating_add(1));
    changes_it.then_some(id)
}

/// Whether the removed lines were in a definition: between two of its lines or, judged by their indentation, at its end.
fn is_within(files: &Files, id: DefId, deletion: Deletion) -> bool {
    let lines = files.definition(id).lines;
    if lines.end == deletion.after {
        return indentation(files, id.file, lines.start) < deletion.indentation;
    }
    lines.contains(deletion.after) && lines.contains(deletion.after.saturating_add(1))
}

/// Returns the white space before the text of a line, in bytes.
fn indentation(files: &Files, file: FileId, line: u32) -> u32 {
    let span = files.lines_span(file, Lines::new(line, line));
    let text = span.of(files.text(file));
    u32::try_from(text.len() - text.trim_start().len()).unwrap_or(u32::MAX)
}

/// Whether a line is in the chunk of a function.
fn is_function_line(files: &Files, file: FileId, line: u32) -> bool {
    unit_at(files, file, line).is_some()
}

/// Returns the unit whose chunk has a line, as it has the documentation above the unit and the blank lines below it.
fn unit_at(files: &Files, file: FileId, line: u32) -> Option<DefId> {
    let mut chunks = files.chunks_of(file).zip(files.chunk_units(file));
    let (_, unit) = chunks.find(|(chunk, _)| files.chunk(*chunk).lines.contains(line))?;
    let unit = files.units_of(file).get(unit?)?;
    Some(DefId::new(file, unit.local))
}

#[cfg(test)]
mod tests {
    use foveate_fixture::snapshot::of_text;

    use super::*;

    #[test]
    fn documentation_above_a_method_does_not_change_its_class() {
        let snapshot = of_text(
            "
            //- Cart.java
            class Cart {
                int size() {
                    return 1;
                }

                /** Adds an item. */
                void add(int item) {
                    open(item);
                }
            }
            ",
        );
        let files = &snapshot.files;
        let file = files.find("Cart.java").unwrap();
        let changed = |start, end| {
            let hunks = [Hunk::Lines(Lines::new(start, end))];
            let ids = changed_definitions(files, file, &hunks).into_iter();
            let names = ids.map(|id| files.definition(id).qualified_name.to_string());
            names.collect::<Vec<_>>()
        };
        assert_eq!(changed(6, 9), ["Cart.add"]);
        assert_eq!(changed(6, 6), ["Cart.add"]);
        assert_eq!(changed(1, 1), ["Cart"]);
    }
}

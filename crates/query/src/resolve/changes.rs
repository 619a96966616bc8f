//! The caller's own change as evidence: its files, and the definitions that its lines lie in.

use foveate_index::{DefId, FileId};
use foveate_model::Lines;

use super::{Evidence, Finder};
use crate::request::Change;

/// What [`Evidence::from`] says of a changed definition.
pub(crate) const CHANGE: &str = "change";
/// So many changed stretches count.
const MOST: usize = 2000;

impl Finder<'_> {
    pub(super) fn changes(&mut self, changes: &[Change]) {
        let strength = self.config.strength.focus;
        for change in changes {
            let Some(file) = self.snapshot.files.find(change.path.as_str()) else {
                continue;
            };
            self.note_file(file, CHANGE, strength);
            for lines in &change.lines {
                if self.found.changed.len() == MOST {
                    return;
                }
                self.found.changed.push((file, *lines));
            }
            let mut changed: Vec<DefId> = change
                .lines
                .iter()
                .flat_map(|lines| [lines.start, lines.end])
                .filter_map(|line| self.snapshot.files.definition_at(file, line))
                .collect();
            changed.sort_unstable();
            changed.dedup();
            let evidence = changed.into_iter().map(|definition| Evidence {
                definition,
                strength,
                from: CHANGE,
            });
            self.found.definitions.extend(evidence);
        }
    }
}

/// The lines of a list that lie in a stretch.
pub(crate) fn changed_lines(changed: &[(FileId, Lines)], file: FileId, lines: Lines) -> Vec<Lines> {
    let of_file = changed.iter().filter(|(of, _)| *of == file);
    let touching = of_file.filter(|(_, changed)| changed.overlap(lines) > 0);
    touching.map(|(_, changed)| *changed).collect()
}

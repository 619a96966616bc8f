//! Bounds one look-up of a name through imports, so that cycles of imports and webs of star imports end.

use foldhash::HashMap;

use crate::files::FileId;
use crate::graph::targets::Targets;

/// Maximum number of tables that one look-up opens.
const MAX_STEPS: u32 = 2_048;
/// Maximum number of tables that are opened to look up all names that a file imports.
const MAX_STEPS_OF_FILE: u32 = 16 * MAX_STEPS;

/// One imported name: the file, and the positions of the import and of the name in its facts.
pub(super) type ImportedAt = (FileId, u32, u32);

/// The state of one look-up.
pub(super) struct Search {
    steps: u32,
    /// The targets of the imported names that were followed; none yet for those that are being followed.
    followed: HashMap<ImportedAt, Targets>,
}

impl Search {
    pub(super) fn of_name() -> Self {
        Self::new(MAX_STEPS)
    }

    pub(super) fn of_imports() -> Self {
        Self::new(MAX_STEPS_OF_FILE)
    }

    fn new(steps: u32) -> Self {
        Self {
            steps,
            followed: HashMap::default(),
        }
    }

    /// Takes a step; returns false if none is left.
    pub(super) fn step(&mut self) -> bool {
        let left = self.steps.checked_sub(1);
        self.steps = left.unwrap_or(0);
        left.is_some()
    }

    /// Follows an imported name once: it has no targets while `follow` runs, and the same ones later.
    pub(super) fn follow(
        &mut self,
        imported: ImportedAt,
        follow: impl FnOnce(&mut Self) -> Targets,
    ) -> Targets {
        if let Some(known) = self.followed.get(&imported) {
            return *known;
        }
        if !self.step() {
            return Targets::default();
        }
        self.followed.insert(imported, Targets::default());
        let found = follow(self);
        self.followed.insert(imported, found);
        found
    }
}

//! Defines the targets that a name resolves to.

use crate::files::{DefId, FileId};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    Definition(DefId),
    Module(FileId),
    /// Something outside the repository.
    External,
}

/// Up to four targets of one name: overloads, alternatives of a conditional definition, an interface merged
/// with a class.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Targets {
    targets: [Option<Target>; 4],
}

impl Targets {
    pub(super) fn one(target: Target) -> Self {
        Self {
            targets: [Some(target), None, None, None],
        }
    }

    /// Adds a target, unless it is present or there are four.
    pub(super) fn push(&mut self, target: Target) {
        for slot in &mut self.targets {
            match slot {
                None => {
                    *slot = Some(target);
                    return;
                }
                Some(present) if *present == target => return,
                Some(_) => {}
            }
        }
    }

    pub(super) fn first(&self) -> Option<Target> {
        self.targets[0]
    }

    pub(super) fn is_empty(&self) -> bool {
        self.targets[0].is_none()
    }

    /// Returns the targets, or those of `other` if there are none.
    pub(super) fn or_else(self, other: impl FnOnce() -> Self) -> Self {
        if self.is_empty() { other() } else { self }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Target> {
        self.targets.into_iter().flatten()
    }

    pub(super) fn definitions(&self) -> impl Iterator<Item = DefId> {
        self.iter().filter_map(|target| match target {
            Target::Definition(id) => Some(id),
            Target::Module(_) | Target::External => None,
        })
    }
}

impl FromIterator<Target> for Targets {
    fn from_iter<I: IntoIterator<Item = Target>>(targets: I) -> Self {
        let mut all = Self::default();
        targets.into_iter().for_each(|target| all.push(target));
        all
    }
}

//! Collects the names that imports may resolve differently because of edits.

use foldhash::HashSet;
use foveate_model::FileFacts;

use crate::files::Files;
use crate::graph::paths;

/// Maximum length of a chain of imports of imported names.
const MAX_ROUNDS: usize = 8;

/// The names that imports may resolve differently because of edits.
#[derive(Debug, Default)]
pub(super) struct ChangedNames<'a> {
    /// Whether any name may resolve differently.
    pub(super) all: bool,
    pub(super) names: HashSet<&'a str>,
}

impl<'a> ChangedNames<'a> {
    /// Adds the names that one edit affects.
    pub(super) fn add(&mut self, before: &'a FileFacts, after: &'a FileFacts) {
        let (defined, now): (HashSet<_>, HashSet<_>) =
            (importable(before).collect(), importable(after).collect());
        let differing = defined.symmetric_difference(&now);
        self.names.extend(differing.map(|(name, _)| *name));
        if bindings(before).eq(bindings(after)) {
            return;
        }
        let (bound, now): (HashSet<_>, HashSet<_>) =
            (bindings(before).collect(), bindings(after).collect());
        let mut differing = bound.symmetric_difference(&now).peekable();
        // Of two imports of the same name the first may count, so their order matters; a star import may bind
        // any name.
        self.all |= differing.peek().is_none();
        for binding in differing {
            self.all |= binding.local.is_empty();
            self.names.insert(binding.local);
        }
    }

    /// Adds the names that files bind by imports whose path contains one of the names.
    pub(super) fn propagate(&mut self, files: &'a Files) {
        for _ in 0..MAX_ROUNDS {
            let known = self.names.len();
            for file in files.as_slice() {
                let content = file.content.as_ref();
                for binding in content.into_iter().flat_map(|c| bindings(&c.facts)) {
                    let is_other =
                        self.names.contains(binding.name) || self.affects(binding.module);
                    if is_other && !binding.local.is_empty() {
                        self.names.insert(binding.local);
                    }
                }
            }
            if self.names.len() == known {
                return;
            }
        }
        self.all = true;
    }

    /// Whether no name is affected.
    pub(super) fn is_empty(&self) -> bool {
        !self.all && self.names.is_empty()
    }

    /// Whether a path may resolve differently.
    pub(super) fn affects(&self, path: &str) -> bool {
        self.all
            || (!self.names.is_empty() && paths::names(path).any(|name| self.names.contains(name)))
    }
}

/// Returns the names of a file's definitions that an import may name, and whether each is a container: all at the top
/// level and, since types may be nested, all containers.
pub(super) fn importable(facts: &FileFacts) -> impl Iterator<Item = (&str, bool)> {
    let all = facts.definitions.iter();
    let all = all.map(|definition| (definition, definition.kind.is_container()));
    all.filter(|(definition, is_container)| *is_container || definition.parent.is_none())
        .map(|(definition, is_container)| (&*definition.name, is_container))
}

/// A name that a file imports at its top level.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Bound<'a> {
    module: &'a str,
    name: &'a str,
    local: &'a str,
}

fn bindings(facts: &FileFacts) -> impl Iterator<Item = Bound<'_>> {
    let imports = facts.imports.iter();
    imports
        .filter(|import| import.enclosing.is_none())
        .flat_map(|import| {
            import.names.iter().map(|name| Bound {
                module: &import.module,
                name: &name.name,
                local: &name.local,
            })
        })
}

//! What edits say otherwise of names that imports may reach.

use foldhash::HashSet;
use foveate_model::FileFacts;

use crate::files::Files;
use crate::graph::paths;

/// Longest chain of imports that import each other's names.
const MAX_ROUNDS: usize = 8;

/// What an edit says otherwise of names that imports may reach.
#[derive(Debug, Default)]
pub(super) struct Renamed<'a> {
    /// Whether any name may be reached otherwise.
    pub(super) all: bool,
    pub(super) names: HashSet<&'a str>,
}

impl<'a> Renamed<'a> {
    /// Adds what one edit says otherwise.
    pub(super) fn add(&mut self, before: &'a FileFacts, after: &'a FileFacts) {
        let (defined, now): (HashSet<_>, HashSet<_>) =
            (outermost(before).collect(), outermost(after).collect());
        let differing = defined.symmetric_difference(&now);
        self.names.extend(differing.map(|(name, _)| *name));
        if bindings(before).eq(bindings(after)) {
            return;
        }
        let (bound, now): (HashSet<_>, HashSet<_>) =
            (bindings(before).collect(), bindings(after).collect());
        let mut differing = bound.symmetric_difference(&now).peekable();
        // Of two imports of one name the first may count; and a star may bring any name.
        self.all |= differing.peek().is_none();
        for binding in differing {
            self.all |= binding.local.is_empty();
            self.names.insert(binding.local);
        }
    }

    /// Adds the names that files import by a path with one of the names in it.
    pub(super) fn spread(&mut self, files: &'a Files) {
        for _ in 0..MAX_ROUNDS {
            let known = self.names.len();
            for file in files.as_slice() {
                let content = file.content.as_ref();
                for binding in content.into_iter().flat_map(|c| bindings(&c.facts)) {
                    let is_other =
                        self.names.contains(binding.name) || self.concerns(binding.module);
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

    /// Whether nothing is said otherwise.
    pub(super) fn is_nothing(&self) -> bool {
        !self.all && self.names.is_empty()
    }

    /// Whether a path may lead elsewhere.
    pub(super) fn concerns(&self, path: &str) -> bool {
        self.all
            || (!self.names.is_empty() && paths::names(path).any(|name| self.names.contains(name)))
    }
}

/// The names of a file's top level, and whether something may be inside.
fn outermost(facts: &FileFacts) -> impl Iterator<Item = (&str, bool)> {
    let outermost = facts.definitions.iter().filter(|d| d.parent.is_none());
    outermost.map(|definition| (&*definition.name, definition.kind.is_container()))
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

//! What a change does to where imports lead, beyond files that come or go: which files are of another package
//! than before, and which names imports may reach by other ways. Resolvers of languages with packages
//! or qualified paths may read of a source its package, the names of its top level, and its imports;
//! where one of these differs, what rests on it is resolved again.

use std::sync::Arc;

use foldhash::{HashMap, HashSet};
use foveate_model::{FileFacts, FileId};

use crate::change::FileSet;
use crate::files::Files;
use crate::graph::dependencies::Question;
use crate::graph::modules::Modules;
use crate::graph::paths;
use crate::graph::previous::Previous;

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
    /// What the edited files say otherwise, with all names that other files import by it.
    pub(super) fn new(previous: &Previous<'a>, files: &'a Files) -> Self {
        let mut renamed = Self::default();
        for (id, before, after) in previous.edited(files) {
            renamed.all |= before.package != after.package;
            let rules = &after.language.rules().lookup;
            let modules = &previous.graph.modules;
            if rules.paths_may_be_qualified || modules.package_of(previous.files, id).is_some() {
                renamed.add(before, after);
            }
        }
        if !renamed.all && !renamed.names.is_empty() {
            renamed.spread(files);
        }
        renamed
    }

    fn add(&mut self, before: &'a FileFacts, after: &'a FileFacts) {
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
    fn spread(&mut self, files: &'a Files) {
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

/// Adds the files that are of another package than before, and the questions whose answers may differ by
/// what is `renamed`, or because modules `moved`. Where the resolvers are those of before, there
/// are none.
pub(super) fn note(
    (previous, renamed): (Previous<'_>, &Renamed<'_>),
    (files, modules): (&Files, &Arc<Modules>),
    touched: &mut FileSet,
    questions: &mut HashSet<u32>,
) {
    if Arc::ptr_eq(modules, &previous.graph.modules) {
        return;
    }
    if renamed.all || previous.are_modules_moved(files) {
        questions.insert(Question::AnyModule.hash(""));
    }
    let names = renamed.names.iter();
    questions.extend(names.map(|name| Question::Module.hash(name)));
    for file in moved(previous, files, modules) {
        touched.insert(file);
        let definitions = files
            .content(file)
            .map(|content| &content.facts.definitions);
        let names = definitions.into_iter().flatten().map(|d| &*d.name);
        questions.extend(names.map(|name| Question::Name.hash(name)));
    }
}

/// The files whose package has other files than before, apart from such that came or went. Packages
/// are numbered anew, so numbers are compared by which replaced which.
fn moved(previous: Previous<'_>, files: &Files, modules: &Modules) -> Vec<FileId> {
    let mut replaced: HashMap<(&str, u32), u32> = HashMap::default();
    let mut replaces: HashMap<(&str, u32), u32> = HashMap::default();
    let mut is_moved = |file: &FileId| {
        let Some(earlier) = previous.change.before(*file) else {
            return false;
        };
        let before = previous.graph.modules.package_of(previous.files, earlier);
        let after = modules.package_of(files, *file);
        let (Some(before), Some(after)) = (before, after) else {
            return before.is_some() || after.is_some();
        };
        let family = files.file(*file).language.family();
        let now = *replaced.entry((family, before)).or_insert(after);
        let then = *replaces.entry((family, after)).or_insert(before);
        (now, then) != (after, before)
    };
    files.ids().filter(|file| is_moved(file)).collect()
}

//! Which files are of another package than before: what they and others see of each other differs,
//! although no text does.

use std::sync::Arc;

use foldhash::{HashMap, HashSet};
use foveate_model::{DefinitionKind, FileFacts, FileId};

use crate::change::FileSet;
use crate::files::Files;
use crate::graph::dependencies::Question;
use crate::graph::modules::Modules;
use crate::graph::resolve::Previous;

/// Adds the files that are of another package than before, and the questions for what they define.
/// Where the resolvers are those of before, there are none.
pub(super) fn note(
    previous: Previous<'_>,
    files: &Files,
    modules: &Arc<Modules>,
    touched: &mut FileSet,
    questions: &mut HashSet<u32>,
) {
    if Arc::ptr_eq(modules, &previous.graph.modules) {
        return;
    }
    questions.insert(Question::AnyModule.hash(""));
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

/// Whether two contents of a file of a package define the same types at the top level. Imports name
/// them, so the resolver may have read them.
pub(super) fn defines_alike(before: &FileFacts, after: &FileFacts) -> bool {
    types(before).eq(types(after))
}

fn types(facts: &FileFacts) -> impl Iterator<Item = (&str, DefinitionKind)> {
    let outermost = facts.definitions.iter().filter(|d| d.parent.is_none());
    let types = outermost.filter(|d| d.kind.is_container());
    types.map(|definition| (&*definition.name, definition.kind))
}

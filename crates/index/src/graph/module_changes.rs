//! What a change does to where imports lead, beyond files that come or go: which files are of another package
//! than before, and which names imports may reach by other ways. Resolvers of languages with packages
//! or qualified paths may read of a source its package, the names of its top level, and its imports;
//! where one of these differs, what rests on it is resolved again.

use std::sync::Arc;

use foldhash::{HashMap, HashSet};
use foveate_model::FileId;

use crate::change::FileSet;
use crate::files::Files;
use crate::graph::dependencies::Question;
use crate::graph::modules::Modules;
use crate::graph::previous::Previous;
use crate::graph::renamed::Renamed;

/// What the edited files say otherwise, with all names that other files import by it.
pub(super) fn renamed<'a>(previous: &Previous<'a>, files: &'a Files) -> Renamed<'a> {
    let mut renamed = Renamed::default();
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

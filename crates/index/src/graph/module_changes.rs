//! Finds imports whose target may change because of an edit elsewhere (not because a file was added or
//! removed): files whose package changed, and names that may resolve differently. For languages with packages
//! or qualified paths, a resolver may read the package, the top-level names and the imports of a source; if
//! one of these differs, everything that depends on it is resolved again.

use std::sync::Arc;

use foldhash::{HashMap, HashSet};
use foveate_model::FileId;

use crate::change::FileSet;
use crate::files::Files;
use crate::graph::changed_names::ChangedNames;
use crate::graph::dependencies::Lookup;
use crate::graph::modules::Modules;
use crate::graph::previous::Previous;

/// Returns the names that resolve differently because of the edited files, including names that other files
/// import through them.
pub(super) fn changed_names<'a>(previous: &Previous<'a>, files: &'a Files) -> ChangedNames<'a> {
    let mut changed_names = ChangedNames::default();
    for (id, before, after) in previous.edited(files) {
        changed_names.all |= before.package != after.package;
        let rules = &after.language.rules().lookup;
        let modules = &previous.graph.modules;
        if rules.paths_may_be_qualified || modules.package_of(previous.files, id).is_some() {
            changed_names.add(before, after);
        }
    }
    if !changed_names.all && !changed_names.names.is_empty() {
        changed_names.propagate(files);
    }
    changed_names
}

/// Adds the files whose package changed to `touched`, and the look-ups whose results may differ to
/// `lookups`, because of `changed_names` or because modules may have moved. If the resolvers are unchanged,
/// nothing is added.
pub(super) fn add_affected(
    (previous, changed_names): (Previous<'_>, &ChangedNames<'_>),
    (files, modules): (&Files, &Arc<Modules>),
    touched: &mut FileSet,
    lookups: &mut HashSet<u32>,
) {
    if Arc::ptr_eq(modules, &previous.graph.modules) {
        return;
    }
    if changed_names.all || previous.may_modules_have_moved(files) {
        lookups.insert(Lookup::AnyModule.hash(""));
    }
    let names = changed_names.names.iter();
    lookups.extend(names.map(|name| Lookup::Module.hash(name)));
    for file in files_in_other_packages(previous, files, modules) {
        touched.insert(file);
        let definitions = files
            .content(file)
            .map(|content| &content.facts.definitions);
        let names = definitions.into_iter().flatten().map(|d| &*d.name);
        lookups.extend(names.map(|name| Lookup::Name.hash(name)));
    }
}

/// Returns the files whose package consists of other files than before, ignoring added and removed files.
/// Packages are numbered again for each snapshot, so old and new numbers are matched with each other.
fn files_in_other_packages(
    previous: Previous<'_>,
    files: &Files,
    modules: &Modules,
) -> Vec<FileId> {
    let mut replaced: HashMap<(&str, u32), u32> = HashMap::default();
    let mut replaces: HashMap<(&str, u32), u32> = HashMap::default();
    let mut is_moved = |file: &FileId| {
        let Some(earlier) = previous.change.earlier_id(*file) else {
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

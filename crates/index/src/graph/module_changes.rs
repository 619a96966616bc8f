//! Finds imports and paths whose target may change because of a change elsewhere: files whose package changed, names
//! that may resolve differently, and families of languages whose modules may have moved. For languages with
//! packages or qualified paths, a resolver may read the package, the importable names and the imports of a
//! source; if one of these differs, everything that depends on it is resolved again.

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
        changed_names.all |= before.package != after.package || before.language != after.language;
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

/// The modules of the later files, and which of them may have moved.
#[derive(Debug)]
pub(super) struct MovedModules {
    /// The modules of the graph before the change, shared with it, if none may have moved.
    pub(super) modules: Arc<Modules>,
    /// Whether files were added or removed. Then imports that do not name a file may have other targets.
    has_other_files: bool,
    /// The families of languages whose settings place modules differently.
    by_settings: Vec<&'static str>,
    /// The families of languages in which an added or removed file may move modules of any name.
    by_files: Vec<&'static str>,
}

impl MovedModules {
    pub(super) fn new(
        previous: &Previous<'_>,
        files: &Files,
        changed_names: &ChangedNames<'_>,
    ) -> Self {
        let earlier = &previous.graph.modules;
        let mut moved = Self {
            modules: Arc::clone(earlier),
            has_other_files: !previous.change.is_stable(),
            by_settings: previous.families_with_changed_settings(files),
            by_files: Vec::new(),
        };
        let is_same = |moved: &Self| moved.by_settings.is_empty() && changed_names.is_empty();
        if moved.has_other_files {
            moved.by_files = previous.families_with_other_files(files);
            moved.modules = Arc::new(Modules::new(files));
        } else if !is_same(&moved) {
            let modules = Arc::new(Modules::new(files));
            moved
                .by_settings
                .retain(|family| !modules.are_same(earlier, family));
            if !is_same(&moved) {
                moved.modules = modules;
            }
        }
        moved
    }

    /// Whether any import in a file of this family may have another target.
    pub(super) fn has_other_settings(&self, family: &str) -> bool {
        self.by_settings.contains(&family)
    }

    /// Whether imports in a file of this family that do not name a file may have other targets.
    pub(super) fn may_have_moved(&self, family: &str) -> bool {
        self.has_other_files || self.has_other_settings(family)
    }
}

/// Adds the files whose package changed to `touched`, and the look-ups whose results may differ to
/// `lookups`, because of `changed_names` or because modules may have moved. If the resolvers are unchanged,
/// nothing is added.
pub(super) fn add_affected(
    (previous, changed_names): (Previous<'_>, &ChangedNames<'_>),
    (files, moved): (&Files, &MovedModules),
    touched: &mut FileSet,
    lookups: &mut HashSet<u32>,
) {
    let modules = &moved.modules;
    if Arc::ptr_eq(modules, &previous.graph.modules) {
        return;
    }
    let families = modules.systems().map(|(family, _)| family);
    let families = families.filter(|family| {
        changed_names.all || moved.by_files.contains(family) || moved.has_other_settings(family)
    });
    lookups.extend(families.map(|family| Lookup::AnyModule.hash(family)));
    let names = changed_names.names.iter().copied();
    let names = names.chain(previous.declared_names(files));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::Change;
    use crate::graph::Graph;
    use crate::symbols::Symbols;
    use foveate_model::{ObjectId, Purpose, RepoPath, SourceFile};

    fn files(texts: &[(&str, &str)]) -> Files {
        let file = |(path, text): &(&str, &str)| {
            let path = RepoPath::new(path).unwrap();
            let named = foveate_parse::language_by_name(&path);
            let limits = foveate_parse::Limits::default();
            let (language, content) = foveate_parse::read(named, text.as_bytes(), &limits);
            SourceFile {
                purpose: Purpose::default(),
                role: foveate_parse::role(&path, language, false),
                blob: ObjectId::from_sha1([0; 20]),
                size: text.len() as u64,
                language,
                content: content.ok().map(Arc::new),
                skipped: None,
                path,
            }
        };
        Files::new(texts.iter().map(file).collect())
    }

    /// Checks which families have moved modules after a change of the second file, or when it is added.
    #[track_caller]
    fn check(before: &[(&str, &str)], after: &[(&str, &str)], is_same: bool, moved: &[&str]) {
        let (earlier, files) = (files(before), files(after));
        let change = Change::between(earlier.as_slice(), files.as_slice());
        let graph = Graph::new(&earlier, &Symbols::new(&earlier));
        let previous = Previous {
            files: &earlier,
            graph: &graph,
            change: &change,
        };
        let names = changed_names(&previous, &files);
        let found = MovedModules::new(&previous, &files, &names);
        assert_eq!(
            Arc::ptr_eq(&found.modules, &graph.modules),
            is_same,
            "{after:?}"
        );
        let mut families = found.by_settings;
        families.extend(found.by_files);
        families.sort_unstable();
        families.dedup();
        assert_eq!(families, moved, "{after:?}");
    }

    #[test]
    fn only_families_whose_modules_may_move_are_affected() {
        let java = ("Run.java", "package run; class Run {}");
        let script = ("run.js", "import x from 'shop';");
        let manifest = |text| ("package.json", text);
        let of = |manifest| [java, manifest, script];
        let before = of(manifest(
            r#"{"name": "shop", "version": "1", "main": "a.js"}"#,
        ));
        check(
            &before,
            &of(manifest(
                r#"{"name": "shop", "version": "2", "main": "a.js"}"#,
            )),
            true,
            &[],
        );
        check(
            &before,
            &of(manifest(
                r#"{"name": "shop", "version": "1", "main": "b.js"}"#,
            )),
            false,
            &["ecmascript"],
        );
        let project = |text| [("Cart.cs", "namespace Shop;"), ("Shop.csproj", text)];
        let before = project("<Project />");
        check(&before, &project("<Project></Project>"), true, &[]);
        let using = "<Project><Using Include=\"Shop\" /></Project>";
        check(&before, &project(using), false, &["csharp"]);
        check(
            &[java, script],
            &[java, ("a.js", ""), script],
            false,
            &["ecmascript"],
        );
        check(
            &[java, script],
            &[java, ("README.md", ""), script],
            false,
            &["ecmascript"],
        );
    }
}

//! Finds the fixtures that tests get by naming a parameter like them. Start at [`NameResolver::fixture`].

use crate::files::{DefId, FileId};
use crate::graph::dependencies::Lookup;
use crate::graph::names::NameResolver;

/// How near a file with fixtures is to a file that uses them; the nearest is the greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Nearness {
    /// The file is in a directory around the other one, whose path has this length.
    Above(usize),
    Same,
}

impl NameResolver<'_> {
    /// Returns the fixture of a name whose result a function gets: that of its class or file, or else that of the
    /// nearest directory. A fixture may extend another one of its own name.
    pub(super) fn fixture(&self, function: DefId, name: &str) -> Option<DefId> {
        let rules = self.language(function.file).rules();
        let user = self.definition(function);
        if !rules.takes_fixtures(user) {
            return None;
        }
        self.dependencies.add_lookup(Lookup::Name, name);
        let named = self.tables.symbols.named(name).iter().copied();
        let candidates = named.filter(|id| *id != function).filter_map(|id| {
            let nearness = self.nearness_of_fixtures(id.file, function.file)?;
            let fixture = self.definition(id);
            // The fixtures of a class serve its own methods.
            let is_visible = fixture.parent.is_none()
                || (nearness == Nearness::Same && fixture.parent == user.parent);
            let is_fixture = is_visible && rules.lookup.fixtures.includes(fixture);
            is_fixture.then_some((nearness, fixture.parent, id.local, id))
        });
        candidates.max().map(|(.., id)| id)
    }

    /// Returns how near the fixtures of `file` are to `user`; `None` if they do not serve it.
    fn nearness_of_fixtures(&self, file: FileId, user: FileId) -> Option<Nearness> {
        if file == user {
            return Some(Nearness::Same);
        }
        let files = self.tables.files;
        let path = files.path(file);
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = name.split('.').next().unwrap_or(name);
        let shared_stems = self.language(file).rules().lookup.fixtures.shared_stems;
        let rest = files.path(user).strip_prefix(directory)?;
        let is_around = directory.is_empty() || rest.starts_with('/');
        (is_around && shared_stems.contains(&stem)).then_some(Nearness::Above(directory.len()))
    }
}

//! Finds the types that implement an interface by having its methods, in languages whose types do not name it
//! ([`LookupRules::implicit_interfaces`]): those whose methods have the same names and the same parameter and result
//! types. This is looked up for a query, and not while the graph is built: no edge depends on it, so no dependencies are
//! recorded. Start at [`Graph::implementers`].
//!
//! [`LookupRules::implicit_interfaces`]: foveate_model::resolution::LookupRules::implicit_interfaces

use std::borrow::Cow;
use std::collections::BTreeSet;

use foldhash::HashSet;
use foveate_model::resolution::{LibraryInterface, LookupRules};
use foveate_model::{DefinitionKind, Visibility};

use crate::files::{DefId, Files};
use crate::graph::Graph;
use crate::graph::dependencies::Dependencies;
use crate::graph::inheritance::Inheritance;
use crate::graph::names::NameResolver;
use crate::symbols::Symbols;

/// Maximum definitions of one name that are examined.
const MAX_NAMED: usize = 512;
/// Maximum definitions of one name that are examined for an interface of a standard library: many types have such methods.
const MAX_LIBRARY_NAMED: usize = 4_096;
/// Maximum methods of an interface that are compared. Those with the rarest names are.
const MAX_METHODS: usize = 16;
/// Maximum types that a type embeds, also through others.
const MAX_EMBEDDED: usize = 32;
/// Maximum interfaces with one method that are compared with a type.
const MAX_INTERFACES: usize = 8;
/// Minimum methods of an interface that also embeds one from elsewhere, whose methods are not known.
const MIN_KNOWN: usize = 2;

impl Graph {
    /// Returns the types that implement an interface without naming it, by id. Empty if types of its language name their
    /// interfaces.
    pub fn implementers(&self, files: &Files, symbols: &Symbols, interface: DefId) -> Vec<DefId> {
        let dependencies = Dependencies::ignored();
        let methods = self.method_sets(files, symbols, &dependencies);
        methods.implementers(interface)
    }

    /// Returns the types that implement an interface of their language's standard library without naming it, by id, and the
    /// name of the interface with its package; `None` if no language of the repository has such an interface. `name` may lack
    /// the package.
    pub fn library_implementers(
        &self,
        files: &Files,
        symbols: &Symbols,
        name: &str,
    ) -> Option<(&'static str, Vec<DefId>)> {
        let dependencies = Dependencies::ignored();
        let methods = self.method_sets(files, symbols, &dependencies);
        let (rules, interface) = methods.library_interface(name)?;
        let found = methods.library_implementers(rules, interface);
        Some((interface.name, found))
    }

    /// Returns the methods of interfaces that a method of a type implements without naming them, by id; of a common name
    /// those of a few interfaces.
    pub fn implemented(&self, files: &Files, symbols: &Symbols, method: DefId) -> Vec<DefId> {
        let dependencies = Dependencies::ignored();
        let methods = self.method_sets(files, symbols, &dependencies);
        methods.implemented(method)
    }

    fn method_sets<'a>(
        &'a self,
        files: &'a Files,
        symbols: &'a Symbols,
        dependencies: &'a Dependencies,
    ) -> MethodSets<'a> {
        MethodSets {
            names: NameResolver::new(self.tables(files, symbols), dependencies),
            inheritance: &self.inheritance,
        }
    }

    /// Returns the type that a method belongs to.
    pub fn type_of_method(&self, files: &Files, symbols: &Symbols, method: DefId) -> Option<DefId> {
        let dependencies = Dependencies::ignored();
        let names = NameResolver::new(self.tables(files, symbols), &dependencies);
        names.type_of_method(method)
    }
}

/// Compares the methods of types with those of interfaces.
struct MethodSets<'a> {
    names: NameResolver<'a>,
    inheritance: &'a Inheritance,
}

impl MethodSets<'_> {
    fn implementers(&self, interface: DefId) -> Vec<DefId> {
        let methods = self.methods_of(interface).into_iter();
        let required: Vec<BTreeSet<DefId>> = methods.map(|id| self.types_with(id)).collect();
        self.implementing(&required)
    }

    /// Returns the types that have each of the required methods: for each, the types that define it.
    fn implementing(&self, required: &[BTreeSet<DefId>]) -> Vec<DefId> {
        let candidates: BTreeSet<DefId> = required.iter().flatten().copied().collect();
        let candidates = candidates.into_iter();
        candidates
            .filter(|id| self.implements(*id, required.iter().map(Cow::Borrowed)))
            .collect()
    }

    /// Returns the interface of this name, with the rules of the language whose standard library has it.
    fn library_interface(
        &self,
        name: &str,
    ) -> Option<(&'static LookupRules, &'static LibraryInterface)> {
        let is_named = |interface: &&LibraryInterface| {
            let last = interface.name.rsplit('.').next();
            interface.name == name || last == Some(name)
        };
        let mut seen = HashSet::default();
        let files = self.names.tables.files.ids();
        let languages = files.map(|file| self.names.language(file));
        let mut languages = languages.filter(|language| seen.insert(*language));
        languages.find_map(|language| {
            let rules = &language.rules().lookup;
            let found = rules.library_interfaces.iter().find(is_named)?;
            Some((rules, found))
        })
    }

    fn library_implementers(
        &self,
        rules: &LookupRules,
        interface: &LibraryInterface,
    ) -> Vec<DefId> {
        let Some(read) = rules.implicit_interfaces else {
            return Vec::new();
        };
        let methods = interface.methods.iter();
        let required = methods.map(|(name, head)| match read(head) {
            Some(types) => self.types_with_head(name, &types),
            None => BTreeSet::new(),
        });
        self.implementing(&required.collect::<Vec<_>>())
    }

    /// Returns the types that define a method with this name and types.
    fn types_with_head(&self, name: &str, types: &[String]) -> BTreeSet<DefId> {
        let named = self.names.tables.symbols.named(name).iter().copied();
        let alike = named.take(MAX_LIBRARY_NAMED).filter(|id| {
            let own = self.types_of(*id);
            own.is_some_and(|own| are_same(&own, types))
        });
        alike
            .filter_map(|id| self.names.type_of_method(id))
            .collect()
    }

    fn implemented(&self, method: DefId) -> Vec<DefId> {
        let Some(class) = self.names.type_of_method(method) else {
            return Vec::new();
        };
        let alike = self.alike(method).into_iter();
        let of_interfaces = alike.filter(|id| self.names.definition(*id).modifiers.is_abstract);
        of_interfaces
            .take(MAX_INTERFACES)
            .filter(|id| {
                let interface = self.names.type_of_method(*id);
                let methods = interface.map(|interface| self.methods_of(interface));
                methods.is_some_and(|methods| self.has_methods(class, &methods))
            })
            .collect()
    }

    /// Whether a type has methods like all of an interface's, of which there are some. The rarest names come first, so
    /// that most types are rejected by a short list.
    fn has_methods(&self, class: DefId, methods: &[DefId]) -> bool {
        let required = methods
            .iter()
            .map(|id| Cow::<BTreeSet<DefId>>::Owned(self.types_with(*id)));
        !methods.is_empty() && self.implements(class, required)
    }

    /// Whether a type has each of the required methods: for each, the types that define it. An interface implements
    /// nothing.
    fn implements<'s>(
        &self,
        id: DefId,
        mut required: impl Iterator<Item = Cow<'s, BTreeSet<DefId>>>,
    ) -> bool {
        if self.names.definition(id).kind == DefinitionKind::Interface {
            return false;
        }
        let (embedded, _) = self.with_embedded(id);
        required.all(|types| embedded.iter().any(|id| types.contains(id)))
    }

    /// Returns the methods of an interface that are compared, those with the rarest names first; empty if too little is
    /// known of the interface.
    fn methods_of(&self, interface: DefId) -> Vec<DefId> {
        if self.names.definition(interface).kind != DefinitionKind::Interface
            || self
                .names
                .rules(interface.file)
                .implicit_interfaces
                .is_none()
        {
            return Vec::new();
        }
        let files = self.names.tables.files;
        let (all, is_complete) = self.with_embedded(interface);
        let members = all.into_iter().flat_map(|id| files.members(id));
        let mut methods: Vec<DefId> = members
            .filter(|id| files.definition(*id).kind.is_function())
            .collect();
        if !is_complete && methods.len() < MIN_KNOWN {
            return Vec::new();
        }
        methods.sort_by_cached_key(|id| (self.named(*id).len(), *id));
        methods.truncate(MAX_METHODS);
        methods
    }

    /// Returns the types that define a method like this one.
    fn types_with(&self, method: DefId) -> BTreeSet<DefId> {
        let alike = self.alike(method).into_iter();
        alike
            .filter_map(|id| self.names.type_of_method(id))
            .collect()
    }

    /// Returns a type with all that it embeds, and whether the repository defines all of that.
    fn with_embedded(&self, id: DefId) -> (Vec<DefId>, bool) {
        let (mut all, mut is_complete, mut at) = (vec![id], true, 0);
        while let Some(id) = all.get(at).copied() {
            at += 1;
            let bases = self.inheritance.bases(id);
            is_complete &= bases.len() >= self.names.definition(id).bases.len();
            for base in bases {
                if all.len() < MAX_EMBEDDED && !all.contains(base) {
                    all.push(*base);
                }
            }
        }
        (all, is_complete)
    }

    /// Returns the methods with the name of a method and the same parameter and result types, itself included; of a method
    /// that is not public, those of its own package.
    fn alike(&self, method: DefId) -> Vec<DefId> {
        let Some(wanted) = self.types_of(method) else {
            return Vec::new();
        };
        let is_hidden = self.names.definition(method).visibility != Visibility::Public;
        let is_visible = |id: DefId| !is_hidden || self.names.is_one_package(method.file, id.file);
        let named = self.named(method).iter().copied().take(MAX_NAMED);
        named
            .filter(|id| is_visible(*id))
            .filter(|id| {
                let types = self.types_of(*id);
                types.is_some_and(|types| are_same(&types, &wanted))
            })
            .collect()
    }

    fn named(&self, method: DefId) -> &[DefId] {
        let name = &self.names.definition(method).name;
        self.names.tables.symbols.named(name)
    }

    /// Returns the types of the parameters and results of a method, in one form for all packages.
    fn types_of(&self, method: DefId) -> Option<Vec<String>> {
        let definition = self.names.definition(method);
        if definition.kind != DefinitionKind::Method {
            return None;
        }
        let read = self.names.rules(method.file).implicit_interfaces?;
        let head = definition.name_span.end as usize..definition.signature.end as usize;
        read(self.names.text(method.file).get(head)?)
    }
}

/// Whether two methods have the same types. An empty one stands for any.
fn are_same(types: &[String], others: &[String]) -> bool {
    types.len() == others.len()
        && types
            .iter()
            .zip(others)
            .all(|(a, b)| a == b || a.is_empty() || b.is_empty())
}

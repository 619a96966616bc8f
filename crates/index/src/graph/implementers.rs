//! Finds the types that implement an interface by having its methods, in languages whose types do not name it
//! ([`LookupRules::implicit_interfaces`]): those whose methods have the same names and the same types in their heads.
//! Questions alone look this up. No edge of the graph depends on it, so that no dependencies are recorded. Start at
//! [`Graph::implementers`].
//!
//! [`LookupRules::implicit_interfaces`]: foveate_model::resolution::LookupRules::implicit_interfaces

use std::collections::BTreeSet;

use foveate_model::{DefinitionKind, Visibility};

use crate::files::{DefId, Files};
use crate::graph::Graph;
use crate::graph::dependencies::Dependencies;
use crate::graph::inheritance::Inheritance;
use crate::graph::names::NameResolver;
use crate::symbols::Symbols;

/// Maximum definitions of one name that are examined.
const MAX_NAMED: usize = 512;
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
        let methods = MethodSets {
            names: NameResolver::new(self.tables(files, symbols), &dependencies),
            inheritance: &self.inheritance,
        };
        methods.implementers(interface)
    }

    /// Returns the methods of interfaces that a method of a type implements without naming them, by id; of a common name
    /// those of a few interfaces.
    pub fn implemented(&self, files: &Files, symbols: &Symbols, method: DefId) -> Vec<DefId> {
        let dependencies = Dependencies::ignored();
        let methods = MethodSets {
            names: NameResolver::new(self.tables(files, symbols), &dependencies),
            inheritance: &self.inheritance,
        };
        methods.implemented(method)
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
        let required = self.required(interface);
        let candidates: BTreeSet<DefId> = required.iter().flatten().copied().collect();
        let candidates = candidates.into_iter();
        candidates
            .filter(|id| self.implements(*id, &required))
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
                interface.is_some_and(|interface| self.implements(class, &self.required(interface)))
            })
            .collect()
    }

    /// Whether a type has each of the required methods: for each, the types that define it. An interface implements
    /// nothing.
    fn implements(&self, id: DefId, required: &[BTreeSet<DefId>]) -> bool {
        let (embedded, _) = self.with_embedded(id);
        !required.is_empty()
            && self.names.definition(id).kind != DefinitionKind::Interface
            && required
                .iter()
                .all(|types| embedded.iter().any(|id| types.contains(id)))
    }

    /// Returns, for each method of an interface, the types that define a method like it; empty if too little is known of
    /// the interface.
    fn required(&self, interface: DefId) -> Vec<BTreeSet<DefId>> {
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
        methods.sort_by_key(|id| (self.named(*id).len(), *id));
        methods.truncate(MAX_METHODS);
        let types = |method: DefId| -> BTreeSet<DefId> {
            let alike = self.alike(method).into_iter();
            alike
                .filter_map(|id| self.names.type_of_method(id))
                .collect()
        };
        methods.into_iter().map(types).collect()
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

    /// Returns the methods with the name of a method and the same types in their heads, itself included. Only its own
    /// package has one whose name is hidden from others.
    fn alike(&self, method: DefId) -> Vec<DefId> {
        let Some(wanted) = self.head(method) else {
            return Vec::new();
        };
        let is_hidden = self.names.definition(method).visibility != Visibility::Public;
        let is_visible = |id: DefId| !is_hidden || self.names.is_one_package(method.file, id.file);
        let named = self.named(method).iter().copied().take(MAX_NAMED);
        named
            .filter(|id| is_visible(*id))
            .filter(|id| self.head(*id).is_some_and(|head| is_same(&head, &wanted)))
            .collect()
    }

    fn named(&self, method: DefId) -> &[DefId] {
        let name = &self.names.definition(method).name;
        self.names.tables.symbols.named(name)
    }

    /// Returns the types in the head of a method.
    fn head(&self, method: DefId) -> Option<Vec<String>> {
        let definition = self.names.definition(method);
        if definition.kind != DefinitionKind::Method {
            return None;
        }
        let read = self.names.rules(method.file).implicit_interfaces?;
        let head = definition.name_span.end as usize..definition.signature.end as usize;
        read(self.names.text(method.file).get(head)?)
    }
}

/// Whether two heads have the same types. An empty one stands for any.
fn is_same(head: &[String], other: &[String]) -> bool {
    head.len() == other.len()
        && head
            .iter()
            .zip(other)
            .all(|(a, b)| a == b || a.is_empty() || b.is_empty())
}

//! Finds properties of the other languages of a family, which a language accesses by other names: Java calls
//! `getName()` for Kotlin's `val name`, and Kotlin reads `name` for Java's `getName()`. Start at
//! [`Evaluator::or_accessors`].

use foveate_model::Visibility;
use foveate_model::resolution::ForeignProperties;

use super::Evaluator;
use crate::files::DefId;
use crate::graph::dependencies::Lookup;
use crate::graph::targets::{Target, Targets};

impl<'a> Evaluator<'a> {
    /// Returns the members `found` of a class, or what their name means in another language if they are none, or
    /// private there: a property of Java mostly has a private field of its name.
    pub(super) fn or_accessors(&self, class: DefId, name: &str, found: Targets) -> Targets {
        let names = self.names;
        let access = names.rules(self.file).foreign_properties;
        if access == ForeignProperties::Unknown {
            return found;
        }
        if !found.is_empty() {
            if !found.definitions().all(|id| self.is_foreign(id)) {
                return found;
            }
            // It covers the visibility, which is no part of a file's interface.
            names.dependencies.add_lookup(Lookup::Name, name);
            let is_private = |id| names.definition(id).visibility == Visibility::Private;
            if !found.definitions().all(is_private) {
                return found;
            }
        }
        let counterparts = match access {
            ForeignProperties::Called => properties(name),
            ForeignProperties::Read | ForeignProperties::Unknown => accessors(name),
        };
        let mut others = Targets::default();
        for counterpart in counterparts {
            // The name of a definition outlives this look-up.
            let mut named = names.named(self.file, &counterpart);
            let Some(known) = named.find(|known| self.is_foreign(known.id)) else {
                continue;
            };
            let (known_bases, name) = (&self.known_bases, &known.definition.name);
            let members = self.inheritance.members(names, known_bases, class, name);
            for id in members.definitions().filter(|id| self.is_property(*id)) {
                others.push(Target::Definition(id));
            }
        }
        others.or_else(|| found)
    }

    /// Whether a definition is in another language than the file.
    fn is_foreign(&self, id: DefId) -> bool {
        self.names.language(id.file) != self.names.language(self.file)
    }

    /// Whether a definition of another language is a property there, or an accessor of one.
    fn is_property(&self, id: DefId) -> bool {
        let definition = self.names.definition(id);
        let is_method = definition.kind.is_function() && !definition.modifiers.is_property;
        let is_read = self.names.rules(self.file).foreign_properties == ForeignProperties::Read;
        self.is_foreign(id) && definition.visibility != Visibility::Private && is_method == is_read
    }

    /// Whether a method of another language is read like a property here.
    pub(in crate::graph) fn is_read_getter(&self, id: DefId) -> bool {
        let is_read = self.names.rules(self.file).foreign_properties == ForeignProperties::Read;
        is_read && self.is_foreign(id) && self.names.definition(id).name.starts_with("get")
    }

    /// Whether a property of another language is called here like the getter of it.
    pub(in crate::graph) fn is_called_property(&self, id: DefId) -> bool {
        let is_called = self.names.rules(self.file).foreign_properties == ForeignProperties::Called;
        is_called && self.is_foreign(id) && !self.names.definition(id).kind.is_function()
    }

    /// Whether a use of a name means this definition: an assignment to a property means its setter in another language,
    /// and every other use its getter.
    pub(in crate::graph) fn fits_access(&self, name: &str, target: DefId, after: &str) -> bool {
        let access = self.names.rules(self.file).foreign_properties;
        if access != ForeignProperties::Read || !self.is_foreign(target) {
            return true;
        }
        let meant = &*self.names.definition(target).name;
        if !accessors(name).iter().any(|accessor| accessor == meant) {
            return true;
        }
        let after = after.trim_start();
        let is_assigned = after.starts_with('=') && !after.starts_with("==");
        meant.starts_with("set") == is_assigned
    }
}

/// Returns the names of the accessors that a property may have, without those of its own name.
fn accessors(property: &str) -> Vec<String> {
    if let Some(rest) = after_word(property, "is") {
        return vec![format!("set{rest}")];
    }
    let mut letters = property.chars();
    let Some(first) = letters.next().filter(|first| first.is_lowercase()) else {
        return Vec::new();
    };
    let capital: String = first.to_uppercase().chain(letters).collect();
    vec![format!("get{capital}"), format!("set{capital}")]
}

/// Returns the names of the properties that an accessor may have, without its own.
fn properties(accessor: &str) -> Vec<String> {
    let setter = after_word(accessor, "set");
    let Some(rest) = setter.or_else(|| after_word(accessor, "get")) else {
        return Vec::new();
    };
    let mut letters = rest.chars();
    let first = letters.next().into_iter().flat_map(char::to_lowercase);
    let mut names = vec![first.chain(letters).collect()];
    names.extend(setter.map(|rest| format!("is{rest}")));
    names
}

/// Returns the rest of a name after its first word, if it is this one.
fn after_word<'n>(name: &'n str, word: &str) -> Option<&'n str> {
    let rest = name.strip_prefix(word)?;
    rest.starts_with(char::is_uppercase).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accessors_and_properties_have_each_others_names() {
        assert_eq!(accessors("cartSize"), ["getCartSize", "setCartSize"]);
        assert_eq!(accessors("isOpen"), ["setOpen"]);
        assert_eq!(accessors("issue"), ["getIssue", "setIssue"]);
        assert!(accessors("Size").is_empty() && accessors("").is_empty());
        assert_eq!(properties("getCartSize"), ["cartSize"]);
        assert_eq!(properties("setOpen"), ["open", "isOpen"]);
        assert!(properties("settle").is_empty() && properties("get").is_empty());
    }
}

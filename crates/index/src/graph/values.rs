//! Evaluates an expression of names at a position in a file: to the module, class or object before a dot, and
//! from that to the definition after it. Results from scopes and imports are certain; results from
//! annotations, initial values and return types are likely.

mod accessors;
mod bare_names;
mod calls;
mod extensions;
mod lambda_receivers;
mod qualified_paths;

use std::cell::RefCell;
use std::hash::Hash;

use foldhash::HashMap;
use foveate_model::resolution::LookupRules;
use foveate_model::values::{Link, Local};
use foveate_model::{Definition, LocalId};

use crate::files::{DefId, FileId};
use crate::graph::inheritance::{Inheritance, KnownBases};
use crate::graph::names::{NameResolver, Position};
use crate::graph::paths;
use crate::graph::relations::Confidence;
use crate::graph::targets::{Target, Targets};

pub(super) use self::bare_names::Variables;
pub(super) use self::calls::returns_receiver;

/// Maximum number of imports of the form `import a.b` in one file that are compared with each path.
const MAX_DOTTED: usize = 256;
/// Maximum number of names of a path after the first.
const MAX_MEMBERS: usize = 16;
/// Maximum depth of inferences that depend on each other.
const MAX_INFERENCES: u32 = 5;

/// The value of an expression before a dot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Value {
    Module(FileId),
    /// A class, enum or namespace itself.
    Class(DefId),
    /// An instance of a class.
    Instance(DefId),
    /// A collection of instances of a class.
    Elements(DefId),
    /// The value of `super()` in a method of a class.
    Super(DefId),
    /// A function, variable or field.
    Definition(DefId),
    /// Something outside the repository.
    External,
    /// A local name of unknown value, or an unknown member.
    Unknown,
    /// An unbound name.
    Unbound,
}

/// The result for the last name of an expression.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome {
    /// The targets of the name; empty if unknown.
    pub(super) found: Targets,
    /// Its value if `found` is empty.
    pub(super) value: Value,
    /// The value before it; [`Value::Unbound`] for a bare name.
    pub(super) receiver: Value,
    /// Confidence of `found`.
    pub(super) confidence: Confidence,
}

/// The enclosing definition, a bare name, the variables that it may mean, and the depth of inferences that is left.
type BareNameKey<'a> = (Option<LocalId>, &'a str, Variables, u32);
/// The file of a name, the receiver before it, the name, and the depth of inferences that is left.
type ExtensionKey<'a> = (FileId, Value, &'a str, u32);

/// Evaluates the expressions of one file.
pub(super) struct Evaluator<'a> {
    pub(super) names: NameResolver<'a>,
    inheritance: &'a Inheritance,
    known_bases: KnownBases,
    /// The file that the local variables belong to.
    file: FileId,
    /// Local variables of the file, sorted by function and name.
    locals: &'a [Local],
    /// The text of the file, which `locals` point into.
    text: &'a str,
    /// Imports of the form `import a.b`, the longest first.
    dotted: Vec<(&'a str, FileId)>,
    pub(super) caches: Caches<'a>,
}

/// The results of one evaluator, which are needed again.
#[derive(Default)]
pub(super) struct Caches<'a> {
    /// Top-level names of the file.
    top_level: RefCell<HashMap<&'a str, Targets>>,
    /// Members of modules, classes and their instances.
    members: RefCell<HashMap<(Value, &'a str), Targets>>,
    /// Bare names inside definitions of the file, by the depth of inferences that is left.
    bare_names: RefCell<HashMap<BareNameKey<'a>, Outcome>>,
    /// Values that functions return, by the depth of inferences that is left. Without it, functions that return chains
    /// of calls of each other would take exponential time.
    pub(super) returned: RefCell<HashMap<(DefId, u32), Value>>,
    /// The same for the values of variables, fields and properties.
    pub(super) held: RefCell<HashMap<(DefId, u32), Value>>,
    /// Receivers of lambdas, by the start of the name that gives them.
    lambdas: RefCell<HashMap<u32, Value>>,
    /// Extensions that a name after a receiver means.
    extensions: RefCell<HashMap<ExtensionKey<'a>, (Targets, Confidence)>>,
}

/// Returns a value of a cache, which is computed if it is not there.
pub(super) fn cached<K: Eq + Hash, V: Copy>(
    cache: &RefCell<HashMap<K, V>>,
    key: K,
    compute: impl FnOnce() -> V,
) -> V {
    if let Some(known) = cache.borrow().get(&key) {
        return *known;
    }
    let value = compute();
    cache.borrow_mut().insert(key, value);
    value
}

/// Returns the imports for [`Evaluator::dotted_import`].
fn dotted_imports<'a>(names: NameResolver<'a>, file: FileId) -> Vec<(&'a str, FileId)> {
    let (Some(facts), Some(scope)) = (names.facts(file), names.scope(file)) else {
        return Vec::new();
    };
    if !names.rules(file).imports_bind_paths {
        return Vec::new();
    }
    let mut dotted: Vec<(&str, FileId)> = facts
        .imports
        .iter()
        .zip(&scope.modules)
        .filter_map(|(import, module)| Some((import, (*module)?)))
        .flat_map(|(import, module)| import.names.iter().map(move |name| (&*name.local, module)))
        .filter(|(local, _)| local.contains('.'))
        .collect();
    dotted
        .sort_unstable_by_key(|(local, module)| (std::cmp::Reverse(local.len()), *local, *module));
    dotted.dedup();
    dotted.truncate(MAX_DOTTED);
    dotted
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(
        names: NameResolver<'a>,
        inheritance: &'a Inheritance,
        file: FileId,
        locals: &'a [Local],
    ) -> Self {
        Self {
            names,
            inheritance,
            known_bases: KnownBases::default(),
            file,
            locals,
            text: names.text(file),
            dotted: dotted_imports(names, file),
            caches: Caches {
                bare_names: RefCell::new(HashMap::with_capacity_and_hasher(
                    // Names repeat within their scope.
                    names
                        .facts(file)
                        .map_or(0, |facts| facts.references.len() / 4),
                    Default::default(),
                )),
                ..Caches::default()
            },
        }
    }

    /// Evaluates a dotted name.
    pub(super) fn path(&self, position: Position, path: &'a str) -> Outcome {
        self.path_inferring(position, path, MAX_INFERENCES)
    }

    /// Evaluates the first name of a path.
    pub(super) fn first_name(&self, position: Position, name: &'a str) -> Outcome {
        self.head(position, name, MAX_INFERENCES)
    }

    /// Evaluates what the last name of a path, such as `call`, is applied to. `A.prototype.m` means the member of `A`.
    pub(super) fn applied(&self, position: Position, path: &'a str) -> Outcome {
        let count = paths::names(path).count();
        let names = paths::names(path).take(count.saturating_sub(1));
        let mut names = names.filter(|name| *name != "prototype");
        let head = names.next().unwrap_or("");
        let first = self.head(position, head, MAX_INFERENCES);
        self.members(first, names, MAX_INFERENCES)
    }

    /// Evaluates the first definition that names after a module lead to: `TABLE` in `conf.TABLE.get`, where `first` is
    /// the module `conf`.
    pub(super) fn behind_modules(
        &self,
        first: Outcome,
        names: impl Iterator<Item = &'a str>,
    ) -> Outcome {
        let mut outcome = first;
        for name in names.take(MAX_MEMBERS) {
            if !matches!(outcome.found.first(), Some(Target::Module(_))) {
                break;
            }
            outcome = self.member_of(outcome, name, MAX_INFERENCES);
        }
        outcome
    }

    /// Evaluates `name` after a chain of names and calls.
    pub(super) fn chain(&self, position: Position, links: &[Link], name: &'a str) -> Outcome {
        let first = self.first_in_lambdas(position, links);
        self.chain_inferring(position, links, name, first, MAX_INFERENCES)
    }

    /// Like [`Self::chain`], given the outcome of the first link if it is not that of a bare name.
    fn chain_inferring(
        &self,
        position: Position,
        links: &[Link],
        name: &'a str,
        known_first: Option<Outcome>,
        inferences: u32,
    ) -> Outcome {
        let text = self.names.text(position.file);
        let Some((first, mut rest)) = links.split_first() else {
            return Outcome::unknown();
        };
        let super_name = self.names.rules(position.file).super_name;
        let first_name = first.name.of(text);
        let mut last = first;
        let mut outcome = if super_name == Some(first_name) {
            let class = self.enclosing_class(position);
            Outcome::of(class.map_or(Value::Unknown, Value::Super))
        } else {
            known_first.unwrap_or_else(|| self.head(position, first_name, inferences))
        };
        if self.may_be_qualified(position, outcome)
            && let Some((found, names)) = self.qualified_links(position, links)
        {
            outcome = found;
            last = links.get(names - 1).unwrap_or(first);
            rest = links.get(names..).unwrap_or_default();
        }
        if !first.is_called && !first.is_indexed {
            let next = rest.first().map_or(name, |next| next.name.of(text));
            outcome = self.tested(position, (first_name, outcome), next, inferences);
        }
        let next = |outcome, last, name| self.next(position.file, outcome, last, name, inferences);
        for link in rest {
            outcome = next(outcome, last, link.name.of(text));
            last = link;
        }
        next(outcome, last, name)
    }

    /// Evaluates the member `name` of the outcome of a link in a file, of the result of calling it, or of an element.
    fn next(
        &self,
        file: FileId,
        outcome: Outcome,
        link: &Link,
        name: &'a str,
        inferences: u32,
    ) -> Outcome {
        if !link.is_called && !link.is_indexed {
            return self.member_of(outcome, name, inferences);
        }
        let mut value = match link.is_called {
            true => self.result(file, self.text_of(file, link.name), outcome, inferences),
            false => self.value(outcome),
        };
        if link.is_indexed {
            value = self.element(value, inferences);
        }
        self.member(value, name, inferences)
    }

    /// Evaluates the member `name` of an outcome. Of several definitions, such as a class and the namespace
    /// merged with it, the first one that has the member counts.
    pub(super) fn member_of(&self, outcome: Outcome, name: &'a str, inferences: u32) -> Outcome {
        let (value, confidence) = self.value(outcome);
        let member = self.member((value, confidence), name, inferences);
        if !member.found.is_empty() {
            return member;
        }
        outcome
            .found
            .definitions()
            .map(Value::Class)
            .filter(|other| *other != value)
            .map(|other| self.member((other, confidence), name, inferences))
            .find(|other| !other.found.is_empty())
            .unwrap_or(member)
    }

    pub(super) fn path_inferring(
        &self,
        position: Position,
        path: &'a str,
        inferences: u32,
    ) -> Outcome {
        if let Some((outcome, rest)) = self.dotted_import(position, path) {
            let rest = Some(rest).filter(|rest| !rest.is_empty());
            return self.members(outcome, rest.into_iter().flat_map(paths::names), inferences);
        }
        let mut names = paths::names(path);
        let head = names.next().unwrap_or("");
        let outcome = match self.names.rules(position.file).paths_may_be_qualified {
            // An absolute path ignores local bindings.
            true if paths::is_absolute(path) => Outcome::of(Value::Unbound),
            _ => self.head(position, head, inferences),
        };
        if self.may_be_qualified(position, outcome)
            && let segments = paths::segments(path).collect::<Vec<_>>()
            && let Some((outcome, known)) = self.qualified(position, path, &segments)
        {
            return self.members(outcome, paths::names(path).skip(known), inferences);
        }
        let outcome = match names.clone().next() {
            Some(_) if self.is_of_foreign_package(position, path, (head, outcome)) => {
                Outcome::of(Value::External)
            }
            Some(next) => self.tested(position, (head, outcome), next, inferences),
            None => outcome,
        };
        self.members(outcome, names, inferences)
    }

    /// Whether the head of a path, which nothing binds, is a package from elsewhere: `http::Method`. A type may be made by a
    /// macro, and a name before a dot may be a variable.
    fn is_of_foreign_package(
        &self,
        position: Position,
        path: &str,
        (head, outcome): (&str, Outcome),
    ) -> bool {
        let is_path = path.strip_prefix(head).map(|rest| rest.starts_with("::"));
        self.names.rules(position.file).unbound_paths_are_foreign
            && outcome.found.is_empty()
            && outcome.value == Value::Unbound
            && head.starts_with(char::is_lowercase)
            && is_path == Some(true)
    }

    fn members(
        &self,
        mut outcome: Outcome,
        names: impl Iterator<Item = &'a str>,
        inferences: u32,
    ) -> Outcome {
        for name in names.take(MAX_MEMBERS) {
            outcome = self.member_of(outcome, name, inferences);
        }
        outcome
    }

    /// Matches `path` with imports such as Python's `import a.b.c`, which binds `a` and makes `a.b.c` a
    /// module path. Returns the longest such import that `path` starts with, and the rest of the path.
    fn dotted_import(&self, position: Position, path: &'a str) -> Option<(Outcome, &'a str)> {
        if position.file != self.file {
            return None;
        }
        let (module, rest) = self.dotted.iter().find_map(|(local, module)| {
            let rest = path.strip_prefix(local)?;
            let ends = rest.is_empty() || rest.starts_with('.');
            ends.then_some((*module, rest))
        })?;
        let outcome = Outcome::certain(Targets::one(Target::Module(module)));
        Some((outcome, rest.trim_start_matches('.')))
    }

    /// Returns the members of a module, class or instance with this name.
    fn known_member(&self, of: Value, name: &'a str) -> Targets {
        let (names, inheritance, known) = (self.names, self.inheritance, &self.known_bases);
        cached(&self.caches.members, (of, name), || match of {
            Value::Module(module) => names.attribute(module, name),
            Value::Class(class) | Value::Instance(class) => {
                let members = inheritance.members(names, known, class, name);
                self.or_accessors(class, name, members)
            }
            Value::Super(class) => inheritance.inherited(names, known, class, name),
            _ => Targets::default(),
        })
    }

    /// Evaluates the member `name` of a value.
    fn member(
        &self,
        (value, confidence): (Value, Confidence),
        name: &'a str,
        inferences: u32,
    ) -> Outcome {
        let names = self.names;
        let value = self.or_element(value, name);
        let found = match value {
            Value::Module(module) => {
                let found = self.known_member(value, name);
                if found.is_empty()
                    && let Some(member) = self.member_of_default(module, name, inferences)
                {
                    return member;
                }
                found
            }
            Value::Instance(class) => {
                let found = self.known_member(value, name);
                if found.is_empty()
                    && let Some(member) = self.member_of_target(class, name, inferences)
                {
                    return member;
                }
                found
            }
            Value::Class(_) | Value::Super(_) => self.known_member(value, name),
            Value::Definition(id) => {
                let own = names.own_members(id, name);
                if own.is_empty() && inferences > 0 {
                    let value = self.held_by(id, inferences - 1);
                    if matches!(value, Value::Definition(_)) {
                        return Outcome::likely(Value::Unknown);
                    }
                    return self.member((value, Confidence::Likely), name, inferences - 1);
                }
                own
            }
            Value::Elements(_) | Value::External | Value::Unknown | Value::Unbound => {
                Targets::default()
            }
        };
        Outcome {
            found,
            value: self.value_of_member(value, name, found),
            receiver: value,
            confidence,
        }
    }

    /// Returns the value of the member `name` of a value, as far as it is known without the definitions of the member.
    fn value_of_member(&self, of: Value, name: &str, found: Targets) -> Value {
        let rules = self.names.rules(self.file);
        match of {
            Value::Elements(class) => self.method_of_collection(class, name),
            // Of a list, whose type counts as that of its elements.
            Value::Instance(class) if found.is_empty() && yields_element(rules, name) => {
                Value::Class(class)
            }
            Value::External => Value::External,
            // Calling it constructs an object, as calling the class does.
            Value::Class(class) if self.names.rules(class.file).constructors.contains(&name) => of,
            _ => Value::Unknown,
        }
    }

    /// Returns an element instead of a collection, if code may take one without a trace in the facts, and only elements have
    /// the member `name`.
    fn or_element(&self, value: Value, name: &'a str) -> Value {
        let Value::Elements(class) = value else {
            return value;
        };
        let rules = self.names.rules(self.file);
        let element = Value::Instance(class);
        let is_of_element = rules.elements_are_implicit
            && rules.builtin_members.binary_search(&name).is_err()
            && !yields_element(rules, name)
            && !self.known_member(element, name).is_empty();
        if is_of_element { element } else { value }
    }

    /// Returns the value of a method of a collection, which does not belong to this repository: a class where the
    /// method returns an element, as calling the class does, and a collection where it returns the same elements.
    fn method_of_collection(&self, class: DefId, name: &str) -> Value {
        let rules = self.names.rules(self.file);
        if rules.element_getters.binary_search(&name).is_ok() {
            return Value::Class(class);
        }
        match rules.element_views.binary_search(&name) {
            Ok(_) => Value::Elements(class),
            Err(_) => Value::External,
        }
    }

    /// Evaluates the member `name` of the type by which a type such as `type Gates []Gate` is defined, if it has one: the
    /// field of a struct, or a member of an element, where the type of a list counts as that of its elements.
    fn member_of_target(&self, named: DefId, name: &'a str, inferences: u32) -> Option<Outcome> {
        if inferences == 0 || !self.names.rules(named.file).named_types_have_methods {
            return None;
        }
        let target = self.target_of_alias(named, inferences - 1)?;
        let member = self.member((target, Confidence::Likely), name, inferences - 1);
        (!member.found.is_empty()).then_some(member)
    }

    /// Evaluates the member `name` of the default export of a module, if it has one and the language lets the
    /// name of a module mean it: in `const client = require('./client')`, `client.open` may be a member of the
    /// object that the module exports.
    fn member_of_default(&self, module: FileId, name: &'a str, inferences: u32) -> Option<Outcome> {
        let has_default = self.names.rules(module).modules_have_defaults;
        if name == "default" || !has_default || inferences == 0 {
            return None;
        }
        let exported = Outcome::certain(self.names.exported(module, "default"));
        if exported.found.is_empty() {
            return None;
        }
        let member = self.member(self.value(exported), name, inferences - 1);
        (!member.found.is_empty()).then_some(member)
    }

    /// Returns the value of an outcome as the receiver of the next name. Of a field and a method of one name, it
    /// is the field.
    pub(super) fn value(&self, outcome: Outcome) -> (Value, Confidence) {
        self.value_preferring(outcome, |definition| !is_callable(definition))
    }

    /// Returns the value of an outcome that is called. Of a field and a method of one name, it is the method.
    pub(super) fn callee(&self, outcome: Outcome) -> (Value, Confidence) {
        self.value_preferring(outcome, is_callable)
    }

    /// Returns the value of an outcome. Of several definitions, the first class counts, otherwise the first one
    /// that fits, otherwise the first.
    fn value_preferring(
        &self,
        outcome: Outcome,
        fits: fn(&Definition) -> bool,
    ) -> (Value, Confidence) {
        let value = match outcome.found.first() {
            Some(Target::Module(module)) => Value::Module(module),
            Some(Target::External) => Value::External,
            Some(Target::Definition(first)) => {
                // In `const Service = Symbol()` beside `interface Service` the type has the members.
                let is_container = |id: &DefId| self.names.definition(*id).kind.is_container();
                let fits = |id: &DefId| fits(self.names.definition(*id));
                match outcome.found.definitions().find(is_container) {
                    Some(class) => Value::Class(class),
                    None => {
                        Value::Definition(outcome.found.definitions().find(fits).unwrap_or(first))
                    }
                }
            }
            None => outcome.value,
        };
        (value, outcome.confidence)
    }
}

/// Whether a method of a collection yields an element, or a collection of the same elements, in a language in which the
/// type of a list counts as that of its elements.
fn yields_element(rules: &LookupRules, name: &str) -> bool {
    let lists = [rules.element_getters, rules.element_views];
    rules.elements_are_implicit && lists.iter().any(|names| names.binary_search(&name).is_ok())
}

/// Whether a definition is a function that is called, and not read like a field.
fn is_callable(definition: &Definition) -> bool {
    definition.kind.is_function() && !definition.modifiers.is_property
}

impl Outcome {
    fn unknown() -> Self {
        Self::likely(Value::Unknown)
    }

    /// Creates the outcome for a bare name with certain definitions or modules.
    fn certain(found: Targets) -> Self {
        Self {
            found,
            ..Self::of(Value::Unknown)
        }
    }

    /// Creates the outcome for a bare name with a certain value and no definition.
    fn of(value: Value) -> Self {
        Self {
            found: Targets::default(),
            value,
            receiver: Value::Unbound,
            confidence: Confidence::Certain,
        }
    }

    /// Creates the outcome for a bare name with an inferred value.
    pub(super) fn likely(value: Value) -> Self {
        Self {
            confidence: Confidence::Likely,
            ..Self::of(value)
        }
    }
}

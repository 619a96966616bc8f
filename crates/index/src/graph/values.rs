//! Evaluates an expression of names at a place in a file: to the module, class or object before
//! a dot, and so the definition after it. Scopes and imports give what is certain; annotations,
//! initial values and return types give what is likely.

use std::cell::RefCell;

use foldhash::HashMap;
use foveate_model::resolution::Receiver;
use foveate_model::values::{self, Link, Local};
use foveate_model::{DefinitionKind, LocalId};

use crate::files::{DefId, FileId};
use crate::graph::Confidence;
use crate::graph::inheritance::Inheritance;
use crate::graph::names::Names;
use crate::graph::targets::{Target, Targets};

/// Most functions around a place whose names are looked at.
const MAX_NESTING: usize = 32;
/// Most imports of the form `import a.b` of one file that are looked at for each path.
const MAX_DOTTED: usize = 256;
/// How many inferred values may rest on each other.
const MAX_INFERENCES: u32 = 5;

/// What stands before a dot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Value {
    Module(FileId),
    /// A class, enum or namespace itself.
    Class(DefId),
    /// An object of a class.
    Instance(DefId),
    /// What `super()` is in a method of a class.
    Above(DefId),
    /// A function, variable or field.
    Definition(DefId),
    /// Something outside the repository.
    External,
    /// A local name of unknown value, or an unknown member.
    Unknown,
    /// A name that nothing binds.
    Unbound,
}

/// The outcome for the last name of an expression.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome {
    /// What it stands for; empty where that is not known.
    pub(super) found: Targets,
    /// Its value where `found` is empty.
    pub(super) value: Value,
    /// What stands before it; [`Value::Unbound`] for a bare name.
    pub(super) receiver: Value,
    /// How sure `found` is.
    pub(super) confidence: Confidence,
}

/// Where an expression stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) file: FileId,
    pub(super) enclosing: Option<LocalId>,
}

/// Evaluates the expressions of one file.
pub(super) struct Evaluator<'a> {
    pub(super) names: Names<'a>,
    inheritance: &'a Inheritance,
    /// The file whose local variables are known.
    file: FileId,
    /// By function and name.
    locals: &'a [Local],
    /// The text that they point to.
    text: &'a str,
    /// Its imports of the form `import a.b`, the longest first.
    dotted: Vec<(&'a str, FileId)>,
    /// What its top-level names stand for, as far as they were asked for.
    top_level: RefCell<HashMap<&'a str, Targets>>,
    /// The same for members of modules, classes and their objects.
    members: RefCell<HashMap<(Value, &'a str), Targets>>,
    /// The same for bare names inside its definitions.
    heads: RefCell<HashMap<(Option<LocalId>, &'a str), Outcome>>,
}

/// See [`Evaluator::dotted_import`].
fn dotted_imports<'a>(names: Names<'a>, file: FileId) -> Vec<(&'a str, FileId)> {
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
        names: Names<'a>,
        inheritance: &'a Inheritance,
        file: FileId,
        locals: &'a [Local],
    ) -> Self {
        Self {
            names,
            inheritance,
            file,
            locals,
            text: names.text(file),
            dotted: dotted_imports(names, file),
            top_level: RefCell::default(),
            members: RefCell::default(),
            heads: RefCell::new(HashMap::with_capacity_and_hasher(
                // Names come back in their scope.
                names
                    .facts(file)
                    .map_or(0, |facts| facts.references.len() / 4),
                Default::default(),
            )),
        }
    }

    /// Evaluates a dotted name.
    pub(super) fn path(&self, place: Place, path: &'a str) -> Outcome {
        self.path_inferring(place, path, MAX_INFERENCES)
    }

    /// Evaluates `name` after a chain of names and calls.
    pub(super) fn chain(&self, place: Place, links: &[Link], name: &'a str) -> Outcome {
        let text = self.names.text(place.file);
        let mut links = links
            .iter()
            .map(|link| (link.name.of(text), link.is_called));
        let Some((first, mut is_called)) = links.next() else {
            return Outcome::unknown();
        };
        let super_name = self.names.rules(place.file).super_name;
        let mut outcome = if super_name == Some(first) {
            let class = self.enclosing_class(place);
            Outcome::of(class.map_or(Value::Unknown, Value::Above))
        } else {
            self.head(place, first, MAX_INFERENCES)
        };
        for (link, is_called_too) in links {
            outcome = self.next(outcome, is_called, link);
            is_called = is_called_too;
        }
        self.next(outcome, is_called, name)
    }

    /// The member `name` of an outcome or, where that is called, of what calling it gives.
    fn next(&self, outcome: Outcome, is_called: bool, name: &'a str) -> Outcome {
        if !is_called {
            return self.member_of(outcome, name, MAX_INFERENCES);
        }
        let value = self.called(self.value(outcome), MAX_INFERENCES);
        self.member(value, name, MAX_INFERENCES)
    }

    /// The member `name` of what a name stands for. Of several definitions, such as a class and
    /// the namespace merged with it, the first that has it.
    fn member_of(&self, outcome: Outcome, name: &'a str, inferences: u32) -> Outcome {
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

    pub(super) fn path_inferring(&self, place: Place, path: &'a str, inferences: u32) -> Outcome {
        if let Some((outcome, rest)) = self.dotted_import(place, path) {
            return self.members(outcome, rest, inferences);
        }
        let dot = path.bytes().position(|byte| byte == b'.');
        let (head, rest) = dot.map_or((path, ""), |dot| (&path[..dot], &path[dot + 1..]));
        let outcome = self.head(place, trimmed(head), inferences);
        self.members(outcome, rest, inferences)
    }

    fn members(&self, mut outcome: Outcome, rest: &'a str, inferences: u32) -> Outcome {
        if rest.is_empty() {
            return outcome;
        }
        for segment in rest.split('.').take(16) {
            outcome = self.member_of(outcome, trimmed(segment), inferences);
        }
        outcome
    }

    /// Python's `import a.b.c` binds `a` and makes `a.b.c` a path of modules: the longest such
    /// import that `path` begins with, and the rest of the path.
    fn dotted_import(&self, place: Place, path: &'a str) -> Option<(Outcome, &'a str)> {
        if place.file != self.file {
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

    /// What a bare name stands for, looked up once in each scope. Not where values were inferred already:
    /// with fewer left, it may stand for less.
    fn head(&self, place: Place, name: &'a str, inferences: u32) -> Outcome {
        if place.file != self.file || inferences != MAX_INFERENCES {
            return self.look_up(place, name, inferences);
        }
        if let Some(outcome) = self.heads.borrow().get(&(place.enclosing, name)) {
            return *outcome;
        }
        let outcome = self.look_up(place, name, inferences);
        let key = (place.enclosing, name);
        self.heads.borrow_mut().insert(key, outcome);
        outcome
    }

    /// What a bare name stands for: from the innermost scope outwards.
    fn look_up(&self, place: Place, name: &'a str, inferences: u32) -> Outcome {
        let names = self.names;
        let rules = names.rules(place.file);
        if let Some((_, receiver)) = rules.receivers.iter().find(|(known, _)| *known == name) {
            let Some(class) = self.enclosing_class(place) else {
                return Outcome::unknown();
            };
            return Outcome::of(match receiver {
                Receiver::Instance => Value::Instance(class),
                Receiver::Class => Value::Class(class),
                Receiver::Super => Value::Above(class),
            });
        }
        let own_file = place.file == self.file;
        let mut scope = place.enclosing;
        let mut innermost = true;
        for _ in 0..MAX_NESTING {
            let Some((id, definition)) =
                scope.and_then(|id| Some((id, names.local(place.file, id)?)))
            else {
                break;
            };
            let function = definition.kind.is_function();
            // The body of a class is a scope of its own, but not of its methods.
            let searched = function
                || definition.kind == DefinitionKind::Module
                || (rules.class_bodies_are_scopes && innermost && definition.kind.is_container());
            if searched {
                let found = names.within(place.file, Some(id), name);
                if !found.is_empty() {
                    return Outcome::certain(found);
                }
            }
            if function && own_file {
                let inner = Place {
                    file: place.file,
                    enclosing: Some(id),
                };
                if let Some(source) = self.local(Some(id), name) {
                    let known = self.local_value(inner, source, inferences);
                    if known.value != Value::Unknown {
                        return known;
                    }
                    // A parameter that is assigned again may still be annotated.
                    return self.parameter(inner, id, name, inferences).unwrap_or(known);
                }
                if let Some(outcome) = self.parameter(inner, id, name, inferences) {
                    return outcome;
                }
            }
            innermost = false;
            scope = definition.parent;
        }
        let found = self.visible(place.file, name);
        if !found.is_empty() {
            return Outcome::certain(found);
        }
        if own_file && let Some(source) = self.local(None, name) {
            let outer = Place {
                file: place.file,
                enclosing: None,
            };
            return self.local_value(outer, source, inferences);
        }
        if rules.globals.binary_search(&name).is_ok() {
            return Outcome::of(Value::External);
        }
        Outcome::of(Value::Unbound)
    }

    /// What is known of a name that a function of the file binds; `None` where it does not.
    fn local(&self, function: Option<LocalId>, name: &str) -> Option<values::Value> {
        let key = |local: &Local| (local.function, local.name.of(self.text));
        let start = self
            .locals
            .partition_point(|local| key(local) < (function, name));
        let local = self.locals.get(start)?;
        (key(local) == (function, name)).then_some(local.value)
    }

    fn visible(&self, file: FileId, name: &'a str) -> Targets {
        if file != self.file {
            return self.names.visible(file, name);
        }
        if let Some(found) = self.top_level.borrow().get(name) {
            return *found;
        }
        let found = self.names.visible(file, name);
        self.top_level.borrow_mut().insert(name, found);
        found
    }

    /// What a module, class or object has under a name.
    fn known_member(&self, of: Value, name: &'a str) -> Targets {
        if let Some(found) = self.members.borrow().get(&(of, name)) {
            return *found;
        }
        let (names, inheritance) = (self.names, self.inheritance);
        let found = match of {
            Value::Module(module) => names.attribute(module, name),
            Value::Class(class) | Value::Instance(class) => inheritance.members(names, class, name),
            Value::Above(class) => inheritance.inherited(names, class, name),
            _ => Targets::default(),
        };
        self.members.borrow_mut().insert((of, name), found);
        found
    }

    /// The member `name` of a value.
    fn member(
        &self,
        (value, confidence): (Value, Confidence),
        name: &'a str,
        inferences: u32,
    ) -> Outcome {
        let names = self.names;
        let found = match value {
            Value::Module(_) | Value::Class(_) | Value::Instance(_) | Value::Above(_) => {
                self.known_member(value, name)
            }
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
            Value::External | Value::Unknown | Value::Unbound => Targets::default(),
        };
        Outcome {
            found,
            value: match value {
                Value::External => Value::External,
                _ => Value::Unknown,
            },
            receiver: value,
            confidence,
        }
    }

    /// The class, or the object literal, whose method a place is in.
    pub(super) fn enclosing_class(&self, place: Place) -> Option<DefId> {
        let mut scope = place.enclosing;
        let mut inner = None;
        while let Some(id) = scope {
            let definition = self.names.local(place.file, id)?;
            let global = DefId {
                file: place.file,
                local: id,
            };
            let object = inner == Some(DefinitionKind::Method) && !definition.kind.is_function();
            if object || self.names.is_class(global) {
                return Some(global);
            }
            inner = Some(definition.kind);
            scope = definition.parent;
        }
        None
    }

    /// The value that an outcome is, as the receiver of the next name.
    pub(super) fn value(&self, outcome: Outcome) -> (Value, Confidence) {
        let value = match outcome.found.first() {
            Some(Target::Module(module)) => Value::Module(module),
            Some(Target::External) => Value::External,
            Some(Target::Definition(first)) => {
                // `const Service = Symbol()` beside `interface Service`: the type has the members.
                let is_container = |id: &DefId| self.names.definition(*id).kind.is_container();
                match outcome.found.definitions().find(is_container) {
                    Some(class) => Value::Class(class),
                    None => Value::Definition(first),
                }
            }
            None => outcome.value,
        };
        (value, outcome.confidence)
    }
}

impl Outcome {
    fn unknown() -> Self {
        Self::likely(Value::Unknown)
    }

    /// A bare name with definitions or modules.
    fn certain(found: Targets) -> Self {
        Self {
            found,
            ..Self::of(Value::Unknown)
        }
    }

    /// A bare name with a certain value that is no definition.
    fn of(value: Value) -> Self {
        Self {
            found: Targets::default(),
            value,
            receiver: Value::Unbound,
            confidence: Confidence::Certain,
        }
    }

    /// A bare name with an inferred value.
    pub(super) fn likely(value: Value) -> Self {
        Self {
            confidence: Confidence::Likely,
            ..Self::of(value)
        }
    }
}

/// A segment of a path without blanks and the marks of optional chaining.
fn trimmed(segment: &str) -> &str {
    segment.trim_matches([' ', '\n', '\r', '\t', '?', '!'])
}

//! What an expression of names stands for at a place in a file: the module, class or object before
//! a dot, and so the definition after it. Scopes and imports give what is certain; annotations,
//! initial values and return types give what is likely.

use std::cell::RefCell;

use foldhash::HashMap;
use foveate_model::{DefinitionKind, LocalId};

use crate::files::{DefId, FileId};
use crate::graph::Confidence;
use crate::graph::expressions::{Called, Link};
use crate::graph::family::Family;
use crate::graph::found::{Found, Target};
use crate::graph::inheritance::Inheritance;
use crate::graph::locals::Locals;
use crate::graph::names::Names;
use crate::graph::words::GLOBALS;

/// Most functions around a place whose names are looked at.
const MAX_NESTING: usize = 32;
/// Most imports of the form `import a.b` of one file that are looked at for each path.
const MAX_DOTTED: usize = 256;
/// How many guesses may rest on each other.
const MAX_GUESSES: u32 = 5;

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
    pub(super) found: Found,
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
    locals: Locals,
    /// Its imports of the form `import a.b`, the longest first.
    dotted: Vec<(&'a str, FileId)>,
    /// What its top-level names stand for, as far as they were asked for.
    top_level: RefCell<HashMap<&'a str, Found>>,
    /// The same for members of modules, classes and their objects.
    members: RefCell<HashMap<(Value, &'a str), Found>>,
    /// The same for bare names inside its definitions.
    heads: RefCell<HashMap<(Option<LocalId>, &'a str), Outcome>>,
}

/// See [`Evaluator::dotted_import`].
fn dotted_imports<'a>(names: Names<'a>, file: FileId) -> Vec<(&'a str, FileId)> {
    let (Some(facts), Some(scope)) = (names.facts(file), names.scope(file)) else {
        return Vec::new();
    };
    if names.family(file) != Family::Python {
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
        locals: Locals,
    ) -> Self {
        Self {
            names,
            inheritance,
            file,
            locals,
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
        self.path_guessing(place, path, MAX_GUESSES)
    }

    /// Evaluates `name` after a chain of names and calls.
    pub(super) fn chain(&self, place: Place, links: &[Link<'a>], name: &'a str) -> Outcome {
        let mut links = links.iter();
        let Some(first) = links.next() else {
            return Outcome::unknown();
        };
        let mut outcome = if first.name == "super" {
            let class = self.enclosing_class(place);
            Outcome::of(class.map_or(Value::Unknown, Value::Above))
        } else {
            self.head(place, first.name, MAX_GUESSES)
        };
        let mut called = first.called;
        for link in links {
            outcome = self.next(outcome, called, link.name);
            called = link.called;
        }
        self.next(outcome, called, name)
    }

    /// The member `name` of an outcome or, where `called`, of what calling it gives.
    fn next(&self, outcome: Outcome, called: Called, name: &'a str) -> Outcome {
        match called {
            Called::Yes => {
                let value = self.called(self.value(outcome), MAX_GUESSES);
                self.member(value, name, MAX_GUESSES)
            }
            Called::No => self.member_of(outcome, name, MAX_GUESSES),
        }
    }

    /// The member `name` of what a name stands for. Of several definitions, such as a class and
    /// the namespace merged with it, the first that has it.
    fn member_of(&self, outcome: Outcome, name: &'a str, guesses: u32) -> Outcome {
        let (value, confidence) = self.value(outcome);
        let member = self.member((value, confidence), name, guesses);
        if !member.found.is_empty() {
            return member;
        }
        outcome
            .found
            .definitions()
            .map(Value::Class)
            .filter(|other| *other != value)
            .map(|other| self.member((other, confidence), name, guesses))
            .find(|other| !other.found.is_empty())
            .unwrap_or(member)
    }

    pub(super) fn path_guessing(&self, place: Place, path: &'a str, guesses: u32) -> Outcome {
        if let Some((outcome, rest)) = self.dotted_import(place, path) {
            return self.members(outcome, rest, guesses);
        }
        let dot = path.bytes().position(|byte| byte == b'.');
        let (head, rest) = dot.map_or((path, ""), |dot| (&path[..dot], &path[dot + 1..]));
        let outcome = self.head(place, trimmed(head), guesses);
        self.members(outcome, rest, guesses)
    }

    fn members(&self, mut outcome: Outcome, rest: &'a str, guesses: u32) -> Outcome {
        if rest.is_empty() {
            return outcome;
        }
        for segment in rest.split('.').take(16) {
            outcome = self.member_of(outcome, trimmed(segment), guesses);
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
        let outcome = Outcome::certain(Found::one(Target::Module(module)));
        Some((outcome, rest.trim_start_matches('.')))
    }

    /// What a bare name stands for, looked up once in each scope. Not where guesses were made already:
    /// with fewer left, it may stand for less.
    fn head(&self, place: Place, name: &'a str, guesses: u32) -> Outcome {
        if place.file != self.file || guesses != MAX_GUESSES {
            return self.look_up(place, name, guesses);
        }
        if let Some(outcome) = self.heads.borrow().get(&(place.enclosing, name)) {
            return *outcome;
        }
        let outcome = self.look_up(place, name, guesses);
        let key = (place.enclosing, name);
        self.heads.borrow_mut().insert(key, outcome);
        outcome
    }

    /// What a bare name stands for: from the innermost scope outwards.
    fn look_up(&self, place: Place, name: &'a str, guesses: u32) -> Outcome {
        let names = self.names;
        let python = names.family(place.file) == Family::Python;
        if let "self" | "cls" | "this" | "super" = name
            && (python != matches!(name, "this" | "super"))
        {
            return match self.enclosing_class(place) {
                Some(class) if name == "super" => Outcome::of(Value::Above(class)),
                Some(class) if name == "cls" => Outcome::of(Value::Class(class)),
                Some(class) => Outcome::of(Value::Instance(class)),
                None => Outcome::unknown(),
            };
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
                || (python && innermost && definition.kind.is_container());
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
                if let Some(source) = self.locals.find(Some(id), name) {
                    let known = self.local_value(inner, source, guesses);
                    if known.value != Value::Unknown {
                        return known;
                    }
                    // A parameter that is assigned again may still be annotated.
                    return self.parameter(inner, id, name, guesses).unwrap_or(known);
                }
                if let Some(outcome) = self.parameter(inner, id, name, guesses) {
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
        if own_file && let Some(source) = self.locals.find(None, name) {
            let outer = Place {
                file: place.file,
                enclosing: None,
            };
            return self.local_value(outer, source, guesses);
        }
        if GLOBALS.binary_search(&name).is_ok() {
            return Outcome::of(Value::External);
        }
        Outcome::of(Value::Unbound)
    }

    fn visible(&self, file: FileId, name: &'a str) -> Found {
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
    fn known_member(&self, of: Value, name: &'a str) -> Found {
        if let Some(found) = self.members.borrow().get(&(of, name)) {
            return *found;
        }
        let (names, inheritance) = (self.names, self.inheritance);
        let found = match of {
            Value::Module(module) => names.attribute(module, name),
            Value::Class(class) | Value::Instance(class) => inheritance.members(names, class, name),
            Value::Above(class) => inheritance.inherited(names, class, name),
            _ => Found::default(),
        };
        self.members.borrow_mut().insert((of, name), found);
        found
    }

    /// The member `name` of a value.
    fn member(
        &self,
        (value, confidence): (Value, Confidence),
        name: &'a str,
        guesses: u32,
    ) -> Outcome {
        let names = self.names;
        let found = match value {
            Value::Module(_) | Value::Class(_) | Value::Instance(_) | Value::Above(_) => {
                self.known_member(value, name)
            }
            Value::Definition(id) => {
                let own = names.own_members(id, name);
                if own.is_empty() && guesses > 0 {
                    let value = self.held_by(id, guesses - 1);
                    if matches!(value, Value::Definition(_)) {
                        return Outcome::likely(Value::Unknown);
                    }
                    return self.member((value, Confidence::Likely), name, guesses - 1);
                }
                own
            }
            Value::External | Value::Unknown | Value::Unbound => Found::default(),
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
    fn certain(found: Found) -> Self {
        Self {
            found,
            ..Self::of(Value::Unknown)
        }
    }

    /// A bare name with a certain value that is no definition.
    fn of(value: Value) -> Self {
        Self {
            found: Found::default(),
            value,
            receiver: Value::Unbound,
            confidence: Confidence::Certain,
        }
    }

    /// A bare name with a guessed value.
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

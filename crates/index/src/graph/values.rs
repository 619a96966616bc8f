//! What an expression of names stands for at a place in a file: the module, class or object before
//! a dot, and so the definition after it. Scopes and imports give what is certain; annotations,
//! initial values and return types give what is likely.

use std::cell::RefCell;

use foldhash::HashMap;
use foveate_model::{DefinitionKind, LocalId};

use crate::files::{DefId, FileId};
use crate::graph::Confidence;
use crate::graph::expressions::{self, Annotation, Called, Link};
use crate::graph::inheritance::Inheritance;
use crate::graph::locals::{Locals, Source};
use crate::graph::modules::Family;
use crate::graph::scopes::{Found, Names, Target};

/// How many guesses may rest on each other.
const MAX_GUESSES: u32 = 5;

/// Objects that the languages and their hosts bind without an import.
const GLOBALS: &[&str] = &[
    "$",
    "Array",
    "BigInt",
    "Boolean",
    "Date",
    "Error",
    "Function",
    "Intl",
    "JSON",
    "Map",
    "Math",
    "Number",
    "Object",
    "Promise",
    "Proxy",
    "Reflect",
    "RegExp",
    "Set",
    "String",
    "Symbol",
    "URL",
    "WeakMap",
    "WeakSet",
    "bytes",
    "console",
    "crypto",
    "dict",
    "document",
    "exports",
    "float",
    "frozenset",
    "global",
    "globalThis",
    "history",
    "int",
    "jQuery",
    "list",
    "localStorage",
    "location",
    "module",
    "navigator",
    "object",
    "performance",
    "process",
    "require",
    "sessionStorage",
    "set",
    "str",
    "tuple",
    "type",
    "window",
];

/// What stands before a dot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    value: Value,
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
    names: Names<'a>,
    inheritance: &'a Inheritance,
    /// The file whose local variables are known.
    file: FileId,
    locals: Locals,
    /// Its imports of the form `import a.b`, the longest first.
    dotted: Vec<(&'a str, FileId)>,
    /// What its top-level names stand for, as far as they were asked for.
    top_level: RefCell<HashMap<&'a str, Found>>,
}

/// See [`Evaluator::dotted_import`].
fn dotted_imports(names: Names<'_>, file: FileId) -> Vec<(&str, FileId)> {
    let (Some(content), Some(scope)) =
        (names.files.content(file), names.scopes.get(file.0 as usize))
    else {
        return Vec::new();
    };
    if names.family(file) != Family::Python {
        return Vec::new();
    }
    let mut dotted: Vec<(&str, FileId)> = content
        .facts
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

    fn path_guessing(&self, place: Place, path: &'a str, guesses: u32) -> Outcome {
        if let Some((outcome, rest)) = self.dotted_import(place, path) {
            return self.members(outcome, rest, guesses);
        }
        let (head, rest) = path.split_once('.').unwrap_or((path, ""));
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

    /// What a bare name stands for: from the innermost scope outwards.
    fn head(&self, place: Place, name: &'a str, guesses: u32) -> Outcome {
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
        while let Some(id) = scope {
            let Some(definition) = names.local(place.file, id) else {
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

    fn local_value(&self, place: Place, source: Source, guesses: u32) -> Outcome {
        let text = |at: u32| {
            let text = self.names.files.text(place.file);
            expressions::clip(text.get(at as usize..).unwrap_or(""))
        };
        let value = match source {
            _ if guesses == 0 => Value::Unknown,
            Source::Annotation(at) => match expressions::annotation(text(at)) {
                Some(annotation) => self.annotated(place, annotation, guesses - 1),
                None => Value::Unknown,
            },
            Source::Value(at) => self.initial_value(place, text(at), guesses - 1),
            Source::Caught(at) => match expressions::annotation(text(at)) {
                Some(class) => self.annotated(place, class, guesses - 1),
                None => Value::Unknown,
            },
            Source::Unknown => Value::Unknown,
        };
        Outcome::likely(value)
    }

    /// The value of an annotated parameter of a function; `None` where it has no such parameter.
    fn parameter(
        &self,
        place: Place,
        function: LocalId,
        name: &str,
        guesses: u32,
    ) -> Option<Outcome> {
        let span = self.names.local(place.file, function)?.parameters?;
        let text = span.of(self.names.files.text(place.file));
        let annotation = expressions::parameter(text, name)?;
        let value = match annotation {
            Some(annotation) if guesses > 0 => self.annotated(place, annotation, guesses - 1),
            _ => Value::Unknown,
        };
        Some(Outcome::likely(value))
    }

    /// The value that an annotation promises.
    fn annotated(&self, place: Place, annotation: Annotation<'a>, guesses: u32) -> Value {
        if matches!(annotation.path, "Self" | "this") {
            return self
                .enclosing_class(place)
                .map_or(Value::Unknown, Value::Instance);
        }
        let outcome = self.path_guessing(place, annotation.path, guesses);
        match self.value(outcome).0 {
            Value::Class(class) if annotation.of_class => Value::Class(class),
            Value::Class(class) => Value::Instance(class),
            Value::Definition(id) => self.aliased(id, guesses),
            // A builtin or a global type: nothing of this repository.
            Value::Unbound | Value::External => Value::External,
            _ => Value::Unknown,
        }
    }

    /// An object of the type that a type alias names, or describes itself.
    fn aliased(&self, id: DefId, guesses: u32) -> Value {
        let files = self.names.files;
        let definition = files.definition(id);
        if definition.kind != DefinitionKind::TypeAlias || guesses == 0 {
            return Value::Unknown;
        }
        let file = files.file_of(id);
        let place = Place {
            file,
            enclosing: definition.parent,
        };
        let body = definition.body.map_or("", |body| body.of(files.text(file)));
        match expressions::annotation(body) {
            Some(annotation) => self.annotated(place, annotation, guesses - 1),
            None => Value::Instance(id),
        }
    }

    fn initial_value(&self, place: Place, text: &'a str, guesses: u32) -> Value {
        let Some(expression) = expressions::expression(text) else {
            return Value::Unknown;
        };
        let value = self.value(self.path_guessing(place, expression.path, guesses));
        let (value, _) = if expression.called {
            self.called(value, guesses)
        } else {
            value
        };
        match value {
            Value::Unbound => Value::Unknown,
            value => value,
        }
    }

    /// What a call of a value gives.
    fn called(
        &self,
        (value, confidence): (Value, Confidence),
        guesses: u32,
    ) -> (Value, Confidence) {
        let result = match value {
            Value::Class(class) => Value::Instance(class),
            Value::Definition(id) if self.names.files.definition(id).kind.is_function() => {
                self.returned(id, guesses)
            }
            Value::Definition(id) if guesses > 0 => {
                let held = self.held_by(id, guesses - 1);
                if matches!(held, Value::Definition(_)) {
                    Value::Unknown
                } else {
                    return self.called((held, Confidence::Likely), guesses - 1);
                }
            }
            Value::Definition(_) => Value::Unknown,
            Value::Module(module) => {
                match self.names.exported(module, "default").definitions().next() {
                    Some(class) if self.names.is_class(class) => Value::Instance(class),
                    _ => Value::Unknown,
                }
            }
            // `super().m` is written as a call.
            Value::Above(_) => return (value, confidence),
            Value::External => Value::External,
            // A builtin: what it gives has no members of this repository's, unless it is handed
            // through (`next(…)`), which no text tells.
            Value::Unbound | Value::Instance(_) | Value::Unknown => Value::Unknown,
        };
        (result, Confidence::Likely)
    }

    /// What a function says that it returns.
    fn returned(&self, function: DefId, guesses: u32) -> Value {
        let names = self.names;
        let definition = names.files.definition(function);
        if guesses == 0 || !definition.kind.is_function() {
            return Value::Unknown;
        }
        let file = names.files.file_of(function);
        let text = names.files.text(file);
        let from = match definition.parameters {
            Some(parameters) => parameters.end,
            None => definition.name_span.end,
        };
        let head = text
            .get(from as usize..definition.signature.end as usize)
            .unwrap_or("");
        let head = head.trim_start_matches([')', ' ']);
        let annotation = match names.family(file) {
            Family::Python => head.strip_prefix("->"),
            _ => head.strip_prefix(':'),
        };
        match annotation.and_then(expressions::annotation) {
            Some(annotation) => {
                let place = Place {
                    file,
                    enclosing: Some(names.files.local_of(function)),
                };
                self.annotated(place, annotation, guesses - 1)
            }
            None => Value::Unknown,
        }
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
            Value::Module(module) => names.attribute(module, name),
            Value::Class(class) | Value::Instance(class) => {
                self.inheritance.members(names, class, name)
            }
            Value::Above(class) => self.inheritance.inherited(names, class, name),
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

    /// The value that a variable, field or property holds.
    fn held_by(&self, id: DefId, guesses: u32) -> Value {
        let names = self.names;
        let definition = names.files.definition(id);
        if definition.modifiers.is_property {
            return self.returned(id, guesses);
        }
        if guesses == 0 || definition.kind.is_function() {
            return Value::Unknown;
        }
        let file = names.files.file_of(id);
        let text = names.files.text(file);
        let place = Place {
            file,
            enclosing: definition.parent,
        };
        let after = expressions::clip(
            text.get(definition.name_span.end as usize..definition.span.end as usize)
                .unwrap_or(""),
        );
        let after = after.trim_start_matches(['?', '!', ' ']);
        if let Some(rest) = after.strip_prefix(':') {
            return match expressions::annotation(rest) {
                Some(annotation) => self.annotated(place, annotation, guesses - 1),
                None => Value::Unknown,
            };
        }
        let value = match definition.body {
            Some(body) => body.of(text),
            None => match after.strip_prefix('=') {
                Some(value) => value,
                None => return self.constructor_property(id, place, guesses),
            },
        };
        // A field set in a method is evaluated there, where its parameters are known.
        let setter = self.method_around(id);
        let place = Place {
            enclosing: setter.or(place.enclosing),
            ..place
        };
        let Some(expression) = expressions::expression(value) else {
            return Value::Unknown;
        };
        if let Some(method) = setter
            && !expression.called
            && let Some(outcome) = self.parameter(place, method, expression.path, guesses - 1)
        {
            return outcome.value;
        }
        self.initial_value(place, value, guesses - 1)
    }

    /// TypeScript's `constructor(private readonly client: Client)` declares a field.
    fn constructor_property(&self, id: DefId, place: Place, guesses: u32) -> Value {
        let Some(method) = self.method_around(id) else {
            return Value::Unknown;
        };
        let name = &self.names.files.definition(id).name;
        self.parameter(place, method, name, guesses.saturating_sub(1))
            .map_or(Value::Unknown, |outcome| outcome.value)
    }

    /// The function of the same class that a field is written in.
    fn method_around(&self, field: DefId) -> Option<LocalId> {
        let files = self.names.files;
        let definition = files.definition(field);
        let parent = definition.parent?;
        let facts = &files.content(files.file_of(field))?.facts;
        let before = facts
            .definitions
            .partition_point(|d| d.span.start <= definition.span.start);
        (parent.0 as usize + 1..before)
            .rev()
            .take(64)
            .find(|at| {
                facts.definitions.get(*at).is_some_and(|d| {
                    d.kind.is_function()
                        && d.parent == Some(parent)
                        && d.span.contains(definition.span)
                })
            })
            .map(|at| LocalId(at as u32))
    }

    /// The class, or the object literal, whose method a place is in.
    pub(super) fn enclosing_class(&self, place: Place) -> Option<DefId> {
        let mut scope = place.enclosing;
        let mut inner = None;
        while let Some(id) = scope {
            let definition = self.names.local(place.file, id)?;
            let global = self.names.files.global(place.file, id);
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
    fn value(&self, outcome: Outcome) -> (Value, Confidence) {
        let value = match outcome.found.first() {
            Some(Target::Module(module)) => Value::Module(module),
            Some(Target::External) => Value::External,
            Some(Target::Definition(first)) => {
                // `const Service = Symbol()` beside `interface Service`: the type has the members.
                let is_container =
                    |id: &DefId| self.names.files.definition(*id).kind.is_container();
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
    fn likely(value: Value) -> Self {
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

#[cfg(test)]
mod tests {
    #[test]
    fn the_globals_are_sorted() {
        assert!(super::GLOBALS.is_sorted());
    }
}

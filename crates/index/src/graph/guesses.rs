//! Guesses of values: from annotations, initial values, return types and parameters, all read from
//! text. What rests on one is `likely`, never `certain`; how many may rest on each other is
//! counted down, so that `x = x.y` ends.

use foveate_model::{DefinitionKind, FileFacts, LocalId};

use crate::files::DefId;
use crate::graph::Confidence;
use crate::graph::expressions::{self, Annotation};
use crate::graph::family::Family;
use crate::graph::locals::Source;
use crate::graph::values::{Evaluator, Outcome, Place, Value};

impl<'a> Evaluator<'a> {
    /// The value of a local variable.
    pub(super) fn local_value(&self, place: Place, source: Source, guesses: u32) -> Outcome {
        let text = |at: u32| {
            let text = self.names.text(place.file);
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
    pub(super) fn parameter(
        &self,
        place: Place,
        function: LocalId,
        name: &str,
        guesses: u32,
    ) -> Option<Outcome> {
        let span = self.names.local(place.file, function)?.parameters?;
        let text = span.of(self.names.text(place.file));
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
        let names = self.names;
        let definition = names.definition(id);
        if definition.kind != DefinitionKind::TypeAlias || guesses == 0 {
            return Value::Unknown;
        }
        let place = Place {
            file: id.file,
            enclosing: definition.parent,
        };
        let body = definition
            .body
            .map_or("", |body| body.of(names.text(id.file)));
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
    pub(super) fn called(
        &self,
        (value, confidence): (Value, Confidence),
        guesses: u32,
    ) -> (Value, Confidence) {
        let result = match value {
            Value::Class(class) => Value::Instance(class),
            Value::Definition(id) if self.names.definition(id).kind.is_function() => {
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
        let definition = names.definition(function);
        if guesses == 0 || !definition.kind.is_function() {
            return Value::Unknown;
        }
        let file = function.file;
        let text = names.text(file);
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
                    enclosing: Some(function.local),
                };
                self.annotated(place, annotation, guesses - 1)
            }
            None => Value::Unknown,
        }
    }

    /// The value that a variable, field or property holds.
    pub(super) fn held_by(&self, id: DefId, guesses: u32) -> Value {
        let names = self.names;
        let definition = names.definition(id);
        if definition.modifiers.is_property {
            return self.returned(id, guesses);
        }
        if guesses == 0 || definition.kind.is_function() {
            return Value::Unknown;
        }
        let file = id.file;
        let text = names.text(file);
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
        let name = &self.names.definition(id).name;
        self.parameter(place, method, name, guesses.saturating_sub(1))
            .map_or(Value::Unknown, |outcome| outcome.value)
    }

    /// See [`method_around`].
    fn method_around(&self, field: DefId) -> Option<LocalId> {
        method_around(self.names.facts(field.file)?, field.local)
    }
}

/// The function of the same class that a field is written in.
pub(super) fn method_around(facts: &FileFacts, field: LocalId) -> Option<LocalId> {
    let definition = facts.definition(field)?;
    let parent = definition.parent?;
    let before = facts
        .definitions
        .partition_point(|d| d.span.start <= definition.span.start);
    (parent.0 as usize + 1..before)
        .rev()
        .take(64)
        .find(|at| {
            facts.definitions.get(*at).is_some_and(|d| {
                d.kind.is_function() && d.parent == Some(parent) && d.span.contains(definition.span)
            })
        })
        .map(|at| LocalId(at as u32))
}

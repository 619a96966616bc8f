//! Infers the results of calls, also of those that follow other calls, of extensions, and of functions that return the
//! object that they are called on. Start at [`Evaluator::result`].

use foveate_model::resolution::Receiver;
use foveate_model::values::{self, TypeForm, TypeName};
use foveate_model::{DefinitionKind, FileFacts, LocalId, ReferenceKind, Span};

use super::{Evaluator, Outcome, Value};
use crate::files::{DefId, FileId};
use crate::graph::names::Position;
use crate::graph::paths;
use crate::graph::relations::Confidence;

impl<'a> Evaluator<'a> {
    /// Infers the result of calling `name` in a file, given the outcome of the name.
    pub(in crate::graph) fn result(
        &self,
        file: FileId,
        name: &'a str,
        outcome: Outcome,
        inferences: u32,
    ) -> (Value, Confidence) {
        let outcome = self.or_extension(file, name, outcome, inferences);
        let callee = self.callee(outcome);
        let (result, confidence) = self.call_result(callee, inferences);
        let result = match (callee.0, outcome.receiver, result) {
            (
                Value::Definition(function),
                Value::Instance(own) | Value::Class(own),
                Value::Instance(class),
            ) if own != class && self.returns_own_type(function, own, class) => {
                Value::Instance(own)
            }
            _ => result,
        };
        (result, confidence)
    }

    /// Infers the result of calling a dotted name.
    pub(in crate::graph) fn result_of_path(
        &self,
        position: Position,
        path: Span,
        inferences: u32,
    ) -> (Value, Confidence) {
        let (outcome, name) = self.outcome_of_path(position, path, inferences);
        self.result(position.file, name, outcome, inferences)
    }

    /// Evaluates a dotted name. Also returns its last part.
    pub(in crate::graph) fn outcome_of_path(
        &self,
        position: Position,
        path: Span,
        inferences: u32,
    ) -> (Outcome, &'a str) {
        let path = paths::without_marks(self.text_of(position.file, path));
        let outcome = self.path_inferring(position, path, inferences);
        (outcome, paths::names(path).last().unwrap_or(path))
    }

    /// Infers the value of an expression whose last name follows calls.
    pub(in crate::graph) fn value_of_chain(
        &self,
        position: Position,
        name: Span,
        inferences: u32,
    ) -> (Value, Confidence) {
        let facts = self.names.facts(position.file);
        let Some((kind, links)) = facts.and_then(|facts| facts.chain_before(name)) else {
            return (Value::Unknown, Confidence::Likely);
        };
        let name = self.text_of(position.file, name);
        let outcome = self.chain_inferring(position, links, name, None, inferences);
        let (value, confidence) = match kind {
            ReferenceKind::Call => self.result(position.file, name, outcome, inferences),
            _ => self.value(outcome),
        };
        match value {
            // Functions from elsewhere may return objects of the repository: containers do.
            Value::External => (Value::Unknown, confidence),
            value => (value, confidence),
        }
    }

    /// Infers the value that a function passes to a function among its arguments, from the name in a reference to it.
    pub(in crate::graph) fn callback_argument(
        &self,
        position: Position,
        name: Span,
        inferences: u32,
    ) -> (Value, Confidence) {
        let outcome = self.outcome_at(position, name, inferences);
        let argument = outcome.and_then(|outcome| {
            let name = self.text_of(position.file, name);
            let outcome = self.or_extension(position.file, name, outcome, inferences);
            let mut functions = outcome.found.definitions();
            functions.find_map(|function| self.callback_argument_of(function, inferences))
        });
        (argument.unwrap_or(Value::Unknown), Confidence::Likely)
    }

    /// Evaluates the reference whose name is at a span.
    fn outcome_at(&self, position: Position, name: Span, inferences: u32) -> Option<Outcome> {
        let facts = self.names.facts(position.file)?;
        if let Some((_, links)) = facts.chain_before(name) {
            let name = self.text_of(position.file, name);
            return Some(self.chain_inferring(position, links, name, None, inferences));
        }
        let reference = facts.references.get(facts.reference_at(name)? as usize)?;
        let path = self.text_of(position.file, reference.path);
        (!reference.opaque_receiver).then(|| self.path_inferring(position, path, inferences))
    }

    /// Infers the value that a function, or a constructor of a class, passes to its only callback.
    fn callback_argument_of(&self, function: DefId, inferences: u32) -> Option<Value> {
        let own = self.argument_of_only_callback(function, inferences);
        let definition = self.names.definition(function);
        if own.is_some() || !definition.kind.is_class() {
            return own;
        }
        let constructors = self.known_member(Value::Class(function), &definition.name);
        let mut constructors = constructors.definitions();
        constructors.find_map(|constructor| self.argument_of_only_callback(constructor, inferences))
    }

    fn argument_of_only_callback(&self, function: DefId, inferences: u32) -> Option<Value> {
        let parameters = self.known(function.file)?.parameters_of(function.local);
        let types = parameters
            .iter()
            .filter_map(|parameter| parameter.type_name);
        let mut callbacks = types.filter(|known| known.form == TypeForm::Callback);
        let instance = TypeName {
            form: TypeForm::Instance,
            ..callbacks.next()?
        };
        if callbacks.next().is_some() {
            return None;
        }
        let position = Position::new(function.file, Some(function.local));
        let value = self.value_of_type(position, instance, inferences);
        matches!(value, Value::Instance(_)).then_some(value)
    }

    /// Returns the outcome of a name that is called, or else that of the extension that it means.
    fn or_extension(
        &self,
        file: FileId,
        name: &'a str,
        outcome: Outcome,
        inferences: u32,
    ) -> Outcome {
        // A bare name has no receiver.
        if !outcome.found.is_empty() || outcome.receiver == Value::Unbound {
            return outcome;
        }
        let (found, confidence) = self.extensions_inferring(file, name, outcome, inferences);
        match found.is_empty() || confidence < Confidence::Likely {
            true => outcome,
            false => Outcome {
                found,
                confidence,
                ..outcome
            },
        }
    }

    /// Infers the result of a method whose file does not tell it from the method that it overrides.
    pub(in crate::graph) fn inherited_result(&self, method: DefId, inferences: u32) -> Value {
        let definition = self.names.definition(method);
        if inferences == 0 || definition.kind != DefinitionKind::Method {
            return Value::Unknown;
        }
        let Some(class) = self.names.type_of_method(method) else {
            return Value::Unknown;
        };
        let overridden = self.known_member(Value::Super(class), &definition.name);
        let overridden = overridden.definitions().next();
        overridden.map_or(Value::Unknown, |overridden| {
            self.return_value(overridden, inferences)
        })
    }

    /// Whether a function whose result is stated as `class` returns an object of `own`, a class derived from it, when it is
    /// called on one.
    fn returns_own_type(&self, function: DefId, own: DefId, class: DefId) -> bool {
        let names = self.names;
        let facts = names.facts(function.file);
        let text = names.text(function.file);
        facts.is_some_and(|facts| returns_receiver(facts, text, function.local))
            && self
                .inheritance
                .is_derived(names, &self.known_bases, own, class)
    }
}

/// Whether a function returns an object of the type that it is called on: the object itself, or one of a type parameter
/// that stands for its class, as in `class Base<B extends Base<B>> { B add() { … } }`.
pub(in crate::graph) fn returns_receiver(facts: &FileFacts, text: &str, function: LocalId) -> bool {
    let Some(definition) = facts.definition(function) else {
        return false;
    };
    let rules = &facts.language.rules().lookup;
    let receiver = |path: Span| {
        let mut receivers = rules.receivers.iter();
        let found = receivers.find(|(name, _)| *name == path.of(text));
        found.map(|(_, receiver)| *receiver)
    };
    let values = &facts.values;
    let Some(returned) = values.type_of(function) else {
        return match values.held_by(function) {
            Some(values::Value::Name(path)) => receiver(path) == Some(Receiver::Instance),
            Some(values::Value::Call(path)) => receiver(path) == Some(Receiver::Class),
            _ => false,
        };
    };
    let path = returned.path;
    // The type of a type parameter is its bound, which is not written where the function states its result.
    let class = definition.parent.and_then(|class| facts.definition(class));
    let is_of_class = class.is_some_and(|class| class.signature.contains(path));
    let first = values.parameters_of(function).first();
    let first = first.filter(|_| definition.modifiers.is_extension);
    let is_of_extended = first
        .and_then(|first| first.type_name)
        .is_some_and(|extended| extended.path == path);
    returned.form == TypeForm::Instance
        && (is_of_class || is_of_extended || rules.self_types.contains(&path.of(text)))
}

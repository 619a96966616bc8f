//! Evaluates names that may be members of the receivers of lambdas around them: `single` in `module { single() }`, where
//! `module` takes a `Module.() -> Unit`. The body of a nameless class counts as a lambda, too. Start at
//! [`Evaluator::path_in_lambdas`].

use foveate_model::DefinitionKind;
use foveate_model::resolution::Receiver;
use foveate_model::values::{self, Link, TypeForm, TypeName};

use super::{Evaluator, MAX_INFERENCES, Outcome, Value, cached};
use crate::files::DefId;
use crate::graph::names::Position;
use crate::graph::paths;
use crate::graph::relations::Confidence;

impl<'a> Evaluator<'a> {
    /// Evaluates a path whose first name is the receiver of one of the `lambdas` around it, of which the last is the innermost,
    /// or a member or extension of such a receiver. `None` if it is none, or a function binds the name.
    pub(in crate::graph) fn path_in_lambdas(
        &self,
        position: Position,
        lambdas: &[Link],
        path: &'a str,
    ) -> Option<Outcome> {
        let mut names = paths::names(path);
        let first = self.head_in_lambdas(position, lambdas, names.next()?)?;
        let outcome = self.members(first, names, MAX_INFERENCES);
        (!outcome.found.is_empty()).then_some(outcome)
    }

    /// Evaluates a name that means one of the receivers of some lambdas, or a member or extension of one.
    fn head_in_lambdas(
        &self,
        position: Position,
        lambdas: &[Link],
        head: &'a str,
    ) -> Option<Outcome> {
        let mut receivers = self.names.rules(position.file).receivers.iter();
        match receivers.find(|(name, _)| *name == head) {
            Some((_, Receiver::Instance)) => {
                let receiver = self.receivers_around(position, lambdas).next()?;
                Some(Outcome::likely(receiver))
            }
            _ => self.in_lambdas(position, lambdas, head),
        }
    }

    /// Returns the known receivers of some lambdas, the innermost first.
    fn receivers_around(
        &self,
        position: Position,
        lambdas: &[Link],
    ) -> impl Iterator<Item = Value> {
        let inner = (1..=lambdas.len()).rev();
        inner.filter_map(move |count| {
            let receiver = self.lambda_receiver(position, lambdas.get(..count)?);
            // An `object` of Kotlin is a class.
            let is_object = matches!(receiver, Value::Instance(_) | Value::Class(_));
            is_object.then_some(receiver)
        })
    }

    /// Evaluates the first name of a chain as a member or extension of the receiver of a lambda around it.
    pub(super) fn first_in_lambdas(&self, position: Position, links: &[Link]) -> Option<Outcome> {
        let facts = self.names.facts(position.file)?;
        // The chain up to its first call is the path of a reference.
        let called = links.iter().find(|link| link.is_called)?;
        let at = facts.reference_at(called.name)?;
        let reference = facts.references.get(at as usize)?;
        let path = self.text_of(position.file, reference.path);
        let is_plain = !reference.opaque_receiver && !path.contains('(');
        let lambdas = facts.values.receivers_of(at).filter(|_| is_plain)?;
        self.head_in_lambdas(position, lambdas, paths::names(path).next()?)
    }

    /// Evaluates one name as a member or extension of a receiver.
    fn in_lambdas(&self, position: Position, lambdas: &[Link], name: &'a str) -> Option<Outcome> {
        if !self.names.rules(position.file).members_are_bare {
            return None;
        }
        let bare = self.head(position, name, MAX_INFERENCES);
        if !self.may_be_of_lambda(bare) {
            return None;
        }
        let mut receivers = self.receivers_around(position, lambdas);
        let outcome = receivers.find_map(|receiver| {
            let receiver = (receiver, Confidence::Likely);
            let member = self.member(receiver, name, MAX_INFERENCES);
            let (found, confidence) = match member.found.is_empty() {
                true => self.extensions(position.file, name, member),
                false => (member.found, Confidence::Likely),
            };
            (!found.is_empty()).then_some(Outcome {
                found,
                confidence,
                ..member
            })
        })?;
        // An extension that the file imports is certain by its name alone.
        let is_bare = outcome.found.definitions().eq(bare.found.definitions());
        (!is_bare).then_some(outcome)
    }

    /// Whether a bare name with an outcome may mean a member of a receiver instead: receivers of lambdas come before enclosing
    /// classes, but after what functions bind.
    fn may_be_of_lambda(&self, bare: Outcome) -> bool {
        if bare.found.is_empty() {
            // The value of a variable is inferred.
            let is_variable = bare.confidence == Confidence::Likely;
            return !is_variable && matches!(bare.value, Value::Unbound | Value::External);
        }
        let is_local = |id: DefId| {
            let outer = self.names.definition(id).parent;
            let outer = outer.and_then(|outer| self.names.local(id.file, outer));
            outer.is_some_and(|outer| outer.kind.is_function())
        };
        !bare.found.definitions().any(is_local)
    }

    /// Returns the receiver of the last of some lambdas, each of which is inside the one before it.
    fn lambda_receiver(&self, position: Position, lambdas: &[Link]) -> Value {
        let Some((lambda, outer)) = lambdas.split_last() else {
            return Value::Unknown;
        };
        cached(&self.caches.lambdas, lambda.name.start, || {
            let initial = |value| self.initial_value(position, value, MAX_INFERENCES);
            let receiver = match (lambda.is_indexed, lambda.is_called) {
                (true, _) => self.receiver_of_argument(position, lambda, outer),
                (false, true) => initial(values::Value::Call(lambda.name)),
                (false, false) => initial(values::Value::Name(lambda.name)),
            };
            match receiver {
                Value::Definition(id) => self.held_by(id, MAX_INFERENCES),
                receiver => receiver,
            }
        })
    }

    /// Returns what a function makes the receiver of its last argument. The function itself may be a member of the receiver of
    /// a lambda around the call.
    fn receiver_of_argument(&self, position: Position, call: &Link, outer: &[Link]) -> Value {
        let path = paths::without_marks(self.text_of(position.file, call.name));
        let in_lambdas = self.path_in_lambdas(position, outer, path);
        let function = in_lambdas.unwrap_or_else(|| self.path(position, path));
        let name = paths::names(path).last().unwrap_or(path);
        let found = match function.found.is_empty() {
            false => function.found,
            true if name == path => {
                self.extensions_of_implicit_receiver(position.file, name, function)
                    .0
            }
            true => self.extensions(position.file, name, function).0,
        };
        let mut functions = found.definitions();
        functions
            .find_map(|function| self.receiver_of_last_parameter(function))
            .unwrap_or(Value::Unknown)
    }

    /// Returns the receiver of the function that a function takes as its last argument.
    fn receiver_of_last_parameter(&self, function: DefId) -> Option<Value> {
        let parameters = self.known(function.file)?.parameters_of(function.local);
        let position = Position::new(function.file, Some(function.local));
        self.receiver_of_type(position, parameters.last()?.type_name?, MAX_INFERENCES)
    }

    /// Returns the receiver of a function type or of an alias of one.
    fn receiver_of_type(
        &self,
        position: Position,
        type_name: TypeName,
        inferences: u32,
    ) -> Option<Value> {
        match type_name.form {
            TypeForm::Function => {
                let receiver = TypeName {
                    form: TypeForm::Instance,
                    ..type_name
                };
                Some(self.value_of_type(position, receiver, MAX_INFERENCES))
            }
            TypeForm::Instance if inferences > 0 => {
                let path = paths::without_marks(self.text_of(position.file, type_name.path));
                let (Value::Definition(alias), _) = self.value(self.path(position, path)) else {
                    return None;
                };
                let definition = self.names.definition(alias);
                let is_alias = definition.kind == DefinitionKind::TypeAlias;
                let known = self.known(alias.file).filter(|_| is_alias)?;
                let position = Position::new(alias.file, definition.parent);
                self.receiver_of_type(position, known.type_of(alias.local)?, inferences - 1)
            }
            _ => None,
        }
    }
}

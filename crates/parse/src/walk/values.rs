//! Records facts about the values of names during the walk.

use std::cmp::Reverse;

use foveate_model::values::{
    DefinitionType, HeldValue, Local, Parameter, TypeForm, TypeName, Value,
};
use foveate_model::{LocalId, Span};
use tree_sitter::Node;

use super::{Step, Walk};
use crate::collect::span;

/// Largest number of wrappers that are removed from an expression.
const MAX_WRAPPERS: usize = 8;

impl<'t> Walk<'t> {
    /// Binds a local variable of the enclosing function, and marks its name as handled.
    pub(crate) fn local(&mut self, name: Node<'t>, value: Value) {
        self.done.push(Reverse(name.start_byte()));
        self.collector.bind(name);
        if self.is_in_function() || self.form.bare_calls {
            let function = self.collector.context.enclosing;
            self.collector.values.locals.push(Local {
                function,
                name: span(name),
                value,
            });
        }
    }

    /// Binds local variables of the enclosing function to one value.
    pub(crate) fn locals(&mut self, names: impl IntoIterator<Item = Node<'t>>, value: Value) {
        for name in names {
            self.local(name, value);
        }
    }

    /// Binds local variables of the enclosing function to their type, or else to the value of their initial
    /// expression.
    pub(crate) fn declared_local(
        &mut self,
        names: impl IntoIterator<Item = Node<'t>>,
        declared: Option<Node<'t>>,
        initial: Option<Node<'t>>,
    ) {
        let value = self.declared_value(declared, initial);
        self.locals(names, value);
    }

    /// Adds a parameter of a function, with its type if it has one.
    pub(crate) fn parameter(
        &mut self,
        function: LocalId,
        name: Node<'t>,
        declared: Option<Node<'t>>,
    ) {
        self.done.push(Reverse(name.start_byte()));
        let type_name = declared.and_then(|declared| self.type_of(declared));
        self.collector.bind_name(span(name), function);
        self.collector.values.parameters.push(Parameter {
            function,
            name: span(name),
            type_name,
        });
    }

    /// Records the return type of a function, or the target of an alias, if it is known.
    pub(crate) fn returns(&mut self, definition: LocalId, declared: Option<Node<'t>>) {
        let known = declared.and_then(|declared| self.type_of(declared));
        let known = known.map(|type_name| DefinitionType {
            definition,
            type_name,
        });
        self.collector.values.types.extend(known);
    }

    /// Records the value of a variable, constant or field.
    pub(crate) fn holds(&mut self, definition: LocalId, value: Value) {
        if value != Value::Unknown {
            self.collector
                .values
                .held
                .push(HeldValue { definition, value });
        }
    }

    /// Returns the value of a declaration: its type, or else the value of its initial expression.
    pub(crate) fn declared_value(
        &self,
        declared: Option<Node<'t>>,
        initial: Option<Node<'t>>,
    ) -> Value {
        let declared = declared.and_then(|declared| self.type_of(declared));
        match (declared, initial) {
            (Some(type_name), _) => Value::Type(type_name),
            (None, Some(initial)) => self.value_of(initial),
            (None, None) => Value::Unknown,
        }
    }

    /// Returns the value of a variable of a loop over a collection: its type, or else an element.
    pub(crate) fn element_value(
        &self,
        declared: Option<Node<'t>>,
        collection: Option<Node<'t>>,
    ) -> Value {
        match self.declared_value(declared, collection) {
            Value::Name(path) => Value::Element(path),
            Value::Call(path) => Value::CallElement(path),
            value => value,
        }
    }

    /// Returns the type that a node names.
    pub(crate) fn type_of(&self, declared: Node<'t>) -> Option<TypeName> {
        let form = self.form;
        let mut named = (form.named_type)(declared)?;
        let mut of = TypeForm::Instance;
        for _ in 0..MAX_WRAPPERS {
            let wrapped = self.type_argument(form.wrappers, named);
            let element = || self.type_argument(form.collections, named);
            // Of a collection of collections, or of numbers, only the collection is known.
            let (argument, of_argument) = match wrapped {
                Some(argument) => (argument, of),
                None => match element().filter(|_| of == TypeForm::Instance) {
                    Some(argument) => (argument, TypeForm::Elements),
                    None => break,
                },
            };
            let Some(inner) = (form.named_type)(argument) else {
                break;
            };
            (named, of) = (inner, of_argument);
        }
        let path = self.plain_path(named)?;
        let is_builtin = self.form.builtin_types.binary_search(&self.of(named));
        is_builtin.is_err().then_some(TypeName { path, form: of })
    }

    /// Returns the value of an expression that is a name or a call of one. Wrappers that yield the value of
    /// their part are removed, up to a limit: trees can be as deep as their text is long.
    pub(crate) fn value_of(&self, mut expression: Node<'t>) -> Value {
        for _ in 0..MAX_WRAPPERS {
            let path = match self.step(expression) {
                Step::Call(function) => match self.step(function) {
                    Step::Member {
                        object: Some(object),
                        name,
                    } if self.is_transparent(name) => {
                        expression = object;
                        continue;
                    }
                    _ => self.plain_path(function).map(Value::Call),
                },
                Step::Invoke {
                    object: Some(object),
                    name,
                } => {
                    if self.is_transparent(name) {
                        expression = object;
                        continue;
                    }
                    self.plain_path(object)
                        .map(|before| Span::new(before.start as usize, name.end_byte()))
                        .map(Value::Call)
                }
                Step::Invoke { object: None, name } => Some(Value::Call(span(name))),
                Step::Same(inner) => {
                    expression = inner;
                    continue;
                }
                _ => self.plain_path(expression).map(Value::Name),
            };
            return path.unwrap_or(Value::Unknown);
        }
        Value::Unknown
    }
}

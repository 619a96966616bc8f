//! Records facts about the values of names during the walk.

use std::cmp::Reverse;

use foveate_model::values::{
    DefinitionType, HeldValue, Link, Parameter, TypeForm, TypeName, Value,
};
use foveate_model::{LocalId, Span};
use tree_sitter::Node;

use super::{MAX_WRAPPERS, Step, Walk};
use crate::collect::span;
use crate::values::DocumentedTypes;
use crate::values::results::{OutwardValue, are_alike};

/// Number of earlier local variables that are compared with a parameter of a nameless function.
const MAX_COMPARED: usize = 256;

impl DocumentedTypes<'_> {
    pub(crate) fn add_return_type(&self, walk: &mut Walk<'_>, definition: LocalId) {
        walk.add_type(definition, self.returned);
    }

    /// Sets the type of the parameter that was added last, unless it has one.
    pub(crate) fn set_parameter_type(&self, walk: &mut Walk<'_>, name: Node<'_>) {
        let documented = self.parameters.get(walk.of(name)).copied();
        if let Some(added) = walk.collector.facts.values.parameters.last_mut() {
            added.type_name = added.type_name.or(documented);
        }
    }
}

impl<'t> Walk<'t> {
    /// Binds a local variable of the enclosing function, and marks its name as handled.
    pub(crate) fn local(&mut self, name: Node<'t>, value: Value) {
        self.handled.push(Reverse(name.start_byte()));
        self.collector.bind(name);
        if self.is_in_function() || self.form.rules.bare_calls {
            self.collector.local(span(name), value);
        }
    }

    /// Binds local variables of the enclosing function to one value.
    pub(crate) fn locals(&mut self, names: impl IntoIterator<Item = Node<'t>>, value: Value) {
        for name in names {
            self.local(name, value);
        }
    }

    /// Binds the parameter of a nameless function to a value. The value is unknown if the enclosing function
    /// binds the name to something else, too, such as the elements of another collection.
    pub(crate) fn nameless_parameter(&mut self, name: Node<'t>, value: Value) {
        let value = self.only_value(span(name), value);
        self.local(name, value);
    }

    /// Like [`Self::nameless_parameter`] for a parameter that the function uses without declaring it.
    pub(crate) fn implicit_parameter(&mut self, name: Span, value: Value) {
        let value = self.only_value(name, value);
        if self.is_in_function() {
            self.collector.local(name, value);
        }
    }

    /// Records that the enclosing function tests whether a variable is of a type.
    pub(crate) fn tested(&mut self, variable: Node<'t>, declared: Node<'t>) {
        if !self.is_in_function() || !matches!(self.step(variable), Step::Name) {
            return;
        }
        if let Some(type_name) = self.type_of(declared) {
            self.collector
                .local(span(variable), Value::Tested(type_name));
        }
    }

    /// Returns a value, or an unknown one if the enclosing function has bound the name to another value. That
    /// one becomes unknown as well if it is that of such a parameter.
    fn only_value(&mut self, name: Span, value: Value) -> Value {
        let (text, function) = (self.collector.text, self.collector.context.enclosing);
        let mut only = value;
        let locals = self.collector.facts.values.locals.iter_mut().rev();
        for local in locals.take(MAX_COMPARED) {
            let is_other = local.function == function
                && local.name.of(text) == name.of(text)
                && !matches!(local.value, Value::Tested(_))
                && !are_alike(local.value, value, text);
            if is_other {
                only = Value::Unknown;
                if self.nameless.contains(&local.name.start) {
                    local.value = Value::Unknown;
                }
            }
        }
        if only != Value::Unknown {
            self.nameless.insert(name.start);
        }
        only
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
        self.handled.push(Reverse(name.start_byte()));
        let type_name = declared.and_then(|declared| self.type_of(declared));
        self.collector.bind_name(span(name), function);
        self.collector.facts.values.parameters.push(Parameter {
            function,
            name: span(name),
            type_name,
        });
    }

    /// Records the return type of a function, or the target of an alias, if it is known.
    pub(crate) fn returns(&mut self, definition: LocalId, declared: Option<Node<'t>>) {
        let known = declared.and_then(|declared| self.type_of(declared));
        self.add_type(definition, known);
    }

    fn add_type(&mut self, definition: LocalId, known: Option<TypeName>) {
        let known = known.map(|type_name| DefinitionType {
            definition,
            type_name,
        });
        self.collector.facts.values.types.extend(known);
    }

    /// Records the value of a variable, constant or field.
    pub(crate) fn holds(&mut self, definition: LocalId, value: Value) {
        if value != Value::Unknown {
            self.collector
                .facts
                .values
                .held
                .push(HeldValue { definition, value });
        }
    }

    /// Records that the enclosing function returns the value of an expression.
    pub(crate) fn result(&mut self, expression: Node<'t>) {
        self.outward(None, expression);
    }

    /// Records that the enclosing function assigns the value of an expression to a field of its object.
    pub(crate) fn assigns(&mut self, field: LocalId, expression: Node<'t>) {
        self.outward(Some(field), expression);
    }

    fn outward(&mut self, field: Option<LocalId>, expression: Node<'t>) {
        if let Some(function) = self.enclosing_function() {
            let value = self.value_of(expression);
            self.collector.drafts.results.push(OutwardValue {
                definition: field.unwrap_or(function),
                function,
                value,
            });
        }
    }

    /// Returns the function whose body contains the current node, unless a nameless one is between them.
    fn enclosing_function(&self) -> Option<LocalId> {
        let context = &self.collector.context;
        let function = context.enclosing.filter(|_| !context.is_nameless)?;
        let definition = self.collector.definition(function)?;
        definition.kind.is_function().then_some(function)
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
        element_of(self.declared_value(declared, collection))
    }

    /// Returns the type that a node names.
    pub(crate) fn type_of(&self, declared: Node<'t>) -> Option<TypeName> {
        let form = self.form;
        if let Some(receiver) = (form.types.function_receiver)(declared) {
            return self.type_of_function(receiver, TypeForm::Function);
        }
        if let Some(argument) = (form.types.callback_argument)(declared, self.collector.text)
            && let Some(callback) = self.type_of_function(argument, TypeForm::Callback)
        {
            return Some(callback);
        }
        let (mut whole, mut named) = (declared, (form.types.named_type)(declared)?);
        let mut of = TypeForm::Instance;
        for _ in 0..form.types.max_wrappers() {
            let Some(name) = self.last_name(named) else {
                break;
            };
            let written = self.of(name);
            let is_in = |names: &'static [&'static str]| names.binary_search(&written).is_ok();
            let first = || (form.types.type_argument)(name, whole);
            let values = || (form.types.type_of_values)(name, whole);
            let wrapped = is_in(form.types.wrappers).then(first).flatten();
            let element = || {
                let element = is_in(form.types.collections).then(first).flatten();
                element.or_else(|| is_in(form.types.maps).then(values).flatten())
            };
            // Of a collection of collections, of numbers or of texts, only the collection is known.
            let (argument, of_argument) = match wrapped {
                Some(argument) => (argument, of),
                None => match element().filter(|_| of == TypeForm::Instance) {
                    Some(argument) => (argument, TypeForm::Elements),
                    None => break,
                },
            };
            let inner = (form.types.named_type)(argument).filter(|inner| {
                let name = self.of(*inner);
                of_argument == TypeForm::Instance
                    || form.types.builtin.binary_search(&name).is_err()
                    || form.types.wrappers.binary_search(&name).is_ok()
            });
            let Some(inner) = inner else {
                break;
            };
            (whole, named, of) = (argument, inner, of_argument);
        }
        if let Some(bound) = self.bound_of(named) {
            return (bound.form == TypeForm::Instance).then_some(TypeName { form: of, ..bound });
        }
        let path = self.plain_path(named)?;
        let is_known = form.types.extends_builtin
            || form.types.builtin.binary_search(&self.of(named)).is_err();
        is_known.then_some(TypeName { path, form: of })
    }

    /// Returns the type of a function, given the type in it that names a class.
    fn type_of_function(&self, of: Node<'t>, form: TypeForm) -> Option<TypeName> {
        let named = (self.form.types.named_type)(of)?;
        let bound = self.bound_of(named).map(|bound| bound.path);
        let path = bound.or_else(|| self.plain_path(named))?;
        Some(TypeName { path, form })
    }

    /// Returns the value that a called function passes to a function among its arguments.
    pub(crate) fn callback_argument(&self, call: Node<'t>) -> Value {
        let function = called_function(call, self.step(call));
        let name = function.and_then(|function| self.last_name(function));
        name.map_or(Value::Unknown, |name| Value::CallbackArgument(span(name)))
    }

    /// Returns the bound of a type parameter, whose members its values have.
    fn bound_of(&self, named: Node<'_>) -> Option<TypeName> {
        let (name, start) = (self.of(named), named.start_byte());
        let mut inner = self.generics.iter().rev();
        let generic = inner.find(|generic| generic.end > start && generic.names.contains(&name))?;
        let mut bounds = generic.bounds.iter();
        bounds
            .find(|(bounded, _)| *bounded == name)
            .map(|(_, bound)| *bound)
    }

    /// Returns the value of an expression that is a chain of names and calls, or an element of one. Wrappers that yield the
    /// value of their part are removed, up to a limit: trees can be as deep as their text is long.
    pub(crate) fn value_of(&self, mut expression: Node<'t>) -> Value {
        for _ in 0..MAX_WRAPPERS {
            let step = self.step(expression);
            let value = match step {
                Step::Same(inner) => {
                    expression = inner;
                    continue;
                }
                Step::Call(_) | Step::Invoke { .. } => match self.called_member(step) {
                    Some((object, name)) if self.is_transparent(name) => {
                        expression = object;
                        continue;
                    }
                    _ => self.called(expression, step),
                },
                Step::Indexed(object) => {
                    let called = self.called(object, self.step(object));
                    let collection = called.or_else(|| self.value_of_names(object, Value::Name));
                    collection.map(element_of)
                }
                _ => self.value_of_names(expression, Value::Name),
            };
            return value.unwrap_or(Value::Unknown);
        }
        Value::Unknown
    }

    /// Returns the value of a call, given how it is composed.
    fn called<'n>(&self, call: Node<'n>, step: Step<'n>) -> Option<Value> {
        self.value_of_names(called_function(call, step)?, Value::Call)
    }

    /// Records that names in the `body` of a nameless class may be members of its base.
    pub(crate) fn nameless_class(&mut self, body: Node<'t>, base: Node<'t>) {
        if let Some(name) = self.plain_path(base) {
            let object = Link {
                name,
                is_called: true,
                is_indexed: false,
            };
            self.collector.drafts.lambdas.push((span(body), object));
        }
    }

    /// Returns the object and the name in a call of a member of an object, given how the call is composed.
    fn called_member(&self, call: Step<'t>) -> Option<(Node<'t>, Node<'t>)> {
        match call {
            Step::Call(function) => match self.step(function) {
                Step::Member { object, name } => Some((object?, name)),
                _ => None,
            },
            Step::Invoke { object, name } => Some((object?, name)),
            _ => None,
        }
    }
}

/// Returns the expression whose last name a call calls, given how it is composed.
fn called_function<'n>(call: Node<'n>, step: Step<'n>) -> Option<Node<'n>> {
    match step {
        Step::Call(function) => Some(function),
        Step::Invoke { .. } => Some(call),
        _ => None,
    }
}

/// Returns an element of a collection, given its value. A type is that of the element.
fn element_of(collection: Value) -> Value {
    match collection {
        Value::Name(path) => Value::Element(path),
        Value::Call(path) => Value::CallElement(path),
        Value::Chain {
            first,
            name,
            is_element: false,
        } => Value::Chain {
            first,
            name,
            is_element: true,
        },
        // An element of an element.
        Value::Element(_) | Value::CallElement(_) | Value::Chain { .. } => Value::Unknown,
        value => value,
    }
}

//! Infers values from declared types, initial values, return types and parameters, all taken from the facts
//! of the files. Results are `likely`, never `certain`; the depth of inferences that depend on each other is
//! limited, so that `x = x.y` ends.

use foveate_model::values::{self, TypeForm, TypeName};
use foveate_model::{DefinitionKind, FileFacts, LocalId, Span, Values};

use crate::files::{DefId, FileId};
use crate::graph::candidates::Candidate;
use crate::graph::names::Position;
use crate::graph::paths;
use crate::graph::relations::Confidence;
use crate::graph::values::{Evaluator, Outcome, Value, cached};

/// Maximum number of functions around a name whose parameters are searched for it.
const MAX_NESTING: usize = 32;

impl<'a> Evaluator<'a> {
    /// Infers the value of a local variable.
    pub(super) fn local_value(
        &self,
        position: Position,
        value: values::Value,
        inferences: u32,
    ) -> Outcome {
        if inferences == 0 {
            return Outcome::likely(Value::Unknown);
        }
        self.destructured(position, value, inferences - 1)
            .unwrap_or_else(|| Outcome::likely(self.stated_value(position, value, inferences - 1)))
    }

    /// Infers the member that a pattern takes from a value; `None` for other values.
    fn destructured(
        &self,
        position: Position,
        value: values::Value,
        inferences: u32,
    ) -> Option<Outcome> {
        let (whole, name) = match value {
            values::Value::Member { of, name } => {
                let path = paths::without_marks(self.text_of(position.file, of));
                (self.path_inferring(position, path, inferences), name)
            }
            values::Value::MemberOfCall { of, name } => {
                let (result, _) = self.result_of_path(position, of, inferences);
                (Outcome::likely(result), name)
            }
            values::Value::MemberOfType { of, name } => {
                let type_name = TypeName {
                    path: of,
                    form: TypeForm::Instance,
                };
                let value = self.value_of_type(position, type_name, inferences);
                (Outcome::likely(value), name)
            }
            _ => return None,
        };
        let name = self.text_of(position.file, name);
        let member = self.member_of(whole, name, inferences);
        Some(Outcome {
            receiver: Value::Unbound,
            confidence: member.confidence.min(Confidence::Likely),
            ..member
        })
    }

    /// Infers a value from its type or its expression.
    fn stated_value(&self, position: Position, value: values::Value, inferences: u32) -> Value {
        match value {
            values::Value::Type(type_name) => self.value_of_type(position, type_name, inferences),
            value => self.initial_value(position, value, inferences),
        }
    }

    /// Infers the value of a parameter of a function from its type; `None` if the function has no such
    /// parameter.
    pub(super) fn parameter(
        &self,
        position: Position,
        function: LocalId,
        name: &str,
        inferences: u32,
    ) -> Option<Outcome> {
        let parameters = self.known(position.file)?.parameters_of(function);
        let mut parameters = parameters.iter();
        let parameter = parameters.find(|p| self.text_of(position.file, p.name) == name)?;
        let value = match parameter.type_name {
            _ if inferences == 0 => Value::Unknown,
            Some(type_name) => self.value_of_type(position, type_name, inferences - 1),
            None => {
                let fixture = self
                    .names
                    .fixture(DefId::new(position.file, function), name);
                fixture.map_or(Value::Unknown, |fixture| {
                    self.return_value(fixture, inferences - 1)
                })
            }
        };
        Some(Outcome::likely(value))
    }

    /// Returns the fixture after which a parameter of an enclosing function is named.
    pub(super) fn fixture(&self, position: Position, name: &str) -> Option<DefId> {
        let fixtures = &self.names.rules(position.file).fixtures;
        let mut scope = position
            .enclosing
            .filter(|_| !fixtures.decorators.is_empty());
        for _ in 0..MAX_NESTING {
            let function = scope?;
            let mut parameters = self.known(position.file)?.parameters_of(function).iter();
            if parameters.any(|p| self.text_of(position.file, p.name) == name) {
                return self
                    .names
                    .fixture(DefId::new(position.file, function), name);
            }
            scope = self.names.local(position.file, function)?.parent;
        }
        None
    }

    pub(super) fn known(&self, file: FileId) -> Option<&'a Values> {
        self.names.facts(file).map(|facts| &facts.values)
    }

    /// Returns the text under a span of a file.
    pub(super) fn text_of(&self, file: FileId, name: Span) -> &'a str {
        name.of(self.names.text(file))
    }

    /// Returns the value of an expression with a declared type.
    pub(super) fn value_of_type(
        &self,
        position: Position,
        type_name: TypeName,
        inferences: u32,
    ) -> Value {
        match type_name.form {
            TypeForm::Function => return Value::Unknown,
            TypeForm::Callback => return Value::External,
            _ => {}
        }
        let path = self.text_of(position.file, type_name.path);
        if self.names.rules(position.file).self_types.contains(&path) {
            return self
                .enclosing_class(position)
                .map_or(Value::Unknown, Value::Instance);
        }
        let outcome = self.path_inferring(position, paths::without_marks(path), inferences);
        let value = match self.value(outcome).0 {
            Value::Class(class) if type_name.form == TypeForm::Class => Value::Class(class),
            Value::Class(class) => Value::Instance(class),
            Value::Definition(id) => self.value_of_alias(id, inferences),
            // A builtin or a global type, which does not belong to this repository.
            Value::Unbound | Value::External => Value::External,
            _ => Value::Unknown,
        };
        match (type_name.form, value) {
            (TypeForm::Elements, Value::Instance(class)) => Value::Elements(class),
            (TypeForm::Elements, _) => Value::External,
            (_, value) => value,
        }
    }

    /// Returns an instance of the type that a type alias, or a variable such as `Gate = Door`, names, or of the alias if
    /// it describes a type itself or may have methods.
    fn value_of_alias(&self, id: DefId, inferences: u32) -> Value {
        let names = self.names;
        let definition = names.definition(id);
        if inferences == 0 {
            return Value::Unknown;
        }
        if definition.kind != DefinitionKind::TypeAlias {
            return self.value_of_named_class(id, inferences - 1);
        }
        if names.rules(id.file).named_types_have_methods {
            return Value::Instance(id);
        }
        self.target_of_alias(id, inferences)
            .unwrap_or(Value::Instance(id))
    }

    /// Returns an instance of the type by which a type alias, or a type such as `Gates` in `type Gates []Gate`, is defined;
    /// `None` if it names none.
    pub(super) fn target_of_alias(&self, id: DefId, inferences: u32) -> Option<Value> {
        let definition = self.names.definition(id);
        if inferences == 0 || definition.kind != DefinitionKind::TypeAlias {
            return None;
        }
        let position = Position::new(id.file, definition.parent);
        let type_name = self.known(id.file)?.type_of(id.local)?;
        Some(self.value_of_type(position, type_name, inferences - 1))
    }

    /// Returns an instance of the class that a variable names by its initial value.
    fn value_of_named_class(&self, id: DefId, inferences: u32) -> Value {
        let known = self.known(id.file);
        let held = known.and_then(|known| known.held_by(id.local));
        if !matches!(held, Some(values::Value::Name(_))) {
            return Value::Unknown;
        }
        match self.held_by(id, inferences) {
            Value::Class(class) => Value::Instance(class),
            _ => Value::Unknown,
        }
    }

    pub(super) fn initial_value(
        &self,
        position: Position,
        value: values::Value,
        inferences: u32,
    ) -> Value {
        let (value, is_element) = match value {
            values::Value::Name(path) => (self.value_of_path(position, path, inferences), false),
            values::Value::Element(path) => (self.value_of_path(position, path, inferences), true),
            values::Value::Call(path) => (self.result_of_path(position, path, inferences), false),
            values::Value::CallElement(path) => {
                (self.result_of_path(position, path, inferences), true)
            }
            values::Value::Chain {
                name, is_element, ..
            } => (self.value_of_chain(position, name, inferences), is_element),
            values::Value::CallbackArgument(name) => {
                (self.callback_argument(position, name, inferences), false)
            }
            _ => {
                let member = self.destructured(position, value, inferences);
                return match member.map_or(Value::Unknown, |member| self.value(member).0) {
                    Value::Definition(id) if inferences > 0 => self.held_by(id, inferences - 1),
                    value => value,
                };
            }
        };
        let (value, _) = if is_element {
            self.element(value, inferences)
        } else {
            value
        };
        match value {
            Value::Unbound => Value::Unknown,
            Value::Definition(id) => self.enum_constant(id).unwrap_or(value),
            value => value,
        }
    }

    /// Infers the value of a dotted name.
    fn value_of_path(
        &self,
        position: Position,
        path: Span,
        inferences: u32,
    ) -> (Value, Confidence) {
        let (outcome, _) = self.outcome_of_path(position, path, inferences);
        self.value(outcome)
    }

    /// Infers an element of a collection, or what an object or constructor with one value holds.
    pub(super) fn element(
        &self,
        (value, confidence): (Value, Confidence),
        inferences: u32,
    ) -> (Value, Confidence) {
        let element = match value {
            Value::Elements(class) => Value::Instance(class),
            Value::Class(class) | Value::Instance(class) => self.element_of(class, inferences),
            Value::Definition(id) if self.enum_constant(id).is_some() => {
                self.only_value_of(id, inferences)
            }
            Value::Definition(id) if inferences > 0 => match self.held_by(id, inferences - 1) {
                Value::Elements(class) => Value::Instance(class),
                Value::Instance(class) => self.element_of(class, inferences - 1),
                _ => Value::Unknown,
            },
            _ => Value::Unknown,
        };
        match element {
            Value::Unknown => (element, confidence),
            element => (element, Confidence::Likely),
        }
    }

    /// Infers an element of a type, or what an object of it holds.
    fn element_of(&self, class: DefId, inferences: u32) -> Value {
        match self.names.rules(class.file).named_types_have_methods {
            true => self
                .target_of_alias(class, inferences)
                .unwrap_or(Value::Instance(class)),
            false => self.only_value_of(class, inferences),
        }
    }

    /// Infers the only value in a constant of an enum or a class that has no names for its values: `Pool` in
    /// `struct Job(Pool)`.
    fn only_value_of(&self, id: DefId, inferences: u32) -> Value {
        let known = self.known(id.file);
        match known.and_then(|known| known.held_by(id.local)) {
            Some(values::Value::Type(type_name)) if inferences > 0 => {
                let position = Position::new(id.file, self.names.definition(id).parent);
                self.value_of_type(position, type_name, inferences - 1)
            }
            _ => Value::Unknown,
        }
    }

    /// Infers the result of calling a value.
    pub(super) fn call_result(
        &self,
        (value, confidence): (Value, Confidence),
        inferences: u32,
    ) -> (Value, Confidence) {
        // A constant of an enum may be made of other values: `Shape::Circle(1)`.
        if let Value::Definition(id) = value
            && let Some(constant) = self.enum_constant(id)
        {
            return (constant, Confidence::Likely);
        }
        let result = match value {
            Value::Class(class) => Value::Instance(class),
            Value::Definition(id) if self.names.constructs(id) => Value::Instance(id),
            Value::Definition(id) if self.names.definition(id).kind.is_function() => {
                self.return_value(id, inferences)
            }
            Value::Definition(id) if self.is_called_property(id) => {
                self.held_by(id, inferences.saturating_sub(1))
            }
            Value::Definition(id) if inferences > 0 => {
                let is_alias = self.names.definition(id).kind == DefinitionKind::TypeAlias;
                match self.held_by(id, inferences - 1) {
                    // As in `make = open_door`.
                    Value::Definition(function) => self.return_value(function, inferences - 1),
                    // Calling an alias constructs an object of its type.
                    held @ Value::Instance(_) if is_alias => held,
                    // As does a conversion to a type that is defined by no other named one: `Values(list)`.
                    Value::Unknown if is_alias => match self.value_of_alias(id, inferences - 1) {
                        own @ Value::Instance(_) => own,
                        _ => Value::Unknown,
                    },
                    held => return self.call_result((held, Confidence::Likely), inferences - 1),
                }
            }
            Value::Definition(_) => Value::Unknown,
            Value::Module(module) if !self.names.rules(module).modules_have_defaults => {
                Value::Unknown
            }
            Value::Module(module) => {
                match self.names.exported(module, "default").definitions().next() {
                    Some(class) if self.names.is_class(class) => Value::Instance(class),
                    Some(function) => self.return_value(function, inferences),
                    None => Value::Unknown,
                }
            }
            // `super` itself is written as a call: `super().m`.
            Value::Super(_) => return (value, confidence),
            Value::External => Value::External,
            // A method of a collection that returns the same elements.
            elements @ Value::Elements(_) => elements,
            // The result of a builtin has no members from this repository, unless the builtin returns its
            // argument (`next(…)`), which cannot be seen in the text.
            Value::Unbound | Value::Instance(_) | Value::Unknown => Value::Unknown,
        };
        (result, Confidence::Likely)
    }

    /// Infers the value that a function returns, from its declared type or from the expression that it returns.
    pub(super) fn return_value(&self, function: DefId, inferences: u32) -> Value {
        if inferences == 0 || !self.names.definition(function).kind.is_function() {
            return Value::Unknown;
        }
        cached(&self.caches.returned, (function, inferences), || {
            self.infer_return_value(function, inferences)
        })
    }

    /// Does what [`Self::return_value`] caches.
    fn infer_return_value(&self, function: DefId, inferences: u32) -> Value {
        let position = Position::new(function.file, Some(function.local));
        let known = self.known(function.file);
        let declared = known.and_then(|known| known.type_of(function.local));
        let only = || known.and_then(|known| known.held_by(function.local));
        let stated = match declared {
            Some(type_name) => self.value_of_type(position, type_name, inferences - 1),
            None => only().map_or(Value::Unknown, |value| {
                self.stated_value(position, value, inferences - 1)
            }),
        };
        // A function that returns what its own name stands for returns an object with the functions inside it.
        let stated = match stated {
            Value::Definition(own) if own == function => Value::Instance(function),
            stated => stated,
        };
        // The overridden method says more than a call of a function from elsewhere.
        if declared.is_some() || !matches!(stated, Value::Unknown | Value::External) {
            return stated;
        }
        match self.inherited_result(function, inferences - 1) {
            Value::Unknown => stated,
            inherited => inherited,
        }
    }

    /// Infers the value of a variable, field or property.
    pub(super) fn held_by(&self, id: DefId, inferences: u32) -> Value {
        cached(&self.caches.held, (id, inferences), || {
            self.infer_held(id, inferences)
        })
    }

    /// Does what [`Self::held_by`] caches.
    fn infer_held(&self, id: DefId, inferences: u32) -> Value {
        let names = self.names;
        let definition = names.definition(id);
        if let Some(constant) = self.enum_constant(id) {
            return constant;
        }
        let is_called = || {
            let names_call = names.rules(id.file).names_call || self.is_read_getter(id);
            definition.kind.is_function() && names_call
        };
        if definition.modifiers.is_property || is_called() {
            return self.return_value(id, inferences);
        }
        if inferences == 0 || definition.kind.is_function() {
            return Value::Unknown;
        }
        let position = Position::new(id.file, definition.parent);
        let held = self
            .known(id.file)
            .and_then(|known| known.held_by(id.local));
        let held = match held {
            None => {
                return match self.value_of_alias(id, inferences) {
                    // An alias that names no type has no members but its own.
                    Value::Instance(class) if class == id => Value::Unknown,
                    value => value,
                };
            }
            Some(values::Value::Type(type_name)) => {
                return self.value_of_type(position, type_name, inferences - 1);
            }
            Some(values::Value::Parameter) => return self.own_parameter(id, position, inferences),
            Some(held) => held,
        };
        // A field that is assigned in a method is evaluated there, because it may use the method's
        // parameters.
        let setter = self.enclosing_method(id);
        let position = Position {
            enclosing: setter.or(position.enclosing),
            ..position
        };
        if let Some(method) = setter
            && let values::Value::Name(path) = held
            && let path = self.text_of(id.file, path)
            && let Some(outcome) = self.parameter(position, method, path, inferences - 1)
        {
            return outcome.value;
        }
        self.initial_value(position, held, inferences - 1)
    }

    /// Infers the value that an extension is called on; external if its type is outside the repository.
    pub(super) fn extended(&self, extension: &Candidate<'a>, inferences: u32) -> Value {
        let id = extension.id;
        if extension.definition.modifiers.is_out_of_line {
            return self
                .names
                .owner(id)
                .map_or(Value::External, Value::Instance);
        }
        let known = self.known(id.file);
        let first = known.and_then(|known| known.parameters_of(id.local).first());
        let position = Position::new(id.file, Some(id.local));
        first
            .and_then(|first| first.type_name)
            .map_or(Value::External, |type_name| {
                self.value_of_type(position, type_name, inferences)
            })
    }

    /// Returns the value of a constant of an enum: an instance of the enum. `None` for any other definition.
    fn enum_constant(&self, id: DefId) -> Option<Value> {
        let definition = self.names.definition(id);
        let outer = definition.parent?;
        let outer = DefId::new(id.file, outer);
        let is_constant = definition.kind == DefinitionKind::EnumMember
            && self.names.definition(outer).kind == DefinitionKind::Enum;
        is_constant.then_some(Value::Instance(outer))
    }

    /// Infers the value of a field from the parameter of its name: `constructor(private readonly client:
    /// Client)` declares a field.
    fn own_parameter(&self, id: DefId, position: Position, inferences: u32) -> Value {
        let Some(method) = self.enclosing_method(id) else {
            return Value::Unknown;
        };
        let name = &self.names.definition(id).name;
        self.parameter(position, method, name, inferences.saturating_sub(1))
            .map_or(Value::Unknown, |outcome| outcome.value)
    }

    /// See [`enclosing_method`].
    fn enclosing_method(&self, field: DefId) -> Option<LocalId> {
        enclosing_method(self.names.facts(field.file)?, field.local)
    }
}

/// Returns the method of the same class whose body or parameters contain a field's definition.
pub(super) fn enclosing_method(facts: &FileFacts, field: LocalId) -> Option<LocalId> {
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

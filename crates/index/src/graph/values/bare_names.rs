//! Resolves bare (unqualified) names, from the innermost scope of a position outwards: local variables,
//! parameters and, if the language allows it, members of enclosing classes.

use foveate_model::resolution::Receiver;
use foveate_model::values::{self, Local};
use foveate_model::{Definition, DefinitionKind, LocalId};

use super::{Evaluator, MAX_INFERENCES, Outcome, Value, cached};
use crate::files::{DefId, FileId};
use crate::graph::names::Position;
use crate::graph::relations::Confidence;
use crate::graph::targets::Targets;

/// Maximum number of values of one variable, its first known one included, that are examined for types it is tested for.
const MAX_TESTED: usize = 9;
/// Maximum number of enclosing definitions that are searched.
const MAX_NESTING: usize = 32;

/// Which variables of the enclosing functions a bare name may mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::graph) enum Variables {
    All,
    /// Those that are in scope in the initial value of a local variable of the same name.
    Parameters,
    /// Macros have a namespace of their own.
    None,
}

impl<'a> Evaluator<'a> {
    /// Resolves a bare name.
    pub(super) fn head(&self, position: Position, name: &'a str, inferences: u32) -> Outcome {
        self.bare_name(position, name, Variables::All, inferences)
    }

    /// Resolves a bare name that may mean only some of the variables of the functions around it.
    pub(in crate::graph) fn name_among(
        &self,
        position: Position,
        name: &'a str,
        variables: Variables,
    ) -> Outcome {
        self.bare_name(position, name, variables, MAX_INFERENCES)
    }

    /// Resolves a bare name and caches the result per scope and depth: results with fewer inferences left may be
    /// less complete.
    fn bare_name(
        &self,
        position: Position,
        name: &'a str,
        variables: Variables,
        inferences: u32,
    ) -> Outcome {
        let look_up = || self.look_up(position, name, variables, inferences);
        if position.file != self.file {
            return look_up();
        }
        let key = (position.enclosing, name, variables, inferences);
        cached(&self.caches.bare_names, key, look_up)
    }

    /// Resolves a bare name from the innermost scope outwards.
    fn look_up(
        &self,
        position: Position,
        name: &'a str,
        variables: Variables,
        inferences: u32,
    ) -> Outcome {
        let rules = self.names.rules(position.file);
        if let Some((_, receiver)) = rules.receivers.iter().find(|(known, _)| *known == name) {
            let Some(class) = self.enclosing_class(position) else {
                return Outcome::unknown();
            };
            return Outcome::of(match receiver {
                Receiver::Instance => Value::Instance(class),
                Receiver::Class => Value::Class(class),
                Receiver::Super => Value::Super(class),
            });
        }
        let mut scope = position.enclosing;
        let mut inner = None;
        for _ in 0..MAX_NESTING {
            let Some((id, definition)) =
                scope.and_then(|id| Some((id, self.names.local(position.file, id)?)))
            else {
                break;
            };
            let in_function =
                || self.in_function((position.file, id), definition, name, variables, inferences);
            let found = self
                .in_head((position.file, id), definition, inner, name, inferences)
                .or_else(|| self.in_scope(position, id, definition, name))
                .or_else(in_function)
                .or_else(|| self.bare_member(position.file, id, definition, name));
            if let Some(outcome) = found {
                return outcome;
            }
            inner = Some(definition.kind);
            scope = definition.parent;
        }
        self.at_top_level(position.file, name, inferences)
    }

    /// Resolves a parameter of the constructor in the head of a class, as Kotlin has it. Initial values see it before members
    /// of its name, and methods not at all: `val a = b.a` in `class A(b: B)`. `inner` is the kind of the definition in the
    /// class that contains the name, if it has one: objects of nameless classes are in that of their property.
    fn in_head(
        &self,
        (file, id): (FileId, LocalId),
        definition: &Definition,
        inner: Option<DefinitionKind>,
        name: &'a str,
        inferences: u32,
    ) -> Option<Outcome> {
        let is_of_member = inner.is_some_and(|inner| inner.is_function() || inner.is_class());
        if is_of_member || !definition.kind.is_class() {
            return None;
        }
        self.parameter(Position::new(file, Some(id)), id, name, inferences)
    }

    /// Resolves a name that an enclosing definition defines or imports.
    fn in_scope(
        &self,
        position: Position,
        id: LocalId,
        definition: &Definition,
        name: &'a str,
    ) -> Option<Outcome> {
        let kind = definition.kind;
        let is_innermost = position.enclosing == Some(id);
        let bodies_are_scopes = self.names.rules(position.file).class_bodies_are_scopes;
        // The body of a class is a scope of its own, but not of its methods.
        let is_searched = kind.is_function()
            || kind == DefinitionKind::Module
            || (bodies_are_scopes && is_innermost && kind.is_container());
        if !is_searched {
            return None;
        }
        let mut found = self.names.within(position.file, Some(id), name);
        if kind.is_function() && self.names.rules(position.file).functions_construct {
            found = self.names.without_members(found);
        }
        let found = self.names.classes_of_constructors(found);
        (!found.is_empty()).then(|| Outcome::certain(found))
    }

    /// Resolves a local variable or parameter of an enclosing function in the evaluator's file.
    fn in_function(
        &self,
        (file, id): (FileId, LocalId),
        definition: &Definition,
        name: &'a str,
        variables: Variables,
        inferences: u32,
    ) -> Option<Outcome> {
        if !definition.kind.is_function() || file != self.file {
            return None;
        }
        let inner = Position::new(file, Some(id));
        let local = match variables {
            Variables::All => self.local(Some(id), name),
            Variables::Parameters => None,
            Variables::None => return None,
        };
        let Some(source) = local else {
            return self.parameter(inner, id, name, inferences);
        };
        // `let pool = pool();`: in its own initial value a variable is not in scope.
        let is_named_alike =
            matches!(source, values::Value::Call(called) if self.text_of(file, called) == name);
        let from = match is_named_alike && self.parameter(inner, id, name, inferences).is_none() {
            true => Position::new(file, definition.parent),
            false => inner,
        };
        let known = self.local_value(from, source, inferences);
        if !known.found.is_empty() || known.value != Value::Unknown {
            return Some(known);
        }
        // A parameter that is assigned again may still be annotated.
        Some(self.parameter(inner, id, name, inferences).unwrap_or(known))
    }

    /// Resolves a member of an enclosing class or namespace, if the language needs no receiver.
    fn bare_member(
        &self,
        file: FileId,
        local: LocalId,
        definition: &Definition,
        name: &'a str,
    ) -> Option<Outcome> {
        let rules = self.names.rules(file);
        let enclosing = DefId::new(file, local);
        let class = match definition.kind {
            // All bodies of a namespace are one scope.
            DefinitionKind::Module if rules.members_are_bare || rules.paths_may_be_qualified => {
                Some(enclosing)
            }
            _ if !rules.members_are_bare => None,
            kind if kind.is_container() => Some(enclosing),
            _ => self.names.owner(enclosing),
        };
        let found = self.known_member(Value::Class(class?), name);
        let found = self.names.classes_of_constructors(found);
        (!found.is_empty()).then(|| Outcome::certain(found))
    }

    /// Resolves a bare name outside of all definitions.
    fn at_top_level(&self, file: FileId, name: &'a str, inferences: u32) -> Outcome {
        let found = self.visible(file, name);
        if !found.is_empty() {
            return Outcome::certain(found);
        }
        if file == self.file
            && let Some(source) = self.local(None, name)
        {
            let outer = Position::new(file, None);
            return self.local_value(outer, source, inferences);
        }
        let globals = self.names.rules(file).globals;
        Outcome::of(match globals.binary_search(&name) {
            Ok(_) => Value::External,
            Err(_) => Value::Unbound,
        })
    }

    /// Returns the value of a name that a function of the file binds; `None` if it does not bind it.
    fn local(&self, function: Option<LocalId>, name: &str) -> Option<values::Value> {
        let first = self.locals_named(function, name).next();
        first.filter(|value| !matches!(value, values::Value::Tested(_)))
    }

    /// Returns the values of a name in a function of the file.
    fn locals_named(
        &self,
        function: Option<LocalId>,
        name: &str,
    ) -> impl Iterator<Item = values::Value> {
        let text = self.text;
        let key = move |local: &Local| (local.function, local.name.of(text));
        let start = self
            .locals
            .partition_point(|local| key(local) < (function, name));
        let rest = self.locals.get(start..).unwrap_or_default().iter();
        let keyed = rest.map(move |local| (key(local), local.value));
        let named = keyed.take_while(move |(key, _)| *key == (function, name));
        named.map(|(_, value)| value)
    }

    /// Returns the outcome of a variable, or that of a type that the function tests it for, if only that has the member `name`:
    /// `a.close` in `if (a is Pool) a.close()`.
    pub(super) fn tested(
        &self,
        position: Position,
        (variable, outcome): (&str, Outcome),
        name: &'a str,
        inferences: u32,
    ) -> Outcome {
        let is_variable = outcome.found.is_empty() && outcome.confidence == Confidence::Likely;
        if position.file != self.file || !is_variable {
            return outcome;
        }
        let tested = self.locals_named(position.enclosing, variable);
        let mut types = tested.take(MAX_TESTED).filter_map(|value| match value {
            values::Value::Tested(type_name) => Some(type_name),
            _ => None,
        });
        let Some(first) = types.next() else {
            return outcome;
        };
        if !self.member_of(outcome, name, inferences).found.is_empty() {
            return outcome;
        }
        let tested = [first].into_iter().chain(types);
        let tested = tested.map(|type_name| self.value_of_type(position, type_name, inferences));
        let mut tested = tested.map(Outcome::likely);
        tested
            .find(|tested| !self.member_of(*tested, name, inferences).found.is_empty())
            .unwrap_or(outcome)
    }

    fn visible(&self, file: FileId, name: &'a str) -> Targets {
        let look_up = || self.names.visible(file, name);
        if file != self.file {
            return look_up();
        }
        cached(&self.caches.top_level, name, look_up)
    }

    /// Returns the class or object literal whose method contains a position.
    pub(in crate::graph) fn enclosing_class(&self, position: Position) -> Option<DefId> {
        let mut scope = position.enclosing;
        let mut inner = None;
        while let Some(id) = scope {
            let definition = self.names.local(position.file, id)?;
            let global = DefId::new(position.file, id);
            let object = inner == Some(DefinitionKind::Method) && !definition.kind.is_function();
            if object || self.names.is_class(global) {
                return Some(global);
            }
            if let Some(owner) = self.names.owner(global) {
                return Some(owner);
            }
            inner = Some(definition.kind);
            scope = definition.parent;
        }
        None
    }
}

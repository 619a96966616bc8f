//! Collects the members and bases that statements assign to prototypes one by one: the functions are constructors.
//! `commonjs` finds the assignments.

use foveate_model::{DefinitionKind, LocalId};
use tree_sitter::Node;

use super::{Kind, Walker};

impl<'t> Walker<'t> {
    /// Enters `A.prototype = {…}`, whose members are those of `A`, and adds the base of `A.prototype =
    /// Object.create(B.prototype)` and `A.prototype = new B()`.
    pub(super) fn prototype(&mut self, owner: &str, value: Node<'_>, depth: u32) {
        let Some(owner) = self.top_level.get(owner).copied() else {
            return;
        };
        self.mark_constructor(owner);
        if self.kind(value) == Kind::Object {
            self.enter_members(owner, depth);
        } else if let Some(base) = self.base_of_prototype(value) {
            self.add_base(owner, base);
        }
    }

    /// Adds the base or the members that a call gives to a prototype: `util.inherits(A, B)`,
    /// `Object.assign(A.prototype, {…})`, `Object.defineProperty(A.prototype, 'b', {…})`.
    pub(super) fn prototype_call(&mut self, call: Node<'_>, depth: u32) {
        let fields = &self.grammar.fields;
        let Some(function) = call.child_by_field_id(fields.function) else {
            return;
        };
        let called = self.collector.of(function);
        let last = called.rsplit('.').next().unwrap_or(called);
        if matches!(last, "defineProperty" | "defineGetter" | "__defineGetter__") {
            return self.defined_member(call, called, depth);
        }
        let inherits = matches!(
            called,
            "util.inherits" | "inherits" | "Object.setPrototypeOf"
        );
        let assigns = matches!(
            called,
            "Object.assign" | "_.extend" | "_.assign" | "$.extend"
        );
        if !inherits && !assigns {
            return;
        }
        let Some((first, second)) = self.first_arguments(call) else {
            return;
        };
        let owner = first.strip_suffix(".prototype");
        if assigns {
            if let Some(owner) = owner.and_then(|owner| self.top_level.get(owner).copied()) {
                self.mark_constructor(owner);
                self.enter_members(owner, depth);
            }
            return;
        }
        let base = second.strip_suffix(".prototype").unwrap_or(second);
        if let Some(owner) = self.top_level.get(owner.unwrap_or(first)).copied()
            && is_path(base)
        {
            self.mark_constructor(owner);
            self.add_base(owner, base);
        }
    }

    /// Returns the first two arguments of a call as written.
    fn first_arguments(&self, call: Node<'_>) -> Option<(&'t str, &'t str)> {
        let list = call.child_by_field_id(self.grammar.fields.arguments)?;
        let mut cursor = list.walk();
        let mut arguments = list
            .named_children(&mut cursor)
            .filter(|argument| self.kind(*argument) != Kind::Comment)
            .map(|argument| self.collector.of(argument));
        Some((arguments.next()?, arguments.next()?))
    }

    /// Returns `B` for `Object.create(B.prototype)` and `new B()`.
    fn base_of_prototype(&self, value: Node<'_>) -> Option<&'t str> {
        let fields = &self.grammar.fields;
        let base = match self.kind(value) {
            Kind::New => self
                .collector
                .of(value.child_by_field_id(fields.constructor)?),
            Kind::Call => {
                let function = value.child_by_field_id(fields.function)?;
                if self.collector.of(function) != "Object.create" {
                    return None;
                }
                let first = value.child_by_field_id(fields.arguments)?.named_child(0)?;
                self.collector.of(first).strip_suffix(".prototype")?
            }
            _ => return None,
        };
        is_path(base).then_some(base)
    }

    /// Whether a function has the name of a class: by convention, those that are called with `new`.
    pub(super) fn is_named_like_class(&self, function: LocalId) -> bool {
        self.collector.definition(function).is_some_and(|function| {
            function.kind == DefinitionKind::Function
                && !function.modifiers.is_block
                && function.name.starts_with(char::is_uppercase)
        })
    }

    /// Records that a function constructs objects with members of their own.
    pub(super) fn mark_constructor(&mut self, function: LocalId) {
        let definition = self.collector.definitions.get_mut(function.0 as usize);
        if let Some(function) = definition.filter(|d| d.kind == DefinitionKind::Function) {
            function.modifiers.is_constructor = true;
        }
    }

    fn enter_members(&mut self, owner: LocalId, depth: u32) {
        self.collector
            .within(depth, |context| context.parent = Some(owner));
    }

    fn add_base(&mut self, owner: LocalId, base: &str) {
        let definition = self.collector.definitions.get_mut(owner.0 as usize);
        if let Some(class) = definition.filter(|d| d.bases.iter().all(|known| **known != *base)) {
            class.bases.push(base.into());
        }
    }
}

/// Whether a text is a dotted name.
fn is_path(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$'))
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.'))
}

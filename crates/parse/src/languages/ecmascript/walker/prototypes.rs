//! Collects the members that statements assign to prototypes one by one: the functions are constructors.
//! `commonjs` finds the assignments.

use foveate_model::{DefinitionKind, LocalId};
use tree_sitter::Node;

use super::{Kind, Walker};

impl Walker<'_> {
    /// Enters `A.prototype = {…}`, whose members are those of `A`.
    pub(super) fn prototype(&mut self, owner: &str, value: Node<'_>, depth: u32) {
        if let Some(owner) = self.top_level.get(owner).copied() {
            self.mark_constructor(owner);
            if self.kind(value) == Kind::Object {
                self.enter_members(owner, depth);
            }
        }
    }

    /// Adds the members that a call gives to a prototype: `Object.assign(A.prototype, {…})`,
    /// `Object.defineProperty(A.prototype, 'b', {…})`.
    pub(super) fn prototype_call(&mut self, call: Node<'_>, depth: u32) {
        let Some(function) = call.child_by_field_id(self.grammar.fields.function) else {
            return;
        };
        let called = self.collector.of(function);
        let last = called.rsplit('.').next().unwrap_or(called);
        if matches!(last, "defineProperty" | "defineGetter" | "__defineGetter__") {
            return self.defined_member(call, called, depth);
        }
        let assigns = matches!(
            called,
            "Object.assign" | "_.extend" | "_.assign" | "$.extend"
        );
        let object = assigns.then(|| self.argument(call, 0)).flatten();
        let owner = object.and_then(|object| self.collector.of(object).strip_suffix(".prototype"));
        if let Some(owner) = owner.and_then(|owner| self.top_level.get(owner).copied()) {
            self.mark_constructor(owner);
            self.enter_members(owner, depth);
        }
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
        let definition = self
            .collector
            .facts
            .definitions
            .get_mut(function.0 as usize);
        if let Some(function) = definition.filter(|d| d.kind == DefinitionKind::Function) {
            function.modifiers.is_constructor = true;
        }
    }

    fn enter_members(&mut self, owner: LocalId, depth: u32) {
        self.collector
            .within(depth, |context| context.parent = Some(owner));
    }
}

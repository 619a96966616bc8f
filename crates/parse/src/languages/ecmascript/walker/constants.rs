//! Handles values of variables outside of functions. Adds the members of object literals that are used like enums:
//! `const Status = { Open: 'open' } as const`, `Object.freeze({ … })`, `{ kName: Symbol('name') }`, `{ NOT_FOUND: make() }`.

use foveate_model::{DefinitionKind, LocalId};
use tree_sitter::Node;

use super::{Kind, Walker};
use crate::collect::{Context, Draft, span};

impl Walker<'_> {
    /// Returns the object literal in the value of a variable whose members are constants. Other objects hold settings and
    /// data, whose keys name little.
    pub(super) fn constants_in(&self, written: Node<'_>) -> Option<usize> {
        let value = self.unwrapped(written);
        let is_frozen = self.calls(value, &["Object.freeze"]);
        let object = if is_frozen {
            let arguments = value.child_by_field_id(self.grammar.fields.arguments)?;
            self.unwrapped(arguments.named_child(0)?)
        } else {
            value
        };
        if self.kind(object) != Kind::Object {
            return None;
        }
        let text = self.collector.text;
        let after = text
            .get(object.end_byte()..written.end_byte())
            .unwrap_or("");
        let is_fixed = is_frozen || after.trim_start().starts_with("as const");
        let has_constants =
            is_fixed || self.holds_symbols(object) || self.has_constant_keys(object);
        has_constants.then(|| object.id())
    }

    /// Whether a node is a call of one of these functions.
    fn calls(&self, node: Node<'_>, functions: &[&str]) -> bool {
        if self.kind(node) != Kind::Call {
            return false;
        }
        let called = node.child_by_field_id(self.grammar.fields.function);
        called.is_some_and(|called| functions.contains(&self.collector.of(called)))
    }

    fn holds_symbols(&self, object: Node<'_>) -> bool {
        let mut cursor = object.walk();
        object.named_children(&mut cursor).any(|member| {
            self.kind(member) == Kind::Pair
                && member
                    .child_by_field_id(self.grammar.fields.value)
                    .is_some_and(|value| self.calls(value, &["Symbol", "Symbol.for"]))
        })
    }

    /// Whether all keys of an object are spelled as constants are, and at least one has an underscore. Keys of one word,
    /// such as `USD`, are often data.
    fn has_constant_keys(&self, object: Node<'_>) -> bool {
        let mut cursor = object.walk();
        let pairs = object.named_children(&mut cursor);
        let keys = pairs
            .filter(|member| self.kind(*member) == Kind::Pair)
            .filter_map(|pair| pair.child_by_field_id(self.grammar.fields.key));
        let mut has_words = false;
        for key in keys.map(|key| self.collector.of(key)) {
            if !is_constant_name(key) {
                return false;
            }
            has_words |= key.contains('_');
        }
        has_words
    }

    /// Adds the members of such an object, except for functions and objects that hold some, which the walk adds.
    pub(super) fn constants_of(&mut self, object: Node<'_>) {
        let fields = &self.grammar.fields;
        let mut cursor = object.walk();
        for member in object.named_children(&mut cursor) {
            let key = member.child_by_field_id(fields.key);
            let key = key.filter(|key| key.kind() == "property_identifier");
            let (Some(key), Some(written)) = (key, member.child_by_field_id(fields.value)) else {
                continue;
            };
            let value = self.unwrapped(written);
            let is_walked = self.wrapped_function(value).is_some()
                || (self.kind(value) == Kind::Object && self.holds_functions(value));
            if is_walked {
                continue;
            }
            let mut draft = Draft::new(
                self.collector.of(key),
                DefinitionKind::Field,
                span(member),
                span(key),
            );
            draft.body = Some(span(written));
            draft.signature_end = key.end_byte();
            self.collector.define(draft);
        }
    }
}

/// Whether a name is spelled as that of a constant: `MAX_SIZE`.
fn is_constant_name(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    name.starts_with(|c: char| c.is_ascii_uppercase()) && name.chars().all(is_part)
}

/// Sets the context in the value of a variable outside of functions: names that it uses are its own.
pub(super) fn inside_value(id: LocalId) -> impl FnOnce(&mut Context) {
    move |context| {
        context.enclosing = Some(id);
        context.parent = Some(id);
    }
}

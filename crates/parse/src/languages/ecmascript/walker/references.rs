//! Collects references of JavaScript and TypeScript: calls, members, types, bases, decorators, thrown and
//! caught types, JSX elements. Also binds the names of parameters and patterns.

use foveate_model::{MessageKind, ReferenceKind, Span};
use tree_sitter::Node;

use super::{Kind, Walker};
use crate::collect::{Chain, Receiver, Scope, span};
use crate::messages;
use crate::syntax::Descend;

/// Maximum number of links of a chain that are followed to its start.
const MAX_CHAIN: usize = 64;

impl Walker<'_> {
    /// Adds a name on its own.
    pub(super) fn identifier(&mut self, node: Node<'_>) -> Descend {
        let start = node.start_byte();
        if self.collector.is_skipped(start) || self.is_class_name(node) {
            return Descend::Past;
        }
        if self.collector.is_bound(start) && !self.read.contains(span(node)) {
            self.collector.bind(node);
            return Descend::Past;
        }
        let kind = self.kind_here(node, ReferenceKind::Name);
        self.collector.refer(kind, node);
        Descend::Past
    }

    /// Binds a name that the grammar marks as bound, in a pattern such as `{ name }`.
    pub(super) fn bound_identifier(&mut self, node: Node<'_>) -> Descend {
        if !self.collector.is_skipped(node.start_byte()) {
            self.collector.bind(node);
        }
        Descend::Past
    }

    pub(super) fn type_identifier(&mut self, node: Node<'_>) -> Descend {
        if !self.collector.is_skipped(node.start_byte()) && !self.is_class_name(node) {
            let kind = self.type_kind(node);
            self.collector.refer(kind, node);
        }
        Descend::Past
    }

    /// Whether this is the name of a class that decorators precede.
    fn is_class_name(&self, node: Node<'_>) -> bool {
        self.class_name == Some(node.id())
    }

    /// Adds `ns.Type`.
    pub(super) fn nested_type(&mut self, node: Node<'_>) -> Descend {
        if let Some(name) = node.child_by_field_id(self.grammar.fields.name) {
            let kind = self.type_kind(node);
            self.collector
                .refer_through(kind, name, span(node), Receiver::Names);
        }
        Descend::Past
    }

    /// Adds `a.b` that is not called.
    pub(super) fn member(&mut self, node: Node<'_>) -> Descend {
        if self.collector.is_skipped(node.start_byte()) {
            return Descend::Past;
        }
        if self.chained.take() == Some(node.id()) {
            return Descend::Into;
        }
        let kind = self.kind_here(node, ReferenceKind::Attribute);
        self.refer_to(node, kind);
        if self.collector.is_skipped(node.start_byte()) {
            return Descend::Past;
        }
        self.chained = None;
        Descend::Into
    }

    /// Returns the kind of a reference, given its kind where a value is read.
    fn kind_here(&mut self, node: Node<'_>, value: ReferenceKind) -> ReferenceKind {
        if self.caught == Some(node.id()) {
            self.caught = None;
            return ReferenceKind::Catch;
        }
        self.collector.context.position.reference(value)
    }

    pub(super) fn call(&mut self, node: Node<'_>, depth: u32) {
        let Some(function) = node.child_by_field_id(self.grammar.fields.function) else {
            return;
        };
        if self.unbound_import(node) {
            self.collector.skip_to(function.end_byte());
            return;
        }
        self.test_block(node, depth);
        self.prototype_call(node, depth);
        let kind = self.call_kind(node);
        let chain = self.refer_to(function, kind);
        let callee = chain.map(|chain| (span(chain.name), chain.path));
        self.collector.enter_call(depth, callee, messages::of_call);
    }

    pub(super) fn new_object(&mut self, node: Node<'_>, depth: u32) {
        let Some(class) = node.child_by_field_id(self.grammar.fields.constructor) else {
            return;
        };
        let kind = self.call_kind(node);
        let chain = self.refer_to(class, kind);
        let callee = chain.map(|chain| (span(chain.name), chain.path));
        self.collector.enter_call(depth, callee, messages::of_call);
    }

    fn call_kind(&mut self, node: Node<'_>) -> ReferenceKind {
        match self.called.take() {
            Some((id, kind)) if id == node.id() => kind,
            _ => ReferenceKind::Call,
        }
    }

    /// Adds a reference for an `expression` that ends in a name, and skips the names in it.
    pub(super) fn refer_to<'n>(
        &mut self,
        expression: Node<'n>,
        kind: ReferenceKind,
    ) -> Option<Chain<'n>> {
        let chain = self.chain(expression)?;
        self.collector
            .refer_through(kind, chain.name, chain.path, chain.receiver);
        match chain.receiver {
            Receiver::Names => self.collector.skip_to(expression.end_byte()),
            Receiver::Opaque => self.chained = Some(expression.id()),
        }
        Some(chain)
    }

    fn chain<'n>(&self, expression: Node<'n>) -> Option<Chain<'n>> {
        let fields = &self.grammar.fields;
        let name = match self.kind(expression) {
            Kind::Identifier => expression,
            Kind::Member => expression.child_by_field_id(fields.property)?,
            _ => return None,
        };
        let mut object = expression;
        for _ in 0..MAX_CHAIN {
            match self.kind(object) {
                Kind::Identifier | Kind::This => {
                    return Some(Chain::new(expression, name, Receiver::Names));
                }
                Kind::Member => object = object.child_by_field_id(fields.object)?,
                // `a!.b` refers to the same member as `a.b`.
                Kind::Wrapper if object.kind() == "non_null_expression" => {
                    object = object.named_child(0)?;
                }
                _ => break,
            }
        }
        Some(Chain::new(expression, name, Receiver::Opaque))
    }

    pub(super) fn decorator(&mut self, node: Node<'_>, depth: u32) {
        let Some(expression) = node.named_child(0) else {
            return;
        };
        if self.kind(expression) == Kind::Call {
            self.called = Some((expression.id(), ReferenceKind::Decorator));
        } else {
            self.refer_to(expression, ReferenceKind::Decorator);
        }
        if depth == self.collector.context.members_at {
            self.note_member_decorator(node);
        }
    }

    /// Enters `throw new X()`; the type of a thrown variable is unknown.
    pub(super) fn throw(&mut self, node: Node<'_>, depth: u32) {
        if let Some(thrown) = node.named_child(0).map(|thrown| self.unwrapped(thrown))
            && self.kind(thrown) == Kind::New
        {
            self.called = Some((thrown.id(), ReferenceKind::Raise));
        }
        self.collector
            .within(depth, |context| context.message = Some(MessageKind::Error));
    }

    /// Records the type in `error instanceof X` inside a `catch`.
    pub(super) fn binary(&mut self, node: Node<'_>) {
        if !self.collector.context.in_catch {
            return;
        }
        let operator = node.child_by_field_id(self.grammar.fields.operator);
        if operator.is_some_and(|operator| operator.kind() == "instanceof") {
            self.caught = node
                .child_by_field_id(self.grammar.fields.right)
                .map(|right| right.id());
        }
    }

    /// Adds the reference of `<Component …>` to the component; `<div …>` refers to nothing.
    pub(super) fn jsx(&mut self, node: Node<'_>) {
        let Some(name) = node.child_by_field_id(self.grammar.fields.name) else {
            return;
        };
        let is_intrinsic = self.kind(name) == Kind::Identifier
            && self
                .collector
                .of(name)
                .starts_with(|c: char| c.is_ascii_lowercase());
        if is_intrinsic {
            self.collector.skip_to(name.end_byte());
        } else {
            self.refer_to(name, ReferenceKind::Call);
        }
    }

    /// Binds the names directly in a pattern or parameter list. A bound name shadows itself and needs no
    /// skipping.
    pub(super) fn bind_pattern(&mut self, node: Node<'_>) {
        if self.collector.is_skipped(node.start_byte()) {
            return;
        }
        let fields = &self.grammar.fields;
        let direct = match node.kind() {
            "pair_pattern" => node.child_by_field_id(fields.value),
            "assignment_pattern" | "object_assignment_pattern" => {
                let value = node.child_by_field_id(fields.right);
                self.read = value.map_or(Span::default(), span);
                node.child_by_field_id(fields.left)
            }
            _ => {
                let mut cursor = node.walk();
                for child in node.named_children(&mut cursor) {
                    if self.kind(child) == Kind::Identifier {
                        self.collector.bind(child);
                    }
                }
                return;
            }
        };
        if let Some(name) = direct.filter(|name| self.kind(*name) == Kind::Identifier) {
            self.collector.bind(name);
        }
    }

    /// Binds TypeScript's parameters; one with `private` or the like is also a field.
    pub(super) fn typed_parameter(&mut self, node: Node<'_>) {
        let Some(pattern) = node.child_by_field_id(self.grammar.fields.pattern) else {
            return;
        };
        self.collector.bind_to(pattern.end_byte());
        // `@Inject(Token) private name: Type`.
        self.read = Span::new(node.start_byte(), pattern.start_byte());
        if let Some(class) = self.collector.context.constructs {
            self.parameter_property(class, node, pattern);
        }
    }

    /// Binds `T` of `f<T>()` in `f`.
    pub(super) fn type_parameter(&mut self, node: Node<'_>) {
        if let Some(name) = node.child_by_field_id(self.grammar.fields.name) {
            let scope = std::mem::replace(&mut self.collector.context.scope, Scope::Function);
            self.collector.bind(name);
            self.collector.context.scope = scope;
            self.collector.skip_to(name.end_byte());
        }
    }
}

//! Collects Python references: calls, attributes, types, bases, decorators, raised and caught exceptions.
//! Also finds the string literals that are messages.
//!
//! `super().m` is recorded with `super().m` as its path and a plain receiver: the path alone tells where to
//! look it up.

use std::ops::Range;

use foveate_model::{MessageKind, ReferenceKind, Span};
use tree_sitter::Node;

use super::super::RULES;
use super::definitions::is_receiver;
use super::{Kind, Walker};
use crate::collect::{Chain, Position, Receiver, span};
use crate::messages;
use crate::syntax::Descend;

/// Maximum number of links of a chain that are followed to its start.
const MAX_CHAIN: usize = 64;
/// Maximum number of nodes around a literal in an annotation that are examined.
const MAX_TYPE_DEPTH: usize = 8;

impl Walker<'_> {
    /// Adds a name on its own.
    pub(super) fn identifier(&mut self, node: Node<'_>) -> Descend {
        let start = node.start_byte();
        if self.collector.is_skipped(start) {
            return Descend::Past;
        }
        if self.collector.is_bound(start) {
            self.collector.bind(node);
            return Descend::Past;
        }
        let position = self.collector.context.position;
        if position != Position::Type || !is_builtin_type(self.collector.of(node)) {
            let kind = position.reference(ReferenceKind::Name);
            self.collector.refer(kind, node);
        }
        Descend::Past
    }

    /// Adds `a.b` that is not called.
    pub(super) fn attribute(&mut self, node: Node<'_>) -> Descend {
        if self.collector.is_skipped(node.start_byte()) {
            return Descend::Past;
        }
        if self.chained == Some(node.id()) {
            self.chained = None;
            return Descend::Into;
        }
        let position = self.collector.context.position;
        self.refer_to(node, position.reference(ReferenceKind::Attribute));
        if self.collector.is_skipped(node.start_byte()) {
            return Descend::Past;
        }
        self.chained = None;
        Descend::Into
    }

    pub(super) fn call(&mut self, node: Node<'_>, depth: u32) {
        let Some(function) = node.child(0) else {
            return;
        };
        let kind = match self.called.take() {
            Some((id, kind)) if id == node.id() => kind,
            _ => ReferenceKind::Call,
        };
        let chain = self.refer_to(function, kind);
        if let Some(chain) = &chain {
            self.quoted_arguments(node, self.collector.of(chain.name));
        }
        let callee = chain.map(|chain| (span(chain.name), chain.path));
        self.dynamic_import(node, function);
        self.collector.enter_call(depth, callee, messages::of_call);
    }

    /// Adds a reference for an `expression` that ends in a name, and skips the names in it.
    fn refer_to<'n>(&mut self, expression: Node<'n>, kind: ReferenceKind) -> Option<Chain<'n>> {
        let chain = self.chain(expression)?;
        let is_super = self.collector.of(expression) == "super";
        if !is_super {
            self.collector
                .refer_through(kind, chain.name, chain.path, chain.receiver);
        }
        match chain.receiver {
            Receiver::Names => self.collector.skip_to(expression.end_byte()),
            Receiver::Opaque => self.chained = Some(expression.id()),
        }
        Some(chain)
    }

    fn chain<'n>(&self, expression: Node<'n>) -> Option<Chain<'n>> {
        let name = match self.kind(expression) {
            Kind::Identifier => expression,
            Kind::Attribute => self.get(expression, self.grammar.fields.attribute)?,
            _ => return None,
        };
        let mut object = expression;
        for _ in 0..MAX_CHAIN {
            match self.kind(object) {
                Kind::Identifier => {
                    return Some(Chain::new(expression, name, Receiver::Names));
                }
                Kind::Attribute => object = object.child(0)?,
                Kind::Call => {
                    object = object.child(0)?;
                    if self.collector.of(object) != "super" {
                        break;
                    }
                }
                _ => break,
            }
        }
        Some(Chain::new(expression, name, Receiver::Opaque))
    }

    /// Adds `Generic[T]`: a type in type positions, a base among bases, followed by type arguments.
    pub(super) fn subscript(&mut self, node: Node<'_>, depth: u32) {
        let position = self.collector.context.position;
        if position == Position::Value {
            return;
        }
        if let Some(value) = node.child(0) {
            self.refer_to(value, position.reference(ReferenceKind::Type));
        }
        self.collector.enter_position(depth, Position::Type);
    }

    /// Adds the types of a string literal that is an annotation: `"list[a.Color]"`.
    pub(super) fn quoted_type(&mut self, literal: Node<'_>) {
        let is_type = self.collector.context.position == Position::Type;
        if is_type && !self.is_value_in_type(literal) {
            self.types_in_quotes(literal);
        }
    }

    /// Adds the types in the strings of `cast("Color", x)` and `TypeVar("T", bound="Color")`.
    fn quoted_arguments(&mut self, call: Node<'_>, callee: &str) {
        let list = self.get(call, self.grammar.fields.arguments);
        let argument = list.and_then(|list| match callee {
            "cast" => list.named_child(0),
            "TypeVar" => self.keyword_argument(list, "bound"),
            _ => None,
        });
        if let Some(literal) = argument.filter(|argument| self.kind(*argument) == Kind::Text) {
            self.types_in_quotes(literal);
        }
    }

    /// Returns the value of an argument that is passed by name.
    fn keyword_argument<'n>(&self, list: Node<'n>, wanted: &str) -> Option<Node<'n>> {
        let mut cursor = list.walk();
        let mut arguments = list.named_children(&mut cursor);
        let found = arguments.find(|argument| {
            self.kind(*argument) == Kind::KeywordArgument
                && self
                    .get(*argument, self.grammar.fields.name)
                    .is_some_and(|name| self.collector.of(name) == wanted)
        });
        found?.child_by_field_name("value")
    }

    /// Adds the types that a string literal names, if it is one as in an annotation.
    fn types_in_quotes(&mut self, literal: Node<'_>) {
        if !self.collector.of(literal).starts_with(['"', '\'']) {
            return;
        }
        let place = self.collector.inside_quotes(literal);
        let start = place.start as usize;
        let written = place.of(self.collector.text);
        for Range { start: from, end } in types_in(written) {
            let path = written.get(from..end).unwrap_or("");
            let last = path.rfind('.').map_or(from, |dot| from + dot + 1);
            if !is_builtin_type(path) {
                self.collector.refer_at(
                    ReferenceKind::Type,
                    Span::new(start + last, start + end),
                    Span::new(start + from, start + end),
                );
            }
        }
    }

    /// Whether a string literal in an annotation is a value: an argument of `Literal`, or one of `Annotated`
    /// after the first.
    fn is_value_in_type(&self, literal: Node<'_>) -> bool {
        let mut around = literal.parent();
        for _ in 0..MAX_TYPE_DEPTH {
            let Some(node) = around else {
                break;
            };
            if matches!(node.kind(), "generic_type" | "subscript")
                && let Some(name) = node.child(0)
            {
                let before = Span::new(name.end_byte(), literal.start_byte());
                let before = before.of(self.collector.text);
                match self.collector.of(name).rsplit('.').next() {
                    Some("Literal") => return true,
                    Some("Annotated") if before.contains(',') => return true,
                    _ => {}
                }
            }
            around = node.parent();
        }
        false
    }

    pub(super) fn decorator(&mut self, node: Node<'_>) {
        if let Some(expression) = node.named_child(0) {
            self.refer_or_call(expression, ReferenceKind::Decorator);
        }
    }

    pub(super) fn raise(&mut self, node: Node<'_>, depth: u32) {
        if let Some(expression) = node.named_child(0) {
            self.refer_or_call(expression, ReferenceKind::Raise);
        }
        self.collector
            .within(depth, |context| context.message = Some(MessageKind::Error));
    }

    fn refer_or_call(&mut self, expression: Node<'_>, kind: ReferenceKind) {
        match self.kind(expression) {
            Kind::Call => self.called = Some((expression.id(), kind)),
            // The class that `raise error` raises depends on the variable.
            Kind::Identifier
                if kind == ReferenceKind::Raise
                    && self
                        .collector
                        .of(expression)
                        .starts_with(char::is_lowercase) => {}
            _ => {
                self.refer_to(expression, kind);
            }
        }
    }

    /// Adds the types of `except A`, `except (A, b.B) as e`.
    pub(super) fn except(&mut self, node: Node<'_>) {
        let mut cursor = node.walk();
        let Some(mut caught) = node
            .named_children(&mut cursor)
            .find(|child| self.kind(*child) != Kind::Comment && child.kind() != "block")
        else {
            return;
        };
        if self.kind(caught) == Kind::AsPattern {
            caught = caught.named_child(0).unwrap_or(caught);
        }
        if self.kind(caught) == Kind::Tuple {
            let mut cursor = caught.walk();
            for one in caught.named_children(&mut cursor) {
                self.refer_to(one, ReferenceKind::Catch);
            }
        } else {
            self.refer_to(caught, ReferenceKind::Catch);
        }
        // `except A as e`, where the grammar has a field for the alias.
        if let Some(alias) = self.get(node, self.grammar.fields.alias)
            && self.kind(alias) == Kind::Identifier
        {
            self.collector.bind_to(alias.end_byte());
        }
    }

    /// Binds parameters; defaults and annotations are read.
    pub(super) fn parameters(&mut self, node: Node<'_>) {
        self.fixtures(node);
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match self.kind(child) {
                Kind::Identifier => self.collector.bind(child),
                Kind::Plain if child.kind().ends_with("splat_pattern") => {
                    if let Some(name) = child.named_child(0) {
                        self.collector.bind(name);
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds references to the fixtures after which the parameters of a test, or of another fixture, are named.
    fn fixtures(&mut self, list: Node<'_>) {
        let function = self.collector.context.enclosing;
        let function = function.and_then(|id| self.collector.definition(id));
        let takes_fixtures = function.is_some_and(|function| RULES.takes_fixtures(function));
        // The parameters of a lambda are none of its function's.
        if !takes_fixtures || list.kind() != "parameters" {
            return;
        }
        let mut cursor = list.walk();
        for child in list.named_children(&mut cursor) {
            // A parameter with a default value is no fixture.
            let has_default = child.child_by_field_name("value").is_some();
            let name = match self.kind(child) {
                _ if has_default => None,
                Kind::Identifier => Some(child),
                Kind::TypedParameter => child.child(0),
                _ => None,
            };
            let name = name.filter(|name| self.kind(*name) == Kind::Identifier);
            if let Some(name) = name.filter(|name| !is_receiver(self.collector.of(*name))) {
                self.collector.refer_by_parameter(name);
            }
        }
    }

    /// Handles a name in a `match` pattern: `Color.RED` is read, `x` is bound.
    pub(super) fn pattern_name(&mut self, node: Node<'_>) -> Descend {
        let last = u32::try_from(node.named_child_count()).unwrap_or(0);
        match (
            last.checked_sub(1).and_then(|at| node.named_child(at)),
            last,
        ) {
            (Some(name), 1) => {
                let is_class = self.collector.of(name).starts_with(char::is_uppercase);
                match is_class {
                    true => self.collector.refer(ReferenceKind::Name, name),
                    false => self.collector.bind(name),
                }
            }
            (Some(name), 2..) => self.collector.refer_through(
                ReferenceKind::Attribute,
                name,
                span(node),
                Receiver::Names,
            ),
            _ => {}
        }
        Descend::Past
    }
}

/// Returns the ranges of the dotted names in a quoted annotation; none if the text is not an annotation.
fn types_in(annotation: &str) -> Vec<Range<usize>> {
    let (mut found, mut start) = (Vec::new(), None);
    let mut is_separated = true;
    let end = (annotation.len(), ' ');
    for (at, c) in annotation.char_indices().chain([end]) {
        if c.is_alphanumeric() || matches!(c, '_' | '.') {
            if start.is_none() && !is_separated {
                return Vec::new();
            }
            start = start.or(Some(at));
            continue;
        }
        if let Some(start) = start.take() {
            found.push(start..at);
            is_separated = false;
        }
        match c {
            ' ' => {}
            '[' | ']' | ',' | '|' => is_separated = true,
            _ => return Vec::new(),
        }
    }
    let is_name = |place: &Range<usize>| {
        let path = annotation.get(place.clone()).unwrap_or("");
        path.starts_with(|c: char| c.is_alphabetic() || c == '_') && !path.ends_with('.')
    };
    found.retain(is_name);
    found
}

/// Whether a type belongs to the language itself, so that no file of a repository defines it.
fn is_builtin_type(name: &str) -> bool {
    [
        "str", "int", "float", "bool", "bytes", "object", "list", "dict", "set", "tuple", "type",
        "None", "Any",
    ]
    .contains(&name)
}

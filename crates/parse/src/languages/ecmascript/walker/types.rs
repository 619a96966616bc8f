//! Reads written types: the types whose members they have, and the types that object literals are stated to have, by the
//! variable that holds the literal, by the function that returns it, or by `satisfies`.

use foveate_model::ReferenceKind;
use tree_sitter::Node;

use super::{Kind, Walker};

/// Types that have members of their first argument.
const WITH_MEMBERS: [&str; 5] = ["Omit", "Partial", "Pick", "Readonly", "Required"];
/// Types that hold the result of an asynchronous function.
const RESULTS: [&str; 2] = ["Promise", "PromiseLike"];

impl Walker<'_> {
    /// Returns the types whose members a type has: `A` and `{…}` of `Readonly<Omit<A, 'b'>> & {…}`.
    pub(super) fn parts_of_type<'n>(&self, written: Node<'n>) -> Vec<Node<'n>> {
        let mut parts = Vec::new();
        let mut waiting = vec![written];
        while let Some(part) = waiting.pop() {
            match part.kind() {
                "intersection_type" | "parenthesized_type" => {
                    let mut cursor = part.walk();
                    let inner: Vec<Node<'n>> = part.named_children(&mut cursor).collect();
                    waiting.extend(inner.into_iter().rev());
                }
                _ => match self.argument_of(part, &WITH_MEMBERS) {
                    Some(argument) => waiting.push(argument),
                    None => parts.push(part),
                },
            }
        }
        parts
    }

    /// Returns the object types among the types whose members a type has.
    pub(super) fn object_types(&self, written: Node<'_>) -> impl Iterator<Item = usize> {
        let parts = self.parts_of_type(written).into_iter();
        let objects = parts.filter(move |part| self.kind(*part) == Kind::ObjectType);
        objects.map(|object| object.id())
    }

    /// Returns the first argument of a type with one of these names: `A` of `Omit<A, 'b'>`.
    fn argument_of<'n>(&self, written: Node<'n>, names: &[&str]) -> Option<Node<'n>> {
        let name = self.name_of_generic(written)?;
        let arguments = written.named_child(1)?;
        match names.contains(&self.collector.of(name)) {
            true => arguments.named_child(0),
            false => None,
        }
    }

    fn name_of_generic<'n>(&self, written: Node<'n>) -> Option<Node<'n>> {
        match written.kind() {
            "generic_type" => written.child_by_field_id(self.grammar.fields.name),
            _ => None,
        }
    }

    /// Notes the type that a variable with an object literal is declared with: the literal implements it.
    pub(super) fn note_type_of_object(&mut self, declarator: Node<'_>, value: Node<'_>) {
        let annotation = declarator.child_by_field_id(self.grammar.fields.r#type);
        if self.kind(value) == Kind::Object {
            self.implements(annotation.and_then(|annotation| annotation.named_child(0)));
        }
    }

    /// Notes the type of the object literal in `{…} satisfies A`.
    pub(super) fn note_satisfied(&mut self, wrapper: Node<'_>) {
        if wrapper.kind() == "satisfies_expression"
            && self.kind(self.unwrapped(wrapper)) == Kind::Object
        {
            let mut cursor = wrapper.walk();
            let stated = wrapper.named_children(&mut cursor).last();
            self.implements(stated);
        }
    }

    /// Notes the type that a function is stated to return if it ends in an object literal.
    pub(super) fn note_returned_object(&mut self, function: Node<'_>) {
        let fields = &self.grammar.fields;
        let annotation = function.child_by_field_id(fields.return_type);
        let stated = annotation.and_then(|annotation| annotation.named_child(0));
        let (Some(stated), Some(body)) = (stated, function.child_by_field_id(fields.body)) else {
            return;
        };
        let value = match body.kind() {
            "statement_block" => self.returned_at_the_end(body),
            _ => Some(body),
        };
        let stated = self.argument_of(stated, &RESULTS).unwrap_or(stated);
        let is_object = value.is_some_and(|value| self.kind(self.unwrapped(value)) == Kind::Object);
        if is_object && !self.is_type_parameter(function, stated) {
            self.implements(Some(stated));
        }
    }

    /// Whether a type is a type parameter of a function: `T` in `make<T>(): T`.
    fn is_type_parameter(&self, function: Node<'_>, written: Node<'_>) -> bool {
        let fields = &self.grammar.fields;
        let Some(parameters) = function.child_by_field_id(fields.type_parameters) else {
            return false;
        };
        let mut cursor = parameters.walk();
        parameters
            .named_children(&mut cursor)
            .filter_map(|parameter| parameter.child_by_field_id(fields.name))
            .any(|name| self.collector.of(name) == self.collector.of(written))
    }

    fn returned_at_the_end<'n>(&self, block: Node<'n>) -> Option<Node<'n>> {
        let mut cursor = block.walk();
        let statements = block.named_children(&mut cursor);
        let last = statements
            .filter(|statement| self.kind(*statement) != Kind::Comment)
            .last()?;
        match last.kind() {
            "return_statement" => last.named_child(0),
            _ => None,
        }
    }

    /// Notes a type that an object literal implements: a reference by its name is one to a base.
    fn implements(&mut self, stated: Option<Node<'_>>) {
        let name = stated.and_then(|stated| self.name_of_generic(stated).or(Some(stated)));
        self.implemented.extend(name.map(|name| name.id()));
    }

    /// Returns the kind of a reference by the name of a type.
    pub(super) fn type_kind(&mut self, name: Node<'_>) -> ReferenceKind {
        if !self.implemented.is_empty() && self.implemented.remove(&name.id()) {
            return ReferenceKind::Base;
        }
        let position = self.collector.context.position;
        position.reference(ReferenceKind::Type)
    }
}

//! Collects classes, interfaces and enums with their members.

use std::collections::HashSet;

use foveate_model::{DefinitionKind, LocalId, Span, Visibility};
use tree_sitter::Node;

use super::definitions::inside_function;
use super::imports::empty;
use super::{Kind, Walker};
use crate::collect::{Context, Draft, Scope, span};

impl<'t> Walker<'t> {
    /// Adds a class declaration or expression.
    pub(super) fn class(&mut self, node: Node<'_>, depth: u32) {
        self.skip_class_name(node);
        if self.is_claimed(node) {
            return;
        }
        let outer = self.outer_of(node);
        let (text, name_span) = match node.child_by_field_id(self.grammar.fields.name) {
            Some(name) => (self.collector.of(name), span(name)),
            None if outer.is_default => ("default", empty(node)),
            None => return,
        };
        let mut draft = Draft::new(text, DefinitionKind::Class, outer.span, name_span);
        draft.own_start = Some(span(node).start);
        draft.decorators = outer.decorators;
        draft.modifiers.is_exported = outer.is_exported;
        draft.modifiers.is_default_export = outer.is_default;
        self.define_class(self.collector.context.parent, draft, node, depth);
    }

    /// Marks the name of a class as handled, but not the arguments of decorators that precede it.
    fn skip_class_name(&mut self, class: Node<'_>) {
        let first = class.child(0).map(|first| self.kind(first));
        if first == Some(Kind::Decorator) {
            let name = class.child_by_field_id(self.grammar.fields.name);
            self.class_name = name.map(|name| name.id());
        } else {
            self.collector.skip_field(class, self.grammar.fields.name);
        }
    }

    /// Adds the class of `const A = class {}`.
    pub(super) fn define_bound_class(&mut self, mut draft: Draft<'t>, class: Node<'_>, depth: u32) {
        draft.kind = DefinitionKind::Class;
        self.define_class(self.collector.context.parent, draft, class, depth);
        self.claimed = Some(class.id());
    }

    pub(super) fn define_class(
        &mut self,
        parent: Option<LocalId>,
        mut draft: Draft<'t>,
        class: Node<'_>,
        depth: u32,
    ) -> LocalId {
        let body = class.child_by_field_id(self.grammar.fields.body);
        draft.body = body.map(span);
        draft.signature_end = body.map_or(class.end_byte(), |body| body.start_byte());
        draft.bases = self.bases(class);
        draft.decorators.extend(self.decorators_of(class));
        draft.modifiers.is_abstract = class.kind().starts_with("abstract");
        let id = self.define(parent, draft);
        self.collector.within(depth, inside_type(id));
        id
    }

    /// Returns bases and implemented interfaces as written, without type arguments: `A` of `Omit<A, 'b'>`.
    fn bases(&self, class: Node<'_>) -> Vec<Box<str>> {
        let mut bases = Vec::new();
        let mut cursor = class.walk();
        for heritage in class
            .named_children(&mut cursor)
            .filter(|c| self.kind(*c) == Kind::Heritage)
        {
            let mut cursor = heritage.walk();
            for part in heritage.named_children(&mut cursor) {
                if matches!(part.kind(), "extends_clause" | "implements_clause") {
                    let mut cursor = part.walk();
                    let parts = part.named_children(&mut cursor);
                    let types = parts.flat_map(|base| self.parts_of_type(base));
                    bases.extend(types.filter_map(|base| self.base_name(base)));
                } else {
                    let types = self.parts_of_type(part).into_iter();
                    bases.extend(types.filter_map(|base| self.base_name(base)));
                }
            }
        }
        bases
    }

    fn base_name(&self, base: Node<'_>) -> Option<Box<str>> {
        let fields = &self.grammar.fields;
        let named = match self.kind(base) {
            Kind::Comment | Kind::TypeArguments | Kind::ObjectType => return None,
            Kind::Call => base.child_by_field_id(fields.function)?,
            _ if base.kind() == "generic_type" => base.child_by_field_id(fields.name)?,
            _ => base,
        };
        Some(self.collector.of(named).into())
    }

    fn decorators_of(&self, node: Node<'_>) -> Vec<Box<str>> {
        let mut cursor = node.walk();
        node.named_children(&mut cursor)
            .filter(|child| self.kind(*child) == Kind::Decorator)
            .filter_map(|decorator| self.decorator_name(decorator))
            .collect()
    }

    /// Returns `Component` for `@Component({…})`.
    pub(super) fn decorator_name(&self, decorator: Node<'_>) -> Option<Box<str>> {
        let written = decorator.named_child(0)?;
        let name = match self.kind(written) {
            Kind::Call => written.child_by_field_id(self.grammar.fields.function)?,
            _ => written,
        };
        Some(self.collector.of(name).into())
    }

    /// Keeps a decorator that precedes its member as a sibling until the member is visited.
    pub(super) fn note_member_decorator(&mut self, decorator: Node<'_>) {
        if let Some(name) = self.decorator_name(decorator) {
            let (_, names) = self
                .member_decorators
                .get_or_insert_with(|| (decorator.start_byte(), Vec::new()));
            names.push(name);
        }
    }

    /// Creates the draft of a member, including the decorators before or in it.
    fn member_draft(&mut self, node: Node<'_>, name: Node<'_>, kind: DefinitionKind) -> Draft<'t> {
        let (start, mut decorators) = self
            .member_decorators
            .take()
            .unwrap_or((node.start_byte(), Vec::new()));
        decorators.extend(self.decorators_of(node));
        let place = Span::new(start.min(node.start_byte()), node.end_byte());
        let text = self.plain_name(name);
        let mut draft = Draft::new(text, kind, place, span(name));
        draft.own_start = Some(span(node).start);
        draft.decorators = decorators;
        let mut cursor = node.walk();
        for child in node
            .children(&mut cursor)
            .take_while(|child| child.id() != name.id())
        {
            match child.kind() {
                "static" => draft.modifiers.is_static = true,
                "abstract" => draft.modifiers.is_abstract = true,
                "get" | "set" | "accessor" => draft.modifiers.is_property = true,
                "accessibility_modifier" => draft.visibility = visibility(self.collector.of(child)),
                _ => {}
            }
        }
        draft
    }

    /// Adds a method of a class or of an object literal.
    pub(super) fn method(&mut self, node: Node<'_>, depth: u32) {
        let Some(name) = node.child_by_field_id(self.grammar.fields.name) else {
            return;
        };
        self.note_returned_object(node);
        let mut draft = self.member_draft(node, name, DefinitionKind::Method);
        self.fill_function(&mut draft, node);
        let Context {
            parent,
            scope,
            is_exports,
            ..
        } = self.collector.context;
        let is_constructor = scope == Scope::Class && draft.name == "constructor";
        draft.modifiers.is_constructor = is_constructor;
        draft.modifiers.is_exported = is_exports;
        let id = self.define(parent, draft);
        let constructs = parent.filter(|_| is_constructor);
        self.collector
            .within(depth, inside_function(id, constructs));
    }

    /// Adds a method of an interface, an abstract one, or an overload.
    pub(super) fn signature(&mut self, node: Node<'_>, depth: u32) {
        if !self.collector.context.has_members {
            return;
        }
        let Some(name) = node.child_by_field_id(self.grammar.fields.name) else {
            return;
        };
        let mut draft = self.member_draft(node, name, DefinitionKind::Method);
        self.fill_function(&mut draft, node);
        draft.modifiers.is_abstract |= node.kind().starts_with("abstract");
        draft.modifiers.is_constructor = draft.name == "constructor";
        let id = self.define(self.collector.context.parent, draft);
        self.collector.within(depth, inside_function(id, None));
    }

    /// Adds a field of a class; a field that holds a function is a method.
    pub(super) fn field(&mut self, node: Node<'_>, depth: u32) {
        let fields = &self.grammar.fields;
        let name = node
            .child_by_field_id(fields.property)
            .or_else(|| node.child_by_field_id(fields.name));
        let Some(name) = name else {
            return;
        };
        let written = node.child_by_field_id(fields.value);
        let mut draft = self.member_draft(node, name, DefinitionKind::Field);
        let value = written.map(|written| self.unwrapped(written));
        if let Some(function) = value.and_then(|value| self.wrapped_function(value)) {
            draft.kind = DefinitionKind::Method;
            self.define_bound_function(draft, function, depth);
            return;
        }
        draft.body = written.map(span);
        draft.signature_end = written
            .and_then(|value| value.prev_sibling())
            .map_or(node.end_byte(), |equals| equals.start_byte());
        let parent = self.collector.context.parent;
        if let Some(id) = self.collector.define_once(parent, draft) {
            self.collector
                .within(depth, |context| context.parent = Some(id));
        }
    }

    /// Adds a field of an interface or of a named object type.
    pub(super) fn property_signature(&mut self, node: Node<'_>) {
        let name = node.child_by_field_id(self.grammar.fields.name);
        if let (true, Some(name)) = (self.collector.context.has_members, name) {
            let draft = self.member_draft(node, name, DefinitionKind::Field);
            let parent = self.collector.context.parent;
            self.collector.define_once(parent, draft);
        }
    }

    /// Adds the field of `constructor(private x: X)`.
    pub(super) fn parameter_property(&mut self, class: LocalId, node: Node<'_>, pattern: Node<'_>) {
        let mut cursor = node.walk();
        let mut is_property = false;
        let mut access = None;
        for child in node.children(&mut cursor) {
            match child.kind() {
                "accessibility_modifier" => {
                    is_property = true;
                    access = visibility(self.collector.of(child));
                }
                "readonly" | "override_modifier" => is_property = true,
                _ => {}
            }
        }
        if is_property && self.kind(pattern) == Kind::Identifier {
            let name = self.collector.of(pattern);
            let mut draft = Draft::new(name, DefinitionKind::Field, span(node), span(pattern));
            draft.visibility = access;
            self.collector.define_once(Some(class), draft);
        }
    }

    pub(super) fn interface(&mut self, node: Node<'_>, depth: u32) {
        let Some(name) = node.child_by_field_id(self.grammar.fields.name) else {
            return;
        };
        let outer = self.outer_of(node);
        let text = self.collector.of(name);
        let mut draft = Draft::new(text, DefinitionKind::Interface, outer.span, span(name));
        draft.modifiers.is_exported = outer.is_exported;
        draft.modifiers.is_default_export = outer.is_default;
        self.collector.skip_to(name.end_byte());
        self.define_class(self.collector.context.parent, draft, node, depth);
        self.members_of = self.object_types_of_bases(node);
    }

    /// Returns the object types whose members an interface has by its bases: `interface A extends Readonly<{…}>`.
    fn object_types_of_bases(&self, interface: Node<'_>) -> HashSet<usize> {
        let mut found = HashSet::new();
        let mut cursor = interface.walk();
        let parts = interface.named_children(&mut cursor);
        for heritage in parts.filter(|part| self.kind(*part) == Kind::Heritage) {
            let mut cursor = heritage.walk();
            let bases = heritage.named_children(&mut cursor);
            found.extend(bases.flat_map(|base| self.object_types(base)));
        }
        found
    }

    pub(super) fn enumeration(&mut self, node: Node<'_>, depth: u32) {
        let Some(name) = node.child_by_field_id(self.grammar.fields.name) else {
            return;
        };
        let outer = self.outer_of(node);
        let text = self.collector.of(name);
        let mut draft = Draft::new(text, DefinitionKind::Enum, outer.span, span(name));
        draft.modifiers.is_exported = outer.is_exported;
        self.collector.skip_to(name.end_byte());
        self.define_class(self.collector.context.parent, draft, node, depth);
    }

    pub(super) fn enum_members(&mut self, body: Node<'_>) {
        let fields = &self.grammar.fields;
        let mut cursor = body.walk();
        for member in body.named_children(&mut cursor) {
            let value = member.child_by_field_id(fields.value);
            let name = match member.kind() {
                "enum_assignment" => member.child_by_field_id(fields.name),
                "property_identifier" | "string" => Some(member),
                _ => None,
            };
            let Some(name) = name else { continue };
            let text = self.plain_name(name);
            let mut draft = Draft::new(text, DefinitionKind::EnumMember, span(member), span(name));
            draft.body = value.map(span);
            draft.signature_end = name.end_byte();
            let parent = self.collector.context.parent;
            self.collector.define_in(parent, draft);
        }
    }
}

/// Sets the context in the head and body of a class or interface.
fn inside_type(id: LocalId) -> impl FnOnce(&mut Context) {
    move |context| {
        context.enclosing = Some(id);
        context.parent = Some(id);
        context.message = None;
        context.constructs = None;
    }
}

fn visibility(modifier: &str) -> Option<Visibility> {
    match modifier {
        "private" => Some(Visibility::Private),
        "protected" => Some(Visibility::Protected),
        "public" => Some(Visibility::Public),
        _ => None,
    }
}

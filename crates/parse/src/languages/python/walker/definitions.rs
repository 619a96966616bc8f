//! Collects Python definitions: functions, classes, module variables, class fields, and the fields that
//! methods assign.

use foveate_model::{DefinitionKind, LocalId, Modifiers, Span};
use tree_sitter::Node;

use super::super::documentation::docstring;
use super::{Kind, Walker};
use crate::collect::{Draft, Position, Scope, span};
use crate::syntax::inside_brackets;

impl<'t> Walker<'t> {
    /// Adds a definition with its `@decorators`: its span starts at the first one.
    pub(super) fn decorated(&mut self, node: Node<'_>, depth: u32) {
        let Some(inner) = self.get(node, self.grammar.fields.definition) else {
            return;
        };
        let decorators = self.decorator_names(node);
        match self.kind(inner) {
            Kind::Function => self.define_function(inner, node, decorators, depth),
            Kind::Class => self.define_class(inner, node, decorators, depth),
            _ => return,
        }
        self.wrapped = Some(inner.id());
    }

    pub(super) fn function(&mut self, node: Node<'_>, depth: u32) {
        if self.wrapped.take() != Some(node.id()) {
            self.define_function(node, node, Vec::new(), depth);
        }
        self.collector.skip_field(node, self.grammar.fields.name);
    }

    pub(super) fn class(&mut self, node: Node<'_>, depth: u32) {
        if self.wrapped.take() != Some(node.id()) {
            self.define_class(node, node, Vec::new(), depth);
        }
        // Not before: decorators precede the name, and their arguments are read.
        self.collector.skip_field(node, self.grammar.fields.name);
        self.base_list = self
            .get(node, self.grammar.fields.superclasses)
            .map(|list| list.id());
    }

    fn define_function(
        &mut self,
        node: Node<'_>,
        outer: Node<'_>,
        decorators: Vec<Box<str>>,
        depth: u32,
    ) {
        let fields = &self.grammar.fields;
        let Some(name) = self.get(node, fields.name) else {
            return;
        };
        let body = self.get(node, fields.body);
        let in_class = matches!(self.collector.context.scope, Scope::Class | Scope::Enum);
        let kind = if in_class {
            DefinitionKind::Method
        } else {
            DefinitionKind::Function
        };
        let text = self.collector.of(name);
        let last_names = || decorators.iter().map(|d| d.rsplit('.').next().unwrap_or(d));
        let has = |wanted: &[&str]| last_names().any(|name| wanted.contains(&name));
        let modifiers = Modifiers {
            is_async: self.collector.of(node).starts_with("async"),
            is_static: has(&["staticmethod", "classmethod"]),
            is_abstract: has(&["abstractmethod", "abstractproperty"]),
            is_overload: has(&["overload"]),
            is_constructor: in_class && matches!(text, "__init__" | "__new__"),
            is_property: has(&[
                "property", "cached_property", "setter", "getter", "abstractproperty",
            ]),
            ..Modifiers::default()
        };
        let list = self.get(node, fields.parameters);
        let has_receiver = list.is_some_and(|list| self.has_receiver(list));
        let parameters = list.map(|list| inside_brackets(list));
        let fills_fields = in_class && has_receiver;
        let constructs = self.collector.context.parent.filter(|_| fills_fields);
        let id = self.define_block(
            Draft {
                signature_end: head_end(node, body),
                parameters,
                body: body.map(span),
                decorators,
                modifiers,
                ..Draft::new(text, kind, span(outer), span(name))
            },
            body,
        );
        self.collector.within(depth, |context| {
            context.enclosing = Some(id);
            context.parent = Some(id);
            context.scope = Scope::Function;
            context.position = Position::Value;
            context.message = None;
            context.constructs = constructs;
        });
    }

    /// Whether the first parameter of a list is `self` or `cls`.
    fn has_receiver(&self, list: Node<'_>) -> bool {
        let mut cursor = list.walk();
        let first = list
            .named_children(&mut cursor)
            .find(|child| self.kind(*child) != Kind::Comment);
        let name = match first.map(|first| self.kind(first)) {
            Some(Kind::TypedParameter) => first.and_then(|first| first.child(0)),
            _ => first,
        };
        name.is_some_and(|name| is_receiver(self.collector.of(name)))
    }

    fn define_class(
        &mut self,
        node: Node<'_>,
        outer: Node<'_>,
        decorators: Vec<Box<str>>,
        depth: u32,
    ) {
        let fields = &self.grammar.fields;
        let Some(name) = self.get(node, fields.name) else {
            return;
        };
        let body = self.get(node, fields.body);
        let bases = self.base_names(node);
        let is_enum = bases.iter().any(|base| {
            let last = base.rsplit('.').next().unwrap_or(base);
            last.ends_with("Enum") || last.ends_with("Flag") || last.ends_with("Choices")
        });
        let is_abstract = bases
            .iter()
            .any(|base| matches!(base.rsplit('.').next(), Some("ABC")));
        let kind = match is_enum {
            true => DefinitionKind::Enum,
            false => DefinitionKind::Class,
        };
        let id = self.define_block(
            Draft {
                signature_end: head_end(node, body),
                body: body.map(span),
                bases,
                decorators,
                modifiers: Modifiers {
                    is_abstract,
                    ..Modifiers::default()
                },
                ..self.collector.draft(kind, span(outer), name)
            },
            body,
        );
        self.collector.within(depth, |context| {
            context.enclosing = Some(id);
            context.parent = Some(id);
            context.scope = if is_enum { Scope::Enum } else { Scope::Class };
            context.position = Position::Value;
            context.message = None;
            context.constructs = None;
        });
    }

    /// Adds a definition with a block, which may begin with a docstring.
    fn define_block(&mut self, mut draft: Draft<'t>, body: Option<Node<'_>>) -> LocalId {
        if let Some(literal) = body.and_then(|body| self.docstring(body)) {
            self.docstring_at = literal.start_byte();
            draft.doc = Some(docstring(self.collector.of(literal)));
        }
        self.collector.define(draft)
    }

    /// Handles an assignment. Module variables, class fields, and `self.x` in a method are definitions;
    /// elsewhere it binds names.
    pub(super) fn assignment(&mut self, node: Node<'_>, depth: u32) {
        let fields = &self.grammar.fields;
        let Some(left) = self.get(node, fields.left) else {
            return;
        };
        let value = self.get(node, fields.right);
        self.collector.bind_to(left.end_byte());
        let assigned = AssignmentParts {
            span: span(node),
            annotation: self.get(node, fields.r#type),
            value,
        };
        self.targets(left, &assigned, depth);
        if let (Scope::Module, "__all__", Some(value)) =
            (self.collector.context.scope, self.collector.of(left), value)
        {
            self.export_all(value);
        }
    }

    fn targets(&mut self, left: Node<'_>, assigned: &AssignmentParts<'_>, depth: u32) {
        match self.kind(left) {
            Kind::Identifier => self.target(left, assigned, depth),
            Kind::Attribute => self.own_field(left, assigned),
            // `a, b = …` and `(a, [b, *c]) = …`: the text decides how deep these nest, and names more than
            // one level down are not used in practice.
            _ if left.kind().contains("pattern") => {
                let mut cursor = left.walk();
                for child in left.named_children(&mut cursor) {
                    match self.kind(child) {
                        Kind::Identifier => self.target(child, assigned, depth),
                        Kind::Attribute if self.is_in_constructor() => {
                            self.own_field(child, assigned);
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn target(&mut self, name: Node<'_>, assigned: &AssignmentParts<'_>, depth: u32) {
        let text = self.collector.of(name);
        let lambda = assigned
            .value
            .filter(|value| self.kind(*value) == Kind::Lambda);
        let kind = match self.collector.context.scope {
            Scope::Function => return,
            Scope::Enum if is_member(text, assigned, lambda) => DefinitionKind::EnumMember,
            Scope::Class | Scope::Enum => match lambda {
                Some(_) => DefinitionKind::Method,
                None => DefinitionKind::Field,
            },
            Scope::Module if lambda.is_some() => DefinitionKind::Function,
            Scope::Module if self.is_type_alias(assigned) => DefinitionKind::TypeAlias,
            Scope::Module if is_constant_name(text) => DefinitionKind::Constant,
            Scope::Module => DefinitionKind::Variable,
        };
        let mut draft = Draft {
            body: assigned.value.map(span),
            signature_end: assigned.head_end(name),
            ..Draft::new(text, kind, assigned.span, span(name))
        };
        if let Some(lambda) = lambda {
            let body = self.get(lambda, self.grammar.fields.body);
            draft.parameters = Some(
                self.get(lambda, self.grammar.fields.parameters)
                    .map_or(Span::default(), span),
            );
            draft.body = body.map(span);
            draft.signature_end = body.map_or(draft.signature_end, |body| body.start_byte());
        }
        let parent = self.collector.context.parent;
        if let (Some(id), Some(_)) = (self.collector.define_once(parent, draft), lambda) {
            self.collector.within(depth, |context| {
                context.enclosing = Some(id);
                context.parent = Some(id);
                context.scope = Scope::Function;
            });
        }
    }

    /// Whether the current function is a constructor, all of whose assignments define fields. In other methods
    /// only those do that [`may_assign_fields`] sees in the text.
    fn is_in_constructor(&self) -> bool {
        let function = self.collector.context.parent;
        let function = function.and_then(|id| self.collector.definition(id));
        function.is_some_and(|function| fills_fields(&function.name))
    }

    /// Adds the field of `self.x = …` or `cls.x = …` in a method. The first assignment counts, which is mostly
    /// that of the constructor.
    fn own_field(&mut self, target: Node<'_>, assigned: &AssignmentParts<'_>) {
        let Some(class) = self.collector.context.constructs else {
            return;
        };
        let object = target.child(0);
        let is_own = object.is_some_and(|object| is_receiver(self.collector.of(object)));
        let Some(name) = self
            .get(target, self.grammar.fields.attribute)
            .filter(|_| is_own)
        else {
            return;
        };
        let draft = Draft {
            body: assigned.value.map(span),
            signature_end: assigned.head_end(target),
            ..self
                .collector
                .draft(DefinitionKind::Field, assigned.span, name)
        };
        self.collector.define_once(Some(class), draft);
    }

    /// Adds the alias of `type X = …`.
    pub(super) fn type_alias(&mut self, node: Node<'_>, depth: u32) {
        let fields = &self.grammar.fields;
        let mut name = self.get(node, fields.left);
        while let Some(inner) = name.filter(|n| self.kind(*n) != Kind::Identifier) {
            name = inner.child(0);
        }
        let scope = self.collector.context.scope;
        if let (Some(name), true) = (name, scope != Scope::Function) {
            let value = self.get(node, fields.right);
            let parent = self.collector.context.parent;
            let draft = Draft {
                body: value.map(span),
                signature_end: value.map_or(node.end_byte(), |value| before_equals(&value)),
                ..self
                    .collector
                    .draft(DefinitionKind::TypeAlias, span(node), name)
            };
            self.collector.define_once(parent, draft);
            self.collector.skip_to(name.end_byte());
        }
        self.collector.enter_position(depth, Position::Type);
    }

    fn is_type_alias(&self, assigned: &AssignmentParts<'_>) -> bool {
        let annotated = assigned.annotation.is_some_and(|annotation| {
            self.collector.of(annotation).rsplit('.').next() == Some("TypeAlias")
        });
        let callee = assigned
            .value
            .filter(|v| self.kind(*v) == Kind::Call)
            .and_then(|v| v.child(0));
        annotated
            || callee.is_some_and(|callee| {
                matches!(
                    self.collector.of(callee).rsplit('.').next(),
                    Some("NewType" | "TypeVar" | "ParamSpec" | "TypeAliasType")
                )
            })
    }

    fn decorator_names(&self, node: Node<'_>) -> Vec<Box<str>> {
        let mut cursor = node.walk();
        node.named_children(&mut cursor)
            .filter(|child| self.kind(*child) == Kind::Decorator)
            .filter_map(|decorator| decorator.named_child(0))
            .map(|written| self.without_arguments(written))
            .collect()
    }

    /// Returns base classes as written, without type arguments; keyword arguments are not bases.
    fn base_names(&self, class: Node<'_>) -> Vec<Box<str>> {
        let Some(list) = self.get(class, self.grammar.fields.superclasses) else {
            return Vec::new();
        };
        let mut cursor = list.walk();
        list.named_children(&mut cursor)
            .filter(|child| !matches!(self.kind(*child), Kind::Comment | Kind::KeywordArgument))
            .filter(|child| !child.kind().ends_with("splat"))
            .map(|base| self.without_arguments(base))
            .collect()
    }

    /// Returns `a.b` for `a.b`, `a.b(…)` and `a.b[…]`.
    fn without_arguments(&self, written: Node<'_>) -> Box<str> {
        let head = match self.kind(written) {
            Kind::Call | Kind::Subscript => written.child(0).unwrap_or(written),
            _ => written,
        };
        self.collector.of(head).into()
    }
}

/// Whether a method of this name is there to assign the fields of its class.
pub(super) fn fills_fields(name: &str) -> bool {
    matches!(name, "__init__" | "__post_init__" | "__attrs_post_init__")
}

/// The usual names of the first parameter of a method.
const RECEIVERS: [&str; 2] = ["self", "cls"];

pub(super) fn is_receiver(name: &str) -> bool {
    RECEIVERS.contains(&name)
}

/// Whether the text of a method may contain `self.x = …` or `self.x: T`, which define fields of its class. It is
/// true for all texts that do, and for few others.
pub(super) fn may_assign_fields(method: &str) -> bool {
    RECEIVERS.iter().any(|receiver| {
        method.match_indices(receiver).any(|(at, _)| {
            let before = method.get(..at).unwrap_or("");
            let after = method.get(at + receiver.len()..).unwrap_or("");
            is_target(before, after)
        })
    })
}

/// Whether a receiver between two texts may be that of an assigned field.
fn is_target(before: &str, after: &str) -> bool {
    let is_blank = |c: char| !matches!(c, '\n' | '\r') && (c.is_whitespace() || !c.is_ascii());
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || is_blank(c);
    let dot = after.trim_start_matches(is_blank);
    if dot.starts_with('\\') {
        return true;
    }
    let Some(name) = dot.strip_prefix('.') else {
        return false;
    };
    let rest = name.trim_start_matches(is_name);
    match rest.chars().next() {
        // The line goes on.
        Some('\\') => true,
        Some('=') => !rest.starts_with("=="),
        // An annotation is at the start of a statement.
        Some(':') => {
            let before = before.trim_end_matches(is_blank);
            before.is_empty() || before.ends_with(['\n', '\r', ';', ':', '\\'])
        }
        _ => false,
    }
}

/// The parts of an assignment other than its targets.
pub(super) struct AssignmentParts<'n> {
    span: Span,
    annotation: Option<Node<'n>>,
    value: Option<Node<'n>>,
}

impl AssignmentParts<'_> {
    /// Returns the end of `name: annotation`.
    fn head_end(&self, target: Node<'_>) -> usize {
        self.annotation
            .map_or(target.end_byte(), |annotation| annotation.end_byte())
    }
}

/// Whether an assignment in an enum defines a member: plain assignments to public names do, annotated names
/// are ordinary fields.
fn is_member(name: &str, assigned: &AssignmentParts<'_>, lambda: Option<Node<'_>>) -> bool {
    !name.starts_with('_') && assigned.annotation.is_none() && lambda.is_none()
}

fn is_constant_name(name: &str) -> bool {
    name.contains(|c: char| c.is_ascii_uppercase()) && !name.contains(|c: char| c.is_lowercase())
}

/// Returns the end of the `:` before the body.
fn head_end(node: Node<'_>, body: Option<Node<'_>>) -> usize {
    let limit = body.map_or(node.end_byte(), |body| body.start_byte());
    let mut cursor = node.walk();
    node.children(&mut cursor)
        .filter(|child| child.kind() == ":" && child.end_byte() <= limit)
        .last()
        .map_or(limit, |colon| colon.end_byte())
}

fn before_equals(value: &Node<'_>) -> usize {
    value
        .prev_sibling()
        .map_or(value.start_byte(), |equals| equals.start_byte())
}

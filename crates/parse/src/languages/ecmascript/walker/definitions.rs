//! Collects functions, variables, objects with methods, namespaces and type aliases of JavaScript and
//! TypeScript. `classes` collects classes, `commonjs` assignments.

use foveate_model::{DefinitionKind, LocalId, Span};
use tree_sitter::Node;

use super::constants::inside_value;
use super::imports::empty;
use super::{Kind, Outer, Walker};
use crate::collect::{Context, DeclarationProperties, Draft, Position, Scope, span};
use crate::syntax::inside_brackets;

impl<'t> Walker<'t> {
    /// Adds a definition and, at the top level, records it by name.
    pub(super) fn define(&mut self, parent: Option<LocalId>, draft: Draft<'t>) -> LocalId {
        let name = draft.name;
        let is_global = parent.is_none() && draft.receiver.is_none();
        let id = self.collector.define_in(parent, draft);
        if is_global {
            self.top_level.insert(name, id);
        }
        id
    }

    /// Adds the component that a file is, as a nameless default export.
    pub(super) fn component(&mut self, tag: Span) {
        let name_span = Span::new(tag.start as usize, tag.start as usize);
        let mut draft = Draft::new("default", DefinitionKind::Constant, tag, name_span);
        draft.modifiers.is_default_export = true;
        self.define(None, draft);
    }

    /// Returns the `export` or `declare` around `node`, or an empty one.
    pub(super) fn outer_of(&mut self, node: Node<'_>) -> Outer {
        match self.wrapper.take() {
            Some(outer) if outer.inner == node.id() => outer,
            other => {
                self.wrapper = other;
                Outer {
                    inner: node.id(),
                    span: span(node),
                    decorators: Vec::new(),
                    is_exported: false,
                    is_default: false,
                }
            }
        }
    }

    /// Whether this function or class was already defined under the name that it is bound to.
    pub(super) fn is_claimed(&mut self, node: Node<'_>) -> bool {
        let claimed = self.claimed == Some(node.id());
        if claimed {
            self.claimed = None;
        }
        claimed
    }

    /// Adds `function f() {}`, `export default function () {}`, or a function expression.
    pub(super) fn function(&mut self, node: Node<'_>, depth: u32) {
        self.collector.skip_field(node, self.grammar.fields.name);
        self.note_returned_object(node);
        if self.is_claimed(node) {
            return;
        }
        let name = node.child_by_field_id(self.grammar.fields.name);
        self.function_named(node, name, depth);
    }

    pub(super) fn arrow(&mut self, node: Node<'_>, depth: u32) {
        self.note_returned_object(node);
        if !self.is_claimed(node) {
            self.function_named(node, None, depth);
        }
        if let Some(parameter) = node.child_by_field_id(self.grammar.fields.parameter) {
            self.collector.bind_to(parameter.end_byte());
        }
    }

    fn function_named(&mut self, node: Node<'_>, name: Option<Node<'_>>, depth: u32) {
        let outer = self.outer_of(node);
        let (text, name_span) = match name {
            Some(name) => (self.collector.of(name), span(name)),
            None if outer.is_default => ("default", empty(node)),
            None => {
                self.collector.within(depth, anonymous);
                return;
            }
        };
        let mut draft = Draft::new(text, DefinitionKind::Function, outer.span, name_span);
        self.fill_function(&mut draft, node);
        draft.modifiers.is_exported = outer.is_exported;
        draft.modifiers.is_default_export = outer.is_default;
        let id = self.define(self.collector.context.parent, draft);
        self.collector.within(depth, inside_function(id, None));
    }

    /// Sets head, parameters and body of a function or method.
    pub(super) fn fill_function(&self, draft: &mut Draft<'t>, function: Node<'_>) {
        let fields = &self.grammar.fields;
        let body = function.child_by_field_id(fields.body);
        draft.body = body.map(span);
        draft.signature_end = body.map_or(function.end_byte(), |body| body.start_byte());
        draft.modifiers.is_async = self.has_token(function, "async");
        let list = function.child_by_field_id(fields.parameters);
        let single = function.child_by_field_id(fields.parameter);
        draft.parameters = list.map(inside_brackets).or(single.map(span));
    }

    /// Whether one of the tokens before the parameters or body is `token`.
    pub(super) fn has_token(&self, node: Node<'_>, token: &str) -> bool {
        let mut cursor = node.walk();
        node.children(&mut cursor)
            .take_while(|child| !matches!(child.kind(), "statement_block" | "formal_parameters"))
            .any(|child| child.kind() == token)
    }

    /// Enters `const a = 1, b = 2;`.
    pub(super) fn declaration(&mut self, node: Node<'_>, depth: u32) {
        let outer = self.outer_of(node);
        let kind = node.child_by_field_id(self.grammar.fields.kind);
        let mut cursor = node.walk();
        let variables = node
            .named_children(&mut cursor)
            .filter(|child| self.kind(*child) == Kind::Declarator)
            .take(2)
            .count();
        let declared = DeclarationProperties {
            span: outer.span,
            is_single: variables == 1,
            is_constant: kind.is_some_and(|kind| kind.kind() == "const"),
            is_exported: outer.is_exported,
        };
        self.collector
            .within(depth, |context| context.declared = declared);
    }

    pub(super) fn declarator(&mut self, node: Node<'_>, depth: u32) {
        let fields = &self.grammar.fields;
        let Some(target) = node.child_by_field_id(fields.name) else {
            return;
        };
        let written = node.child_by_field_id(fields.value);
        let value = written.map(|written| self.unwrapped(written));
        self.collector.bind_to(target.end_byte());
        if value.is_some_and(|value| self.bound_by_import(node, target, value)) {
            // The names are those of the import: no variable hides it.
            self.collector.skip_to(target.end_byte());
            return;
        }
        if let Some(value) = value {
            self.note_type_of_object(node, value);
        }
        let declared = self.collector.context.declared;
        let place = if declared.is_single {
            declared.span
        } else {
            span(node)
        };
        if self.kind(target) != Kind::Identifier {
            self.destructured_variables(target, place, written);
            return;
        }
        let mut draft = self
            .collector
            .draft(DefinitionKind::Variable, place, target);
        draft.body = written.map(span);
        draft.signature_end = head_end(node, target, written);
        draft.modifiers.is_exported = declared.is_exported;
        let function = value.and_then(|value| self.wrapped_function(value));
        match (value.map(|value| self.kind(value)), function) {
            (_, Some(function)) => self.define_bound_function(draft, function, depth),
            (Some(Kind::Class), _) => {
                if let Some(class) = value {
                    self.define_bound_class(draft, class, depth);
                }
            }
            _ if self.collector.context.scope == Scope::Function => {}
            _ => {
                draft.kind = declared.kind();
                self.define_variable(draft, written, depth);
            }
        }
    }

    /// Adds a variable that holds neither a function nor a class.
    fn define_variable(&mut self, draft: Draft<'t>, written: Option<Node<'_>>, depth: u32) {
        let parent = self.collector.context.parent;
        let name = draft.name;
        let Some(id) = self.collector.define_once(parent, draft) else {
            return;
        };
        if parent.is_none() {
            self.top_level.insert(name, id);
        }
        self.constants = written.and_then(|written| self.constants_in(written));
        self.collector.within(depth, inside_value(id));
    }

    /// Adds the variables of `const {a, b: c} = …` at the top level.
    fn destructured_variables(&mut self, pattern: Node<'_>, place: Span, value: Option<Node<'_>>) {
        let Context {
            scope,
            declared,
            parent,
            ..
        } = self.collector.context;
        if scope == Scope::Function {
            return;
        }
        let fields = &self.grammar.fields;
        let mut cursor = pattern.walk();
        for child in pattern.named_children(&mut cursor) {
            let name = match child.kind() {
                "object_assignment_pattern" | "assignment_pattern" => {
                    child.child_by_field_id(fields.left)
                }
                "pair_pattern" => child.child_by_field_id(fields.value),
                "rest_pattern" => child.named_child(0),
                _ => Some(child),
            };
            let is_name =
                |n: &Node<'_>| matches!(self.kind(*n), Kind::Identifier | Kind::BoundIdentifier);
            let Some(name) = name.filter(is_name) else {
                continue;
            };
            let mut draft = self.collector.draft(declared.kind(), place, name);
            draft.body = value.map(span);
            draft.signature_end = pattern.end_byte();
            draft.modifiers.is_exported = declared.is_exported;
            self.collector.define_once(parent, draft);
        }
    }

    /// Returns the function that a value is, also inside wrappers that return their argument.
    pub(super) fn wrapped_function<'n>(&self, mut value: Node<'n>) -> Option<Node<'n>> {
        for _ in 0..4 {
            match self.kind(value) {
                Kind::Function | Kind::Arrow => return Some(value),
                Kind::Call => {
                    let function = value.child_by_field_id(self.grammar.fields.function)?;
                    let name = self.collector.of(function).rsplit('.').next()?;
                    if !is_transparent(name) {
                        return None;
                    }
                    let arguments = value.child_by_field_id(self.grammar.fields.arguments)?;
                    value = arguments.named_child(0)?;
                }
                _ => return None,
            }
        }
        None
    }

    /// Adds the function that a name is bound to.
    pub(super) fn define_bound_function(
        &mut self,
        mut draft: Draft<'t>,
        function: Node<'_>,
        depth: u32,
    ) {
        let parent = self.collector.context.parent;
        if draft.kind != DefinitionKind::Method {
            draft.kind = DefinitionKind::Function;
        }
        self.define_bound(parent, draft, function, depth);
    }

    pub(super) fn define_bound(
        &mut self,
        parent: Option<LocalId>,
        mut draft: Draft<'t>,
        function: Node<'_>,
        depth: u32,
    ) {
        self.fill_function(&mut draft, function);
        let id = self.define(parent, draft);
        self.claimed = Some(function.id());
        self.collector.within(depth, inside_function(id, None));
    }

    /// Adds a member of an object literal. Functions are methods; objects that hold functions are fields
    /// around them, if the whole is bound to a name.
    pub(super) fn pair(&mut self, node: Node<'_>, depth: u32) {
        let fields = &self.grammar.fields;
        let (Some(key), Some(written)) = (
            node.child_by_field_id(fields.key),
            node.child_by_field_id(fields.value),
        ) else {
            return;
        };
        let Context {
            in_local_call,
            is_exports,
            scope,
            parent,
            ..
        } = self.collector.context;
        let value = self.unwrapped(written);
        let name = self.plain_name(key);
        if is_exports {
            self.exported_pair(node, name, key, value, depth);
        } else if let Some(function) = self.wrapped_function(value) {
            if !in_local_call {
                let draft = Draft::new(name, DefinitionKind::Method, span(node), span(key));
                self.define_bound_function(draft, function, depth);
            }
        } else if self.kind(value) == Kind::Object
            && parent.is_some()
            && scope != Scope::Function
            && self.holds_functions(value)
        {
            let mut draft = Draft::new(name, DefinitionKind::Field, span(node), span(key));
            draft.body = Some(span(value));
            draft.signature_end = key.end_byte();
            let id = self.define(parent, draft);
            self.collector
                .within(depth, |context| context.parent = Some(id));
        }
    }

    pub(super) fn holds_functions(&self, object: Node<'_>) -> bool {
        let value_of = |pair: Node<'_>| {
            pair.child_by_field_id(self.grammar.fields.value)
                .is_some_and(|value| matches!(self.kind(value), Kind::Function | Kind::Arrow))
        };
        let mut cursor = object.walk();
        object
            .named_children(&mut cursor)
            .any(|member| match self.kind(member) {
                Kind::Method => true,
                Kind::Pair => value_of(member),
                _ => false,
            })
    }

    /// Adds `namespace A.B {}`, `declare module 'x' {}`.
    pub(super) fn namespace(&mut self, node: Node<'_>, depth: u32) {
        let fields = &self.grammar.fields;
        let Some(name) = node.child_by_field_id(fields.name) else {
            return;
        };
        let outer = self.outer_of(node);
        let body = node.child_by_field_id(fields.body);
        let mut draft = Draft::new(
            self.plain_name(name),
            DefinitionKind::Module,
            outer.span,
            span(name),
        );
        draft.body = body.map(span);
        draft.signature_end = body.map_or(node.end_byte(), |body| body.start_byte());
        draft.modifiers.is_exported = outer.is_exported;
        let id = self.define(self.collector.context.parent, draft);
        self.collector.skip_to(name.end_byte());
        self.collector.within(depth, |context| {
            context.parent = Some(id);
            context.scope = Scope::Module;
        });
    }

    /// Adds `type A = …`; the members of an object type are its fields.
    pub(super) fn type_alias(&mut self, node: Node<'_>, depth: u32) {
        let fields = &self.grammar.fields;
        let Some(name) = node.child_by_field_id(fields.name) else {
            return;
        };
        let value = node.child_by_field_id(fields.value);
        let outer = self.outer_of(node);
        let mut draft = self
            .collector
            .draft(DefinitionKind::TypeAlias, outer.span, name);
        draft.body = value.map(span);
        draft.signature_end = value
            .and_then(|value| value.prev_sibling())
            .map_or(node.end_byte(), |equals| equals.start_byte());
        draft.modifiers.is_exported = outer.is_exported;
        let id = self.define(self.collector.context.parent, draft);
        self.collector.skip_to(name.end_byte());
        self.members_of = value
            .map(|value| self.object_types(value).collect())
            .unwrap_or_default();
        self.collector.within(depth, |context| {
            context.enclosing = Some(id);
            context.parent = Some(id);
        });
    }

    /// Adds `import A = N.B;`: another name for a type or namespace.
    pub(super) fn import_alias(&mut self, node: Node<'_>) {
        if let Some(name) = node.named_child(0) {
            let outer = self.outer_of(node);
            let mut draft = self
                .collector
                .draft(DefinitionKind::TypeAlias, outer.span, name);
            draft.modifiers.is_exported = outer.is_exported;
            self.define(self.collector.context.parent, draft);
            self.collector.skip_to(name.end_byte());
        }
    }
}

/// Sets the context in a function without a name: its variables are not definitions.
pub(super) fn anonymous(context: &mut Context) {
    context.scope = Scope::Function;
    context.position = Position::Value;
    context.in_local_call = false;
    context.is_exports = false;
    context.message = None;
}

/// Sets the context in the head and body of a function.
pub(super) fn inside_function(
    id: LocalId,
    constructs: Option<LocalId>,
) -> impl FnOnce(&mut Context) {
    move |context| {
        anonymous(context);
        context.enclosing = Some(id);
        context.parent = Some(id);
        context.constructs = constructs;
        context.in_catch = false;
        context.has_members = false;
    }
}

/// Returns the end of `name: type` in a declarator.
fn head_end(declarator: Node<'_>, target: Node<'_>, value: Option<Node<'_>>) -> usize {
    let Some(value) = value else {
        return declarator.end_byte();
    };
    let mut cursor = declarator.walk();
    declarator
        .children(&mut cursor)
        .take_while(|child| child.start_byte() < value.start_byte() && child.kind() != "=")
        .last()
        .map_or(target.end_byte(), |child| child.end_byte())
}

/// Whether a function of this name returns the function passed to it, perhaps wrapped.
fn is_transparent(name: &str) -> bool {
    [
        "memo", "forwardRef", "observer", "debounce", "throttle", "memoize", "memoizeOne", "once",
        "useCallback", "asyncHandler",
    ]
    .contains(&name)
}

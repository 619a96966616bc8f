//! Collects the definitions and exports of assignments: `module.exports`, `exports.a`, prototypes, static members, and
//! the fields that constructors assign.

use foveate_model::{DefinitionKind, ImportKind, ImportedName};
use tree_sitter::Node;

use super::imports::empty;
use super::{Kind, Walker};
use crate::collect::{Context, Draft, span};

/// Maximum depth of an assignment of exports whose value a variable of the file may have, too. Parents are looked up
/// from the root.
const MAX_DEPTH: u32 = 16;

/// The parts of an assignment.
struct Assigned<'n, 't> {
    node: Node<'n>,
    /// The target as written, without surrounding blanks: `Foo.prototype.bar`.
    target: &'t str,
    /// The last name of the target.
    name: Node<'n>,
    value: Node<'n>,
}

impl<'t> Walker<'t> {
    pub(super) fn assignment(&mut self, node: Node<'_>, depth: u32) {
        let fields = &self.grammar.fields;
        let (Some(left), Some(right)) = (
            node.child_by_field_id(fields.left),
            node.child_by_field_id(fields.right),
        ) else {
            return;
        };
        let value = self.unwrapped(right);
        let name = match self.kind(left) {
            Kind::Identifier => {
                // An assignment declares no variable: the name is that of an enclosing scope.
                self.collector.skip_to(left.end_byte());
                left
            }
            Kind::Member => match left.child_by_field_id(fields.property) {
                Some(name) => name,
                None => return,
            },
            _ => return,
        };
        let assigned = Assigned {
            node,
            target: self.collector.of(left),
            name,
            value,
        };
        let receiver = assigned
            .target
            .rsplit_once('.')
            .map_or("", |(receiver, _)| receiver);
        let names_export = means_exports(receiver);
        if names_export || assigned.target == "module.exports" {
            self.collector.skip_to(left.end_byte());
        }
        if means_exports(assigned.target)
            && depth <= MAX_DEPTH
            && let Some(variable) = self.variable_around(node)
        {
            if assigned.target == "module.exports" {
                self.add_export("default", variable);
            }
            return;
        }
        match (assigned.target, receiver) {
            ("module.exports", _) => self.export_whole(&assigned, depth),
            _ if names_export => {
                let name = self.collector.of(assigned.name);
                self.export_member(&assigned, name, depth);
            }
            (_, "this") => self.own_member(&assigned, depth),
            (_, "") if self.kind(left) == Kind::Identifier => self.rebound(&assigned, depth),
            _ => self.foreign_member(&assigned, receiver, depth),
        }
    }

    /// Returns the variable of the file that the value of an assignment is bound to, as in `const app = exports =
    /// module.exports = {}`: its definition has the members of the value.
    fn variable_around(&self, assignment: Node<'_>) -> Option<&'t str> {
        let mut around = assignment.parent()?;
        while matches!(self.kind(around), Kind::Assignment | Kind::Wrapper) {
            around = around.parent()?;
        }
        let statement = around.parent()?;
        let is_global = statement.parent()?.kind() == "program";
        if self.kind(around) != Kind::Declarator || !is_global {
            return None;
        }
        let name = around.child_by_field_id(self.grammar.fields.name)?;
        (self.kind(name) == Kind::Identifier).then(|| self.collector.of(name))
    }

    fn draft_for(
        &self,
        assigned: &Assigned<'_, 't>,
        name: &'t str,
        kind: DefinitionKind,
    ) -> Draft<'t> {
        let mut draft = Draft::new(name, kind, span(assigned.node), span(assigned.name));
        draft.body = Some(span(assigned.value));
        draft.signature_end = assigned.name.end_byte();
        draft
    }

    /// Adds the export of `module.exports = …`.
    fn export_whole(&mut self, assigned: &Assigned<'_, 't>, depth: u32) {
        let value = assigned.value;
        let mut draft = self.draft_for(assigned, "default", DefinitionKind::Constant);
        draft.name_span = empty(value);
        draft.modifiers.is_default_export = true;
        if let Some(name) = value.child_by_field_id(self.grammar.fields.name) {
            draft.name = self.collector.of(name);
            draft.name_span = span(name);
        }
        match self.kind(value) {
            Kind::Identifier => {
                let local = self.collector.of(value);
                self.add_export("default", local);
            }
            Kind::Object => self.exports_object = Some(value.id()),
            Kind::Function | Kind::Arrow => self.define_bound_function(draft, value, depth),
            Kind::Class => self.define_bound_class(draft, value, depth),
            Kind::Call if self.re_export_whole(assigned.node, value) => {}
            _ => {
                let parent = self.collector.context.parent;
                self.define(parent, draft);
            }
        }
    }

    /// Adds the re-export of `module.exports = require('m')`; returns whether the value is a `require`. Unlike
    /// `export *`, it also passes the default export on.
    fn re_export_whole(&mut self, statement: Node<'_>, value: Node<'_>) -> bool {
        let is_import = self.re_export(statement, value, "");
        if is_import && let Some(import) = self.collector.facts.imports.last_mut() {
            import.names.push(ImportedName::new("default", "default"));
        }
        is_import
    }

    /// Adds the re-export of `require('m')` under a name; returns whether the value is a `require`.
    fn re_export(&mut self, statement: Node<'_>, value: Node<'_>, local: &str) -> bool {
        let Some((_, module)) = self.imported_by(value) else {
            return false;
        };
        let names = vec![ImportedName::new("*", local)];
        self.add_import(ImportKind::ReExport, module, names, statement, false);
        self.bound_import = Some(value.id());
        true
    }

    /// Adds the export of `exports.a = …`.
    fn export_member(&mut self, assigned: &Assigned<'_, 't>, name: &'t str, depth: u32) {
        let value = assigned.value;
        let mut draft = self.draft_for(assigned, name, DefinitionKind::Constant);
        draft.modifiers.is_exported = true;
        if let Some(function) = self.wrapped_function(value) {
            self.define_bound_function(draft, function, depth);
            return;
        }
        match self.kind(value) {
            Kind::Identifier => {
                let local = self.collector.of(value);
                self.add_export(name, local);
            }
            Kind::Class => self.define_bound_class(draft, value, depth),
            Kind::Call if self.re_export(assigned.node, value, name) => {}
            // `exports.a = void 0` declares an export that a compiler assigns later.
            _ if value.kind() == "unary_expression" || value.kind() == "undefined" => {}
            _ => {
                let parent = self.collector.context.parent;
                if let Some(id) = self.collector.define_once(parent, draft) {
                    self.collector
                        .within(depth, |context| context.parent = Some(id));
                }
            }
        }
    }

    /// Enters an object literal: the members of the one assigned to `module.exports` are exports.
    pub(super) fn object(&mut self, node: Node<'_>, depth: u32) {
        let is_exports = self.exports_object == Some(node.id());
        if is_exports {
            self.exports_object = None;
            self.exported_shorthands(node);
        }
        if self.constants == Some(node.id()) {
            self.constants = None;
            self.constants_of(node);
        }
        if is_exports != self.collector.context.is_exports {
            self.collector
                .within(depth, |context| context.is_exports = is_exports);
        }
    }

    /// Adds the exports of `{a, ...require('m')}`.
    fn exported_shorthands(&mut self, object: Node<'_>) {
        let mut cursor = object.walk();
        for member in object.named_children(&mut cursor) {
            match member.kind() {
                "shorthand_property_identifier" => {
                    let name = self.collector.of(member);
                    self.add_export(name, name);
                }
                "spread_element" => {
                    if let Some(value) = member.named_child(0) {
                        self.re_export(member, value, "");
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds the export of `{a: …}` in the object assigned to `module.exports`.
    pub(super) fn exported_pair(
        &mut self,
        node: Node<'_>,
        name: &'t str,
        key: Node<'_>,
        value: Node<'_>,
        depth: u32,
    ) {
        let assigned = Assigned {
            node,
            target: name,
            name: key,
            value,
        };
        self.export_member(&assigned, name, depth);
    }

    /// Adds the member of `this.x = …`: a method if the value is a function, a field if in a constructor.
    fn own_member(&mut self, assigned: &Assigned<'_, 't>, depth: u32) {
        let Context {
            constructs, parent, ..
        } = self.collector.context;
        let name = self.collector.of(assigned.name);
        let owner = constructs.or(parent);
        let function = parent.filter(|_| constructs.is_none());
        let function = function.filter(|function| self.is_named_like_class(*function));
        let is_constructor = function.is_some();
        if let Some(function) = function {
            self.mark_constructor(function);
        }
        if let Some(function) = self.wrapped_function(assigned.value) {
            let draft = self.draft_for(assigned, name, DefinitionKind::Method);
            self.define_bound(owner, draft, function, depth);
        } else if constructs.is_some() || is_constructor {
            let draft = self.draft_for(assigned, name, DefinitionKind::Field);
            self.collector.define_once(owner, draft);
        }
    }

    /// Adds the function of `f = function () {}`, for a variable declared elsewhere.
    fn rebound(&mut self, assigned: &Assigned<'_, 't>, depth: u32) {
        // `module.exports = exports = function () {}` defines its function once.
        if means_exports(assigned.target) {
            return;
        }
        if let Some(function) = self.wrapped_function(assigned.value) {
            let name = self.collector.of(assigned.name);
            let draft = self.draft_for(assigned, name, DefinitionKind::Function);
            self.define_bound_function(draft, function, depth);
        }
    }

    /// Adds the member of `Foo.prototype.bar = …`, `Foo.bar = …`.
    fn foreign_member(&mut self, assigned: &Assigned<'_, 't>, receiver: &'t str, depth: u32) {
        let name = self.collector.of(assigned.name);
        let (owner_name, is_prototype) = match receiver.strip_suffix(".prototype") {
            Some(owner) => (owner, true),
            None => (receiver, false),
        };
        if name == "prototype" {
            self.prototype(receiver, assigned.value, depth);
            return;
        }
        let owner = self.top_level.get(owner_name).copied();
        if let Some(owner) = owner.filter(|_| is_prototype) {
            self.mark_constructor(owner);
        }
        let kind = if is_prototype {
            DefinitionKind::Method
        } else {
            DefinitionKind::Function
        };
        let mut draft = self.draft_for(assigned, name, kind);
        draft.receiver = owner_name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.'))
            .then_some(owner_name);
        draft.modifiers.is_static = owner.is_some() && !is_prototype;
        if let Some(function) = self.wrapped_function(assigned.value) {
            self.collector.skip_to(assigned.name.end_byte());
            let parent = owner.or(self.collector.context.parent);
            self.define_bound(parent, draft, function, depth);
        } else if self.kind(assigned.value) == Kind::Class {
            self.define_bound_class(draft, assigned.value, depth);
        }
    }

    /// Adds the member that a call defines: `Object.defineProperty(a, 'b', {…})`, `defineGetter(a, 'b', function () {})`,
    /// `a.__defineGetter__('b', function () {})`.
    pub(super) fn defined_member(&mut self, call: Node<'_>, called: &'t str, depth: u32) {
        let Some(list) = call.child_by_field_id(self.grammar.fields.arguments) else {
            return;
        };
        let mut cursor = list.walk();
        let arguments: Vec<Node<'_>> = list
            .named_children(&mut cursor)
            .filter(|argument| self.kind(*argument) != Kind::Comment)
            .take(3)
            .collect();
        let mut arguments = arguments.into_iter();
        let receiver = match called.strip_suffix(".__defineGetter__") {
            Some(receiver) => receiver,
            None => match arguments.next() {
                Some(object) => self.collector.of(object),
                None => return,
            },
        };
        let (Some(key), Some(value)) = (arguments.next(), arguments.next()) else {
            return;
        };
        let Some(name) = key
            .named_child(0)
            .filter(|_| self.kind(key) == Kind::Text)
            .filter(|name| is_plain_name(self.collector.of(*name)))
        else {
            return;
        };
        let assigned = Assigned {
            node: call,
            target: "",
            name,
            value,
        };
        if means_exports(receiver) {
            let name = self.collector.of(name);
            self.export_member(&assigned, name, depth);
        } else if self.wrapped_function(value).is_some() {
            self.foreign_member(&assigned, receiver, depth);
        } else if self.kind(value) == Kind::Object {
            self.described_member(&assigned, receiver, depth);
        }
    }

    /// Adds the member of an object or prototype of this file that has a descriptor. Its accessors are inside it.
    fn described_member(&mut self, assigned: &Assigned<'_, 't>, receiver: &str, depth: u32) {
        let owner = receiver.strip_suffix(".prototype").unwrap_or(receiver);
        let Some(owner) = self.top_level.get(owner).copied() else {
            return;
        };
        let name = self.collector.of(assigned.name);
        let draft = self.draft_for(assigned, name, DefinitionKind::Field);
        if let Some(id) = self.collector.define_once(Some(owner), draft) {
            self.collector
                .within(depth, |context| context.parent = Some(id));
        }
    }
}

/// Whether a text is one name. Names of two underscores, such as `__esModule`, are marks of compilers.
fn is_plain_name(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let starts = text.starts_with(|c: char| !c.is_ascii_digit());
    starts && text.chars().all(is_part) && !text.starts_with("__")
}

/// Whether a target is the object of what a module exports.
fn means_exports(target: &str) -> bool {
    matches!(target, "exports" | "module.exports")
}

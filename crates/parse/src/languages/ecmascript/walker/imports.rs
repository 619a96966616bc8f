//! Collects ES imports, exports and re-exports, dynamic imports, and `require`.

use foveate_model::{DefinitionKind, Export, ImportKind, ImportedName, Span};
use tree_sitter::Node;

use super::constants::inside_value;
use super::{Kind, Outer, Walker};
use crate::collect::{Draft, span};
use crate::syntax::Descend;

impl<'t> Walker<'t> {
    /// Adds `import …`.
    pub(super) fn import(&mut self, node: Node<'_>) -> Descend {
        let fields = &self.grammar.fields;
        let mut names = Vec::new();
        let mut type_only = false;
        let mut kind = ImportKind::From;
        let mut source = node.child_by_field_id(fields.source);
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            match child.kind() {
                "type" | "typeof" => type_only = true,
                "import_clause" => self.import_clause(child, &mut names),
                "import_require_clause" => {
                    kind = ImportKind::Require;
                    source = child.child_by_field_id(fields.source);
                    if let Some(local) = child.named_child(0) {
                        names.push(self.imported("*", local));
                    }
                }
                _ => {}
            }
        }
        if let Some(module) = source.and_then(|source| self.string_value(source)) {
            self.add_import(kind, module, names, node, type_only);
        }
        Descend::Past
    }

    fn import_clause(&self, clause: Node<'_>, names: &mut Vec<ImportedName>) {
        let mut cursor = clause.walk();
        for child in clause.named_children(&mut cursor) {
            match child.kind() {
                "identifier" => names.push(self.imported("default", child)),
                "namespace_import" => {
                    if let Some(local) = child.named_child(0) {
                        names.push(self.imported("*", local));
                    }
                }
                "named_imports" => self.specifiers(child, names),
                _ => {}
            }
        }
    }

    /// Collects `{a, b as c}` of an import or a re-export.
    fn specifiers(&self, list: Node<'_>, names: &mut Vec<ImportedName>) {
        let fields = &self.grammar.fields;
        let mut cursor = list.walk();
        for specifier in list.named_children(&mut cursor) {
            let Some(name) = specifier.child_by_field_id(fields.name) else {
                continue;
            };
            let local = specifier.child_by_field_id(fields.alias).unwrap_or(name);
            names.push(self.imported(self.plain_name(name), local));
        }
    }

    fn imported(&self, name: &str, local: Node<'_>) -> ImportedName {
        ImportedName::new(name, self.plain_name(local))
    }

    /// Returns the text of a name, which may be written as a string.
    pub(super) fn plain_name(&self, node: Node<'_>) -> &'t str {
        self.string_value(node)
            .unwrap_or_else(|| self.collector.of(node))
    }

    pub(super) fn add_import(
        &mut self,
        kind: ImportKind,
        module: &str,
        names: Vec<ImportedName>,
        statement: Node<'_>,
        type_only: bool,
    ) {
        let enclosing = self.collector.context.enclosing;
        self.collector
            .import(statement, enclosing, kind, module, names);
        if let Some(import) = self.collector.facts.imports.last_mut() {
            import.type_only = type_only;
        }
    }

    /// Adds `export …`. Re-exports and lists are completed here; the walk visits a declaration.
    pub(super) fn export(&mut self, node: Node<'_>, depth: u32) -> Descend {
        let fields = &self.grammar.fields;
        let mut parts = ExportParts::default();
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            match child.kind() {
                "default" => parts.is_default = true,
                "=" => parts.is_assignment = true,
                "type" => parts.type_only = true,
                "namespace_export" => parts.namespace = child.named_child(0),
                "export_clause" => parts.clause = Some(child),
                _ if self.kind(child) == Kind::Decorator => {
                    parts.decorators.extend(self.decorator_name(child));
                }
                _ if self.kind(child) != Kind::Skip && self.kind(child) != Kind::Comment => {
                    parts.last = Some(child);
                }
                _ => {}
            }
        }
        let source = node.child_by_field_id(fields.source);
        if let Some(module) = source.and_then(|source| self.string_value(source)) {
            let mut names = Vec::new();
            match (parts.clause, parts.namespace) {
                (Some(clause), _) => self.specifiers(clause, &mut names),
                (None, Some(local)) => names.push(self.imported("*", local)),
                (None, None) => names.push(ImportedName::new("*", "")),
            }
            self.add_import(ImportKind::ReExport, module, names, node, parts.type_only);
            return Descend::Past;
        }
        if let Some(clause) = parts.clause {
            self.export_list(clause);
            return Descend::Past;
        }
        let declaration = node.child_by_field_id(fields.declaration);
        let value = node.child_by_field_id(fields.value).or(parts.last);
        match (declaration, value) {
            (Some(inner), _) => self.wrapper = Some(parts.around(inner, node)),
            (None, Some(inner)) if parts.is_default || parts.is_assignment => {
                self.wrapper = Some(Outer {
                    is_default: true,
                    ..parts.around(inner, node)
                });
                self.export_value(node, inner, depth);
            }
            _ => {}
        }
        Descend::Into
    }

    fn export_list(&mut self, clause: Node<'_>) {
        let fields = &self.grammar.fields;
        let mut cursor = clause.walk();
        for specifier in clause.named_children(&mut cursor) {
            let Some(name) = specifier.child_by_field_id(fields.name) else {
                continue;
            };
            let exported = specifier.child_by_field_id(fields.alias).unwrap_or(name);
            self.add_export(self.plain_name(exported), self.plain_name(name));
        }
    }

    pub(super) fn add_export(&mut self, exported: &str, local: &str) {
        self.collector.facts.exports.push(Export {
            exported: exported.into(),
            local: local.into(),
        });
    }

    /// Handles `export default …` and `export = …` of an expression.
    fn export_value(&mut self, statement: Node<'_>, written: Node<'_>, depth: u32) {
        let value = self.unwrapped(written);
        match self.kind(value) {
            Kind::Identifier => {
                let local = self.collector.of(value);
                self.add_export("default", local);
                self.wrapper = None;
            }
            Kind::Function | Kind::Arrow | Kind::Class => {
                if let Some(outer) = &mut self.wrapper {
                    outer.inner = value.id();
                }
            }
            _ => {
                self.wrapper = None;
                let mut draft = Draft::new(
                    "default",
                    DefinitionKind::Constant,
                    span(statement),
                    empty(value),
                );
                draft.body = Some(span(value));
                draft.signature_end = value.start_byte();
                draft.modifiers.is_default_export = true;
                let id = self.define(None, draft);
                self.collector.within(depth, inside_value(id));
            }
        }
    }

    /// Passes a `declare …` on to the declaration in it.
    pub(super) fn ambient(&mut self, node: Node<'_>) {
        let mut cursor = node.walk();
        let Some(inner) = node
            .named_children(&mut cursor)
            .find(|child| self.kind(*child) != Kind::Comment)
        else {
            return;
        };
        match &mut self.wrapper {
            Some(outer) if outer.inner == node.id() => outer.inner = inner.id(),
            _ => {
                self.wrapper = Some(Outer {
                    inner: inner.id(),
                    span: span(node),
                    decorators: Vec::new(),
                    is_exported: false,
                    is_default: false,
                });
            }
        }
    }

    /// Whether a call is `require('x')` or `import('x')`. If its value is bound to no name, adds an import
    /// of its own.
    pub(super) fn unbound_import(&mut self, call: Node<'_>) -> bool {
        if self.bound_import == Some(call.id()) {
            self.bound_import = None;
            return true;
        }
        let Some((kind, module)) = self.imported_by(call) else {
            return false;
        };
        self.add_import(kind, module, Vec::new(), call, false);
        true
    }

    /// Returns the module that a `require` or `import()` call loads.
    pub(super) fn imported_by(&self, call: Node<'_>) -> Option<(ImportKind, &'t str)> {
        if self.kind(call) != Kind::Call {
            return None;
        }
        let fields = &self.grammar.fields;
        let function = call.child_by_field_id(fields.function)?;
        let kind = match self.collector.of(function) {
            "require" => ImportKind::Require,
            "import" => ImportKind::Dynamic,
            _ => return None,
        };
        let arguments = call.child_by_field_id(fields.arguments)?;
        let mut cursor = arguments.walk();
        let source = arguments
            .named_children(&mut cursor)
            .find(|a| self.kind(*a) == Kind::Text)?;
        Some((kind, self.string_value(source)?))
    }

    /// Adds the import of `const x = require('m')`, `const {a, b: c} = await import('m')` and `const f =
    /// require('m').f`, which define no variable. Returns whether the value is such an import.
    pub(super) fn bound_by_import(
        &mut self,
        statement: Node<'_>,
        target: Node<'_>,
        value: Node<'_>,
    ) -> bool {
        let fields = &self.grammar.fields;
        let (call, member) = match self.kind(value) {
            Kind::Member => {
                let object = value
                    .child_by_field_id(fields.object)
                    .map(|o| self.unwrapped(o));
                (object, value.child_by_field_id(fields.property))
            }
            _ => (Some(value), None),
        };
        let Some((call, (kind, module))) = call.and_then(|c| Some((c, self.imported_by(c)?)))
        else {
            return false;
        };
        let mut names = Vec::new();
        match (self.kind(target), member) {
            (Kind::Identifier, None) => names.push(self.imported("*", target)),
            (Kind::Identifier, Some(member)) => {
                names.push(self.imported(self.collector.of(member), target));
            }
            (Kind::Pattern, None) => self.destructured(target, &mut names),
            _ => {}
        }
        self.add_import(kind, module, names, statement, false);
        self.bound_import = Some(call.id());
        true
    }

    /// Collects the names in `{a, b: c, d = 1, ...rest}`.
    fn destructured(&self, pattern: Node<'_>, names: &mut Vec<ImportedName>) {
        let fields = &self.grammar.fields;
        let mut cursor = pattern.walk();
        for child in pattern.named_children(&mut cursor) {
            match child.kind() {
                "shorthand_property_identifier_pattern" => {
                    names.push(self.imported(self.collector.of(child), child));
                }
                "object_assignment_pattern" => {
                    if let Some(name) = child.child_by_field_id(fields.left) {
                        names.push(self.imported(self.collector.of(name), name));
                    }
                }
                "pair_pattern" => {
                    let key = child.child_by_field_id(fields.key);
                    let local = child.child_by_field_id(fields.value);
                    if let (Some(key), Some(local)) = (key, local)
                        && self.kind(local) == Kind::Identifier
                    {
                        names.push(self.imported(self.plain_name(key), local));
                    }
                }
                _ => {}
            }
        }
    }
}

#[derive(Default)]
struct ExportParts<'n> {
    is_default: bool,
    is_assignment: bool,
    type_only: bool,
    namespace: Option<Node<'n>>,
    clause: Option<Node<'n>>,
    decorators: Vec<Box<str>>,
    last: Option<Node<'n>>,
}

impl ExportParts<'_> {
    fn around(&mut self, inner: Node<'_>, statement: Node<'_>) -> Outer {
        Outer {
            inner: inner.id(),
            span: span(statement),
            decorators: std::mem::take(&mut self.decorators),
            is_exported: !self.is_default,
            is_default: self.is_default,
        }
    }
}

/// Returns an empty span at the start of a node.
pub(super) fn empty(node: Node<'_>) -> Span {
    Span::new(node.start_byte(), node.start_byte())
}

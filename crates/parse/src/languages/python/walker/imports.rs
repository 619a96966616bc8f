//! Collects Python imports, and the names that `__all__` exports.

use std::collections::VecDeque;

use foveate_model::{Export, Import, ImportKind, ImportedName, Span};
use tree_sitter::Node;

use super::{Kind, Walker};
use crate::collect::{Scope, row, span};
use crate::syntax::Descend;

/// Maximum number of lists and sums in a value of `__all__`. Sums nest to the left; real code has few terms.
const MAX_LISTS: usize = 32;

impl Walker<'_> {
    /// Adds `import a.b, c as d`: one import per module.
    pub(super) fn import(&mut self, node: Node<'_>) -> Descend {
        let mut cursor = node.walk();
        for child in node.children_by_field_name("name", &mut cursor) {
            let (module, local) = self.name_and_alias(child);
            let names = vec![ImportedName::new("*", local.unwrap_or(module))];
            self.add_import(node, ImportKind::Module, module.into(), names);
        }
        Descend::Past
    }

    /// Adds `from a import b as c, d`, `from . import *`.
    pub(super) fn import_from(&mut self, node: Node<'_>) -> Descend {
        let fields = &self.grammar.fields;
        let module = match self.get(node, fields.module_name) {
            // `from . import x` may be written `from .  a`: blanks are not part of the name.
            Some(module) => self
                .collector
                .of(module)
                .split_whitespace()
                .collect::<String>(),
            None => "__future__".into(),
        };
        let mut names = Vec::new();
        let mut cursor = node.walk();
        for child in node.children_by_field_name("name", &mut cursor) {
            let (name, local) = self.name_and_alias(child);
            names.push(ImportedName::new(name, local.unwrap_or(name)));
        }
        let mut cursor = node.walk();
        if node
            .named_children(&mut cursor)
            .any(|child| child.kind() == "wildcard_import")
        {
            names.push(ImportedName::new("*", ""));
        }
        self.add_import(node, ImportKind::From, module.into(), names);
        Descend::Past
    }

    fn name_and_alias(&self, node: Node<'_>) -> (&'_ str, Option<&'_ str>) {
        match self.get(node, self.grammar.fields.alias) {
            Some(alias) => {
                let name = self.get(node, self.grammar.fields.name).unwrap_or(node);
                (self.collector.of(name), Some(self.collector.of(alias)))
            }
            None => (self.collector.of(node), None),
        }
    }

    fn add_import(
        &mut self,
        node: Node<'_>,
        kind: ImportKind,
        module: Box<str>,
        names: Vec<ImportedName>,
    ) {
        let type_only = self.type_checking.contains(span(node));
        self.collector.facts.imports.push(Import {
            kind,
            module,
            names,
            span: span(node),
            line: row(node) + 1,
            enclosing: self.collector.context.enclosing,
            type_only,
        });
    }

    /// Adds `importlib.import_module("x")` and `__import__("x")`.
    pub(super) fn dynamic_import(&mut self, call: Node<'_>, function: Node<'_>) {
        let name = self.collector.of(function);
        if !matches!(
            name,
            "importlib.import_module" | "import_module" | "__import__"
        ) {
            return;
        }
        let arguments = self.get(call, self.grammar.fields.arguments);
        let first = arguments.and_then(|arguments| arguments.named_child(0));
        let Some(module) = first.and_then(|first| self.string_value(first)) else {
            return;
        };
        self.add_import(call, ImportKind::Dynamic, module, Vec::new());
    }

    /// Marks the imports below `if TYPE_CHECKING:` as type-only.
    pub(super) fn conditional(&mut self, node: Node<'_>) {
        let fields = &self.grammar.fields;
        let condition = self.get(node, fields.condition);
        let is_check = condition.is_some_and(|condition| {
            self.collector.of(condition).rsplit('.').next() == Some("TYPE_CHECKING")
        });
        if let (true, Some(block)) = (is_check, self.get(node, fields.consequence)) {
            self.type_checking = span(block);
        }
    }

    /// Adds the exports of `__all__ += […]`.
    pub(super) fn augmented_assignment(&mut self, node: Node<'_>) {
        let fields = &self.grammar.fields;
        let left = self.get(node, fields.left);
        let is_all = left.is_some_and(|left| self.collector.of(left) == "__all__");
        if let (true, Scope::Module, Some(value)) = (
            is_all,
            self.collector.context.scope,
            self.get(node, fields.right),
        ) {
            self.export_all(value);
        }
    }

    /// Adds the strings in `[…]`, `(…)` and sums of these as exports.
    pub(super) fn export_all(&mut self, value: Node<'_>) {
        let mut lists = VecDeque::from([value]);
        for _ in 0..MAX_LISTS {
            let Some(list) = lists.pop_front() else { break };
            let mut cursor = list.walk();
            for child in list.named_children(&mut cursor) {
                match self.kind(child) {
                    Kind::Text => {
                        if let Some(name) = self.string_value(child) {
                            self.collector.facts.exports.push(Export {
                                exported: name.clone(),
                                local: name,
                            });
                        }
                    }
                    _ if matches!(child.kind(), "list" | "tuple" | "binary_operator") => {
                        lists.push_back(child);
                    }
                    _ => {}
                }
            }
        }
    }

    /// Returns the value of a plain string literal.
    fn string_value(&self, node: Node<'_>) -> Option<Box<str>> {
        if self.kind(node) != Kind::Text {
            return None;
        }
        let mut cursor = node.walk();
        let mut content = Span::default();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "string_content" => content = span(child),
                "interpolation" => return None,
                _ => {}
            }
        }
        (!content.is_empty()).then(|| content.of(self.collector.text).into())
    }
}

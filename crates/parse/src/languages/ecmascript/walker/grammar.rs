//! Maps the node kinds and fields of the three grammars to their meaning for the walker.

use std::cell::RefCell;
use std::sync::OnceLock;

use foveate_model::Language;
use tree_sitter::{Parser, Tree};

use super::super::{TSX, TYPESCRIPT};
use crate::syntax::{self, Budget, IsNamed, KindTable, fields};

thread_local! {
    static PARSER: RefCell<Option<Parser>> = const { RefCell::new(None) };
}

/// The meaning of a node for the walker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Neither the node nor its descendants matter.
    Skip,
    /// Only the descendants matter.
    Plain,
    Comment,
    Text,
    Substitution,
    Markup,
    Identifier,
    BoundIdentifier,
    TypeIdentifier,
    NestedType,
    This,
    Member,
    Call,
    New,
    Arguments,
    Pattern,
    Parameters,
    TypedParameter,
    TypeParameter,
    TypeArguments,
    TypeQuery,
    Function,
    Arrow,
    Class,
    ClassBody,
    Heritage,
    Method,
    Signature,
    Field,
    PropertySignature,
    Interface,
    InterfaceBody,
    ObjectType,
    Enum,
    EnumBody,
    Namespace,
    TypeAlias,
    Declaration,
    Declarator,
    Assignment,
    Object,
    Pair,
    Export,
    Ambient,
    Import,
    ImportAlias,
    Decorator,
    Catch,
    Throw,
    For,
    ForIn,
    Binary,
    JsxName,
    /// Parentheses, casts and the like around a value.
    Wrapper,
}

pub(super) type Action = (Kind, IsStatement);
type IsStatement = bool;

/// Kinds of nodes that yield no facts.
const SKIPPED: &[&str] = &[
    "property_identifier", "private_property_identifier", "statement_identifier", "number", "true",
    "false", "null", "undefined", "regex", "hash_bang_line", "predefined_type", "this_type",
    "jsx_closing_element", "empty_statement", "debugger_statement", "break_statement",
    "continue_statement", "accessibility_modifier", "override_modifier", "optional_chain",
    "meta_property", "import", "html_character_reference", "jsx_namespace_name",
];

fn action(name: &str, IsNamed(named): IsNamed) -> Action {
    if !named {
        return (Kind::Skip, false);
    }
    let kind = match name {
        "comment" | "html_comment" => Kind::Comment,
        "string" | "template_string" => Kind::Text,
        "template_substitution" => Kind::Substitution,
        "jsx_text" => Kind::Markup,
        "identifier" | "shorthand_property_identifier" => Kind::Identifier,
        "shorthand_property_identifier_pattern" => Kind::BoundIdentifier,
        "type_identifier" => Kind::TypeIdentifier,
        "nested_type_identifier" => Kind::NestedType,
        "this" | "super" => Kind::This,
        "member_expression" => Kind::Member,
        "call_expression" => Kind::Call,
        "new_expression" => Kind::New,
        "arguments" => Kind::Arguments,
        "pair_pattern"
        | "assignment_pattern"
        | "array_pattern"
        | "rest_pattern"
        | "object_pattern"
        | "object_assignment_pattern" => Kind::Pattern,
        "formal_parameters" => Kind::Parameters,
        "required_parameter" | "optional_parameter" => Kind::TypedParameter,
        "type_parameter" => Kind::TypeParameter,
        "type_arguments" => Kind::TypeArguments,
        "type_query" => Kind::TypeQuery,
        "function_declaration"
        | "generator_function_declaration"
        | "function_expression"
        | "generator_function"
        | "function_signature" => Kind::Function,
        "arrow_function" => Kind::Arrow,
        "class_declaration" | "abstract_class_declaration" | "class" => Kind::Class,
        "class_body" => Kind::ClassBody,
        "class_heritage" | "extends_type_clause" => Kind::Heritage,
        "method_definition" => Kind::Method,
        "method_signature" | "abstract_method_signature" => Kind::Signature,
        "field_definition" | "public_field_definition" => Kind::Field,
        "property_signature" => Kind::PropertySignature,
        "interface_declaration" => Kind::Interface,
        "interface_body" => Kind::InterfaceBody,
        "object_type" => Kind::ObjectType,
        "enum_declaration" => Kind::Enum,
        "enum_body" => Kind::EnumBody,
        "internal_module" | "module" => Kind::Namespace,
        "type_alias_declaration" => Kind::TypeAlias,
        "lexical_declaration" | "variable_declaration" => Kind::Declaration,
        "variable_declarator" => Kind::Declarator,
        "assignment_expression" => Kind::Assignment,
        "object" => Kind::Object,
        "pair" => Kind::Pair,
        "export_statement" => Kind::Export,
        "ambient_declaration" => Kind::Ambient,
        "import_statement" => Kind::Import,
        "import_alias" => Kind::ImportAlias,
        "decorator" => Kind::Decorator,
        "catch_clause" => Kind::Catch,
        "throw_statement" => Kind::Throw,
        "for_statement" => Kind::For,
        "for_in_statement" => Kind::ForIn,
        "binary_expression" => Kind::Binary,
        "jsx_opening_element" | "jsx_self_closing_element" => Kind::JsxName,
        "parenthesized_expression"
        | "as_expression"
        | "satisfies_expression"
        | "non_null_expression"
        | "type_assertion" => Kind::Wrapper,
        _ if SKIPPED.contains(&name) => Kind::Skip,
        _ => Kind::Plain,
    };
    let is_statement = name.ends_with("_statement")
        || name.ends_with("_declaration")
        || [
            "method_definition", "field_definition", "public_field_definition", "pair",
            "method_signature", "property_signature", "switch_case", "jsx_element",
            "jsx_self_closing_element", "enum_assignment",
        ]
        .contains(&name);
    (kind, is_statement)
}

pub(super) struct Grammar {
    language: tree_sitter::Language,
    pub(super) kinds: KindTable<Action>,
    pub(super) fields: Fields,
}

fields! {
    alias, arguments, body, constructor, declaration, function, key, kind, left, name, object, operator,
    parameter, parameters, pattern, property, return_type, right, source, r#type,
    type_parameters, value
}

impl Grammar {
    /// Returns the grammar of a language of the family.
    pub(super) fn get(language: Language) -> &'static Self {
        static GRAMMARS: [OnceLock<Grammar>; 3] = [const { OnceLock::new() }; 3];
        let [javascript, typescript, tsx] = &GRAMMARS;
        if language == TYPESCRIPT.language {
            typescript.get_or_init(|| Self::new(tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()))
        } else if language == TSX.language {
            tsx.get_or_init(|| Self::new(tree_sitter_typescript::LANGUAGE_TSX.into()))
        } else {
            javascript.get_or_init(|| Self::new(tree_sitter_javascript::LANGUAGE.into()))
        }
    }

    /// Parses within the budget, with this thread's parser.
    pub(super) fn tree(&self, text: &str, budget: &mut Budget) -> Option<Tree> {
        PARSER.with_borrow_mut(|slot| {
            let parser = slot.get_or_insert_with(Parser::new);
            parser.set_language(&self.language).ok()?;
            syntax::tree(parser, text.as_bytes(), budget)
        })
    }

    fn new(language: tree_sitter::Language) -> Self {
        let fields = Fields::new(&language);
        Self {
            kinds: KindTable::new(&language, (Kind::Plain, false), action),
            language,
            fields,
        }
    }
}

//! Maps the node kinds and fields of the three grammars to their meaning for the walker.

use std::sync::OnceLock;

use foveate_model::Language;
use tree_sitter::Tree;

use super::super::{TSX, TYPESCRIPT};
use crate::syntax::{self, Budget, IsNamed, KindTable, fields, kinds};

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

kinds! {
    Comment = "comment" | "html_comment";
    Text = "string" | "template_string";
    Substitution = "template_substitution";
    Markup = "jsx_text";
    Identifier = "identifier" | "shorthand_property_identifier";
    BoundIdentifier = "shorthand_property_identifier_pattern";
    TypeIdentifier = "type_identifier";
    NestedType = "nested_type_identifier";
    This = "this" | "super";
    Member = "member_expression";
    Call = "call_expression";
    New = "new_expression";
    Arguments = "arguments";
    Pattern = "pair_pattern" | "assignment_pattern" | "array_pattern" | "rest_pattern"
        | "object_pattern" | "object_assignment_pattern";
    Parameters = "formal_parameters";
    TypedParameter = "required_parameter" | "optional_parameter";
    TypeParameter = "type_parameter";
    TypeArguments = "type_arguments";
    TypeQuery = "type_query";
    Function = "function_declaration" | "generator_function_declaration" | "function_expression"
        | "generator_function" | "function_signature";
    Arrow = "arrow_function";
    Class = "class_declaration" | "abstract_class_declaration" | "class";
    ClassBody = "class_body";
    Heritage = "class_heritage" | "extends_type_clause";
    Method = "method_definition";
    Signature = "method_signature" | "abstract_method_signature";
    Field = "field_definition" | "public_field_definition";
    PropertySignature = "property_signature";
    Interface = "interface_declaration";
    InterfaceBody = "interface_body";
    ObjectType = "object_type";
    Enum = "enum_declaration";
    EnumBody = "enum_body";
    Namespace = "internal_module" | "module";
    TypeAlias = "type_alias_declaration";
    Declaration = "lexical_declaration" | "variable_declaration";
    Declarator = "variable_declarator";
    Assignment = "assignment_expression";
    Object = "object";
    Pair = "pair";
    Export = "export_statement";
    Ambient = "ambient_declaration";
    Import = "import_statement";
    ImportAlias = "import_alias";
    Decorator = "decorator";
    Catch = "catch_clause";
    Throw = "throw_statement";
    For = "for_statement";
    ForIn = "for_in_statement";
    Binary = "binary_expression";
    JsxName = "jsx_opening_element" | "jsx_self_closing_element";
    /// Parentheses, casts and the like around a value.
    Wrapper = "parenthesized_expression" | "as_expression" | "satisfies_expression"
        | "non_null_expression" | "type_assertion";
}

fn action(name: &str, IsNamed(named): IsNamed) -> Action {
    if !named {
        return (Kind::Skip, false);
    }
    let is_statement = name.ends_with("_statement")
        || name.ends_with("_declaration")
        || [
            "method_definition", "field_definition", "public_field_definition", "pair",
            "method_signature", "property_signature", "switch_case", "jsx_element",
            "jsx_self_closing_element", "enum_assignment",
        ]
        .contains(&name);
    (Kind::of(name, SKIPPED), is_statement)
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

    /// Parses within the budget.
    pub(super) fn tree(&self, text: &str, budget: &mut Budget) -> Option<Tree> {
        syntax::with_parser(&self.language, |parser| {
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

//! Walks C and C++ syntax trees and collects their facts, with one table of handlers for both grammars.

mod declarators;
mod define;
mod definitions;
mod macros;
mod references;
mod sections;
#[cfg(test)]
mod tests;
mod types;
mod unseen;

use foveate_model::{FileFacts, ImportKind, ImportedName, Language, MessageKind};
use tree_sitter::Node;

use super::masks;
use crate::chunks::Nesting;
use crate::collect::CollectorRules;
use crate::languages::MAX_TYPE_NESTING;
use crate::limits::Limits;
use crate::messages;
use crate::syntax::Descend;
use crate::walk::{
    Form, Handled, Handler, Step, TypeRules, Walk, Walker, base_list, comment, field, into, member,
    name, parent_in, past, text, type_name, type_position,
};

pub(super) static C: Walker = Walker::new(Form {
    ..form(tree_sitter_c::LANGUAGE)
});

pub(super) static CPP: Walker = Walker::new(Form {
    rules: CollectorRules {
        // Sections are the parts of long tests.
        nesting: Nesting::Scopes,
        ..RULES
    },
    types: TypeRules {
        wrappers: WRAPPERS,
        collections: COLLECTIONS,
        casts: CASTS,
        type_argument,
        ..TYPES
    },
    ..form(tree_sitter_cpp::LANGUAGE)
});

/// Smart pointers and the like, of the standard library and of widespread others, sorted.
const WRAPPERS: &[&str] = &[
    "ComPtr", "QPointer", "QScopedPointer", "QSharedPointer", "RefPtr", "auto_ptr",
    "intrusive_ptr", "not_null", "observer_ptr", "optional", "reference_wrapper", "scoped_ptr",
    "scoped_refptr", "shared_ptr", "unique_ptr", "weak_ptr",
];

/// Collections of the standard library, sorted.
const COLLECTIONS: &[&str] = &[
    "array", "deque", "forward_list", "initializer_list", "list", "multiset", "set", "span",
    "unordered_multiset", "unordered_set", "vector",
];

/// Casts, and functions that make a smart pointer, sorted.
const CASTS: &[&str] = &[
    "any_cast", "bit_cast", "cast", "cast_or_null", "checked_cast", "const_cast",
    "const_pointer_cast", "down_cast", "dyn_cast", "dyn_cast_or_null", "dynamic_cast",
    "dynamic_pointer_cast", "make_shared", "make_unique", "qobject_cast", "reinterpret_cast",
    "reinterpret_pointer_cast", "static_cast", "static_pointer_cast",
];

/// Parses a text, masked for the grammar.
pub(super) fn facts(
    walker: &'static Walker,
    language: Language,
    text: &str,
    limits: &Limits,
) -> Option<FileFacts> {
    let masked = masks::masked(text);
    let mut facts = walker.facts_of(language, text, &masked.bytes, limits)?;
    unseen::add(&mut facts, text, &masked);
    Some(facts)
}

const fn form(grammar: tree_sitter_language::LanguageFn) -> Form {
    Form {
        messages: message,
        is_documentation: |text| {
            text.starts_with("/**")
                || text.starts_with("/*!")
                || text.starts_with("///")
                || text.starts_with("//!")
        },
        is_statement: |kind| {
            kind.ends_with("_statement")
                || kind.ends_with("declaration")
                || kind.ends_with("_definition")
        },
        rules: RULES,
        ..Form::new(grammar, handler, step, TYPES)
    }
}

const RULES: CollectorRules = CollectorRules {
    // Functions appear in tables, and macros in expressions, by their bare names; names of variables
    // are bound.
    keeps_name: Some(|name| name.len() > 1),
    ..CollectorRules::new(&["NOLINT", "clang-format", "coverity", "LCOV"])
};

const TYPES: TypeRules = TypeRules {
    builtin: BUILTIN_TYPES,
    ..TypeRules::new(named_type)
};

/// Types of the languages and of their standard libraries, sorted.
const BUILTIN_TYPES: &[&str] = &[
    "FILE", "auto", "byte", "int128_t", "mode_t", "off_t", "pid_t", "time_t", "typename", "u_char",
    "u_int", "uint", "uint128_t", "ulong", "ushort", "va_list", "wchar_t",
];

/// Kinds of nodes that yield no facts.
const PASSED: &[&str] = &[
    "field_identifier", "namespace_identifier", "statement_identifier", "number_literal",
    "char_literal", "system_lib_string", "primitive_type", "preproc_arg", "attribute_specifier",
    "attribute_declaration", "ms_declspec_modifier", "goto_statement", "null", "true", "false",
    "this", "auto", "literal_suffix", "type_parameter_declaration",
];

fn handler(kind: &str) -> Handler {
    match kind {
        "comment" => comment,
        "string_literal" => text,
        "raw_string_literal" => references::raw_text,
        "identifier" => name,
        "type_identifier" => type_name,
        "field_expression" => member,
        "qualified_identifier" => references::qualified,
        "call_expression" => references::call,
        "new_expression" | "compound_literal_expression" => references::construction,
        "throw_statement" => references::throw,
        "catch_clause" => references::catch,
        "field_initializer" => references::field_initializer,
        "base_class_clause" => base_list,
        "template_argument_list" => type_position,
        "argument_list" => references::arguments,
        "preproc_include" => include,
        "preproc_def" => macros::object_like,
        "preproc_function_def" => macros::function_like,
        "preproc_ifdef" => macros::ifdef,
        "function_definition" => definitions::function,
        "declaration" => definitions::declaration,
        "field_declaration" => definitions::field_declaration,
        "if_statement" => sections::section,
        "for_range_loop" => definitions::loop_variable,
        "structured_binding_declarator" => definitions::structured_binding,
        "lambda_expression" => definitions::lambda,
        "lambda_capture_initializer" => definitions::capture,
        "namespace_definition" => types::namespace,
        "namespace_alias_definition" => types::namespace_alias,
        "struct_specifier" | "union_specifier" | "class_specifier" => types::class,
        "enum_specifier" => types::enumeration,
        "enumerator" => types::enumerator,
        "type_definition" => types::type_definition,
        "alias_declaration" => types::alias,
        "concept_definition" => types::concept,
        "template_declaration" => types::template,
        "template_template_parameter_declaration" | "variadic_type_parameter_declaration" => past,
        "access_specifier" => types::access,
        "friend_declaration" => types::friend,
        _ if PASSED.contains(&kind) => past,
        _ => into,
    }
}

fn step(node: Node<'_>) -> Step<'_> {
    let same = |name| Step::same(field(node, name));
    match node.kind() {
        "identifier"
        | "type_identifier"
        | "field_identifier"
        | "namespace_identifier"
        | "operator_name"
        | "destructor_name"
        | "this" => Step::Name,
        "field_expression" => {
            let name = field(node, "field").and_then(|name| match name.kind() {
                "field_identifier" => Some(name),
                "template_method" => field(name, "name"),
                _ => None,
            });
            Step::member(field(node, "argument"), name)
        }
        "qualified_identifier" => match field(node, "name") {
            Some(rest) => Step::Scoped {
                scope: field(node, "scope"),
                rest,
            },
            None => Step::Other,
        },
        "template_function" | "template_method" | "template_type" => same("name"),
        "struct_specifier" | "union_specifier" | "class_specifier" | "enum_specifier" => {
            same("name")
        }
        "call_expression" => Step::call(field(node, "function")),
        // They yield an object of their type.
        "new_expression" | "cast_expression" | "compound_literal_expression" => {
            Step::call(field(node, "type"))
        }
        "type_descriptor" => same("type"),
        "pointer_expression" | "subscript_expression" | "co_await_expression" => same("argument"),
        "parenthesized_expression" | "dependent_name" | "dependent_type" => {
            Step::same(node.named_child(0))
        }
        _ => Step::Other,
    }
}

/// Returns `A` of `b<A>`, given the node `b`, and one around `b<A>`.
fn type_argument<'n>(name: Node<'n>, whole: Node<'n>) -> Option<Node<'n>> {
    let first = field(parent_in(whole, name)?, "arguments")?.named_child(0)?;
    (first.kind() == "type_descriptor").then_some(first)
}

/// Returns the name in a type: `a`, `b` and `c` for `struct a`, `b<T>` and `const c`. Pointers and arrays
/// are not part of the node.
fn named_type(mut node: Node<'_>) -> Option<Node<'_>> {
    for _ in 0..MAX_TYPE_NESTING {
        node = match node.kind() {
            "type_identifier" | "qualified_identifier" => return Some(node),
            "struct_specifier" | "union_specifier" | "class_specifier" | "enum_specifier"
            | "template_type" => field(node, "name")?,
            "type_descriptor" => field(node, "type")?,
            "dependent_type" | "trailing_return_type" => node.named_child(0)?,
            _ => return None,
        };
    }
    None
}

/// Returns the kind of message that a call carries. C has no exceptions: error reports are recognised by
/// the function's name.
fn message(path: &str, name: &str) -> Option<MessageKind> {
    const ERRORS: [&str; 17] = [
        "error", "err", "errx", "fatal", "panic", "die", "abort", "fail", "failed", "failure",
        "throw", "perror", "exception", "corrupt", "corruption", "invalid", "unsupported",
    ];
    const LOGS: [&str; 12] = [
        "log", "warn", "warning", "warnx", "debug", "info", "trace", "notice", "printf", "fprintf",
        "print", "display",
    ];
    if let Some(kind) = messages::of_call(path, name) {
        return Some(kind);
    }
    let has = |of: &[&str]| messages::words(name).any(|word| messages::is_one_of(word, of));
    if has(&ERRORS) {
        return Some(MessageKind::Error);
    }
    has(&LOGS).then_some(MessageKind::Log)
}

/// Adds the import of `#include "a/b.h"`, which imports everything in it.
fn include<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let Some(path) = field(node, "path") else {
        return Some(Descend::Past);
    };
    let module = match path.kind() {
        "string_literal" => walk.of(path).trim_matches('"'),
        "system_lib_string" => walk.of(path),
        // The name of a macro.
        _ => return Some(Descend::Into),
    };
    let names = vec![ImportedName::new("*", "")];
    let enclosing = walk.context().enclosing.filter(|_| walk.is_in_function());
    walk.collector
        .import(node, enclosing, ImportKind::From, module, names);
    Some(Descend::Past)
}

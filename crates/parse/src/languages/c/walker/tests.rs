//! Tests the facts of C and C++ sources, feature by feature.

use foveate_model::Language;

use crate::testing::{
    c, check_cases, chunks, cpp, definitions, facts, imports, messages, references, same, tests,
};
use crate::{Limits, parse};

/// Adds the final line end that source files have.
fn check(cases: &str, language: Language, facts: fn(Language, &str) -> Vec<String>, least: usize) {
    let count = check_cases(cases.trim_end(), |source| {
        facts(language, &format!("{source}\n"))
    });
    assert!(count >= least, "{count}");
}

#[test]
fn definitions_are_found() {
    check(
        include_str!("tests/c_definitions.txt"),
        c(),
        definitions,
        40,
    );
    check(
        include_str!("tests/cpp_definitions.txt"),
        cpp(),
        definitions,
        40,
    );
}

#[test]
fn statement_behind_an_unknown_macro_is_no_function() {
    let text =
        "int read_it(int n) {\n  begin_stats\n  if (n < 0) {\n    fail(n);\n  }\n  return n;\n}\n";
    let facts = parse(c(), text, &Limits::default());
    let names: Vec<&str> = facts.definitions.iter().map(|of| &*of.name).collect();
    assert_eq!(names, ["read_it"]);
}

#[test]
fn references_are_found() {
    check(include_str!("tests/c_references.txt"), c(), references, 25);
    check(
        include_str!("tests/cpp_references.txt"),
        cpp(),
        references,
        30,
    );
}

#[test]
fn includes_are_imports() {
    check(include_str!("tests/c_imports.txt"), c(), imports, 25);
    check(include_str!("tests/cpp_imports.txt"), cpp(), imports, 25);
}

#[test]
fn error_and_log_messages_are_found() {
    check(include_str!("tests/messages.txt"), cpp(), messages, 8);
}

/// Checks types, locals and other facts about values.
#[test]
fn values() {
    let text = "Foo f(a::Bar* b) { auto c = make(); Baz d(1); return d; }\n\
        struct S { std::vector<int> v; Item i; };\nusing T = b::U;\n";
    let facts = facts(cpp(), text);
    let values = &facts.values;
    let mut found: Vec<String> = Vec::new();
    for local in &values.locals {
        found.push(format!(
            "local {} {}",
            local.name.of(text),
            value(local.value, text)
        ));
    }
    for parameter in &values.parameters {
        let declared = parameter.type_name.map_or("", |known| known.path.of(text));
        found.push(format!("parameter {} {declared}", parameter.name.of(text)));
    }
    for known in &values.types {
        found.push(format!("type {}", known.type_name.path.of(text)));
    }
    for held in &values.held {
        found.push(format!("held {}", value(held.value, text)));
    }
    same(
        &found,
        "local c call make
        local d type Baz
        parameter b a::Bar
        type Foo
        type b::U
        held type std::vector
        held type Item",
        text,
    );
}

#[test]
fn sections_of_tests_are_tests_with_chunks() {
    let text = "TEST_CASE(\"carts\") {\n  SECTION(\"fill\") {\n    add(1);\n  }\n  SUBCASE(\"clear\") {\n    clear();\n  }\n}\n";
    let names = "carts\ncarts.fill\ncarts.clear";
    same(&tests(cpp(), text), names, text);
    let expected = "1-1 Function carts\n2-4 Function carts.fill\n5-8 Function carts.clear";
    same(&chunks(cpp(), text), expected, text);
}

#[test]
fn receivers_belong_to_their_references_behind_unseen_names() {
    let text = "void f() {\n#ifdef A_B\n  if (x()) {\n#else\n  if (yes()) {\n#endif\n    make().run();\n  }\n}\n";
    let facts = facts(cpp(), text);
    let named: Vec<&str> = facts
        .values
        .receivers
        .iter()
        .filter_map(|receiver| facts.references.get(receiver.reference as usize))
        .map(|reference| reference.name.of(text))
        .collect();
    assert_eq!(named, ["run"]);
}

fn value(value: foveate_model::values::Value, text: &str) -> String {
    use foveate_model::values::Value;
    match value {
        Value::Type(known) => format!("type {}", known.path.of(text)),
        Value::Call(path) => format!("call {}", path.of(text)),
        Value::Name(path) => format!("name {}", path.of(text)),
        Value::Element(path) => format!("element {}", path.of(text)),
        Value::CallElement(path) => format!("element {}()", path.of(text)),
        Value::Parameter | Value::Tested(_) | Value::CallbackArgument(_) | Value::Unknown => {
            String::new()
        }
        Value::Member { .. }
        | Value::MemberOfCall { .. }
        | Value::Chain { .. }
        | Value::MemberOfType { .. } => format!("{value:?}"),
    }
}

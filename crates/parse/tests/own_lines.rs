//! Checks where a definition itself begins: attributes, decorators and `template <…>` that the grammar puts
//! beside it belong to its span, and precede its own lines.

#![allow(clippy::unwrap_used)]

use foveate_parse::{Limits, parse};

/// Checks each definition's name with all its lines and the start of its own: `name 1-4 own 2`.
#[track_caller]
fn check(language: &str, source: &str, wanted: &[&str]) {
    let named = foveate_parse::languages::by_name(language).unwrap();
    let facts = parse(named, source, &Limits::default());
    let found: Vec<String> = facts
        .definitions
        .iter()
        .filter(|definition| definition.kind.is_function() || definition.kind.is_container())
        .map(|definition| {
            let (lines, own) = (definition.lines, definition.own_lines());
            assert_eq!(lines.end, own.end);
            let name = &definition.qualified_name;
            format!("{name} {}-{} own {}", lines.start, lines.end, own.start)
        })
        .collect();
    assert_eq!(found, wanted);
}

#[test]
fn rust_attributes_precede_own_lines() {
    check(
        "rust",
        "/// Doc.\n#[inline]\n#[must_use]\npub fn a() {}\n\n#[test] fn b() {}\n",
        &["a 2-4 own 4", "b 6-6 own 6"],
    );
}

#[test]
fn cpp_templates_precede_own_lines() {
    check(
        "cpp",
        "template <typename T,\n          int N>\nint f(T t) {\n  return N;\n}\ntemplate <class T>\nstruct S {\n  template <class U>\n  void g(U u) {}\n  void h() {}\n};\n",
        &[
            "f 1-5 own 3", "S 6-11 own 7", "S.g 8-9 own 9", "S.h 10-10 own 10",
        ],
    );
}

#[test]
fn typescript_decorators_precede_own_lines() {
    check(
        "typescript",
        "@injectable()\nexport class A {\n  @init()\n  protected start() {}\n  stop() {}\n}\n",
        &["A 1-6 own 2", "A.start 3-4 own 4", "A.stop 5-5 own 5"],
    );
}

#[test]
fn inner_decorators_count_as_own_lines() {
    check("python", "@route\ndef a(): pass\n", &["a 1-2 own 1"]);
    check(
        "java",
        "class A {\n  @Override\n  void f() {}\n}\n",
        &["A 1-4 own 1", "A.f 2-3 own 2"],
    );
}

#[test]
fn comment_on_the_line_of_a_definition_documents_it() {
    for (language, source) in [
        (
            "java",
            "class A {\n  /** Doc. */ int a() { return 1; }\n  int b() { return 2; }\n}\n",
        ),
        (
            "typescript",
            "/** Doc. */ export function a() {}\nfunction b() {}\n",
        ),
        (
            "c",
            "/* Doc. */ int a(void) { return 1; }\nint b(void) { return 2; }\n",
        ),
        ("rust", "/** Doc. */ #[inline] fn a() {}\nfn b() {}\n"),
        (
            "rust",
            "/* before */ use c::d;\nfn a() {}\n/// Doc.\nfn a() {}\n",
        ),
    ] {
        let named = foveate_parse::languages::by_name(language).unwrap();
        let facts = parse(named, source, &Limits::default());
        let documented: Vec<_> = facts
            .definitions
            .iter()
            .filter(|definition| !definition.doc.is_empty())
            .map(|definition| (&*definition.name, &*definition.doc))
            .collect();
        assert_eq!(documented, [("a", "Doc.")], "{source}");
    }
}

#[test]
fn here_document_belongs_to_its_definition() {
    let source = "class A\n  X = <<~Y\n    abc\n  Y\n  define_method(:b) { <<~Y }\n    abc\n  Y\n  C = 1\nend\n";
    let named = foveate_parse::languages::by_name("ruby").unwrap();
    let facts = parse(named, source, &Limits::default());
    let lines: Vec<_> = facts
        .definitions
        .iter()
        .map(|definition| {
            let lines = definition.lines;
            (&*definition.qualified_name, lines.start, lines.end)
        })
        .collect();
    assert_eq!(
        lines,
        [("A", 1, 9), ("A.X", 2, 4), ("A.b", 5, 7), ("A.C", 8, 8)]
    );
}

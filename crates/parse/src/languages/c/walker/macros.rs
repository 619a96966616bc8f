//! Collects macros, the references in their texts, and functions whose heads are macros.

use foveate_model::{DefinitionKind, LocalId, ReferenceKind, Span};
use tree_sitter::Node;

use super::declarators::Declarator;
use super::define::{define, is_rewritten};
use crate::collect::{Draft, span};
use crate::languages::c::TESTS;
use crate::syntax::Descend;
use crate::walk::{Handled, Walk, children, field};

/// Longest text of a macro that is searched for references, in bytes.
const MAX_TEXT: usize = 16_384;

/// Adds the macro of `#define A 1`.
pub(super) fn object_like<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let Some(name) = field(node, "name") else {
        return Some(Descend::Past);
    };
    let value = field(node, "value");
    if value.is_none() && is_guard(walk, node, name) {
        return Some(Descend::Past);
    }
    let mut draft = walk.draft(DefinitionKind::Constant, node, name, None);
    draft.body = value.map(span);
    define_macro(walk, draft);
    if let Some(value) = value {
        uses(walk, value, &[]);
    }
    Some(Descend::Past)
}

/// Adds a macro. It belongs to no type or function that it is written in, since it can be used outside of it. The
/// names in its text are often those of the namespace around it.
fn define_macro<'t>(walk: &mut Walk<'t>, draft: Draft<'t>) -> LocalId {
    let around = walk.collector.context;
    walk.collector.context.parent = namespace_around(walk);
    walk.collector.context.access = None;
    let id = define(walk, draft);
    walk.collector.context = around;
    id
}

fn namespace_around(walk: &Walk<'_>) -> Option<LocalId> {
    const MAX_NESTING: usize = 32;
    let mut scope = walk.context().parent;
    for _ in 0..MAX_NESTING {
        let definition = walk.collector.definition(scope?)?;
        if definition.kind == DefinitionKind::Module {
            return scope;
        }
        scope = definition.parent;
    }
    None
}

/// Whether a macro is an include guard: `#ifndef A` and `#define A` prevent that a header is read twice.
fn is_guard(walk: &Walk<'_>, node: Node<'_>, name: Node<'_>) -> bool {
    if is_alone(walk, node) {
        return false;
    }
    let text = walk.collector.text;
    let before = text.get(..node.start_byte()).unwrap_or("").trim_end();
    let line = before.lines().next_back().unwrap_or("").trim_start();
    let condition = line.strip_prefix('#').unwrap_or("").trim_start();
    let tested = condition
        .strip_prefix("ifndef")
        .or_else(|| condition.strip_prefix("if"))
        .unwrap_or("");
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut words = tested
        .split(|c| !is_word(c))
        .filter(|word| !word.is_empty());
    words.any(|word| word == walk.of(name))
}

/// Whether a macro is all that its condition holds. It is then a default: `#ifndef A`, `#define A`, `#endif`.
fn is_alone(walk: &Walk<'_>, node: Node<'_>) -> bool {
    let after = walk.collector.text.get(node.end_byte()..).unwrap_or("");
    let directive = after.trim_start().strip_prefix('#').unwrap_or("");
    directive.trim_start().starts_with("endif")
}

/// Adds the macro of `#define f(a) g(a)`.
pub(super) fn function_like<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let Some(name) = field(node, "name") else {
        return Some(Descend::Past);
    };
    let (list, value) = (field(node, "parameters"), field(node, "value"));
    let mut draft = walk.draft(DefinitionKind::Function, node, name, value);
    draft.parameters = list.map(crate::syntax::inside_brackets);
    let id = define_macro(walk, draft);
    let mut parameters = Vec::new();
    for parameter in list.into_iter().flat_map(children) {
        walk.parameter(id, parameter, None);
        parameters.push(walk.of(parameter));
    }
    walk.enter_definition(depth, id, DefinitionKind::Function);
    if let Some(value) = value {
        uses(walk, value, &parameters);
    }
    Some(Descend::Past)
}

/// Skips the name in the `#ifndef` of an include guard, which is no reference.
pub(super) fn ifdef<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    if let Some(name) = field(node, "name") {
        let next = name.next_named_sibling();
        let guarded =
            next.filter(|next| next.kind() == "preproc_def" && field(*next, "value").is_none());
        let guarded = guarded.filter(|next| !is_alone(walk, *next));
        let guarded = guarded.and_then(|next| field(next, "name"));
        if guarded.is_some_and(|guarded| walk.of(guarded) == walk.of(name)) {
            walk.mark_handled(name);
        }
    }
    Some(Descend::Into)
}

/// Adds references for the names in the text of a macro, which has no tree. A name before `(` is called.
fn uses(walk: &mut Walk<'_>, value: Node<'_>, parameters: &[&str]) {
    let written = walk.of(value);
    let bytes = written.as_bytes();
    let base = value.start_byte();
    let mut at = 0;
    while let Some(byte) = bytes.get(at).copied().filter(|_| at < MAX_TEXT) {
        match byte {
            b'"' | b'\'' => at = past_literal(bytes, at),
            b'/' if bytes.get(at + 1) == Some(&b'/') => return,
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                let rest = written.get(at + 2..).unwrap_or("");
                at += 4 + rest.find("*/").unwrap_or(rest.len());
            }
            b'0'..=b'9' => at = past_word(bytes, at),
            byte if is_word(byte) => {
                let end = past_word(bytes, at);
                if let Some(word) = written.get(at..end)
                    && !parameters.contains(&word)
                    && !is_keyword(word)
                {
                    let name = Span::new(base + at, base + end);
                    let kind = kind_of_use(bytes, at, end);
                    walk.collector.refer_at(kind, name, name);
                }
                at = end;
            }
            _ => at += 1,
        }
    }
}

fn kind_of_use(bytes: &[u8], start: usize, end: usize) -> ReferenceKind {
    let before = bytes.get(..start).unwrap_or_default().trim_ascii_end();
    let after = bytes.get(end..).unwrap_or_default().trim_ascii_start();
    if after.first() == Some(&b'(') {
        return ReferenceKind::Call;
    }
    match before.ends_with(b"->") || before.ends_with(b".") {
        true => ReferenceKind::Attribute,
        false => ReferenceKind::Name,
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

pub(super) fn past_word(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let len = rest.iter().position(|byte| !is_word(*byte));
    at + len.unwrap_or(rest.len()).max(1)
}

fn past_literal(bytes: &[u8], at: usize) -> usize {
    let quote = bytes.get(at).copied();
    let mut end = at + 1;
    while let Some(byte) = bytes.get(end).copied() {
        end += 1 + usize::from(byte == b'\\');
        if Some(byte) == quote {
            break;
        }
    }
    end
}

/// Words that name nothing, sorted.
const KEYWORDS: [&str; 60] = [
    "__VA_ARGS__", "__attribute__", "__extension__", "__typeof__", "asm", "auto", "bool", "break",
    "case", "catch", "char", "class", "const", "constexpr", "continue", "default", "defined",
    "delete", "do", "double", "else", "enum", "explicit", "extern", "false", "float", "for",
    "friend", "goto", "if", "inline", "int", "long", "namespace", "new", "noexcept", "nullptr",
    "private", "public", "register", "return", "short", "signed", "sizeof", "static", "struct",
    "switch", "template", "this", "throw", "true", "try", "typedef", "typename", "typeof", "union",
    "unsigned", "using", "void", "while",
];

pub(super) fn is_keyword(word: &str) -> bool {
    word.len() < 2 || KEYWORDS.binary_search(&word).is_ok()
}

/// Adds a function whose head is a macro: `TEST(Cart, Adds) { … }`, `SYSCALL_DEFINE2(open, …) { … }`. It is
/// named after its title in tests, or after the second of two names; otherwise after the first name or text.
pub(super) fn defined_function<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    found: &Declarator<'t>,
    depth: u32,
) -> Handled {
    let text = walk.collector.text;
    if walk.is_in_function() {
        walk.refer(ReferenceKind::Call, found.name);
        return Some(Descend::Into);
    }
    let start = match is_rewritten(walk, node) {
        true => node.start_byte(),
        false => found.name.start_byte(),
    };
    let head = text.get(start..).unwrap_or("");
    let end = past_word(head.as_bytes(), 0);
    let macro_name = Span::new(start, start + end);
    let list = found.parameters().map(crate::syntax::inside_brackets);
    let names = list.map_or_else(Vec::new, |list| arguments(text, list));
    let called = macro_name.of(text);
    let is_test = called.contains("TEST") || called.contains("BENCHMARK");
    let (name, suite) = match (is_test, names.as_slice()) {
        // `TEST(Suite, name)` and `TEST_CASE_METHOD(Fixture, "title", "[tag]")`. A text is never a suite, though it be
        // one word: the text behind it is a tag.
        (true, [suite, name, rest @ ..])
            if !is_quoted(text, *suite) && (rest.is_empty() || is_quoted(text, *name)) =>
        {
            (*name, Some(*suite))
        }
        (_, [name, ..]) => (*name, None),
        (_, []) => (macro_name, None),
    };
    let kind = DefinitionKind::Function;
    let mut draft = Draft::new(name.of(text), kind, span(node), name);
    if let Some(body) = field(node, "body") {
        draft.body = Some(span(body));
        draft.signature_end = body.start_byte();
    }
    draft.receiver = suite.map(|suite| suite.of(text));
    draft.modifiers.is_out_of_line = suite.is_some() && has_fixture(called);
    draft.modifiers.is_block = is_test;
    draft.decorators = vec![called.into()];
    if is_test_macro(called) && !TESTS.function_decorators.contains(&called) {
        draft.decorators.push("TEST".into());
    }
    draft.parameters = list;
    let id = define(walk, draft);
    walk.enter_definition(depth, id, kind);
    walk.collector
        .refer_at(ReferenceKind::Call, macro_name, macro_name);
    if let Some(suite) = suite {
        walk.collector.refer_at(ReferenceKind::Type, suite, suite);
    }
    let inside = list.map_or(start, |list| list.end as usize);
    walk.collector.skip_to(inside.max(start + end));
    Some(Descend::Into)
}

/// Whether a macro begins tests, whatever the framework: `START_TEST`, `TEST_IMPL`, `ZTEST`.
fn is_test_macro(called: &str) -> bool {
    let mut words = called.split('_');
    let is_test = |word: &str| {
        matches!(word, "TEST" | "TESTS" | "TESTCASE") || word.len() == 5 && word.ends_with("TEST")
    };
    let is_other = |word: &str| matches!(word, "GROUP" | "HELPER" | "SETUP" | "TEARDOWN");
    words.clone().any(is_test) && !words.any(is_other)
}

/// Whether an argument is a text; its span is between the quotes.
fn is_quoted(text: &str, argument: Span) -> bool {
    let before = text.get(..argument.start as usize).unwrap_or("");
    before.ends_with('"')
}

/// Whether the tests of a macro are members of the class that its first argument names: `TEST_F`, `TYPED_TEST`,
/// `TEST_CASE_METHOD` of Catch2, `TEST_CASE_FIXTURE` of doctest.
fn has_fixture(called: &str) -> bool {
    let endings = ["_F", "_P", "_METHOD", "_FIXTURE"];
    endings.iter().any(|ending| called.ends_with(ending)) || called.starts_with("TYPED_TEST")
}

/// Returns the leading arguments of a macro that are plain names or texts.
pub(super) fn arguments(text: &str, list: Span) -> Vec<Span> {
    let mut found = Vec::new();
    let mut start = list.start as usize;
    // A comma in a text separates nothing.
    let (mut in_text, mut before) = (false, ' ');
    let separates = |c: char| {
        in_text ^= c == '"' && before != '\\';
        before = c;
        c == ',' && !in_text
    };
    for argument in list.of(text).split(separates).take(8) {
        let after = start + argument.len() + 1;
        let name = undecorated(argument.trim());
        let from = start + (argument.len() - argument.trim_start().len());
        let is_text = name.len() > 2 && name.starts_with('"') && name.ends_with('"');
        if is_text {
            found.push(Span::new(from + 1, from + name.len() - 1));
        } else if !name.is_empty() && name.bytes().all(is_word) {
            found.push(Span::new(from, from + name.len()));
        } else {
            break;
        }
        start = after;
    }
    found
}

/// Returns the title of a test without the decorators behind it: `"title" * skip()` of doctest.
fn undecorated(argument: &str) -> &str {
    let end = past_literal(argument.as_bytes(), 0);
    let title = argument
        .starts_with('"')
        .then(|| argument.split_at_checked(end));
    match title.flatten() {
        Some((title, rest)) if rest.trim_start().starts_with('*') => title,
        _ => argument,
    }
}

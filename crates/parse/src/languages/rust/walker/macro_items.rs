//! Exposes items inside macro calls, such as `cfg_if! { … }` or `cfg_rt! { pub fn a() {} }`: the call
//! around them is blanked out, so that they are parsed like any others. Every byte keeps its offset. Only the calls
//! are parsed again: the rest of the tree is taken over.

use tree_sitter::{Node, Parser, Tree};

use crate::syntax::{self, Budget};
use crate::walk::{field, last_child};

/// Maximum nesting of calls around items.
const MAX_NESTING: u32 = 3;
/// Maximum number of calls in one text that are examined.
const MAX_CALLS: usize = 1024;

/// Returns the tree of the text without the calls around items; `None` if there are none.
pub(super) fn with_macro_contents(
    tree: &Tree,
    text: &str,
    parser: &mut Parser,
    budget: &mut Budget,
) -> Option<Tree> {
    let mut exposed: Option<(Vec<u8>, Tree)> = None;
    let mut all_at_once = !tree.root_node().has_error();
    for _ in 0..MAX_NESTING {
        let (bytes, tree) = match &exposed {
            Some((bytes, tree)) => (bytes.as_slice(), tree),
            None => (text.as_bytes(), tree),
        };
        let calls = calls(tree.root_node(), bytes);
        if calls.is_empty() {
            break;
        }
        let known = changed_at(tree, &calls);
        if all_at_once {
            let next = with_items(bytes, &calls, |_| true);
            let tree = syntax::tree_reusing(parser, &next, known.as_ref(), budget)?;
            if !tree.root_node().has_error() {
                exposed = Some((next, tree));
                continue;
            }
            // Some of the calls contain no items: from now on, each is parsed by itself first.
            all_at_once = false;
        }
        let next = with_items(bytes, &calls, |items| {
            let tree = syntax::tree(parser, items, budget);
            tree.is_some_and(|tree| !tree.root_node().has_error())
        });
        if next == bytes {
            break;
        }
        let tree = syntax::tree_reusing(parser, &next, known.as_ref(), budget)?;
        exposed = Some((next, tree));
    }
    exposed.map(|(_, tree)| tree)
}

/// Returns a copy of a tree in which the calls are marked as changed. `None` after a syntax error: without the
/// calls, it may hide another part of the text.
fn changed_at(tree: &Tree, calls: &[Node<'_>]) -> Option<Tree> {
    if tree.root_node().has_error() {
        return None;
    }
    let mut changed = tree.clone();
    for call in calls {
        syntax::mark_changed(&mut changed, *call);
    }
    Some(changed)
}

/// Returns a text in which those calls whose items `is_read` are blanked out except for their items.
fn with_items(text: &[u8], calls: &[Node<'_>], mut is_read: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let mut next = text.to_vec();
    for call in calls {
        let items = items(*call, text).filter(|items| is_read(items));
        if let (Some(items), Some(place)) = (items, next.get_mut(call.byte_range())) {
            place.copy_from_slice(&items);
        }
    }
    next
}

/// Returns the calls with braces in the position of items that may contain items.
fn calls<'t>(root: Node<'t>, text: &[u8]) -> Vec<Node<'t>> {
    let mut found = Vec::new();
    let mut pending = vec![root];
    while let Some(list) = pending.pop() {
        let mut cursor = list.walk();
        for mut node in list.named_children(&mut cursor) {
            if node.kind() == "expression_statement" {
                match node.named_child(0) {
                    Some(inner) => node = inner,
                    None => continue,
                }
            }
            match node.kind() {
                "macro_invocation" if found.len() < MAX_CALLS && holds_items(node, text) => {
                    found.push(node);
                }
                "mod_item" | "impl_item" | "trait_item" => {
                    pending.extend(field(node, "body"));
                }
                _ => {}
            }
        }
    }
    found
}

fn tokens(call: Node<'_>) -> Option<Node<'_>> {
    last_child(call).filter(|last| last.kind() == "token_tree")
}

/// Whether a call has braces and its first token may be that of an item.
fn holds_items(call: Node<'_>, text: &[u8]) -> bool {
    let Some(tokens) = tokens(call) else {
        return false;
    };
    let name = field(call, "macro");
    let name = name.and_then(|name| text.get(name.byte_range()));
    // Their content looks like items but means something else.
    if matches!(name, Some(b"quote" | b"macro_rules")) {
        return false;
    }
    if text.get(tokens.start_byte()) != Some(&b'{') {
        return false;
    }
    let inside = parts_of(tokens);
    let first = inside.iter().skip(1).find(|token| !is_comment(token));
    first.is_some_and(|first| begins_item(text.get(first.byte_range()).unwrap_or_default()))
}

/// Whether a token may be the first of an item. `if` begins a choice between items.
fn begins_item(token: &[u8]) -> bool {
    matches!(
        token,
        b"pub"
            | b"fn"
            | b"mod"
            | b"use"
            | b"struct"
            | b"enum"
            | b"impl"
            | b"trait"
            | b"type"
            | b"const"
            | b"static"
            | b"unsafe"
            | b"async"
            | b"if"
            | b"extern"
            | b"#"
            | b"macro_rules"
    )
}

/// Returns the text of a call, blanked out except for its items.
fn items(call: Node<'_>, text: &[u8]) -> Option<Vec<u8>> {
    let tokens = tokens(call)?;
    let mut blanked = text.get(call.byte_range())?.to_vec();
    let (start, mut from) = (call.start_byte(), 0);
    for range in item_ranges(tokens, text) {
        blank(blanked.get_mut(from..range.start - start));
        from = range.end - start;
    }
    blank(blanked.get_mut(from..));
    let parts = parts_of(tokens);
    let strategies = strategies(&parts, text).into_iter();
    let mut replaced: Vec<Replaced> = strategies.map(|range| (range, TYPE)).collect();
    replaced.extend(after_last_body(&parts, text).map(|range| (range, BLANK)));
    add_flags(&parts, text, &mut replaced);
    for (range, by) in replaced {
        let range = range.start - start..range.end - start;
        blank(blanked.get_mut(range.clone()));
        if let Some(place) = blanked.get_mut(range.start..range.start + by.len()) {
            place.copy_from_slice(by);
        }
    }
    // The last item may lack its semicolon.
    *blanked.last_mut()? = b';';
    Some(blanked)
}

/// A range of the text, and what it begins with instead; the rest of it becomes blank. The range is not shorter.
type Replaced = (std::ops::Range<usize>, &'static [u8]);

const BLANK: &[u8] = b"";
/// Stands for the type of a parameter of a property test; as long as ` in` with its blank.
const TYPE: &[u8] = b":_";

/// Returns the ranges of ` in …` in parameters of the functions in a call: `fn adds(n in 0..10)` is a property
/// test of proptest.
fn strategies(parts: &[Node<'_>], text: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let lists = parts.windows(3).filter_map(|three| match three {
        [first, _, list] if first.kind() == "fn" && list.kind() == "token_tree" => Some(*list),
        _ => None,
    });
    for list in lists {
        let mut cursor = list.walk();
        let mut start = None;
        for token in list.children(&mut cursor) {
            match text.get(token.byte_range()).unwrap_or_default() {
                b"in" => start = start.or(Some(token.start_byte())),
                b"," | b")" => {
                    found.extend(start.take().map(|start| start..token.start_byte()));
                }
                _ => {}
            }
        }
    }
    found
}

/// Returns the range of what a macro takes after the body of the last item: `?= 0` in `ffi_fn! { fn f() {} ?= 0 }`.
fn after_last_body(parts: &[Node<'_>], text: &[u8]) -> Option<std::ops::Range<usize>> {
    let of = |part: &Node<'_>| text.get(part.byte_range()).unwrap_or_default();
    let (_, parts) = parts.split_last()?;
    let body = parts.iter().rposition(|part| is_braces(*part, text))?;
    let after = parts.get(body + 1..)?;
    let mut tokens = after.iter().filter(|part| !is_comment(part));
    let (first, last) = (tokens.next()?, after.last()?);
    let is_item = begins_item(of(first)) || after.iter().any(|part| of(part) == b";");
    (!is_item).then(|| first.start_byte()..last.end_byte())
}

/// Makes an enum of each `struct A: u8 { const B = 1; }`, which is how the crate bitflags declares flags:
/// `enum A { B = 1, }`.
fn add_flags(parts: &[Node<'_>], text: &[u8], replaced: &mut Vec<Replaced>) {
    let of = |part: &Node<'_>| text.get(part.byte_range()).unwrap_or_default();
    for (at, part) in parts.iter().enumerate() {
        let Some([_, colon, rest @ ..]) = parts.get(at + 1..) else {
            return;
        };
        if of(part) != b"struct" || of(colon) != b":" {
            continue;
        }
        // The type is a path.
        let mut after_type = rest.iter().take(MAX_TYPE_TOKENS);
        let Some(body) = after_type.find(|part| is_braces(**part, text)) else {
            continue;
        };
        replaced.push((part.byte_range(), b"enum"));
        replaced.push((colon.start_byte()..body.start_byte(), BLANK));
        add_constants(*body, text, replaced);
    }
}

/// Maximum number of tokens of the type of flags.
const MAX_TYPE_TOKENS: usize = 16;

/// Makes variants of the constants in the body of flags, except for nameless ones.
fn add_constants(body: Node<'_>, text: &[u8], replaced: &mut Vec<Replaced>) {
    let mut cursor = body.walk();
    let mut start = None;
    let (mut is_name, mut is_nameless) = (false, false);
    for token in body.children(&mut cursor) {
        let is_first = std::mem::take(&mut is_name);
        match (text.get(token.byte_range()).unwrap_or_default(), start) {
            (b"const", None) => {
                replaced.push((token.byte_range(), BLANK));
                start = Some(token.end_byte());
                (is_name, is_nameless) = (true, false);
            }
            (b"_", Some(_)) if is_first => is_nameless = true,
            (b";", Some(after)) => {
                match is_nameless {
                    true => replaced.push((after..token.end_byte(), BLANK)),
                    false => replaced.push((token.byte_range(), b",")),
                }
                start = None;
            }
            _ => {}
        }
    }
}

fn parts_of(tokens: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = tokens.walk();
    tokens.children(&mut cursor).collect()
}

fn is_comment(part: &Node<'_>) -> bool {
    part.kind().ends_with("comment")
}

/// Whether a part of a call is a list of tokens in braces.
fn is_braces(part: Node<'_>, text: &[u8]) -> bool {
    part.kind() == "token_tree" && text.get(part.start_byte()) == Some(&b'{')
}

fn blank(text: Option<&mut [u8]>) {
    for byte in text.into_iter().flatten() {
        if !byte.is_ascii_whitespace() {
            *byte = b' ';
        }
    }
}

/// Returns the ranges of the items, in order. Those of `cfg_if! { if #[…] { … } else { … } }` are in
/// the inner braces.
fn item_ranges(tokens: Node<'_>, text: &[u8]) -> Vec<std::ops::Range<usize>> {
    let inside = |node: Node<'_>| node.start_byte() + 1..node.end_byte().saturating_sub(1);
    let parts = parts_of(tokens);
    let first = parts.iter().skip(1).find(|part| !is_comment(part));
    let is_choice = first.is_some_and(|first| text.get(first.byte_range()) == Some(b"if"));
    if !is_choice {
        return vec![inside(tokens)];
    }
    let blocks = parts.into_iter().filter(|part| is_braces(*part, text));
    blocks.map(inside).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    #[test]
    fn only_calls_are_parsed_again() {
        let functions = "fn f(a: u8) -> u8 { let b = \"c\"; g(b, a) }\n".repeat(500);
        let text = format!("{functions}cfg_rt! {{ pub fn h() {{}} }}\n{functions}");
        let exposed = format!(
            "{functions}{}pub fn h() {{}} ;\n{functions}",
            " ".repeat(10)
        );
        assert_eq!(text.len(), exposed.len());
        let mut parser = Parser::new();
        let language = tree_sitter_rust::LANGUAGE.into();
        parser.set_language(&language).unwrap();
        let mut budget = Budget::new(&Limits::default());
        let all = budget.steps();
        let tree = syntax::tree(&mut parser, text.as_bytes(), &mut budget).unwrap();
        let first = all - budget.steps();
        let again = with_macro_contents(&tree, &text, &mut parser, &mut budget).unwrap();
        let second = all - first - budget.steps();
        assert!(second < first / 2, "{second} steps after {first}");
        let fresh = syntax::tree(&mut parser, exposed.as_bytes(), &mut budget).unwrap();
        let written = |tree: &Tree| tree.root_node().to_sexp();
        assert_eq!(written(&again), written(&fresh));
    }
}

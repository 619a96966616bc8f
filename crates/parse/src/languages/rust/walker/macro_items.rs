//! Exposes items inside macro calls, such as `cfg_if! { … }` or `cfg_rt! { pub fn a() {} }`: the call
//! around them is blanked out, so that they are parsed like any others. Every byte keeps its offset.

use tree_sitter::{Node, Parser, Tree};

use crate::syntax::{self, Budget};
use crate::walk::{field, last_child};

/// Maximum nesting of such calls.
const MAX_NESTING: u32 = 3;
/// Maximum number of calls of one text that are examined.
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
        if all_at_once {
            let next = with_items(bytes, &calls, |_| true);
            let tree = syntax::tree(parser, &next, budget)?;
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
        let tree = syntax::tree(parser, &next, budget)?;
        exposed = Some((next, tree));
    }
    exposed.map(|(_, tree)| tree)
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
    if matches!(name, Some(b"bitflags" | b"quote" | b"macro_rules")) {
        return false;
    }
    if text.get(tokens.start_byte()) != Some(&b'{') {
        return false;
    }
    let mut cursor = tokens.walk();
    let mut inside = tokens.children(&mut cursor).skip(1);
    let first = inside.find(|token| !token.kind().ends_with("comment"));
    first.is_some_and(|first| {
        matches!(
            text.get(first.byte_range()).unwrap_or_default(),
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
        ) || (first.kind() == "identifier" && text.get(first.byte_range()) == Some(b"macro_rules"))
    })
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
    for strategy in strategies(tokens, text) {
        let range = strategy.start - start..strategy.end - start;
        blank(blanked.get_mut(range.clone()));
        if let Some(place) = blanked.get_mut(range.start..range.start + TYPE.len()) {
            place.copy_from_slice(TYPE);
        }
    }
    // The last item may lack its semicolon.
    *blanked.last_mut()? = b';';
    Some(blanked)
}

/// Stands for the type of a parameter of a property test; as long as ` in` with its blank.
const TYPE: &[u8] = b":_";

/// Returns the ranges of ` in …` in parameters of the functions in a call: `fn adds(n in 0..10)` is a property
/// test of proptest.
fn strategies(tokens: Node<'_>, text: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut cursor = tokens.walk();
    let parts: Vec<Node<'_>> = tokens.children(&mut cursor).collect();
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
    let mut cursor = tokens.walk();
    let parts: Vec<Node<'_>> = tokens.children(&mut cursor).collect();
    let first = parts
        .iter()
        .skip(1)
        .find(|part| !part.kind().ends_with("comment"));
    let is_choice = first.is_some_and(|first| text.get(first.byte_range()) == Some(b"if"));
    if !is_choice {
        return vec![inside(tokens)];
    }
    let blocks = parts
        .into_iter()
        .filter(|part| part.kind() == "token_tree" && text.get(part.start_byte()) == Some(&b'{'));
    blocks.map(inside).collect()
}

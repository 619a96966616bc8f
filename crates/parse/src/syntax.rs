//! Wraps tree-sitter: bounded parsing, tables from node kinds to actions, and one iterative walk over a
//! tree. It knows no language. It must not recurse, because trees can be as deep as their text is long.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use foveate_model::{ParseIssue, Span};
use tree_sitter::{InputEdit, Language, Node, ParseOptions, Parser, Point, Tree};

use crate::limits::Limits;

/// The action of a walker for each node kind, indexed by kind id. It costs one array access per node,
/// whereas a tree-sitter query costs two to three times as much as the walk.
#[derive(Debug)]
pub(crate) struct KindTable<A> {
    actions: Box<[A]>,
    other: A,
}

impl<A: Copy> KindTable<A> {
    /// Calls `action` with the name of every node kind of `language`; `other` is the action for error
    /// nodes.
    pub(crate) fn new(language: &Language, other: A, action: impl Fn(&str, IsNamed) -> A) -> Self {
        let actions = (0..language.node_kind_count())
            .map(|id| u16::try_from(id).unwrap_or(u16::MAX))
            .map(|id| {
                let named = IsNamed(language.node_kind_is_named(id));
                action(language.node_kind_for_id(id).unwrap_or(""), named)
            })
            .collect();
        Self { actions, other }
    }

    /// Returns the action for this node.
    #[inline]
    pub(crate) fn of(&self, node: Node<'_>) -> A {
        self.actions
            .get(usize::from(node.kind_id()))
            .copied()
            .unwrap_or(self.other)
    }
}

/// Whether a node kind is a rule of the grammar, as opposed to a token such as `(`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IsNamed(pub(crate) bool);

/// Returns the id of a field of the grammar, or an id that no node has.
pub(crate) fn field(language: &Language, name: &str) -> u16 {
    language
        .field_id_for_name(name)
        .map_or(u16::MAX, std::num::NonZero::get)
}

/// Defines `Fields`: the ids of fields of a grammar, by their names.
macro_rules! fields {
    ($($name:ident),+) => {
        pub(super) struct Fields {
            $(pub(super) $name: u16,)+
        }

        impl Fields {
            fn new(language: &tree_sitter::Language) -> Self {
                // A keyword is written as `r#type`.
                let id = |name: &str| $crate::syntax::field(language, name.trim_start_matches("r#"));
                Self {
                    $($name: id(stringify!($name)),)+
                }
            }
        }
    };
}
pub(crate) use fields;

/// Defines `Kind`: the meanings of nodes for a walker, each with the names of these nodes.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $($name:literal)|+;)+) => {
        /// The meaning of a node for the walker.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Kind {
            /// Neither the node nor its descendants matter.
            Skip,
            /// Only the descendants matter.
            Plain,
            $($(#[$doc])* $kind,)+
        }

        impl Kind {
            fn of(name: &str, skipped: &[&str]) -> Self {
                match name {
                    $($($name)|+ => Self::$kind,)+
                    _ if skipped.contains(&name) => Self::Skip,
                    _ => Self::Plain,
                }
            }
        }
    };
}
pub(crate) use kinds;

/// What remains of the limits for one file, over all the times that it is parsed.
pub(crate) struct Budget {
    steps: u64,
    timeout: Duration,
    spent: Stopwatch,
}

impl Budget {
    /// Creates a budget with everything that the limits allow.
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            steps: limits.max_steps,
            timeout: limits.timeout,
            spent: Stopwatch::start(),
        }
    }

    /// Returns the steps that are left.
    #[cfg(test)]
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    /// Takes steps from the budget; breaks if too few are left, or the time is over.
    fn take(&mut self, steps: u64) -> ControlFlow<()> {
        match self.steps.checked_sub(steps) {
            Some(left) if !self.spent.is_over(self.timeout) => {
                self.steps = left;
                ControlFlow::Continue(())
            }
            _ => {
                // Any further parse is aborted too, however short it is.
                self.steps = 0;
                ControlFlow::Break(())
            }
        }
    }
}

/// Measures the CPU time of this thread, so that concurrent work does not count.
struct Stopwatch {
    started: Instant,
    cpu: Duration,
}

impl Stopwatch {
    fn start() -> Self {
        Self {
            started: Instant::now(),
            cpu: thread_time(),
        }
    }

    fn elapsed(&self) -> Duration {
        thread_time().saturating_sub(self.cpu)
    }

    /// Whether more than `limit` was spent. It is called often. Reading the clock costs a tenth of asking
    /// for the CPU time, which never exceeds the elapsed time.
    fn is_over(&self, limit: Duration) -> bool {
        self.started.elapsed() > limit && self.elapsed() > limit
    }
}

fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Number of steps between two progress reports of tree-sitter: `OP_COUNT_PER_PARSER_CALLBACK_CHECK` in its
/// `parser.c`.
const STEPS_BETWEEN_CALLS: u64 = 100;

thread_local! {
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// Calls a function with this thread's parser of a language. `None` if the grammar does not load.
pub(crate) fn with_parser<T>(
    language: &Language,
    parse: impl FnOnce(&mut Parser) -> Option<T>,
) -> Option<T> {
    PARSER.with_borrow_mut(|parser| {
        parser.set_language(language).ok()?;
        parse(parser)
    })
}

/// Parses `text` within the budget. `None` if the budget is spent, or the grammar does not load.
pub(crate) fn tree(parser: &mut Parser, text: &[u8], budget: &mut Budget) -> Option<Tree> {
    tree_reusing(parser, text, None, budget)
}

/// Parses `text` like [`tree`]. Where nothing was marked by [`mark_changed`], the nodes of `known` are taken over: the
/// tree of another text with the same length and line ends.
///
/// A last line without line end gets one while it is parsed: directives need it, and scanners search for it
/// without checking for the end of the text.
pub(crate) fn tree_reusing(
    parser: &mut Parser,
    text: &[u8],
    known: Option<&Tree>,
    budget: &mut Budget,
) -> Option<Tree> {
    budget.take(1).is_continue().then_some(())?;
    let line_end: &[u8] = match text.last() {
        None | Some(b'\n') => b"",
        Some(_) => b"\n",
    };
    // The line end would make the text longer than that of the known tree.
    let known = known.filter(|_| line_end.is_empty());
    let mut progress = |_: &tree_sitter::ParseState| budget.take(STEPS_BETWEEN_CALLS);
    let mut tree = parser.parse_with_options(
        &mut |at, _| match at.cmp(&text.len()) {
            Ordering::Less => text.get(at..).unwrap_or_default(),
            Ordering::Equal => line_end,
            Ordering::Greater => b"",
        },
        known,
        Some(ParseOptions::new().progress_callback(&mut progress)),
    );
    match &mut tree {
        Some(tree) if !line_end.is_empty() => tree.edit(&without_line_end(text)),
        Some(_) => {}
        None => parser.reset(),
    }
    tree
}

/// Marks the place of a node as changed, by as many bytes with the same line ends.
pub(crate) fn mark_changed(tree: &mut Tree, node: Node<'_>) {
    let (end_byte, end_position) = (node.end_byte(), node.end_position());
    tree.edit(&InputEdit {
        start_byte: node.start_byte(),
        old_end_byte: end_byte,
        new_end_byte: end_byte,
        start_position: node.start_position(),
        old_end_position: end_position,
        new_end_position: end_position,
    });
}

/// Returns the edit that removes a line end after a text.
fn without_line_end(text: &[u8]) -> InputEdit {
    let last_line = memchr::memrchr(b'\n', text).map_or(0, |at| at + 1);
    let row = memchr::memchr_iter(b'\n', text).count();
    let end = Point::new(row, text.len() - last_line);
    InputEdit {
        start_byte: text.len(),
        old_end_byte: text.len() + 1,
        new_end_byte: text.len(),
        start_position: end,
        old_end_position: Point::new(row + 1, 0),
        new_end_position: end,
    }
}

/// Returns the 1-based line of the first error anywhere in a tree. If the error itself is not a visible
/// node, it is the line of the innermost node that contains it.
fn first_error(tree: &Tree) -> Option<u32> {
    let mut node = Some(tree.root_node()).filter(Node::has_error)?;
    while !node.is_error() && !node.is_missing() {
        let mut cursor = node.walk();
        let mut children = node.children(&mut cursor);
        let Some(child) = children.find(Node::has_error) else {
            break;
        };
        node = child;
    }
    u32::try_from(node.start_position().row + 1).ok()
}

/// Receives the nodes of a tree. The shared walker ([`crate::walk`]) and those of Python and ECMAScript
/// implement it.
pub(crate) trait Visitor<'tree> {
    /// Called on the way down; the result says whether to visit the node's children.
    fn enter(&mut self, node: Node<'tree>, depth: u32) -> Descend;
    /// Called after the node entered at this depth, and everything below it, was visited.
    fn leave(&mut self, depth: u32);
}

/// Whether the walk goes into a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Descend {
    /// Visit the children.
    Into,
    /// Continue with the next sibling.
    Past,
}

/// Visits the tree in text order, at most `max_depth` levels down. Returns what the facts lack: those of nodes
/// further down, and those that a syntax error hides.
pub(crate) fn walk<'tree>(
    tree: &'tree Tree,
    max_depth: u32,
    visitor: &mut impl Visitor<'tree>,
) -> Vec<ParseIssue> {
    let error = first_error(tree).map(|line| ParseIssue::Syntax { line });
    let mut cut = None;
    let mut cursor = tree.walk();
    let mut depth = 0;
    loop {
        if visitor.enter(cursor.node(), depth) == Descend::Into {
            if depth >= max_depth {
                cut = Some(ParseIssue::Depth);
            } else if cursor.goto_first_child() {
                depth += 1;
                continue;
            }
        }
        loop {
            visitor.leave(depth);
            if cursor.goto_next_sibling() {
                break;
            }
            if depth == 0 || !cursor.goto_parent() {
                return error.into_iter().chain(cut).collect();
            }
            depth -= 1;
        }
    }
}

/// Maximum number of children that are asked for by their positions. A cursor goes through more of them faster, but its
/// memory is allocated.
const FEW_CHILDREN: usize = 8;

/// Returns the named children of a node.
pub(crate) fn children<'n>(node: Node<'n>) -> Vec<Node<'n>> {
    let count = node.named_child_count();
    if count > FEW_CHILDREN {
        let mut cursor = node.walk();
        return node.named_children(&mut cursor).collect();
    }
    let mut found = Vec::with_capacity(count);
    found.extend(few_children(node, count));
    found
}

/// Returns the first named child of a kind.
pub(crate) fn child_of_kind<'n>(node: Node<'n>, kind: &str) -> Option<Node<'n>> {
    let count = node.named_child_count();
    let is_of_kind = |child: &Node<'n>| child.kind() == kind;
    if count > FEW_CHILDREN {
        let mut cursor = node.walk();
        let mut children = node.named_children(&mut cursor);
        return children.find(is_of_kind);
    }
    few_children(node, count).find(is_of_kind)
}

fn few_children<'n>(node: Node<'n>, count: usize) -> impl Iterator<Item = Node<'n>> {
    (0..).take(count).filter_map(move |at| node.named_child(at))
}

/// Returns the parent of a node inside another one. tree-sitter looks for it from the root of the tree on.
pub(crate) fn parent_in<'n>(whole: Node<'n>, part: Node<'n>) -> Option<Node<'n>> {
    if whole == part {
        return part.parent();
    }
    let mut around = whole;
    while let Some(next) = around.child_with_descendant(part) {
        if next == part {
            break;
        }
        around = next;
    }
    Some(around)
}

/// Returns the text between the parentheses of a list. After a syntax error one of them may be missing.
pub(crate) fn inside_brackets(list: Node<'_>) -> Span {
    let mut cursor = list.walk();
    let (mut start, mut end) = (list.start_byte(), list.end_byte());
    for child in list.children(&mut cursor) {
        match child.kind() {
            "(" if child.start_byte() == list.start_byte() => start = child.end_byte(),
            ")" if child.end_byte() == list.end_byte() => end = child.start_byte(),
            _ => {}
        }
    }
    Span::new(start, end.max(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_and_parents_are_those_of_the_grammar() {
        let list = "a(b, \"c\", d::<E>(f)); ".repeat(9);
        let text = format!("mod m {{ fn f() {{ {list} }} }}");
        let mut parser = Parser::new();
        let language = Language::new(tree_sitter_rust::LANGUAGE);
        parser.set_language(&language).unwrap();
        let tree = parser.parse(&text, None).unwrap();
        let mut pending = vec![tree.root_node()];
        let mut most = 0;
        while let Some(node) = pending.pop() {
            let mut cursor = node.walk();
            let known: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
            assert_eq!(children(node), known);
            for child in &known {
                assert_eq!(parent_in(tree.root_node(), *child), Some(node));
                assert_eq!(parent_in(*child, *child), Some(node));
                let first = known.iter().find(|one| one.kind() == child.kind());
                assert_eq!(child_of_kind(node, child.kind()).as_ref(), first);
            }
            most = most.max(known.len());
            pending.extend(known);
        }
        assert!(most > FEW_CHILDREN);
    }

    #[test]
    fn waiting_does_not_count_as_spent_time() {
        let spent = Stopwatch::start();
        let limit = Duration::from_millis(20);
        std::thread::sleep(4 * limit);
        assert!(!spent.is_over(limit), "{:?}", spent.elapsed());
        while !spent.is_over(limit) {
            std::hint::spin_loop();
        }
        assert!(spent.elapsed() > limit);
    }
}

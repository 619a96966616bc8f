//! Adds comments, and finds those that document what follows them.

use foveate_model::{RegionKind, Span};
use tree_sitter::Node;

use super::{Collector, row, span};

/// A run of comments on lines of their own, without gaps between them.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommentRun {
    pub(super) span: Span,
    pub(super) first_row: u32,
    pub(super) last_row: u32,
}

impl Collector<'_> {
    /// Adds a comment to the regions and to the run of comments that may document the next definition.
    pub(crate) fn comment(&mut self, node: Node<'_>, kind: RegionKind) {
        let place = span(node);
        self.region(kind, place);
        let (first_row, column) = (row(node), node.start_position().column);
        let end = node.end_position();
        // Some grammars include the line end in the comment.
        let ends_line = end.column == 0 && end.row > node.start_position().row;
        let last_row = u32::try_from(end.row - usize::from(ends_line)).unwrap_or(u32::MAX);
        let is_block = kind == RegionKind::Documentation && self.of(node).starts_with("/*");
        let line_start = node.start_byte().saturating_sub(column);
        let before = self.text.get(line_start..node.start_byte()).unwrap_or("");
        if !before.trim().is_empty() {
            return;
        }
        self.layout.comments = Some(match self.layout.comments {
            // A documentation block starts a new run: the comments above it document something else.
            Some(run) if run.last_row + 1 == first_row && !is_block => CommentRun {
                span: Span::new(run.span.start as usize, node.end_byte()),
                last_row,
                ..run
            },
            _ => CommentRun {
                span: place,
                first_row,
                last_row,
            },
        });
    }

    /// Returns the comments that end on the line before a declaration, or on its line.
    pub(crate) fn comment_above(&self, node: Node<'_>) -> Option<Span> {
        let run = self
            .layout
            .comments
            .filter(|run| self.documents(run, row(node), span(node)));
        run.map(|run| run.span)
    }

    /// Whether a run of comments is directly before what begins in a row, or above it: `/** … */ int f();`.
    pub(super) fn documents(&self, run: &CommentRun, row: u32, place: Span) -> bool {
        let end = run.span.end as usize;
        let between = match run.last_row {
            last if last == row => self.text.get(end..place.start as usize),
            // Some grammars include the line end in the comment.
            last if last + 1 == row && run.span.of(self.text).ends_with('\n') => Some(""),
            last if last + 1 == row => self.text.get(end..).and_then(|rest| rest.lines().next()),
            _ => None,
        };
        between.is_some_and(|between| between.trim().is_empty())
    }
}

//! Assigns attributes to the definitions after them.

use foveate_model::Span;
use tree_sitter::Node;

use super::Walk;
use crate::collect::Draft;

/// Adjacent attributes, in a grammar that does not put them inside the definition after them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attributes {
    /// The start of the first attribute.
    start: usize,
    /// The end of the last attribute, or of the last comment after it.
    end: usize,
    /// The attributes as written, without arguments.
    pub(crate) names: Vec<Box<str>>,
    /// The comments after the last attribute.
    pub(crate) comments: Option<Span>,
}

impl Attributes {
    /// Whether only blanks are between the attributes and what begins at `start`.
    fn are_before(&self, text: &str, start: usize) -> bool {
        let between = text.get(self.end..start);
        between.is_some_and(|between| between.trim().is_empty())
    }
}

impl<'t> Walk<'t> {
    /// Adds an attribute, which belongs to the definition after it, if one follows.
    pub(crate) fn add_attribute(&mut self, node: Node<'t>, name: Box<str>) {
        let text = self.collector.text;
        let known = self.attributes.take();
        let known = known.filter(|known| known.are_before(text, node.start_byte()));
        let mut attributes = known.unwrap_or(Attributes {
            start: node.start_byte(),
            ..Attributes::default()
        });
        attributes.end = node.end_byte();
        attributes.names.push(name);
        attributes.comments = None;
        self.attributes = Some(attributes);
    }

    /// Adds a comment, which may be between attributes and their definition.
    pub(crate) fn add_comment_after_attributes(&mut self, node: Node<'t>) {
        let (text, start) = (self.collector.text, node.start_byte());
        let Some(mut attributes) = self.attributes.take() else {
            return;
        };
        // It may be inside an attribute, too.
        if start >= attributes.end {
            if !attributes.are_before(text, start) {
                return;
            }
            let first = attributes
                .comments
                .map_or(start, |known| known.start as usize);
            attributes.end = node.end_byte();
            attributes.comments = Some(Span::new(first, node.end_byte()));
        }
        self.attributes = Some(attributes);
    }

    /// Returns the attributes directly before a node, without comments.
    pub(crate) fn attributes_of(&self, node: Node<'t>) -> Option<&Attributes> {
        let known = self.attributes.as_ref();
        known.filter(|known| known.are_before(self.collector.text, node.start_byte()))
    }

    /// Adds the attributes directly before a definition to it. Those before anything else belong to none.
    pub(super) fn take_attributes(&mut self, draft: &mut Draft<'t>) {
        let start = draft.span.start as usize;
        let attributes = self.attributes.take();
        if let Some(attributes) =
            attributes.filter(|known| known.are_before(self.collector.text, start))
        {
            draft.own_start = draft.own_start.or(Some(draft.span.start));
            draft.span = Span::new(attributes.start, draft.span.end as usize);
            draft.decorators.extend(attributes.names);
        }
    }
}

//! Evaluates paths that start with an unbound name by the full names of definitions.

use foveate_model::values::Link;

use super::{Evaluator, Outcome, Value};
use crate::graph::names::Position;
use crate::graph::paths::Segment;

impl<'a> Evaluator<'a> {
    /// Whether the head of a path may be a namespace or package that the file does not bind.
    pub(super) fn may_be_qualified(&self, position: Position, head: Outcome) -> bool {
        head.found.is_empty()
            && head.value == Value::Unbound
            && self.names.rules(position.file).paths_may_be_qualified
    }

    /// Like [`Self::qualified`] for the names of a chain up to and including the first called one.
    pub(super) fn qualified_links(
        &self,
        position: Position,
        links: &[Link],
    ) -> Option<(Outcome, usize)> {
        let text = self.names.text(position.file);
        let called = links.iter().position(|link| link.is_called);
        let links = links.get(..=called.unwrap_or(links.len() - 1))?;
        let start = links.first()?.name.start as usize;
        let end = |link: &Link| link.name.end as usize;
        let path = text.get(start..end(links.last()?))?;
        let segments = links.iter().map(|link| Segment {
            name: link.name.of(text),
            end: end(link).saturating_sub(start),
        });
        self.qualified(position, path, &segments.collect::<Vec<_>>())
    }

    /// Evaluates the longest known prefix of a path and returns how many names it has.
    pub(super) fn qualified(
        &self,
        position: Position,
        path: &str,
        segments: &[Segment<'a>],
    ) -> Option<(Outcome, usize)> {
        let beginning = self.names.qualified(position, path, segments)?;
        let outcome = Outcome {
            confidence: beginning.confidence,
            ..Outcome::certain(beginning.found)
        };
        Some((outcome, beginning.names))
    }
}

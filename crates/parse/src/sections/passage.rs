//! Picks the lines to show for a hit: the smallest part of a file that a reader understands.

use foveate_model::Lines;

use super::section::Section;

/// Smallest number of lines of a passage, if the file has them.
const MIN_LINES: u32 = 4;
/// A part grows into its enclosing section while that has at most this many lines.
const COMFORTABLE_LINES: u32 = 24;

/// Returns the lines to show for a hit at `around`, and the title of the section that they belong to.
///
/// They are the innermost section around the middle of `around` that can be read alone (a heading with
/// everything below it, a job, a table, a statement), if it has at most `max_lines` lines. If it is longer,
/// they are the key, step or run of lines inside it; if even that is longer, a window that begins with the
/// heading if the hit is near. Keys that no such section encloses grow into their parents up to 24 lines. A
/// passage that has fewer than 4 lines, or does not cover `around`, grows by its neighbours under the same
/// parent and keeps its title. Blank lines at the end are left out. `None` without sections.
pub fn passage(sections: &[Section], around: Lines, max_lines: u32) -> Option<(Lines, String)> {
    let tree = Tree { sections };
    let last = sections.last()?.lines.end;
    let around = Lines::new(around.start.clamp(1, last), around.end.clamp(1, last));
    let centre = around.start + (around.end - around.start) / 2;
    let max_lines = max_lines.max(1);
    let leaf = tree.at(centre)?;
    let (node, lines) = tree
        .readable_section(leaf, max_lines)
        .unwrap_or_else(|| (leaf, tree.window(leaf, centre, max_lines)));
    let lines = tree.expanded(node, lines, around, max_lines);
    let title = sections.get(node)?.title.clone();
    Some((lines, title))
}

#[derive(Clone, Copy)]
struct Tree<'s> {
    sections: &'s [Section],
}

impl Tree<'_> {
    /// Returns the section that owns `line`.
    fn at(self, line: u32) -> Option<usize> {
        let after = self.sections.partition_point(|s| s.lines.start <= line);
        after.checked_sub(1)
    }

    fn depth(self, node: usize) -> u32 {
        self.sections.get(node).map_or(0, |section| section.depth)
    }

    fn parent(self, node: usize) -> Option<usize> {
        let depth = self.depth(node);
        let before = self.sections.get(..node)?;
        before.iter().rposition(|section| section.depth < depth)
    }

    /// Returns a section's own lines, without blank lines at their end.
    fn own(self, node: usize) -> Lines {
        self.sections.get(node).map_or(Lines::new(1, 1), |section| {
            let end = section.lines.end - section.blank_tail;
            Lines::new(section.lines.start, end)
        })
    }

    /// Returns the lines of a section and everything below it, without blank lines at their end.
    fn subtree(self, node: usize) -> Lines {
        let own = self.own(node);
        let end = self.sections.get(node).map(|section| section.subtree_end);
        let last = end.and_then(|end| self.at(end));
        Lines::new(own.start, last.map_or(own.end, |last| self.own(last).end))
    }

    /// Returns the section to show whole instead of `leaf`, if one fits.
    fn readable_section(self, leaf: usize, max_lines: u32) -> Option<(usize, Lines)> {
        let up = std::iter::successors(Some(leaf), |node| self.parent(*node));
        let fitting = |max: u32| {
            let fits = move |node: &usize| self.subtree(*node).count() <= max;
            up.clone().take_while(fits)
        };
        let alone = |node: &usize| {
            let section = self.sections.get(*node);
            section.is_some_and(|section| section.kind.stands_alone())
        };
        let is_enough = |node: &usize| self.subtree(*node).count() >= MIN_LINES;
        let comfortable = COMFORTABLE_LINES.min(max_lines);
        let chosen = match fitting(max_lines).find(alone) {
            Some(node) if is_enough(&node) => Some(node),
            Some(node) => fitting(comfortable).find(is_enough).or(Some(node)),
            None => fitting(comfortable)
                .last()
                .or_else(|| fitting(max_lines).next()),
        };
        let own = self.own(leaf);
        chosen
            .map(|node| (node, self.subtree(node)))
            .or_else(|| (own.count() <= max_lines).then_some((leaf, own)))
    }

    /// Returns a part of a section that is too long, beginning with its heading if `centre` is near enough.
    fn window(self, leaf: usize, centre: u32, max_lines: u32) -> Lines {
        let own = self.own(leaf);
        let end = own.end.max(centre);
        let from_heading = centre - own.start < max_lines - max_lines / 4;
        let start = match from_heading {
            true => own.start,
            false => (centre - max_lines / 2).min(end + 1 - max_lines),
        };
        Lines::new(start, end.min(start + max_lines - 1))
    }

    /// Extends `lines` by neighbours of `node`, so that they cover `around` and are not too few.
    fn expanded(self, node: usize, mut lines: Lines, around: Lines, max_lines: u32) -> Lines {
        let fits = |lines: &Lines| lines.count() <= max_lines;
        loop {
            let before = self.with_before(lines).filter(fits);
            let after = self.with_after(node, lines);
            let after = after.filter(fits).or_else(|| {
                // A part of the following section is worth less than the section above.
                let part = self.with_head_after(node, lines).filter(fits);
                part.filter(|_| before.is_none() || around.end > lines.end)
            });
            let next = if around.start < lines.start && before.is_some() {
                before
            } else if around.end > lines.end && after.is_some() {
                after
            } else if lines.count() < MIN_LINES {
                after.or(before)
            } else {
                None
            };
            match next {
                Some(next) => lines = next,
                None => break,
            }
        }
        let missing = MIN_LINES.min(max_lines).saturating_sub(lines.count());
        let last = self.sections.last().map_or(lines.end, |s| s.lines.end);
        let end = last.min(lines.end + missing);
        let missing = missing - (end - lines.end);
        Lines::new(lines.start.saturating_sub(missing).max(1), end)
    }

    fn with_before(self, lines: Lines) -> Option<Lines> {
        let before = self.at(lines.start.checked_sub(1)?)?;
        Some(Lines::new(self.own(before).start, lines.end))
    }

    /// Returns the next section, if it has the same parent as `node`.
    fn after(self, node: usize, lines: Lines) -> Option<usize> {
        let after = self
            .sections
            .partition_point(|s| s.lines.start <= lines.end);
        let is_sibling = after < self.sections.len() && self.depth(after) >= self.depth(node);
        is_sibling.then_some(after)
    }

    fn with_after(self, node: usize, lines: Lines) -> Option<Lines> {
        let after = self.after(node, lines)?;
        Some(Lines::new(lines.start, self.subtree(after).end))
    }

    fn with_head_after(self, node: usize, lines: Lines) -> Option<Lines> {
        let after = self.after(node, lines)?;
        Some(Lines::new(lines.start, self.own(after).end))
    }
}

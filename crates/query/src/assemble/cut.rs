//! Cuts a long text to the lines that matter most.

use foldhash::HashSet;
use foveate_index::tokens;
use foveate_model::Lines;

/// A part of a cut text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// The number of the first of some shown lines, and these lines.
    Shown(u32, Vec<&'a str>),
    /// Lines that are not shown.
    LeftOut(Lines),
}

/// Criteria for the lines of a long text that matter most.
#[derive(Clone, Copy, Debug)]
pub(super) struct Relevance<'a> {
    /// Hashes of the index terms to look for in the lines.
    pub terms: &'a HashSet<u64>,
    /// Lines that were changed, which come before all others.
    pub changed: &'a [Lines],
}

impl Relevance<'_> {
    /// Returns how much a line with this number matters.
    pub(super) fn weight(self, number: u32, line: &str) -> usize {
        let is_changed = self.changed.iter().any(|lines| lines.contains(number));
        weight(line, self.terms) + usize::from(is_changed) * CHANGED
    }
}

/// Returns the lines of a long definition that matter most, within `bytes`: its `head` first lines, then
/// changed lines and lines with the most terms, each with its surroundings. `first` is the number of the first
/// line.
pub(super) fn cut<'a>(
    text: &'a str,
    first: u32,
    head: usize,
    relevance: Relevance<'_>,
    bytes: usize,
) -> Vec<Part<'a>> {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut wanted: Vec<(usize, usize)> = lines
        .iter()
        .enumerate()
        .map(|(i, line)| (relevance.weight(first + i as u32, line), i))
        .collect();
    // Highest weight first, then from the top, so that a text without any of the terms keeps its start.
    wanted.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut kept = KeptLines {
        lines: &lines,
        is_kept: vec![false; lines.len()],
        left: bytes,
    };
    kept.keep_first(0..head.min(lines.len()));
    const AROUND: usize = 3;
    for (weight, i) in wanted {
        // The line itself first, so that it is kept even if its surroundings do not fit.
        let is_kept = kept.keep(i);
        // Lines without any of the terms continue the start. Wherever a line does not fit, shorter ones beyond it,
        // such as closing brackets, would be alone between two marks.
        match (weight, is_kept) {
            (0, false) => break,
            (0, true) | (_, false) => continue,
            (_, true) => {}
        }
        kept.keep_first((i.saturating_sub(AROUND)..i).rev());
        kept.keep_first(i + 1..=i + AROUND);
    }
    parts(&lines, &kept.is_kept, first)
}

/// The lines that [`cut`] keeps.
struct KeptLines<'l, 'a> {
    lines: &'l [&'a str],
    is_kept: Vec<bool>,
    /// Bytes left for further lines.
    left: usize,
}

impl KeptLines<'_, '_> {
    /// Keeps a line if it fits; returns whether it is kept.
    fn keep(&mut self, position: usize) -> bool {
        let line = self.lines.get(position);
        let (Some(line), Some(is_kept)) = (line, self.is_kept.get_mut(position)) else {
            return true;
        };
        if !*is_kept && line.len() < self.left {
            self.left -= line.len() + 1;
            *is_kept = true;
        }
        *is_kept
    }

    /// Keeps lines up to the first that does not fit.
    fn keep_first(&mut self, mut positions: impl Iterator<Item = usize>) {
        while positions.next().is_some_and(|position| self.keep(position)) {}
    }
}

/// Groups lines into shown and left-out parts; `first` is the number of the first line.
pub(super) fn parts<'a>(lines: &[&'a str], kept: &[bool], first: u32) -> Vec<Part<'a>> {
    let mut parts: Vec<Part<'a>> = Vec::new();
    for (i, (line, kept)) in lines.iter().zip(kept).enumerate() {
        let number = first + i as u32;
        match (parts.last_mut(), kept) {
            (Some(Part::Shown(_, shown)), true) => shown.push(line),
            (_, true) => parts.push(Part::Shown(number, vec![line])),
            (Some(Part::LeftOut(out)), false) => out.end = number,
            (_, false) => parts.push(Part::LeftOut(Lines::new(number, number))),
        }
    }
    parts
}

/// The weight of a changed line: more than that of any terms.
const CHANGED: usize = 1 << 20;
/// Length of the longest line whose words are compared, in bytes.
pub(super) const MAX_LINE: usize = 2000;

/// Counts the `terms` that a line has; a repeated one counts once. The parts of identifiers are terms, and so is a word in
/// another form: `registerHandlers` has those of "a handler is registered". Very long lines have none.
fn weight(line: &str, terms: &HashSet<u64>) -> usize {
    if line.len() > MAX_LINE {
        return 0;
    }
    let mut found: Vec<u64> = Vec::new();
    tokens::for_each_term(line, |term| found.push(tokens::hash(term)));
    found.retain(|term| terms.contains(term));
    found.sort_unstable();
    found.dedup();
    found.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> HashSet<u64> {
        let terms = tokens::terms(text);
        terms.iter().map(|term| tokens::hash(term)).collect()
    }

    /// Whether a part shows a line.
    fn shows(parts: &[Part<'_>], wanted: &str) -> bool {
        parts.iter().any(|part| match part {
            Part::Shown(_, lines) => lines.contains(&wanted),
            Part::LeftOut(_) => false,
        })
    }

    #[test]
    fn short_lines_do_not_fill_a_cut_text() {
        let long = "x".repeat(60);
        let text = format!("def f():\n    {long}\n    {long}\n    }}\n    {long}\n    }}\n");
        let relevance = Relevance {
            terms: &HashSet::default(),
            changed: &[],
        };
        let parts = cut(text.trim_end_matches('\n'), 1, 1, relevance, 90);
        assert!(
            matches!(parts.as_slice(), [Part::Shown(1, shown), Part::LeftOut(rest)]
                if shown.len() == 2 && *rest == Lines::new(3, 6)),
            "{parts:?}"
        );
    }

    #[test]
    fn cut_keeps_head_and_relevant_lines() {
        let text: String = (1..=50)
            .map(|i| {
                if i == 30 {
                    "    pool.close()\n".to_owned()
                } else {
                    format!("    line({i})\n")
                }
            })
            .collect();
        let terms = terms("close");
        let relevance = Relevance {
            terms: &terms,
            changed: &[],
        };
        let parts = cut(text.trim_end_matches('\n'), 101, 2, relevance, 150);
        // Bytes that the lines with the words leave over go to the start.
        assert!(
            matches!(parts.first(), Some(Part::Shown(101, lines)) if lines.starts_with(&["    line(1)", "    line(2)"]))
        );
        assert!(
            parts
                .iter()
                .any(|p| matches!(p, Part::Shown(_, lines) if lines.contains(&"    pool.close()")))
        );
        assert!(parts.iter().any(|p| matches!(p, Part::LeftOut(_))));
        let relevance = Relevance {
            changed: &[Lines::new(145, 145)],
            ..relevance
        };
        let parts = cut(text.trim_end_matches('\n'), 101, 2, relevance, 90);
        assert!(
            shows(&parts, "    line(45)") && !shows(&parts, "    pool.close()"),
            "{parts:?}"
        );
    }

    #[test]
    fn lines_with_the_most_different_terms_are_kept() {
        let wanted = "    this.registerHandlers(kind)";
        let repeated = "    handler = handler or handler()";
        let lines = (1..=60).map(|i| match i {
            20 => repeated.to_owned(),
            40 => wanted.to_owned(),
            _ => format!("    line({i})"),
        });
        let text = lines.collect::<Vec<_>>().join("\n");
        let terms = terms("handler registered");
        let relevance = Relevance {
            terms: &terms,
            changed: &[],
        };
        let parts = cut(&text, 1, 1, relevance, 60);
        assert!(
            shows(&parts, wanted) && !shows(&parts, repeated),
            "{parts:?}"
        );
    }
}

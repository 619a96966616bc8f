//! Folds long documentation, comments such as licence headers, and long string literals: they make a body
//! long and say little about what it does. The first lines stay, and a mark says which lines are left out.

use foldhash::{HashMap, HashSet};
use foveate_index::Files;
use foveate_model::{Lines, Region, RegionKind};

use super::cut::{MAX_LINE, Part, parts};
use crate::rank::RankedPlace;

/// Minimum length of a run that is folded, in lines.
const MIN_FOLDED: usize = 12;
/// Lines that stay at the start of a folded run; at its end, one stays.
const KEPT_AT_START: usize = 4;

/// Maximum lines of a run with a word of the query for the word to count as rare there.
const MAX_LINES_WITH_WORD: usize = 3;
/// Maximum lines of a run that are kept for their rare words, without the lines around them.
const MAX_NAMED: usize = 6;

/// Returns the lines of a place with its long runs folded; `None` if it has no long run. Lines with a word of the query
/// that is rare in the run stay, with one line before and after.
pub(super) fn folded<'a>(
    files: &'a Files,
    place: &RankedPlace,
    words: &HashSet<String>,
) -> Option<Vec<Part<'a>>> {
    let file = place.id.file(files);
    let text = files.text(file);
    let regions = &files.content(file)?.facts.regions;
    let span = files.lines_span(file, place.lines);
    let mut start = span.start as usize;
    let mut lines: Vec<&str> = Vec::new();
    let mut is_text: Vec<bool> = Vec::new();
    for line in span.of(text).split('\n') {
        is_text.push(lies_in(regions, line, start));
        start += line.len() + 1;
        lines.push(line);
    }
    let mut kept = vec![true; lines.len()];
    let mut at = 0;
    for run in is_text.chunk_by(|a, b| a == b) {
        if run.first() == Some(&true) && run.len() >= MIN_FOLDED {
            let inner = at + KEPT_AT_START..at + run.len() - 1;
            if let (Some(kept), Some(lines)) = (kept.get_mut(inner.clone()), lines.get(inner)) {
                kept.fill(false);
                keep_named(lines, kept, words);
            }
        }
        at += run.len();
    }
    let is_folded = kept.iter().any(|kept| !kept);
    is_folded.then(|| parts(&lines, &kept, place.lines.start))
}

/// Keeps the lines of a run with a word of the query that is rare there, and one line before and after each.
fn keep_named(lines: &[&str], kept: &mut [bool], words: &HashSet<String>) {
    let mut with_word: HashMap<&str, Vec<usize>> = HashMap::default();
    for (at, line) in lines.iter().enumerate() {
        for word in words_in(line, words) {
            with_word.entry(word).or_default().push(at);
        }
    }
    let rare = with_word
        .into_values()
        .filter(|lines| lines.len() <= MAX_LINES_WITH_WORD);
    let mut named: Vec<usize> = rare.flatten().collect();
    named.sort_unstable();
    named.dedup();
    for at in named.into_iter().take(MAX_NAMED) {
        let around = at.saturating_sub(1)..kept.len().min(at + 2);
        kept.get_mut(around).unwrap_or_default().fill(true);
    }
}

/// Returns the words of a line that are in `words`; an identifier is one word. Very long lines have none.
fn words_in<'w>(line: &str, words: &'w HashSet<String>) -> impl Iterator<Item = &'w str> {
    let line = if line.len() > MAX_LINE { "" } else { line };
    line.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| word.len() > 2)
        .filter_map(|word| words.get(&word.to_lowercase()).map(String::as_str))
}

/// Whether a line that begins at byte `start` holds only a part of a comment or string literal.
fn lies_in(regions: &[Region], line: &str, start: usize) -> bool {
    let first = start + line.len() - line.trim_start().len();
    let last = first + line.trim().len();
    let after = regions.partition_point(|region| region.span.start as usize <= first);
    let region = after.checked_sub(1).and_then(|at| regions.get(at));
    region.is_some_and(|region| {
        region.kind != RegionKind::Heading && last <= region.span.end as usize
    })
}

/// Returns the lines that are shown.
pub(super) fn shown(parts: &[Part<'_>]) -> Vec<Lines> {
    let of = |part: &Part<'_>| match part {
        Part::Shown(first, lines) => Some(Lines::new(
            *first,
            first + lines.len().saturating_sub(1) as u32,
        )),
        Part::LeftOut(_) => None,
    };
    parts.iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use foveate_model::Span;

    use super::*;

    #[test]
    fn lines_with_rare_words_of_the_query_stay() {
        let lines: Vec<String> = (0..40)
            .map(|at| match at {
                20 => "local fullFilter".to_owned(),
                _ => format!("local line{at}"),
            })
            .collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let words = ["fullfilter", "local", "other"].map(str::to_owned);
        let mut kept = vec![false; lines.len()];
        keep_named(&lines, &mut kept, &words.into_iter().collect());
        let kept: Vec<usize> = (0..kept.len()).filter(|at| kept[*at]).collect();
        assert_eq!(kept, [19, 20, 21]);
    }

    #[test]
    fn headings_are_not_folded() {
        let line = "[tool.ruff]";
        let of = |kind| {
            let span = Span::new(0, line.len());
            lies_in(&[Region { kind, span }], line, 0)
        };
        assert!(of(RegionKind::Comment));
        assert!(!of(RegionKind::Heading));
    }
}

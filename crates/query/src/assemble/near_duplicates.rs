//! Finds near-duplicates, so that each is shown once: vendored copies, generated pairs, the synchronous and
//! the asynchronous version of a method. Nothing here decides what is shown: [`super::bodies`] and
//! [`super::links`] ask before they show a second one.

use std::hash::BuildHasher as _;

use foldhash::fast::FixedState;
use foveate_index::{DefId, FileId, Files};
use foveate_model::{Lines, Span};

use super::config::NearDuplicatesConfig;

/// The hashes of a text's lines. Indentation does not change them, nor what only the asynchronous version of a function
/// has.
#[derive(Debug)]
struct Fingerprint {
    /// Hash and number of each line that is not empty, by hash.
    lines: Vec<(u64, u32)>,
}

/// A definition or another stretch of a file, to be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ComparedText {
    pub file: FileId,
    pub lines: Lines,
    pub span: Span,
    /// The span of its own name, which is ignored: a copy may have another name.
    pub name: Span,
    /// Whether it is an asynchronous function: a near-duplicate may be its synchronous version.
    pub is_async: bool,
}

impl ComparedText {
    pub(super) fn of_definition(files: &Files, id: DefId) -> Self {
        let definition = files.definition(id);
        Self {
            file: id.file,
            lines: definition.lines,
            span: definition.span,
            name: definition.name_span,
            is_async: definition.modifiers.is_async,
        }
    }

    pub(super) fn of_lines(files: &Files, file: FileId, lines: Lines) -> Self {
        let span = files.lines_span(file, lines);
        Self {
            file,
            lines,
            span,
            name: Span {
                end: span.start,
                ..span
            },
            is_async: false,
        }
    }
}

/// The body, shown whole, that another body nearly equals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NearDuplicate {
    pub file: FileId,
    pub lines: Lines,
    /// The lines that only one of the two has.
    pub differing: DifferingLines,
}

/// Numbers of the lines that only one of two texts has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct DifferingLines {
    pub own: Vec<u32>,
    pub theirs: Vec<u32>,
}

impl DifferingLines {
    pub(super) fn is_empty(&self) -> bool {
        self.own.is_empty() && self.theirs.is_empty()
    }
}

/// The bodies that are shown whole, which others are compared with.
#[derive(Debug, Default)]
pub(super) struct NearDuplicates {
    shown: Vec<(ComparedText, Fingerprint)>,
}

impl NearDuplicates {
    /// Records a body that is shown whole.
    pub(super) fn show(&mut self, files: &Files, compared: ComparedText) {
        self.shown
            .push((compared, Fingerprint::of(files, compared)));
    }

    /// Returns the first shown body that this one is a near-duplicate of.
    pub(super) fn find(
        &self,
        files: &Files,
        compared: ComparedText,
        config: NearDuplicatesConfig,
    ) -> Option<NearDuplicate> {
        let is_similar =
            |lines: Lines| are_of_similar_length(count(compared.lines), count(lines), config);
        let mut similar = (self.shown.iter())
            .filter(|(other, _)| is_similar(other.lines))
            .peekable();
        similar.peek()?;
        let own = Fingerprint::of(files, compared);
        similar.find_map(|(other, theirs)| {
            Some(NearDuplicate {
                file: other.file,
                lines: other.lines,
                differing: own.differing(theirs, config)?,
            })
        })
    }
}

fn count(lines: Lines) -> usize {
    lines.count() as usize
}

/// Whether texts of `a` and `b` lines can be near-duplicates. Before the texts are read, [`NearDuplicates::find`]
/// asks with their empty lines counted: that may let too many pairs through, and pairs that differ in layout
/// do not count as near-duplicates.
fn are_of_similar_length(a: usize, b: usize, config: NearDuplicatesConfig) -> bool {
    let (shorter, longer) = (a.min(b), a.max(b));
    shorter >= config.min_lines && 2 * shorter * 100 >= (shorter + longer) * config.min_percent
}

impl Fingerprint {
    fn of(files: &Files, compared: ComparedText) -> Self {
        let text = files.text(compared.file);
        let whole = files.lines_span(compared.file, compared.lines);
        // A fixed seed: random hashes would make the answer differ between runs where two of them collide.
        let state = FixedState::with_seed(0);
        let mut lines: Vec<(u64, u32)> = lines_without(text, whole, compared.name)
            .zip(compared.lines.start..)
            .filter_map(|(line, number)| Some((hash(&state, line, compared.is_async)?, number)))
            .collect();
        lines.sort_unstable();
        Self { lines }
    }

    /// Returns the lines that differ, if the two are near-duplicates.
    fn differing(&self, other: &Self, config: NearDuplicatesConfig) -> Option<DifferingLines> {
        if !are_of_similar_length(self.lines.len(), other.lines.len(), config) {
            return None;
        }
        let mut differing = DifferingLines::default();
        let mut theirs = other.lines.iter().peekable();
        for (hash, number) in &self.lines {
            while let Some((_, number)) = theirs.next_if(|(theirs, _)| theirs < hash) {
                differing.theirs.push(*number);
            }
            if theirs.next_if(|(theirs, _)| theirs == hash).is_none() {
                differing.own.push(*number);
            }
        }
        differing.theirs.extend(theirs.map(|(_, number)| *number));
        differing.own.sort_unstable();
        differing.theirs.sort_unstable();
        let common = self.lines.len() - differing.own.len();
        let both = self.lines.len() + other.lines.len();
        (2 * common * 100 >= both * config.min_percent).then_some(differing)
    }
}

/// Returns the lines of a span, each as its text before and after the span `out`, which is left out.
fn lines_without(text: &str, span: Span, out: Span) -> impl Iterator<Item = (&str, &str)> {
    let mut start = span.start as usize;
    let (from, to) = (out.start as usize, out.end as usize);
    span.of(text).split('\n').map(move |line| {
        let here = start;
        start += line.len() + 1;
        let at = |byte: usize| byte.checked_sub(here).filter(|at| *at <= line.len());
        match (at(from), at(to)) {
            (Some(from), Some(to)) => (
                line.get(..from).unwrap_or(line),
                line.get(to..).unwrap_or(""),
            ),
            _ => (line, ""),
        }
    })
}

/// Returns the hash of a line without the white space around it; `None` for a blank line. Of an asynchronous function the
/// line counts as its synchronous version would have it.
fn hash(state: &FixedState, line: (&str, &str), is_async: bool) -> Option<u64> {
    let (before, after) = line;
    if is_async && let Some(plain) = synchronous(before) {
        return Some(state.hash_one((plain.trim(), after.trim())));
    }
    let (before, after) = (before.trim(), after.trim());
    let is_empty = before.is_empty() && after.is_empty();
    (!is_empty).then(|| state.hash_one((before, after)))
}

/// What the synchronous version of a line lacks: keywords, and parts of names such as `AsyncClient` and `GetAsync`.
const ASYNC_MARKS: [&str; 5] = [
    "async ", "await ", "Async", "async_", ".ConfigureAwait(false)",
];

/// Names that begin with an `a` in the asynchronous version: `aclose()`, `__aenter__`.
const ASYNC_NAMES: [&str; 8] = [
    "aclose", "aenter", "aexit", "aiter", "anext", "aread", "asend", "athrow",
];

/// Returns a line as the synchronous version of its function would have it; `None` if it is the same.
fn synchronous(line: &str) -> Option<String> {
    let mut plain = None;
    for mark in ASYNC_MARKS {
        let before = plain.as_deref().unwrap_or(line);
        if before.contains(mark) {
            plain = Some(before.replace(mark, ""));
        }
    }
    for name in ASYNC_NAMES {
        let before = plain.as_deref().unwrap_or(line);
        let at = before.find(name).filter(|at| {
            let previous = before.get(..*at).unwrap_or("").chars().next_back();
            previous.is_some_and(|previous| !previous.is_alphanumeric())
        });
        if let Some(at) = at {
            let mut shorter = before.to_owned();
            shorter.remove(at);
            plain = Some(shorter);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_of_an_asynchronous_function_counts_as_its_synchronous_version() {
        for (line, plain) in [
            (
                "async with AsyncClient() as client:",
                "with Client() as client:",
            ),
            (
                "except StopAsyncIteration: await r.aread()",
                "except StopIteration: r.read()",
            ),
            ("async def __aenter__(self):", "def __enter__(self):"),
            (
                "var a = await b.GetAsync(c).ConfigureAwait(false);",
                "var a = b.Get(c);",
            ),
        ] {
            assert_eq!(synchronous(line).as_deref(), Some(plain), "{line}");
        }
        assert_eq!(synchronous("return waiter.waiters(self.spread)"), None);
    }
}

//! Texts that say nearly the same: vendored copies, generated pairs, the synchronous and the
//! asynchronous half of a method. What is alike is shown once. Nothing here decides what is shown;
//! [`super::bodies`] and [`super::links`] ask before they show a second one.

use std::hash::BuildHasher as _;

use foldhash::fast::FixedState;
use foveate_index::{DefId, FileId, Files};
use foveate_model::{Lines, Span};

use super::source::whole_lines;

/// A text as its lines, each as a hash that indentation, `async` and `await` do not change.
#[derive(Debug)]
struct Fingerprint {
    /// Hash and number of each line that is not empty, by hash.
    lines: Vec<(u64, u32)>,
}

/// What is compared: a definition or another stretch of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub file: FileId,
    pub lines: Lines,
    pub span: Span,
    /// Where its own name stands, which is left out: a copy may be called otherwise.
    pub name: Span,
    /// Whether it is an asynchronous function: a near_duplicate may be the same without `async` and `await`.
    pub is_async: bool,
}

impl Stretch {
    pub(super) fn of_definition(files: &Files, id: DefId) -> Self {
        let definition = files.definition(id);
        Self {
            file: files.file_of(id),
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

/// A body that is shown whole. Its fingerprint is made when one of about its size wants in.
#[derive(Debug)]
struct Shown {
    stretch: Stretch,
    fingerprint: Option<Fingerprint>,
}

/// Another body, shown whole, that a body is nearly the same as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NearDuplicate {
    pub file: FileId,
    pub lines: Lines,
    /// The numbers of the lines that only the one and only the other has.
    pub differing: Differing,
}

/// Lines of two texts that have no equal in the other one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Differing {
    pub own: Vec<u32>,
    pub theirs: Vec<u32>,
}

impl Differing {
    pub(super) fn is_empty(&self) -> bool {
        self.own.is_empty() && self.theirs.is_empty()
    }
}

/// The bodies that are shown whole, to be compared with.
#[derive(Debug, Default)]
pub(super) struct NearDuplicates {
    shown: Vec<Shown>,
}

/// From when on texts are alike.
#[derive(Clone, Copy, Debug)]
pub(super) struct Alike {
    /// Least lines, empty ones not counted.
    pub lines: usize,
    /// Least share of the lines that two texts have in common, in percent.
    pub percent: usize,
}

impl NearDuplicates {
    /// Takes note of a body that is shown whole.
    pub(super) fn show(&mut self, stretch: Stretch) {
        self.shown.push(Shown {
            stretch,
            fingerprint: None,
        });
    }

    /// The first shown body that is nearly the same as this one.
    pub(super) fn find(
        &mut self,
        files: &Files,
        stretch: Stretch,
        alike: Alike,
    ) -> Option<NearDuplicate> {
        let mut own: Option<Fingerprint> = None;
        for shown in &mut self.shown {
            let other = shown.stretch;
            if !near(count(stretch.lines), count(other.lines), alike) {
                continue;
            }
            let own = own.get_or_insert_with(|| Fingerprint::of(files, stretch));
            let theirs = shown
                .fingerprint
                .get_or_insert_with(|| Fingerprint::of(files, other));
            if let Some(differing) = own.differing(theirs, alike) {
                return Some(NearDuplicate {
                    file: other.file,
                    lines: other.lines,
                    differing,
                });
            }
        }
        None
    }
}

fn count(lines: Lines) -> usize {
    lines.count() as usize
}

/// Whether texts of so many lines can be alike. Empty lines count here: the check that spares the
/// reading of the texts may let too much through, but texts laid out otherwise are no near-duplicates.
fn near(a: usize, b: usize, alike: Alike) -> bool {
    let (least, most) = (a.min(b), a.max(b));
    least >= alike.lines && 2 * least * 100 >= (least + most) * alike.percent
}

impl Fingerprint {
    fn of(files: &Files, stretch: Stretch) -> Self {
        let text = files.text(stretch.file);
        // The same in every run: only equality counts, and a hash that differs by chance would not.
        let state = FixedState::with_seed(0);
        let mut lines: Vec<(u64, u32)> = without(text, stretch.span, stretch.name)
            .zip(stretch.lines.start..)
            .filter_map(|(line, number)| Some((hash(&state, line, stretch.is_async)?, number)))
            .collect();
        lines.sort_unstable();
        Self { lines }
    }

    /// What differs, where the two are alike.
    fn differing(&self, other: &Self, alike: Alike) -> Option<Differing> {
        if !near(self.lines.len(), other.lines.len(), alike) {
            return None;
        }
        let mut differing = Differing::default();
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
        (2 * common * 100 >= both * alike.percent).then_some(differing)
    }
}

/// The whole lines of a span, each as what stands before and after a stretch that is left out of it.
fn without(text: &str, span: Span, out: Span) -> impl Iterator<Item = (&str, &str)> {
    let whole = whole_lines(text, span);
    let base = text.get(..span.start as usize).unwrap_or("");
    let mut start = base.rfind('\n').map_or(0, |newline| newline + 1);
    let (from, to) = (out.start as usize, out.end as usize);
    whole.split('\n').map(move |line| {
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

/// A hash of a line without the spaces around it; none where nothing else is there. What
/// only an asynchronous function has is taken out of it.
fn hash(state: &FixedState, line: (&str, &str), is_async: bool) -> Option<u64> {
    let (before, after) = line;
    if is_async && (before.contains("async ") || before.contains("await ")) {
        let plain = before.replace("async ", "").replace("await ", "");
        return Some(state.hash_one((plain.trim(), after.trim())));
    }
    let (before, after) = (before.trim(), after.trim());
    let is_empty = before.is_empty() && after.is_empty();
    (!is_empty).then(|| state.hash_one((before, after)))
}

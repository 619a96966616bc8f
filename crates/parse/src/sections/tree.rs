//! Makes sections of marks: folds sections that are too small, bounds their number, and tiles the lines.

use std::borrow::Cow;

use foveate_model::Lines;

use super::section::{Section, SectionKind};
use crate::lines::TextLines;

/// Maximum number of sections of one file.
pub(super) const MAX_SECTIONS: usize = 4_096;
/// Maximum number of nested levels.
pub(super) const MAX_DEPTH: usize = 64;
/// Longest title, in bytes; `MAX_NAME` is the longest part of one.
pub(super) const MAX_TITLE: usize = 200;
const MAX_NAME: usize = 100;

/// The beginning of a section.
#[derive(Clone, Debug)]
struct Mark<'t> {
    /// The first line, including comments above.
    start: u32,
    /// The line of the heading.
    line: u32,
    /// The section ends before the next mark of the same or a smaller level.
    level: u32,
    /// Its own part of the title; empty for the rest of the enclosing section.
    name: Cow<'t, str>,
    kind: SectionKind,
}

/// The marks of one file, in order, at most one per line.
pub(super) struct Marks<'t> {
    lines: TextLines<'t>,
    /// Beginnings of comment lines.
    comments: &'static [&'static str],
    marks: Vec<Mark<'t>>,
}

impl<'t> Marks<'t> {
    pub(super) fn new(lines: TextLines<'t>, comments: &'static [&'static str]) -> Self {
        Self {
            lines,
            comments,
            marks: Vec::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// Begins a section at `line`, including the comments directly above it with the same indentation. Only
    /// the first section on a line counts: it is the outermost. Returns whether a section was begun.
    pub(super) fn push(
        &mut self,
        line: u32,
        level: u32,
        name: impl Into<Cow<'t, str>>,
        kind: SectionKind,
    ) -> bool {
        let start = self.first_comment(line);
        self.push_from(start, line, level, name, kind)
    }

    /// Like [`Self::push`], for formats that know that the section starts at `start`, above its heading.
    pub(super) fn push_from(
        &mut self,
        start: u32,
        line: u32,
        level: u32,
        name: impl Into<Cow<'t, str>>,
        kind: SectionKind,
    ) -> bool {
        let before = self.last_line();
        if line <= before {
            return false;
        }
        self.marks.push(Mark {
            start: start.clamp(before + 1, line),
            line,
            level,
            name: name.into(),
            kind,
        });
        true
    }

    /// Renames the mark whose heading is on `line`, if there is one.
    pub(super) fn rename(&mut self, line: u32, name: String) {
        let at = self.marks.binary_search_by_key(&line, |mark| mark.line);
        if let Some(mark) = at.ok().and_then(|at| self.marks.get_mut(at)) {
            mark.name = name.into();
        }
    }

    /// Returns the line of the last mark; 0 without one.
    fn last_line(&self) -> u32 {
        self.marks.last().map_or(0, |mark| mark.line)
    }

    fn first_comment(&self, line: u32) -> u32 {
        let indent = indent(self.lines.line(line));
        let last_line = self.last_line();
        let belongs = |above: &u32| {
            let text = self.lines.line(*above);
            is_comment(text, self.comments) && self::indent(text) == indent
        };
        let above = (last_line + 1..line).rev().take_while(belongs).count();
        line - u32::try_from(above).unwrap_or(0)
    }

    /// Returns the sections that the marks begin.
    pub(super) fn into_sections(self) -> Vec<Section> {
        let Self {
            lines,
            comments,
            marks,
        } = self;
        let marks = bounded(folded(lines, comments, marks));
        let mut sections = tiled(lines, &marks);
        set_blank_tails(lines, &mut sections);
        sections
    }
}

/// Returns all lines with their 1-based numbers.
pub(super) fn numbered<'t>(lines: TextLines<'t>) -> impl Iterator<Item = (u32, &'t str)> {
    (1..=lines.index.count()).map(move |line| (line, lines.line(line)))
}

/// Returns the number of blanks at the start of a line; a tab counts as one.
pub(super) fn indent(line: &str) -> u32 {
    let blanks = line.bytes().take_while(u8::is_ascii_whitespace).count();
    u32::try_from(blanks).unwrap_or(u32::MAX)
}

/// Whether a line contains only a comment.
pub(super) fn is_comment(line: &str, comments: &[&str]) -> bool {
    let line = line.trim_start();
    comments.iter().any(|begin| line.starts_with(begin))
}

/// Returns the longest beginning of `text` with at most `max` bytes.
pub(super) fn cut(text: &str, max: usize) -> &str {
    text.get(..text.floor_char_boundary(max)).unwrap_or(text)
}

/// Removes foldable marks of sections with a single informative line. A section of one key tells less than
/// its run of keys. A run after a section becomes a section without a name.
fn folded<'t>(
    lines: TextLines<'t>,
    comments: &'static [&'static str],
    marks: Vec<Mark<'t>>,
) -> Vec<Mark<'t>> {
    if !marks.iter().any(|mark| mark.kind.folds()) {
        return marks;
    }
    let informative = informative_lines(lines, comments);
    let before = |line: u32| informative.get(line as usize).copied().unwrap_or(0);
    let ends = ends(&marks, lines.index.count());
    let mut kept: Vec<Mark<'t>> = Vec::with_capacity(marks.len());
    for (mark, end) in marks.into_iter().zip(ends) {
        if !mark.kind.folds() || before(end) - before(mark.line - 1) > 1 {
            kept.push(mark);
            continue;
        }
        let is_new_run = kept.last().is_some_and(|last| {
            let is_run = last.kind == SectionKind::Text && last.level == mark.level;
            last.level >= mark.level && !is_run
        });
        if is_new_run {
            kept.push(Mark {
                name: Cow::Borrowed(""),
                kind: SectionKind::Text,
                ..mark
            });
        }
    }
    kept
}

/// Returns for each line number how many lines up to it are informative: neither comments nor closing
/// brackets and tags.
fn informative_lines(lines: TextLines<'_>, comments: &[&str]) -> Vec<u32> {
    let mut sum = 0;
    let mut sums = vec![0];
    sums.extend(numbered(lines).map(|(_, line)| {
        let closes = line.trim_start().starts_with("</");
        let is_informative = !closes && has_words(line) && !is_comment(line, comments);
        sum += u32::from(is_informative);
        sum
    }));
    sums
}

fn has_words(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}

/// Returns the last line of each mark's section.
fn ends(marks: &[Mark<'_>], count: u32) -> Vec<u32> {
    let mut ends = vec![count; marks.len()];
    let mut open: Vec<(usize, u32)> = Vec::new();
    for (at, mark) in marks.iter().enumerate() {
        while let Some((closed, _)) = open.pop_if(|(_, level)| *level >= mark.level) {
            if let Some(end) = ends.get_mut(closed) {
                *end = mark.start - 1;
            }
        }
        open.push((at, mark.level));
    }
    ends
}

/// Drops the deepest levels while there are too many sections, and then the last sections.
fn bounded(mut marks: Vec<Mark<'_>>) -> Vec<Mark<'_>> {
    let mut open: Vec<u32> = Vec::new();
    let mut counts = [0_usize; MAX_DEPTH];
    let depths: Vec<usize> = marks
        .iter()
        .map(|mark| {
            while open.pop_if(|level| *level >= mark.level).is_some() {}
            open.push(mark.level);
            let depth = open.len() - 1;
            if let Some(count) = counts.get_mut(depth) {
                *count += 1;
            }
            depth
        })
        .collect();
    let mut sum = 0;
    let fits = |count: &&usize| {
        sum += **count;
        sum < MAX_SECTIONS
    };
    let levels = counts.iter().take_while(fits).count().max(1);
    let mut depths = depths.into_iter();
    marks.retain(|_| depths.next().is_some_and(|depth| depth < levels));
    marks.truncate(MAX_SECTIONS - 1);
    marks
}

/// Assigns each line to the last section that begins at or above it.
fn tiled(lines: TextLines<'_>, marks: &[Mark<'_>]) -> Vec<Section> {
    let count = lines.index.count();
    let mut sections = Vec::with_capacity(marks.len() + 1);
    if count == 0 {
        return sections;
    }
    let first = marks.first().map_or(count + 1, |mark| mark.start);
    let has_preamble = marks.is_empty()
        || first > 1 && has_words(lines.index.span_of(Lines::new(1, first - 1)).of(lines.text));
    if has_preamble {
        sections.push(section(
            String::new(),
            SectionKind::Text,
            Lines::new(1, first - 1),
        ));
    }
    let ends = ends(marks, count);
    let mut open: Vec<(u32, String)> = Vec::new();
    for (at, (mark, subtree_end)) in marks.iter().zip(ends).enumerate() {
        while open.pop_if(|(level, _)| *level >= mark.level).is_some() {}
        let above = open.last().map_or("", |(_, title)| title);
        let title = joined(above, mark);
        let next = marks.get(at + 1).map_or(count + 1, |next| next.start);
        let start = if sections.is_empty() { 1 } else { mark.start };
        sections.push(Section {
            subtree_end,
            depth: u32::try_from(open.len()).unwrap_or(u32::MAX),
            ..section(title.clone(), mark.kind, Lines::new(start, next - 1))
        });
        open.push((mark.level, title));
    }
    sections
}

fn section(title: String, kind: SectionKind, lines: Lines) -> Section {
    Section {
        title,
        kind,
        lines,
        subtree_end: lines.end,
        depth: 0,
        blank_tail: 0,
    }
}

fn set_blank_tails(lines: TextLines<'_>, sections: &mut [Section]) {
    for section in sections {
        // The first line is never trimmed: a section is shown with at least that line.
        let body = section.lines.start + 1..=section.lines.end;
        let blank = body
            .rev()
            .take_while(|line| lines.line(*line).trim().is_empty());
        section.blank_tail = u32::try_from(blank.count()).unwrap_or(0);
    }
}

/// Returns the title of a section below `above`. A title that is too long keeps its end, which matters
/// most.
fn joined(above: &str, mark: &Mark<'_>) -> String {
    let name = mark.name.trim();
    let mut short = cut(name, MAX_NAME).to_owned();
    if short.len() < name.len() {
        short.push('…');
    }
    let separator = match mark.kind {
        _ if above.is_empty() || short.is_empty() => "",
        SectionKind::Item | SectionKind::Step => "",
        SectionKind::Key if short.starts_with('[') => "",
        SectionKind::Key | SectionKind::Job | SectionKind::Table => ".",
        _ => " > ",
    };
    let title = format!("{above}{separator}{short}");
    if title.len() <= MAX_TITLE {
        return title;
    }
    let from = title.ceil_char_boundary(title.len() - MAX_TITLE + '…'.len_utf8());
    format!("…{}", title.get(from..).unwrap_or(""))
}

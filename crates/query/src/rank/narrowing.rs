//! Narrows stretches of prose and settings to the part that the query is about: a section under its heading, a key,
//! a job or a statement; and long stretches of code to the lines around those that the query names.

use foldhash::HashMap;
use foveate_index::{ChunkId, FileId, Snapshot, tokens};
use foveate_model::{FileKind, LanguageKind, Lines};
use foveate_parse::has_sections;
use foveate_parse::sections::{Section, passage, sections};

use super::evidence::Evidence;
use super::ranked::{PlaceId, RankedPlace};
use super::weights::NarrowingConfig;
use crate::deadline::{Deadline, Stage};

/// Number of the best places that are narrowed: those that may be shown or are listed first.
const MAX_NARROWED: usize = 40;
/// Maximum bytes of a file whose stretches are narrowed, unless the query names a heading of theirs.
const MAX_BYTES: usize = 1 << 18;

/// Narrows the top places in prose and settings to the section or key that matches, and those in code to the named lines.
pub(super) fn narrow(
    snapshot: &Snapshot,
    evidence: &Evidence,
    places: &mut [RankedPlace],
    config: &NarrowingConfig,
    deadline: &Deadline,
) {
    let files = &snapshot.files;
    let mut known: HashMap<FileId, Vec<Section>> = HashMap::default();
    let mut workflows = 0;
    for place in places.iter_mut().take(MAX_NARROWED) {
        let PlaceId::Stretch(id) = place.id else {
            continue;
        };
        let file = files.chunk_file(id);
        let language = files.file(file).language;
        let text = files.text(file);
        let is_named = evidence.sections.iter().any(|section| section.chunk == id);
        let is_too_long = text.len() > MAX_BYTES && !is_named;
        if !has_sections(language, files.path(file)) || is_too_long {
            let lines = named_lines(evidence, id);
            if let Some(around) = around(lines, place.lines, config.max_lines_around) {
                place.lines = around;
            }
            continue;
        }
        let is_settings = language.rules().kind == LanguageKind::Settings;
        let is_workflow = files.file(file).purpose.kind == Some(FileKind::Workflow);
        workflows += usize::from(is_workflow);
        if is_workflow
            && workflows <= config.max_whole_workflows
            && place.lines.count() <= config.max_whole_workflow_lines
        {
            continue;
        }
        if !deadline.allows(Stage::Sections) {
            break;
        }
        let of_file = known
            .entry(file)
            .or_insert_with(|| sections(language, files.path(file), text));
        let Some((line, max_lines)) = line_to_show(snapshot, evidence, id, config) else {
            continue;
        };
        if let Some((lines, title)) = passage(of_file, Lines::new(line, line), max_lines) {
            place.lines = lines;
            place.name = title;
            place.kind = if is_settings { "key" } else { "section" };
        }
    }
}

/// Returns the lines of a stretch that the query names, 1-based.
fn named_lines(evidence: &Evidence, id: ChunkId) -> impl Iterator<Item = u32> {
    let lines = evidence.lines.iter().filter(move |line| line.chunk == id);
    lines.map(|line| line.line)
}

/// Returns the line of a stretch that its passage must contain, and the maximum lines of the passage: the heading that
/// the query names, or else the line that it names, or else the line with the weightiest words.
fn line_to_show(
    snapshot: &Snapshot,
    evidence: &Evidence,
    id: ChunkId,
    config: &NarrowingConfig,
) -> Option<(u32, u32)> {
    let mut headings = evidence.sections.iter();
    if let Some(section) = headings.find(|section| section.chunk == id) {
        return Some((section.line, config.max_named_lines));
    }
    let named = named_lines(evidence, id).next();
    let line = named.or_else(|| best_line(snapshot, evidence, id))?;
    Some((line, config.max_lines))
}

/// Returns `lines` lines on both sides of some lines of a stretch, as far as they are in it; `None` if there are none.
fn around(named: impl Iterator<Item = u32>, stretch: Lines, lines: u32) -> Option<Lines> {
    let named: Vec<u32> = named.collect();
    let (first, last) = (named.iter().min()?, named.iter().max()?);
    let start = first.saturating_sub(lines).max(stretch.start);
    let end = last.saturating_add(lines).min(stretch.end);
    Some(Lines::new(start, end))
}

/// Returns the line of a stretch whose words weigh most in the query; `None` if no line has any of them.
fn best_line(snapshot: &Snapshot, evidence: &Evidence, id: ChunkId) -> Option<u32> {
    let first = snapshot.files.chunk(id).lines.start;
    let mut best: Option<(f32, u32)> = None;
    let mut terms: Vec<u64> = Vec::new();
    for (line, number) in snapshot.files.chunk_text(id).lines().zip(first..) {
        terms.clear();
        tokens::for_each_term(line, |term| terms.push(tokens::hash(term)));
        terms.sort_unstable();
        terms.dedup();
        let weight = evidence.share(&terms).rare;
        if weight > best.map_or(0.0, |(max, _)| max) {
            best = Some((weight, number));
        }
    }
    best.map(|(_, line)| line)
}

//! Narrows stretches of prose and settings to the part that the query is about: a section under its heading, a key,
//! a job or a statement.

use foldhash::HashMap;
use foveate_index::{ChunkId, FileId, Snapshot, tokens};
use foveate_model::{FileKind, LanguageKind, Lines};
use foveate_parse::has_sections;
use foveate_parse::sections::{Section, passage, sections};

use super::evidence::Evidence;
use super::ranked::{PlaceId, RankedPlace};
use crate::deadline::{Deadline, Stage};

/// Maximum lines of a passage, and of one whose heading the query names: that is shown whole.
const MAX_LINES: u32 = 40;
const MAX_NAMED_LINES: u32 = 400;
/// A stretch of a CI workflow with at most so many lines stays whole if it is among the first [`MAX_WHOLE`]: a step says
/// little without the matrix and the conditions of its job. Measured on questions about workflows (docs/log/context.md).
const MAX_WHOLE_LINES: u32 = 80;
const MAX_WHOLE: usize = 3;
/// Number of the best places that are narrowed: those that may be shown or are listed first.
const MAX_NARROWED: usize = 40;
/// Maximum bytes of a file whose stretches are narrowed, unless the query names a heading of theirs.
const MAX_BYTES: usize = 1 << 18;

/// Narrows the top places in prose and settings to the section or key that matches.
pub(super) fn narrow(
    snapshot: &Snapshot,
    evidence: &Evidence,
    places: &mut [RankedPlace],
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
        let mut named = evidence.sections.iter();
        let named = named.find(|section| section.chunk == id);
        let is_too_long = text.len() > MAX_BYTES && named.is_none();
        if !has_sections(language, files.path(file)) || is_too_long {
            continue;
        }
        let is_settings = language.rules().kind == LanguageKind::Settings;
        let is_workflow = files.file(file).purpose.kind == Some(FileKind::Workflow);
        workflows += usize::from(is_workflow);
        if is_workflow && workflows <= MAX_WHOLE && place.lines.count() <= MAX_WHOLE_LINES {
            continue;
        }
        if !deadline.allows(Stage::Sections) {
            break;
        }
        let of_file = known
            .entry(file)
            .or_insert_with(|| sections(language, files.path(file), text));
        let (line, max_lines) = match named {
            Some(section) => (Some(section.line), MAX_NAMED_LINES),
            None => (best_line(snapshot, evidence, id), MAX_LINES),
        };
        let Some(line) = line else {
            continue;
        };
        if let Some((lines, title)) = passage(of_file, Lines::new(line, line), max_lines) {
            place.lines = lines;
            place.name = title;
            place.kind = if is_settings { "key" } else { "section" };
        }
    }
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

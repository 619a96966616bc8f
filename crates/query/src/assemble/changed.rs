//! Finds the places that the caller's change touches. The context must show them.

use foldhash::{HashMap, HashSet};
use foveate_index::{ChunkId, DefId, FileId, Files};
use foveate_model::{LanguageKind, Lines};
use foveate_parse::has_sections;
use foveate_parse::sections::{Section, passage, sections};

use super::surroundings;
use crate::deadline::{Deadline, Stage};
use crate::rank::{PlaceId, RankedPlace};
use crate::request::{Deletion, Hunk};
use crate::resolve::definition_around;

/// Maximum places of a change.
const MAX_PLACES: usize = 400;
/// Maximum changed parts that are listed of a place.
const MAX_RANGES: usize = 20;
/// Maximum lines of a stretch of prose or settings that is not narrowed, and of a section to which it is.
const MAX_WHOLE_LINES: u32 = 24;
const MAX_SECTION_LINES: u32 = 40;
/// Maximum stretches that are narrowed, and maximum bytes of the file of one.
const MAX_NARROWED: usize = 40;
const MAX_BYTES: usize = 1 << 18;

/// The functions and stretches that a change touches.
pub(super) struct ChangedPlaces {
    /// At most `MAX_PLACES` of them: sources first, then tests, then other files; among those of one role the ranked
    /// ones first, by rank, then the others in the order of the change.
    pub places: Vec<RankedPlace>,
    /// How many there are, those beyond the maximum included.
    pub total: usize,
    /// The files of all of them, in the same order.
    pub files: Vec<FileId>,
}

/// Returns the functions and stretches that have changed lines. `words` are those of the query.
pub(super) fn places(
    files: &Files,
    changed: &[(FileId, Hunk)],
    ranked: &[RankedPlace],
    words: &HashSet<String>,
    deadline: &Deadline,
) -> ChangedPlaces {
    let mut found = HashSet::default();
    let touched = changed
        .iter()
        .flat_map(|(file, hunk)| touched(files, *file, *hunk));
    let mut ids: Vec<PlaceId> = touched.filter(|id| found.insert(*id)).collect();
    let ranks: HashMap<PlaceId, usize> = ranked.iter().map(|place| place.id).zip(0..).collect();
    let rank = |id: &PlaceId| ranks.get(id).copied().unwrap_or(usize::MAX);
    ids.sort_by_key(|id| (id.role(files), rank(id)));
    let total = ids.len();
    let mut listed = HashSet::default();
    let of_ids = ids.iter().map(|id| id.file(files));
    let of_ids = of_ids.filter(|file| listed.insert(*file)).collect();
    let place = |id| RankedPlace {
        probability: 1.0,
        // All of them are right; the confidence is the part of them that is shown.
        share: 1.0 / total as f32,
        ..named(files, changed, id)
    };
    let mut places: Vec<RankedPlace> = ids.into_iter().take(MAX_PLACES).map(place).collect();
    if !surroundings::asks_about_licence(words) {
        for place in &mut places {
            leave_out_notice(files, changed, place);
        }
    }
    narrow(files, changed, &mut places, deadline);
    ChangedPlaces {
        places,
        total,
        files: of_ids,
    }
}

/// Leaves out the licence notice at the start of a stretch, unless a part of it changed.
fn leave_out_notice(files: &Files, changed: &[(FileId, Hunk)], place: &mut RankedPlace) {
    if !matches!(place.id, PlaceId::Stretch(_)) {
        return;
    }
    let rest = surroundings::without_licence(files, place.id.file(files), place.lines);
    if rest == place.lines {
        return;
    }
    let hunks = hunks_of(files, changed, place);
    if hunks.iter().all(|hunk| hunk.lines().start >= rest.start) {
        place.lines = rest;
    }
}

/// Narrows long stretches of prose and settings to the sections, keys and jobs that changed.
fn narrow(
    files: &Files,
    changed: &[(FileId, Hunk)],
    places: &mut [RankedPlace],
    deadline: &Deadline,
) {
    let may_be_narrowed = |place: &&mut RankedPlace| {
        let file = place.id.file(files);
        matches!(place.id, PlaceId::Stretch(_))
            && place.lines.count() > MAX_WHOLE_LINES
            && files.text(file).len() <= MAX_BYTES
            && has_sections(files.file(file).language, files.path(file))
    };
    let mut known: HashMap<FileId, Vec<Section>> = HashMap::default();
    let places = places.iter_mut().filter(may_be_narrowed);
    for place in places.take(MAX_NARROWED) {
        if !deadline.allows(Stage::Sections) {
            break;
        }
        let file = place.id.file(files);
        let language = files.file(file).language;
        let of_file = known
            .entry(file)
            .or_insert_with(|| sections(language, files.path(file), files.text(file)));
        let hunks = hunks_of(files, changed, place);
        let Some((lines, title)) = changed_sections(of_file, &hunks, place.lines) else {
            continue;
        };
        place.lines = lines;
        if !title.is_empty() {
            place.name = title;
            place.kind = match language.rules().kind {
                LanguageKind::Settings => "key",
                _ => "section",
            };
        }
    }
}

/// Returns the lines of a stretch from the first to the last section that changed, and the title if there is one section.
fn changed_sections(
    sections: &[Section],
    hunks: &[Hunk],
    stretch: Lines,
) -> Option<(Lines, String)> {
    let within = |lines: Lines| {
        let [start, end] =
            [lines.start, lines.end].map(|line| line.clamp(stretch.start, stretch.end));
        Lines::new(start, end)
    };
    let mut found: Option<(Lines, String)> = None;
    for hunk in hunks {
        let changed = within(hunk.lines());
        let (part, title) = passage(sections, changed, MAX_SECTION_LINES)?;
        let part = within(part);
        let (first, last, title) = match found {
            None => (changed.start, changed.end, title),
            Some((lines, known)) if known == title => (lines.start, lines.end, title),
            Some((lines, _)) => (lines.start, lines.end, String::new()),
        };
        let start = first.min(part.start).min(changed.start);
        let end = last.max(part.end).max(changed.end);
        found = Some((Lines::new(start, end), title));
    }
    found
}

/// Makes a changed place. A stretch, such as one of imports, has no name if the definition that it would be named after
/// did not change.
fn named(files: &Files, changed: &[(FileId, Hunk)], id: PlaceId) -> RankedPlace {
    let place = RankedPlace::new(files, id);
    let is_of_definition =
        matches!(id, PlaceId::Definition(_)) || stretch_class(files, id).is_some();
    if is_of_definition || place.name.is_empty() || is_namesake_changed(files, changed, &place) {
        return place;
    }
    RankedPlace {
        name: String::new(),
        kind: "stretch",
        ..place
    }
}

/// Whether the definition that a stretch is named after has changed lines.
fn is_namesake_changed(files: &Files, changed: &[(FileId, Hunk)], place: &RankedPlace) -> bool {
    let hunks = hunks_of(files, changed, place);
    let definitions = files.definitions_of(place.id.file(files));
    let mut definitions = definitions.map(|id| files.definition(id));
    definitions.any(|of| {
        *of.qualified_name == *place.name
            && hunks.iter().any(|hunk| hunk.lines().overlap(of.lines) > 0)
    })
}

/// Returns the parts of a place that changed, in order.
pub(super) fn hunks_of(
    files: &Files,
    changed: &[(FileId, Hunk)],
    place: &RankedPlace,
) -> Vec<Hunk> {
    let file = place.id.file(files);
    let own = own_lines(files, place);
    let of_file = changed.iter().filter(|(changed, _)| *changed == file);
    let of_place = of_file.filter(|(_, hunk)| match *hunk {
        Hunk::Lines(lines) => lines.overlap(own) > 0,
        Hunk::Deletion(deletion) => {
            is_near(files, place.id, own, deletion)
                && place_around(files, file, deletion) == Some(place.id)
        }
    });
    of_place.map(|(_, hunk)| *hunk).collect()
}

/// Returns the changed parts of a place as text: `12-15,20,deleted after line 31`; `None` if there are none.
pub(crate) fn line_ranges(
    files: &Files,
    changed: &[(FileId, Hunk)],
    place: &RankedPlace,
) -> Option<String> {
    let hunks = hunks_of(files, changed, place);
    let own = own_lines(files, place);
    let texts = hunks.iter().take(MAX_RANGES).map(|hunk| text(*hunk, own));
    let texts: Vec<String> = texts.collect();
    let more = if hunks.len() > MAX_RANGES { ",…" } else { "" };
    (!texts.is_empty()).then(|| texts.join(",") + more)
}

/// Describes the part of a hunk that is within `lines`.
fn text(hunk: Hunk, lines: Lines) -> String {
    match hunk {
        Hunk::Deletion(Deletion { after: 0, .. }) => "deleted before line 1".to_owned(),
        Hunk::Deletion(Deletion { after, .. }) => format!("deleted after line {after}"),
        Hunk::Lines(changed) => {
            let (start, end) = (changed.start.max(lines.start), changed.end.min(lines.end));
            Lines::new(start, end).to_string()
        }
    }
}

/// Returns the lines of a place without the blank lines around a definition, which are shown with it.
fn own_lines(files: &Files, place: &RankedPlace) -> Lines {
    match place.id {
        PlaceId::Definition(id) => Lines::new(
            place.lines.start.max(files.head_line(id)),
            place.lines.end.min(files.definition(id).lines.end),
        ),
        PlaceId::Stretch(_) => place.lines,
    }
}

/// Whether a deletion is beside or between the lines of a place, or in the class of a stretch, so that it may have
/// changed the place.
fn is_near(files: &Files, place: PlaceId, lines: Lines, deletion: Deletion) -> bool {
    let class = stretch_class(files, place);
    let class = class.map(|class| files.definition(class).lines);
    let is_at = |lines: Lines| {
        lines.contains(deletion.after) || lines.contains(deletion.after.saturating_add(1))
    };
    is_at(lines) || class.is_some_and(is_at)
}

/// Returns the places of a file that a hunk changed.
fn touched(files: &Files, file: FileId, hunk: Hunk) -> Vec<PlaceId> {
    match hunk {
        Hunk::Lines(lines) => places_at(files, file, lines).collect(),
        Hunk::Deletion(deletion) => {
            let place = place_around(files, file, deletion);
            place.into_iter().collect()
        }
    }
}

/// Returns the place that a deletion changed: the function around it; of the class around it the stretch beside it, or else
/// the head; or the stretch outside of classes that it was in. A definition that was removed beside such a stretch was no
/// part of it.
fn place_around(files: &Files, file: FileId, deletion: Deletion) -> Option<PlaceId> {
    let at = |line| places_at(files, file, Lines::new(line, line)).next();
    let (above, below) = (at(deletion.after), at(deletion.after.saturating_add(1)));
    let is_stretch = |place: &PlaceId| matches!(place, PlaceId::Stretch(_));
    if let Some(id) = definition_around(files, file, deletion) {
        if files.definition(id).kind.is_function() {
            return above;
        }
        let beside = [above, below].into_iter().flatten().find(is_stretch);
        return beside
            .filter(|place| stretch_class(files, *place) == Some(id))
            .filter(|place| !is_end_of_class(files, *place, id))
            .or_else(|| stretch_of_head(files, id, deletion.after));
    }
    let is_outside = |place: &PlaceId| is_stretch(place) && stretch_class(files, *place).is_none();
    let stretch = above
        .filter(is_outside)
        .or_else(|| below.filter(is_outside));
    stretch.filter(|_| above == below || !deletion.has_definition)
}

/// Returns the class that a stretch belongs to.
fn stretch_class(files: &Files, place: PlaceId) -> Option<DefId> {
    match place {
        PlaceId::Definition(_) => None,
        PlaceId::Stretch(chunk) => files.chunk_definition(chunk),
    }
}

/// Whether a stretch has nothing of a class but its last line, such as a closing bracket, which says nothing of a change.
fn is_end_of_class(files: &Files, place: PlaceId, class: DefId) -> bool {
    let lines = files.definition(class).lines;
    let starts_at_end =
        |chunk: ChunkId| lines.count() > 1 && files.chunk(chunk).lines.start >= lines.end;
    matches!(place, PlaceId::Stretch(chunk) if starts_at_end(chunk))
}

/// Returns the stretch of a class that has its first line, or else the last one that begins above a line.
fn stretch_of_head(files: &Files, class: DefId, line: u32) -> Option<PlaceId> {
    let head = files.definition(class).own_lines().start;
    let above = files.chunks_of(class.file);
    let above = above.take_while(|chunk| files.chunk(*chunk).lines.start <= line);
    let own = above.filter(|chunk| files.chunk_definition(*chunk) == Some(class));
    let own: Vec<ChunkId> = own.collect();
    let of_head = own
        .iter()
        .find(|chunk| files.chunk(**chunk).lines.contains(head));
    of_head.or(own.last()).copied().map(PlaceId::Stretch)
}

/// Returns the places of a file that contain any of these lines.
fn places_at(files: &Files, file: FileId, lines: Lines) -> impl Iterator<Item = PlaceId> + '_ {
    let chunks = files.chunks_of(file).zip(files.chunk_units(file));
    chunks.filter_map(move |(chunk, unit)| {
        if files.chunk(chunk).lines.overlap(lines) == 0 {
            return None;
        }
        let unit = unit.and_then(|at| files.units_of(file).get(at));
        Some(match unit {
            Some(unit) => PlaceId::Definition(DefId::new(file, unit.local)),
            None => PlaceId::Stretch(chunk),
        })
    })
}

//! A definition or file as an entry: its card at each fidelity, its body whole or cut.

use foveate_index::{DefId, FileId, Files, Snapshot};
use foveate_model::escape::escape;
use foveate_model::{Definition, DefinitionKind, Lines, Span};

use super::entry::{Entry, Scope, SectionKind, Shape};
use super::fold;
use super::near_duplicates::NearDuplicate;
use super::pack::Fidelity;
use super::source::{Matters, Part, clean, cut, one_line, whole_lines};
use crate::rank::{PlaceId, RankedPlace};

/// Longest signature of a compact card, of a standard card and of a member, and longest line of
/// documentation, in bytes: about 60, 100, 25 and 30 tokens.
const COMPACT_SIGNATURE: usize = 240;
const STANDARD_SIGNATURE: usize = 400;
const MEMBER: usize = 100;
const DOC: usize = 120;

/// Signature, kind, place, one line of documentation.
pub(super) fn compact(snapshot: &Snapshot, id: DefId, section: SectionKind) -> Entry {
    let body = head(snapshot, id, COMPACT_SIGNATURE);
    entry(&snapshot.files, id, section, Fidelity::Compact, body)
}

/// The compact card of a definition that another one, shown whole, says nearly the same as: which
/// one, and up to so many of the lines that differ.
pub(super) fn near_duplicate(
    snapshot: &Snapshot,
    id: DefId,
    section: SectionKind,
    near_duplicate: &NearDuplicate,
    most: usize,
) -> Entry {
    let files = &snapshot.files;
    let mut entry = compact(snapshot, id, section);
    entry
        .body
        .push_str(&own_lines(files, id, &near_duplicate.differing.own, most));
    let theirs: Vec<String> = near_duplicate
        .differing
        .theirs
        .iter()
        .map(u32::to_string)
        .collect();
    if let Some(shown) = theirs
        .get(..theirs.len().min(most))
        .filter(|s| !s.is_empty())
    {
        let line = format!("\n  … without {} of the other", shown.join(", "));
        entry.body.push_str(&line);
    }
    let relation = if near_duplicate.differing.is_empty() {
        "same_as"
    } else {
        "like"
    };
    let (path, lines) = (files.path(near_duplicate.file), near_duplicate.lines);
    let place = format!("{path}:{}-{}", lines.start, lines.end);
    entry.reason = format!("nearly the same as {place}");
    entry.facts.push((relation, place));
    entry
}

/// Those of the lines that stand below the signature, which the card has already.
fn own_lines(files: &Files, id: DefId, numbers: &[u32], most: usize) -> String {
    let definition = files.definition(id);
    let text = files.text(files.file_of(id));
    let signature = definition.signature.of(text).matches('\n').count() as u32;
    let first = definition.lines.start;
    let below = |number: &&u32| **number > first + signature;
    let lines: Vec<&str> = whole_lines(text, definition.span).split('\n').collect();
    let mut body = String::new();
    for number in numbers.iter().filter(below).take(most) {
        let line = lines.get((number - first) as usize).copied();
        let line = one_line(line.unwrap_or(""), MEMBER);
        body.push_str(&format!("\n  {number}: {line}"));
    }
    let rest = numbers.iter().filter(below).count().saturating_sub(most);
    if rest > 0 {
        body.push_str(&format!("\n  … {rest} more"));
    }
    body
}

/// The compact card with members: one line each, with the line where it stands.
pub(super) fn standard(snapshot: &Snapshot, id: DefId, section: SectionKind, most: usize) -> Entry {
    let files = &snapshot.files;
    let text = files.text(files.file_of(id));
    let mut body = head(snapshot, id, STANDARD_SIGNATURE);
    let mut rest = 0usize;
    let mut shown = 0usize;
    for member in files.members(id) {
        let definition = files.definition(member);
        if definition.modifiers.is_overload {
            continue;
        }
        if shown == most {
            rest += 1;
            continue;
        }
        shown += 1;
        let line = format!(
            "\n  {}: {}",
            definition.own_lines().start,
            signature(definition, text, MEMBER)
        );
        body.push_str(&line);
    }
    if rest > 0 {
        body.push_str(&format!("\n  … {rest} more"));
    }
    entry(files, id, section, Fidelity::Standard, body)
}

/// The whole text of a place.
pub(super) fn full(snapshot: &Snapshot, place: &RankedPlace, section: SectionKind) -> Entry {
    let text = snapshot.files.text(place.id.file(&snapshot.files));
    let body = clean(span(&snapshot.files, place).of(text)).into_owned();
    of_place(&snapshot.files, place, section, Fidelity::Full, body)
}

/// The lines of a place.
fn span(files: &Files, place: &RankedPlace) -> Span {
    files.lines_span(place.id.file(files), place.lines)
}

/// The least that tells what a place is: the signature of a definition, the first line of a stretch that
/// says something.
pub(super) fn signature_of(
    snapshot: &Snapshot,
    place: &RankedPlace,
    section: SectionKind,
) -> Entry {
    if let PlaceId::Definition(id) = place.id {
        return compact(snapshot, id, section);
    }
    let files = &snapshot.files;
    let text = span(files, place).of(files.text(place.id.file(files)));
    let says = text
        .lines()
        .find(|line| line.contains(char::is_alphanumeric));
    let body = one_line(says.unwrap_or(""), COMPACT_SIGNATURE);
    of_place(files, place, section, Fidelity::Compact, body)
}

/// The parts of a long place that matter most, in about `bytes`, and which lines they are.
pub(super) fn partial(
    snapshot: &Snapshot,
    place: &RankedPlace,
    section: SectionKind,
    matters: Matters<'_>,
    bytes: usize,
) -> (Entry, Vec<Lines>) {
    let files = &snapshot.files;
    let text = files.text(place.id.file(files));
    let head = match place.id {
        PlaceId::Definition(id) => {
            let definition = files.definition(id);
            let before = definition.lines.start.saturating_sub(place.lines.start);
            head_lines(definition, text) + before as usize
        }
        PlaceId::Stretch(_) => 0,
    };
    let whole = clean(span(files, place).of(text));
    let parts = cut(&whole, place.lines.start, head, matters, bytes);
    let mut entry = of_place(files, place, section, Fidelity::Full, written(&parts));
    entry.cut = true;
    (entry, fold::shown(&parts))
}

/// A place with its long documentation, comments and texts folded, and which lines are left; nothing
/// where it has none.
pub(super) fn folded(
    snapshot: &Snapshot,
    place: &RankedPlace,
    section: SectionKind,
) -> Option<(Entry, Vec<Lines>)> {
    let files = &snapshot.files;
    let parts = fold::folded(files, place)?;
    let body = clean(&written(&parts)).into_owned();
    let mut entry = of_place(files, place, section, Fidelity::Full, body);
    entry.folded = true;
    Some((entry, fold::shown(&parts)))
}

/// The parts of a text with marks where lines are left out.
fn written(parts: &[Part<'_>]) -> String {
    let written = parts.iter().map(|part| match part {
        Part::Shown(_, lines) => lines.join("\n"),
        Part::LeftOut(lines) => left_out(*lines),
    });
    written.collect::<Vec<_>>().join("\n")
}

/// What stands in place of lines that are not shown.
fn left_out(lines: Lines) -> String {
    let plural = if lines.count() == 1 { "" } else { "s" };
    format!(
        "… {} line{plural} left out ({}-{}) …",
        lines.count(),
        lines.start,
        lines.end
    )
}

/// Lines of the signature and the documentation's start.
fn head_lines(definition: &Definition, text: &str) -> usize {
    let signature = definition.signature.of(text).matches('\n').count() + 1;
    signature.min(20) + 3
}

/// A file by the names of its outermost definitions, or by its first line where it has none.
pub(super) fn outline(
    snapshot: &Snapshot,
    file: FileId,
    section: SectionKind,
    most: usize,
) -> Option<Entry> {
    let files = &snapshot.files;
    let content = files.content(file)?;
    let mut body = String::new();
    let mut rest = 0usize;
    let mut shown = 0usize;
    for id in files.definitions_of(file) {
        let definition = files.definition(id);
        let outer = definition.parent.is_none() && !definition.modifiers.is_overload;
        if !outer {
            continue;
        }
        if shown == most {
            rest += 1;
            continue;
        }
        shown += 1;
        if !body.is_empty() {
            body.push('\n');
        }
        body.push_str(&format!(
            "{}: {} {}",
            definition.own_lines().start,
            definition.kind.name(),
            one_line(&escape(&definition.name), MEMBER)
        ));
    }
    if rest > 0 {
        body.push_str(&format!("\n… {rest} more"));
    }
    if body.is_empty() {
        let first = content.text.lines().find(|line| !line.trim().is_empty());
        body = one_line(first.unwrap_or(""), DOC);
    }
    Some(Entry {
        section,
        shape: Shape::Block,
        path: files.path(file).to_owned(),
        name: String::new(),
        kind: "file",
        lines: Lines::new(1, content.facts.line_count.max(1)),
        fidelity: Fidelity::Compact,
        cut: false,
        folded: false,
        scope: None,
        reason: String::new(),
        facts: Vec::new(),
        language: files.file(file).language,
        body,
    })
}

fn head(snapshot: &Snapshot, id: DefId, limit: usize) -> String {
    let files = &snapshot.files;
    let definition = files.definition(id);
    let text = files.text(files.file_of(id));
    let mut head = signature(definition, text, limit);
    let doc = definition
        .doc
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty());
    if let Some(doc) = doc {
        head.push_str("\n  ");
        head.push_str(&one_line(doc, DOC));
    }
    head
}

/// The signature on one line; the name, where a definition has no head of its own.
fn signature(definition: &Definition, text: &str, limit: usize) -> String {
    let span = match definition.signature {
        // A constant's head may be its name alone; its value says more.
        span if definition.kind == DefinitionKind::Constant => Span {
            start: span.start,
            end: definition.span.end.max(span.end),
        },
        span => span,
    };
    let signature = one_line(span.of(text), limit);
    let signature = signature.trim_end_matches([':', '{', ' ']);
    if signature.is_empty() {
        one_line(&escape(&definition.name), limit)
    } else {
        signature.to_owned()
    }
}

fn entry(
    files: &Files,
    id: DefId,
    section: SectionKind,
    fidelity: Fidelity,
    body: String,
) -> Entry {
    let place = RankedPlace::new(files, PlaceId::Definition(id));
    of_place(files, &place, section, fidelity, body)
}

fn of_place(
    files: &Files,
    place: &RankedPlace,
    section: SectionKind,
    fidelity: Fidelity,
    body: String,
) -> Entry {
    let file = place.id.file(files);
    Entry {
        section,
        shape: Shape::Block,
        path: files.path(file).to_owned(),
        name: place.name.clone(),
        kind: place.kind,
        lines: place.lines,
        fidelity,
        cut: false,
        folded: false,
        scope: scope(files, place),
        reason: String::new(),
        facts: Vec::new(),
        language: files.file(file).language,
        body,
    }
}

/// The class that a place stands in and whose first line it does not hold.
fn scope(files: &Files, place: &RankedPlace) -> Option<Scope> {
    let class = match place.id {
        PlaceId::Definition(id) => files.parent(id)?,
        PlaceId::Stretch(id) => files.chunk_definition(id)?,
    };
    let definition = files.definition(class);
    let line = definition.own_lines().start;
    if !definition.kind.is_container() || place.lines.contains(line) {
        return None;
    }
    let text = files.text(files.file_of(class));
    Some(Scope {
        name: definition.qualified_name.to_string(),
        line,
        text: signature(definition, text, COMPACT_SIGNATURE),
    })
}

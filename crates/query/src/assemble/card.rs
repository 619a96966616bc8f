//! Makes entries of definitions, stretches and files: cards at each fidelity, and bodies, whole, cut or folded.

use std::cmp::Reverse;

use foldhash::HashSet;
use foveate_index::{DefId, FileId, Files, Snapshot};
use foveate_model::escape::escape;
use foveate_model::{Definition, DefinitionKind, Lines, Span};
use foveate_parse::code;

use super::cut::{Part, Relevance, cut};
use super::entry::{Entry, Scope, SectionKind, Whole};
use super::fold;
use super::near_duplicates::NearDuplicate;
use super::pack::Fidelity;
use crate::declaration;
use crate::excerpt::{clean, one_line, prefix};
use crate::rank::{PlaceId, RankedPlace};

/// Maximum bytes of the signature of a compact card, of a standard card and of a member, and of a sentence of
/// documentation: about 60, 100, 25 and 30 tokens.
const MAX_COMPACT_SIGNATURE: usize = 240;
const MAX_STANDARD_SIGNATURE: usize = 400;
const MAX_MEMBER_SIGNATURE: usize = 100;
const MAX_DOC_LINE: usize = 120;

/// Returns the compact card of a definition: signature and first sentence of documentation.
pub(super) fn compact(snapshot: &Snapshot, id: DefId, section: SectionKind) -> Entry {
    let body = head(snapshot, id, MAX_COMPACT_SIGNATURE);
    entry(&snapshot.files, id, section, Fidelity::Compact, body)
}

/// Returns the compact card of a near-duplicate of a shown definition. It names that definition and lists up to
/// `limit` of the lines that differ.
pub(super) fn near_duplicate(
    snapshot: &Snapshot,
    id: DefId,
    section: SectionKind,
    near_duplicate: &NearDuplicate,
    limit: usize,
) -> Entry {
    let files = &snapshot.files;
    let mut entry = compact(snapshot, id, section);
    let differing = &near_duplicate.differing;
    let mut lines = vec![entry.body];
    lines.extend(own_lines(files, id, &differing.own, limit));
    let theirs = differing.theirs.iter().take(limit).map(u32::to_string);
    let theirs: Vec<String> = theirs.collect();
    if !theirs.is_empty() {
        lines.push(format!("… lacks lines {} of it", theirs.join(", ")));
    }
    entry.body = lines.join("\n  ");
    let relation = if differing.is_empty() {
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

/// Returns up to `limit` of the lines with these numbers, each with its number, without those that a card shows anyway:
/// the signature and the first line of the documentation.
fn own_lines(files: &Files, id: DefId, numbers: &[u32], limit: usize) -> Vec<String> {
    let definition = files.definition(id);
    let text = files.text(id.file);
    let first = definition.lines.start;
    let signature_end = first + definition.signature.of(text).matches('\n').count() as u32;
    let whole = files.lines_span(id.file, definition.lines).of(text);
    let lines: Vec<&str> = whole.split('\n').collect();
    let line = |number: u32| lines.get((number - first) as usize).copied().unwrap_or("");
    let doc = doc_line(definition);
    // A docstring begins on the line below the signature, or on the next one after its quotes.
    let repeats_doc = |number: u32| {
        number <= signature_end + 2 && doc.is_some_and(|doc| line(number).contains(doc))
    };
    let is_new = |number: &u32| *number > signature_end && !repeats_doc(*number);
    limited(numbers.iter().copied().filter(is_new), limit, |number| {
        format!("{number}: {}", one_line(line(number), MAX_MEMBER_SIGNATURE))
    })
}

/// Returns the lines of up to `limit` items, and one that counts the rest.
fn limited<T>(
    mut items: impl Iterator<Item = T>,
    limit: usize,
    line: impl FnMut(T) -> String,
) -> Vec<String> {
    let mut lines: Vec<String> = items.by_ref().take(limit).map(line).collect();
    match items.count() {
        0 => {}
        rest => lines.push(format!("… {rest} more")),
    }
    lines
}

/// Returns a card with up to `limit` members, each on one line with its line number. If not all can be listed, those whose
/// names are in `words` come before others.
pub(super) fn standard(
    snapshot: &Snapshot,
    id: DefId,
    section: SectionKind,
    limit: usize,
    words: &HashSet<String>,
) -> Entry {
    let files = &snapshot.files;
    let text = files.text(id.file);
    let members = files.members(id).map(|member| files.definition(member));
    let members = members.filter(|member| !member.modifiers.is_overload);
    let mut members: Vec<&Definition> = members.collect();
    if members.len() > limit {
        // Stable, and the listed ones return into the order of the source.
        members.sort_by_cached_key(|member| !words.contains(&member.name.to_lowercase()));
        if let Some(listed) = members.get_mut(..limit) {
            listed.sort_by_key(|member| member.own_lines().start);
        }
    }
    let mut lines = vec![head(snapshot, id, MAX_STANDARD_SIGNATURE)];
    lines.extend(limited(members.into_iter(), limit, |member| {
        let signature = signature(member, text, MAX_MEMBER_SIGNATURE);
        format!("{}: {signature}", member.own_lines().start)
    }));
    entry(files, id, section, Fidelity::Standard, lines.join("\n  "))
}

/// Returns the entry of a place with its whole text.
pub(super) fn full(snapshot: &Snapshot, place: &RankedPlace, section: SectionKind) -> Entry {
    let text = snapshot.files.text(place.id.file(&snapshot.files));
    let body = clean(span(&snapshot.files, place).of(text)).into_owned();
    of_place(&snapshot.files, place, section, Fidelity::Full, body)
}

/// Returns the lines between two bodies with their whole text; `below` is the second one.
pub(super) fn gap(snapshot: &Snapshot, file: FileId, lines: Lines, below: &Entry) -> Entry {
    let files = &snapshot.files;
    let text = files.lines_span(file, lines).of(files.text(file));
    Entry {
        fidelity: Fidelity::Full,
        scope: below.scope.clone(),
        reason: "between shown lines".to_owned(),
        body: clean(text).into_owned(),
        ..Entry::new(files, file, below.section, lines)
    }
}

/// Returns the span of the lines of a place.
fn span(files: &Files, place: &RankedPlace) -> Span {
    files.lines_span(place.id.file(files), place.lines)
}

/// Returns the smallest entry that identifies a place: the compact card of a definition, or the line of a stretch that
/// matters most, and of equal ones the first, that contains a letter or digit.
pub(super) fn signature_of(
    snapshot: &Snapshot,
    place: &RankedPlace,
    section: SectionKind,
    relevance: Relevance<'_>,
) -> Entry {
    if let PlaceId::Definition(id) = place.id {
        return compact(snapshot, id, section);
    }
    let files = &snapshot.files;
    let text = span(files, place).of(files.text(place.id.file(files)));
    let numbered = (place.lines.start..).zip(text.lines());
    let lines = numbered.filter(|(_, line)| line.contains(char::is_alphanumeric));
    let line =
        lines.max_by_key(|(number, line)| (relevance.weight(*number, line), Reverse(*number)));
    let body = one_line(line.map_or("", |(_, line)| line), MAX_COMPACT_SIGNATURE);
    of_place(files, place, section, Fidelity::Compact, body)
}

/// Returns a card with the start of its signature alone, for where there is no room for all of it.
pub(super) fn brief(card: &Entry) -> Entry {
    let signature = card.body.lines().next().unwrap_or_default();
    Entry {
        body: one_line(signature, MAX_MEMBER_SIGNATURE),
        ..card.clone()
    }
}

/// Returns an entry with the most relevant parts of a long place, in at most `bytes` of code, and the lines shown.
pub(super) fn partial(
    snapshot: &Snapshot,
    place: &RankedPlace,
    section: SectionKind,
    relevance: Relevance<'_>,
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
    let parts = cut(&whole, place.lines.start, head, relevance, bytes);
    let mut entry = of_place(files, place, section, Fidelity::Full, join_parts(&parts));
    entry.cut = true;
    (entry, fold::shown(&parts))
}

/// Returns the entry of a place with its long documentation, comments and string literals folded, and the lines shown;
/// `None` if it has nothing to fold.
pub(super) fn folded(
    snapshot: &Snapshot,
    place: &RankedPlace,
    section: SectionKind,
    words: &HashSet<String>,
) -> Option<(Entry, Vec<Lines>)> {
    let files = &snapshot.files;
    let parts = fold::folded(files, place, words)?;
    let body = clean(&join_parts(&parts)).into_owned();
    let mut entry = of_place(files, place, section, Fidelity::Full, body);
    entry.folded = true;
    Some((entry, fold::shown(&parts)))
}

/// Joins the parts of a text, with marks where lines are left out.
fn join_parts(parts: &[Part<'_>]) -> String {
    let texts = parts.iter().map(|part| match part {
        Part::Shown(_, lines) => lines.join("\n"),
        Part::LeftOut(lines) => left_out(*lines),
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// Returns the mark that replaces lines that are left out.
fn left_out(lines: Lines) -> String {
    let plural = if lines.count() == 1 { "" } else { "s" };
    format!(
        "… {} line{plural} left out ({}-{}) …",
        lines.count(),
        lines.start,
        lines.end
    )
}

/// Counts the lines of the signature and of the start of the documentation.
fn head_lines(definition: &Definition, text: &str) -> usize {
    let signature = definition.signature.of(text).matches('\n').count() + 1;
    signature.min(20) + 3
}

/// Returns the outline of a file: the names of up to `limit` outermost definitions, or its first line if it has
/// none.
pub(super) fn outline(
    snapshot: &Snapshot,
    file: FileId,
    section: SectionKind,
    limit: usize,
) -> Option<Entry> {
    let files = &snapshot.files;
    let content = files.content(file)?;
    let all = files.definitions_of(file).map(|id| files.definition(id));
    let outer = all.filter(|d| d.parent.is_none() && !d.modifiers.is_overload);
    let lines = limited(outer, limit, |definition| {
        let name = one_line(&escape(&definition.name), MAX_MEMBER_SIGNATURE);
        let line = definition.own_lines().start;
        format!("{line}: {} {name}", definition.kind.name())
    });
    let mut body = lines.join("\n");
    if body.is_empty() {
        let first = content.text.lines().find(|line| !line.trim().is_empty());
        body = one_line(first.unwrap_or(""), MAX_DOC_LINE);
    }
    let lines = Lines::new(1, content.facts.line_count.max(1));
    Some(Entry {
        kind: "file",
        body,
        ..Entry::new(files, file, section, lines)
    })
}

/// Returns the signature, and the first sentence of the documentation as a comment.
fn head(snapshot: &Snapshot, id: DefId, limit: usize) -> String {
    let files = &snapshot.files;
    let definition = files.definition(id);
    let mut head = signature(definition, files.text(id.file), limit);
    let doc = first_sentence(&definition.doc);
    if !doc.is_empty() {
        let comment = code::line_comment(files.file(id.file).language);
        head.push_str(&format!("\n  {comment} {}", one_line(&doc, MAX_DOC_LINE)));
    }
    head
}

/// Returns the first sentence of a documentation, or the first paragraph if it has no full stop, without the
/// tags that follow. It may go on over several lines.
fn first_sentence(doc: &str) -> String {
    let is_tag = |line: &str| line.starts_with(['@', ':', '\\']);
    let lines = doc.lines().map(str::trim);
    let paragraph = lines
        .skip_while(|line| line.is_empty())
        .take_while(|line| !line.is_empty() && !is_tag(line));
    let mut sentence = String::new();
    for line in paragraph {
        if !sentence.is_empty() {
            sentence.push(' ');
        }
        let mut stops = line.match_indices(". ");
        let ends = |at: usize| {
            line.get(at + 2..)
                .is_some_and(|rest| rest.starts_with(char::is_uppercase))
        };
        if let Some((end, _)) = stops.find(|(at, _)| ends(*at)) {
            sentence.push_str(prefix(line, end + 1));
            return sentence;
        }
        sentence.push_str(line);
        if line.ends_with('.') || sentence.len() > MAX_DOC_LINE {
            return sentence;
        }
    }
    sentence
}

/// Returns the first line of the documentation that is not blank.
fn doc_line(definition: &Definition) -> Option<&str> {
    let mut lines = definition.doc.lines().map(str::trim);
    lines.find(|line| !line.is_empty())
}

/// Returns the signature on one line, or the name if a definition has no signature.
fn signature(definition: &Definition, text: &str, limit: usize) -> String {
    let span = match definition.signature {
        // The signature of a constant may be its name alone; its value says more.
        span if definition.kind == DefinitionKind::Constant => Span {
            start: span.start,
            end: definition.span.end.max(span.end),
        },
        span => span,
    };
    let signature = declaration::head(span.of(text), limit);
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
        name: place.name.clone(),
        kind: place.kind,
        fidelity,
        scope: scope(files, place),
        part_of: part_of(files, place),
        type_elsewhere: type_elsewhere(files, place).unwrap_or_default().to_owned(),
        body,
        ..Entry::new(files, file, section, place.lines)
    }
}

/// Returns the value of which a stretch has the largest part, but not all; of an outer and an inner one the outer.
fn part_of(files: &Files, place: &RankedPlace) -> Option<Whole> {
    if !matches!(place.id, PlaceId::Stretch(_)) {
        return None;
    }
    let all = files.definitions_of(place.id.file(files));
    let values = all.map(|id| files.definition(id)).filter(|definition| {
        use DefinitionKind::{Constant, Field, Variable};
        matches!(definition.kind, Constant | Field | Variable)
            && place.lines.overlap(definition.lines) > 0
            && !place.lines.covers(definition.lines)
    });
    let whole = values.min_by_key(|definition| Reverse(place.lines.overlap(definition.lines)))?;
    Some(Whole {
        name: whole.qualified_name.to_string(),
        lines: whole.lines,
    })
}

/// Returns the type of a member that is defined outside of the lines of its type.
fn type_elsewhere<'a>(files: &'a Files, place: &RankedPlace) -> Option<&'a str> {
    let PlaceId::Definition(id) = place.id else {
        return None;
    };
    let definition = files.definition(id);
    let (of_type, _) = definition.qualified_name.rsplit_once('.')?;
    let is_outside = definition.modifiers.is_out_of_line && files.parent(id).is_none();
    is_outside.then_some(of_type)
}

/// Returns the class that contains a place, unless the place includes the first line of the class or is the
/// documentation above it.
fn scope(files: &Files, place: &RankedPlace) -> Option<Scope> {
    let class = match place.id {
        PlaceId::Definition(id) => files.parent(id)?,
        PlaceId::Stretch(id) => files.chunk_definition(id)?,
    };
    let definition = files.definition(class);
    let line = definition.own_lines().start;
    let is_above = matches!(place.id, PlaceId::Stretch(_)) && place.lines.end < line;
    if !definition.kind.is_container() || place.lines.contains(line) || is_above {
        return None;
    }
    let text = files.text(class.file);
    Some(Scope {
        name: definition.qualified_name.to_string(),
        line,
        text: signature(definition, text, MAX_COMPACT_SIGNATURE),
    })
}

#[cfg(test)]
mod tests {
    use foveate_fixture::snapshot::of_text;
    use foveate_index::tokens;

    use super::*;

    #[test]
    fn line_of_a_stretch_with_the_most_words_stands_for_it() {
        let code =
            "//- hops.py\nHOPS = [\n    'connection',\n]\nCODES = {\n    100: 'continue',\n}\n";
        let snapshot = of_text(code);
        let file = snapshot.files.find("hops.py").unwrap();
        let chunk = snapshot.files.chunks_of(file).next().unwrap();
        let place = RankedPlace::new(&snapshot.files, PlaceId::Stretch(chunk));
        let line = |query: &str, changed: &[Lines]| {
            let terms = tokens::terms(query);
            let relevance = Relevance {
                terms: &terms.iter().map(|term| tokens::hash(term)).collect(),
                changed,
            };
            let section = SectionKind::Definitions;
            signature_of(&snapshot, &place, section, relevance).body
        };
        assert_eq!(line("other words", &[]), "HOPS = [");
        assert_eq!(line("codes to continue", &[]), "CODES = {");
        assert_eq!(line("codes", &[Lines::new(2, 3)]), "'connection',");
    }

    #[test]
    fn members_that_the_query_names_come_into_a_short_list() {
        let snapshot = of_text(
            "
            //- cart.py
            class Cart:
                def add(self):
                    pass
                def bump(self):
                    pass
                def drop(self):
                    pass
            ",
        );
        let id = snapshot.symbols.named("Cart")[0];
        let listed = |limit| {
            let words = HashSet::from_iter(["drop".to_owned()]);
            let card = standard(&snapshot, id, SectionKind::Definitions, limit, &words);
            let lines = card.body.lines().skip(1);
            let numbers = lines.map(|line| line.trim().chars().next().unwrap_or_default());
            numbers.collect::<String>()
        };
        assert_eq!(listed(1), "6…");
        assert_eq!(listed(2), "26…");
        assert_eq!(listed(3), "246");
    }

    #[test]
    fn first_sentences_of_documentation() {
        for (doc, sentence) in [
            (
                "Adds a\n  row, i.e. a line. Returns it.",
                "Adds a row, i.e. a line.",
            ),
            ("\nUses v1.2 of it\n\nMore.", "Uses v1.2 of it"),
            ("Opens the pool.\nThen waits.", "Opens the pool."),
            ("Sets it\n@param x the value", "Sets it"),
            ("@deprecated", ""),
            ("", ""),
        ] {
            assert_eq!(first_sentence(doc), sentence, "{doc}");
        }
    }
}

//! Finds the messages of the repository that a query has: among its errors, and in its sentences. A message in a constant
//! leads to the functions that use the constant.

use foldhash::HashSet;
use foveate_index::messages::MessagePlace;
use foveate_index::{DefId, Files, Snapshot};
use foveate_model::Role;

use super::weights::RankConfig;
use crate::text::{MAX_OUTPUT_LINES, QueryText, Segment, SegmentKind, is_minor_entry, is_output};

/// Maximum constants that are followed.
const MAX_CONSTANTS: usize = 20;

/// Returns the places of messages that the query has, each with the strength of the match (0 to 1). A place may be there
/// several times.
pub(super) fn gather(
    snapshot: &Snapshot,
    text: &QueryText,
    config: &RankConfig,
) -> Vec<(MessagePlace, f32)> {
    let mut found = snapshot.messages.search(&error_texts(text));
    found.extend(snapshot.messages.search_prose(&unmarked_texts(text)));
    let files = &snapshot.files;
    let is_function = |id: DefId| files.definition(id).kind.is_function();
    let constants = found
        .iter()
        .filter(|(place, strength)| {
            *strength >= config.min_constant_message && !place.enclosing.is_some_and(is_function)
        })
        .take(MAX_CONSTANTS);
    let of_users: Vec<(MessagePlace, f32)> = constants
        .filter_map(|(place, strength)| Some((constant(files, place)?, *strength)))
        .flat_map(|(constant, strength)| {
            users(snapshot, constant, strength, config.max_constant_users)
        })
        .collect();
    found.extend(of_users);
    found
}

/// Returns the constant, variable or field whose value is a message outside functions.
fn constant(files: &Files, message: &MessagePlace) -> Option<DefId> {
    let id = files.any_definition_at(message.file, message.line)?;
    let kind = files.definition(id).kind;
    (!kind.is_function() && !kind.is_container()).then_some(id)
}

/// Returns the functions outside tests that use a constant, unless they are more than `max`. Each has its share of the
/// strength.
fn users(
    snapshot: &Snapshot,
    constant: DefId,
    strength: f32,
    max: usize,
) -> Vec<(MessagePlace, f32)> {
    let files = &snapshot.files;
    let mut seen = HashSet::default();
    let sites = snapshot.graph.uses_of(constant).iter();
    let functions: Vec<MessagePlace> = sites
        .filter(|site| site.role(files) != Role::Test)
        .filter_map(|site| {
            let function = site.enclosing?;
            seen.insert(function).then_some(MessagePlace {
                file: site.file,
                line: site.line,
                enclosing: Some(function),
            })
        })
        .take(max + 1)
        .collect();
    if functions.len() > max {
        return Vec::new();
    }
    let share = strength / functions.len() as f32;
    functions.into_iter().map(|place| (place, share)).collect()
}

/// Returns the texts of a query that are error messages, or may be.
fn error_texts(text: &QueryText) -> String {
    let errors = text.segments.iter().filter(|segment| match segment.kind {
        SegmentKind::ErrorMessage | SegmentKind::Title => true,
        // Messages are matched by three consecutive words.
        SegmentKind::Quoted => segment.text.split_whitespace().nth(2).is_some(),
        _ => false,
    });
    let texts: Vec<&str> = errors.map(|segment| segment.text.as_str()).collect();
    texts.join("\n")
}

/// Whether a segment is a few lines without a language, such as what a program prints around a stack trace.
pub(super) fn is_short_output(segment: &Segment) -> bool {
    segment.kind == SegmentKind::CodeBlock
        && is_output(segment.language)
        && segment.text.lines().nth(MAX_OUTPUT_LINES).is_none()
}

/// Returns the texts of a query that may have an error message among their words without marking it: a message on a line of
/// its own, or in a sentence without quotes, is prose. Beside an error, what a log tells of normal work is none.
fn unmarked_texts(text: &QueryText) -> String {
    let is_error = |segment: &Segment| segment.kind == SegmentKind::ErrorMessage;
    let has_errors = text.segments.iter().any(is_error);
    let unmarked = text.segments.iter().filter(|segment| match segment.kind {
        SegmentKind::Prose | SegmentKind::InlineCode => true,
        SegmentKind::CodeBlock => is_short_output(segment),
        _ => false,
    });
    let lines = unmarked.flat_map(|segment| segment.text.split('\n'));
    let lines = lines.filter(|line| !(has_errors && is_minor_entry(line)));
    lines.collect::<Vec<&str>>().join("\n")
}

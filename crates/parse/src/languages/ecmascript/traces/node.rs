//! Reads what Node prints around the stack trace of a program that it ends: above the error its place, a line of source and
//! carets, below it the files that required a missing module, and where an unhandled error event was emitted.

use super::super::origin::runtime;
use super::{innermost_first, is_script};
use crate::traces::form::Mark;
use crate::traces::messages::message;
use crate::traces::places::{frame, location};

/// Maximum number of files that required a missing module.
const MAX_REQUIRING: usize = 50;

/// Reads a group that begins with a line.
pub(super) fn group(line: &str, below: &[&str]) -> Vec<Mark> {
    match line {
        "Require stack:" => requiring_files(below),
        _ => uncaught(line, below),
    }
}

/// Whether a line stands above the stack of an event that nothing handled: `Emitted 'error' event on Socket instance at:`.
pub(super) fn is_emission(text: &str) -> bool {
    text.starts_with("Emitted 'error' event ") && text.ends_with("at:")
}

/// Reads `/app/cart.js:83`, the line of source there and the carets below its failing part. Where the place is in a module
/// of Node, its source says nothing.
fn uncaught(text: &str, below: &[&str]) -> Vec<Mark> {
    let [source, carets, ..] = below else {
        return Vec::new();
    };
    let place = location(text).filter(|(path, ..)| !path.contains(' '));
    let Some(place) = place.filter(|_| !source.trim().is_empty() && are_carets(carets)) else {
        return Vec::new();
    };
    if runtime(place.0).is_some() {
        return vec![Mark::Header, Mark::Filler, Mark::Filler];
    }
    match is_script(place.0) {
        true => vec![message(place, "", ""), Mark::Source, Mark::Filler],
        false => Vec::new(),
    }
}

fn are_carets(line: &str) -> bool {
    let carets = line.trim();
    !carets.is_empty() && carets.bytes().all(|byte| byte == b'^')
}

/// Reads the files below `Require stack:`, the innermost first: `- /app/cart.js`, which Jest prints without the dash.
fn requiring_files(below: &[&str]) -> Vec<Mark> {
    let files = below.iter().take(MAX_REQUIRING);
    let files: Vec<Mark> = files.map_while(|line| requiring_file(line)).collect();
    match files.is_empty() {
        true => files,
        false => std::iter::once(Mark::Filler).chain(files).collect(),
    }
}

fn requiring_file(line: &str) -> Option<Mark> {
    let text = line.trim();
    let listed = text.strip_prefix("- ");
    let path = listed.unwrap_or(text);
    if is_script(path) {
        return Some(innermost_first(frame((path, 0, 0), "")));
    }
    // `- <repl>`, `- internal/preload`.
    listed.map(|_| Mark::Filler)
}

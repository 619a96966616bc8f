//! Search over paths, names and text. Text is read file by file in path order, within a number of bytes
//! and the deadline; a page that ends early says so and names the file to go on after. Regular
//! expressions are matched line by line by an engine without backtracking.

use std::ops::Range;

use foveate_index::symbols::fold;
use foveate_index::{DefId, FileId, Snapshot};
use regex::{Regex, RegexBuilder};

use super::LookupError;
use super::definitions::{role_tier, signature};
use super::page::{Key, Page, Position, Window, late, page};
use crate::assemble::source::{one_line, prefix};
use crate::deadline::Deadline;
use crate::issue::Issue;

/// What is searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchKind {
    /// Lines that contain a text.
    #[default]
    Text,
    /// Lines that a regular expression matches.
    Regex,
    /// Definitions whose qualified name contains the text, whatever its case and underscores.
    Names,
    /// Files whose path contains the text, whatever its case.
    Paths,
}

/// What to look for.
#[derive(Clone, Debug)]
pub struct Search {
    /// A text or a regular expression.
    pub query: String,
    /// What is searched.
    pub kind: SearchKind,
    /// Whether upper and lower case are the same in text; names and paths are searched so anyway.
    pub ignore_case: bool,
    /// What paths begin with; empty for all files.
    pub below: String,
}

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchItem {
    /// The file.
    pub path: String,
    /// 1-based line; `None` for a file as a whole.
    pub line: Option<u32>,
    /// 1-based character of the line where the match begins.
    pub column: Option<u32>,
    /// The line around the match, or the head of the definition.
    pub text: String,
    /// Qualified name of the definition that was found or encloses the match; may be empty.
    pub name: String,
    /// `function`, `class`, …; empty where there is none.
    pub kind: &'static str,
}

/// Bytes of text that one page may look at.
const MAX_BYTES: usize = 256 << 20;
/// Bytes that a compiled regular expression, and its cache, may take.
const MAX_REGEX_BYTES: usize = 1 << 20;
/// How deep a regular expression may nest.
const MAX_NESTING: u32 = 64;
/// Bytes of a line that are shown, and how many of them before the match.
const MAX_LINE: usize = 240;
const BEFORE: usize = 80;
/// Definitions that are looked at between two looks at the clock.
const STEP: usize = 1024;

/// Looks for it.
///
/// # Errors
/// When the regular expression cannot be used.
pub fn search(
    snapshot: &Snapshot,
    search: &Search,
    window: &Window,
    deadline: &Deadline,
) -> Result<Page<SearchItem>, LookupError> {
    match search.kind {
        SearchKind::Paths => Ok(paths(snapshot, search, window)),
        SearchKind::Names => Ok(names(snapshot, search, window, deadline)),
        SearchKind::Text | SearchKind::Regex => lines(snapshot, search, window, deadline),
    }
}

/// The files below the prefix.
fn files<'a>(snapshot: &'a Snapshot, search: &'a Search) -> impl Iterator<Item = FileId> + 'a {
    let listed = snapshot.files.as_slice();
    let below = &*search.below;
    let start = listed.partition_point(|file| file.path.as_str() < below);
    let ids = (start as u32..listed.len() as u32).map(FileId);
    ids.take_while(move |id| snapshot.files.path(*id).starts_with(below))
}

fn paths(snapshot: &Snapshot, search: &Search, window: &Window) -> Page<SearchItem> {
    let wanted = search.query.to_lowercase();
    let keyed = files(snapshot, search).filter_map(|file| {
        let path = snapshot.files.path(file).to_lowercase();
        let name = path.rsplit('/').next().unwrap_or_default();
        let tier = if path == wanted {
            0
        } else if name == wanted {
            1
        } else if name.contains(&wanted) {
            2
        } else if path.contains(&wanted) {
            3
        } else {
            return None;
        };
        let key = Key {
            tier,
            file,
            line: 1,
            ordinal: 0,
        };
        Some((key, file))
    });
    page(&snapshot.files, keyed.collect(), window).map(|file| SearchItem {
        path: snapshot.files.path(file).to_owned(),
        line: None,
        column: None,
        text: String::new(),
        name: String::new(),
        kind: "",
    })
}

fn names(
    snapshot: &Snapshot,
    search: &Search,
    window: &Window,
    deadline: &Deadline,
) -> Page<SearchItem> {
    let wanted = fold(&search.query);
    let definitions = files(snapshot, search).flat_map(|file| snapshot.files.definitions_of(file));
    let mut keyed = Vec::new();
    let mut is_late = false;
    for (position, id) in definitions.enumerate() {
        if position % STEP == 0 && deadline.has_passed() {
            is_late = true;
            break;
        }
        keyed.extend(name_key(snapshot, id, &search.query, &wanted).map(|key| (key, id)));
    }
    let mut page = page(&snapshot.files, keyed, window).map(|id| named(snapshot, id));
    if is_late {
        page.issues.push(late("not all names were looked at"));
    }
    page
}

/// Where a definition stands among those found: an exact name first, then one that begins so.
fn name_key(snapshot: &Snapshot, id: DefId, exact: &str, folded: &str) -> Option<Key> {
    let definition = snapshot.files.definition(id);
    let (own, qualified) = (&*definition.name, &*definition.qualified_name);
    let tier = if own == exact || qualified == exact {
        0
    } else {
        let own = fold(own);
        if own == folded {
            1
        } else if own.starts_with(folded) {
            2
        } else if own.contains(folded) {
            3
        } else if fold(qualified).contains(folded) {
            4
        } else {
            return None;
        }
    };
    Some(Key {
        tier: tier * 3 + role_tier(snapshot.files.file(id.file).role),
        file: id.file,
        line: definition.own_lines().start,
        ordinal: id.local.0,
    })
}

fn named(snapshot: &Snapshot, id: DefId) -> SearchItem {
    let definition = snapshot.files.definition(id);
    SearchItem {
        path: snapshot.files.path(id.file).to_owned(),
        line: Some(definition.own_lines().start),
        column: None,
        text: signature(snapshot, id),
        name: definition.qualified_name.to_string(),
        kind: definition.kind.name(),
    }
}

fn regex(search: &Search) -> Result<Regex, LookupError> {
    let pattern = match search.kind {
        SearchKind::Regex => search.query.clone(),
        _ => regex::escape(&search.query),
    };
    RegexBuilder::new(&pattern)
        .case_insensitive(search.ignore_case)
        .size_limit(MAX_REGEX_BYTES)
        .dfa_size_limit(MAX_REGEX_BYTES)
        .nest_limit(MAX_NESTING)
        .build()
        .map_err(|error| LookupError::Pattern(reason(&error)))
}

/// What is wrong, on one line.
fn reason(error: &regex::Error) -> String {
    match error {
        regex::Error::CompiledTooBig(_) => "it is too large once compiled".to_owned(),
        error => {
            let text = error.to_string();
            let last = text.lines().last().unwrap_or_default();
            last.trim_start_matches("error: ").to_owned()
        }
    }
}

fn lines(
    snapshot: &Snapshot,
    search: &Search,
    window: &Window,
    deadline: &Deadline,
) -> Result<Page<SearchItem>, LookupError> {
    let regex = regex(search)?;
    let is_text = search.kind == SearchKind::Text;
    let after = window.after.as_ref();
    let after = after.map(|after| Key::of(&snapshot.files, after));
    let mut found = Found {
        items: Vec::new(),
        limit: window.limit,
        next: None,
    };
    let mut bytes = 0;
    let mut issues = Vec::new();
    let mut before: Option<FileId> = None;
    for file in files(snapshot, search) {
        let skipped = after.filter(|after| after.file >= file);
        if skipped.is_some_and(|after| after.file > file || after.line == u32::MAX) {
            continue;
        }
        // The first file is always read, so that every page leads on.
        let text = snapshot.files.text(file);
        bytes += text.len();
        if let (Some(before), Some(issue)) = (before, enough(bytes, deadline)) {
            found.next = Some(end_of(snapshot, before));
            issues.push(issue);
            break;
        }
        before = Some(file);
        // A match of a plain text is a match within a line, or of no line.
        if is_text && !regex.is_match(text) {
            continue;
        }
        let first = skipped.map_or(1, |after| after.line + 1);
        if !found.read(snapshot, file, &regex, first) {
            break;
        }
    }
    Ok(Page {
        items: found.items,
        next: found.next,
        issues,
    })
}

/// Why no further file is read.
fn enough(bytes: usize, deadline: &Deadline) -> Option<Issue> {
    if bytes > MAX_BYTES {
        return Some(Issue {
            code: "search_limit",
            detail: format!(
                "{} MiB of text were looked at: go on with the cursor, or search below a path",
                MAX_BYTES >> 20
            ),
        });
    }
    let is_late = deadline.has_passed();
    is_late.then(|| late("not all files were looked at; go on with the cursor"))
}

/// Behind the last line of a file.
fn end_of(snapshot: &Snapshot, file: FileId) -> Position {
    let key = Key {
        tier: 0,
        file,
        line: u32::MAX,
        ordinal: 0,
    };
    key.position(&snapshot.files)
}

/// Lines that were found.
struct Found {
    items: Vec<SearchItem>,
    limit: usize,
    next: Option<Position>,
}

impl Found {
    /// Adds the matching lines of a file from line `first` on; returns whether there is room for more.
    fn read(&mut self, snapshot: &Snapshot, file: FileId, regex: &Regex, first: u32) -> bool {
        let lines = snapshot.files.text(file).lines();
        for (number, line) in (1..).zip(lines).skip(first as usize - 1) {
            let Some(found) = regex.find(line) else {
                continue;
            };
            if self.items.len() == self.limit {
                self.next = self.items.last().map(|last| Position {
                    tier: 0,
                    path: last.path.clone(),
                    line: last.line.unwrap_or(1),
                    ordinal: 0,
                });
                return false;
            }
            let item = line_item(snapshot, file, number, line, found.range());
            self.items.push(item);
        }
        true
    }
}

fn line_item(
    snapshot: &Snapshot,
    file: FileId,
    number: u32,
    line: &str,
    found: Range<usize>,
) -> SearchItem {
    let files = &snapshot.files;
    let before = line.get(..found.start).unwrap_or_default();
    let enclosing = files.definition_at(file, number);
    let enclosing = enclosing.map(|id| files.definition(id));
    SearchItem {
        path: files.path(file).to_owned(),
        line: Some(number),
        column: Some(before.chars().count() as u32 + 1),
        text: shown(line, found.start),
        name: enclosing.map_or_else(String::new, |d| d.qualified_name.to_string()),
        kind: enclosing.map_or("", |d| d.kind.name()),
    }
}

/// A line, or of a long one the part around byte `at`.
fn shown(line: &str, at: usize) -> String {
    if line.len() <= MAX_LINE {
        return one_line(line, MAX_LINE);
    }
    let start = prefix(line, at.saturating_sub(BEFORE)).len();
    let part = one_line(line.get(start..).unwrap_or_default(), MAX_LINE);
    match start {
        0 => part,
        _ => format!("…{part}"),
    }
}

//! Searches paths, names and text. Text is read file by file in path order, within a limit of bytes and the
//! deadline; a page that ends early reports an issue and the line to continue after. Regular expressions are
//! matched line by line by an engine without backtracking.

use std::ops::Range;

use foveate_index::symbols::fold;
use foveate_index::{DefId, FileId, Snapshot};
use regex::{Regex, RegexBuilder};

use super::LookupError;
use super::definitions::{role_tier, signature};
use super::page::{Key, Page, Position, Window, page};
use crate::deadline::{self, Deadline};
use crate::excerpt::{one_line, prefix};
use crate::issue::{Issue, IssueCode};

/// What is searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchKind {
    /// Lines that contain a text.
    #[default]
    Text,
    /// Lines that a regular expression matches.
    Regex,
    /// Definitions whose qualified name contains the text, ignoring case and underscores.
    Names,
    /// Files whose path contains the text, ignoring case.
    Paths,
}

/// A search request.
#[derive(Clone, Debug)]
pub struct Search {
    /// A text or a regular expression.
    pub query: String,
    /// The kind of search.
    pub kind: SearchKind,
    /// Whether a search of text ignores case; searches of names and paths always do.
    pub ignore_case: bool,
    /// Prefix of the paths that are searched; empty for all files.
    pub below: String,
}

/// One match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchItem {
    /// The path of the file.
    pub path: String,
    /// 1-based line; `None` for a file as a whole.
    pub line: Option<u32>,
    /// 1-based character of the line where the match begins.
    pub column: Option<u32>,
    /// The line around the match, or the head of the definition.
    pub text: String,
    /// Qualified name of the definition that was found or encloses the match; may be empty.
    pub name: String,
    /// The kind of the definition in `name`: `function`, `class`, …; may be empty.
    pub kind: &'static str,
}

/// Maximum bytes of text that are read for one page.
const MAX_BYTES: usize = 256 << 20;
/// Maximum bytes of a compiled regular expression, and of its cache.
const MAX_REGEX_BYTES: usize = 1 << 20;
/// Deepest nesting of a regular expression.
const MAX_NESTING: u32 = 64;
/// Maximum bytes of a line that are shown.
const MAX_LINE: usize = 240;
/// Maximum bytes before the match that are shown of a long line.
const MAX_BEFORE_MATCH: usize = 80;
/// Definitions that are checked between two checks of the deadline.
const DEADLINE_CHECK_INTERVAL: usize = 1024;
/// Maximum bytes of a line that a regular expression is matched with. The largest expressions take a microsecond and
/// more for each byte.
const MAX_REGEX_LINE: usize = 16 << 10;
/// Bytes of lines after which the deadline is checked again.
const BYTES_PER_CHECK: usize = 4 << 10;

/// Runs a search.
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

/// Iterates over the files whose path begins with the prefix.
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
        if position % DEADLINE_CHECK_INTERVAL == 0 && deadline.has_passed() {
            is_late = true;
            break;
        }
        keyed.extend(name_key(snapshot, id, &search.query, &wanted).map(|key| (key, id)));
    }
    let mut page = page(&snapshot.files, keyed, window).map(|id| name_item(snapshot, id));
    if is_late {
        // A file that was not searched may have a better match than the last one of the page.
        page.next = None;
        page.issues.push(deadline::passed(
            "not all names were searched; search below a path",
        ));
    }
    page
}

/// Returns the sort key of a definition if its name matches: exact names first, then names that begin with the text.
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
    let tier = tier * 3 + role_tier(snapshot.files.role_of(id));
    Some(Key::of_definition(&snapshot.files, id, tier))
}

fn name_item(snapshot: &Snapshot, id: DefId) -> SearchItem {
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
        .map_err(|error| LookupError::InvalidRegex(reason(&error)))
}

/// Returns the reason of an error on one line.
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
    let mut found = MatchPage {
        items: Vec::new(),
        limit: window.limit,
        max_line: if is_text { usize::MAX } else { MAX_REGEX_LINE },
        cut_lines: 0,
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
        // The first file is always read, so that every page makes progress.
        let text = snapshot.files.text(file);
        bytes += text.len();
        if let (Some(before), Some(issue)) = (before, stop_reason(bytes, deadline)) {
            found.next = Some(Position::of_line(snapshot.files.path(before), u32::MAX));
            issues.push(issue);
            break;
        }
        before = Some(file);
        // A plain text that does not occur in the file occurs in no line. This is not true of regular expressions.
        if is_text && !regex.is_match(text) {
            continue;
        }
        let first = skipped.map_or(1, |after| after.line + 1);
        match found.read(snapshot, file, &regex, (first, deadline)) {
            ReadEnd::Whole => {}
            ReadEnd::Full => break,
            ReadEnd::Late => {
                issues.push(late_issue());
                break;
            }
        }
    }
    issues.extend(cut_lines_issue(found.cut_lines));
    Ok(Page {
        items: found.items,
        next: found.next,
        issues,
    })
}

/// Returns the issue that some lines were searched only in part.
fn cut_lines_issue(count: usize) -> Option<Issue> {
    (count > 0).then(|| Issue {
        code: IssueCode::SearchLimit,
        detail: format!(
            "lines longer than {} KiB were searched only at their start ({count} of them): the kind `text` searches whole \
             lines",
            MAX_REGEX_LINE >> 10
        ),
    })
}

/// Returns the issue that stops the search before the next file, if there is one.
fn stop_reason(bytes: usize, deadline: &Deadline) -> Option<Issue> {
    if bytes > MAX_BYTES {
        return Some(Issue {
            code: IssueCode::SearchLimit,
            detail: format!(
                "the search stopped after {} MiB of text: continue with the cursor, or search below a path",
                MAX_BYTES >> 20
            ),
        });
    }
    deadline.has_passed().then(late_issue)
}

fn late_issue() -> Issue {
    deadline::passed("not all files were searched; continue with the cursor")
}

/// The matching lines of a page.
struct MatchPage {
    items: Vec<SearchItem>,
    limit: usize,
    /// Maximum bytes of a line that are searched.
    max_line: usize,
    /// Lines that are longer than that.
    cut_lines: usize,
    next: Option<Position>,
}

/// How the search of a file ended.
enum ReadEnd {
    Whole,
    /// The page is full.
    Full,
    /// The deadline has passed.
    Late,
}

impl MatchPage {
    /// Adds the matching lines of a file from line `first` on. Some lines are always read, so that every page makes
    /// progress.
    fn read(
        &mut self,
        snapshot: &Snapshot,
        file: FileId,
        regex: &Regex,
        (first, deadline): (u32, &Deadline),
    ) -> ReadEnd {
        let lines = snapshot.files.text(file).lines();
        let mut unchecked = 0;
        for (number, line) in (1..).zip(lines).skip(first as usize - 1) {
            let is_checked = unchecked >= BYTES_PER_CHECK;
            if is_checked && deadline.has_passed() {
                self.next = Some(Position::of_line(snapshot.files.path(file), number - 1));
                return ReadEnd::Late;
            }
            if is_checked {
                unchecked = 0;
            }
            let searched = prefix(line, self.max_line);
            unchecked += searched.len() + 1;
            self.cut_lines += usize::from(searched.len() < line.len());
            let Some(found) = regex.find(searched) else {
                continue;
            };
            if self.items.len() == self.limit {
                let last = self.items.last();
                self.next = last.map(|last| Position::of_line(&last.path, last.line.unwrap_or(1)));
                return ReadEnd::Full;
            }
            let item = line_item(snapshot, file, number, line, found.range());
            self.items.push(item);
        }
        ReadEnd::Whole
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
        text: excerpt(line, found.start),
        name: enclosing.map_or_else(String::new, |d| d.qualified_name.to_string()),
        kind: enclosing.map_or("", |d| d.kind.name()),
    }
}

/// Returns a line, or the part of a long line around byte `at`.
fn excerpt(line: &str, at: usize) -> String {
    if line.len() <= MAX_LINE {
        return one_line(line, MAX_LINE);
    }
    let start = prefix(line, at.saturating_sub(MAX_BEFORE_MATCH)).len();
    let part = one_line(line.get(start..).unwrap_or_default(), MAX_LINE);
    match start {
        0 => part,
        _ => format!("…{part}"),
    }
}

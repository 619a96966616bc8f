//! Cuts a list in a total order into pages. A page begins after a [`Position`], which stays valid when files
//! change between pages: no unchanged item is listed twice or left out.

use foveate_index::{DefId, FileId, Files};

use crate::issue::Issue;

/// The position of an item in the order of a list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Quality of the match; 0 is the best.
    pub tier: u32,
    /// The path of its file.
    pub path: String,
    /// 1-based line; 1 for a file as a whole.
    pub line: u32,
    /// Distinguishes items on one line.
    pub ordinal: u32,
}

impl Position {
    /// Makes the position of a line in a list that is in the order of paths and lines.
    pub(super) fn of_line(path: &str, line: u32) -> Self {
        Self {
            tier: 0,
            path: path.to_owned(),
            line,
            ordinal: 0,
        }
    }
}

/// The requested part of a list.
#[derive(Clone, Debug)]
pub struct Window {
    /// Maximum items of the page.
    pub limit: usize,
    /// The last item of the previous page.
    pub after: Option<Position>,
}

/// A part of a list.
#[derive(Clone, Debug)]
pub struct Page<T> {
    /// The items in order.
    pub items: Vec<T>,
    /// The position after which the next page begins; `None` at the end of the list.
    pub next: Option<Position>,
    /// Problems and limits of this page that the reader should know.
    pub issues: Vec<Issue>,
}

impl<T> Page<T> {
    /// Converts the items of a page.
    pub fn map<U>(self, change: impl FnMut(T) -> U) -> Page<U> {
        Page {
            items: self.items.into_iter().map(change).collect(),
            next: self.next,
            issues: self.issues,
        }
    }
}

/// A [`Position`] within one snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub tier: u32,
    pub file: FileId,
    pub line: u32,
    pub ordinal: u32,
}

impl Key {
    pub(super) fn of_definition(files: &Files, id: DefId, tier: u32) -> Self {
        Self {
            tier,
            file: id.file,
            line: files.definition(id).own_lines().start,
            ordinal: id.local.0,
        }
    }

    /// Returns the key of a position. If its file is gone, returns the key before the place where the file would
    /// be: the keys of all later items are greater.
    pub(super) fn of(files: &Files, position: &Position) -> Self {
        let path = position.path.as_str();
        let listed = files.as_slice();
        let at = listed.partition_point(|file| file.path.as_str() < path);
        let is_there = listed
            .get(at)
            .is_some_and(|file| file.path.as_str() == path);
        Self {
            tier: position.tier,
            file: FileId(at as u32),
            line: if is_there { position.line } else { 0 },
            ordinal: if is_there { position.ordinal } else { 0 },
        }
    }

    pub(super) fn position(self, files: &Files) -> Position {
        Position {
            tier: self.tier,
            path: files.path(self.file).to_owned(),
            line: self.line,
            ordinal: self.ordinal,
        }
    }
}

/// Returns the page of `all` that the window requests. `all` may be in any order.
pub(super) fn page<T>(files: &Files, mut all: Vec<(Key, T)>, window: &Window) -> Page<T> {
    if let Some(after) = &window.after {
        let after = Key::of(files, after);
        all.retain(|(key, _)| *key > after);
    }
    let is_more = all.len() > window.limit;
    if is_more {
        all.select_nth_unstable_by_key(window.limit, |(key, _)| *key);
        all.truncate(window.limit);
    }
    all.sort_unstable_by_key(|(key, _)| *key);
    let last = all.last().filter(|_| is_more);
    Page {
        next: last.map(|(key, _)| key.position(files)),
        items: all.into_iter().map(|(_, item)| item).collect(),
        issues: Vec::new(),
    }
}

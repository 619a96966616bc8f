//! Decides what a file is for by its name and directory. No rule names a repository.
//!
//! Well-known files are listed in tables of lines `KIND NAME WORDS`. A name is in lower case; `*` at one end stands for
//! anything, and a directory may precede the name. The words are those by which people refer to what the file decides.
//! Lines `section NAME WORDS` are tools that only a section of a manifest configures: see [`tools`]. Each language has a
//! table of its own in its [`Ecosystem`](crate::role::conventions::Ecosystem).

#[cfg(test)]
mod tests;
mod tools;

use std::sync::LazyLock;

use foveate_model::{FileKind, Purpose, RepoPath, Role};

use crate::languages;
use crate::paths::is_below;

/// The well-known files of no language.
const COMMON: &str = include_str!("purpose/common.txt");

/// Directories of notes on releases.
const CHANGELOGS: [&str; 8] = [
    "changelog", "changelogs", "newsfragments", ".changeset", "news", "releases", "release_notes",
    "release-notes",
];

/// Directories of workflows at the root.
const WORKFLOWS: [&str; 3] = [".github/workflows", ".github/actions", ".circleci"];

/// A well-known file.
#[derive(Clone, Copy, Debug)]
struct WellKnown {
    kind: FileKind,
    /// The directory that it must be in; empty for any.
    directory: &'static str,
    name: &'static str,
    words: &'static str,
}

impl WellKnown {
    /// Reads a line of a table.
    fn parse(line: &'static str) -> Option<Self> {
        let (kind, rest) = line.split_once(' ')?;
        let (path, words) = rest.trim_start().split_once(' ').unwrap_or((rest, ""));
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        Some(Self {
            kind: FileKind::named(kind)?,
            directory,
            name,
            words: words.trim_start(),
        })
    }

    /// Whether it may be a file of this role. Of code only a whole stem counts: many modules begin like the name of a tool.
    fn may_have(&self, role: Role) -> bool {
        match role {
            Role::Source => !self.name.ends_with('*') || self.name.ends_with(".*"),
            _ => self.kind.is_documentation() == (role == Role::Documentation),
        }
    }

    fn matches(&self, directory: &str, name: &str) -> bool {
        let starts = |start: &str| {
            let of_name = name.get(..start.len());
            of_name.is_some_and(|of_name| of_name.eq_ignore_ascii_case(start))
        };
        let ends = |end: &str| {
            let at = name.len().checked_sub(end.len());
            let of_name = at.and_then(|at| name.get(at..));
            of_name.is_some_and(|of_name| of_name.eq_ignore_ascii_case(end))
        };
        let is_named = match (self.name.strip_prefix('*'), self.name.strip_suffix('*')) {
            (Some(end), _) => ends(end),
            (None, Some(start)) => starts(start),
            (None, None) => name.eq_ignore_ascii_case(self.name),
        };
        is_named && (self.directory.is_empty() || directory.eq_ignore_ascii_case(self.directory))
    }
}

/// All well-known files, by the first byte of their names; those that begin with anything are at byte `*`. Of two that a
/// file may match, the more exact one comes first.
static WELL_KNOWN: LazyLock<[Vec<WellKnown>; 128]> = LazyLock::new(|| {
    let mut by_first: [Vec<WellKnown>; 128] = std::array::from_fn(|_| Vec::new());
    for line in rows().filter(|line| !line.starts_with("section ")) {
        let Some(known) = WellKnown::parse(line) else {
            unreachable!("a line of a table of well-known files: {line}")
        };
        let first = known.name.bytes().next().map_or(0, usize::from);
        by_first[first % 128].push(known);
    }
    for known in &mut by_first {
        known.sort_by_key(|known| std::cmp::Reverse((known.directory.len(), known.name.len())));
    }
    by_first
});

/// Returns the lines of all tables.
fn rows() -> impl Iterator<Item = &'static str> {
    let of_languages = languages::all().map(|spec| spec.roles.ecosystem.well_known);
    of_languages.chain([COMMON]).flat_map(str::lines)
}

/// Returns what a file of a role is for. Sections of its text count if it may configure many tools.
pub(crate) fn of(path: &RepoPath, role: Role, text: &str) -> Purpose {
    if matches!(role, Role::Test | Role::Generated | Role::Data) {
        return Purpose::default();
    }
    let known = well_known(path, role);
    let by_name = match (known, role) {
        (Some(known), _) => known.kind,
        (None, Role::Configuration) => FileKind::Setting,
        (None, Role::Documentation) => FileKind::Page,
        (None, _) => FileKind::Source,
    };
    let kind = by_directory(path, role).unwrap_or(by_name);
    let mut words: Vec<&str> = known.map(|known| known.words).into_iter().collect();
    if matches!(
        kind,
        FileKind::Manifest | FileKind::Tool | FileKind::TestRunner
    ) {
        words.extend(tools::words(path, text));
    }
    words.retain(|words| !words.is_empty());
    Purpose {
        kind: Some(kind),
        words,
    }
}

/// Returns the kind that all files of a directory have.
fn by_directory(path: &RepoPath, role: Role) -> Option<FileKind> {
    let (directory, name) = (path.directory(), path.file_name());
    if WORKFLOWS.iter().any(|top| is_below(directory, top)) {
        return Some(FileKind::Workflow);
    }
    // Texts for contributors may be kept there, too.
    let is_of_forge = |name: &str| directory != ".github" || !name.ends_with(".md");
    if is_below(directory, ".github") && is_of_forge(name) {
        return Some(FileKind::Forge);
    }
    let mut directories = directory.split('/');
    match role {
        Role::Configuration if directory.ends_with("requirements") => Some(FileKind::Manifest),
        Role::Documentation if directories.any(|name| CHANGELOGS.contains(&name)) => {
            Some(FileKind::Changelog)
        }
        _ => None,
    }
}

/// Returns the well-known file that a path names.
fn well_known(path: &RepoPath, role: Role) -> Option<&'static WellKnown> {
    let (directory, name) = (path.directory(), path.file_name());
    let first = name.bytes().next()?.to_ascii_lowercase();
    let same_start = WELL_KNOWN.get(usize::from(first))?;
    let mut known = same_start.iter().chain(&WELL_KNOWN[usize::from(b'*')]);
    // A whole path says enough: templates of issues are Markdown, too.
    let may_be = |known: &WellKnown| !known.directory.is_empty() || known.may_have(role);
    known.find(|known| may_be(known) && known.matches(directory, name))
}

//! Defines the lookups: their raw parameters, the validated ones, and how each runs and answers. The comments
//! on the raw fields become the descriptions that agents receive, so they must be short.

use foveate_index::Snapshot;
use foveate_model::{Lines, RepoPath};
use foveate_query::Deadline;
use foveate_query::lookup::{
    self, FileText, FoundDefinitions, FoundOutline, FoundReferences, LookupError, Page, Search,
    SearchItem, SearchKind, Target,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::answer::{
    DefinitionsAnswer, FileTextAnswer, OutlineAnswer, ReferencesAnswer, SearchAnswer, parts,
    with_issues,
};
use super::fields::{self, DEFINITION_LIMIT, FILE_LIMIT, OUTLINE_LIMIT, SEARCH_LIMIT};
use super::page::PageOf;
use super::{InvalidLookup, Lookup, RawLookup};
use crate::engine::LookupWithSnapshot;
use crate::wire::whole_number::WholeNumber;

/// Where a name is defined.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawDefinitions {
    /// `connect`, `Client.connect`, `package.module.Client` or `path:name`
    #[schemars(required)]
    pub name: Option<String>,
    /// Commit, branch or tag; default: the files as they are now
    pub r#ref: Option<String>,
    /// Items per page
    pub limit: Option<WholeNumber>,
    /// `next_cursor` of the previous page
    pub cursor: Option<String>,
}

/// Validated [`RawDefinitions`].
#[derive(Clone, Debug)]
pub struct Definitions {
    name: String,
    page: PageOf,
}

impl RawLookup for RawDefinitions {
    type Lookup = Definitions;

    fn validate(self) -> Result<(Option<String>, Definitions), InvalidLookup> {
        let name = fields::text("name", self.name, fields::MAX_NAME_CHARS)?;
        let lookup = format!("definitions {name}");
        let page = PageOf::new(lookup, self.limit, self.cursor.as_deref(), DEFINITION_LIMIT)?;
        Ok((self.r#ref, Definitions { name, page }))
    }
}

impl Lookup for Definitions {
    type Output = FoundDefinitions;
    type Answer = DefinitionsAnswer;

    fn run(&self, snapshot: &Snapshot, deadline: &Deadline) -> Result<Self::Output, LookupError> {
        let window = &self.page.window;
        Ok(lookup::definitions(snapshot, &self.name, window, deadline))
    }

    fn answer(&self, found: LookupWithSnapshot<Self::Output>) -> Self::Answer {
        let (revision, mut found, issues) = parts(found);
        Self::Answer {
            revision,
            found: found.matched.map_or("none", |m| m.name()).to_owned(),
            next_cursor: self.page.cursor(found.page.next.as_ref()),
            issues: with_issues(&mut found.page, issues),
            definitions: found.page.items.into_iter().map(Into::into).collect(),
        }
    }
}

/// References to a definition, which is given by name, by name and file, or by a line in it (the innermost
/// definition).
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawReferences {
    /// Name of the definition; or give path and line
    pub name: Option<String>,
    /// File of the definition
    pub path: Option<String>,
    /// A line of the definition
    pub line: Option<WholeNumber>,
    /// Commit, branch or tag; default: the files as they are now
    pub r#ref: Option<String>,
    /// Items per page
    pub limit: Option<WholeNumber>,
    /// `next_cursor` of the previous page
    pub cursor: Option<String>,
}

/// Validated [`RawReferences`].
#[derive(Clone, Debug)]
pub struct References {
    target: Target,
    page: PageOf,
}

impl RawLookup for RawReferences {
    type Lookup = References;

    fn validate(self) -> Result<(Option<String>, References), InvalidLookup> {
        let name = self
            .name
            .map(|name| fields::text("name", Some(name), fields::MAX_NAME_CHARS));
        let target = match (name.transpose()?, self.path, self.line) {
            (Some(name), None, None) => Target::Name(name),
            (Some(name), path @ Some(_), None) => Target::NameIn(name, fields::path(path)?),
            (None, path @ Some(_), Some(line)) => {
                Target::Line(fields::path(path)?, fields::line(line)?)
            }
            (Some(_), _, Some(_)) => {
                let reason =
                    "cannot be combined with `name`: give a `name`, or a `path` and a `line`";
                return Err(InvalidLookup::new("line", reason));
            }
            (None, Some(_), None) => {
                let reason = "is missing: give it with `path`, or give a `name`";
                return Err(InvalidLookup::new("line", reason));
            }
            (None, None, _) => {
                let reason = "is missing: give a `name`, or a `path` and a `line`";
                return Err(InvalidLookup::new("name", reason));
            }
        };
        let lookup = format!("references {target:?}");
        let page = PageOf::new(lookup, self.limit, self.cursor.as_deref(), DEFINITION_LIMIT)?;
        Ok((self.r#ref, References { target, page }))
    }
}

impl Lookup for References {
    type Output = FoundReferences;
    type Answer = ReferencesAnswer;

    fn run(&self, snapshot: &Snapshot, deadline: &Deadline) -> Result<Self::Output, LookupError> {
        lookup::references(snapshot, &self.target, &self.page.window, deadline)
    }

    fn answer(&self, found: LookupWithSnapshot<Self::Output>) -> Self::Answer {
        let (revision, mut found, issues) = parts(found);
        Self::Answer {
            revision,
            found: found.matched.map_or("none", |m| m.name()).to_owned(),
            definitions: found.definitions.into_iter().map(Into::into).collect(),
            next_cursor: self.page.cursor(found.page.next.as_ref()),
            issues: with_issues(&mut found.page, issues),
            references: found.page.items.into_iter().map(Into::into).collect(),
        }
    }
}

/// The outline of a file.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawOutline {
    /// The file, from the repository's root
    #[schemars(required)]
    pub path: Option<String>,
    /// Commit, branch or tag; default: the files as they are now
    pub r#ref: Option<String>,
    /// Items per page
    pub limit: Option<WholeNumber>,
    /// `next_cursor` of the previous page
    pub cursor: Option<String>,
}

/// Validated [`RawOutline`].
#[derive(Clone, Debug)]
pub struct Outline {
    pub(super) path: RepoPath,
    page: PageOf,
}

impl RawLookup for RawOutline {
    type Lookup = Outline;

    fn validate(self) -> Result<(Option<String>, Outline), InvalidLookup> {
        let path = fields::path(self.path)?;
        let lookup = format!("outline {path}");
        let page = PageOf::new(lookup, self.limit, self.cursor.as_deref(), OUTLINE_LIMIT)?;
        Ok((self.r#ref, Outline { path, page }))
    }
}

impl Lookup for Outline {
    type Output = FoundOutline;
    type Answer = OutlineAnswer;

    fn run(&self, snapshot: &Snapshot, _: &Deadline) -> Result<Self::Output, LookupError> {
        lookup::outline(snapshot, &self.path, &self.page.window)
    }

    fn answer(&self, found: LookupWithSnapshot<Self::Output>) -> Self::Answer {
        let (revision, mut found, issues) = parts(found);
        Self::Answer {
            revision,
            path: self.path.to_string(),
            language: found.language.to_owned(),
            line_count: found.line_count,
            next_cursor: self.page.cursor(found.page.next.as_ref()),
            issues: with_issues(&mut found.page, issues),
            entries: found.page.items.into_iter().map(Into::into).collect(),
        }
    }
}

/// What to search: lines that contain a text or match a regular expression, names of definitions, or paths of
/// files.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum SearchKindName {
    #[default]
    Text,
    Regex,
    Names,
    Paths,
}

same_members!(SearchKindName => SearchKind { Text, Regex, Names, Paths });

/// Where a text, a name or a path occurs.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawSearch {
    /// Text, regular expression (one line, no look-around), or part of a name or path
    #[schemars(required)]
    pub q: Option<String>,
    /// Default: text
    pub kind: Option<SearchKindName>,
    #[allow(missing_docs)]
    pub ignore_case: Option<bool>,
    /// Only paths with this prefix
    pub path: Option<String>,
    /// Commit, branch or tag; default: the files as they are now
    pub r#ref: Option<String>,
    /// Items per page
    pub limit: Option<WholeNumber>,
    /// `next_cursor` of the previous page
    pub cursor: Option<String>,
}

/// Validated [`RawSearch`].
#[derive(Clone, Debug)]
pub struct ValidSearch {
    search: Search,
    page: PageOf,
}

impl RawLookup for RawSearch {
    type Lookup = ValidSearch;

    fn validate(self) -> Result<(Option<String>, ValidSearch), InvalidLookup> {
        let search = Search {
            query: fields::text("q", self.q, fields::MAX_QUERY_CHARS)?,
            kind: self.kind.unwrap_or_default().into(),
            ignore_case: self.ignore_case.unwrap_or(false),
            below: fields::path_prefix(self.path)?,
        };
        let lookup = format!("search {search:?}");
        let page = PageOf::new(lookup, self.limit, self.cursor.as_deref(), SEARCH_LIMIT)?;
        Ok((self.r#ref, ValidSearch { search, page }))
    }
}

impl Lookup for ValidSearch {
    type Output = Page<SearchItem>;
    type Answer = SearchAnswer;

    fn run(&self, snapshot: &Snapshot, deadline: &Deadline) -> Result<Self::Output, LookupError> {
        lookup::search(snapshot, &self.search, &self.page.window, deadline)
    }

    fn answer(&self, found: LookupWithSnapshot<Self::Output>) -> Self::Answer {
        let (revision, mut found, issues) = parts(found);
        Self::Answer {
            revision,
            next_cursor: self.page.cursor(found.next.as_ref()),
            issues: with_issues(&mut found, issues),
            matches: found.items.into_iter().map(Into::into).collect(),
        }
    }
}

/// The text of a file.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawFile {
    /// Path of the file; over HTTP it is part of the URL.
    #[serde(skip)]
    pub path: Option<String>,
    /// A line such as `12`, or lines such as `12-40`
    pub lines: Option<String>,
    /// Commit, branch or tag; default: the files as they are now
    pub r#ref: Option<String>,
    /// Lines per page
    pub limit: Option<WholeNumber>,
    /// `next_cursor` of the previous page
    pub cursor: Option<String>,
}

/// Validated [`RawFile`].
#[derive(Clone, Debug)]
pub struct File {
    path: RepoPath,
    lines: Option<Lines>,
    page: PageOf,
}

impl RawLookup for RawFile {
    type Lookup = File;

    fn validate(self) -> Result<(Option<String>, File), InvalidLookup> {
        let (path, lines) = (fields::path(self.path)?, fields::lines(self.lines)?);
        let lookup = format!("file {path} {lines:?}");
        let page = PageOf::new(lookup, self.limit, self.cursor.as_deref(), FILE_LIMIT)?;
        Ok((self.r#ref, File { path, lines, page }))
    }
}

impl Lookup for File {
    type Output = FileText;
    type Answer = FileTextAnswer;

    fn run(&self, snapshot: &Snapshot, _: &Deadline) -> Result<Self::Output, LookupError> {
        lookup::file(snapshot, &self.path, self.lines, &self.page.window)
    }

    fn answer(&self, found: LookupWithSnapshot<Self::Output>) -> Self::Answer {
        let (revision, found, issues) = parts(found);
        Self::Answer {
            revision,
            path: found.path,
            language: found.language.to_owned(),
            role: found.role.name().to_owned(),
            bytes: found.bytes,
            line_count: found.line_count,
            start_line: found.lines.map_or(0, |lines| lines.start),
            end_line: found.lines.map_or(0, |lines| lines.end),
            text: found.text,
            next_cursor: self.page.cursor(found.next.as_ref()),
            issues,
        }
    }
}

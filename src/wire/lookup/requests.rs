//! The lookups, as they are given and as they are validated.

use foveate_index::Snapshot;
use foveate_model::{Lines, RepoPath};
use foveate_query::Deadline;
use foveate_query::lookup::{
    self, FileText, FoundDefinitions, FoundOutline, FoundReferences, LookupError, Page, Position,
    Search, SearchItem, SearchKind, Target, Window,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::answer::{
    DefinitionsAnswer, FileTextAnswer, OutlineAnswer, ReferencesAnswer, SearchAnswer,
};
use super::fields::{self, DEFINITION_LIMIT, FILE_LIMIT, LimitRange, OUTLINE_LIMIT, SEARCH_LIMIT};
use super::{InvalidLookup, Lookup, RawLookup, cursor};
use crate::engine::LookedUp;

/// Which page is wanted.
#[derive(Clone, Debug, Default)]
pub struct RawPage {
    /// Most items.
    pub limit: Option<u64>,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
}

/// A validated page of the list that `lookup` describes.
#[derive(Clone, Debug)]
pub struct PageOf {
    lookup: String,
    window: Window,
}

impl RawPage {
    fn of(self, lookup: String, range: LimitRange) -> Result<PageOf, InvalidLookup> {
        let limit = range.check(self.limit)?;
        let after = self.cursor.map(|cursor| cursor::decode(&lookup, &cursor));
        let window = Window {
            limit,
            after: after.transpose()?,
        };
        Ok(PageOf { lookup, window })
    }
}

impl PageOf {
    /// The cursor of the next page.
    pub(super) fn cursor(&self, next: Option<&Position>) -> Option<String> {
        next.map(|position| cursor::encode(&self.lookup, position))
    }
}

/// Where a name is defined.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct RawDefinitions {
    pub name: Option<String>,
    pub page: RawPage,
}

/// [`RawDefinitions`], validated.
#[derive(Clone, Debug)]
pub struct Definitions {
    name: String,
    page: PageOf,
}

impl RawLookup for RawDefinitions {
    type Lookup = Definitions;

    fn validate(self) -> Result<Definitions, InvalidLookup> {
        let name = fields::text("name", self.name, fields::MAX_NAME_CHARS)?;
        let page = self
            .page
            .of(format!("definitions {name}"), DEFINITION_LIMIT)?;
        Ok(Definitions { name, page })
    }
}

impl Lookup for Definitions {
    type Found = FoundDefinitions;
    type Answer = DefinitionsAnswer;

    fn run(&self, snapshot: &Snapshot, deadline: &Deadline) -> Result<Self::Found, LookupError> {
        let window = &self.page.window;
        Ok(lookup::definitions(snapshot, &self.name, window, deadline))
    }

    fn answer(&self, found: LookedUp<Self::Found>) -> Self::Answer {
        DefinitionsAnswer::new(found, &self.page)
    }
}

/// Who uses a definition: that of a name, the innermost one at a line, or that of a name in a file.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct RawReferences {
    pub name: Option<String>,
    pub path: Option<String>,
    pub line: Option<u64>,
    pub page: RawPage,
}

/// [`RawReferences`], validated.
#[derive(Clone, Debug)]
pub struct References {
    target: Target,
    page: PageOf,
}

impl RawLookup for RawReferences {
    type Lookup = References;

    fn validate(self) -> Result<References, InvalidLookup> {
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
                let reason = "has no place beside `name`: the line already says which is meant";
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
        let page = self
            .page
            .of(format!("references {target:?}"), DEFINITION_LIMIT)?;
        Ok(References { target, page })
    }
}

impl Lookup for References {
    type Found = FoundReferences;
    type Answer = ReferencesAnswer;

    fn run(&self, snapshot: &Snapshot, deadline: &Deadline) -> Result<Self::Found, LookupError> {
        lookup::references(snapshot, &self.target, &self.page.window, deadline)
    }

    fn answer(&self, found: LookedUp<Self::Found>) -> Self::Answer {
        ReferencesAnswer::new(found, &self.page)
    }
}

/// What is in a file.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct RawOutline {
    pub path: Option<String>,
    pub page: RawPage,
}

/// [`RawOutline`], validated.
#[derive(Clone, Debug)]
pub struct Outline {
    pub(super) path: RepoPath,
    page: PageOf,
}

impl RawLookup for RawOutline {
    type Lookup = Outline;

    fn validate(self) -> Result<Outline, InvalidLookup> {
        let path = fields::path(self.path)?;
        let page = self.page.of(format!("outline {path}"), OUTLINE_LIMIT)?;
        Ok(Outline { path, page })
    }
}

impl Lookup for Outline {
    type Found = FoundOutline;
    type Answer = OutlineAnswer;

    fn run(&self, snapshot: &Snapshot, _: &Deadline) -> Result<Self::Found, LookupError> {
        lookup::outline(snapshot, &self.path, &self.page.window)
    }

    fn answer(&self, found: LookedUp<Self::Found>) -> Self::Answer {
        OutlineAnswer::new(found, self.path.to_string(), &self.page)
    }
}

/// What is searched: lines that contain a text or match a regular expression, names of definitions, or
/// paths of files.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    ToSchema,
    schemars::JsonSchema,
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

impl From<SearchKindName> for SearchKind {
    fn from(name: SearchKindName) -> Self {
        match name {
            SearchKindName::Text => Self::Text,
            SearchKindName::Regex => Self::Regex,
            SearchKindName::Names => Self::Names,
            SearchKindName::Paths => Self::Paths,
        }
    }
}

/// Where a text, a name or a path stands.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct RawSearch {
    pub q: Option<String>,
    pub kind: Option<SearchKindName>,
    pub ignore_case: Option<bool>,
    pub path: Option<String>,
    pub page: RawPage,
}

/// [`RawSearch`], validated.
#[derive(Clone, Debug)]
pub struct ValidSearch {
    search: Search,
    page: PageOf,
}

impl RawLookup for RawSearch {
    type Lookup = ValidSearch;

    fn validate(self) -> Result<ValidSearch, InvalidLookup> {
        let search = Search {
            query: fields::text("q", self.q, fields::MAX_QUERY_CHARS)?,
            kind: self.kind.unwrap_or_default().into(),
            ignore_case: self.ignore_case.unwrap_or(false),
            below: fields::below(self.path)?,
        };
        let page = self.page.of(format!("search {search:?}"), SEARCH_LIMIT)?;
        Ok(ValidSearch { search, page })
    }
}

impl Lookup for ValidSearch {
    type Found = Page<SearchItem>;
    type Answer = SearchAnswer;

    fn run(&self, snapshot: &Snapshot, deadline: &Deadline) -> Result<Self::Found, LookupError> {
        lookup::search(snapshot, &self.search, &self.page.window, deadline)
    }

    fn answer(&self, found: LookedUp<Self::Found>) -> Self::Answer {
        SearchAnswer::new(found, &self.page)
    }
}

/// The text of a file.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct RawFile {
    pub path: Option<String>,
    pub lines: Option<String>,
    pub page: RawPage,
}

/// [`RawFile`], validated.
#[derive(Clone, Debug)]
pub struct File {
    path: RepoPath,
    lines: Option<Lines>,
    page: PageOf,
}

impl RawLookup for RawFile {
    type Lookup = File;

    fn validate(self) -> Result<File, InvalidLookup> {
        let (path, lines) = (fields::path(self.path)?, fields::lines(self.lines)?);
        let page = self.page.of(format!("file {path} {lines:?}"), FILE_LIMIT)?;
        Ok(File { path, lines, page })
    }
}

impl Lookup for File {
    type Found = FileText;
    type Answer = FileTextAnswer;

    fn run(&self, snapshot: &Snapshot, _: &Deadline) -> Result<Self::Found, LookupError> {
        lookup::file(snapshot, &self.path, self.lines, &self.page.window)
    }

    fn answer(&self, found: LookedUp<Self::Found>) -> Self::Answer {
        FileTextAnswer::new(found, &self.page)
    }
}

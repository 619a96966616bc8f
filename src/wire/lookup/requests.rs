//! Defines the lookups: their parameters, and how each is validated, runs and answers. The comments on the parameters
//! become the descriptions that agents receive, so they must be short.

use foveate_query::lookup::{self, Search, SearchKind, Target};
use schemars::JsonSchema;
use serde::Deserialize;
use utoipa::ToSchema;

use super::answer::{
    DefinitionsAnswer, FileTextAnswer, OutlineAnswer, ReferencesAnswer, SearchAnswer, with_issues,
};
use super::cursor::page;
use super::fields::{self, FILE_LIMIT, ITEM_LIMIT, OUTLINE_LIMIT};
use super::{InvalidLookup, Lookup, LookupContext, LookupFailure};
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

impl Lookup for RawDefinitions {
    type Answer = DefinitionsAnswer;

    async fn run(self, context: LookupContext<'_>) -> Result<DefinitionsAnswer, LookupFailure> {
        let name = fields::text("name", self.name, fields::MAX_NAME_CHARS)?;
        let lookup = format!("definitions {name}");
        let (window, cursors) = page(lookup, self.limit, self.cursor, ITEM_LIMIT)?;
        let found = context.find(self.r#ref, move |snapshot, deadline| {
            Ok(lookup::definitions(snapshot, &name, &window, deadline))
        });
        let (revision, mut found, issues) = found.await?;
        Ok(DefinitionsAnswer {
            revision,
            found: found.matched.map_or("none", |m| m.name()).to_owned(),
            next_cursor: cursors.encode(found.page.next.as_ref()),
            issues: with_issues(&mut found.page, issues),
            definitions: found.page.items.into_iter().map(Into::into).collect(),
        })
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

impl Lookup for RawReferences {
    type Answer = ReferencesAnswer;

    async fn run(self, context: LookupContext<'_>) -> Result<ReferencesAnswer, LookupFailure> {
        let target = referenced(self.name, self.path, self.line)?;
        let lookup = format!("references {target:?}");
        let (window, cursors) = page(lookup, self.limit, self.cursor, ITEM_LIMIT)?;
        let found = context.find(self.r#ref, move |snapshot, deadline| {
            lookup::references(snapshot, &target, &window, deadline)
        });
        let (revision, mut found, issues) = found.await?;
        Ok(ReferencesAnswer {
            revision,
            found: found.matched.map_or("none", |m| m.name()).to_owned(),
            definitions: found.definitions.into_iter().map(Into::into).collect(),
            next_cursor: cursors.encode(found.page.next.as_ref()),
            issues: with_issues(&mut found.page, issues),
            references: found.page.items.into_iter().map(Into::into).collect(),
        })
    }
}

/// Determines the definitions whose references are looked up.
fn referenced(
    name: Option<String>,
    path: Option<String>,
    line: Option<WholeNumber>,
) -> Result<Target, InvalidLookup> {
    let name = name.map(|name| fields::text("name", Some(name), fields::MAX_NAME_CHARS));
    let (field, reason) = match (name.transpose()?, path, line) {
        (Some(name), None, None) => return Ok(Target::Name(name)),
        (Some(name), path @ Some(_), None) => return Ok(Target::NameIn(name, fields::path(path)?)),
        (None, path @ Some(_), Some(line)) => {
            return Ok(Target::Line(fields::path(path)?, fields::line(line)?));
        }
        (Some(_), _, Some(_)) => (
            "line",
            "cannot be combined with `name`: give a `name`, or a `path` and a `line`",
        ),
        (None, Some(_), None) => ("line", "is missing: give it with `path`, or give a `name`"),
        (None, None, _) => (
            "name",
            "is missing: give a `name`, or a `path` and a `line`",
        ),
    };
    Err(InvalidLookup::new(field, reason))
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

impl Lookup for RawOutline {
    type Answer = OutlineAnswer;

    async fn run(self, context: LookupContext<'_>) -> Result<OutlineAnswer, LookupFailure> {
        let path = fields::path(self.path)?;
        let lookup = format!("outline {path}");
        let (window, cursors) = page(lookup, self.limit, self.cursor, OUTLINE_LIMIT)?;
        let shown = path.to_string();
        let found = context.find(self.r#ref, move |snapshot, _| {
            lookup::outline(snapshot, &path, &window)
        });
        let (revision, mut found, issues) = found.await?;
        Ok(OutlineAnswer {
            revision,
            path: shown,
            language: found.language.to_owned(),
            line_count: found.line_count,
            next_cursor: cursors.encode(found.page.next.as_ref()),
            issues: with_issues(&mut found.page, issues),
            entries: found.page.items.into_iter().map(Into::into).collect(),
        })
    }
}

/// What to search: lines that contain a text or match a regular expression, names of definitions, or paths of
/// files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema, JsonSchema)]
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

impl Lookup for RawSearch {
    type Answer = SearchAnswer;

    async fn run(self, context: LookupContext<'_>) -> Result<SearchAnswer, LookupFailure> {
        let search = Search {
            query: fields::text("q", self.q, fields::MAX_QUERY_CHARS)?,
            kind: self.kind.unwrap_or_default().into(),
            ignore_case: self.ignore_case.unwrap_or(false),
            below: fields::path_prefix(self.path)?,
        };
        let lookup = format!("search {search:?}");
        let (window, cursors) = page(lookup, self.limit, self.cursor, ITEM_LIMIT)?;
        let found = context.find(self.r#ref, move |snapshot, deadline| {
            lookup::search(snapshot, &search, &window, deadline)
        });
        let (revision, mut found, issues) = found.await?;
        Ok(SearchAnswer {
            revision,
            next_cursor: cursors.encode(found.next.as_ref()),
            issues: with_issues(&mut found, issues),
            matches: found.items.into_iter().map(Into::into).collect(),
        })
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

impl Lookup for RawFile {
    type Answer = FileTextAnswer;

    async fn run(self, context: LookupContext<'_>) -> Result<FileTextAnswer, LookupFailure> {
        let (path, lines) = (fields::path(self.path)?, fields::lines(self.lines)?);
        let lookup = format!("file {path} {lines:?}");
        let (window, cursors) = page(lookup, self.limit, self.cursor, FILE_LIMIT)?;
        let found = context.find(self.r#ref, move |snapshot, _| {
            lookup::file(snapshot, &path, lines, &window)
        });
        let (revision, found, issues) = found.await?;
        Ok(FileTextAnswer {
            revision,
            path: found.path,
            language: found.language.to_owned(),
            role: found.role.name().to_owned(),
            bytes: found.bytes,
            line_count: found.line_count,
            start_line: found.lines.map_or(0, |lines| lines.start),
            end_line: found.lines.map_or(0, |lines| lines.end),
            text: found.text,
            next_cursor: cursors.encode(found.next.as_ref()),
            issues,
        })
    }
}

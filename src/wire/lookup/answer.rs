//! Defines the answers of lookups, as JSON.

use foveate_query::lookup::{DefinitionItem, OutlineItem, Page, ReferenceItem, SearchItem};
use serde::Serialize;
use utoipa::ToSchema;

use crate::wire::answer::IssueAnswer;

/// The searched revision.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RevisionAnswer {
    /// Name of the repository.
    pub repo: String,
    /// The commit; of a working tree, its `HEAD`. Empty if there is none.
    pub commit: String,
    /// Whether a working tree was searched that differs from the commit.
    pub dirty: bool,
    /// Number of indexes published so far for what was searched.
    pub generation: u64,
    /// Changed files that were noticed but not indexed yet.
    pub pending_files: usize,
}

/// Adds the notes of a page to those of the answer.
pub(super) fn with_issues<T>(page: &mut Page<T>, mut issues: Vec<IssueAnswer>) -> Vec<IssueAnswer> {
    issues.extend(page.issues.drain(..).map(IssueAnswer::from));
    issues
}

/// The definitions of a name.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DefinitionsAnswer {
    /// The searched revision.
    pub revision: RevisionAnswer,
    /// How the name was found: `exact`; `module`, as a path through modules; `suffix`, without its leading
    /// parts; `last_name`, by its last part alone; `ignoring_case`; `similar`, only
    /// names with a similar spelling; `none`.
    pub found: String,
    /// Shipped code first, then tests, by path and line; of similar names the most similar first.
    pub definitions: Vec<DefinitionAnswer>,
    /// Cursor of the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Notes for the reader.
    pub issues: Vec<IssueAnswer>,
}

/// One definition.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DefinitionAnswer {
    /// Path of its file.
    pub path: String,
    /// Qualified name.
    pub name: String,
    /// `function`, `method`, `class`, ….
    pub kind: String,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// Its head on one line, without comments. If it is long, `…` replaces attributes before it and its end.
    pub signature: String,
    /// The first sentence of its documentation, cut if long; absent if there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub documentation: String,
    /// Role of the file: `source`, `test`, ….
    pub role: String,
}

impl From<DefinitionItem> for DefinitionAnswer {
    fn from(item: DefinitionItem) -> Self {
        Self {
            path: item.path,
            name: item.name,
            kind: item.kind.name().to_owned(),
            start_line: item.lines.start,
            end_line: item.lines.end,
            signature: item.signature,
            documentation: item.documentation,
            role: item.role.name().to_owned(),
        }
    }
}

/// The references to a definition.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReferencesAnswer {
    /// The searched revision.
    pub revision: RevisionAnswer,
    /// How the definitions were found, as `found` of the definitions. Unless it is `exact`, `module` or
    /// `suffix`, they are only near matches, and no references are listed.
    pub found: String,
    /// The referenced definitions, ten at most.
    pub definitions: Vec<DefinitionAnswer>,
    /// The most certain first, shipped code before tests, by path and line.
    pub references: Vec<ReferenceAnswer>,
    /// Cursor of the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Notes for the reader.
    pub issues: Vec<IssueAnswer>,
}

/// One reference.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReferenceAnswer {
    /// Path of its file.
    pub path: String,
    /// 1-based line.
    pub line: u32,
    /// 1-based column, in characters.
    pub column: u32,
    /// The line, cut if long.
    pub text: String,
    /// `call`, `attribute`, `type`, `base`, `decorator`, `raise`, `catch` or `name`.
    pub kind: String,
    /// `certain` (through imports and scopes), `likely` (an inferred type or a rare name) or `name_only`.
    pub confidence: String,
    /// Qualified name of the enclosing function or class; absent at the top level.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub caller: String,
    /// Qualified name of the referenced definition.
    pub definition: String,
    /// Role of the file: `source`, `test`, ….
    pub role: String,
}

impl From<ReferenceItem> for ReferenceAnswer {
    fn from(item: ReferenceItem) -> Self {
        Self {
            path: item.path,
            line: item.line,
            column: item.column,
            text: item.text,
            kind: item.kind.to_owned(),
            confidence: item.confidence.name().to_owned(),
            caller: item.caller,
            definition: item.definition,
            role: item.role.name().to_owned(),
        }
    }
}

/// The outline of a file.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct OutlineAnswer {
    /// The searched revision.
    pub revision: RevisionAnswer,
    /// Path of the file.
    pub path: String,
    /// Language of the file.
    pub language: String,
    /// Number of lines.
    pub line_count: u32,
    /// In file order; an enclosing entry comes before the entries in it.
    pub entries: Vec<OutlineEntry>,
    /// Cursor of the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Notes for the reader.
    pub issues: Vec<IssueAnswer>,
}

/// One definition of a file, or one section of prose or settings.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct OutlineEntry {
    /// Its own name; of a section, the path of titles or keys that leads to it.
    pub name: String,
    /// `function`, `method`, `class`, …; `section`, `key`, ….
    pub kind: String,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, inclusive, with all that it encloses.
    pub end_line: u32,
    /// Number of enclosing entries.
    pub depth: u32,
    /// A definition's head on one line; absent for a section.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub signature: String,
}

impl From<OutlineItem> for OutlineEntry {
    fn from(item: OutlineItem) -> Self {
        Self {
            name: item.name,
            kind: item.kind.to_owned(),
            start_line: item.lines.start,
            end_line: item.lines.end,
            depth: item.depth,
            signature: item.signature,
        }
    }
}

/// The matches of a search.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SearchAnswer {
    /// The searched revision.
    pub revision: RevisionAnswer,
    /// Text by path and line; names and paths by best match. May be empty although there is a `next_cursor`,
    /// if a page reached its limit of bytes or time before it found anything.
    pub matches: Vec<SearchEntry>,
    /// Cursor of the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Notes for the reader.
    pub issues: Vec<IssueAnswer>,
}

/// One match.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SearchEntry {
    /// Path of the file.
    pub path: String,
    /// 1-based line; absent for a path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// 1-based column of the match, in characters; for text only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The line with the match, only the part around it if long; or the head of the definition. Absent for a path.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Qualified name of the definition that was found or that encloses the match.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Kind of that definition: `function`, `class`, ….
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
}

impl From<SearchItem> for SearchEntry {
    fn from(item: SearchItem) -> Self {
        Self {
            path: item.path,
            line: item.line,
            column: item.column,
            text: item.text,
            name: item.name,
            kind: item.kind.to_owned(),
        }
    }
}

/// The text of a file, or some lines of it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FileTextAnswer {
    /// The searched revision.
    pub revision: RevisionAnswer,
    /// Path of the file.
    pub path: String,
    /// Language of the file.
    pub language: String,
    /// `source`, `test`, `documentation`, `configuration`, `generated` or `data`.
    pub role: String,
    /// Size of the whole file in bytes.
    pub bytes: u64,
    /// Number of lines of the whole file.
    pub line_count: u32,
    /// First line of `text`, 1-based; 0 if it is empty.
    pub start_line: u32,
    /// Last line of `text`, inclusive; 0 if it is empty.
    pub end_line: u32,
    /// Whole lines, unchanged.
    pub text: String,
    /// Cursor of the next lines; absent if there are no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Notes for the reader.
    pub issues: Vec<IssueAnswer>,
}

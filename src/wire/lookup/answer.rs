//! What lookups answer, as JSON.

use foveate_query::lookup::{
    DefinitionItem, FileText, FoundDefinitions, FoundOutline, FoundReferences, OutlineItem, Page,
    ReferenceItem, SearchItem,
};
use serde::Serialize;
use utoipa::ToSchema;

use super::page::PageOf;
use crate::engine::LookedUp;
use crate::wire::IssueAnswer;

/// What was searched.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RevisionAnswer {
    /// Name of the repository.
    pub repo: String,
    /// The commit; of a working tree, its `HEAD`. Empty where there is none.
    pub commit: String,
    /// Whether a working tree was searched that differs from the commit.
    pub dirty: bool,
    /// Counts the indexes published for what was searched.
    pub generation: u64,
    /// Changed files that were noticed and are not searched yet.
    pub pending_files: usize,
}

/// What was found, apart from where.
fn parts<T>(found: LookedUp<T>) -> (RevisionAnswer, T, Vec<IssueAnswer>) {
    let revision = &found.snapshot.revision;
    let answer = RevisionAnswer {
        repo: found.repo,
        commit: revision.commit.clone(),
        dirty: revision.dirty,
        generation: found.snapshot.generation,
        pending_files: found.pending_files,
    };
    let issues = found.issues.into_iter().map(IssueAnswer::from).collect();
    (answer, found.value, issues)
}

fn with_issues<T>(page: &mut Page<T>, mut issues: Vec<IssueAnswer>) -> Vec<IssueAnswer> {
    issues.extend(page.issues.drain(..).map(IssueAnswer::from));
    issues
}

/// The definitions of a name.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DefinitionsAnswer {
    /// What was searched.
    pub revision: RevisionAnswer,
    /// How the name was found: `exact`; `module`, as a path through modules; `suffix`, a part of it that
    /// begins later; `last_name`, which something else encloses; `ignoring_case`; `similar`, nothing but
    /// names with a similar spelling; `none`.
    pub found: String,
    /// Shipped code first, then tests, by path and line; of similar names the most similar first.
    pub definitions: Vec<DefinitionAnswer>,
    /// Gives the next page; absent where there is nothing more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// What the reader should know.
    pub issues: Vec<IssueAnswer>,
}

/// One definition.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DefinitionAnswer {
    /// The file that it is in.
    pub path: String,
    /// Qualified name.
    pub name: String,
    /// `function`, `method`, `class`, ….
    pub kind: String,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// Its head on one line, cut where it is long.
    pub signature: String,
    /// The first line of its documentation; absent where it has none.
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

impl DefinitionsAnswer {
    pub(super) fn new(found: LookedUp<FoundDefinitions>, page: &PageOf) -> Self {
        let (revision, mut found, issues) = parts(found);
        Self {
            revision,
            found: found.matched.map_or("none", |m| m.name()).to_owned(),
            next_cursor: page.cursor(found.page.next.as_ref()),
            issues: with_issues(&mut found.page, issues),
            definitions: found.page.items.into_iter().map(Into::into).collect(),
        }
    }
}

/// Where something is used.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReferencesAnswer {
    /// What was searched.
    pub revision: RevisionAnswer,
    /// How the definitions were found, as `found` of the definitions. Unless that is `exact`, `module` or
    /// `suffix`, they are merely near, and no references are listed.
    pub found: String,
    /// What is meant, at most ten definitions of it.
    pub definitions: Vec<DefinitionAnswer>,
    /// The most certain first, shipped code before tests, by path and line.
    pub references: Vec<ReferenceAnswer>,
    /// Gives the next page; absent where there is nothing more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// What the reader should know.
    pub issues: Vec<IssueAnswer>,
}

/// One use.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReferenceAnswer {
    /// The file that it is in.
    pub path: String,
    /// 1-based line.
    pub line: u32,
    /// 1-based character of the line.
    pub column: u32,
    /// The line, cut where it is long.
    pub text: String,
    /// `call`, `attribute`, `type`, `base`, `decorator`, `raise`, `catch` or `name`.
    pub kind: String,
    /// `certain` (through imports and scopes), `likely` (an inferred type or a rare name) or `name_only`.
    pub confidence: String,
    /// Qualified name of the function or class that it stands in; absent at the top level.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub caller: String,
    /// Qualified name of what is used.
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

impl ReferencesAnswer {
    pub(super) fn new(found: LookedUp<FoundReferences>, page: &PageOf) -> Self {
        let (revision, mut found, issues) = parts(found);
        Self {
            revision,
            found: found.matched.map_or("none", |m| m.name()).to_owned(),
            definitions: found.definitions.into_iter().map(Into::into).collect(),
            next_cursor: page.cursor(found.page.next.as_ref()),
            issues: with_issues(&mut found.page, issues),
            references: found.page.items.into_iter().map(Into::into).collect(),
        }
    }
}

/// What is in a file.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct OutlineAnswer {
    /// What was searched.
    pub revision: RevisionAnswer,
    /// The file.
    pub path: String,
    /// What it is written in.
    pub language: String,
    /// How many lines it has.
    pub line_count: u32,
    /// In the order of the file; what encloses stands before what is enclosed.
    pub entries: Vec<OutlineEntry>,
    /// Gives the next page; absent where there is nothing more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// What the reader should know.
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
    /// How many entries enclose it.
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

impl OutlineAnswer {
    pub(super) fn new(found: LookedUp<FoundOutline>, path: String, page: &PageOf) -> Self {
        let (revision, mut found, issues) = parts(found);
        Self {
            revision,
            path,
            language: found.language.to_owned(),
            line_count: found.line_count,
            next_cursor: page.cursor(found.page.next.as_ref()),
            issues: with_issues(&mut found.page, issues),
            entries: found.page.items.into_iter().map(Into::into).collect(),
        }
    }
}

/// What was found by a search.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SearchAnswer {
    /// What was searched.
    pub revision: RevisionAnswer,
    /// Lines by path and line; names and paths the best match first. May be empty although there is a
    /// `next_cursor`, where a page reached its limit of bytes or time before it found anything.
    pub matches: Vec<SearchEntry>,
    /// Gives the next page; absent where there is nothing more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// What the reader should know.
    pub issues: Vec<IssueAnswer>,
}

/// One thing that was found.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SearchEntry {
    /// The file.
    pub path: String,
    /// 1-based line; absent for a path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// 1-based character of the line where the match begins; only of text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The line around the match, or the head of the definition; absent for a path.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Qualified name of the definition that was found, or that encloses the match.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// What that is: `function`, `class`, ….
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

impl SearchAnswer {
    pub(super) fn new(found: LookedUp<Page<SearchItem>>, page: &PageOf) -> Self {
        let (revision, mut found, issues) = parts(found);
        Self {
            revision,
            next_cursor: page.cursor(found.next.as_ref()),
            issues: with_issues(&mut found, issues),
            matches: found.items.into_iter().map(Into::into).collect(),
        }
    }
}

/// The text of a file, or some lines of it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FileTextAnswer {
    /// What was searched.
    pub revision: RevisionAnswer,
    /// The file.
    pub path: String,
    /// What it is written in.
    pub language: String,
    /// `source`, `test`, `documentation`, `configuration`, `generated` or `data`.
    pub role: String,
    /// Bytes of the whole file.
    pub bytes: u64,
    /// How many lines the whole file has.
    pub line_count: u32,
    /// First line of `text`, 1-based; 0 where it is empty.
    pub start_line: u32,
    /// Last line of `text`, inclusive; 0 where it is empty.
    pub end_line: u32,
    /// Whole lines, as they stand in the file.
    pub text: String,
    /// Gives the next lines; absent where there are no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// What the reader should know.
    pub issues: Vec<IssueAnswer>,
}

impl FileTextAnswer {
    pub(super) fn new(found: LookedUp<FileText>, page: &PageOf) -> Self {
        let (revision, found, issues) = parts(found);
        Self {
            revision,
            path: found.path,
            language: found.language.to_owned(),
            role: found.role.name().to_owned(),
            bytes: found.bytes,
            line_count: found.line_count,
            start_line: found.lines.map_or(0, |lines| lines.start),
            end_line: found.lines.map_or(0, |lines| lines.end),
            text: found.text,
            next_cursor: page.cursor(found.next.as_ref()),
            issues,
        }
    }
}

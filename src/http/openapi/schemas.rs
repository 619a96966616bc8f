//! Declares schemas of strings with a grammar of their own, for the document alone. No request is parsed into
//! these types: the layers below validate the strings, and tests and the gate check that both agree.

use utoipa::ToSchema;

/// `name`, `owner/name` or `group/subgroup/name`: letters, digits, `.`, `_` and `-`; no part begins with `.` or
/// `-`. In a path the slash is `%2F`.
#[derive(Debug, ToSchema)]
#[schema(
    value_type = String,
    min_length = 1,
    max_length = 100,
    pattern = "^[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)*$",
    example = "pallets/flask"
)]
pub struct RepositoryName(pub String);

/// A commit id, whole or abbreviated, a branch, a tag or `HEAD`, each with any number of `~N` and `^N`
/// after it; at most 255 bytes.
#[derive(Debug, ToSchema)]
#[schema(
    value_type = String,
    min_length = 1,
    max_length = 255,
    pattern = r"^(?![-/.]|@([~^]|$))(?!.*(\.\.|//|@\{|/\.|\.lock([/~^]|$)|[/.]([~^]|$)))[^\u0000-\u0020\u007f-\u009f:?*\[\\~^]+([~^][0-9]{0,6})*$",
    example = "main"
)]
pub struct Reference(pub String);

/// The path of a file, relative to the repository's root: no part of it is empty, `.` or `..`, but for
/// `./` at its beginning.
#[derive(Debug, ToSchema)]
#[schema(
    value_type = String,
    min_length = 1,
    max_length = 1024,
    pattern = r"^(\./)*([^/.\u0000][^/\u0000]*|\.[^/.\u0000][^/\u0000]*|\.\.[^/\u0000]+)(/([^/.\u0000][^/\u0000]*|\.[^/.\u0000][^/\u0000]*|\.\.[^/\u0000]+))*$",
    example = "src/app.py"
)]
pub struct FilePath(pub String);

/// A place in a file: `path:name` of a definition, `path:start-end` of lines, or `path:start-end@digest` of
/// lines that are unchanged since an answer showed them.
#[derive(Debug, ToSchema)]
#[schema(
    value_type = String,
    min_length = 3,
    max_length = 2048,
    pattern = r"^[^:][\s\S]*:[\s\S]+$",
    example = "src/app.py:App.run"
)]
pub struct PlaceName(pub String);

/// The web address of a repository, with the scheme `https` or `http`, without a login.
#[derive(Debug, ToSchema)]
#[schema(
    value_type = String,
    min_length = 9,
    max_length = 1024,
    pattern = r"^https?://[A-Za-z0-9._~:%+-]+(/[A-Za-z0-9._~:/@%+-]*)?$",
    example = "https://github.com/pallets/flask"
)]
pub struct WebAddress(pub String);

/// The name of a definition, optionally with enclosing names. Not blank.
#[derive(Debug, ToSchema)]
#[schema(
    value_type = String,
    min_length = 1,
    max_length = 500,
    pattern = r"\S",
    example = "App.run"
)]
pub struct DefinitionName(pub String);

/// The text to search for. Not blank.
#[derive(Debug, ToSchema)]
#[schema(
    value_type = String,
    min_length = 1,
    max_length = 1000,
    pattern = r"\S",
    example = "url_for"
)]
pub struct SearchText(pub String);

/// A prefix of paths, relative to the repository's root.
#[derive(Debug, ToSchema)]
#[schema(
    value_type = String,
    max_length = 1024,
    pattern = r"^(\./)*([^/.]|\.([^/]|$)|$)",
    example = "src/"
)]
pub struct PathPrefix(pub String);

/// A line, or the first and last line of a range; 1 is the first line of a file.
#[derive(Debug, ToSchema)]
#[schema(
    value_type = String,
    max_length = 19,
    pattern = r"^[1-9][0-9]{0,8}(-[1-9][0-9]{0,8})?$",
    example = "12-40"
)]
pub struct LineRange(pub String);

/// The start of a page, as returned by the same lookup.
#[derive(Debug, ToSchema)]
#[schema(
    value_type = String,
    min_length = 28,
    max_length = 6000,
    pattern = "^[A-Za-z0-9_-]+$",
)]
pub struct Cursor(pub String);

/// The OpenAPI document of this interface.
#[derive(Debug, ToSchema)]
pub struct OpenApiDocument {
    /// `3.1.0`.
    pub openapi: String,
    /// Title and version.
    #[schema(value_type = Object)]
    pub info: (),
    /// Operations by path and method.
    #[schema(value_type = Object)]
    pub paths: (),
    /// Shared schemas and responses.
    #[schema(value_type = Object)]
    pub components: (),
}

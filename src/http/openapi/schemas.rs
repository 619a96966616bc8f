//! Texts with rules of their own, as the document describes them. Nothing is read into these types:
//! the rooms below check the texts, and tests and the gate hold the two together.

use utoipa::ToSchema;

/// `name` or `owner/name`: letters, digits, `.`, `_` and `-`; neither part begins with `.` or `-`. In a
/// path the slash is `%2F`.
#[derive(Debug, ToSchema)]
#[schema(
    value_type = String,
    min_length = 1,
    max_length = 100,
    pattern = "^[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)?$",
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

/// A place in a file: `path:name` of a definition, or `path:start-end` of lines.
#[derive(Debug, ToSchema)]
#[schema(
    value_type = String,
    min_length = 3,
    max_length = 2048,
    pattern = r"^[^:][\s\S]*:[\s\S]+$",
    example = "src/app.py:App.run"
)]
pub struct PlaceName(pub String);

/// The address of a repository on the web, with the scheme `https` or `http`.
#[derive(Debug, ToSchema)]
#[schema(
    value_type = String,
    min_length = 9,
    max_length = 1024,
    pattern = r"^https?://[A-Za-z0-9._~:/@%+-]+$",
    example = "https://github.com/pallets/flask"
)]
pub struct WebAddress(pub String);

/// The description of this interface.
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
    /// What they share.
    #[schema(value_type = Object)]
    pub components: (),
}

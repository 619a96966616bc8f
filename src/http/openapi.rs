//! The OpenAPI document: generated from the handlers, committed as `openapi.yaml`, compared by a
//! test.

use utoipa::OpenApi as _;

/// What the document says beside the routes.
#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Foveate",
        description = "Answers which code a reader must see for an issue, from a warm index of a repository. Errors are application/problem+json with a stable `code`.",
        license(name = "Apache-2.0", identifier = "Apache-2.0")
    ),
    tags(
        (name = "context", description = "Questions and answers"),
        (name = "repos", description = "Repositories kept warm"),
        (name = "operations", description = "For operators and their machines")
    )
)]
pub(super) struct Document;

/// The document as YAML.
///
/// # Errors
/// When it cannot be written, which a test excludes.
pub fn yaml() -> Result<String, String> {
    let (_, mut document) = super::router::routes().split_for_parts();
    let head = Document::openapi();
    document.info = head.info;
    document.tags = head.tags;
    document.to_yaml().map_err(|error| error.to_string())
}

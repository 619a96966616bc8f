//! Completes the OpenAPI document with the parts outside of the routes, each of which describes itself.
//! [`problems`] and [`schemas`] have what many operations share. A test compares the document with the
//! committed `openapi.yaml`.

pub mod problems;
pub mod schemas;

use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{Components, OpenApi};
use utoipa::{IntoResponses as _, OpenApi as _};

use super::problem::ProblemBody;
use crate::wire::ByName;
use crate::wire::answer::ContextAnswer;
use crate::wire::lookup::SearchKindName;
use problems::{BadRequest, Forbidden, Internal, RequestTimeout, TooManyRequests, Unauthorized};
use schemas::{Cursor, DefinitionName, FilePath, LineRange, PathPrefix, Reference, SearchText};

/// The parts of the document outside of the routes.
#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Foveate",
        description = "Answers which code a reader must see for an issue, from an index of its repository. Errors are application/problem+json with a stable `code`. Every response has the request's id in `x-request-id`. A body may be sent as gzip, with `content-encoding: gzip`; responses are compressed if `accept-encoding` allows it.",
        license(name = "Apache-2.0", identifier = "Apache-2.0")
    ),
    // The problem, and the schemas that only parameters and shared responses refer to.
    components(schemas(
        ProblemBody,
        ContextAnswer,
        Cursor,
        DefinitionName,
        FilePath,
        LineRange,
        PathPrefix,
        Reference,
        ByName,
        SearchKindName,
        SearchText
    )),
    tags(
        (name = "context", description = "Questions and answers"),
        (name = "lookups", description = "Definitions, references, outlines, searches and files, without ranking"),
        (name = "repos", description = "The registered repositories"),
        (name = "webhooks", description = "Events from forges"),
        (name = "feedback", description = "Feedback on answers, and how much they help"),
        (name = "operations", description = "For operators and monitoring")
    )
)]
pub(super) struct Document;

const TOKEN: &str = "token";

/// Completes the document of the routes with the shared parts.
pub(super) fn complete(mut document: OpenApi) -> OpenApi {
    let head = Document::openapi();
    document.info = head.info.clone();
    document.merge(head);
    strip_wildcards(&mut document);
    let operations = document.paths.paths.values_mut().flat_map(operations);
    operations.for_each(add_common_problems);
    let components = document.components.get_or_insert_with(Components::new);
    components.responses.extend(problems::components());
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("A token from `foveate key create` or `access.token_file`. Not needed if the server has no keys."))
        .build();
    components.add_security_scheme(TOKEN, SecurityScheme::Http(bearer));
    // The token is declared optional, since a document cannot express that it depends on the server.
    let with_token = SecurityRequirement::new(TOKEN, [""; 0]);
    document.security = Some(vec![SecurityRequirement::default(), with_token]);
    document
}

/// Removes the `*` of axum's wildcard parameters, which OpenAPI path templates do not have.
fn strip_wildcards(document: &mut OpenApi) {
    let paths = std::mem::take(&mut document.paths.paths);
    let named = paths.into_iter();
    document.paths.paths = named
        .map(|(path, item)| (path.replace("{*", "{"), item))
        .collect();
}

fn operations(path: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [&mut path.get, &mut path.post, &mut path.delete]
        .into_iter()
        .flatten()
}

/// Adds the problems of the layers around all routes.
fn add_common_problems(operation: &mut Operation) {
    for problems in [
        BadRequest::responses(),
        Unauthorized::responses(),
        Forbidden::responses(),
        TooManyRequests::responses(),
        RequestTimeout::responses(),
        Internal::responses(),
    ] {
        operation.responses.responses.extend(problems);
    }
}

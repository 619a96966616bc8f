//! Declares the problems that operations list among their responses: one shared response for each status.

use std::collections::BTreeMap;

use utoipa::IntoResponses;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{Content, Ref, RefOr, Response, ResponseBuilder};

macro_rules! problems {
    ($($name:ident = $status:literal, $description:literal;)+) => {
        $(
            #[doc = $description]
            #[derive(Clone, Copy, Debug)]
            pub struct $name;

            impl IntoResponses for $name {
                fn responses() -> BTreeMap<String, RefOr<Response>> {
                    let shared = Ref::from_response_name(stringify!($name));
                    BTreeMap::from([($status.to_owned(), RefOr::Ref(shared))])
                }
            }
        )+

        /// Returns every problem by name, for the document's components.
        pub(super) fn components() -> BTreeMap<String, RefOr<Response>> {
            let named = [$((stringify!($name), response($status, $description))),+];
            named.map(|(name, response)| (name.to_owned(), RefOr::T(response))).into()
        }
    };
}

problems! {
    BadRequest = "400", "The path, a parameter, the body or a field of it is invalid, and `field` names it; or the request names two hosts";
    Unauthorized = "401", "The server needs a token, and the request has none or an unknown, revoked or expired one";
    Forbidden = "403", "The token does not allow it, a signature is wrong, the `Host` header names another machine, the request comes from a page of another origin, or the source may not be read";
    NotFound = "404", "There is no such repository, revision, file, line or definition, or no answer with this `request_id`";
    NotAcceptable = "406", "The answer is not available in any of the media types in `accept`";
    RequestTimeout = "408", "The request was not received or not answered in time";
    Conflict = "409", "The name is in use, or the first index of the repository failed";
    PayloadTooLarge = "413", "The body is larger than `server.body_limit_bytes`, as sent or decoded";
    UnsupportedMediaType = "415", "The body is not declared as JSON, or its content coding is not gzip";
    TooManyRequests = "429", "The token's limit of rate or of requests in flight is reached, or the queue of questions is full";
    Internal = "500", "An internal error, or a revision that could not be read";
    Unavailable = "503", "Temporary: an index is being built, a deadline has passed, the database is not available, or the server has no connection left or is stopping";
}

fn response(status: &str, description: &str) -> Response {
    let body = Ref::from_schema_name("ProblemBody");
    let response = ResponseBuilder::new()
        .description(description)
        .content("application/problem+json", Content::new(Some(body)));
    let (name, schema, meaning) = match status {
        "401" => (
            "www-authenticate",
            ObjectBuilder::new().schema_type(Type::String),
            "`Bearer`, with `error=\"invalid_token\"` if the request had a token",
        ),
        "429" | "503" => (
            "retry-after",
            ObjectBuilder::new()
                .schema_type(Type::Integer)
                .minimum(Some(0)),
            "Seconds after which to retry",
        ),
        _ => return response.build(),
    };
    let header = HeaderBuilder::new()
        .schema(Some(schema))
        .description(Some(meaning));
    response.header(name, header.build()).build()
}

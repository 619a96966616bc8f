//! The OpenAPI document: generated from the handlers, committed as `openapi.yaml`, compared by a
//! test. What many operations share is in [`problems`] and [`schemas`].

pub mod problems;
pub mod schemas;

use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{Components, OpenApi};
use utoipa::{IntoResponses as _, OpenApi as _};

use super::feedback::ByName;
use super::problem::ProblemBody;
use crate::wire::lookup::SearchKindName;
use problems::{Forbidden, Internal, RequestTimeout, TooManyRequests, Unauthorized};
use schemas::{Cursor, DefinitionName, FilePath, LineRange, PathPrefix, Reference, SearchText};

/// What the document says beside the routes.
#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Foveate",
        description = "Answers which code a reader must see for an issue, from a warm index of a repository. Errors are application/problem+json with a stable `code`. Every response has the request's id in `x-request-id`. Where a body is sent as gzip, `content-encoding` says so; responses are compressed where `accept-encoding` allows it.",
        license(name = "Apache-2.0", identifier = "Apache-2.0")
    ),
    // Beside the problem, what parameters alone refer to.
    components(schemas(
        ProblemBody,
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
        (name = "repos", description = "Repositories kept warm"),
        (name = "webhooks", description = "What forges tell"),
        (name = "feedback", description = "What was said of answers, and whether they help"),
        (name = "operations", description = "For operators and their machines")
    )
)]
pub(super) struct Document;

const TOKEN: &str = "token";

/// The document as YAML.
///
/// # Errors
/// When it cannot be written, which a test excludes.
pub fn yaml() -> Result<String, String> {
    document().to_yaml().map_err(|error| error.to_string())
}

fn document() -> OpenApi {
    let (_, mut document) = super::router::routes().split_for_parts();
    let head = Document::openapi();
    document.info = head.info.clone();
    document.merge(head);
    name_wildcards_plainly(&mut document);
    let operations = document.paths.paths.values_mut().flat_map(operations);
    operations.for_each(every_operation_may);
    let components = document.components.get_or_insert_with(Components::new);
    components.responses.extend(problems::components());
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("A token of `foveate key create` or of `access.token_file`. None is needed where there is no key."))
        .build();
    components.add_security_scheme(TOKEN, SecurityScheme::Http(bearer));
    // Without one or with it: a document cannot say that it depends on the server.
    let with_token = SecurityRequirement::new(TOKEN, [""; 0]);
    document.security = Some(vec![SecurityRequirement::default(), with_token]);
    document
}

/// In a template of OpenAPI a parameter that takes slashes is written like any other.
fn name_wildcards_plainly(document: &mut OpenApi) {
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

/// Adds the problems that the border around all routes has.
fn every_operation_may(operation: &mut Operation) {
    for problems in [
        Unauthorized::responses(),
        Forbidden::responses(),
        TooManyRequests::responses(),
        RequestTimeout::responses(),
        Internal::responses(),
    ] {
        operation.responses.responses.extend(problems);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::{Value, json};

    use super::*;

    fn json() -> Value {
        serde_json::to_value(document()).expect("a document")
    }

    /// The statuses that an operation names.
    fn statuses(operation: &Value) -> BTreeSet<&str> {
        let responses = operation["responses"].as_object().expect("responses");
        responses.keys().map(String::as_str).collect()
    }

    #[test]
    fn every_operation_names_what_can_happen_to_it() {
        let document = json();
        let paths = document["paths"].as_object().expect("paths");
        assert_eq!(paths.len(), 18);
        for (path, item) in paths {
            for (method, operation) in item.as_object().expect("a path item") {
                let named = statuses(operation);
                let mut wanted = vec!["401", "403", "408", "429", "500"];
                if path.contains("{repo}") {
                    wanted.extend(["400", "404"]);
                }
                if !operation["requestBody"].is_null() {
                    wanted.extend(["400", "413", "503"]);
                }
                // Webhooks are taken as they are sent.
                if !operation["requestBody"].is_null() && !path.starts_with("/webhooks/") {
                    wanted.push("415");
                }
                if operation["tags"][0] == "lookups" {
                    wanted.extend(["409", "429", "503"]);
                }
                if path.ends_with("/context") {
                    wanted.extend(["404", "406", "409", "503"]);
                }
                for status in wanted {
                    assert!(named.contains(status), "{method} {path}: {status}");
                }
            }
        }
    }

    #[test]
    fn every_reference_leads_somewhere() {
        fn references<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
            match value {
                Value::Object(fields) => {
                    found.extend(fields.get("$ref").and_then(Value::as_str));
                    fields.values().for_each(|value| references(value, found));
                }
                Value::Array(values) => values.iter().for_each(|value| references(value, found)),
                _ => {}
            }
        }
        let document = json();
        let mut found = Vec::new();
        references(&document, &mut found);
        assert!(found.len() > 50);
        for reference in found {
            let pointer = reference.strip_prefix('#').expect(reference);
            assert!(document.pointer(pointer).is_some(), "{reference}");
        }
    }

    #[test]
    fn a_repository_is_named_once() {
        let document = json();
        let schema = |name: &str| document["components"]["schemas"][name].clone();
        let (anywhere, by_path) = (schema("ContextBody"), schema("RepoContextBody"));
        assert_eq!(anywhere["required"], json!(["repo"]));
        assert!(by_path["required"].is_null());
        assert_eq!(anywhere["additionalProperties"], json!(false));
        assert_eq!(by_path["additionalProperties"], json!(false));
        let mut fields = anywhere["properties"].clone();
        fields.as_object_mut().expect("fields").remove("repo");
        assert_eq!(by_path["properties"], fields);
        assert!(fields["signals"].is_object());

        let kinds = &schema("RegisterBody")["oneOf"];
        assert_eq!(kinds.as_array().map(Vec::len), Some(2));
        for (kind, source, has) in [
            ("RegisterTree", "TreeSource", ["watch", "path"]),
            ("RegisterGit", "GitSource", ["poll_seconds", "git"]),
        ] {
            let (kind, source) = (schema(kind), schema(source));
            assert!(kind["properties"][has[0]].is_object(), "{kind}");
            assert_eq!(source["required"], json!([has[1]]));
            for object in [kind, source] {
                assert_eq!(object["additionalProperties"], json!(false), "{object}");
            }
        }
    }
}

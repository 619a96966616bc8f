//! Defines where a repository's files come from, on the wire: exactly one of a working tree and a git
//! repository, each with its own fields.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use crate::engine::Source;
use crate::http::extract::Object;
use crate::http::openapi::schemas::{Reference, RepositoryName};
use crate::ingest::Registration;
use crate::ingest::git::without_credentials;
use crate::wire::whole_number::WholeNumber;

/// A repository to register: a working tree or a git repository.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "it describes [`Registered`] in the document")]
pub enum RegisterBody {
    /// A working tree, read as it is.
    Tree(RegisterTree),
    /// Git objects at a ref.
    Git(RegisterGit),
}

/// A working tree to register.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RegisterTree {
    #[schema(value_type = RepositoryName)]
    name: String,
    /// Location of the files.
    source: TreeSource,
    /// Whether to follow changes; default: yes.
    watch: Option<bool>,
}

/// A git repository to register.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RegisterGit {
    #[schema(value_type = RepositoryName)]
    name: String,
    /// Location of the repository.
    source: GitSource,
    /// Seconds between two polls; 0: only on request; absent: the server's `git.poll_seconds`.
    #[schema(value_type = Option<u64>, maximum = 4_294_967_295_u32)]
    poll_seconds: Option<u32>,
}

/// A working tree on the server.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TreeSource {
    /// Its absolute path.
    #[schema(pattern = r"^/[^\u0000]*$", example = "/srv/flask")]
    path: String,
}

/// A git repository, read without a checkout.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GitSource {
    /// Its absolute path on the server, its URL (of a scheme in `git.schemes`), or `user@host:path`.
    #[schema(
        pattern = r"^(/[^\u0000]*|[A-Za-z][A-Za-z0-9+.-]*://[^?#\u0000-\u0020\u007f-\u009f]+|[A-Za-z0-9._][A-Za-z0-9._-]*@[A-Za-z0-9._][A-Za-z0-9._-]*:[^:\u0000-\u0020\u007f-\u009f][^\u0000-\u0020\u007f-\u009f]*)$",
        example = "https://github.com/pallets/flask.git"
    )]
    git: String,
    /// The ref to keep indexed; absent: its `HEAD`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Reference>)]
    r#ref: Option<String>,
}

/// Where the files of a registered repository come from, without credentials.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum SourceAnswer {
    /// A working tree.
    Tree(TreeSource),
    /// A git repository.
    Git(GitSource),
}

impl From<&Source> for SourceAnswer {
    fn from(source: &Source) -> Self {
        match source {
            Source::WorkingTree { path, .. } => Self::Tree(TreeSource {
                path: path.display().to_string(),
            }),
            Source::Git {
                location,
                reference,
                ..
            } => Self::Git(GitSource {
                git: without_credentials(location),
                r#ref: reference.clone(),
            }),
        }
    }
}

/// A repository to register, as a request names it.
#[derive(Debug, Deserialize)]
#[serde(try_from = "RegisterFields")]
pub struct Registered(pub Registration);

/// The fields of both kinds of [`RegisterBody`], in one type, so that errors name the field. The outer `Option` tells
/// whether a field was sent; a nullable field has another one inside.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
struct RegisterFields {
    name: String,
    source: Object<SourceFields>,
    #[serde(default, deserialize_with = "sent")]
    watch: Option<Option<bool>>,
    #[serde(default, deserialize_with = "sent")]
    poll_seconds: Option<Option<WholeNumber>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
struct SourceFields {
    #[serde(default, deserialize_with = "sent")]
    path: Option<String>,
    #[serde(default, deserialize_with = "sent")]
    git: Option<String>,
    #[serde(default, deserialize_with = "sent")]
    r#ref: Option<Option<String>>,
}

fn sent<'de, T: Deserialize<'de>, D: Deserializer<'de>>(value: D) -> Result<Option<T>, D::Error> {
    T::deserialize(value).map(Some)
}

impl TryFrom<RegisterFields> for Registered {
    /// Name of the invalid field, a colon, and the reason.
    type Error = &'static str;

    fn try_from(fields: RegisterFields) -> Result<Self, Self::Error> {
        let Object(source) = fields.source;
        let source = match (source.path, source.git) {
            (Some(_), None) if source.r#ref.is_some() => {
                return Err(
                    "source.ref: it is only allowed with `git`; for a path, give `ref` in /context",
                );
            }
            (Some(_), None) if fields.poll_seconds.is_some() => {
                return Err("poll_seconds: it is only allowed with `git`; a path is watched");
            }
            (Some(path), None) => Source::WorkingTree {
                path: PathBuf::from(path),
                watch: fields.watch.flatten().unwrap_or(true),
            },
            (None, Some(_)) if fields.watch.is_some() => {
                return Err(
                    "watch: it is only allowed with `path`; for `git`, use POST /repos/{repo}/sync",
                );
            }
            (None, Some(location)) => Source::Git {
                location,
                reference: source.r#ref.flatten(),
                poll: fields.poll_seconds.flatten().map(seconds).transpose()?,
            },
            _ => return Err("source: give exactly one of `path` and `git`"),
        };
        Ok(Self(Registration {
            name: fields.name,
            source,
        }))
    }
}

fn seconds(WholeNumber(seconds): WholeNumber) -> Result<Duration, &'static str> {
    let seconds = u32::try_from(seconds);
    let seconds = seconds.map_err(|_| "poll_seconds: it must be at most 4294967295")?;
    Ok(Duration::from_secs(seconds.into()))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn error_names_the_invalid_field() {
        let path = |rest: Value| {
            let mut body = json!({"name": "a", "source": {"path": "/a"}});
            merge(&mut body, rest);
            serde_json::from_value::<Registered>(body)
        };
        let git = |rest: Value| {
            let mut body = json!({"name": "a", "source": {"git": "/a"}});
            merge(&mut body, rest);
            serde_json::from_value::<Registered>(body)
        };
        for good in [
            path(json!({})),
            path(json!({"watch": null})),
            path(json!({"watch": false})),
            git(json!({"poll_seconds": null})),
            git(json!({"poll_seconds": 4_294_967_295_u32})),
            git(json!({"poll_seconds": 60.0})),
            git(json!({"source": {"ref": null}})),
            git(json!({"source": {"ref": "main"}})),
        ] {
            assert!(good.is_ok(), "{good:?}");
        }
        for (bad, field) in [
            (path(json!({"source": {"git": "/a"}})), "source: "),
            (path(json!({"source": {"ref": null}})), "source.ref: "),
            (path(json!({"source": {"git": null}})), "invalid type: null"),
            (path(json!({"poll_seconds": null})), "poll_seconds: "),
            (git(json!({"watch": null})), "watch: "),
            (git(json!({"watch": false})), "watch: "),
            (
                git(json!({"poll_seconds": 4_294_967_296_u64})),
                "poll_seconds: ",
            ),
            (git(json!({"poll_seconds": -1})), "invalid value"),
            (
                git(json!({"source": 3})),
                "invalid type: integer `3`, expected an object",
            ),
        ] {
            let error = bad.expect_err(field).to_string();
            assert!(error.starts_with(field), "{field}: {error}");
        }
    }

    /// Merges the fields of one object into another one, recursively.
    fn merge(into: &mut Value, from: Value) {
        match (into, from) {
            (Value::Object(into), Value::Object(from)) => {
                for (key, value) in from {
                    merge(into.entry(key).or_insert(Value::Null), value);
                }
            }
            (into, from) => *into = from,
        }
    }
}

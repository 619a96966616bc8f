//! Defines the nested objects of a question: focus, seen places, and the diff that it asks about.

use serde::Deserialize;
use utoipa::ToSchema;

use crate::engine::{AskError, DiffEnds, RevisionError};
use crate::http::openapi::schemas::{FilePath, PlaceName, Reference};
use crate::http::problem::Problem;

/// What the caller knows to be relevant, such as the files of a pull request.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct FocusBody {
    /// Paths of files.
    #[serde(default)]
    #[schema(value_type = Vec<FilePath>, max_items = 1000)]
    pub paths: Vec<String>,
    /// Names of definitions, qualified or not, or `path:name`.
    #[serde(default)]
    #[schema(max_items = 1000)]
    pub symbols: Vec<String>,
}

/// What the caller has already seen, such as in earlier answers: it is not shown again.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct SeenBody {
    /// Paths of files that the caller has seen whole.
    #[serde(default)]
    #[schema(value_type = Vec<FilePath>, max_items = 1000)]
    pub paths: Vec<String>,
    /// Places: a definition, lines of a file, or a `seen_as` of an answer, which counts only while the lines
    /// are unchanged.
    #[serde(default)]
    #[schema(value_type = Vec<PlaceName>, max_items = 1000)]
    pub places: Vec<String>,
}

/// A change between two commits, such as a pull request: what changed in the head since it forked from the
/// base.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct DiffBody {
    /// The base: the diff starts at the merge base of the two, or at the base itself if there is none.
    #[schema(value_type = Reference)]
    base: String,
    /// The head; the answer is given from this revision.
    #[schema(value_type = Reference)]
    head: String,
}

impl From<DiffBody> for DiffEnds {
    fn from(DiffBody { base, head }: DiffBody) -> Self {
        Self { base, head }
    }
}

/// Converts an error to a problem; an unknown ref is attributed to the field of the diff that contains it.
pub fn problem(error: AskError, diff: Option<&DiffEnds>) -> Problem {
    let field = match (&error, diff) {
        (
            AskError::Revision(RevisionError::UnknownRef(name) | RevisionError::LacksCommits(name)),
            Some(diff),
        ) => match *name == diff.base {
            true => "diff.base",
            false => "diff.head",
        },
        // The two names were checked before: it is the comparison that cannot be made.
        (
            AskError::Revision(RevisionError::NoRevisions | RevisionError::MalformedRef(_)),
            Some(_),
        ) => "diff",
        _ => return error.into(),
    };
    Problem::from(error).about(field)
}

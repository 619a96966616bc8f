//! Parts of a question with fields of their own: what the caller knows, what it has seen, and the diff
//! that it asks about.

use serde::Deserialize;
use utoipa::ToSchema;

use crate::engine::{AskError, DiffEnds, RevisionError};
use crate::http::openapi::schemas::{FilePath, PlaceName, Reference};
use crate::http::problem::Problem;

/// What the caller already knows to matter, such as the files of a pull request.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct FocusBody {
    /// Paths of files.
    #[serde(default)]
    #[schema(value_type = Vec<FilePath>, max_items = 1000)]
    pub paths: Vec<String>,
    /// Names of definitions, qualified or not.
    #[serde(default)]
    #[schema(max_items = 1000)]
    pub symbols: Vec<String>,
}

/// What the caller has already, such as from earlier answers: it is not shown again.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct SeenBody {
    /// Paths of files that are known whole.
    #[serde(default)]
    #[schema(value_type = Vec<FilePath>, max_items = 1000)]
    pub paths: Vec<String>,
    /// Places: a definition, lines of a file, or what an answer gave as `seen_as`, which counts only while the
    /// lines read the same.
    #[serde(default)]
    #[schema(value_type = Vec<PlaceName>, max_items = 1000)]
    pub places: Vec<String>,
}

/// A change between two commits, such as a pull request: what the head changed since it left the base.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct DiffBody {
    /// What the head is compared with, from where the two parted; where they never did, as it is.
    #[schema(value_type = Reference)]
    base: String,
    /// What is answered from.
    #[schema(value_type = Reference)]
    head: String,
}

impl From<DiffBody> for DiffEnds {
    fn from(DiffBody { base, head }: DiffBody) -> Self {
        Self { base, head }
    }
}

/// The problem of a question; a ref that cannot be had is one of the diff's, where there is one.
pub fn problem(error: AskError, diff: Option<&DiffEnds>) -> Problem {
    let field = match (&error, diff) {
        (AskError::Revision(RevisionError::UnknownRef(name)), Some(diff)) if *name == diff.base => {
            "diff.base"
        }
        (AskError::Revision(RevisionError::UnknownRef(_)), Some(_)) => "diff.head",
        (AskError::Revision(RevisionError::NoRevisions), Some(_)) => "diff",
        _ => return error.into(),
    };
    Problem {
        field: Some(field.to_owned()),
        ..error.into()
    }
}

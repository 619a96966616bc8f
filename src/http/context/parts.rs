//! Parts of a question with fields of their own: what the caller knows, what it has seen, and the diff
//! that it asks about.

use foveate_model::RepoPath;
use foveate_query::{Focus, Seen};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::engine::{AskError, DemandError, DiffEnds, Target};
use crate::http::openapi::schemas::{FilePath, PlaceName, Reference};
use crate::http::problem::Problem;
use crate::ingest::git::reference;
use crate::wire;

/// What the caller already knows to matter, such as the files of a pull request.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct FocusBody {
    /// Paths of files.
    #[serde(default)]
    #[schema(value_type = Vec<FilePath>, max_items = 1000)]
    paths: Vec<String>,
    /// Names of definitions, qualified or not.
    #[serde(default)]
    #[schema(max_items = 1000)]
    symbols: Vec<String>,
}

/// What the caller has already, such as from earlier answers: it is not shown again.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct SeenBody {
    /// Paths of files that are known whole.
    #[serde(default)]
    #[schema(value_type = Vec<FilePath>, max_items = 1000)]
    paths: Vec<String>,
    /// Places: a definition, or lines of a file.
    #[serde(default)]
    #[schema(value_type = Vec<PlaceName>, max_items = 1000)]
    places: Vec<String>,
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

/// Entries that a list of one request may have.
const MAX_ENTRIES: usize = 1000;
/// Characters of a path.
const MAX_PATH_CHARS: usize = 1024;

/// What the question is answered from.
pub fn target(reference: Option<String>, diff: Option<DiffBody>) -> Result<Target, Problem> {
    let Some(DiffBody { base, head }) = diff else {
        return Ok(reference.map_or(Target::Current, Target::Revision));
    };
    for (field, end) in [("diff.base", &base), ("diff.head", &head)] {
        reference::check(end).map_err(|error| Problem::invalid_field(field, error.to_string()))?;
    }
    if reference.is_some_and(|reference| reference != head) {
        return Err(Problem::invalid_field(
            "ref",
            "`ref` is not `diff.head`, which a question with `diff` is answered from: leave `ref` out",
        ));
    }
    Ok(Target::Diff(DiffEnds { base, head }))
}

/// The problem of a question; a ref that cannot be had is one of the diff's, where there is one.
pub fn problem(error: AskError, diff: Option<&DiffEnds>) -> Problem {
    let field = match (&error, diff) {
        (AskError::Revision(DemandError::UnknownRef(name)), Some(diff)) if *name == diff.base => {
            "diff.base"
        }
        (AskError::Revision(DemandError::UnknownRef(_)), Some(_)) => "diff.head",
        (AskError::Revision(DemandError::NoRevisions), Some(_)) => "diff",
        _ => return error.into(),
    };
    Problem {
        field: Some(field.to_owned()),
        ..error.into()
    }
}

/// What is known, validated.
pub fn focus(body: FocusBody) -> Result<Focus, Problem> {
    check_count("focus.paths", &body.paths)?;
    check_count("focus.symbols", &body.symbols)?;
    Ok(Focus {
        paths: paths("focus.paths", &body.paths)?,
        symbols: body.symbols,
    })
}

/// What was seen, validated.
pub fn seen(body: SeenBody) -> Result<Seen, Problem> {
    check_count("seen.paths", &body.paths)?;
    check_count("seen.places", &body.places)?;
    let places = body.places.iter().map(|place| wire::place_name(place));
    let places = places.collect::<Result<_, _>>();
    Ok(Seen {
        paths: paths("seen.paths", &body.paths)?,
        places: places.map_err(|why| Problem::invalid_field("seen.places", why))?,
    })
}

fn check_count(field: &str, entries: &[String]) -> Result<(), Problem> {
    let count = entries.len();
    if count > MAX_ENTRIES {
        let detail = format!("`{field}` has {count} entries; at most {MAX_ENTRIES} are read");
        return Err(Problem::invalid_field(field, detail));
    }
    Ok(())
}

fn paths(field: &str, typed: &[String]) -> Result<Vec<RepoPath>, Problem> {
    typed.iter().map(|path| repo_path(field, path)).collect()
}

fn repo_path(field: &str, path: &str) -> Result<RepoPath, Problem> {
    let refuse = |detail: String| Problem::invalid_field(field, detail);
    if path.chars().count() > MAX_PATH_CHARS {
        return Err(refuse(format!(
            "`{field}` has a path of more than {MAX_PATH_CHARS} characters"
        )));
    }
    RepoPath::from_typed(path).map_err(|error| refuse(error.to_string()))
}

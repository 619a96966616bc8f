//! Defines lookups on the wire: parameters of every entry point, validated, and answers as JSON. Each lookup
//! is one type: its raw fields, its run on a snapshot, and its answer. Start at [`run`].

mod answer;
mod cursor;
mod fields;
mod page;
mod requests;

pub use answer::{
    DefinitionAnswer, DefinitionsAnswer, FileTextAnswer, OutlineAnswer, ReferencesAnswer,
    SearchAnswer,
};
pub use fields::FILE_LIMIT;
pub use requests::{RawDefinitions, RawFile, RawOutline, RawReferences, RawSearch, SearchKindName};

use foveate_index::Snapshot;
use foveate_query::Deadline;
use foveate_query::lookup::LookupError;

use crate::access::Grant;
use crate::engine::{AskError, Engine, LookupTarget, LookupWithSnapshot};
use fields::target;

/// The raw parameters of a lookup. Absent ones have their default.
pub trait RawLookup {
    /// The validated lookup.
    type Lookup: Lookup;

    /// Validates the parameters. Returns the commit, branch or tag, unchecked, and the lookup to run there.
    ///
    /// # Errors
    /// When a field is missing or has an invalid value.
    fn validate(self) -> Result<(Option<String>, Self::Lookup), InvalidLookup>;
}

/// A validated lookup.
pub trait Lookup: Send + 'static {
    /// Result of the lookup.
    type Output: Send + 'static;
    /// The result as JSON.
    type Answer;

    /// Runs the lookup.
    fn run(&self, snapshot: &Snapshot, deadline: &Deadline) -> Result<Self::Output, LookupError>;

    /// Converts the result to its JSON form.
    fn answer(&self, found: LookupWithSnapshot<Self::Output>) -> Self::Answer;
}

/// A lookup parameter with an invalid value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` {reason}")]
pub struct InvalidLookup {
    /// Name of the parameter, the same at every entry point.
    pub field: &'static str,
    /// Predicate such as `is …`, `must be …` or `has …`.
    pub reason: String,
}

impl InvalidLookup {
    fn new(field: &'static str, reason: impl Into<String>) -> Self {
        Self {
            field,
            reason: reason.into(),
        }
    }
}

/// Why a lookup failed.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what failed")]
pub enum LookupFailure {
    #[error(transparent)]
    Invalid(#[from] InvalidLookup),
    #[error(transparent)]
    Ask(#[from] AskError),
    #[error(transparent)]
    Lookup(#[from] LookupError),
}

/// Runs a lookup for the holder of a grant.
pub async fn run<R: RawLookup>(
    engine: &Engine,
    grant: &Grant,
    repo: String,
    raw: R,
) -> Result<<R::Lookup as Lookup>::Answer, LookupFailure> {
    let (reference, lookup) = raw.validate()?;
    let target: LookupTarget = target(repo, reference)?;
    let pending = engine.lookup(grant, target, move |snapshot, deadline| {
        let found = lookup.run(snapshot, deadline);
        (lookup, found)
    });
    let LookupWithSnapshot {
        repo,
        snapshot,
        value: (lookup, found),
        pending_files,
        issues,
    } = pending.await?;
    Ok(lookup.answer(LookupWithSnapshot {
        repo,
        snapshot,
        value: found?,
        pending_files,
        issues,
    }))
}

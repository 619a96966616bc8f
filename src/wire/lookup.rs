//! Lookups on the wire: what every door is given, validated, and the answers as JSON. A lookup is one
//! type: its fields as they were given, what it runs on a snapshot, and its answer. Start at [`look`].

mod answer;
mod cursor;
mod fields;
mod page;
mod requests;

pub use answer::{
    DefinitionAnswer, DefinitionsAnswer, FileTextAnswer, OutlineAnswer, OutlineEntry,
    ReferenceAnswer, ReferencesAnswer, SearchAnswer, SearchEntry,
};
pub use fields::FILE_LIMIT;
pub use requests::{RawDefinitions, RawFile, RawOutline, RawReferences, RawSearch, SearchKindName};

use foveate_index::Snapshot;
use foveate_query::Deadline;
use foveate_query::lookup::LookupError;

use crate::access::Grant;
use crate::engine::{AskError, Engine, LookedUp, LookupPlace};
use fields::place;

/// A lookup as a door was given it. What is absent has its default.
pub trait RawLookup {
    /// The same, validated.
    type Lookup: Lookup;

    /// The commit, branch or tag that it is looked up at.
    fn take_ref(&mut self) -> Option<String>;

    /// Validates it.
    ///
    /// # Errors
    /// When a field is missing or has a value that cannot be used.
    fn validate(self) -> Result<Self::Lookup, InvalidLookup>;
}

/// A validated lookup.
pub trait Lookup: Send + 'static {
    /// What it finds.
    type Found: Send + 'static;
    /// The same on the wire.
    type Answer;

    /// Looks it up.
    ///
    /// # Errors
    /// See [`LookupError`].
    fn run(&self, snapshot: &Snapshot, deadline: &Deadline) -> Result<Self::Found, LookupError>;

    /// What was found, as it is answered.
    fn answer(&self, found: LookedUp<Self::Found>) -> Self::Answer;
}

/// A field of a lookup that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` {reason}")]
pub struct InvalidLookup {
    /// Its name at every door.
    pub field: &'static str,
    /// It `is …`, `must be …` or `has …`.
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

/// Why nothing was looked up.
#[derive(Debug, thiserror::Error)]
pub enum LookFailure {
    /// A field cannot be used.
    #[error(transparent)]
    Invalid(#[from] InvalidLookup),
    /// The repository or the revision cannot be asked.
    #[error(transparent)]
    Ask(#[from] AskError),
    /// The revision has no such thing.
    #[error(transparent)]
    Lookup(#[from] LookupError),
}

/// Looks something up for the holder of a grant.
///
/// # Errors
/// See [`LookFailure`].
pub async fn look<R: RawLookup>(
    engine: &Engine,
    grant: &Grant,
    repo: String,
    mut raw: R,
) -> Result<<R::Lookup as Lookup>::Answer, LookFailure> {
    let place: LookupPlace = place(repo, raw.take_ref())?;
    let lookup = raw.validate()?;
    let running = engine.look(grant, place, move |snapshot, deadline| {
        let found = lookup.run(snapshot, deadline);
        (lookup, found)
    });
    let LookedUp {
        repo,
        snapshot,
        value: (lookup, found),
        pending_files,
        issues,
    } = running.await?;
    Ok(lookup.answer(LookedUp {
        repo,
        snapshot,
        value: found?,
        pending_files,
        issues,
    }))
}

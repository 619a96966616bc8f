//! Defines lookups on the wire: parameters of every entry point, validated, and answers as JSON. Each lookup
//! is one type: its parameters, and its run, which gives its answer. Start at [`Lookup`].

mod answer;
mod cursor;
mod fields;
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
use crate::engine::{AskError, Engine, LookupTarget};
use crate::ingest::git::reference;
use crate::wire::answer::IssueAnswer;
use answer::RevisionAnswer;

/// A lookup: its parameters, of which absent ones have their default.
pub trait Lookup {
    /// The result as JSON.
    type Answer;

    /// Validates the parameters and looks up what they ask for.
    fn run(
        self,
        context: LookupContext<'_>,
    ) -> impl Future<Output = Result<Self::Answer, LookupFailure>> + Send;
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

/// The repository that is asked, and who asks.
#[derive(Clone, Copy)]
pub struct LookupContext<'a> {
    /// Has the repositories.
    pub engine: &'a Engine,
    /// The grant of the caller.
    pub grant: &'a Grant,
    /// Name of the repository.
    pub repo: &'a str,
}

impl LookupContext<'_> {
    /// Looks something up at a commit, branch or tag. Returns the searched revision, the result, and notes for the
    /// reader.
    async fn find<T: Send + 'static>(
        self,
        reference: Option<String>,
        lookup: impl FnOnce(&Snapshot, &Deadline) -> Result<T, LookupError> + Send + 'static,
    ) -> Result<(RevisionAnswer, T, Vec<IssueAnswer>), LookupFailure> {
        if let Some(reference) = &reference {
            reference::check(reference)
                .map_err(|error| InvalidLookup::new("ref", format!("cannot be used: {error}")))?;
        }
        let repo = self.repo.to_owned();
        let target = LookupTarget { repo, reference };
        let found = self.engine.lookup(self.grant, target, lookup).await?;
        let searched = &found.snapshot.revision;
        let revision = RevisionAnswer {
            repo: found.repo,
            commit: searched.commit.clone(),
            dirty: searched.dirty,
            generation: found.snapshot.generation,
            pending_files: found.pending_files,
        };
        let issues = found.issues.into_iter().map(IssueAnswer::from).collect();
        Ok((revision, found.value?, issues))
    }
}

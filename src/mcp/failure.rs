//! Explains why a tool did not answer, in words that tell a model what to do.

use crate::engine::{AdmissionError, AskError, RevisionError};
use crate::wire::lookup::LookupFailure;
use crate::wire::request::InvalidRequest;

/// Why a tool did not answer: an explanation for the model.
#[derive(Debug)]
pub(super) struct Failure(pub String);

impl Failure {
    /// Explains why a question about a change was not answered: there is no `ref` to leave out.
    pub(super) fn of_diff(error: AskError) -> Self {
        let advice = match &error {
            AskError::Revision(RevisionError::UnknownRef(_) | RevisionError::LacksCommits(_)) => {
                "; correct `diff`, or fetch the commit first"
            }
            AskError::Revision(RevisionError::NoRevisions) => "; leave `diff` out",
            _ => return error.into(),
        };
        Self(format!("{error}{advice}"))
    }
}

impl From<AskError> for Failure {
    fn from(error: AskError) -> Self {
        let advice = match &error {
            AskError::UnknownRepo(_) => "; leave `repo` out to learn which repositories there are",
            AskError::Indexing { .. } | AskError::Building => {
                "; call again in a few seconds, indexing continues"
            }
            AskError::Failed(_) => "; the user must repair the source of the repository",
            AskError::Revision(RevisionError::UnknownRef(_) | RevisionError::LacksCommits(_)) => {
                "; leave `ref` out for the files as they are, or fetch it first"
            }
            AskError::Revision(RevisionError::NoRevisions) => "; leave `ref` out",
            AskError::Revision(_) => "",
            AskError::Admission(AdmissionError::QueueFull | AdmissionError::TimedOut) => {
                "; call again in a second"
            }
            AskError::Deadline(_) => "; call again with a narrower request",
            AskError::Internal => "; internal error: the server's log has the details",
        };
        Self(format!("{error}{advice}"))
    }
}

impl From<LookupFailure> for Failure {
    fn from(failure: LookupFailure) -> Self {
        match failure {
            LookupFailure::Ask(error) => error.into(),
            LookupFailure::Invalid(error) => Self(error.to_string()),
            LookupFailure::Lookup(error) => Self(error.to_string()),
        }
    }
}

impl From<InvalidRequest> for Failure {
    fn from(error: InvalidRequest) -> Self {
        // `seen`, `focus` and `diff` have no parts in this tool.
        let field = error.field.name();
        let field = field.split('.').next().unwrap_or(field);
        Self(error.detail(&format!("`{field}`")))
    }
}

//! Why a tool did not answer, in words that tell a model what to do.

use crate::engine::{AdmissionError, AskError, RevisionError};
use crate::wire::lookup::LookFailure;
use crate::wire::request::InvalidRequest;

/// Why a tool did not answer.
#[derive(Debug)]
pub(super) enum Failure {
    /// The text for the model.
    Told(String),
    /// The client does not want the answer any more.
    Cancelled,
}

impl From<AskError> for Failure {
    fn from(error: AskError) -> Self {
        let advice = match &error {
            AskError::UnknownRepo(_) => "; leave `repo` out to learn which there are",
            AskError::Indexing { .. } | AskError::Building => {
                "; call again in a few seconds, it goes on meanwhile"
            }
            AskError::Failed(_) => "; the user must repair the source of the repository",
            AskError::Revision(RevisionError::UnknownRef(_)) => {
                "; leave `ref` out for the files as they are, or fetch it first"
            }
            AskError::Revision(RevisionError::NoRevisions) => "; leave `ref` out",
            AskError::Revision(_) => "",
            AskError::Admission(AdmissionError::QueueFull | AdmissionError::Waited) => {
                "; call again in a second"
            }
            AskError::Deadline(_) => "; call again with a narrower request",
            AskError::Defect => "; this is a defect of the server, whose log has the details",
        };
        Self::Told(format!("{error}{advice}"))
    }
}

impl From<LookFailure> for Failure {
    fn from(failure: LookFailure) -> Self {
        match failure {
            LookFailure::Ask(error) => error.into(),
            LookFailure::Invalid(error) => Self::Told(error.to_string()),
            LookFailure::Lookup(error) => Self::Told(error.to_string()),
        }
    }
}

impl From<InvalidRequest> for Failure {
    fn from(error: InvalidRequest) -> Self {
        // The places that were seen are one list here.
        let field = error.field.name();
        let field = if field.starts_with("seen.") {
            "seen"
        } else {
            field
        };
        Self::Told(error.detail(&format!("`{field}`")))
    }
}

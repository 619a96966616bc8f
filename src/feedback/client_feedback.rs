//! Validates client feedback on an answer, compares it with the stored answer, and stores it beside that.

use std::collections::BTreeSet;

use foveate_model::RepoPath;
use serde::{Deserialize, Serialize};

use super::Feedback;
use super::ranking::Ranking;
use crate::access::Grant;
use crate::access::audit::{self, Action, Outcome};
use crate::store::{AnswerRow, ChangeCounts, FeedbackRow, FeedbackSource, StoreError, now_millis};

/// Longest list of places.
pub const MAX_PLACES: usize = 200;
/// Longest path, in characters.
const MAX_PATH_CHARS: usize = 1024;
/// Longest name, in characters.
const MAX_NAME_CHARS: usize = 500;
/// Longest comment, in characters.
pub const MAX_COMMENT_CHARS: usize = 2000;
/// Longest request id, in characters.
pub const MAX_ID_CHARS: usize = 128;

/// A file, or a function in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NamedPlace {
    /// Path of the file.
    pub path: String,
    /// Qualified name of the function; `None` means the whole file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its first and last line, 1-based; `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<(u32, u32)>,
}

/// Feedback as a client sent it.
#[derive(Clone, Debug, Default)]
pub struct ClientFeedback {
    /// Id of the request whose answer it is about.
    pub request_id: String,
    /// Places of the answer that helped.
    pub useful: Vec<NamedPlace>,
    /// Places that were changed in the end.
    pub changed: Vec<NamedPlace>,
    /// Free text.
    pub comment: Option<String>,
}

/// Result of storing feedback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFeedback {
    /// Repository that the answer was given from.
    pub repo: String,
    /// How many of the changed files and functions the context contained.
    pub counts: ChangeCounts,
}

/// Why feedback is not stored.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what failed")]
pub enum FeedbackError {
    #[error("{field}: {reason}")]
    Invalid {
        /// Path of the field in the body.
        field: String,
        reason: String,
    },
    /// No stored answer that the holder of the grant may see has this id.
    #[error("no stored answer has this request_id")]
    UnknownAnswer,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Feedback {
    /// Stores feedback on an answer from the holder of a grant. Later feedback with the same key replaces
    /// earlier feedback.
    pub async fn submit(
        &self,
        grant: &Grant,
        given: ClientFeedback,
    ) -> Result<StoredFeedback, FeedbackError> {
        let result = self.submit_unaudited(grant, given).await;
        let (repo, outcome) = match &result {
            Ok(result) => (Some(&*result.repo), Outcome::Done),
            Err(FeedbackError::UnknownAnswer) => (None, Outcome::Unknown),
            Err(_) => (None, Outcome::Failed),
        };
        audit::record(grant, Action::Feedback, repo, outcome);
        result
    }

    async fn submit_unaudited(
        &self,
        grant: &Grant,
        given: ClientFeedback,
    ) -> Result<StoredFeedback, FeedbackError> {
        let given = given.checked()?;
        let row = self.find_answer(grant, &given.request_id).await?;
        let AnswerRow { id, answer } = row.ok_or(FeedbackError::UnknownAnswer)?;
        let ranking: Ranking = serde_json::from_str(&answer.ranking).unwrap_or_default();
        let changed = with_lines(given.changed, &ranking);
        let counts = count_changes(&changed, &ranking);
        let row = FeedbackRow {
            answer: id,
            source: FeedbackSource::Caller,
            origin: grant.who().to_owned(),
            created_at: now_millis(),
            useful: text(&given.useful),
            changed: text(&changed),
            comment: given.comment,
            base_commit: (!answer.commit.is_empty()).then_some(answer.commit),
            counts,
        };
        if !self.store.put_feedback(&row).await? {
            return Err(FeedbackError::UnknownAnswer);
        }
        metrics::counter!("foveate_feedback_total", "source" => row.source.name()).increment(1);
        Ok(StoredFeedback {
            repo: answer.repo,
            counts,
        })
    }

    /// Returns the newest answer with this request id that the holder of a grant may see. Clients choose ids,
    /// so an answer that they may not see can have the same id.
    async fn find_answer(
        &self,
        grant: &Grant,
        request_id: &str,
    ) -> Result<Option<AnswerRow>, StoreError> {
        self.flush().await;
        let candidates = self.store.answers_with_request_id(request_id).await?;
        let mut candidates = candidates.into_iter();
        match candidates.find(|(_, repo)| self.engine.get(grant, repo).is_some()) {
            Some((id, _)) => self.store.answer(id).await,
            None => Ok(None),
        }
    }
}

impl ClientFeedback {
    /// Returns the feedback with normalized places, if every field is valid.
    fn checked(self) -> Result<Self, FeedbackError> {
        let is_allowed = |b: u8| b.is_ascii_alphanumeric() || b"._:-".contains(&b);
        let id = self.request_id.as_bytes();
        if !(1..=MAX_ID_CHARS).contains(&id.len()) || !id.iter().copied().all(is_allowed) {
            return Err(invalid("request_id", "must be the one of an answer"));
        }
        let useful = places("useful", self.useful)?;
        let changed = places("changed", self.changed)?;
        let comment = self.comment.filter(|comment| !comment.trim().is_empty());
        if comment
            .as_ref()
            .is_some_and(|c| c.chars().count() > MAX_COMMENT_CHARS)
        {
            let reason = format!("has more than {MAX_COMMENT_CHARS} characters");
            return Err(invalid("comment", reason));
        }
        if comment.as_ref().is_some_and(|c| c.contains('\0')) {
            // A database need not accept it.
            return Err(invalid("comment", "contains a NUL character"));
        }
        if useful.is_empty() && changed.is_empty() && comment.is_none() {
            return Err(invalid(
                "useful",
                "is empty, and so are `changed` and `comment`: give at least one",
            ));
        }
        Ok(Self {
            request_id: self.request_id,
            useful,
            changed,
            comment,
        })
    }
}

/// Validates places, normalizes their paths to the form that answers use, and removes duplicates.
fn places(field: &str, given: Vec<NamedPlace>) -> Result<Vec<NamedPlace>, FeedbackError> {
    if given.len() > MAX_PLACES {
        let count = given.len();
        let reason = format!("has {count} entries; at most {MAX_PLACES} are allowed");
        return Err(invalid(field, reason));
    }
    let mut seen = BTreeSet::new();
    for (position, place) in given.into_iter().enumerate() {
        let at = |part: &str| format!("{field}[{position}].{part}");
        if place.path.chars().count() > MAX_PATH_CHARS {
            let reason = format!("has more than {MAX_PATH_CHARS} characters");
            return Err(invalid(&at("path"), reason));
        }
        let path = RepoPath::from_typed(&place.path);
        let path = path.map_err(|error| invalid(&at("path"), error.to_string()))?;
        let is_name =
            |name: &String| !name.trim().is_empty() && name.chars().count() <= MAX_NAME_CHARS;
        if !place.name.as_ref().is_none_or(is_name) {
            let reason = format!("must have 1 to {MAX_NAME_CHARS} characters, not only blanks");
            return Err(invalid(&at("name"), reason));
        }
        seen.insert(NamedPlace {
            path: path.as_str().to_owned(),
            name: place.name,
            lines: None,
        });
    }
    Ok(seen.into_iter().collect())
}

fn invalid(field: &str, reason: impl Into<String>) -> FeedbackError {
    FeedbackError::Invalid {
        field: field.to_owned(),
        reason: reason.into(),
    }
}

/// Adds to each function its lines, if the answer contained them.
fn with_lines(places: Vec<NamedPlace>, ranking: &Ranking) -> Vec<NamedPlace> {
    let placed = |place: NamedPlace| {
        let known = |name: &String| ranking.lines_of(&place.path, name);
        let lines = place.name.as_ref().and_then(known);
        NamedPlace {
            lines: lines.map(|lines| (lines.start, lines.end)),
            ..place
        }
    };
    places.into_iter().map(placed).collect()
}

/// Counts how many of the changed places the context contained. A changed function also counts its file as
/// changed.
pub(super) fn count_changes(changed: &[NamedPlace], ranking: &Ranking) -> ChangeCounts {
    let mut counts = ChangeCounts::default();
    let files: BTreeSet<&str> = changed.iter().map(|place| &*place.path).collect();
    for path in files {
        counts.files += 1;
        counts.files_in_context += i64::from(ranking.shows_file(path));
    }
    for place in changed {
        if let Some(name) = &place.name {
            counts.functions += 1;
            counts.functions_in_context += i64::from(ranking.shows_function(&place.path, name));
        }
    }
    counts
}

/// Places as JSON.
pub(super) fn text(places: &[NamedPlace]) -> String {
    // Serializing strings and numbers does not fail.
    serde_json::to_string(places).unwrap_or_else(|_| "[]".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(path: &str, name: Option<&str>) -> NamedPlace {
        NamedPlace {
            path: path.to_owned(),
            name: name.map(str::to_owned),
            lines: None,
        }
    }

    fn given(changed: Vec<NamedPlace>) -> ClientFeedback {
        ClientFeedback {
            request_id: "r".to_owned(),
            changed,
            ..ClientFeedback::default()
        }
    }

    #[test]
    fn invalid_field_is_named_in_the_error() {
        let long = "x".repeat(MAX_PATH_CHARS + 1);
        let blank = ClientFeedback {
            comment: Some(" \n".to_owned()),
            ..given(Vec::new())
        };
        let wordy = ClientFeedback {
            comment: Some("é".repeat(MAX_COMMENT_CHARS + 1)),
            ..given(Vec::new())
        };
        let nameless = ClientFeedback {
            request_id: String::new(),
            ..given(vec![place("a.py", None)])
        };
        for (given, named) in [
            (blank, "useful"),
            (wordy, "comment"),
            (nameless, "request_id"),
            (given(vec![place("a.py", None); MAX_PLACES + 1]), "changed"),
            (given(vec![place("../a.py", None)]), "changed[0].path"),
            (given(vec![place(&long, None)]), "changed[0].path"),
            (
                given(vec![place("a.py", None), place("a.py", Some(" "))]),
                "changed[1].name",
            ),
        ] {
            let error = given.checked().expect_err(named);
            assert!(
                matches!(&error, FeedbackError::Invalid { field, .. } if field == named),
                "{error}"
            );
        }
        let twice = vec![place("./a.py", None), place("a.py", None)];
        let checked = given(twice).checked().expect("it can be used");
        assert_eq!(checked.changed, [place("a.py", None)]);
    }

    #[test]
    fn changed_function_counts_its_file_as_changed() {
        let changed = [
            place("a.py", Some("f")),
            place("a.py", Some("g")),
            place("b.py", None),
        ];
        let counts = count_changes(&changed, &Ranking::default());
        let expected = ChangeCounts {
            files: 2,
            functions: 2,
            ..ChangeCounts::default()
        };
        assert_eq!(counts, expected);
    }
}

//! What clients say of answers: validated, compared with what was kept of the answer, and kept beside it.

use std::collections::BTreeSet;

use foveate_model::RepoPath;
use serde::{Deserialize, Serialize};

use super::ranking::Ranking;
use super::{Feedback, counted, now};
use crate::access::Grant;
use crate::access::audit::{self, Action, Outcome};
use crate::store::{AnswerRow, ChangeCounts, FeedbackRow, FeedbackSource, StoreError};

/// Entries that each list may have.
pub const MAX_PLACES: usize = 200;
/// Characters of a path.
const MAX_PATH_CHARS: usize = 1024;
/// Characters of a name.
const MAX_NAME_CHARS: usize = 500;
/// Characters of a comment.
pub const MAX_COMMENT_CHARS: usize = 2000;
/// Characters of the id of a request.
pub const MAX_ID_CHARS: usize = 128;

/// A file, or a function in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NamedPlace {
    /// Path of the file.
    pub path: String,
    /// Qualified name of the function; `None`: the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its first and last line, 1-based, where they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<(u32, u32)>,
}

/// Feedback as a client gave it.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// Which answer it is about.
    pub request_id: String,
    /// What of it helped.
    pub useful: Vec<NamedPlace>,
    /// What was changed in the end.
    pub changed: Vec<NamedPlace>,
    /// In words.
    pub comment: Option<String>,
}

/// What was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The repository that the answer was given from.
    pub repo: String,
    /// How much of what was changed the context held.
    pub counts: ChangeCounts,
}

/// Why feedback is not kept.
#[derive(Debug, thiserror::Error)]
pub enum GivenError {
    /// A field cannot be used.
    #[error("{field}: {reason}")]
    Invalid {
        /// Its path in the body.
        field: String,
        /// What is wrong.
        reason: String,
    },
    /// No answer has this id for the holder of the grant.
    #[error("no answer that is kept has this request_id")]
    UnknownAnswer,
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Feedback {
    /// Keeps what the holder of a grant says of an answer. Later words of the same key replace earlier ones.
    ///
    /// # Errors
    /// See [`GivenError`].
    pub async fn give(&self, grant: &Grant, given: Given) -> Result<Kept, GivenError> {
        let kept = self.give_unaudited(grant, given).await;
        let (repo, outcome) = match &kept {
            Ok(kept) => (Some(&*kept.repo), Outcome::Done),
            Err(GivenError::UnknownAnswer) => (None, Outcome::Unknown),
            Err(_) => (None, Outcome::Failed),
        };
        audit::record(grant, Action::Feedback, repo, outcome);
        kept
    }

    async fn give_unaudited(&self, grant: &Grant, given: Given) -> Result<Kept, GivenError> {
        let given = given.checked()?;
        let row = self.answer_called(grant, &given.request_id).await?;
        let AnswerRow { id, answer } = row.ok_or(GivenError::UnknownAnswer)?;
        let ranking: Ranking = serde_json::from_str(&answer.ranking).unwrap_or_default();
        let changed = with_lines(given.changed, &ranking);
        let counts = counts_of(&changed, &ranking);
        let row = FeedbackRow {
            answer: id,
            source: FeedbackSource::Caller,
            origin: grant.who().to_owned(),
            created_at: now(),
            useful: text(&given.useful),
            changed: text(&changed),
            comment: given.comment,
            base_commit: (!answer.commit.is_empty()).then_some(answer.commit),
            counts,
        };
        if !self.store.put_feedback(&row).await? {
            return Err(GivenError::UnknownAnswer);
        }
        metrics::counter!("foveate_feedback_total", "source" => row.source.name()).increment(1);
        Ok(Kept {
            repo: answer.repo,
            counts,
        })
    }

    /// The newest answer to a request that the holder of a grant sees. Clients choose ids: an answer that they
    /// do not see may have the same one.
    async fn answer_called(
        &self,
        grant: &Grant,
        request_id: &str,
    ) -> Result<Option<AnswerRow>, StoreError> {
        self.flush().await;
        let called = self.store.answers_called(request_id).await?;
        let mut called = called.into_iter();
        match called.find(|(_, repo)| self.engine.get(grant, repo).is_some()) {
            Some((id, _)) => self.store.answer(id).await,
            None => Ok(None),
        }
    }
}

impl Given {
    /// The same, if all of it can be used.
    fn checked(self) -> Result<Self, GivenError> {
        let is_allowed = |b: u8| b.is_ascii_alphanumeric() || b"._:-".contains(&b);
        let id = self.request_id.as_bytes();
        if !(1..=MAX_ID_CHARS).contains(&id.len()) || !id.iter().copied().all(is_allowed) {
            return Err(invalid("request_id", "must be that of an answer"));
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
            // No database has to take it.
            return Err(invalid("comment", "has a NUL character"));
        }
        if useful.is_empty() && changed.is_empty() && comment.is_none() {
            return Err(invalid(
                "useful",
                "is empty, like `changed` and `comment`: say one thing",
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

/// Places with the paths that answers have for them, each once.
fn places(field: &str, given: Vec<NamedPlace>) -> Result<Vec<NamedPlace>, GivenError> {
    if given.len() > MAX_PLACES {
        let count = given.len();
        let reason = format!("has {count} entries; at most {MAX_PLACES} are read");
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
            let reason =
                format!("must have 1 to {MAX_NAME_CHARS} characters, and not blanks alone");
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

fn invalid(field: &str, reason: impl Into<String>) -> GivenError {
    GivenError::Invalid {
        field: field.to_owned(),
        reason: reason.into(),
    }
}

/// The places, with the lines of functions that the answer knew.
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

/// What of the places a context held. The file of a function counts as changed, too.
pub(super) fn counts_of(changed: &[NamedPlace], ranking: &Ranking) -> ChangeCounts {
    let files: BTreeSet<&str> = changed.iter().map(|place| &*place.path).collect();
    let functions = changed.iter();
    let functions = functions.filter_map(|place| Some((&*place.path, place.name.as_deref()?)));
    counted(ranking, files, functions)
}

/// Places as JSON.
pub(super) fn text(places: &[NamedPlace]) -> String {
    // Texts and numbers always can.
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

    fn given(changed: Vec<NamedPlace>) -> Given {
        Given {
            request_id: "r".to_owned(),
            changed,
            ..Given::default()
        }
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        let long = "x".repeat(MAX_PATH_CHARS + 1);
        let blank = Given {
            comment: Some(" \n".to_owned()),
            ..given(Vec::new())
        };
        let wordy = Given {
            comment: Some("é".repeat(MAX_COMMENT_CHARS + 1)),
            ..given(Vec::new())
        };
        let nameless = Given {
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
                matches!(&error, GivenError::Invalid { field, .. } if field == named),
                "{error}"
            );
        }
        let twice = vec![place("./a.py", None), place("a.py", None)];
        let checked = given(twice).checked().expect("it can be used");
        assert_eq!(checked.changed, [place("a.py", None)]);
    }

    #[test]
    fn the_file_of_a_function_is_changed_too() {
        let changed = [
            place("a.py", Some("f")),
            place("a.py", Some("g")),
            place("b.py", None),
        ];
        let counts = counts_of(&changed, &Ranking::default());
        let expected = ChangeCounts {
            files: 2,
            functions: 2,
            ..ChangeCounts::default()
        };
        assert_eq!(counts, expected);
    }
}

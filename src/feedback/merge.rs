//! Compares merged changes with the answers to the issues that they close.

use std::collections::HashSet;

use super::Feedback;
use super::client_feedback::{NamedPlace, count_changes, text};
use super::ranking::Ranking;
use crate::engine::TouchedCode;
use crate::store::{AnswerRow, FeedbackRow, FeedbackSource, StoreError, now_millis};

/// Maximum number of functions and files of one change that are stored by name; all of them are counted.
const MAX_KEPT: usize = 500;

impl Feedback {
    /// Returns the latest answer to each of the given threads of forges.
    pub async fn latest_answers(
        &self,
        repo: &str,
        threads: &[String],
    ) -> Result<Vec<AnswerRow>, StoreError> {
        self.flush().await;
        let mut answers = Vec::new();
        for thread in threads {
            answers.extend(self.store.answer_of_thread(repo, thread).await?);
        }
        Ok(answers)
    }

    /// Stores the changes of a merged pull request, `origin`, beside each of the answers. Returns the number
    /// of answers that this was stored for.
    ///
    /// # Errors
    /// When the database fails; calling it again is idempotent.
    pub async fn record_merge(
        &self,
        answers: Vec<AnswerRow>,
        origin: &str,
        changed: &TouchedCode,
    ) -> Result<usize, StoreError> {
        let places = places(changed);
        let kept = places.get(..MAX_KEPT).unwrap_or(&places);
        let mut stored = 0;
        for AnswerRow { id, answer } in answers {
            let ranking: Ranking = serde_json::from_str(&answer.ranking).unwrap_or_default();
            let row = FeedbackRow {
                answer: id,
                source: FeedbackSource::Merge,
                origin: origin.to_owned(),
                created_at: now_millis(),
                useful: text(&[]),
                changed: text(kept),
                comment: None,
                base_commit: Some(changed.base.clone()),
                counts: count_changes(&places, &ranking),
            };
            if self.store.put_feedback(&row).await? {
                metrics::counter!("foveate_feedback_total", "source" => row.source.name())
                    .increment(1);
                stored += 1;
            }
        }
        Ok(stored)
    }
}

/// Lists the changed functions, and the changed files without a changed function.
fn places(changed: &TouchedCode) -> Vec<NamedPlace> {
    let functions = changed.functions.iter().map(|function| NamedPlace {
        path: function.path.clone(),
        name: Some(function.name.clone()),
        lines: Some((function.lines.start, function.lines.end)),
    });
    let with_functions: HashSet<&str> = changed.functions.iter().map(|f| &*f.path).collect();
    let is_alone = |path: &&String| !with_functions.contains(path.as_str());
    let files = changed.files.iter().filter(is_alone);
    let files = files.map(|path| NamedPlace {
        path: path.clone(),
        name: None,
        lines: None,
    });
    functions.chain(files).collect()
}

//! What a merged change turned out to be, compared with the answers to the issues that it closes.

use super::given::{NamedPlace, text};
use super::ranking::Ranking;
use super::{Feedback, counted, now};
use crate::engine::Changed;
use crate::store::{AnswerRow, FeedbackRow, FeedbackSource, StoreError};

/// Functions and files of one change that are kept by name; all are counted.
const MAX_KEPT: usize = 500;

impl Feedback {
    /// The last answers that were written for some threads of forges.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn answered(
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

    /// Keeps what a pull request, `origin`, changed beside the answers. Returns beside how many.
    ///
    /// # Errors
    /// When the database fails; doing it again changes nothing.
    pub async fn merged(
        &self,
        answers: Vec<AnswerRow>,
        origin: &str,
        changed: &Changed,
    ) -> Result<usize, StoreError> {
        let places = places(changed);
        let mut kept = 0;
        for AnswerRow { id, answer } in answers {
            let ranking: Ranking = serde_json::from_str(&answer.ranking).unwrap_or_default();
            let functions = changed.functions.iter();
            let row = FeedbackRow {
                answer: id,
                source: FeedbackSource::Merge,
                origin: origin.to_owned(),
                created_at: now(),
                useful: text(&[]),
                changed: text(&places),
                comment: None,
                base_commit: Some(changed.base.clone()),
                counts: counted(
                    &ranking,
                    changed.files.iter().map(String::as_str),
                    functions.map(|function| (&*function.path, &*function.name)),
                ),
            };
            if self.store.put_feedback(&row).await? {
                metrics::counter!("foveate_feedback_total", "source" => row.source.name())
                    .increment(1);
                kept += 1;
            }
        }
        Ok(kept)
    }
}

/// The functions, and the files in which none was changed.
fn places(changed: &Changed) -> Vec<NamedPlace> {
    let functions = changed.functions.iter().map(|function| NamedPlace {
        path: function.path.clone(),
        name: Some(function.name.clone()),
        lines: Some((function.lines.start, function.lines.end)),
    });
    let is_alone = |path: &&String| changed.functions.iter().all(|f| f.path != **path);
    let files = changed.files.iter().filter(is_alone);
    let files = files.map(|path| NamedPlace {
        path: path.clone(),
        name: None,
        lines: None,
    });
    functions.chain(files).take(MAX_KEPT).collect()
}

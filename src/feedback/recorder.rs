//! Writes answers to the database, many at a time, and deletes those that are too old or too many. It is the
//! only writer; whoever answers only hands over.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::ranking::Ranking;
use super::{Feedback, now};
use crate::access::Grant;
use crate::store::{NewAnswerRow, OldAnswers, StoreError};

/// Answers that are written at a time.
const BATCH: usize = 256;
/// Time in which answers are gathered for one transaction: one for each answer takes a tenth of a core at 600
/// answers a second.
const GATHER: Duration = Duration::from_millis(100);
/// Time between two looks at what is too old.
const TIDY: Duration = Duration::from_secs(3600);
/// Time that a request waits for answers before it to be written.
const FLUSH: Duration = Duration::from_secs(10);
const DAY_MS: i64 = 86_400_000;

/// What the writer is told.
#[derive(Debug)]
pub(super) enum Entry {
    /// To keep an answer.
    Answer(Box<NewAnswer>),
    /// To say when everything that came before is written.
    Flush(oneshot::Sender<()>),
}

/// An answer whose ranking is not yet text.
#[derive(Debug)]
pub(super) struct NewAnswer {
    pub(super) row: NewAnswerRow,
    pub(super) ranking: Ranking,
}

/// Counts what became of answers that were to be kept.
pub(super) fn count(outcome: &'static str, number: usize) {
    metrics::counter!("foveate_answers_recorded_total", "outcome" => outcome)
        .increment(number as u64);
}

impl Feedback {
    /// Writes until `stop` is cancelled, and then what still waits. Returns at once at a second call.
    pub async fn work(self: Arc<Self>, stop: CancellationToken) {
        let entries = self.entries.lock().take();
        let Some(mut entries) = entries else {
            return;
        };
        let mut tidy = tokio::time::interval(TIDY);
        let mut since_tidy = 0;
        let mut batch = Vec::with_capacity(BATCH);
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                _ = tidy.tick() => self.tidy().await,
                _ = entries.recv_many(&mut batch, BATCH) => {
                    stop.run_until_cancelled(tokio::time::sleep(GATHER)).await;
                    while batch.len() < BATCH && let Ok(entry) = entries.try_recv() {
                        batch.push(entry);
                    }
                    since_tidy += self.write(&mut batch).await;
                    if since_tidy > self.config.max_answers as usize / 100 {
                        since_tidy = 0;
                        self.tidy().await;
                    }
                }
            }
        }
        entries.close();
        while entries.recv_many(&mut batch, BATCH).await > 0 {
            self.write(&mut batch).await;
        }
    }

    /// Waits until everything that was recorded before is in the database.
    pub(super) async fn flush(&self) {
        let (done, written) = oneshot::channel();
        let flushed = async {
            if self.queue.send(Entry::Flush(done)).await.is_ok() {
                // Where the writer has ended nothing is waited for.
                let _ = written.await;
            }
        };
        let _ = tokio::time::timeout(FLUSH, flushed).await;
    }

    /// Writes what was handed over. Returns how many answers that were.
    async fn write(&self, batch: &mut Vec<Entry>) -> usize {
        let (mut rows, mut waiting) = (Vec::new(), Vec::new());
        for entry in batch.drain(..) {
            match entry {
                Entry::Answer(answer) => rows.extend(row(*answer)),
                Entry::Flush(done) => waiting.push(done),
            }
        }
        if !rows.is_empty() {
            match self.store_known(&rows).await {
                Ok(()) => count("stored", rows.len()),
                Err(error) => {
                    count("failed", rows.len());
                    tracing::warn!(%error, answers = rows.len(), "answers were not recorded");
                }
            }
        }
        for done in waiting {
            // Who waited may have left.
            let _ = done.send(());
        }
        rows.len()
    }

    /// Stores answers. What a repository left that was removed meanwhile is deleted: its removal may have come
    /// before they were written.
    async fn store_known(&self, rows: &[NewAnswerRow]) -> Result<(), StoreError> {
        self.store.insert_answers(rows).await?;
        let repos: BTreeSet<&str> = rows.iter().map(|row| &*row.repo).collect();
        for repo in repos {
            if self.engine.get(&Grant::unrestricted(), repo).is_none() {
                self.store.delete_answers(OldAnswers::Of(repo)).await?;
            }
        }
        Ok(())
    }

    /// Deletes what is too old and what is too much.
    async fn tidy(&self) {
        let oldest = now() - i64::from(self.config.retention_days) * DAY_MS;
        let deleted = async {
            let old = self
                .store
                .delete_answers(OldAnswers::Before(oldest))
                .await?;
            Ok::<u64, StoreError>(old + self.store.limit_answers(self.config.max_answers).await?)
        };
        match deleted.await {
            Ok(0) => {}
            Ok(answers) => tracing::debug!(answers, "old answers were deleted"),
            Err(error) => tracing::warn!(%error, "old answers were not deleted"),
        }
    }
}

/// The row of an answer; `None` where its ranking cannot be text, which does not happen.
fn row(answer: NewAnswer) -> Option<NewAnswerRow> {
    let ranking = serde_json::to_string(&answer.ranking).ok()?;
    Some(NewAnswerRow {
        ranking,
        ..answer.row
    })
}

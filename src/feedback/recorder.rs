//! Writes queued answers to the database in batches, and deletes those that are too old or too many. Nothing
//! else writes answers.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::Feedback;
use crate::access::Grant;
use crate::store::{AnswerFilter, NewAnswerRow, StoreError, now_millis};

/// Answers per transaction.
const BATCH: usize = 256;
/// Time for which answers are collected into one transaction. A transaction for each answer takes a tenth of
/// a core at 600 answers a second.
const BATCH_WINDOW: Duration = Duration::from_millis(100);
/// Interval between deletions of old answers.
const CLEANUP_INTERVAL: Duration = Duration::from_secs(3600);
/// Longest time that a request waits for earlier answers to be written.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(10);
const DAY_MS: i64 = 86_400_000;

/// A message to the writer.
#[derive(Debug)]
pub(super) enum Entry {
    /// Stores an answer.
    Answer(Box<NewAnswerRow>),
    /// Signals when all earlier entries are written.
    Flush(oneshot::Sender<()>),
}

/// Counts answers by whether they were stored, dropped or failed to be stored.
pub(super) fn count(outcome: &'static str, number: usize) {
    metrics::counter!("foveate_answers_recorded_total", "outcome" => outcome)
        .increment(number as u64);
}

impl Feedback {
    /// Writes until `stop` is cancelled, then drains the queue. A second call returns at once.
    pub async fn work(self: Arc<Self>, stop: CancellationToken) {
        let entries = self.entries.lock().take();
        let Some(mut entries) = entries else {
            return;
        };
        let mut cleanup = tokio::time::interval(CLEANUP_INTERVAL);
        let mut since_cleanup = 0;
        let mut batch = Vec::with_capacity(BATCH);
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                _ = cleanup.tick() => self.cleanup().await,
                _ = entries.recv_many(&mut batch, BATCH) => {
                    let filled = timeout(BATCH_WINDOW, fill(&mut batch, &mut entries));
                    stop.run_until_cancelled(filled).await;
                    since_cleanup += self.write(&mut batch).await;
                    if since_cleanup > self.config.max_answers as usize / 100 {
                        since_cleanup = 0;
                        self.cleanup().await;
                    }
                }
            }
        }
        entries.close();
        while entries.recv_many(&mut batch, BATCH).await > 0 {
            self.write(&mut batch).await;
        }
    }

    /// Waits until every answer recorded earlier is in the database, or [`FLUSH_TIMEOUT`] has passed.
    pub(super) async fn flush(&self) {
        let (done, written) = oneshot::channel();
        let flushed = async {
            if self.queue.send(Entry::Flush(done)).await.is_ok() {
                // An error means that the writer has ended.
                let _ = written.await;
            }
        };
        let _ = timeout(FLUSH_TIMEOUT, flushed).await;
    }

    /// Writes a batch and empties it. Returns the number of answers in it.
    async fn write(&self, batch: &mut Vec<Entry>) -> usize {
        let (mut rows, mut waiting) = (Vec::new(), Vec::new());
        for entry in batch.drain(..) {
            match entry {
                Entry::Answer(answer) => rows.push(*answer),
                Entry::Flush(done) => waiting.push(done),
            }
        }
        if !rows.is_empty() {
            match self.store_registered(&rows).await {
                Ok(()) => count("stored", rows.len()),
                Err(error) => {
                    count("failed", rows.len());
                    tracing::warn!(%error, answers = rows.len(), "answers were not recorded");
                }
            }
        }
        for done in waiting {
            // The receiver may be gone.
            let _ = done.send(());
        }
        rows.len()
    }

    /// Stores answers, and deletes those of repositories that are no longer registered: a repository may have
    /// been removed before its answers were written.
    async fn store_registered(&self, rows: &[NewAnswerRow]) -> Result<(), StoreError> {
        self.store.insert_answers(rows).await?;
        let repos: BTreeSet<&str> = rows.iter().map(|row| &*row.repo).collect();
        for repo in repos {
            if self.engine.get(&Grant::unrestricted(), repo).is_none() {
                self.store
                    .delete_answers(AnswerFilter::OfRepository(repo))
                    .await?;
            }
        }
        Ok(())
    }

    /// Deletes answers that are too old, and the oldest ones above the limit.
    async fn cleanup(&self) {
        let oldest = now_millis() - i64::from(self.config.retention_days) * DAY_MS;
        let deleted = async {
            let old = self
                .store
                .delete_answers(AnswerFilter::Before(oldest))
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

/// Adds entries to a batch until it is full, or somebody waits for a flush.
async fn fill(batch: &mut Vec<Entry>, entries: &mut mpsc::Receiver<Entry>) {
    let is_flush = |entry: &Entry| matches!(entry, Entry::Flush(_));
    while batch.len() < BATCH && !batch.iter().any(is_flush) {
        let free = BATCH - batch.len();
        if entries.recv_many(batch, free).await == 0 {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn collecting_ends_at_a_flush() {
        let (queue, mut entries) = mpsc::channel(1);
        let (done, _written) = oneshot::channel();
        queue.send(Entry::Flush(done)).await.unwrap();
        let mut batch = Vec::new();
        // The queue stays open, so that nothing else ends it.
        fill(&mut batch, &mut entries).await;
        assert_eq!(batch.len(), 1);
    }
}

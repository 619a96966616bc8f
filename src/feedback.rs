//! Records answers, client feedback on them and merged changes, so that an operator sees whether the answers
//! help, and can measure and fit with these records. It stores names from the repository; the text of
//! questions only if the settings enable it. It must not delay an answer.
//!
//! [`Feedback::record`] puts an answer into a queue that [`recorder`] writes to the database; [`client_feedback`]
//! validates and stores client feedback, [`merge`] compares merged changes with answers, and [`stats`] sums
//! up both. Start at [`Feedback`].

pub mod client_feedback;
mod merge;
pub mod ranking;
pub mod recorder;
pub mod stats;

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::mpsc;

use crate::config::FeedbackConfig;
use crate::engine::{AnswerWithSnapshot, Engine};
use crate::store::{NewAnswerRow, Store, StoreError, now_millis};
pub use client_feedback::{ClientFeedback, FeedbackError, NamedPlace};
use ranking::Ranking;
use recorder::Entry;
pub use stats::{FeedbackCounts, PeriodLength, RepositoryStats, StatsError};

/// Longest prefix of a question that is stored, in bytes.
const MAX_QUERY_BYTES: usize = 64 << 10;

/// Stores answers and feedback on them. One per service.
#[derive(Debug)]
pub struct Feedback {
    config: FeedbackConfig,
    engine: Arc<Engine>,
    store: Store,
    queue: mpsc::Sender<Entry>,
    /// The receiving end of the queue, until [`Self::work`] takes it.
    entries: Mutex<Option<mpsc::Receiver<Entry>>>,
}

/// What an answer was given for.
#[derive(Clone, Debug, Default)]
pub struct AnswerOrigin {
    /// Id of the request.
    pub request_id: String,
    /// Thread of a forge that the answer was written for.
    pub thread: Option<String>,
    /// Text of the question as returned by [`Feedback::query`]; `None` if it is not to be stored.
    pub query: Option<String>,
}

impl Feedback {
    /// Creates the recorder of the answers of `engine` in `store`. Nothing is written until [`Self::work`]
    /// runs.
    pub fn new(config: FeedbackConfig, engine: Arc<Engine>, store: Store) -> Self {
        let (queue, entries) = mpsc::channel(config.queue);
        Self {
            config,
            engine,
            store,
            queue,
            entries: Mutex::new(Some(entries)),
        }
    }

    /// Whether answers are recorded.
    pub fn is_on(&self) -> bool {
        self.config.record
    }

    /// Returns the part of a question's text that is stored; `None` if the settings do not allow storing it.
    pub fn query(&self, query: &str) -> Option<String> {
        let end = query.floor_char_boundary(MAX_QUERY_BYTES);
        // Not every database accepts a NUL character.
        (self.config.record && self.config.queries).then(|| query[..end].replace('\0', "\u{fffd}"))
    }

    /// Queues an answer for storage. Never waits: if the queue is full, the answer is dropped and counted.
    pub fn record(&self, answered: &AnswerWithSnapshot, origin: AnswerOrigin) {
        if !self.config.record {
            return;
        }
        let row = NewAnswerRow {
            request_id: origin.request_id,
            repo: answered.repo.clone(),
            thread: origin.thread,
            commit: answered.snapshot.revision.commit.clone(),
            created_at: now_millis(),
            intent: answered.answer.intent.kind.name().to_owned(),
            confidence: answered.answer.pack.confidence.into(),
            used_tokens: i64::try_from(answered.answer.pack.used).unwrap_or(i64::MAX),
            // Serializing strings and numbers does not fail.
            ranking: serde_json::to_string(&Ranking::of(&answered.answer)).unwrap_or_default(),
            query: origin.query,
        };
        if self.queue.try_send(Entry::Answer(Box::new(row))).is_err() {
            recorder::count("dropped", 1);
        }
    }

    /// Returns, by repository, how much of merged changes the contexts of all stored answers contained.
    pub async fn totals(&self) -> Result<Vec<RepositoryStats>, StoreError> {
        let days = self.store.feedback_days().await?;
        Ok(stats::by_repository(&days, PeriodLength::Week, |_| true))
    }
}

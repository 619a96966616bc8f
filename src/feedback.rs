//! Learning from use: what was answered is kept, with what was said of it and what was changed in the end,
//! so that an operator sees whether the answers help, and can measure and fit with them. Kept are names of
//! the repository's own; texts of questions only where the settings say so. It must not hold up an answer.
//!
//! [`Feedback::record`] hands an answer to a queue that [`recorder`] writes to the database; [`given`] takes
//! what clients say, [`merge`] what a merged change turned out to be, and [`stats`] adds it up. Start at
//! [`Feedback`].

pub mod given;
mod merge;
pub mod ranking;
pub mod recorder;
pub mod stats;

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use tokio::sync::mpsc;

use crate::config::FeedbackConfig;
use crate::engine::{Answered, Engine};
use crate::store::{ChangeCounts, NewAnswerRow, Store, StoreError};
pub use given::{Given, GivenError, Kept, NamedPlace};
use ranking::Ranking;
use recorder::Entry;
pub use stats::{By, Figures, Period, RepositoryStats, Stats, StatsError};

/// Bytes of a question that are kept.
const MAX_QUERY_BYTES: usize = 64 << 10;

/// What is known of answers. One for a service.
#[derive(Debug)]
pub struct Feedback {
    config: FeedbackConfig,
    engine: Arc<Engine>,
    store: Store,
    queue: mpsc::Sender<Entry>,
    /// The other end, until somebody writes what comes out of it.
    entries: Mutex<Option<mpsc::Receiver<Entry>>>,
}

/// For what an answer was given.
#[derive(Clone, Debug, Default)]
pub struct Occasion {
    /// The id of the request.
    pub request_id: String,
    /// The thread of a forge that it was written for.
    pub thread: Option<String>,
    /// The text of the question, where [`Feedback::query`] gave it.
    pub query: Option<String>,
}

impl Feedback {
    /// What is kept in `store` of the answers of `engine`. [`Self::work`] writes it.
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

    /// Whether anything is kept.
    pub fn is_on(&self) -> bool {
        self.config.record
    }

    /// As much of the text of a question as is kept; `None` where the settings do not say that it is.
    pub fn query(&self, query: &str) -> Option<String> {
        let end = query.floor_char_boundary(MAX_QUERY_BYTES);
        // Not every database takes a NUL character.
        (self.config.record && self.config.queries).then(|| query[..end].replace('\0', "\u{fffd}"))
    }

    /// Has an answer kept. Never waits: where the queue is full the answer is dropped and counted.
    pub fn record(&self, answered: &Answered, occasion: Occasion) {
        if !self.config.record {
            return;
        }
        let row = recorder::NewAnswer {
            ranking: Ranking::of(&answered.answer),
            row: NewAnswerRow {
                request_id: occasion.request_id,
                repo: answered.repo.clone(),
                thread: occasion.thread,
                commit: answered.snapshot.revision.commit.clone(),
                created_at: now(),
                intent: answered.answer.intent.kind.name().to_owned(),
                confidence: answered.answer.pack.confidence.into(),
                used_tokens: i64::try_from(answered.answer.pack.used).unwrap_or(i64::MAX),
                ranking: String::new(),
                query: occasion.query,
            },
        };
        if self.queue.try_send(Entry::Answer(Box::new(row))).is_err() {
            recorder::count("dropped", 1);
        }
    }

    /// What of a merged change the context of answers contained, by repository, among all that is kept.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn totals(&self) -> Result<Vec<RepositoryStats>, StoreError> {
        let days = self.store.feedback_days().await?;
        Ok(stats::by_repository(&days, By::Week, |_| true))
    }
}

/// How much of what was changed a context held.
fn counted<'a>(
    ranking: &Ranking,
    files: impl IntoIterator<Item = &'a str>,
    functions: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> ChangeCounts {
    let mut counts = ChangeCounts::default();
    for path in files {
        counts.files += 1;
        counts.files_in_context += i64::from(ranking.shows_file(path));
    }
    for (path, name) in functions {
        counts.functions += 1;
        counts.functions_in_context += i64::from(ranking.shows_function(path, name));
    }
    counts
}

/// Milliseconds since 1970.
fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| i64::try_from(now.as_millis()).unwrap_or(i64::MAX))
}

//! Asks a question with the default options and numbers, and without a deadline.

use foveate_index::Snapshot;
use foveate_query::{Answer, Deadline, RankingConfig, Request, answer};

pub fn ask(snapshot: &Snapshot, query: &str) -> Answer {
    let request = Request {
        query: query.to_owned(),
        ..Request::default()
    };
    let config = RankingConfig::default();
    answer(snapshot, &request, &config, &Deadline::none(), &|| 0.0)
}

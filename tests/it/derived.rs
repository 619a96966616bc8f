//! Tests that answers depend only on the state of a repository: an index derived step by step over edits, renames
//! and jumps between commits answers like one built from nothing.

use std::sync::Arc;

use foveate::engine::{AnswerWithSnapshot, BlobCache, source_file};
use foveate::wire::answer::{AnswerOptions, ContextAnswer};
use foveate_fixture::changes::{Changes, Tree};
use foveate_index::{Revision, Snapshot};
use foveate_model::{Commit, History, ObjectId, RepoPath, SourceFile, Touched};
use foveate_query::{Deadline, RankingConfig, Request, answer};
use sha1::{Digest, Sha1};

const QUERIES: &[&str] = &[
    "`Client.connect` fails when the pool is closed",
    "where is the record of a model validated?",
    "Traceback (most recent call last):\n  File \"/srv/shop/client.py\", line 6, in connect\n    \
     return self.pool.acquire_connection()\nValueError: the record of the pool is not valid",
    "add a test for make_pool, and rename `closeAll` of the web pool",
    "Error: the pool of the shop is closed\n    at Pool.acquireConnection (web/src/pool.ts:2:32)",
];

/// A blob id for a text. Not git's id: only equality matters here.
fn blob(text: &str) -> ObjectId {
    ObjectId::from_sha1(Sha1::digest(text).into())
}

fn files(blobs: &BlobCache, tree: &Tree) -> Vec<SourceFile> {
    tree.iter()
        .map(|(path, text)| {
            let path = RepoPath::new(path).unwrap();
            let named = foveate_parse::language_by_name(&path);
            let reading = blobs.read(blob(text), named, text.as_bytes(), None);
            source_file(path, blob(text), text.len() as u64, reading)
        })
        .collect()
}

fn history() -> Arc<History> {
    let commit = |message: &str, path: &str, function: &str| Commit {
        id: ObjectId::from_sha1([0; 20]),
        message: message.to_owned(),
        is_bot: false,
        touched: vec![Touched {
            path: RepoPath::new(path).unwrap(),
            functions: vec![function.into()],
        }],
    };
    Arc::new(History {
        commits: vec![
            commit(
                "connect the client of the pool",
                "shop/client.py",
                "connect",
            ),
            commit("close the web pool", "web/src/pool.ts", "closeAll"),
            commit("validate records", "shop/base.py", "validate_record"),
        ],
    })
}

fn build(files: Vec<SourceFile>, previous: Option<&Snapshot>) -> Arc<Snapshot> {
    let revision = Revision::of_commit("c".repeat(40));
    let history = previous.map_or_else(|| Some(history()), |p| p.history.clone());
    Arc::new(Snapshot::build(revision, 1, files, history, previous).unwrap())
}

fn ask(snapshot: &Arc<Snapshot>, query: &str) -> String {
    let request = Request {
        query: query.to_owned(),
        ..Request::default()
    };
    let answer = answer(
        snapshot,
        &request,
        &RankingConfig::default(),
        &Deadline::none(),
        &|| 0.0,
    );
    let answered = AnswerWithSnapshot {
        repo: "shop".to_owned(),
        snapshot: Arc::clone(snapshot),
        answer,
        pending_files: 0,
        total_ms: 0.0,
    };
    let asked = AnswerOptions {
        explain: true,
        signals: true,
        ..AnswerOptions::default()
    };
    serde_json::to_string(&ContextAnswer::new(answered, asked)).unwrap()
}

#[test]
fn derived_index_answers_like_a_fresh_build() {
    for seed in 100..106 {
        let blobs = BlobCache::new(foveate_parse::Limits::default(), 1 << 20);
        let mut changes = Changes::new(seed);
        let mut snapshots = vec![build(files(&blobs, &changes.tree()), None)];
        for step in 0..16_usize {
            let tree = changes.step();
            let back = if step % 5 == 4 { 4 } else { 1 };
            let previous = &snapshots[snapshots.len().saturating_sub(back)];
            let derived = build(files(&blobs, &tree), Some(previous));
            let rebuilt = build(files(&blobs, &tree), None);
            for query in QUERIES {
                let (derived, rebuilt) = (ask(&derived, query), ask(&rebuilt, query));
                assert_eq!(derived, rebuilt, "seed {seed}, step {step}: {query}");
            }
            snapshots.push(derived);
        }
    }
}

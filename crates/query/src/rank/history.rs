//! Scores files and functions by past commits: the nearest commits vote for what they touched, cited commits
//! count for what they touched, and the messages of the commits that touched a function are searched like one of
//! its fields. (The same field of files is a part of the lexical index.)

use foldhash::HashMap;
use foveate_index::lexical::{Commits, FunctionId};
use foveate_index::{DefId, Snapshot};

use super::evidence::Evidence;
use super::noisy_or;
use super::weights::LexicalConfig;

/// Scores files by the most similar past commits. A commit adds `score / best score / sqrt(files)` to each of its
/// files.
pub(super) fn votes_for_files(snapshot: &Snapshot, evidence: &Evidence) -> Vec<f32> {
    let mut votes = vec![0.0; snapshot.files.len()];
    for (commit, score) in evidence.nearest_commits(snapshot) {
        for file in commit.files() {
            votes[file.0 as usize] += score * commit.share();
        }
    }
    votes
}

/// Returns per file the strength of the evidence from the commits that the query cites:
/// `1 - Π(1 - share of the citation / sqrt(files))`.
pub(super) fn cited_files(snapshot: &Snapshot, evidence: &Evidence) -> Vec<f32> {
    let mut cited = vec![0.0; snapshot.files.len()];
    for (commit, share) in evidence.cited_commits(snapshot) {
        for file in commit.files() {
            let current = &mut cited[file.0 as usize];
            *current = noisy_or(*current, share * commit.share());
        }
    }
    cited
}

/// Scores of a function from past commits.
pub(super) struct FunctionHistory {
    /// As [`votes_for_files`], but with the functions that a commit touched.
    pub votes: f32,
    /// As [`cited_files`], but with the functions that a commit touched.
    pub cited: f32,
    /// Number of commits that touched it.
    pub changes: usize,
    /// Score of the messages of these commits; see [`messages`].
    pub messages: f32,
}

/// Returns the scores of the functions `ids`, in their order.
pub(super) fn of_functions(
    snapshot: &Snapshot,
    ids: &[DefId],
    evidence: &Evidence,
    config: &LexicalConfig,
) -> Vec<FunctionHistory> {
    let files = &snapshot.files;
    let commits = snapshot.lexical.commits();
    let scores = CommitScores::new(snapshot, evidence);
    let find = |id: &DefId| commits.function(id.file, files.name_hash(*id));
    let touched: Vec<Option<FunctionId>> = ids.iter().map(find).collect();
    let messages = messages(commits, &touched, evidence, config);
    let functions = touched.into_iter().zip(messages);
    functions
        .map(|(function, messages)| FunctionHistory {
            votes: function.map_or(0.0, |f| scores.votes[f.position()]),
            cited: function
                .and_then(|f| scores.cited.get(&f).copied())
                .unwrap_or(0.0),
            changes: function.map_or(0, |f| commits.touching(f).len()),
            messages,
        })
        .collect()
}

/// Scores of all functions from the nearest and the cited commits.
struct CommitScores {
    votes: Vec<f32>,
    /// Sparse, because few queries cite any commit.
    cited: HashMap<FunctionId, f32>,
}

impl CommitScores {
    fn new(snapshot: &Snapshot, evidence: &Evidence) -> Self {
        let functions = snapshot.lexical.commits().function_count();
        let mut scores = Self {
            votes: vec![0.0; functions],
            cited: HashMap::default(),
        };
        for (commit, score) in evidence.nearest_commits(snapshot) {
            for function in commit.functions() {
                scores.votes[function.position()] += score * commit.function_share();
            }
        }
        for (commit, strength) in evidence.cited_commits(snapshot) {
            for function in commit.functions() {
                let current = scores.cited.entry(function).or_default();
                *current = noisy_or(*current, strength * commit.function_share());
            }
        }
        scores
    }
}

/// The functions that each commit touched, as positions in the list given to [`ByCommit::new`].
struct ByCommit {
    /// Start of the functions of each commit in `functions`, and the end of the last.
    starts: Vec<u32>,
    functions: Vec<u32>,
}

impl ByCommit {
    /// Inverts the lists by a counting sort, since there are tens of thousands of entries.
    fn new(commits: &Commits, touched: &[Option<FunctionId>]) -> Self {
        let of = |function: &Option<FunctionId>| function.map_or(&[][..], |f| commits.touching(f));
        let lists: Vec<&[u32]> = touched.iter().map(of).collect();
        let mut starts = vec![0u32; commits.positions() + 1];
        for commit in lists.iter().copied().flatten() {
            starts[*commit as usize] += 1;
        }
        let mut all = 0;
        for start in &mut starts {
            all += *start;
            *start = all;
        }
        // Each function is put before those of its commit that are placed already: the end of a commit moves down
        // to become its start.
        let mut functions = vec![0; all as usize];
        for (function, list) in (0..).zip(lists) {
            for commit in list {
                let at = &mut starts[*commit as usize];
                *at -= 1;
                functions[*at as usize] = function;
            }
        }
        Self { starts, functions }
    }

    fn of(&self, commit: u32) -> &[u32] {
        let at = commit as usize;
        &self.functions[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

/// Returns the BM25 score of the query over the messages of the commits that touched each function. The terms of
/// a commit are weighted by `1 / sqrt(functions)`, and the mean length is that of the given functions. `touched`
/// has an entry per function, `None` where no commit touched it.
fn messages(
    commits: &Commits,
    touched: &[Option<FunctionId>],
    evidence: &Evidence,
    config: &LexicalConfig,
) -> Vec<f32> {
    let by_commit = ByCommit::new(commits, touched);
    let norms = norms(commits, touched, config.history_b);
    let mut scores = vec![0.0; touched.len()];
    let mut sums = vec![0.0f32; touched.len()];
    let mut found: Vec<u32> = Vec::new();
    for (term, idf) in evidence.query.iter().zip(&evidence.hits.commit_idf) {
        let weight = term.file * idf;
        for (commit, tf) in commits.postings(&term.term) {
            let functions = by_commit.of(*commit);
            if functions.is_empty() {
                continue;
            }
            let tf = f32::from(*tf) * commits.at(*commit).function_share();
            for function in functions {
                let sum = &mut sums[*function as usize];
                if *sum == 0.0 {
                    found.push(*function);
                }
                *sum += tf;
            }
        }
        for function in found.drain(..) {
            let at = function as usize;
            let tf = std::mem::take(&mut sums[at]) * norms[at];
            scores[at] += weight * tf * (config.commit_k1 + 1.0) / (config.commit_k1 + tf);
        }
    }
    scores
}

/// Returns `1 / (1 - b + b · length / mean length)` per function; the mean is over the functions that have any
/// message.
fn norms(commits: &Commits, touched: &[Option<FunctionId>], b: f32) -> Vec<f32> {
    let length =
        |function: &Option<FunctionId>| function.map_or(0.0, |f| commits.messages_length(f));
    let lengths: Vec<f32> = touched.iter().map(length).collect();
    let with_any = lengths.iter().filter(|length| **length > 0.0).count();
    let mean = lengths.iter().sum::<f32>() / with_any.max(1) as f32;
    let norm = |length: f32| 1.0 / (1.0 - b + b * length / mean.max(1.0));
    lengths.into_iter().map(norm).collect()
}

//! What past commits say of files and functions: the nearest ones vote for what they touched, those
//! that the query cites point to it, and the messages of those that touched a function are searched
//! like a field of it. (The same field of files is a part of the lexical index.)

use foldhash::HashMap;
use foveate_index::lexical::{Commits, FunctionId};
use foveate_index::{DefId, Snapshot};

use super::evidence::Evidence;
use super::weights::LexicalConfig;

/// Per file the votes of the nearest commits: each gives `score / best score / sqrt(files)`.
pub(super) fn votes_for_files(snapshot: &Snapshot, evidence: &Evidence) -> Vec<f32> {
    let mut votes = vec![0.0; snapshot.files.len()];
    for (commit, score) in evidence.nearest_commits(snapshot) {
        for file in commit.files() {
            votes[file.0 as usize] += score * commit.share();
        }
    }
    votes
}

/// Per file how surely the commits that the query cites mean it:
/// `1 - Π(1 - share of the citation / sqrt(files))`.
pub(super) fn cited_files(snapshot: &Snapshot, evidence: &Evidence) -> Vec<f32> {
    let mut cited = vec![0.0; snapshot.files.len()];
    for (commit, share) in evidence.cited_commits(snapshot) {
        for file in commit.files() {
            let held = &mut cited[file.0 as usize];
            *held = either(*held, share * commit.share());
        }
    }
    cited
}

/// What past commits say of a function.
pub(super) struct FunctionHistory {
    /// As [`votes_for_files`], with the functions that a commit touched instead of files.
    pub votes: f32,
    /// As [`cited_files`], likewise.
    pub cited: f32,
    /// Commits that touched it.
    pub changes: usize,
    /// See [`messages`].
    pub messages: f32,
}

/// What past commits say of the functions `ids`, in their order.
pub(super) fn of_functions(
    snapshot: &Snapshot,
    ids: &[DefId],
    evidence: &Evidence,
    config: &LexicalConfig,
) -> Vec<FunctionHistory> {
    let files = &snapshot.files;
    let commits = snapshot.lexical.commits();
    let of = Votes::new(snapshot, evidence);
    let find = |id: &DefId| commits.function(files.file_of(*id), files.name_hash(*id));
    let touched: Vec<Option<FunctionId>> = ids.iter().map(find).collect();
    let messages = messages(commits, &touched, evidence, config);
    let functions = touched.into_iter().zip(messages);
    functions
        .map(|(function, messages)| FunctionHistory {
            votes: function.map_or(0.0, |f| of.votes[f.position()]),
            cited: function
                .and_then(|f| of.cited.get(&f).copied())
                .unwrap_or(0.0),
            changes: function.map_or(0, |f| commits.touching(f).len()),
            messages,
        })
        .collect()
}

/// What commits give to functions, whichever.
struct Votes {
    votes: Vec<f32>,
    /// Few queries cite any commit.
    cited: HashMap<FunctionId, f32>,
}

impl Votes {
    fn new(snapshot: &Snapshot, evidence: &Evidence) -> Self {
        let functions = snapshot.lexical.commits().function_count();
        let mut of = Self {
            votes: vec![0.0; functions],
            cited: HashMap::default(),
        };
        for (commit, score) in evidence.nearest_commits(snapshot) {
            for function in commit.functions() {
                of.votes[function.position()] += score * commit.function_share();
            }
        }
        for (commit, strength) in evidence.cited_commits(snapshot) {
            for function in commit.functions() {
                let held = of.cited.entry(function).or_default();
                *held = either(*held, strength * commit.function_share());
            }
        }
        of
    }
}

fn either(a: f32, b: f32) -> f32 {
    1.0 - (1.0 - a) * (1.0 - b)
}

/// The functions that commits touched, by commit, as positions in some list.
struct ByCommit {
    /// Where the functions of a commit start; one more than there are commits.
    starts: Vec<u32>,
    functions: Vec<u32>,
}

impl ByCommit {
    /// A counting sort, since there are tens of thousands.
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
        // Each is put before those that are there: what was the end of a commit becomes its start.
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

    fn has_any(&self, commit: u32) -> bool {
        let at = commit as usize;
        self.starts[at] != self.starts[at + 1]
    }

    fn of(&self, commit: u32) -> &[u32] {
        let at = commit as usize;
        &self.functions[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

/// BM25 of the query over the messages of the commits that touched each function, a commit's terms
/// weighted by `1 / sqrt(functions)`; lengths are compared among the functions given. `touched`:
/// those of them that commits touched.
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
    // Whether a commit counts, or a function is new, cannot be foretold, and a wrong guess costs more
    // than a write: each is written, and written over where it was not counted. Hence room for one more.
    let mut found = vec![0u32; touched.len() + 1];
    let mut heard = vec![(0u32, 0u16); commits.positions() + 1];
    for (term, idf) in evidence.query.iter().zip(&evidence.hits.commit_idf) {
        let weight = term.file * idf;
        let postings = commits.postings(&term.term);
        let mut count = 0;
        for posting in postings {
            heard[count] = *posting;
            count += usize::from(by_commit.has_any(posting.0));
        }
        let mut met = 0;
        // Who touched a function that is there is seen.
        for (commit, tf) in &heard[..count] {
            let tf = f32::from(*tf) * commits.at(*commit).function_share();
            for function in by_commit.of(*commit) {
                let sum = &mut sums[*function as usize];
                found[met] = *function;
                met += usize::from(*sum == 0.0);
                *sum += tf;
            }
        }
        for function in &found[..met] {
            let at = *function as usize;
            let tf = std::mem::take(&mut sums[at]) * norms[at];
            scores[at] += weight * tf * (config.commit_k1 + 1.0) / (config.commit_k1 + tf);
        }
    }
    scores
}

/// `1 / (1 - b + b · length / mean length)`, the mean over the functions that have any message.
fn norms(commits: &Commits, touched: &[Option<FunctionId>], b: f32) -> Vec<f32> {
    let length =
        |function: &Option<FunctionId>| function.map_or(0.0, |f| commits.messages_length(f));
    let lengths: Vec<f32> = touched.iter().map(length).collect();
    let with_any = lengths.iter().filter(|length| **length > 0.0).count();
    let mean = lengths.iter().sum::<f32>() / with_any.max(1) as f32;
    let norm = |length: f32| 1.0 / (1.0 - b + b * length / mean.max(1.0));
    lengths.into_iter().map(norm).collect()
}

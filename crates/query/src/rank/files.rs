//! The ranking of files.

use foveate_index::{FileId, Snapshot};

use super::ranked::RankedFile;
use super::weights::{FileSignals, RankConfig};
use super::{Evidence, MOST_RANKED, explained, normalize};

/// Ranks all files that have any evidence.
pub(super) fn rank(
    snapshot: &Snapshot,
    evidence: &Evidence,
    config: &RankConfig,
) -> Vec<RankedFile> {
    let signals = signals(snapshot, evidence, config);
    let mut scored: Vec<(f32, FileId)> = snapshot
        .files
        .ids()
        .filter_map(|id| {
            let sum = signals[id.0 as usize].score(&config.file);
            let factor = config.role.factor(snapshot.files.file(id).role);
            (sum > 0.0).then_some((sum * factor, id))
        })
        .collect();
    // Ids are in path order, so that equal scores are ordered by path.
    scored.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    scored.truncate(MOST_RANKED);
    scored
        .into_iter()
        .map(|(score, id)| {
            let file = snapshot.files.file(id);
            let reasons = signals[id.0 as usize].explain(&config.file);
            RankedFile {
                id,
                path: file.path.as_str().to_owned(),
                role: file.role,
                score,
                signals: explained(score, reasons),
            }
        })
        .collect()
}

/// The signals of every file, by file; each between 0 and 1.
fn signals(snapshot: &Snapshot, evidence: &Evidence, config: &RankConfig) -> Vec<FileSignals> {
    let files = &snapshot.files;
    let mut lexical = evidence.hits.files.clone();
    normalize(&mut lexical);
    let mut chunks = chunk_scores(snapshot, evidence, config);
    normalize(&mut chunks);
    let mut commits = commit_votes(snapshot, evidence);
    normalize(&mut commits);
    let mut signals: Vec<FileSignals> = lexical
        .into_iter()
        .zip(chunks)
        .zip(commits)
        .map(|((lexical, chunks), commits)| FileSignals {
            lexical,
            chunks,
            commits,
            ..FileSignals::default()
        })
        .collect();
    let mut absent: Vec<f32> = vec![1.0; files.len()];
    for (definition, strength) in &evidence.definitions {
        let file = files.file_of(*definition).0 as usize;
        signals[file].mention = signals[file].mention.max(*strength);
        absent[file] *= 1.0 - strength;
    }
    for (signal, absent) in signals.iter_mut().zip(absent) {
        signal.mentions = 1.0 - absent;
    }
    for (file, strength) in &evidence.places {
        signals[file.0 as usize].place = *strength;
    }
    for (file, strength) in &evidence.imports {
        signals[file.0 as usize].import = *strength;
    }
    for (place, share) in &evidence.messages {
        let signal = &mut signals[place.file.0 as usize];
        signal.message = signal.message.max(*share);
    }
    signals
}

/// Per file its best chunk and a share of the next two.
fn chunk_scores(snapshot: &Snapshot, evidence: &Evidence, config: &RankConfig) -> Vec<f32> {
    let mut best = vec![[0.0f32; 3]; snapshot.files.len()];
    for file in snapshot.files.ids() {
        let top = &mut best[file.0 as usize];
        for chunk in snapshot.files.chunks_of(file) {
            let mut score = evidence.hits.chunks[chunk.0 as usize];
            for place in top.iter_mut() {
                if score > *place {
                    std::mem::swap(&mut score, place);
                }
            }
        }
    }
    let [second, third] = config.more_chunks;
    best.iter()
        .map(|[a, b, c]| a + second * b + third * c)
        .collect()
}

/// Per file the votes of the nearest commits: each gives `score / best score / sqrt(files)`.
fn commit_votes(snapshot: &Snapshot, evidence: &Evidence) -> Vec<f32> {
    let mut votes = vec![0.0; snapshot.files.len()];
    let best = evidence.hits.commits.first().map_or(1.0, |(_, s)| *s);
    for (commit, score) in &evidence.hits.commits {
        let (files, share) = snapshot.lexical.commit_files(*commit);
        for file in files {
            votes[file.0 as usize] += score / best * share;
        }
    }
    votes
}

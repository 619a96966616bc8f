//! Ranks files: each kind of evidence proposes candidates, and all evidence scores each candidate.

use std::collections::BTreeMap;

use foldhash::HashMap;
use foveate_index::{FileId, Snapshot, top_k};
use foveate_model::Role;

use super::evidence::Evidence;
use super::probability::Probabilities;
use super::ranked::RankedFile;
use super::weights::{FileSignals, RankConfig};
use super::{best_ranked, history, logarithmic, normalize};

/// Logarithms of the size in bytes and of the number of importers at which the signals reach 1: the size of the
/// largest file that is read, and three thousand importers.
const LARGEST_FILE: f32 = 14.0;
const MAX_IMPORTERS: f32 = 8.0;

/// Ranks the files that have any evidence. The first `listed` carry their signals.
pub(super) fn rank(
    snapshot: &Snapshot,
    evidence: &Evidence,
    config: &RankConfig,
    listed: usize,
) -> Vec<RankedFile> {
    let files = &snapshot.files;
    let signals = signals(snapshot, evidence, config);
    let scored = signals.iter().map(|(id, signals)| {
        let sum = signals.score(&config.file);
        let role = files.file(*id).role;
        evidence.adjustments.score(files, *id, role, sum)
    });
    // Candidates are in path order, so that equal scores are ordered by path.
    let best = best_ranked((0..).zip(scored).collect());
    let probabilities = Probabilities::new(&best, config.calibration.file);
    best.into_iter()
        .enumerate()
        .map(|(rank, (position, score))| {
            let (id, signals) = &signals[position as usize];
            let reasons = (rank < listed).then(|| signals.explain(&config.file));
            let explained = |reasons| {
                let role = files.file(*id).role;
                evidence
                    .adjustments
                    .explain(files, *id, role, score, reasons)
            };
            RankedFile {
                id: *id,
                score,
                probability: probabilities.of(score),
                signals: reasons.map_or_else(Vec::new, explained),
            }
        })
        .collect()
}

/// Returns the candidates with their signals, in path order.
pub(super) fn signals(
    snapshot: &Snapshot,
    evidence: &Evidence,
    config: &RankConfig,
) -> Vec<(FileId, FileSignals)> {
    let dense = DenseSignals::new(snapshot, evidence, config);
    let neighbours =
        ImportNeighbours::new(snapshot, &dense, &evidence.focus, config.max_import_seeds);
    let candidates = dense.candidates(evidence, &neighbours, config.max_candidates_per_signal);
    let positions: HashMap<FileId, usize> = candidates.iter().copied().zip(0..).collect();
    // Files of one directory are contiguous, so that its share is computed once.
    let mut last: (&[u64], f32) = (&[], 0.0);
    let mut signals: Vec<(FileId, FileSignals)> = candidates
        .into_iter()
        .map(|id| {
            let directory = &*snapshot.files.path_terms(id).directory;
            if last.0 != directory {
                last = (directory, evidence.share(directory).known);
            }
            let of_file = FileSignals {
                directory: last.1,
                ..dense.signals(snapshot, evidence, &neighbours, id)
            };
            (id, of_file)
        })
        .collect();
    let mut update = |file: FileId, set: &mut dyn FnMut(&mut FileSignals)| {
        if let Some((_, signals)) = positions.get(&file).and_then(|at| signals.get_mut(*at)) {
            set(signals);
        }
    };
    let mut absent: BTreeMap<FileId, f32> = BTreeMap::new();
    for (definition, strength) in &evidence.definitions {
        let file = definition.file;
        *absent.entry(file).or_insert(1.0) *= 1.0 - strength;
        update(file, &mut |s| s.mention = s.mention.max(*strength));
    }
    for (file, absent) in absent {
        update(file, &mut |s| s.mentions = 1.0 - absent);
    }
    for (file, strength) in &evidence.named_files {
        update(*file, &mut |s| s.place = *strength);
    }
    for (file, strength) in &evidence.imports {
        update(*file, &mut |s| s.import = *strength);
    }
    for (place, share) in &evidence.messages {
        update(place.file, &mut |s| s.message = s.message.max(*share));
    }
    for (_, signals) in &mut signals {
        signals.interactions = config.interactions.value(&signals.array());
    }
    signals
}

/// Signals of every file, indexed by file, each between 0 and 1.
#[derive(Default)]
struct DenseSignals {
    lexical: Vec<f32>,
    title: Vec<f32>,
    code: Vec<f32>,
    names: Vec<f32>,
    history: Vec<f32>,
    coverage: Vec<f32>,
    chunks: Vec<f32>,
    chunk_title: Vec<f32>,
    chunk_coverage: Vec<f32>,
    commits: Vec<f32>,
    cited: Vec<f32>,
}

impl DenseSignals {
    fn new(snapshot: &Snapshot, evidence: &Evidence, config: &RankConfig) -> Self {
        let files = &evidence.hits.files;
        let of = |value: fn(&foveate_index::lexical::FileHit) -> f32| {
            normalized(files.iter().map(value).collect())
        };
        let (chunks, of_files) = rayon::join(
            || ChunkScores::new(snapshot, evidence, config),
            || Self {
                lexical: of(|hit| hit.score),
                title: of(|hit| hit.title),
                code: of(|hit| hit.code),
                names: of(|hit| hit.names),
                history: of(|hit| hit.history),
                coverage: of(|hit| hit.coverage),
                commits: normalized(history::votes_for_files(snapshot, evidence)),
                cited: history::cited_files(snapshot, evidence),
                ..Self::default()
            },
        );
        Self {
            chunks: normalized(chunks.score),
            chunk_title: normalized(chunks.title),
            chunk_coverage: normalized(chunks.coverage),
            ..of_files
        }
    }

    /// Returns the mean of the scores of the file and of its chunks.
    fn words(&self, file: FileId) -> f32 {
        let at = file.0 as usize;
        (self.lexical[at] + self.chunks[at]) / 2.0
    }

    /// Returns every file that is among the best `limit` of some kind of evidence, in path order.
    fn candidates(
        &self,
        evidence: &Evidence,
        neighbours: &ImportNeighbours,
        limit: usize,
    ) -> Vec<FileId> {
        let mut chosen: Vec<FileId> = Vec::new();
        for signal in [
            &self.lexical, &self.title, &self.code, &self.names, &self.history, &self.chunks,
            &self.chunk_title, &self.commits, &self.cited,
        ] {
            chosen.extend(best(signal, limit));
        }
        chosen.extend(evidence.named_files.iter().map(|(file, _)| *file));
        chosen.extend(evidence.imports.iter().map(|(file, _)| *file));
        chosen.extend(evidence.messages.iter().map(|(place, _)| place.file));
        // A file that everything imports has thousands of importers, and a repository may have thousands of manifests, most
        // without any word of the query, so the words decide between them.
        let described = evidence.adjustments.described();
        for files in [&neighbours.imports, &neighbours.importers, described] {
            let mut values = vec![0.0; self.lexical.len()];
            for (file, score) in files {
                values[file.0 as usize] = score + self.words(*file);
            }
            chosen.extend(best(&values, limit));
        }
        chosen.extend(evidence.definitions.iter().map(|(id, _)| id.file));
        chosen.sort_unstable();
        chosen.dedup();
        chosen
    }

    fn signals(
        &self,
        snapshot: &Snapshot,
        evidence: &Evidence,
        neighbours: &ImportNeighbours,
        file: FileId,
    ) -> FileSignals {
        let at = file.0 as usize;
        let name = evidence.share(&snapshot.files.path_terms(file).name);
        FileSignals {
            lexical: self.lexical[at],
            title: self.title[at],
            code: self.code[at],
            names: self.names[at],
            history: self.history[at],
            coverage: self.coverage[at],
            chunks: self.chunks[at],
            chunk_title: self.chunk_title[at],
            chunk_coverage: self.chunk_coverage[at],
            commits: self.commits[at],
            cited: self.cited[at],
            stem: name.known,
            stem_title: name.prominent,
            imports: neighbours.imports.get(&file).copied().unwrap_or(0.0),
            importers: neighbours.importers.get(&file).copied().unwrap_or(0.0),
            lines: logarithmic(snapshot.files.text_bytes(file), LARGEST_FILE),
            fan_in: logarithmic(snapshot.graph.importers(file).len(), MAX_IMPORTERS),
            ..FileSignals::default()
        }
    }
}

/// Files that import, or are imported by, a good file: one of the best files or of the caller's focus. Each has the
/// highest score among the good files that it is linked to.
struct ImportNeighbours {
    /// Files that import a good file.
    imports: HashMap<FileId, f32>,
    /// Files that a good file imports.
    importers: HashMap<FileId, f32>,
}

impl ImportNeighbours {
    fn new(
        snapshot: &Snapshot,
        dense: &DenseSignals,
        focus: &[(FileId, f32)],
        limit: usize,
    ) -> Self {
        let mut neighbours = Self {
            imports: HashMap::default(),
            importers: HashMap::default(),
        };
        let words: Vec<f32> = snapshot
            .files
            .ids()
            .map(|file| match snapshot.files.file(file).role {
                Role::Source => dense.words(file),
                _ => 0.0,
            })
            .collect();
        let raise = |of: &mut HashMap<FileId, f32>, file: FileId, score: f32| {
            let current = of.entry(file).or_default();
            *current = current.max(score);
        };
        let best = best(&words, limit).map(|file| (file, words[file.0 as usize]));
        for (file, score) in best.chain(focus.iter().copied()) {
            for imported in snapshot.graph.imports(file) {
                raise(&mut neighbours.importers, *imported, score);
            }
            for importer in snapshot.graph.importers(file) {
                raise(&mut neighbours.imports, *importer, score);
            }
        }
        neighbours
    }
}

/// Scores of the chunks, indexed by file.
struct ChunkScores {
    /// Score of the best chunk, plus a share of those of the next two.
    score: Vec<f32>,
    title: Vec<f32>,
    coverage: Vec<f32>,
}

impl ChunkScores {
    fn new(snapshot: &Snapshot, evidence: &Evidence, config: &RankConfig) -> Self {
        let files = snapshot.files.len();
        let mut all = Self {
            score: Vec::with_capacity(files),
            title: Vec::with_capacity(files),
            coverage: Vec::with_capacity(files),
        };
        let [share_second, share_third] = config.more_chunks;
        for file in snapshot.files.ids() {
            let range = snapshot.files.chunk_range(file);
            let mut best = [0.0f32; 3];
            let (mut title, mut coverage) = (0.0f32, 0.0f32);
            for hit in &evidence.hits.chunks[range] {
                let mut score = hit.score;
                for place in &mut best {
                    if score > *place {
                        std::mem::swap(&mut score, place);
                    }
                }
                title = title.max(hit.title);
                coverage = coverage.max(hit.coverage);
            }
            let [first, second, third] = best;
            all.score
                .push(first + share_second * second + share_third * third);
            all.title.push(title);
            all.coverage.push(coverage);
        }
        all
    }
}

/// Returns up to `limit` files with the highest positive values, in unspecified order; of equal ones the first by path.
fn best(values: &[f32], limit: usize) -> impl Iterator<Item = FileId> + use<> {
    let highest = top_k::top_k(values, limit).into_iter();
    highest.map(|(file, _)| FileId(file))
}

fn normalized(mut values: Vec<f32>) -> Vec<f32> {
    normalize(&mut values);
    values
}

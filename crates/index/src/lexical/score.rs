//! BM25F over chunks and files, term at a time.
//!
//! For a term t and a document d: `tf = Σ_f w_f · tf_f / (1 - b_f + b_f · len_f / avglen_f)`,
//! `score += weight_t · idf_t · tf · (k1 + 1) / (k1 + tf)`, `idf = ln(1 + (N - df + ½) / (df + ½))`
//! (Robertson, Zaragoza: "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, §3.6).
//! A file's field frequencies are the sums over its chunks; the messages of the commits that
//! touched it are one more field.

use std::sync::Arc;

use crate::files::FileId;
use crate::top;

use super::commits::Commits;
use super::impacts::{ChunkImpact, Impacts, Norms, Scoring, norm, saturated};
use super::term_scores::{FileTermScore, TermScoreCache, TermScores};
use super::weights::LexicalWeights;
use super::{Lexical, LexicalError, NO_CHUNK, Part};

/// A term of the query with its weights; terms must be distinct.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryTerm {
    /// As [`crate::tokens::for_each_term`] gives it.
    pub term: String,
    /// Weight for files.
    pub file: f32,
    /// Weight for chunks.
    pub chunk: f32,
    /// The part of either that is due to the title of the query: its weight there.
    pub title: f32,
    /// Its weight in what the query holds of code.
    pub code: f32,
}

/// BM25F scores of a file; 0 where it shares no term with the query.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FileHit {
    /// All terms in all fields, by [`QueryTerm::file`].
    pub score: f32,
    /// The same by [`QueryTerm::title`].
    pub title: f32,
    /// The same by [`QueryTerm::code`].
    pub code: f32,
    /// All terms in the names of the definitions alone.
    pub names: f32,
    /// All terms in the messages of the commits that touched the file alone.
    pub history: f32,
    /// Sum of weight and idf of the terms that the file has, however often.
    pub coverage: f32,
}

/// BM25F scores of a chunk; 0 where it shares no term with the query.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ChunkHit {
    /// All terms, by [`QueryTerm::chunk`].
    pub score: f32,
    /// By [`QueryTerm::title`].
    pub title: f32,
    /// Sum of weight and idf of the terms that the chunk has, however often.
    pub coverage: f32,
}

/// What a query finds.
#[derive(Clone, Debug, PartialEq)]
pub struct Hits {
    /// By file.
    pub files: Vec<FileHit>,
    /// By chunk.
    pub chunks: Vec<ChunkHit>,
    /// The nearest commits by position in the history (newest first) with their score, best first.
    pub commits: Vec<(u32, f32)>,
    /// Inverse document frequency over files, by term of the query.
    pub idf: Vec<f32>,
    /// The same over commits.
    pub commit_idf: Vec<f32>,
}

/// What all searches with the same weights share.
#[derive(Debug)]
pub(super) struct Prepared {
    scoring: Scoring,
    /// Length norms of the history field, by file.
    history: Vec<f32>,
    /// Length norms of messages by position of the commit; 0 where it is not seen.
    commits: Vec<f32>,
    cache: TermScoreCache,
}

impl Prepared {
    /// Estimated bytes of what searches have left behind for the next ones.
    pub fn remembered_bytes(&self) -> usize {
        self.cache.heap_bytes()
    }
}

/// So many terms of a query are searched however late it is.
pub const ALWAYS_SEARCHED: usize = 32;

/// The frequencies of one term in a file.
#[derive(Clone, Copy, Default)]
struct FileFrequency {
    all: f32,
    names: f32,
    history: f32,
    /// Whether any of them was added to.
    touched: bool,
}

/// The frequencies of one term by file, cleared at the cost of what was touched.
struct OfFiles {
    values: Vec<FileFrequency>,
    touched: Vec<FileId>,
}

impl OfFiles {
    fn new(files: usize) -> Self {
        Self {
            values: vec![FileFrequency::default(); files],
            touched: Vec::new(),
        }
    }

    fn of(&mut self, file: FileId) -> &mut FileFrequency {
        let frequency = &mut self.values[file.0 as usize];
        if !frequency.touched {
            frequency.touched = true;
            self.touched.push(file);
        }
        frequency
    }

    fn drain(&mut self) -> impl Iterator<Item = (FileId, FileFrequency)> {
        let values = &mut self.values;
        let touched = self.touched.drain(..);
        touched.map(|file| (file, std::mem::take(&mut values[file.0 as usize])))
    }
}

/// The rarity of a term: `ln(1 + (N - df + ½) / (df + ½))`.
pub fn idf(documents: usize, with_term: usize) -> f32 {
    let (n, df) = (documents as f32, with_term as f32);
    (1.0 + (n - df + 0.5).max(0.0) / (df + 0.5)).ln()
}

impl Lexical {
    /// What a query without terms finds: nothing, at every file and chunk.
    pub fn no_hits(&self) -> Hits {
        Hits {
            files: vec![FileHit::default(); self.files],
            chunks: vec![ChunkHit::default(); self.chunks],
            commits: Vec::new(),
            idf: Vec::new(),
            commit_idf: Vec::new(),
        }
    }

    /// Scores all files, chunks and commits that share a term with the query. `has_time` is asked
    /// before each term, the weightiest first: from where it says no, terms count for nothing, but
    /// for the first [`ALWAYS_SEARCHED`].
    ///
    /// # Errors
    /// When a posting list cannot be read.
    pub fn search(
        &self,
        terms: &[QueryTerm],
        weights: &LexicalWeights,
        has_time: &dyn Fn() -> bool,
    ) -> Result<Hits, LexicalError> {
        let own;
        let prepared = match self.prepared.get_or_init(|| self.prepare(weights)) {
            known if known.scoring.weights == *weights => known,
            _ => {
                own = self.prepare(weights);
                &own
            }
        };
        let term_scores = self.scores_of_terms(terms, prepared, has_time)?;
        let commit_idf: Vec<f32> = term_scores
            .iter()
            .map(|of_term| of_term.idf_commits)
            .collect();
        let (chunks, (files, commits)) = rayon::join(
            || self.chunk_hits(terms, &term_scores, &prepared.scoring),
            || {
                let files = self.file_hits(terms, &term_scores);
                (files, self.nearest_commits(terms, &commit_idf, prepared))
            },
        );
        Ok(Hits {
            files,
            chunks: chunks?,
            commits,
            idf: term_scores
                .iter()
                .map(|of_term| of_term.idf_files)
                .collect(),
            commit_idf,
        })
    }

    /// What each term gives.
    fn scores_of_terms(
        &self,
        terms: &[QueryTerm],
        prepared: &Prepared,
        has_time: &dyn Fn() -> bool,
    ) -> Result<Vec<Arc<TermScores>>, LexicalError> {
        let mut by_weight: Vec<(usize, &QueryTerm)> = terms.iter().enumerate().collect();
        by_weight.sort_by(|a, b| b.1.file.total_cmp(&a.1.file).then(a.0.cmp(&b.0)));
        let none = Arc::new(TermScores::default());
        let mut scores: Vec<Arc<TermScores>> = terms.iter().map(|_| Arc::clone(&none)).collect();
        let mut room = None;
        for (rank, (at, term)) in by_weight.into_iter().enumerate() {
            if rank >= ALWAYS_SEARCHED && !has_time() {
                break;
            }
            scores[at] = prepared.cache.get(&term.term, || {
                let files = room.get_or_insert_with(|| OfFiles::new(self.files));
                self.term_scores(&term.term, prepared, files)
            })?;
        }
        Ok(scores)
    }

    fn chunk_hits(
        &self,
        terms: &[QueryTerm],
        term_scores: &[Arc<TermScores>],
        scoring: &Scoring,
    ) -> Result<Vec<ChunkHit>, LexicalError> {
        let mut hits = vec![ChunkHit::default(); self.chunks];
        for (term, term_scores) in terms.iter().zip(term_scores) {
            for part in term_scores
                .parts
                .iter()
                .map(|part| &self.parts[*part as usize])
            {
                if let Some(impacts) = part.segment.impacts(&term.term, scoring)? {
                    part.add_chunks(term, term_scores.idf_chunks, &impacts, &mut hits);
                }
            }
        }
        Ok(hits)
    }

    fn file_hits(&self, terms: &[QueryTerm], term_scores: &[Arc<TermScores>]) -> Vec<FileHit> {
        let mut hits = vec![FileHit::default(); self.files];
        for (term, term_scores) in terms.iter().zip(term_scores) {
            for of_term in &term_scores.files {
                let hit = &mut hits[of_term.file.0 as usize];
                hit.score += term.file * of_term.all;
                hit.title += term.title * of_term.all;
                hit.code += term.code * of_term.all;
                hit.names += term.file * of_term.names;
                hit.history += term.file * of_term.history;
                hit.coverage += term.file * term_scores.idf_files;
            }
        }
        hits
    }

    /// Puts together what a term gives; `files` is empty before and after.
    fn term_scores(
        &self,
        term: &str,
        prepared: &Prepared,
        files: &mut OfFiles,
    ) -> Result<TermScores, LexicalError> {
        let mut parts = Vec::new();
        let mut chunks = 0;
        for (position, part) in (0..).zip(&self.parts) {
            if let Some(impacts) = part.segment.impacts(term, &prepared.scoring)? {
                chunks += part.live_chunks(&impacts);
                part.add_files(&impacts, files);
                parts.push(position);
            }
        }
        self.add_history(term, prepared, files);
        let idf_files = idf(self.indexed_files, files.touched.len());
        let of = |tf| idf_files * saturated(tf, prepared.scoring.weights.file.k1);
        let to_file = |(file, tf): (FileId, FileFrequency)| FileTermScore {
            file,
            all: of(tf.all),
            names: of(tf.names),
            history: of(tf.history),
        };
        let commits = self.commits.postings(term).iter();
        let seen = commits.filter(|(number, _)| prepared.commits[*number as usize] > 0.0);
        Ok(TermScores {
            parts: parts.into(),
            idf_files,
            idf_chunks: idf(self.chunks, chunks),
            idf_commits: idf(self.commits.len(), seen.count()),
            files: files.drain().map(to_file).collect(),
        })
    }

    fn prepare(&self, weights: &LexicalWeights) -> Prepared {
        let commits = &*self.commits;
        let mean_history = commits.total_file_length / self.indexed_files.max(1) as f32;
        let history = commits.file_lengths.iter();
        let mean_commit = commits.total_length as f32 / commits.len().max(1) as f32;
        let of_lengths = Norms::new(weights.commit_b, mean_commit);
        let of_commit = |position: u32| match commits.sees(position) {
            true => of_lengths.of(commits.at(position).length()),
            false => 0.0,
        };
        Prepared {
            scoring: Scoring::new(
                weights.clone(),
                &self.totals,
                self.indexed_files,
                self.chunks,
            ),
            history: history
                .map(|length| norm(weights.history_b, *length, mean_history))
                .collect(),
            commits: (0..commits.positions() as u32).map(of_commit).collect(),
            cache: TermScoreCache::new(self.files),
        }
    }

    fn add_history(&self, term: &str, prepared: &Prepared, files: &mut OfFiles) {
        let weight = prepared.scoring.weights.history;
        if weight == 0.0 {
            return;
        }
        for (file, tf) in self.commits.of_term(term).iter().flat_map(|of| &**of) {
            let tf = weight * tf * prepared.history[file.0 as usize];
            let of_file = files.of(*file);
            of_file.all += tf;
            of_file.history += tf;
        }
    }

    /// The nearest commits; `rarities` are those of the terms among all commits.
    fn nearest_commits(
        &self,
        terms: &[QueryTerm],
        rarities: &[f32],
        prepared: &Prepared,
    ) -> Vec<(u32, f32)> {
        let weights = &prepared.scoring.weights;
        let mut scores = vec![0.0; self.commits.positions()];
        for (term, rarity) in terms.iter().zip(rarities) {
            let weight = term.file * rarity;
            // There was no time for the term.
            if *rarity == 0.0 {
                continue;
            }
            for (number, tf) in self.commits.postings(&term.term) {
                let tf = f32::from(*tf) * prepared.commits[*number as usize];
                scores[*number as usize] +=
                    weight * tf * (weights.commit_k1 + 1.0) / (weights.commit_k1 + tf);
            }
        }
        let mut nearest = top::highest(&scores, weights.nearest_commits);
        nearest.sort_unstable_by(top::best_first);
        nearest
    }

    /// The index of past commits.
    pub fn commits(&self) -> &Commits {
        &self.commits
    }
}

impl Part {
    /// How many chunks of the snapshot have the term.
    fn live_chunks(&self, impacts: &Impacts) -> usize {
        if self.is_whole {
            return impacts.chunks.len();
        }
        let live = |impact: &&ChunkImpact| self.chunks[impact.document as usize] != NO_CHUNK;
        impacts.chunks.iter().filter(live).count()
    }

    fn add_chunks(&self, term: &QueryTerm, idf: f32, impacts: &Impacts, hits: &mut [ChunkHit]) {
        for impact in &impacts.chunks {
            let chunk = self.chunks[impact.document as usize];
            // A dead chunk has no place among the hits.
            let Some(hit) = hits.get_mut(chunk as usize) else {
                continue;
            };
            let score = idf * impact.score;
            hit.score += term.chunk * score;
            hit.title += term.title * score;
            hit.coverage += term.chunk * idf;
        }
    }

    fn add_files(&self, impacts: &Impacts, files: &mut OfFiles) {
        for impact in &impacts.files {
            if let Some(file) = self.files[impact.file as usize] {
                let of_file = files.of(file);
                of_file.all += impact.all;
                of_file.names += impact.names;
            }
        }
    }
}

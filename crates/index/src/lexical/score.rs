//! Scores chunks and files with BM25F, term at a time.
//!
//! For a term t and a document d: `tf = Σ_f w_f · tf_f / (1 - b_f + b_f · len_f / avglen_f)`,
//! `score += weight_t · idf_t · tf · (k1 + 1) / (k1 + tf)`, `idf = ln(1 + (N - df + ½) / (df + ½))`
//! (Robertson, Zaragoza: "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, §3.6).
//! A file's field frequencies are the sums over its chunks; the messages of the commits that
//! touched it are one more field.

use std::sync::Arc;

use crate::files::FileId;
use crate::top_k;

use super::commits::Commits;
use super::impacts::{ChunkImpact, Impacts, Norm, Scoring, saturated};
use super::term_cache::{ANY, TermCache};
use super::term_scores::{FileTermScore, TermScores};
use super::weights::LexicalWeights;
use super::{Lexical, LexicalError, LiveSegment, NO_CHUNK};

/// A term of the query with its weights; terms must be distinct.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryTerm {
    /// A term as [`crate::tokens::for_each_term`] emits it.
    pub term: String,
    /// Weight for files.
    pub file: f32,
    /// Weight for chunks.
    pub chunk: f32,
    /// Its weight in the query's title, a part of the other weights.
    pub title: f32,
    /// Its weight in the query's code.
    pub code: f32,
}

/// BM25F scores of a file; 0 if it shares no term with the query.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FileHit {
    /// Score of all terms in all fields, weighted by [`QueryTerm::file`].
    pub score: f32,
    /// The same, weighted by [`QueryTerm::title`].
    pub title: f32,
    /// The same, weighted by [`QueryTerm::code`].
    pub code: f32,
    /// Score of all terms in the names of definitions alone.
    pub names: f32,
    /// Score of all terms in the messages of commits that touched the file.
    pub history: f32,
    /// Sum of weight · idf over the terms that the file contains, regardless of their frequency.
    pub coverage: f32,
}

/// BM25F scores of a chunk; 0 if it shares no term with the query.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ChunkHit {
    /// Score of all terms, weighted by [`QueryTerm::chunk`].
    pub score: f32,
    /// The same, weighted by [`QueryTerm::title`].
    pub title: f32,
    /// Sum of weight · idf over the terms that the chunk contains, regardless of their frequency.
    pub coverage: f32,
}

/// The scores of a query.
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
    /// Inverse document frequency over commits, by term of the query.
    pub commit_idf: Vec<f32>,
}

/// Data that all searches with the same weights share.
#[derive(Debug)]
pub(super) struct SharedScoring {
    scoring: Scoring,
    /// Length norms of the history field, by file.
    history: Vec<f32>,
    /// Length norms of messages by position of the commit; 0 if the commit is not visible.
    commits: Vec<f32>,
    cache: TermCache<TermScores>,
}

impl SharedScoring {
    /// Estimated heap size in bytes of the cached term scores.
    pub fn cache_bytes(&self) -> usize {
        self.cache.heap_bytes()
    }
}

/// Maximum size of the cached term scores in bytes per file of the snapshot.
const CACHE_BYTES_PER_FILE: usize = 2 << 10;

/// Number of terms of a query that are searched even when time has run out.
pub const MIN_SEARCHED_TERMS: usize = 32;

/// The frequencies of one term in a file.
#[derive(Clone, Copy, Default)]
struct FileFrequency {
    all: f32,
    names: f32,
    history: f32,
    /// Whether the entry was used since the last `drain`.
    touched: bool,
}

/// Accumulates the frequencies of one term by file. Clearing it costs time only for touched entries.
struct FileFrequencies {
    values: Vec<FileFrequency>,
    touched: Vec<FileId>,
}

impl FileFrequencies {
    fn new(files: usize) -> Self {
        Self {
            values: vec![FileFrequency::default(); files],
            touched: Vec::new(),
        }
    }

    fn entry(&mut self, file: FileId) -> &mut FileFrequency {
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

/// Returns the inverse document frequency of a term: `ln(1 + (N - df + ½) / (df + ½))`.
pub fn idf(documents: usize, with_term: usize) -> f32 {
    let (n, df) = (documents as f32, with_term as f32);
    (1.0 + (n - df + 0.5).max(0.0) / (df + 0.5)).ln()
}

impl Lexical {
    /// Returns the result of a query without terms: zero for every file and chunk.
    pub fn no_hits(&self) -> Hits {
        Hits {
            files: vec![FileHit::default(); self.files],
            chunks: vec![ChunkHit::default(); self.chunks],
            commits: Vec::new(),
            idf: Vec::new(),
            commit_idf: Vec::new(),
        }
    }

    /// Scores all files, chunks and commits that share a term with the query. `has_time` is called before
    /// each term, in order of decreasing weight. Once it returns false, the remaining terms count for
    /// nothing, except for the first [`MIN_SEARCHED_TERMS`].
    ///
    /// # Errors
    /// If a posting list cannot be read.
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

    fn scores_of_terms(
        &self,
        terms: &[QueryTerm],
        prepared: &SharedScoring,
        has_time: &dyn Fn() -> bool,
    ) -> Result<Vec<Arc<TermScores>>, LexicalError> {
        let mut by_weight: Vec<(usize, &QueryTerm)> = terms.iter().enumerate().collect();
        by_weight.sort_by(|a, b| b.1.file.total_cmp(&a.1.file).then(a.0.cmp(&b.0)));
        let none = Arc::new(TermScores::default());
        let mut scores: Vec<Arc<TermScores>> = terms.iter().map(|_| Arc::clone(&none)).collect();
        let mut frequencies = None;
        for (rank, (at, term)) in by_weight.into_iter().enumerate() {
            if rank >= MIN_SEARCHED_TERMS && !has_time() {
                break;
            }
            let compute = || {
                let files = frequencies.get_or_insert_with(|| FileFrequencies::new(self.files));
                let scores = self.term_scores(&term.term, prepared, files)?;
                let bytes = scores.heap_bytes() + size_of::<TermScores>();
                Ok::<_, LexicalError>(Some((Arc::new(scores), bytes)))
            };
            if let Some(known) = prepared.cache.get(ANY, &term.term, compute)? {
                scores[at] = known;
            }
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

    /// Computes the scores of a term; `files` is empty before and after.
    fn term_scores(
        &self,
        term: &str,
        prepared: &SharedScoring,
        files: &mut FileFrequencies,
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
        let score = |tf| idf_files * saturated(tf, prepared.scoring.weights.file.k1);
        let to_file = |(file, tf): (FileId, FileFrequency)| FileTermScore {
            file,
            all: score(tf.all),
            names: score(tf.names),
            history: score(tf.history),
        };
        let commits = self.commits.postings(term).iter();
        let visible = commits.filter(|(number, _)| prepared.commits[*number as usize] > 0.0);
        Ok(TermScores {
            parts: parts.into(),
            idf_files,
            idf_chunks: idf(self.chunks, chunks),
            idf_commits: idf(self.commits.len(), visible.count()),
            files: files.drain().map(to_file).collect(),
        })
    }

    fn prepare(&self, weights: &LexicalWeights) -> SharedScoring {
        let commits = &*self.commits;
        let of_history = Norm {
            b: weights.history_b,
            average: commits.total_file_length / self.indexed_files.max(1) as f32,
        };
        let history = commits.file_lengths.iter();
        let of_commit = Norm {
            b: weights.commit_b,
            average: commits.total_length as f32 / commits.len().max(1) as f32,
        };
        let commit_norm = |position: u32| match commits.is_visible(position) {
            true => of_commit.of(commits.at(position).length() as f32),
            false => 0.0,
        };
        SharedScoring {
            scoring: Scoring::new(
                weights.clone(),
                &self.totals,
                self.indexed_files,
                self.chunks,
            ),
            history: history.map(|length| of_history.of(*length)).collect(),
            commits: (0..commits.positions() as u32).map(commit_norm).collect(),
            cache: TermCache::new(self.files * CACHE_BYTES_PER_FILE),
        }
    }

    fn add_history(&self, term: &str, prepared: &SharedScoring, files: &mut FileFrequencies) {
        let weight = prepared.scoring.weights.history;
        if weight == 0.0 {
            return;
        }
        for (file, tf) in self.commits.file_frequencies(term) {
            let tf = weight * tf * prepared.history[file.0 as usize];
            let frequency = files.entry(file);
            frequency.all += tf;
            frequency.history += tf;
        }
    }

    /// Returns the nearest commits; `idf` are the inverse document frequencies of the terms over
    /// commits.
    fn nearest_commits(
        &self,
        terms: &[QueryTerm],
        idf: &[f32],
        prepared: &SharedScoring,
    ) -> Vec<(u32, f32)> {
        let weights = &prepared.scoring.weights;
        let mut scores = vec![0.0; self.commits.positions()];
        for (term, idf) in terms.iter().zip(idf) {
            let weight = term.file * idf;
            // The term was skipped because time had run out.
            if *idf == 0.0 {
                continue;
            }
            for (number, tf) in self.commits.postings(&term.term) {
                let tf = f32::from(*tf) * prepared.commits[*number as usize];
                scores[*number as usize] +=
                    weight * tf * (weights.commit_k1 + 1.0) / (weights.commit_k1 + tf);
            }
        }
        let mut nearest = top_k::top_k(&scores, weights.nearest_commits);
        nearest.sort_unstable_by(top_k::best_first);
        nearest
    }

    /// Returns the index of past commits.
    pub fn commits(&self) -> &Commits {
        &self.commits
    }
}

impl LiveSegment {
    /// Returns how many chunks of the snapshot contain the term.
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
            // A dead chunk has the number [`NO_CHUNK`], which is not in `hits`.
            let Some(hit) = hits.get_mut(chunk as usize) else {
                continue;
            };
            let score = idf * impact.score;
            hit.score += term.chunk * score;
            hit.title += term.title * score;
            hit.coverage += term.chunk * idf;
        }
    }

    fn add_files(&self, impacts: &Impacts, files: &mut FileFrequencies) {
        for impact in &impacts.files {
            if let Some(file) = self.files[impact.file as usize] {
                let frequency = files.entry(file);
                frequency.all += impact.all;
                frequency.names += impact.names;
            }
        }
    }
}

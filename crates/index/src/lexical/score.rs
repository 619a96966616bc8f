//! BM25F over chunks and files, term at a time.
//!
//! For a term t and a document d: `tf = Σ_f w_f · tf_f / (1 - b_f + b_f · len_f / avglen_f)`,
//! `score += weight_t · idf_t · tf · (k1 + 1) / (k1 + tf)`, `idf = ln(1 + (N - df + ½) / (df + ½))`
//! (Robertson, Zaragoza: "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, §3.6).
//! A file's field frequencies are the sums over its chunks; the messages of the commits that
//! touched it are one more field.

use crate::files::FileId;

use super::fields::{FIELDS, Field};
use super::segment::Document;
use super::{Lexical, LexicalError};

/// A term of the query with its weights; terms must be distinct.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryTerm {
    /// As [`crate::tokens::for_each_term`] gives it.
    pub term: String,
    /// Weight for files.
    pub file: f32,
    /// Weight for chunks.
    pub chunk: f32,
}

/// The parameters of one BM25F.
#[derive(Clone, Debug)]
pub struct Bm25 {
    /// Saturation.
    pub k1: f32,
    /// Weight per field, by [`Field`] number.
    pub weights: [f32; FIELDS],
    /// Length normalization per field, 0 to 1.
    pub b: [f32; FIELDS],
}

/// All parameters of lexical scoring.
#[derive(Clone, Debug)]
pub struct LexicalWeights {
    /// Over files.
    pub file: Bm25,
    /// Over chunks.
    pub chunk: Bm25,
    /// Weight of the commit messages as a field of files.
    pub history: f32,
    /// Its length normalization.
    pub history_b: f32,
    /// BM25 over commit messages: saturation.
    pub commit_k1: f32,
    /// BM25 over commit messages: length normalization.
    pub commit_b: f32,
    /// How many commits are returned.
    pub nearest_commits: usize,
}

/// Scores of everything that shares a term with the query; 0 elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct Hits {
    /// By file.
    pub files: Vec<f32>,
    /// By chunk.
    pub chunks: Vec<f32>,
    /// By chunk, without length normalization.
    pub chunks_unnormed: Vec<f32>,
    /// The nearest commits by position in the history (newest first) with their score, best first.
    pub commits: Vec<(u32, f32)>,
}

/// Sparse sums over a dense range, cleared at the cost of what was touched. Each place holds the
/// sum with length normalization and the one without.
struct Sums {
    values: Vec<[f32; 2]>,
    touched: Vec<u32>,
}

impl Sums {
    fn new(len: usize) -> Self {
        Self {
            values: vec![[0.0; 2]; len],
            touched: Vec::new(),
        }
    }

    fn add(&mut self, position: u32, tf: f32, norm: f32) {
        let [normed, plain] = &mut self.values[position as usize];
        if *plain == 0.0 {
            self.touched.push(position);
        }
        *normed += tf * norm;
        *plain += tf;
    }

    /// Calls `add` with every touched place and its saturated sums, and clears.
    fn drain(&mut self, k1: f32, mut add: impl FnMut(usize, f32, f32)) {
        let saturated = |tf: f32| tf * (k1 + 1.0) / (k1 + tf);
        for position in self.touched.drain(..) {
            let [normed, plain] = std::mem::take(&mut self.values[position as usize]);
            add(position as usize, saturated(normed), saturated(plain));
        }
    }
}

/// Length norms of one field: looked up for the lengths that nearly all documents have.
struct Norms {
    b: f32,
    average: f32,
    known: Vec<f32>,
}

impl Norms {
    const KNOWN: u32 = 1024;

    fn new(b: f32, average: f32) -> Self {
        Self {
            b,
            average,
            known: (0..Self::KNOWN)
                .map(|length| norm(b, length as f32, average))
                .collect(),
        }
    }

    fn of(&self, length: u32) -> f32 {
        match self.known.get(length as usize) {
            Some(norm) => *norm,
            None => norm(self.b, length as f32, self.average),
        }
    }
}

fn idf(documents: usize, with_term: usize) -> f32 {
    let (n, df) = (documents as f32, with_term as f32);
    (1.0 + (n - df + 0.5).max(0.0) / (df + 0.5)).ln()
}

/// `1 / (1 - b + b · length / average)`.
fn norm(b: f32, length: f32, average: f32) -> f32 {
    if average <= 0.0 {
        1.0
    } else {
        1.0 / (1.0 - b + b * length / average)
    }
}

/// One field's weights and norms for a query.
struct FieldScorer {
    field: Field,
    file: f32,
    chunk: f32,
    file_norms: Norms,
    chunk_norms: Norms,
}

/// The postings of one file in one field, which follow one another.
struct FileRun {
    /// Position in the segment.
    held: u32,
    /// In the snapshot, where it is part of it.
    file: Option<FileId>,
    norm: f32,
    first_chunk: u32,
    tf: f32,
}

impl Default for FileRun {
    fn default() -> Self {
        Self {
            held: u32::MAX,
            file: None,
            norm: 0.0,
            first_chunk: 0,
            tf: 0.0,
        }
    }
}

impl FileRun {
    fn start(held: u32, file: Option<FileId>, place: impl FnOnce(FileId) -> (f32, u32)) -> Self {
        let (norm, first_chunk) = file.map_or((0.0, 0), place);
        Self {
            held,
            file,
            norm,
            first_chunk,
            tf: 0.0,
        }
    }

    fn flush(&self, scorer: &FieldScorer, files: &mut Sums) {
        if let Some(file) = self.file
            && scorer.file > 0.0
        {
            files.add(file.0, scorer.file * self.tf, self.norm);
        }
    }
}

impl Lexical {
    /// What a query without terms finds: nothing, at every file and chunk.
    pub fn no_hits(&self) -> Hits {
        Hits {
            files: vec![0.0; self.first_chunk.len()],
            chunks: vec![0.0; self.chunks],
            chunks_unnormed: vec![0.0; self.chunks],
            commits: Vec::new(),
        }
    }

    /// Scores all files, chunks and commits that share a term with the query.
    ///
    /// # Errors
    /// When a posting list cannot be read.
    pub fn search(
        &self,
        terms: &[QueryTerm],
        weights: &LexicalWeights,
    ) -> Result<Hits, LexicalError> {
        let mut hits = self.no_hits();
        let mut files = Sums::new(hits.files.len());
        let mut chunks = Sums::new(self.chunks);
        let fields = self.fields(weights);
        let history_norms = self.history_norms(weights);
        for term in terms {
            for field in &fields {
                self.add_field(&term.term, field, &mut files, &mut chunks)?;
            }
            self.add_history(term, weights, &history_norms, &mut files);
            let weight = term.chunk * idf(self.chunks, chunks.touched.len());
            chunks.drain(weights.chunk.k1, |position, normed, plain| {
                hits.chunks[position] += weight * normed;
                hits.chunks_unnormed[position] += weight * plain;
            });
            let weight = term.file * idf(self.indexed_files, files.touched.len());
            files.drain(weights.file.k1, |position, normed, _| {
                hits.files[position] += weight * normed;
            });
        }
        hits.commits = self.search_commits(terms, weights);
        Ok(hits)
    }

    /// The fields that count for files or chunks.
    fn fields(&self, weights: &LexicalWeights) -> Vec<FieldScorer> {
        let average = |f: usize, documents: usize| self.totals[f] as f32 / documents.max(1) as f32;
        Field::ALL
            .into_iter()
            .map(|field| {
                let f = field as usize;
                FieldScorer {
                    field,
                    file: weights.file.weights[f],
                    chunk: weights.chunk.weights[f],
                    file_norms: Norms::new(weights.file.b[f], average(f, self.indexed_files)),
                    chunk_norms: Norms::new(weights.chunk.b[f], average(f, self.chunks)),
                }
            })
            .filter(|scorer| scorer.file > 0.0 || scorer.chunk > 0.0)
            .collect()
    }

    fn add_field(
        &self,
        term: &str,
        scorer: &FieldScorer,
        files: &mut Sums,
        chunks: &mut Sums,
    ) -> Result<(), LexicalError> {
        let f = scorer.field as usize;
        for part in &self.parts {
            let lengths = part.segment.lengths(scorer.field);
            // Documents come file by file, so a file is looked up and added to once.
            let mut run = FileRun::default();
            part.segment.postings(scorer.field, term, |number, tf| {
                let document = part.segment.documents[number as usize];
                if document.file != run.held {
                    run.flush(scorer, files);
                    run = FileRun::start(document.file, part.files[document.file as usize], |id| {
                        (
                            scorer.file_norms.of(self.file_lengths[id.0 as usize][f]),
                            self.first_chunk[id.0 as usize].0,
                        )
                    });
                }
                if run.file.is_none() {
                    return;
                }
                let tf = tf as f32;
                run.tf += tf;
                if scorer.chunk > 0.0 && document.chunk != Document::OF_FILE {
                    let norm = scorer.chunk_norms.of(lengths[number as usize]);
                    chunks.add(run.first_chunk + document.chunk, scorer.chunk * tf, norm);
                }
            })?;
            run.flush(scorer, files);
        }
        Ok(())
    }

    /// Length norms of the history field, by file.
    fn history_norms(&self, weights: &LexicalWeights) -> Vec<f32> {
        let average = self.commits.total_file_length / self.indexed_files.max(1) as f32;
        self.commits
            .file_lengths
            .iter()
            .map(|length| norm(weights.history_b, *length, average))
            .collect()
    }

    fn add_history(
        &self,
        term: &QueryTerm,
        weights: &LexicalWeights,
        norms: &[f32],
        files: &mut Sums,
    ) {
        if weights.history == 0.0 {
            return;
        }
        for (number, tf) in self.commits.postings(&term.term) {
            let commit = &self.commits.commits[*number as usize];
            let tf = weights.history * f32::from(*tf) * commit.share;
            for file in &commit.files {
                files.add(file.0, tf, norms[file.0 as usize]);
            }
        }
    }

    fn search_commits(&self, terms: &[QueryTerm], weights: &LexicalWeights) -> Vec<(u32, f32)> {
        let all = &self.commits.commits;
        let average = self.commits.total_length as f32 / all.len().max(1) as f32;
        let norms = Norms::new(weights.commit_b, average);
        let mut scores = vec![0.0; all.len()];
        for term in terms {
            let postings = self.commits.postings(&term.term);
            let weight = term.file * idf(all.len(), postings.len());
            for (number, tf) in postings {
                let tf = f32::from(*tf) * norms.of(all[*number as usize].length);
                scores[*number as usize] +=
                    weight * tf * (weights.commit_k1 + 1.0) / (weights.commit_k1 + tf);
            }
        }
        let mut ranked: Vec<(u32, f32)> = (0..)
            .zip(scores)
            .filter(|(_, score)| *score > 0.0)
            .collect();
        let best_first = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        if ranked.len() > weights.nearest_commits {
            ranked.select_nth_unstable_by(weights.nearest_commits, best_first);
            ranked.truncate(weights.nearest_commits);
        }
        ranked.sort_unstable_by(best_first);
        ranked
    }

    /// The present files that a past commit touched and what it gives to each of them:
    /// 1 / sqrt(files touched). `commit` is a position in the history index.
    pub fn commit_files(&self, commit: u32) -> (&[FileId], f32) {
        self.commits
            .commits
            .get(commit as usize)
            .map_or((&[], 0.0), |c| (c.files.as_slice(), c.share))
    }
}

//! Defines the parameters of lexical scoring. The caller supplies their values.

use super::fields::FIELDS;

/// The parameters of one BM25F function.
#[derive(Clone, Debug, PartialEq)]
pub struct Bm25 {
    /// Saturation.
    pub k1: f32,
    /// Weight per field, by [`super::Field`] number.
    pub weights: [f32; FIELDS],
    /// Length normalization per field, 0 to 1.
    pub b: [f32; FIELDS],
}

/// All parameters of lexical scoring.
#[derive(Clone, Debug, PartialEq)]
pub struct LexicalWeights {
    /// BM25F over files.
    pub file: Bm25,
    /// BM25F over chunks.
    pub chunk: Bm25,
    /// Weight of the commit messages as a field of files.
    pub history: f32,
    /// Length normalization of the commit messages as a field of files, 0 to 1.
    pub history_b: f32,
    /// BM25 over commit messages: saturation.
    pub commit_k1: f32,
    /// BM25 over commit messages: length normalization.
    pub commit_b: f32,
    /// Maximum number of commits returned.
    pub nearest_commits: usize,
}

//! The numbers of lexical scoring. They come from outside, as data.

use super::fields::FIELDS;

/// The parameters of one BM25F.
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

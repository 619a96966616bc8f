//! Reads the `[rank]` table of `config/ranking.toml` and checks it for missing and unknown signals.

#![allow(missing_docs, reason = "config/ranking.toml documents each number")]

use std::collections::BTreeMap;

use foveate_index::lexical::{Bm25, FIELDS, Field, LexicalWeights};
use serde::Deserialize;

use super::interactions::Interactions;
use super::probability::Calibration;
use super::ranked::Signal;

/// The `[rank]` table of `config/ranking.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RankConfig {
    pub segments: SegmentsConfig,
    pub lexical: LexicalConfig,
    pub file: FileWeights,
    pub function: FunctionWeights,
    pub stretch: StretchWeights,
    pub narrowing: NarrowingConfig,
    pub calibration: Calibrations,
    pub interactions: Interactions,
    pub role: RoleConfig,
    pub max_terms: usize,
    pub more_chunks: [f32; 2],
    pub max_candidates_per_signal: usize,
    pub max_import_seeds: usize,
    pub max_function_files: usize,
    pub min_neighbour_strength: f32,
    pub min_stretch_likelihood: f32,
    pub max_cited: usize,
    pub max_cochange_commits: usize,
    pub min_constant_message: f32,
    pub max_constant_users: usize,
}

/// How stretches of prose and settings are narrowed.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NarrowingConfig {
    pub max_lines: u32,
    pub max_named_lines: u32,
    pub max_lines_around: u32,
    pub max_whole_workflows: usize,
    pub max_whole_workflow_lines: u32,
}

/// A calibration for each list of candidates.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibrations {
    pub file: Calibration,
    pub function: Calibration,
    pub place: Calibration,
}

/// Segment weights for files and chunks.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SegmentsConfig {
    pub file: SegmentWeights,
    pub chunk: SegmentWeights,
}

/// Weight of a term by the kind of its segment.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SegmentWeights {
    pub title: f32,
    pub prose: f32,
    pub inline_code: f32,
    pub code_block: f32,
    pub traceback: f32,
    pub error_message: f32,
    pub quoted: f32,
}

/// BM25F parameters.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LexicalConfig {
    pub file: Bm25Config,
    pub chunk: Bm25Config,
    pub history: f32,
    pub history_b: f32,
    pub commit_k1: f32,
    pub commit_b: f32,
    pub max_nearest_commits: usize,
}

/// Parameters of one BM25F: the saturation, and the weight and length normalization per field.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bm25Config {
    pub k1: f32,
    pub weights: FieldValues,
    pub b: FieldValues,
}

/// One number per field.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldValues {
    pub path: f32,
    pub name: f32,
    pub scope: f32,
    pub parameters: f32,
    pub documentation: f32,
    pub text: f32,
    pub comment: f32,
    pub code: f32,
}

impl FieldValues {
    fn array(self) -> [f32; FIELDS] {
        Field::ALL.map(|field| match field {
            Field::Path => self.path,
            Field::Name => self.name,
            Field::Scope => self.scope,
            Field::Parameters => self.parameters,
            Field::Documentation => self.documentation,
            Field::Text => self.text,
            Field::Comment => self.comment,
            Field::Code => self.code,
        })
    }
}

impl LexicalConfig {
    /// Returns the parameters in the form that the index takes.
    pub fn weights(&self) -> LexicalWeights {
        let bm25 = |config: &Bm25Config| Bm25 {
            k1: config.k1,
            weights: config.weights.array(),
            b: config.b.array(),
        };
        LexicalWeights {
            file: bm25(&self.file),
            chunk: bm25(&self.chunk),
            history: self.history,
            history_b: self.history_b,
            commit_k1: self.commit_k1,
            commit_b: self.commit_b,
            nearest_commits: self.max_nearest_commits,
        }
    }
}

/// Factors on scores by role, and the words by which a query asks for a role.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoleConfig {
    pub factors: RoleFactors,
    pub asked: f32,
    pub ordered: f32,
    pub max_short_query_words: usize,
    pub documentation_words: Vec<String>,
    pub data_words: Vec<String>,
    pub configuration_words: Vec<String>,
    pub documentation_orders: Vec<String>,
    pub configuration_orders: Vec<String>,
    pub changelog_words: Vec<String>,
    pub kind_probabilities: [f32; 2],
    pub kind_weight: f32,
    pub max_lift: f32,
    pub described_weight: f32,
}

impl RoleConfig {
    /// Returns the factor of a role between the usual one and `ordered`, given the probability that it is asked for.
    pub(super) fn factor_of_asked(&self, usual: f32, probability: f32) -> f32 {
        let [from, to] = self.kind_probabilities;
        let share = ((probability - from) / (to - from).max(f32::EPSILON)).clamp(0.0, 1.0);
        usual + (self.ordered - usual).max(0.0) * share
    }
}

/// Factors per role.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoleFactors {
    pub source: f32,
    pub test: f32,
    pub documentation: f32,
    pub configuration: f32,
    pub generated: f32,
    pub data: f32,
}

/// Defines an array of named signal values and its weights, read from a table that must name each
/// signal exactly once.
macro_rules! signals {
    ($values:ident, $weights:ident, $($name:ident),+ $(,)?) => {
        /// Values of the signals before weighting.
        #[derive(Clone, Copy, Debug, Default)]
        pub(super) struct $values {
            $(pub $name: f32,)+
        }

        impl $values {
            pub(super) const NAMES: &'static [&'static str] = &[$(stringify!($name)),+];

            pub(super) fn array(&self) -> [f32; Self::NAMES.len()] {
                [$(self.$name),+]
            }

            /// Returns the weighted sum.
            pub(super) fn score(&self, weights: &$weights) -> f32 {
                self.array().iter().zip(&weights.0).map(|(v, w)| v * w).sum()
            }

            /// Returns the weighted values other than 0, in table order.
            pub(super) fn explain(&self, weights: &$weights) -> Vec<Signal> {
                Self::NAMES
                    .iter()
                    .zip(self.array().iter().zip(&weights.0))
                    .map(|(&name, (v, w))| Signal { name, value: v * w })
                    .filter(|signal| signal.value != 0.0)
                    .collect()
            }
        }

        /// Weight per signal.
        #[derive(Clone, Debug, Deserialize)]
        #[serde(try_from = "BTreeMap<String, f32>")]
        pub struct $weights([f32; $values::NAMES.len()]);

        impl $weights {
            /// Returns the weights in the order of the signals.
            pub fn as_slice(&self) -> &[f32] {
                &self.0
            }
        }

        impl TryFrom<BTreeMap<String, f32>> for $weights {
            type Error = String;

            fn try_from(mut table: BTreeMap<String, f32>) -> Result<Self, String> {
                let mut weights = [0.0; $values::NAMES.len()];
                for (weight, name) in weights.iter_mut().zip($values::NAMES) {
                    *weight = table
                        .remove(*name)
                        .ok_or_else(|| format!("the weight of signal `{name}` is missing"))?;
                }
                match table.keys().next() {
                    Some(name) => Err(format!("there is no signal `{name}`")),
                    None => Ok(Self(weights)),
                }
            }
        }
    };
}

signals!(
    FileSignals, FileWeights, lexical, title, code, names, history, coverage, chunks, chunk_title,
    chunk_coverage, commits, cited, mention, mentions, place, import, message, stem, stem_title,
    directory, imports, importers, lines, fan_in, interactions,
);

signals!(
    FunctionSignals, FunctionWeights, coverage, in_file, in_good_file, file, file_rank, mention,
    class_mention, mentions, place, name_query, name_rare, class_name, uses_named, used_by_named,
    message, history, commits, cited, changes, lines, fan_in,
);

signals!(
    StretchSignals, StretchWeights, coverage, in_file, in_good_file, title, file, file_rank,
    mention, name_query, methods, beside, lines, head, class, module, text, unparsed,
);

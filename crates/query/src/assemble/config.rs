//! Reads the settings of assembling a context: the `[assemble]` tables of `config/ranking.toml`.

#![allow(missing_docs, reason = "config/ranking.toml documents each number")]

use crate::intent::IntentKind;
use crate::rank::Calibration;
use crate::request::Breadth;

/// The `[assemble]` table of `config/ranking.toml`.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AssembleConfig {
    pub usual_tokens: f32,
    pub unchanged_factor: f32,
    pub max_failed_tests: usize,
    pub min_unasked_probability: f32,
    pub min_beside_named: f32,
    pub min_budget_for_full_shares: usize,
    pub min_budget_for_full_counts: usize,
    pub min_main_share: usize,
    pub max_dropped: usize,
    pub bodies: BodiesConfig,
    pub cards: CardsConfig,
    pub links: LinksConfig,
    pub near_duplicates: NearDuplicatesConfig,
    pub confidence: ConfidenceConfig,
    pub breadth: Breadths,
    pub shares: Shares,
}

/// Limits on bodies, and how much of the budget one body may take.
#[derive(Clone, Copy, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BodiesConfig {
    pub max_candidates: usize,
    pub cost_exponent: f32,
    pub max_small_budget: usize,
    pub max_first_share: u32,
    pub max_other_share: u32,
    pub max_rest_share: u32,
    pub max_cut_share: u32,
    pub min_cut_tokens: usize,
    pub max_cut_candidates: usize,
    pub max_container_tokens: usize,
    pub max_head_lines: f32,
    pub max_gap_tokens: usize,
}

/// Limits on cards.
#[derive(Clone, Copy, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CardsConfig {
    pub min_named_strength: f32,
    pub min_sure_strength: f32,
    pub max_meanings: usize,
    pub named_share: usize,
    pub max_members: usize,
    pub max_shown_percent: u32,
    pub max_compact: usize,
    pub min_directory_budget: usize,
}

/// Definitions whose tests and callers are looked up.
#[derive(Clone, Copy, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinksConfig {
    pub max_seeds: usize,
    pub max_callers_per_seed: usize,
    pub max_named_uses: usize,
}

/// When bodies count as near-duplicates.
#[derive(Clone, Copy, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NearDuplicatesConfig {
    pub min_lines: usize,
    pub min_percent: usize,
    pub max_cards: usize,
}

/// How the confidence of an answer is computed.
#[derive(Clone, Copy, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfidenceConfig {
    pub line: Calibration,
    pub low: f32,
    pub min_words: usize,
    pub min_coverage: f32,
}

/// The limits of each breadth.
#[derive(Clone, Copy, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Breadths {
    pub precise: Limits,
    pub balanced: Limits,
    pub wide: Limits,
}

/// How likely things must be to be shown, and how many are. Probabilities are 0 to 1.
#[derive(Clone, Copy, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    pub min_probability: f32,
    pub value_exponent: f32,
    pub file_factor: f32,
    pub min_relative: f32,
    pub min_file_probability: f32,
    pub min_card_probability: f32,
    pub min_seed_probability: f32,
    pub max_named_cards: usize,
    pub max_needed_cards: usize,
    pub max_tests: usize,
    pub max_callers: usize,
    pub max_import_files: usize,
    pub max_outline_files: usize,
}

/// A profile per intent.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "SCREAMING_SNAKE_CASE")]
pub struct Shares {
    pub bug_fix: Profile,
    pub test_writing: Profile,
    pub refactor: Profile,
    pub implementation: Profile,
    pub usage_exploration: Profile,
    pub definition_lookup: Profile,
    pub explanation: Profile,
}

/// Shares of a context for one intent.
#[derive(Clone, Copy, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    pub definitions: usize,
    pub snippets: usize,
    pub imports: usize,
    pub tests: usize,
    pub callers: usize,
    pub max_whole_tests: usize,
    pub caller_context: u32,
}

impl AssembleConfig {
    /// Returns the limits of a breadth.
    pub fn limits(&self, breadth: Breadth) -> Limits {
        match breadth {
            Breadth::Precise => self.breadth.precise,
            Breadth::Balanced => self.breadth.balanced,
            Breadth::Wide => self.breadth.wide,
        }
    }

    /// Returns the profile of an intent.
    pub fn profile(&self, kind: IntentKind) -> &Profile {
        match kind {
            IntentKind::BugFix => &self.shares.bug_fix,
            IntentKind::TestWriting => &self.shares.test_writing,
            IntentKind::Refactor => &self.shares.refactor,
            IntentKind::Implementation => &self.shares.implementation,
            IntentKind::UsageExploration => &self.shares.usage_exploration,
            IntentKind::DefinitionLookup => &self.shares.definition_lookup,
            IntentKind::Explanation => &self.shares.explanation,
        }
    }
}

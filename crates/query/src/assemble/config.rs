//! The numbers of this room, read from `config/ranking.toml`.

use crate::intent::IntentKind;

/// The `[assemble]` table of `config/ranking.toml`.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)] // Each key is documented in the file.
pub struct AssembleConfig {
    pub full_candidates: usize,
    pub rank_decay: f32,
    pub cost_exponent: f32,
    pub first_body_share: u32,
    pub other_body_share: u32,
    pub rest_body_share: u32,
    pub cut_share: u32,
    pub container_tokens: usize,
    pub named_strength: f32,
    pub named_cards: usize,
    pub named_cards_share: usize,
    pub compact_cards: usize,
    pub outline_files: usize,
    pub members: usize,
    pub least_cut: usize,
    pub seeds: usize,
    pub tests: usize,
    pub callers: usize,
    pub callers_of_one: usize,
    pub import_files: usize,
    pub needed_cards: usize,
    pub twin_lines: usize,
    pub twin_percent: usize,
    pub twin_cards: usize,
    pub dropped: usize,
    pub side_dishes_from: usize,
    pub main_share: usize,
    pub shares: Shares,
}

/// A profile per intent.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs)]
pub struct Shares {
    pub bug_fix: Profile,
    pub test_writing: Profile,
    pub refactor: Profile,
    pub implementation: Profile,
    pub usage_exploration: Profile,
    pub definition_lookup: Profile,
    pub explanation: Profile,
}

/// How a context is divided.
#[derive(Clone, Copy, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Profile {
    /// Percent of the budget per section; the five sum to 100.
    pub definitions: usize,
    pub snippets: usize,
    pub imports: usize,
    pub tests: usize,
    pub callers: usize,
    /// How many tests are shown whole.
    pub whole_tests: usize,
    /// Lines shown before and after a call site.
    pub caller_context: u32,
}

impl AssembleConfig {
    /// The profile of an intent.
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

//! The settings of packing a context: the `[assemble]` tables of `config/ranking.toml`.

use crate::intent::IntentKind;
use crate::rank::Calibration;
use crate::request::Breadth;

/// The `[assemble]` table of `config/ranking.toml`.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)] // Each key is documented in the file.
pub struct AssembleConfig {
    pub usual_tokens: f32,
    pub likely_file: f32,
    pub full_shares_from: usize,
    pub full_cards_from: usize,
    pub main_share: usize,
    pub dropped: usize,
    pub bodies: BodiesConfig,
    pub cards: CardsConfig,
    pub links: LinksConfig,
    pub near_duplicates: NearDuplicatesConfig,
    pub confidence: ConfidenceConfig,
    pub breadth: Breadths,
    pub shares: Shares,
}

/// What is shown whole, and how much of the budget one body may take.
#[derive(Clone, Copy, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct BodiesConfig {
    pub candidates: usize,
    pub cost_exponent: f32,
    pub first_share: u32,
    pub other_share: u32,
    pub rest_share: u32,
    pub cut_share: u32,
    pub min_cut: usize,
    pub container_tokens: usize,
    pub head_lines: f32,
}

/// What is shown by its signature.
#[derive(Clone, Copy, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct CardsConfig {
    pub named_strength: f32,
    pub sure_strength: f32,
    pub named_share: usize,
    pub members: usize,
    pub compact: usize,
}

/// Of what tests and callers are looked up.
#[derive(Clone, Copy, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct LinksConfig {
    pub seeds: usize,
    pub callers_of_one: usize,
}

/// Which bodies are shown once.
#[derive(Clone, Copy, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct NearDuplicatesConfig {
    pub min_lines: usize,
    pub min_percent: usize,
    pub cards: usize,
}

/// How sure an answer is of its context.
#[derive(Clone, Copy, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct ConfidenceConfig {
    pub line: Calibration,
    pub low: f32,
    pub specific_words: usize,
}

/// What gets in, per breadth.
#[derive(Clone, Copy, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Breadths {
    pub precise: Limits,
    pub balanced: Limits,
    pub wide: Limits,
}

/// How likely things must be to get in, and how many do. Probabilities are 0 to 1.
#[derive(Clone, Copy, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Least probability of a place whose body is shown, where it has the usual length.
    pub min_probability: f32,
    /// How fast the least probability rises with the length of the body: the exponent of its tokens over
    /// the usual ones.
    pub value_exponent: f32,
    /// How many times the least probability the best place of a file must have for any of it to be shown:
    /// one more file to look at costs more than one more function.
    pub file_factor: f32,
    /// Least probability as a share of the best place's.
    pub min_relative: f32,
    /// Least probability of its file.
    pub min_file_probability: f32,
    /// Least probability of a function whose signature is shown.
    pub min_card_probability: f32,
    /// Least probability of a place whose tests, callers and needed definitions are looked up.
    pub min_seed_probability: f32,
    /// How many definitions that the query names are shown as cards although their files are unlikely;
    /// where nothing has to be changed, as many as with wide.
    pub named_cards: usize,
    /// How many signatures of what the shown functions use and inherit from are shown.
    pub needed_cards: usize,
    /// How many tests are listed.
    pub tests: usize,
    /// How many callers are listed.
    pub callers: usize,
    /// Among how many of the best files imports are listed.
    pub import_files: usize,
    /// How many files are shown by their outline where there is room.
    pub outline_files: usize,
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
    /// What gets in at a breadth.
    pub fn limits(&self, breadth: Breadth) -> Limits {
        match breadth {
            Breadth::Precise => self.breadth.precise,
            Breadth::Balanced => self.breadth.balanced,
            Breadth::Wide => self.breadth.wide,
        }
    }

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

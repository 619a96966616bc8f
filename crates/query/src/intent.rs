//! What is asked for: rules over the query's words and structure.

use crate::text::QueryText;

/// The kinds of task that shape a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum IntentKind {
    BugFix,
    TestWriting,
    Refactor,
    Implementation,
    UsageExploration,
    DefinitionLookup,
}

impl IntentKind {
    /// The stable name used on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::BugFix => "BUG_FIX",
            Self::TestWriting => "TEST_WRITING",
            Self::Refactor => "REFACTOR",
            Self::Implementation => "IMPLEMENTATION",
            Self::UsageExploration => "USAGE_EXPLORATION",
            Self::DefinitionLookup => "DEFINITION_LOOKUP",
        }
    }

    /// All kinds.
    pub const ALL: [Self; 6] = [
        Self::BugFix,
        Self::TestWriting,
        Self::Refactor,
        Self::Implementation,
        Self::UsageExploration,
        Self::DefinitionLookup,
    ];
}

/// A detected intent.
#[derive(Clone, Debug, PartialEq)]
pub struct Intent {
    /// What is asked for.
    pub kind: IntentKind,
    /// How sure, 0 to 1; 1 where the caller said it.
    pub confidence: f32,
    /// Names of the rules that fired for it.
    pub signals: Vec<&'static str>,
}

/// Detects the intent of a query; `given` is the caller's own word and wins.
pub fn detect(_text: &QueryText, given: Option<IntentKind>) -> Intent {
    Intent {
        kind: given.unwrap_or(IntentKind::BugFix),
        confidence: 0.5,
        signals: Vec::new(),
    }
}

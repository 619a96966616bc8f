//! Defines the assembled context, as returned in an answer.

use foveate_model::{Lines, SkipReason};

use crate::issue::Issue;

foveate_model::named_enum! {
    /// How much of a definition is shown.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Fidelity {
        /// Signature, kind, location, one line of documentation; about 50 tokens.
        Compact = "compact",
        /// Also members and bases; about 120 tokens.
        Standard = "standard",
        /// Its whole text.
        Full = "full",
    }
}

/// One entry of the context.
#[derive(Clone, Debug)]
pub struct Item {
    /// The file that it is from.
    pub path: String,
    /// Qualified name, or empty for a stretch of a file.
    pub name: String,
    /// The lines that it describes (all of them are in the context where `fidelity` is `Full`
    /// and `cut` is false).
    pub lines: Lines,
    /// How much of it is shown.
    pub fidelity: Fidelity,
    /// Whether lines inside it were left out (marked in the text).
    pub cut: bool,
    /// Whether only documentation, comments and string literals were left out.
    pub folded: bool,
    /// The lines that are in the context verbatim; empty for a card.
    pub shown: Vec<Lines>,
    /// Its tokens, its own markup included even if it shares that with the lines above it.
    pub tokens: usize,
    /// Why it is here, such as `calls Flask.url_for`.
    pub reason: String,
    /// The lines that the caller changed in it: `12-15,20`; `None` if there are none.
    pub changed: Option<String>,
    /// Its web address, if known.
    pub link: Option<String>,
    /// The name to send back in [`crate::Seen`] once the caller has it; only if it is shown whole.
    pub seen_as: Option<String>,
}

/// One section of the context.
#[derive(Clone, Debug)]
pub struct Section {
    /// `definitions`, `snippets`, `imports`, `tests` or `callers`.
    pub name: &'static str,
    /// Its share of the budget in tokens, before unused shares flowed over.
    pub budget: usize,
    /// The tokens that it used, its own tags included.
    pub used: usize,
    /// Its entries, in order.
    pub items: Vec<Item>,
}

/// Something relevant that is not in the context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// The file that it is from.
    pub path: String,
    /// Qualified name.
    pub name: String,
    /// Its lines; `None` for a whole file.
    pub lines: Option<Lines>,
    /// The tokens that it would have cost (estimated where it is larger than the whole budget); 0 where
    /// it could not be read.
    pub tokens: usize,
    /// Why it is not in the context.
    pub reason: DropReason,
}

/// Why something relevant is not in the context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// It does not fit into the budget.
    Budget,
    /// It is not likely enough for the requested breadth.
    LowValue,
    /// It is a near-duplicate of another body that is shown.
    Duplicate,
    /// The file is not indexed.
    NotIndexed(SkipReason),
}

impl DropReason {
    /// Returns its stable name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Budget => "budget",
            Self::LowValue => "low_value",
            Self::Duplicate => "duplicate",
            Self::NotIndexed(reason) => reason.code(),
        }
    }
}

/// The assembled context.
#[derive(Clone, Debug, Default)]
pub struct Pack {
    /// The rendered text.
    pub context: String,
    /// Tokens of `context`, at most the budget.
    pub used: usize,
    /// The probability that a right place is shown whole, 0 to 1.
    pub confidence: f32,
    /// Its sections, in order.
    pub sections: Vec<Section>,
    /// Relevant things that are not in it, best first. A definition of which only a card or a part is shown
    /// counts as dropped: its body is not in the context.
    pub dropped: Vec<Dropped>,
    /// Problems during assembly; `answer` moves them to the answer's issues.
    pub issues: Vec<Issue>,
}

//! What an answer says about itself.

/// Something that the answer could not do or that the reader should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// Stable code: `no_match`, `budget_too_small`, ….
    pub code: &'static str,
    /// One sentence for people.
    pub detail: String,
}

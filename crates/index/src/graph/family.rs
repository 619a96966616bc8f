//! Which languages see each other's names.

use foveate_model::Language;

/// Languages that share one module system, so that names of one are never taken for names of
/// another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    Python,
    Ecmascript,
    /// A language without a module resolver: only scopes within a file are known.
    Other(Language),
}

impl Family {
    pub(super) fn of(language: Language) -> Self {
        match language.family() {
            "python" => Self::Python,
            "ecmascript" => Self::Ecmascript,
            _ => Self::Other(language),
        }
    }
}

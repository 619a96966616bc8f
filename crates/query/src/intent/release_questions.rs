//! Recognises short questions for the release that brought a change: "which version dropped x?", "when was x removed?".
//! Questions about a release that they name are in [`crate::text`].

use std::sync::LazyLock;

use super::words::Pattern;
use super::{Query, shapes};

/// Puts verbs for what a release does to something, in the past tense, between two parts of a pattern.
macro_rules! changed {
    ($before:literal, $after:literal) => {
        concat!(
            $before,
            "added|introduced|removed|deprecated|dropped|renamed|replaced|gained|changed|fixed",
            $after
        )
    };
}

/// Puts verbs for what a release does to something, in the base form, after a part of a pattern. "Replace", "change" and
/// "fix" are left out: "when did it change the total?" may be about what a program did.
macro_rules! change {
    ($before:literal) => {
        concat!($before, "add|introduce|remove|deprecate|drop|rename|gain")
    };
}

/// Starts of a clause.
static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    [
        "since what|which ?exact version|release",
        "since when",
        changed!(
            "?in|as|from|with|by ?of what|which ?exact version|versions|release|releases .. .. ",
            ""
        ),
        change!("?in|as|from|with|by ?of what|which ?exact version|release did .. .. "),
        changed!("when was|were .. .. ", " ?? $"),
        change!("when did .. .. "),
    ]
    .map(Pattern::new)
    .into()
});

/// Whether a query is nothing but a short question for the release of a change.
pub(super) fn is_one(query: &Query) -> bool {
    let [clause] = query.clauses.as_slice() else {
        return false;
    };
    if !query.is_short || !query.prose.is_empty() {
        return false;
    }
    let words = clause.words.as_slice();
    let start = shapes::start(words);
    PATTERNS.iter().any(|pattern| pattern.is_at(words, start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::QueryText;

    fn is_asked(query: &str) -> bool {
        is_one(&Query::new(&QueryText::parse(query)))
    }

    #[test]
    fn questions_for_the_release_of_a_change_are_recognised() {
        for query in [
            "Which version introduced structured logging?",
            "which version dropped Python 2 support",
            "In which release was support for large uploads added?",
            "What version of the shop removed `old_cart`?",
            "In which version did they rename the cart?",
            "Since which version is the cart deprecated?",
            "since when does the shop have carts?",
            "When was the old cart deprecated?",
            "When did the shop drop support for Python 2?",
        ] {
            assert!(is_asked(query), "{query}");
        }
    }

    #[test]
    fn other_questions_about_versions_and_times_are_not() {
        for query in [
            "Which version of Python is required?",
            "Which versions are tested in CI?",
            "What is the minimum version?",
            "When are stale issues closed?",
            "When is the session removed?",
            "When was the session removed from the store, and by whom?",
            "Version 2 dropped the cart",
            "The cart crashes\n\nWhen was it removed?",
        ] {
            assert!(!is_asked(query), "{query}");
        }
    }
}

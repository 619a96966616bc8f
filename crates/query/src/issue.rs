//! Defines the issues that an answer reports about itself.

use foveate_model::escape::shorten;

/// Something that the answer could not do or that the reader should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// Stable code: `no_match`, `budget_too_small`, ….
    pub code: &'static str,
    /// One sentence for people, without text of the query; names from `focus` are escaped and cut.
    pub detail: String,
}

/// Maximum names in a list; further ones are counted.
const MAX_LISTED: usize = 5;
/// Maximum bytes shown of a name.
const MAX_NAME_BYTES: usize = 160;

/// Returns the first of `names`, escaped and cut: `a, b, c and 4 more`.
pub(crate) fn list<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> String {
    let mut names = names.into_iter();
    let first: Vec<String> = names
        .by_ref()
        .take(MAX_LISTED)
        .map(|name| shorten(name.as_ref(), MAX_NAME_BYTES).into_owned())
        .collect();
    let listed = first.join(", ");
    match names.count() {
        0 => listed,
        more => format!("{listed} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_names_are_cut_and_escaped() {
        assert_eq!(list(["a", "b\u{1b}"]), "a, b\\u{1b}");
        assert_eq!(list(["x"; 9]), "x, x, x, x, x and 4 more");
        let long = list(vec!["ü\n".repeat(10_000); 9]);
        assert!(long.len() < 1000 && !long.contains('\n'), "{long}");
    }
}

//! Parses a change as `base..head`, the form in which the command line and agents give it. Whether its ends are valid
//! names of commits is checked with the rest of the request.

use crate::engine::DiffEnds;

/// The checked-out commit.
const HEAD: &str = "HEAD";

/// Parses the two ends of `base..head`, of which one may be left out. Two and three dots, which git distinguishes, mean
/// the same here: what the head changed since it branched off the base.
///
/// # Errors
/// A message about what is wrong with the text.
pub fn ends(text: &str) -> Result<DiffEnds, String> {
    if text.trim().is_empty() {
        return Err("it is empty: expected two commits, BASE..HEAD".to_owned());
    }
    let ends = text.split_once("...").or_else(|| text.split_once(".."));
    let Some((base, head)) = ends else {
        return Err(format!(
            "expected two commits: BASE..HEAD, or {text}.. for what the checked-out commit changed \
             since it branched off {text}"
        ));
    };
    let named = |end: &str| if end.is_empty() { HEAD } else { end }.to_owned();
    match (base, head) {
        ("", "") => Err("name at least one end: BASE..HEAD, or BASE..".to_owned()),
        (_, more) if more.contains("..") || more.starts_with('.') => {
            Err("more than two ends: expected BASE..HEAD".to_owned())
        }
        (base, head) => Ok(DiffEnds {
            base: named(base),
            head: named(head),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_ends_are_parsed_and_one_is_optional() {
        for (text, base, head) in [
            ("main..fix/x-1.2", "main", "fix/x-1.2"),
            ("main...fix/x-1.2", "main", "fix/x-1.2"),
            ("main..", "main", "HEAD"),
            ("main...", "main", "HEAD"),
            ("..main", "HEAD", "main"),
        ] {
            let ends = ends(text).unwrap();
            assert_eq!((&*ends.base, &*ends.head), (base, head), "{text}");
        }
        for (text, reason) in [
            ("", "is empty"),
            (" ", "is empty"),
            ("main", "main.. for what"),
            ("..", "at least one"),
            ("...", "at least one"),
            ("a..b..c", "more than two"),
            ("a....b", "more than two"),
        ] {
            let error = ends(text).unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}

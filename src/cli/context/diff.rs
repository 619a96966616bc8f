//! The argument of `--diff`: its form. Whether its ends may name commits is validated with the rest.

use crate::engine::DiffEnds;

/// The two ends in `base..head`. What git tells apart by a third dot is the same here: what the head changed
/// since it left the base.
///
/// # Errors
/// What is wrong with it.
pub fn ends(text: &str) -> Result<DiffEnds, String> {
    let ends = text.split_once("...").or_else(|| text.split_once(".."));
    let (base, head) = ends.ok_or("give two commits, branches or tags: base..head")?;
    Ok(DiffEnds {
        base: base.to_owned(),
        head: head.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_ends_are_read_and_one_is_refused() {
        for text in ["main..fix/x-1.2", "main...fix/x-1.2"] {
            let ends = ends(text).unwrap();
            assert_eq!((&*ends.base, &*ends.head), ("main", "fix/x-1.2"), "{text}");
        }
        for text in ["", "main"] {
            assert!(ends(text).is_err(), "{text}");
        }
    }
}

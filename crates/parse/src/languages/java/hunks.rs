//! Heads of definitions in Java, and in languages that write them alike.

use crate::hunks::{HunkHeads, Pattern};
use crate::languages::c_heads;

/// Heads as in Java, by a pattern of git's own. It shows them without their indentation.
pub(in crate::languages) const fn heads(
    pattern: &'static str,
    extensions: &'static [&'static str],
) -> HunkHeads {
    HunkHeads {
        pattern: Pattern::Git(pattern),
        extensions,
        shows_indentation: false,
        named: c_heads::named,
        is_definition: |line| c_heads::is_definition(line.trim()),
    }
}

#[cfg(test)]
mod tests {
    use super::heads;
    use crate::hunks::check;

    #[test]
    fn heads_in_classes() {
        check(
            heads("java", &[]),
            &[
                ("    public List<String> names(int n) {", Some("names")),
                ("public final class Cart extends Base {", Some("Cart")),
                ("        return make(a) {", None),
                ("        } else if (x) {", None),
                ("        foo(bar);", None),
            ],
        );
    }
}

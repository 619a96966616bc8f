//! Heads of definitions in C and C++.

use crate::hunks::{HunkHeads, Pattern};
use crate::languages::c_heads;

pub(super) const fn heads(extensions: &'static [&'static str]) -> HunkHeads {
    HunkHeads {
        pattern: Pattern::Git("cpp"),
        extensions,
        shows_indentation: true,
        named: c_heads::named,
        is_definition: |line| c_heads::is_definition(line.trim()) && !line.starts_with([' ', '\t']),
    }
}

#[cfg(test)]
mod tests {
    use super::heads;
    use crate::hunks::check;

    #[test]
    fn heads_at_the_start_of_a_line() {
        check(
            heads(&[]),
            &[
                ("static int read_all(struct buf *b)", Some("read_all")),
                ("struct node *next(struct list *l) {", Some("next")),
                ("struct node {", Some("node")),
                ("void Cart::add(int n) {", Some("add")),
                ("int open(const char *path);", None),
                ("    call(a, b)", None),
                ("#define F(x) (", None),
            ],
        );
    }
}

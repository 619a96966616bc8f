//! Heads of definitions in C and C++.

use crate::hunks::heads::{HunkHeads, Pattern, is_word};
use crate::languages::c_heads::{self, CONTROL};

pub(super) const fn heads(extensions: &'static [&'static str]) -> HunkHeads {
    HunkHeads {
        pattern: Pattern::Git("cpp"),
        extensions,
        shows_indentation: true,
        named: c_heads::named,
        is_definition,
    }
}

/// Definitions begin at the start of a line; the type of a function may stand on the one before.
fn is_definition(line: &str) -> bool {
    if line.starts_with([' ', '\t']) {
        return false;
    }
    let line = line.trim();
    let name = line.split('(').next().unwrap_or(line).trim_end();
    let is_name = !name.is_empty() && name.chars().all(is_word);
    // What has no lower case is a macro.
    let has_own_line = is_name
        && name.contains(char::is_lowercase)
        && !CONTROL.contains(&name)
        && line.contains('(')
        && line.ends_with([')', ',', '{']);
    has_own_line || c_heads::is_definition(line)
}

#[cfg(test)]
mod tests {
    use super::heads;
    use crate::hunks::heads::check;

    #[test]
    fn heads_at_the_start_of_a_line() {
        check(
            heads(&[]),
            &[
                ("static int read_all(struct buf *b)", Some("read_all")),
                ("struct node *next(struct list *l) {", Some("next")),
                ("struct node {", Some("node")),
                ("void Cart::add(int n) {", Some("add")),
                ("read_all (struct buf *b, int n)", Some("read_all")),
                (
                    "extern \"C\" int shop_open(const char *path) {",
                    Some("shop_open"),
                ),
                ("SHOP_API int shop_open(", Some("shop_open")),
                (
                    "template <typename T> T sum(const std::vector<T>& all) {",
                    Some("sum"),
                ),
                ("Cart::Cart(int n) : size(n) {", Some("Cart")),
                ("auto Cart::sum() const -> int {", Some("sum")),
                ("class SHOP_API Cart : public Base {", Some("Cart")),
                ("enum class Color : int {", Some("Color")),
                ("inline namespace v1 {", Some("v1")),
                ("union item {", Some("item")),
                ("EXPORT_SYMBOL(shop_open)", None),
                ("  return sum(a)", None),
                ("int open(const char *path);", None),
                ("    call(a, b)", None),
                ("#define F(x) (", None),
            ],
        );
    }
}

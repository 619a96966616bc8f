//! Recognises the heads of definitions in C and C++.

use crate::hunks::heads::{HunkHeads, Pattern, is_word};
use crate::languages::typed_heads::{self, CONTROL};

pub(super) const fn heads(extensions: &'static [&'static str]) -> HunkHeads {
    HunkHeads {
        pattern: Pattern::Git("cpp"),
        extensions,
        shows_indentation: true,
        named: typed_heads::named,
        is_definition,
    }
}

/// Whether a line begins a definition. Definitions begin at the start of a line; a function's type may be
/// on the line before.
fn is_definition(line: &str) -> bool {
    if line.starts_with([' ', '\t']) {
        return false;
    }
    let line = line.trim();
    let name = line.split('(').next().unwrap_or(line).trim_end();
    let is_name = !name.is_empty() && name.chars().all(is_word);
    // A name without lower-case letters is a macro.
    let has_own_line = is_name
        && name.contains(char::is_lowercase)
        && !CONTROL.contains(&name)
        && line.contains('(')
        && line.ends_with([')', ',', '{']);
    has_own_line || typed_heads::is_definition(line)
}

#[cfg(test)]
mod tests {
    use super::heads;
    use crate::hunks::heads::check;

    #[test]
    fn definition_heads_are_read_at_line_start() {
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

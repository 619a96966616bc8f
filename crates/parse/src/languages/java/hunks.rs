//! Recognises the heads of definitions in Java, and in languages with the same syntax for them.

use crate::hunks::heads::{HunkHeads, Pattern};
use crate::languages::typed_heads;

/// Rules for heads as in Java, with a built-in pattern of git. Git strips their indentation.
pub(in crate::languages) const fn heads(
    pattern: &'static str,
    extensions: &'static [&'static str],
) -> HunkHeads {
    HunkHeads {
        pattern: Pattern::Git(pattern),
        extensions,
        shows_indentation: false,
        named: typed_heads::named,
        is_definition: |line| typed_heads::is_definition(line.trim()),
    }
}

#[cfg(test)]
mod tests {
    use super::heads;
    use crate::hunks::heads::check;

    #[test]
    fn definition_heads_in_classes_are_read() {
        check(
            heads("java", &[]),
            &[
                ("    public List<String> names(int n) {", Some("names")),
                ("public final class Cart extends Base {", Some("Cart")),
                ("    @Override public String toString() {", Some("toString")),
                (
                    "    public <T extends Comparable<T>> List<T> of(T first) {",
                    Some("of"),
                ),
                ("    List<? extends Item> items(int n) {", Some("items")),
                ("    java.util.List<String> names() {", Some("names")),
                ("    default void close() {", Some("close")),
                ("public record Cart(int size) {", Some("Cart")),
                ("public @interface Named {", Some("Named")),
                (
                    "    private static final class Line implements Item {",
                    Some("Line"),
                ),
                ("public sealed interface Item permits Line {", Some("Item")),
                ("    public Cart(int size) {", Some("Cart")),
                ("    void sum(int a,", Some("sum")),
                ("    @Test(timeout = 3) public void sums() {", Some("sums")),
                ("    int size = count(a) {", None),
                ("        cart.sum(a) {", None),
                ("        return make(a) {", None),
                ("        } else if (x) {", None),
                ("        foo(bar);", None),
            ],
        );
    }
}

//! Recognizes the first lines of Kotlin definitions in diff hunks.

use crate::hunks::heads::HunkHeads;
use crate::languages::keyword_heads;

pub(super) const HUNKS: HunkHeads = keyword_heads::heads(&["kt", "kts"]);

#[cfg(test)]
mod tests {
    use super::HUNKS;
    use crate::hunks::heads::check;

    #[test]
    fn definition_heads_are_recognized() {
        check(
            HUNKS,
            &[
                ("fun main() {", Some("main")),
                (
                    "    private suspend fun load(id: Int): Cart {",
                    Some("load"),
                ),
                ("fun String.words(): List<String> =", Some("words")),
                ("inline fun <reified T> Cart.of(): T {", Some("of")),
                ("fun <T> List<T>.second(): T = this[1]", Some("second")),
                ("    override fun toString() = name", Some("toString")),
                ("    operator fun get(at: Int): Item", Some("get")),
                ("@Composable fun CartView(cart: Cart) {", Some("CartView")),
                (
                    "    @Test fun `sums an empty cart`() {",
                    Some("sums an empty cart"),
                ),
                ("data class Cart(val size: Int)", Some("Cart")),
                ("sealed interface Item", Some("Item")),
                ("fun interface Visitor {", Some("Visitor")),
                ("enum class Color(val rgb: Int) {", Some("Color")),
                ("    companion object {", None),
                ("object Shop : Base() {", Some("Shop")),
                ("val sum = fun(a: Int) {", None),
            ],
        );
    }
}

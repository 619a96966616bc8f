//! Recognizes the first lines of PHP definitions in diff hunks.

use crate::hunks::heads::HunkHeads;
use crate::languages::keyword_heads;

pub(super) const HUNKS: HunkHeads = keyword_heads::heads(&["php"]);

#[cfg(test)]
mod tests {
    use super::HUNKS;
    use crate::hunks::heads::check;

    #[test]
    fn definition_heads_are_recognized() {
        check(
            HUNKS,
            &[
                ("    public function sum(int $a): int", Some("sum")),
                ("    public static function make()", Some("make")),
                ("    abstract protected function size(): int;", Some("size")),
                ("    #[Pure] public function sum()", Some("sum")),
                ("    public function &items()", Some("items")),
                ("function sum_all(array $items): int {", Some("sum_all")),
                ("final readonly class Cart extends Base", Some("Cart")),
                ("enum Suit: string", Some("Suit")),
                ("trait HasItems {", Some("HasItems")),
                ("interface Item extends Named", Some("Item")),
                (
                    "    final public function __construct(",
                    Some("__construct"),
                ),
                ("        return function ($a) {", None),
                ("        $sum = function ($a) {", None),
                ("    function ($a) {", None),
            ],
        );
    }
}

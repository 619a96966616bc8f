//! Recognises the definition_heads_are_read of definitions in Go.

use crate::hunks::heads::{HunkHeads, Pattern, first_word, split_keyword};

pub(super) const HUNKS: HunkHeads = HunkHeads {
    pattern: Pattern::Git("golang"),
    extensions: &["go"],
    shows_indentation: true,
    named: go,
    is_definition: |_| true,
};

fn go(line: &str) -> Option<&str> {
    let (keyword, rest) = split_keyword(line, &[], &["func", "type"])?;
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start();
    let rest = match (keyword, rest.strip_prefix('(')) {
        ("func", Some(receiver)) => receiver.split_once(')')?.1.trim_start(),
        _ => rest,
    };
    first_word(rest).filter(|name| rest.starts_with(name))
}

#[cfg(test)]
mod tests {
    use super::HUNKS;
    use crate::hunks::heads::check;

    #[test]
    fn definition_heads_are_read() {
        check(
            HUNKS,
            &[
                ("func (e *Engine) ServeHTTP(w, r) {", Some("ServeHTTP")),
                ("func New() *Engine {", Some("New")),
                ("type Params []Param", Some("Params")),
                (
                    "func (c *Cart[T]) Sum(items ...T) (int, error) {",
                    Some("Sum"),
                ),
                ("func (Cart) Size() int {", Some("Size")),
                ("func Map[T, U any](in []T, f func(T) U) []U {", Some("Map")),
                ("type Cart[T any] struct {", Some("Cart")),
                ("type Item interface {", Some("Item")),
                ("type Sum func(a int) int", Some("Sum")),
                ("func init() {", Some("init")),
                ("type (", None),
                ("var f = func() {", None),
                ("\tfunc() {", None),
            ],
        );
    }
}

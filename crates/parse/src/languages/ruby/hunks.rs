//! Recognizes the first lines of Ruby definitions in diff hunks.

use crate::hunks::heads::{HunkHeads, Pattern, is_word, split_keyword};

pub(super) const HUNKS: HunkHeads = HunkHeads {
    pattern: Pattern::Own("foveate-ruby", PATTERN),
    extensions: &["rb", "rake"],
    shows_indentation: true,
    named,
    is_definition: |_| true,
};

const PATTERN: &str = r"^([[:space:]]*((private|protected|public|private_class_method|module_function|memoize)[[:space:]]+)*(class|module|def)[[:space:]]+[^[:space:]<].*)$";

fn named(line: &str) -> Option<&str> {
    const MODIFIERS: [&str; 6] = [
        "private", "protected", "public", "private_class_method", "module_function", "memoize",
    ];
    let (keyword, rest) = split_keyword(line, &MODIFIERS, &["def", "class", "module"])?;
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start();
    let name = rest.split(['(', ' ', ';', '\t']).next()?;
    if keyword != "def" {
        let name = name.rsplit("::").next()?;
        return Some(name).filter(|name| name.starts_with(char::is_uppercase));
    }
    let name = match name.split_once('.') {
        Some((owner, name)) if owner.chars().all(|c| is_word(c) || c == ':') => name,
        _ => name,
    };
    Some(name).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::HUNKS;
    use crate::hunks::heads::check;

    #[test]
    fn definition_heads_are_recognized() {
        check(
            HUNKS,
            &[
                ("  def sum(items)", Some("sum")),
                ("  def self.create(id)", Some("create")),
                ("  def Cart.create id", Some("create")),
                ("  def empty?", Some("empty?")),
                ("  def size=(size)", Some("size=")),
                ("  def ==(other)", Some("==")),
                ("  def [](at)", Some("[]")),
                ("  def sum = 3", Some("sum")),
                ("  private def sum", Some("sum")),
                ("  private_class_method def self.make", Some("make")),
                ("class Shop::Cart < Base", Some("Cart")),
                ("module Shop", Some("Shop")),
                ("  class << self", None),
                ("  define_sum :a", None),
                ("# the class of", None),
            ],
        );
    }
}

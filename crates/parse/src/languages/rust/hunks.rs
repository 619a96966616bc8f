//! Recognizes the first lines of Rust definitions in diff hunks.

use crate::hunks::heads::{HunkHeads, Pattern, first_word, is_word, last_word, words};

pub(super) const HUNKS: HunkHeads = HunkHeads {
    pattern: Pattern::Own("foveate-rust", PATTERN),
    extensions: &["rs"],
    shows_indentation: true,
    named: rust,
    is_definition: |line| !line.trim().ends_with(';'),
};

const PATTERN: &str = r#"^([[:space:]]*((pub(\([^)]+\))?|default|async|const|unsafe|extern|"[^"]*")[[:space:]]+)*(struct|enum|union|mod|trait|fn|impl|macro_rules!)[<[:space:]]+[^;]*)$"#;

fn rust(line: &str) -> Option<&str> {
    const MODIFIERS: [&str; 10] = [
        "pub", "crate", "super", "in", "async", "const", "unsafe", "extern", "default", "C",
    ];
    const KEYWORDS: [&str; 8] = [
        "fn", "struct", "enum", "union", "trait", "mod", "macro_rules", "impl",
    ];
    let line = match line.strip_prefix("pub(") {
        Some(visible) => visible
            .split_once(')')
            .map_or(line, |(_, rest)| rest.trim_start()),
        None => line,
    };
    let (keyword, rest) = words(line)
        .find(|(word, _)| !MODIFIERS.contains(word))
        .filter(|(word, _)| KEYWORDS.contains(word) && line.starts_with(is_word))?;
    if keyword != "impl" {
        let rest = rest.strip_prefix(['!', ' ', '\t'])?.trim_start();
        return first_word(rest).filter(|name| rest.starts_with(name));
    }
    let rest = without_parameters(rest);
    let rest = rest.split(['{', ';']).next()?;
    let rest = rest.split(" where ").next()?;
    let implemented = rest.rsplit_once(" for ").map_or(rest, |(_, last)| last);
    last_word(implemented.split('<').next()?)
}

/// Returns the text after the type parameters that it begins with.
fn without_parameters(text: &str) -> &str {
    let mut depth = 0;
    let end = text.find(|c| {
        depth += match c {
            '<' => 1,
            '>' => -1,
            _ => 0,
        };
        depth == 0
    });
    end.map_or("", |end| text[end..].trim_start_matches('>'))
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
                ("    pub(crate) async unsafe fn poll<'a>(", Some("poll")),
                ("impl<T: Debug> fmt::Display for Slot<T> {", Some("Slot")),
                ("impl Registration {", Some("Registration")),
                ("impl<'a, T> Iterator<'a, T> {", Some("Iterator")),
                ("pub struct Handle;", None),
                ("macro_rules! cfg_io {", Some("cfg_io")),
                ("let fn_ = 1", None),
                ("extern \"C\" fn main() {", Some("main")),
                (
                    "impl<T> Take<Item> for Vec<T> where T: Clone {",
                    Some("Vec"),
                ),
                ("unsafe impl Send for Cart {}", Some("Cart")),
                ("impl<F: Fn() -> i32> Sum for F {", Some("F")),
                ("impl<'a> From<&'a str> for Name {", Some("Name")),
                ("pub trait Item: Clone {", Some("Item")),
                (
                    "pub(in crate::shop) const fn sum<const N: usize>()",
                    Some("sum"),
                ),
                (
                    "    async fn load(&self) -> Result<(), Error> {",
                    Some("load"),
                ),
                ("mod tests {", Some("tests")),
                ("let sum = fn_pointer;", None),
                ("// the fn of", None),
            ],
        );
    }
}

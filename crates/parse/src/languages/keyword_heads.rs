//! Recognises definitions that begin with a keyword and a name: in PHP, Kotlin, Swift, Scala.

use crate::hunks::heads::{
    HunkHeads, Pattern, after_keyword, before_parameters, first_word, last_word, split_keyword,
    without_annotations, words,
};

/// The pattern shared by these languages.
const PATTERN: &str = r"^([[:space:]]*((@[A-Za-z_.:]+(\([^)]*\))?|#\[[^]]*\])[[:space:]]+)*((abstract|actual|annotation|async|case|companion|convenience|data|dynamic|enum|expect|external|fileprivate|final|implicit|indirect|infix|inline|inner|internal|lazy|mutating|open|operator|override|partial|private|protected|public|readonly|required|sealed|static|suspend|tailrec|value)[[:space:]]+)*(class|def|enum|extension|fun|func|function|interface|module|object|protocol|struct|trait)[[:space:]]+[^[:space:]].*)$";

/// Rules for heads in files with these extensions.
pub(in crate::languages) const fn heads(extensions: &'static [&'static str]) -> HunkHeads {
    HunkHeads {
        pattern: Pattern::Own("foveate-keyword", PATTERN),
        extensions,
        shows_indentation: true,
        named: keyword,
        is_definition: |_| true,
    }
}

fn keyword(line: &str) -> Option<&str> {
    const MODIFIERS: [&str; 36] = [
        "abstract", "actual", "annotation", "async", "case", "companion", "convenience", "data",
        "dynamic", "expect", "external", "fileprivate", "final", "implicit", "indirect", "infix",
        "inline", "inner", "internal", "lazy", "mutating", "open", "operator", "override",
        "partial", "private", "protected", "public", "readonly", "required", "sealed", "static",
        "suspend", "tailrec", "value", "self",
    ];
    const FUNCTIONS: [&str; 4] = ["def", "fun", "func", "function"];
    const TYPES: [&str; 9] = [
        "class", "enum", "extension", "interface", "module", "object", "protocol", "struct",
        "trait",
    ];
    let line = without_annotations(line);
    if let Some((_, rest)) = split_keyword(line, &MODIFIERS, &FUNCTIONS) {
        // Names of tests may be sentences in backticks.
        let mut quoted = rest.split('`');
        if let (Some(_), Some(name), Some(_)) = (quoted.next(), quoted.next(), quoted.next()) {
            return Some(name);
        }
        let head = before_parameters(rest.strip_prefix([' ', '\t'])?);
        // A function without parameters may have its body or type on the same line.
        let head = head.split([';', '=', ':']).next()?;
        return last_word(head);
    }
    let name = after_keyword(line, &MODIFIERS, &TYPES)?;
    // `enum class Name`
    if TYPES.contains(&name) {
        let (_, rest) = words(line).find(|(word, _)| *word == name)?;
        return first_word(rest);
    }
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::heads;
    use crate::hunks::heads::check;

    #[test]
    fn keyword_heads_are_read() {
        check(
            heads(&[]),
            &[
                ("class Cart < Base", Some("Cart")),
                ("    public static function make($x)", Some("make")),
                ("enum class Color(val rgb: Int) {", Some("Color")),
                ("suspend fun <T> Flow<T>.collect(x: Int) {", Some("collect")),
                ("  override func viewDidLoad() {", Some("viewDidLoad")),
                ("# the class of", None),
            ],
        );
    }
}

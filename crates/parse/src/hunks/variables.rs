//! Recognises lines that give a value to a constant, to a variable of a module or to an attribute of a class. Like the
//! heads of definitions these are single lines and no source is parsed, so that odd layouts are misread. Variables of
//! functions must not be taken for others: many of them share a name.

use super::heads::{is_word, words};

/// Shortest and longest name, in bytes.
const NAME: std::ops::RangeInclusive<usize> = 3..=100;
/// Most blanks by which an attribute is indented more than the head of its class.
const LEVEL: usize = 4;
/// Words before the name that only members of classes and items of modules have.
const OF_MEMBERS: [&str; 7] = [
    "public", "private", "protected", "internal", "static", "readonly", "pub",
];
/// Words that begin other lines with an equals sign.
const OTHERS: [&str; 27] = [
    "if", "elif", "else", "for", "foreach", "while", "until", "unless", "switch", "case", "when",
    "with", "return", "yield", "await", "assert", "throw", "raise", "import", "from", "use",
    "using", "type", "typedef", "namespace", "function", "delete",
];
/// Words of which one is in the head of each type.
const TYPES: [&str; 9] = [
    "class", "interface", "enum", "record", "struct", "trait", "object", "module", "impl",
];

/// Returns the name to which a line gives a value, unless the name may be that of a variable of a function. `class` is the
/// indentation of the class that the line is in, if it is known to be in one.
pub fn variable(line: &str, class: Option<usize>) -> Option<&str> {
    let text = line.trim();
    let indentation = indentation(line);
    if let Some(rest) = text.strip_prefix("#define ") {
        let name = words(rest).next().map(|(name, _)| name);
        return name.filter(|name| is_name(name));
    }
    let (before, name) = assigned(text)?;
    // Arguments of a call and entries of a table end with a comma.
    if !is_name(name) || text.ends_with(',') {
        return None;
    }
    let mut modifiers = words(before).map(|(word, _)| word);
    let is_of_module = indentation == 0;
    let is_attribute = || {
        let level = if line.starts_with('\t') { 1 } else { LEVEL };
        let is_inside = |class| indentation > class && indentation <= class + level;
        before.is_empty() && class.is_some_and(is_inside)
    };
    let is_outside_functions = is_of_module
        || is_constant(name)
        || modifiers.any(|word| OF_MEMBERS.contains(&word))
        || is_attribute();
    is_outside_functions.then_some(name)
}

/// Whether a name is written as that of a constant: `MAX_SIZE`.
pub fn is_constant(name: &str) -> bool {
    name.contains(char::is_uppercase) && !name.contains(char::is_lowercase)
}

/// Whether a line that begins a definition begins a type or a module.
pub fn begins_class(line: &str) -> bool {
    let head = line.split(['(', '{', ':']).next().unwrap_or(line);
    words(head).any(|(word, rest)| TYPES.contains(&word) && rest.starts_with([' ', '\t']))
}

/// Returns the bytes of white space before the text of a line.
pub fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Returns the name before the first equals sign, and what precedes it; `None` if the line assigns to no plain name.
fn assigned(text: &str) -> Option<(&str, &str)> {
    let (left, right) = text.split_once('=')?;
    if right.starts_with(['=', '>', '~'])
        || left.ends_with(|c: char| "!<>+-*/%&|^~:?.@".contains(c))
    {
        return None;
    }
    // A type may follow the name, after a colon or as brackets.
    let is_single = |(at, _): &(usize, &str)| {
        let (before, after) = (left.get(..*at), left.get(at + 1..));
        !before.is_some_and(|before| before.ends_with(':'))
            && !after.is_some_and(|after| after.starts_with(':'))
    };
    let typed = left.match_indices(':').find(is_single);
    let head = typed
        .and_then(|(at, _)| left.get(..at))
        .unwrap_or(left)
        .trim_end();
    let (head, has_brackets) = match head.strip_suffix(']') {
        Some(array) => (array.rsplit_once('[')?.0.trim_end(), true),
        None => (head, false),
    };
    let name = words(head).last().map(|(name, _)| name)?;
    let before = head.strip_suffix(name)?;
    // Without a type, the brackets are around an index.
    if has_brackets && before.is_empty() {
        return None;
    }
    let is_of_declaration = |c: char| is_word(c) || " \t<>,*&?':".contains(c);
    let is_pair = before.contains(',') && !before.contains('<');
    let first = words(before).next().map(|(word, _)| word);
    let is_other = first.is_some_and(|word| OTHERS.contains(&word));
    let is_declaration = before.chars().all(is_of_declaration) && !is_pair && !is_other;
    is_declaration.then_some((before.trim(), name))
}

fn is_name(name: &str) -> bool {
    NAME.contains(&name.len()) && !name.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_and_variables_of_modules_are_recognised() {
        for (line, name) in [
            ("MAX_SIZE = 4", Some("MAX_SIZE")),
            ("cache_store: dict[str, int] = {}", Some("cache_store")),
            ("    RETRIES = 3", Some("RETRIES")),
            ("export const defaults = {", Some("defaults")),
            ("var ErrClosed = errors.New(\"closed\")", Some("ErrClosed")),
            ("    private static final int LIMIT = 5;", Some("LIMIT")),
            ("    public readonly title: string = '';", Some("title")),
            ("    pub const DEPTH: usize = 3;", Some("DEPTH")),
            ("static const char *names[] = {", Some("names")),
            (
                "    private Map<String, Integer> counts = new HashMap<>();",
                Some("counts"),
            ),
            ("std::string greeting = \"hi\";", Some("greeting")),
            ("#define BUFFER_SIZE 512", Some("BUFFER_SIZE")),
            // Variables of functions, arguments and entries.
            ("    total_count = 0", None),
            ("    const total = rows.length;", None),
            ("    int total = 0;", None),
            ("    DEBUG=True,", None),
            // No plain name gets a value.
            ("self.size = 4", None),
            ("module.exports = load", None),
            ("names[0] = 1", None),
            ("first, second = pair", None),
            ("if size == 3:", None),
            ("for (int index = 0; index < 3; index++) {", None),
            ("return text = read()", None),
            ("import fs = require('fs')", None),
            ("using Rows = std::vector<Row>;", None),
            ("counter += 1", None),
            ("total := 3", None),
            ("rows => rows.length", None),
            ("# LIMIT = 3", None),
            ("// limit = 3", None),
            ("print('a=b')", None),
            ("it = 1", None),
            ("=", None),
            ("", None),
        ] {
            assert_eq!(variable(line, None), name, "{line}");
        }
    }

    #[test]
    fn attributes_are_recognised_in_their_class() {
        for (line, class, name) in [
            ("    page_size = 10", Some(0), Some("page_size")),
            ("    page_size: int = 10", Some(0), Some("page_size")),
            ("\tpage_size = 10", Some(0), Some("page_size")),
            ("        page_size = 10", Some(0), None),
            ("\t\tpage_size = 10", Some(0), None),
            ("        page_size = 10", Some(4), Some("page_size")),
            ("    const total = 3;", Some(0), None),
            ("    page_size = 10", None, None),
        ] {
            assert_eq!(variable(line, class), name, "{line:?} {class:?}");
        }
        assert!(begins_class("class Pages(Base):"));
        assert!(begins_class("  export abstract class Pages {"));
        assert!(!begins_class("def class_of(enum):"));
        assert!(!begins_class("module.exports = function () {"));
    }
}

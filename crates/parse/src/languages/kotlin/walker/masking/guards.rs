//! Finds the guards of branches of `when`: `if x > 0` in `is Int if x > 0 ->`. The grammar does not know guards.

use std::ops::Range;

/// Maximum number of lines of a guard.
const MAX_LINES: usize = 20;

/// Returns the range of the guard in a line.
pub(super) fn in_line(line: &str) -> Option<Range<usize>> {
    let start = beginning(line)?;
    let end = start + line.get(start..)?.find(" ->")?;
    is_condition(line.get(start..end)?).then_some(start..end)
}

/// Returns the range of a guard that begins in the first line of a text and ends in another one.
pub(super) fn of_several_lines(text: &str) -> Option<Range<usize>> {
    let mut lines = text.split_inclusive('\n').take(MAX_LINES);
    let first = lines.next()?;
    let start = beginning(first)?;
    let code = first.trim_end();
    let goes_on = code.ends_with('(') || code.ends_with("&&") || code.ends_with("||");
    // The condition of `else if` may be a statement's.
    if !goes_on || first.trim_start().starts_with("else ") {
        return None;
    }
    let mut end = first.len();
    for line in lines {
        if let Some(arrow) = line.find("->") {
            let range = start..end + arrow;
            return is_condition(text.get(range.clone())?).then_some(range);
        }
        if line.contains(['{', '}']) {
            return None;
        }
        end += line.len();
    }
    None
}

/// Returns where the guard of the branch that a line begins with begins.
fn beginning(line: &str) -> Option<usize> {
    let branch = line.trim_start();
    let words = ["is ", "!is ", "in ", "!in ", "else "];
    let is_test = words.iter().any(|word| branch.starts_with(*word));
    if !is_test && !branch.starts_with(char::is_uppercase) {
        return None;
    }
    let start = branch.find(" if ")? + 1;
    let pattern = branch.get(..start)?;
    let is_pattern = match is_test {
        true => !pattern.contains(['{', '"']) && !pattern.contains("->"),
        // `Color.RED if x ->`
        false => pattern
            .trim_end()
            .chars()
            .all(|c| c.is_alphanumeric() || "_.".contains(c)),
    };
    is_pattern.then_some(line.len() - branch.len() + start)
}

/// Whether a text before an arrow is a condition, not the beginning of a lambda or of a string literal with an arrow.
fn is_condition(text: &str) -> bool {
    let is_in_text = text.matches('"').count() % 2 == 1;
    !is_in_text && !text.contains(['{', '}'])
}

#[cfg(test)]
mod tests {
    use super::{in_line, of_several_lines};

    #[test]
    fn guards_are_found() {
        for (line, found) in [
            ("is A if b(c) -> d", Some("if b(c)")),
            ("  is A if b == \"\" -> \"c\"", Some("if b == \"\"")),
            ("  else if a -> d", Some("if a")),
            ("Color.RED if a -> d", Some("if a")),
            ("Some prose if a -> d", None),
            ("is A -> \"b if c -> d\"", None),
            ("is A -> b // if c -> d", None),
            ("else if (a) f { b -> c }", None),
            ("else if (a) \"b -> c\"", None),
        ] {
            assert_eq!(in_line(line).and_then(|range| line.get(range)), found);
        }
    }

    #[test]
    fn guards_of_several_lines_are_found() {
        for (text, found) in [
            (
                "is A<*> if (\n  b(\"\")\n) -> c",
                Some("if (\n  b(\"\")\n) "),
            ),
            ("!is A if b &&\n  c ->\n  d", Some("if b &&\n  c ")),
            ("is A if b(\n  c { d -> e }\n)", None),
            ("else if (a &&\n  b) c else d\nis A -> e", None),
            ("is A if b\n  ->", None),
        ] {
            let range = of_several_lines(text);
            assert_eq!(range.and_then(|range| text.get(range)), found);
        }
    }
}

//! Finds code that was pasted into prose without marks, line by line.

use foveate_parse::code;

use super::document::Line;

/// Returns for every line whether it is code. A blank line counts like the line before it.
pub(super) fn code_lines(lines: &[Line<'_>]) -> Vec<bool> {
    let blocks = indented_blocks(lines);
    let mut code = Vec::with_capacity(lines.len());
    let mut after_code = false;
    let mut blank_before = true;
    for (line, block) in lines.iter().zip(blocks) {
        let blank = line.text.trim().is_empty();
        if !blank {
            after_code = block || is_code(line.text, after_code, blank_before);
        }
        code.push(after_code);
        blank_before = blank;
    }
    code
}

/// Returns for every line whether it is in an indented block with a line that is surely code. Indentation alone
/// is not enough: some writers indent paragraphs.
fn indented_blocks(lines: &[Line<'_>]) -> Vec<bool> {
    let mut blocks = Vec::with_capacity(lines.len());
    for block in lines.chunk_by(|a, b| a.indented == b.indented) {
        let code = block.iter().any(|line| {
            let text = line.text.trim();
            let words = text.split_whitespace().count();
            line.indented && (is_symbolic(text, words) || is_statement(text, words))
        });
        blocks.extend(block.iter().map(|_| code));
    }
    blocks
}

/// Whether a line outside fences is code.
fn is_code(line: &str, after_code: bool, blank_before: bool) -> bool {
    let trimmed = line.trim();
    if code::begins_like_code(trimmed) {
        return !trimmed.ends_with('.') || trimmed.starts_with(">>>");
    }
    if after_code && trimmed.starts_with("...") && !blank_before {
        return true;
    }
    let words = trimmed.split_whitespace().count();
    if trimmed.starts_with("import ") || trimmed.starts_with("from ") {
        return trimmed.starts_with("import ") && words <= 4 && !trimmed.ends_with('.')
            || trimmed.contains(" import ");
    }
    if code::opens_block(trimmed) {
        return after_code || words <= 3 || trimmed.contains(['(', '=', '[', '.']);
    }
    let indented = line.starts_with('\t') || line.starts_with("    ");
    let bullet = trimmed.starts_with(['-', '*', '+', '|', '>'])
        || trimmed.bytes().next().is_some_and(|b| b.is_ascii_digit());
    if indented && !bullet && (after_code || (blank_before && is_symbolic(trimmed, words))) {
        return true;
    }
    if trimmed.ends_with([';', '{', '}']) || matches!(trimmed, ")" | "]" | "})" | ");" | "...") {
        return !trimmed.ends_with("}}") || is_symbolic(trimmed, words);
    }
    is_statement(trimmed, words) || (after_code && is_symbolic(trimmed, words))
}

/// Whether a line is a statement: `name = …`, `a.b(…)`, `return …`, `@a.decorator`, `<tag>`.
fn is_statement(line: &str, words: usize) -> bool {
    let head = line
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']' | '\'' | '"')))
        .unwrap_or(line.len());
    let (name, rest) = line.split_at(head);
    if name.is_empty() {
        return line.starts_with('@') && words == 1 && line.contains('.')
            || line.starts_with("<") && line.ends_with('>');
    }
    let assigned = rest
        .strip_prefix(" = ")
        .or_else(|| rest.strip_prefix('='))
        .is_some_and(|value| !value.starts_with('='));
    let called =
        rest.starts_with('(') && !line.contains("](") && line.ends_with(')') && words <= 12;
    let returned = name == "return" && words <= 6 && !line.ends_with('.');
    assigned && words <= 20 || called || returned
}

/// Whether a line has at least half as many marks of code as words, and at least two.
fn is_symbolic(line: &str, words: usize) -> bool {
    let marks = line
        .chars()
        .filter(|c| "()[]{}=;_<>/'\":".contains(*c))
        .count();
    marks >= 2 && marks * 2 >= words
}

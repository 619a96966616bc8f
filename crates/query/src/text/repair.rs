//! What people write instead of Markdown, made into Markdown before the parser reads it: fences in
//! the wrong column, the code marks of Trac and Jira, `<pre>`, prompts that look like quotations.
//! The text itself stays as it is; what the parser reads is a copy with the same lines of the same
//! lengths, so that every place that it tells is a place in the text.

/// A line with more marks of quotations and lists than this is not read as nested any deeper.
const DEEPEST: usize = 12;

/// Takes the comments out of the lines and gives what the parser is to read.
pub(super) fn repair(lines: &mut [String]) -> String {
    remove_comments(lines);
    let mut structure = String::with_capacity(lines.iter().map(|line| line.len() + 1).sum());
    let mut open: Option<Fence> = None;
    for line in lines.iter() {
        match &open {
            Some(fence) if fence.closes(line) => {
                push_fence(&mut structure, fence.mark(), "", line.len());
                open = None;
            }
            Some(fence) => push_content(&mut structure, line, fence.mark()),
            None => match Fence::opening(line) {
                Some((fence, tail)) => {
                    push_fence(&mut structure, fence.mark(), tail, line.len());
                    open = Some(fence);
                }
                None => push_text(&mut structure, line),
            },
        }
        structure.push('\n');
    }
    structure
}

/// Whether a line opens a block of code.
pub(super) fn opens_fence(line: &str) -> bool {
    Fence::opening(line).is_some()
}

/// What follows the mark on the line that opens a block: its language, or code on the wrong line.
pub(super) fn after_mark(line: &str) -> &str {
    bare(line).trim_start_matches(['`', '~']).trim()
}

/// An opened block of code.
enum Fence {
    /// At least so many of a character, alone on its line, close it.
    Run(char, usize),
    /// A line with this text closes it.
    Text(&'static str),
}

impl Fence {
    /// The fence that a line opens, and what the line says after it.
    fn opening(line: &str) -> Option<(Self, &str)> {
        let trimmed = bare(line);
        for mark in ['`', '~'] {
            let rest = trimmed.trim_start_matches(mark);
            let length = trimmed.len() - rest.len();
            if length >= 3 {
                // "```a```" on one line is inline code, and Python underlines with tildes.
                let named = rest
                    .trim_start()
                    .chars()
                    .next()
                    .is_none_or(|c| c.is_alphanumeric() || matches!(c, '{' | '.' | '(' | '<'));
                let underlines = mark == '~' && line.starts_with("    ");
                let opens = named && !underlines && !rest.contains(mark);
                return opens.then_some((Self::Run(mark, length), rest));
            }
        }
        const PAIRS: &[(&str, &str)] = &[
            ("{{{", "}}}"),
            ("<pre", "</pre"),
            ("{code", "{code}"),
            ("{noformat}", "{noformat}"),
        ];
        let (open, close) = PAIRS.iter().find(|(open, _)| trimmed.starts_with(open))?;
        let rest = trimmed.get(open.len()..).unwrap_or("");
        (!rest.contains(close)).then_some((Self::Text(close), rest))
    }

    fn closes(&self, line: &str) -> bool {
        let line = bare(line);
        match self {
            Self::Run(mark, length) => line.len() >= *length && line.chars().all(|c| c == *mark),
            Self::Text(close) => line.contains(close),
        }
    }

    /// The character of the fence that the parser reads for it.
    fn mark(&self) -> char {
        match self {
            Self::Run(mark, _) => *mark,
            Self::Text(_) => '~',
        }
    }
}

/// A line without the marks of quotations around it.
fn bare(line: &str) -> &str {
    line.trim_start_matches([' ', '\t', '>']).trim_end()
}

/// A fence in the first column. Three marks are enough: no content looks like them.
fn push_fence(structure: &mut String, mark: char, tail: &str, length: usize) {
    let start = structure.len();
    structure.extend([mark; 3]);
    let language = tail.trim_start_matches([':', '#', '!', '>', ' ']);
    // An info string in backticks must not hold any, nor may it be longer than the line.
    if language.len() + 3 <= length && !language.contains(['`', '~']) {
        structure.push_str(language);
    }
    pad(structure, start + length);
}

/// A line inside a fence, so that the parser does not take it for the fence's end.
fn push_content(structure: &mut String, line: &str, mark: char) {
    let trimmed = line.trim_start();
    if trimmed.starts_with(mark) {
        pad(structure, structure.len() + line.len());
    } else {
        structure.push_str(line);
    }
}

fn push_text(structure: &mut String, line: &str) {
    let trimmed = line.trim_start();
    let start = structure.len();
    let indent = line.len() - trimmed.len();
    structure.push_str(line.get(..indent).unwrap_or(""));
    if let Some(rest) = trimmed.strip_prefix(">>>") {
        // A prompt, not a quotation in a quotation in a quotation.
        structure.push_str(":::");
        structure.push_str(rest);
    } else if let Some(rest) = trimmed.strip_prefix('<') {
        // A tag at the start of a line would hide the Markdown after it from the parser.
        structure.push('(');
        structure.push_str(rest);
    } else if trimmed.starts_with("~~~")
        || trimmed.starts_with("```") && !trimmed.trim_start_matches('`').contains('`')
    {
        // What looks like a fence and is none: see `Fence::opening`.
        structure.push(':');
        structure.push_str(trimmed.get(1..).unwrap_or(""));
    } else if depth(trimmed) > DEEPEST {
        pad(structure, start + line.len());
    } else {
        structure.push_str(trimmed);
    }
}

fn pad(structure: &mut String, length: usize) {
    while structure.len() < length {
        structure.push(' ');
    }
}

/// How many marks of quotations and lists a line begins with.
fn depth(line: &str) -> usize {
    line.split(' ')
        .take_while(|word| matches!(*word, "" | "-" | "*" | "+") || word.bytes().all(|b| b == b'>'))
        .map(str::len)
        .sum()
}

/// Takes `<!-- … -->` out of the text, but not out of code and not where it is never closed.
fn remove_comments(lines: &mut [String]) {
    let Some(last_end) = lines.iter().rposition(|line| line.contains("-->")) else {
        return;
    };
    let mut open: Option<Fence> = None;
    let mut in_comment = false;
    for (number, line) in lines.iter_mut().enumerate().take(last_end + 1) {
        if in_comment {
            match line.find("-->") {
                Some(end) => {
                    line.drain(..end + "-->".len());
                }
                None => {
                    line.clear();
                    continue;
                }
            }
        } else if let Some(fence) = &open {
            if fence.closes(line) {
                open = None;
            }
            continue;
        } else if let Some((fence, _)) = Fence::opening(line) {
            open = Some(fence);
            continue;
        }
        in_comment = remove_comments_of_line(line, number < last_end);
    }
}

/// Takes the comments out of a line; whether one goes on in the next, where it may.
fn remove_comments_of_line(line: &mut String, may_go_on: bool) -> bool {
    if !line.contains("<!--") {
        return false;
    }
    let mut kept = String::with_capacity(line.len());
    let mut rest = line.as_str();
    let mut goes_on = false;
    while let Some(at) = rest.find("<!--") {
        let (before, comment) = rest.split_at(at);
        kept.push_str(before);
        let quoted = kept.bytes().filter(|b| *b == b'`').count() % 2 == 1;
        match comment.find("-->") {
            Some(end) if !quoted => rest = comment.get(end + "-->".len()..).unwrap_or(""),
            None if !quoted && may_go_on => {
                rest = "";
                goes_on = true;
            }
            _ => {
                kept.push_str("<!--");
                rest = comment.get("<!--".len()..).unwrap_or("");
            }
        }
    }
    kept.push_str(rest);
    *line = kept;
    goes_on
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, wanted: &str) {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let structure = repair(&mut lines);
        let lengths: Vec<usize> = structure.lines().map(str::len).collect();
        assert_eq!(lengths, lines.iter().map(String::len).collect::<Vec<_>>());
        let shown: Vec<&str> = structure.lines().map(str::trim_end).collect();
        assert_eq!(shown.join("\n"), wanted);
    }

    #[test]
    fn foreign_code_marks_become_fences() {
        check("{{{#!python\nx = 1\n}}}\ny", "~~~python\nx = 1\n~~~\ny");
        check("{code:java}\nx\n{code}", "~~~java}\nx\n~~~");
        check("<pre>\n<b>\n</pre>", "~~~\n<b>\n~~~");
        check("      ```py\n  x\n      ```", "```py\n  x\n```");
        check("> ```\n> x\n> ```", "```\n> x\n```");
    }

    #[test]
    fn what_only_looks_like_markdown_is_guarded() {
        check(">>> f(x)", "::: f(x)");
        check("<details>\n~~~^^^", "(details>\n:~~^^^");
        check("```a```\n```-b", "```a```\n:``-b");
        check("> > > > > > > > > > > > > > > x", "");
    }

    #[test]
    fn comments_go_but_not_from_code() {
        check("a <!-- b\n```\nc --> d", "a\n\n d");
        check(
            "```\n<!-- x -->\n```\n<!-- y",
            "```\n<!-- x -->\n```\n(!-- y",
        );
        check("say `<!-- x -->` here", "say `<!-- x -->` here");
        check("a <!-- b --> c <!-- d --> e", "a  c  e");
    }
}

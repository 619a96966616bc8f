//! Repairs malformed Markdown before it is parsed: fences in the wrong column, the code marks of Trac and
//! Jira, `<pre>`, prompts that look like quotations. The parser reads a repaired copy whose lines have the
//! lengths of the original ones, so that its offsets are valid in the text.

/// A line with more quotation and list marks than this is blanked for the parser.
const MAX_DEPTH: usize = 12;

/// Removes HTML comments outside code from the lines and returns the copy for the parser.
pub(super) fn repair(lines: &mut [String]) -> String {
    let mut structure = String::with_capacity(lines.iter().map(|line| line.len() + 1).sum());
    let closing = closing_below(lines);
    // A comment that is never closed is none.
    let last_end = lines.iter().rposition(|line| line.contains(COMMENT_END));
    let mut in_comment = false;
    let mut open: Option<Fence> = None;
    for (number, line) in lines.iter_mut().enumerate() {
        match &open {
            Some(fence) if fence.closes(line) => {
                push_fence(&mut structure, fence.mark(), "", line.len());
                open = None;
            }
            Some(fence) => push_content(&mut structure, line, fence.mark()),
            None => {
                let marks = closing.get(number).copied().unwrap_or(0);
                if in_comment || Fence::opening(line, marks).is_none() {
                    let may_continue = Some(number) < last_end;
                    in_comment = remove_comments(line, in_comment, may_continue);
                }
                match Fence::opening(line, marks).filter(|_| !in_comment) {
                    Some((fence, tail)) => {
                        push_fence(&mut structure, fence.mark(), tail, line.len());
                        open = Some(fence);
                    }
                    None => push_text(&mut structure, line),
                }
            }
        }
        structure.push('\n');
    }
    structure
}

/// Whether a line opens a block of code, if the lines below close it.
pub(super) fn opens_fence(line: &str) -> bool {
    Fence::opening(line, usize::MAX).is_some()
}

/// Returns for every line the number of backticks that close a fence below it: zero if the next line that begins like
/// a fence has other text, too.
fn closing_below(lines: &[String]) -> Vec<usize> {
    let mut below = 0;
    let mut closing: Vec<usize> = lines
        .iter()
        .rev()
        .map(|line| {
            let here = below;
            let line = bare(line);
            if line.starts_with("```") {
                let is_mark = line.bytes().all(|byte| byte == b'`');
                below = if is_mark { line.len() } else { 0 };
            }
            here
        })
        .collect();
    closing.reverse();
    closing
}

/// Returns the text after the mark on the line that opens a block: its language, or code on the wrong line.
pub(super) fn after_mark(line: &str) -> &str {
    bare(line).trim_start_matches(['`', '~']).trim()
}

/// Returns the code after a mark of Jira or HTML on the line that opens a block; `None` for other marks, which an info
/// string may follow.
pub(super) fn code_after_mark(line: &str) -> Option<&str> {
    let (fence, rest) = Fence::opening(line, usize::MAX)?;
    let end_of_mark = match fence {
        Fence::Text("</pre") => '>',
        Fence::Text("{code}") => '}',
        Fence::Text("{noformat}") => return Some(rest.trim()),
        _ => return None,
    };
    Some(
        rest.split_once(end_of_mark)
            .map_or("", |(_, code)| code.trim()),
    )
}

/// Returns the code before a mark of Jira or HTML on the line that closes the block opened by another line.
pub(super) fn code_before_mark<'t>(line: &'t str, opening: &str) -> Option<&'t str> {
    let (Fence::Text(close), _) = Fence::opening(opening, usize::MAX)? else {
        return None;
    };
    let (code, _) = bare(line).split_once(close)?;
    Some(code.trim_end())
}

/// An opened block of code.
enum Fence {
    /// Closed by a line of only this character, at least this many times.
    Run(char, usize),
    /// Closed by a line that contains this text.
    Text(&'static str),
}

impl Fence {
    /// Returns the fence that a line opens, and the rest of the line. `closing` is the number of backticks that close
    /// a fence below it.
    fn opening(line: &str, closing: usize) -> Option<(Self, &str)> {
        let trimmed = bare(line);
        for mark in ['`', '~'] {
            let rest = trimmed.trim_start_matches(mark);
            let length = trimmed.len() - rest.len();
            if length >= 3 {
                // "```a```" on one line is inline code, and Python underlines errors with tildes.
                let named = rest
                    .trim_start()
                    .chars()
                    .next()
                    .is_none_or(|c| c.is_alphanumeric() || matches!(c, '{' | '.' | '(' | '<'));
                let underlines = mark == '~' && line.starts_with("    ");
                // Output may begin on the line of the mark: "```$ run".
                let is_closed = mark == '`' && closing >= length;
                let opens = (named || is_closed) && !underlines && !rest.contains(mark);
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
        // "<prefix>" is no mark.
        if *open == "<pre" && rest.starts_with(|c: char| c != '>' && !c.is_whitespace()) {
            return None;
        }
        (!rest.contains(close)).then_some((Self::Text(close), rest))
    }

    fn closes(&self, line: &str) -> bool {
        let line = bare(line);
        match self {
            Self::Run(mark, length) => line.len() >= *length && line.chars().all(|c| c == *mark),
            Self::Text(close) => line.contains(close),
        }
    }

    /// Returns the character of the fence in the copy for the parser.
    fn mark(&self) -> char {
        match self {
            Self::Run(mark, _) => *mark,
            Self::Text(_) => '~',
        }
    }
}

/// Returns a line without quotation marks (`>`) and white space around it.
fn bare(line: &str) -> &str {
    line.trim_start_matches([' ', '\t', '>']).trim_end()
}

/// Appends a fence in the first column. Three marks are enough: [`push_content`] blanks content that looks
/// like a fence.
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

/// Appends a line inside a fence, blanked if the parser could take it for the end of the fence.
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
        // A Python prompt, not a nested quotation.
        structure.push_str(":::");
        structure.push_str(rest);
    } else if let Some(rest) = trimmed.strip_prefix('<') {
        // A tag at the start of a line would hide the Markdown after it from the parser.
        structure.push('(');
        structure.push_str(rest);
    } else if trimmed.starts_with("~~~")
        || trimmed.starts_with("```") && !trimmed.trim_start_matches('`').contains('`')
    {
        // Looks like a fence but is none: see `Fence::opening`.
        structure.push(':');
        structure.push_str(trimmed.get(1..).unwrap_or(""));
    } else if depth(trimmed) > MAX_DEPTH {
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

/// Counts the quotation and list marks at the start of a line.
fn depth(line: &str) -> usize {
    line.split(' ')
        .take_while(|word| matches!(*word, "" | "-" | "*" | "+") || word.bytes().all(|b| b == b'>'))
        .map(str::len)
        .sum()
}

const COMMENT_START: &str = "<!--";
const COMMENT_END: &str = "-->";

/// Removes the comments from a line, which may begin in one. Returns whether one continues in the next line, which
/// `may_continue` allows.
fn remove_comments(line: &mut String, in_comment: bool, may_continue: bool) -> bool {
    if in_comment {
        let Some(end) = line.find(COMMENT_END) else {
            line.clear();
            return true;
        };
        line.drain(..end + COMMENT_END.len());
    }
    if !line.contains(COMMENT_START) {
        return false;
    }
    let mut kept = String::with_capacity(line.len());
    let mut rest = line.as_str();
    let mut continues = false;
    let mut is_quoted = false;
    // The next end of a comment, which is searched again once it is passed.
    let mut end = line.find(COMMENT_END);
    while let Some(at) = rest.find(COMMENT_START) {
        let (before, comment) = rest.split_at(at);
        kept.push_str(before);
        is_quoted ^= before.matches('`').count() % 2 == 1;
        let start = line.len() - comment.len();
        if end.is_some_and(|end| end < start) {
            end = comment.find(COMMENT_END).map(|end| start + end);
        }
        match end {
            Some(end) if !is_quoted => rest = line.get(end + COMMENT_END.len()..).unwrap_or(""),
            None if !is_quoted && may_continue => {
                rest = "";
                continues = true;
            }
            _ => {
                kept.push_str(COMMENT_START);
                rest = comment.get(COMMENT_START.len()..).unwrap_or("");
            }
        }
    }
    kept.push_str(rest);
    *line = kept;
    continues
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
        check("> ```\n> x\n```\ny", "```\n> x\n```\ny");
    }

    #[test]
    fn lookalikes_of_markdown_are_masked() {
        check(">>> f(x)", "::: f(x)");
        check("<details>\n~~~^^^", "(details>\n:~~^^^");
        check("```a```\n```-b", "```a```\n:``-b");
        check("```-b\n```py\nx\n```", ":``-b\n```py\nx\n```");
        check("<prefix> is kept\n`x`", "(prefix> is kept\n`x`");
        check("> > > > > > > > > > > > > > > x", "");
    }

    #[test]
    fn output_on_the_line_of_a_fence_opens_it() {
        check("```$ run\nok\n```\nx", "```$ run\nok\n```\nx");
        check("```[log]\nok\n```\nx", "```[log]\nok\n```\nx");
        check("```/path\nok\n```\nx", "```/path\nok\n```\nx");
        check("````-b\nok", ":```-b\nok");
    }

    #[test]
    fn comments_are_removed_except_in_code() {
        check("a <!-- b\n```\nc --> d", "a\n\n d");
        check(
            "```\n<!-- x -->\n```\n<!-- y", "```\n<!-- x -->\n```\n(!-- y",
        );
        check("say `<!-- x -->` here", "say `<!-- x -->` here");
        check("a <!-- b --> c <!-- d --> e", "a  c  e");
        check("a <!-- `b --> `c <!-- d --> ` e", "a  `c <!-- d --> ` e");
        check("a <!--> b <!-- c --> d", "a  b  d");
    }
}

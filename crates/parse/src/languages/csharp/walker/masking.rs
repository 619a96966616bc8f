//! Blanks out what the grammar cannot parse. Every byte keeps its offset.
//!
//! - `ref` in `ref partial struct`.
//! - The head and the braces of `extension(A a) { … }`: its members become those of the class around it.
//! - `?` in `a?.b = c`.
//! - Directives of programs without a project: `#:package A`.
//! - The end of `type` in `[type]`, and of other words for the targets of attributes.
//! - Conditionals inside lists, and those whose branches are parts of statements, such as `#if A` before
//!   an `else`, or after a `=`. If the branches cannot stand side by side, all but the first with code are blanked out too.

use std::borrow::Cow;
use std::ops::Range;

/// Deepest nesting of conditionals that is followed; deeper texts are not changed.
const MAX_CONDITIONALS: usize = 64;

/// Maximum number of `extension` blocks whose end is searched.
const MAX_EXTENSIONS: usize = 64;
/// Maximum number of lines after a conditional in which the next code is searched.
const MAX_LINES_AFTER: usize = 64;

/// Words at the start of a line by which it is a part of a switch or of an `if`.
const KEYWORDS: [&str; 3] = ["case", "default", "else"];

/// Words for the targets of attributes, as in `[method: A]`, that may also be names.
const TARGETS: [&str; 7] = [
    "assembly", "field", "method", "module", "param", "property", "type",
];

/// Returns the text to parse.
pub(super) fn masked(text: &str) -> Cow<'_, str> {
    let mut masked = mask_conditionals(text);
    for (at, _) in text.match_indices("ref partial struct") {
        blank(&mut masked, at..at + 3);
    }
    mask_extensions(text, &mut masked);
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if let Some(at) = conditional_target(line) {
            blank(&mut masked, start + at..start + at + 1);
        }
        if line.trim_start_matches('\u{feff}').starts_with("#:") {
            blank(&mut masked, start..start + line.len());
        }
        start += line.len();
    }
    for (at, _) in text.match_indices('[') {
        let is_kept = masked.get(at..=at) == Some("[");
        if let Some(word) = target_as_name(text.get(at + 1..).unwrap_or("")).filter(|_| is_kept) {
            let last = at + word.len();
            masked.to_mut().replace_range(last..=last, "q");
        }
    }
    masked
}

/// Returns the word for a target of attributes that a text begins with if no attribute follows it. The grammar expects one
/// after a bracket, even in `a[type]`.
fn target_as_name(text: &str) -> Option<&'static str> {
    let mut words = TARGETS
        .iter()
        .filter_map(|word| Some((*word, text.strip_prefix(*word)?)));
    let (word, rest) = words.next()?;
    rest.starts_with([']', '.', ',', '(', '[', '?', '!'])
        .then_some(word)
}

/// Overwrites a range with spaces, except for line ends.
fn blank(masked: &mut Cow<'_, str>, range: Range<usize>) {
    let Some(old) = masked.get(range.clone()) else {
        return;
    };
    let spaces = |byte| match byte {
        b'\r' | b'\n' => char::from(byte),
        _ => ' ',
    };
    let spaces: String = old.bytes().map(spaces).collect();
    masked.to_mut().replace_range(range, &spaces);
}

fn mask_extensions(text: &str, masked: &mut Cow<'_, str>) {
    let is_head = |line: &str| {
        let rest = line.trim_start().strip_prefix("extension");
        rest.is_some_and(|rest| rest.starts_with(['(', '<']))
    };
    if !text.lines().any(is_head) {
        return;
    }
    let lines = scan(text);
    let heads = lines.iter().enumerate().filter(|(_, line)| {
        line.first == Some('e') && text.get(line.range.clone()).is_some_and(is_head)
    });
    for (at, line) in heads.take(MAX_EXTENSIONS) {
        let content = text.get(line.range.clone()).unwrap_or("");
        let head = line.range.start + content.len() - content.trim_start().len();
        let body = lines.get(at..).unwrap_or_default();
        if let Some((open, close)) = braces_of_body(text, head, body) {
            blank(masked, head..open + 1);
            blank(masked, close..close + 1);
        }
    }
}

/// Returns the offsets of the braces around the first body in some lines, the first of which has its head.
fn braces_of_body(text: &str, head: usize, lines: &[Line]) -> Option<(usize, usize)> {
    let after = text.get(head..)?;
    let open = after.find(['{', '}', ';'])?;
    if !after.get(open..)?.starts_with('{') {
        return None;
    }
    let mut depth = 0;
    let last = lines.iter().find(|line| {
        depth += line.braces;
        depth <= 0 && line.range.end > head + open
    })?;
    let close = text.get(last.range.clone())?.rfind('}')?;
    Some((head + open, last.range.start + close))
}

/// Returns the offset of the last `?` in the target of an assignment that a line begins with: `a?.b = c`.
fn conditional_target(line: &str) -> Option<usize> {
    let indent = line.len() - line.trim_start().len();
    let (target, rest) = line.get(indent..)?.split_once(' ')?;
    let operator = rest.split(' ').next()?.trim_end();
    let is_assignment = operator.ends_with('=') && !matches!(operator, "==" | "!=" | "<=" | ">=");
    let at = target.rfind("?.").or_else(|| target.rfind("?["))?;
    let is_plain = |c: char| c.is_alphanumeric() || "_.[]()?!".contains(c);
    (is_assignment && target.chars().all(is_plain)).then_some(indent + at)
}

fn mask_conditionals(text: &str) -> Cow<'_, str> {
    let mut masked = Cow::Borrowed(text);
    if text.contains("#if") {
        let lines = scan(text);
        let blanks = irregular(&lines).unwrap_or_default();
        for (line, _) in lines.into_iter().zip(blanks).filter(|(_, is)| *is) {
            blank(&mut masked, line.range);
        }
    }
    masked
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Directive {
    If,
    Else,
    Endif,
}

/// The content of a conditional's branches. Of those of several branches, the last in this order counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Content {
    /// Statements or members of types.
    Statements,
    /// Sections of a switch, or values of an enum.
    ListMembers,
    Parts,
}

/// A line, without its comments and the content of its literals.
#[derive(Debug, Default)]
struct Line {
    range: Range<usize>,
    directive: Option<Directive>,
    first: Option<char>,
    last: Option<char>,
    /// Whether an expression is to follow: it ends with `=` or `=>`.
    is_open: bool,
    keyword: Option<&'static str>,
    /// Braces that it opens, less those that it closes; and the lowest depth on the way.
    braces: i32,
    lowest: i32,
    parentheses: i32,
}

/// The literal or comment that goes on behind a line, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Code,
    Comment,
    /// `@"…"`
    Verbatim,
    /// `"""…"""`, with its number of quotes.
    Raw(usize),
}

fn scan(text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let (mut state, mut start) = (State::Code, 0);
    for content in text.split_inclusive('\n') {
        let mut line = Line {
            range: start..start + content.len(),
            ..Line::default()
        };
        start += content.len();
        let trimmed = content.trim_start();
        match trimmed.strip_prefix('#') {
            Some(rest) if state == State::Code => line.directive = directive(rest),
            _ => state = scan_line(content, state, &mut line),
        }
        lines.push(line);
    }
    lines
}

fn directive(text: &str) -> Option<Directive> {
    let text = text.trim_start();
    let len = text.find(|c: char| !c.is_ascii_alphabetic());
    match text.get(..len.unwrap_or(text.len()))? {
        "if" => Some(Directive::If),
        "else" | "elif" => Some(Directive::Else),
        "endif" => Some(Directive::Endif),
        _ => None,
    }
}

fn scan_line(content: &str, mut state: State, line: &mut Line) -> State {
    let mut rest = content;
    while let Some(c) = rest.chars().next() {
        let len = match state {
            State::Comment => {
                let end = rest.find("*/");
                state = end.map_or(state, |_| State::Code);
                end.map_or(rest.len(), |end| end + 2)
            }
            State::Raw(quotes) => {
                // Many short lines may be in a literal with many quotes.
                let may_end = rest.len() >= quotes;
                let end = may_end.then(|| rest.find(&"\"".repeat(quotes))).flatten();
                state = end.map_or(state, |_| State::Code);
                end.map_or(rest.len(), |end| end + quotes)
            }
            State::Verbatim => match rest.find('"') {
                Some(end)
                    if rest
                        .get(end + 1..)
                        .is_some_and(|rest| rest.starts_with('"')) =>
                {
                    end + 2
                }
                end => {
                    state = end.map_or(state, |_| State::Code);
                    end.map_or(rest.len(), |end| end + 1)
                }
            },
            State::Code if rest.starts_with("//") => break,
            State::Code if rest.starts_with("/*") => {
                state = State::Comment;
                2
            }
            State::Code => {
                line.token(c, rest);
                let (next, len) = literal(c, rest);
                state = next;
                len
            }
        };
        rest = rest.get(len..).unwrap_or("");
    }
    state
}

/// Returns the length of the literal that a text begins with, or that of its first character.
fn literal(c: char, rest: &str) -> (State, usize) {
    let quotes = rest.len() - rest.trim_start_matches('"').len();
    if quotes >= 3 {
        return (State::Raw(quotes), quotes);
    }
    for start in ["@\"", "$@\"", "@$\""] {
        if rest.starts_with(start) {
            return (State::Verbatim, start.len());
        }
    }
    if c != '"' && c != '\'' {
        return (State::Code, c.len_utf8());
    }
    let mut is_escaped = false;
    for (at, inner) in rest.char_indices().skip(1) {
        match inner {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if inner == c => return (State::Code, at + 1),
            _ => {}
        }
    }
    (State::Code, rest.len())
}

impl Line {
    fn token(&mut self, c: char, rest: &str) {
        if c.is_whitespace() || c == '\u{feff}' {
            return;
        }
        if self.first.is_none() {
            self.first = Some(c);
            let len = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
            let word = rest.get(..len.unwrap_or(rest.len()));
            let keyword = KEYWORDS.iter().find(|keyword| word == Some(**keyword));
            self.keyword = keyword.copied();
        }
        self.is_open = c == '=' || c == '>' && self.last == Some('=');
        self.last = Some(c);
        match c {
            '{' => self.braces += 1,
            '}' => self.braces -= 1,
            '(' => self.parentheses += 1,
            ')' => self.parentheses -= 1,
            _ => {}
        }
        self.lowest = self.lowest.min(self.braces);
    }
}

/// Returns for each line whether to blank it out; `None` if the nesting is too deep to follow.
fn irregular(lines: &[Line]) -> Option<Vec<bool>> {
    let mut blanks = vec![false; lines.len()];
    let mut open: Vec<Conditional> = Vec::new();
    let (mut parentheses, mut is_open) = (0, false);
    for (at, line) in lines.iter().enumerate() {
        match line.directive {
            Some(Directive::If) => {
                if open.len() >= MAX_CONDITIONALS {
                    return None;
                }
                open.push(Conditional {
                    directives: vec![at],
                    parentheses,
                    is_open,
                });
            }
            Some(Directive::Else) => {
                if let Some(conditional) = open.last_mut() {
                    conditional.directives.push(at);
                    parentheses = conditional.parentheses;
                }
            }
            Some(Directive::Endif) => {
                if let Some(mut conditional) = open.pop() {
                    conditional.directives.push(at);
                    conditional.decide(lines, &mut blanks);
                }
            }
            // A brace at the end of a line begins or ends statements, also those of a lambda.
            None if matches!(line.last, Some('{' | '}' | ';')) => {
                (parentheses, is_open) = (0, false);
            }
            None => {
                parentheses += line.parentheses;
                is_open = line.is_open || is_open && line.first.is_none();
            }
        }
    }
    Some(blanks)
}

struct Conditional {
    /// Positions of the lines of its directives, the last of which is its end.
    directives: Vec<usize>,
    /// Parentheses that are open where it begins.
    parentheses: i32,
    /// Whether an expression is to follow where it begins.
    is_open: bool,
}

impl Conditional {
    fn decide(&self, lines: &[Line], blanks: &mut [bool]) {
        let branches = self.directives.windows(2).filter_map(|pair| match pair {
            [start, end] => Some(start + 1..*end),
            _ => None,
        });
        let branches: Vec<_> = branches.collect();
        let end = self.directives.last().copied().unwrap_or(0);
        let code = |range: Range<usize>| {
            let lines = lines.get(range.clone()).unwrap_or_default().iter();
            let lines = lines.zip(blanks.get(range).unwrap_or_default());
            let lines = lines
                .filter(|(_, is_blank)| !**is_blank)
                .map(|(line, _)| line);
            lines.filter(|line| line.first.is_some())
        };
        let after = end + 1..lines.len().min(end + 1 + MAX_LINES_AFTER);
        let next = code(after).next();
        let is_part = self.parentheses > 0
            || self.is_open
            || next.is_some_and(|line| line.keyword == Some("else"));
        let contents = branches.iter().map(|branch| content(code(branch.clone())));
        let content = match is_part {
            true => Content::Parts,
            false => contents.max().unwrap_or(Content::Statements),
        };
        if content == Content::Statements {
            return;
        }
        if content == Content::Parts {
            let has_code = |branch: &Range<usize>| code(branch.clone()).next().is_some();
            let kept = branches.iter().position(has_code);
            for (at, branch) in branches.into_iter().enumerate() {
                if Some(at) != kept {
                    blanks.get_mut(branch).unwrap_or_default().fill(true);
                }
            }
        }
        for at in &self.directives {
            if let Some(blank) = blanks.get_mut(*at) {
                *blank = true;
            }
        }
    }
}

/// Classifies the lines of a branch.
fn content<'l>(lines: impl Iterator<Item = &'l Line>) -> Content {
    let (mut depth, mut lowest, mut last) = (0, 0, None);
    let (mut found, mut is_section) = (Content::Statements, false);
    for (at, line) in lines.enumerate() {
        match line.keyword {
            _ if at > 0 => {}
            Some("else") => return Content::Parts,
            Some(_) => found = Content::ListMembers,
            // A body, or the rest of an expression.
            None if matches!(line.first, Some('{' | '=' | '.' | '?' | ':' | '&' | '|')) => {
                return Content::Parts;
            }
            None => {}
        }
        lowest = lowest.min(depth + line.lowest);
        depth += line.braces;
        last = line.last;
        is_section = line.keyword.is_some();
    }
    match last {
        _ if depth != 0 || lowest != 0 => Content::Parts,
        None | Some(';' | '}' | ']') => found,
        Some(':') if is_section => found,
        Some(',') => Content::ListMembers,
        Some(_) => Content::Parts,
    }
}

#[cfg(test)]
mod tests {
    use super::masked;

    /// Checks which lines are left; `|` stands for the end of a line.
    #[track_caller]
    fn check(text: &str, wanted: &str) {
        let text = text.replace('|', "\n");
        let masked = masked(&text);
        assert_eq!(masked.len(), text.len());
        let left = masked
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty());
        assert_eq!(left.collect::<Vec<_>>().join("|"), wanted);
    }

    #[test]
    fn conditionals_between_statements_stay() {
        for text in [
            "#if A|using X;|#endif",
            "class C|{|#if A|int F() { return 1; }|#elif B|[Old]|#else|int x;|#endif|}",
            "var text = @\"|#if A|else\";",
            "/*|#if A|else|#endif|*/",
            "#region A|#endregion|class C { } // #if",
        ] {
            check(text, text);
        }
    }

    /// It would take minutes if each line were searched for all the quotes.
    #[test]
    fn raw_literal_with_many_quotes_takes_linear_time() {
        let quotes = "\"".repeat(200_000);
        let text = format!(
            "#if A\n#endif\nvar a = {quotes};\n{}",
            "b\n".repeat(200_000)
        );
        assert_eq!(masked(&text), text);
    }

    #[test]
    fn partial_structs_lose_ref() {
        check(
            "ref partial struct A { } readonly ref struct B { }",
            "partial struct A { } readonly ref struct B { }",
        );
    }

    #[test]
    fn extension_blocks_lose_their_head_and_braces() {
        check(
            "static class E {|extension<T>(List<T> list)|where T : I|{|int F() { return 1; }|}|int G;|}",
            "static class E {|int F() { return 1; }|int G;|}",
        );
        check(
            "// extension(A a) { }|extension(a);",
            "// extension(A a) { }|extension(a);",
        );
    }

    #[test]
    fn targets_of_assignments_lose_their_question_mark() {
        check("a?.b = c;|a.b?[0] += 1;", "a .b = c;|a.b [0] += 1;");
        check(
            "a = b?.c == d;|f(a?.b, c) == d;",
            "a = b?.c == d;|f(a?.b, c) == d;",
        );
    }

    #[test]
    fn parts_of_statements_lose_their_directives() {
        check(
            "if (a) { b(); }|#if A|else if (c)|{|d(); // }|}|#endif|else { e(); }",
            "if (a) { b(); }|else if (c)|{|d(); // }|}|else { e(); }",
        );
        check(
            "#if A|if (a)|{|b(\"}\");|}|else|#endif|{|c();|}",
            "if (a)|{|b(\"}\");|}|else|{|c();|}",
        );
        check("f(a,|#if A|b,|#endif|c);", "f(a,|b,|c);");
    }

    #[test]
    fn of_alternative_expressions_the_first_stays() {
        check(
            "int F() =>|// why|#if A|1;|#else|2;|#endif|int x =|#if A|3;|#endif|f(y >=|z);",
            "int F() =>|// why|1;|int x =|3;|f(y >=|z);",
        );
        check(
            "bool F()|#if A|=> 1|+ 2;|#else|=> 3;|#endif|int G;",
            "bool F()|=> 1|+ 2;|int G;",
        );
    }

    #[test]
    fn directives_of_programs_without_a_project_are_blank() {
        check(
            "#:sdk A|#:property B=c|#if D|f();|#endif",
            "#if D|f();|#endif",
        );
    }

    #[test]
    fn targets_of_attributes_may_be_names() {
        check(
            "[method: A] x = b[type]; f([method, c]); d[types];|[type : E]",
            "[method: A] x = b[typq]; f([methoq, c]); d[types];|[type : E]",
        );
    }

    #[test]
    fn members_of_lists_stay() {
        check(
            "enum E {|#if A|One,|#else|Other,|#endif|Two|}",
            "enum E {|One,|Other,|Two|}",
        );
        check(
            "switch (x) {|#if A|case 1:|return 1;|#else|case 2: return 3;|#endif|default: break;|}",
            "switch (x) {|case 1:|return 1;|case 2: return 3;|default: break;|}",
        );
    }

    #[test]
    fn of_alternative_parts_the_first_with_code_stays() {
        check(
            "#if A|// none|#elif B|if (a) {|#else|if (b) {|#endif|c(); }",
            "if (a) {|c(); }",
        );
        check(
            "var x =|#if A|1|#if B|+ 2|#endif|#else|3|#endif|;",
            "var x =|1|+ 2|;",
        );
    }
}

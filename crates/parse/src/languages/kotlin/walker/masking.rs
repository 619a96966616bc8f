//! Masks names that the scanner of the grammar misreads, and constructs that the grammar does not know. Each can spoil the
//! parse of a whole file. The replacement has the same length.

use std::borrow::Cow;
use std::iter::Peekable;
use std::ops::Range;

use memchr::memchr;
use memchr::memmem::{FindIter, find_iter};

/// Words that the scanner of the grammar takes for keywords at the start of a line, even as the
/// beginning of a name (`in1`) or before a dot.
const SCANNER_KEYWORDS: &[&str] = &[
    "as", "by", "constructor", "else", "get", "in", "instanceof", "set", "where",
];

/// Words that are keywords only before declarations, and may be assigned to like variables elsewhere.
const MODIFIERS: &[&str] = &[
    "abstract", "external", "final", "inline", "internal", "lateinit", "open", "override",
    "private", "protected", "public", "suspend",
];

/// Returns the text to parse, in which every byte keeps its offset.
pub(super) fn masked(text: &str) -> Cow<'_, str> {
    let mut masker = Masker {
        text,
        changed: None,
    };
    masker.mask_words();
    let mut places = Places::new(text);
    let mut start = 0;
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let end = start + line.len();
        let words = places.words(start..end);
        masker.mask_line(start, (line, lines.peek().copied()), words);
        start = end;
    }
    masker.changed.map_or(Cow::Borrowed(text), Cow::Owned)
}

/// The places of a word in a text, in order.
type Found<'t> = Peekable<FindIter<'t, 'static>>;

/// Where the words are that most lines lack. To search a whole text for them is far quicker than to search each line.
struct Places<'t> {
    context: Found<'t>,
    class: Found<'t>,
    constructor: Found<'t>,
    quotes: Found<'t>,
}

/// Which of these words a line has.
struct Words {
    context: bool,
    class: bool,
    constructor: bool,
    quotes: bool,
}

impl<'t> Places<'t> {
    fn new(text: &'t str) -> Self {
        let places = |word: &'static str| find_iter(text.as_bytes(), word).peekable();
        Self {
            context: places("context("),
            class: places("class "),
            constructor: places("constructor"),
            quotes: places(FOUR_QUOTES),
        }
    }

    /// Returns which words are in a line. Lines are asked for in the order of the text.
    fn words(&mut self, line: Range<usize>) -> Words {
        let is_in = |found: &mut Found<'t>| {
            while found.next_if(|at| *at < line.start).is_some() {}
            found.peek().is_some_and(|at| *at < line.end)
        };
        Words {
            context: is_in(&mut self.context),
            class: is_in(&mut self.class),
            constructor: is_in(&mut self.constructor),
            quotes: is_in(&mut self.quotes),
        }
    }
}

struct Masker<'t> {
    text: &'t str,
    /// The masked text, if it differs.
    changed: Option<String>,
}

impl Masker<'_> {
    /// Overwrites the bytes from `start` on.
    fn overwrite(&mut self, start: usize, with: &str) {
        let changed = self.changed.get_or_insert_with(|| self.text.to_owned());
        changed.replace_range(start..start + with.len(), with);
    }

    fn blank(&mut self, range: Range<usize>) {
        self.overwrite(range.start, &" ".repeat(range.len()));
    }

    /// Blanks a range, except for its line ends.
    fn blank_lines(&mut self, range: Range<usize>) {
        let text = self.text;
        let mut at = range.start;
        for line in text.get(range).unwrap_or("").split_inclusive('\n') {
            self.blank(at..at + line.trim_end_matches(['\r', '\n']).len());
            at += line.len();
        }
    }

    /// Moves the bracket of a primary constructor to the name of its class, whose line ends before `start`: on another
    /// line, a constructor spoils the parse of the class around. The line end takes the place of the bracket, so that
    /// every line keeps its number.
    fn join_constructor(&mut self, start: usize) {
        let text = self.text;
        let rest = text.get(start..).unwrap_or("");
        let end = rest.char_indices().nth(MAX_CONSTRUCTOR_HEAD);
        let end = end.map_or(rest.len(), |(at, _)| at);
        let head = rest.get(..end).and_then(constructor_head);
        let Some((head, line_end)) = head.zip(start.checked_sub(1)) else {
            return;
        };
        self.blank_lines(start..start + head.len());
        self.overwrite(line_end, "(");
        self.overwrite(start + head.len(), "\n");
    }

    /// Masks words anywhere in a line.
    fn mask_words(&mut self) {
        let text = self.text;
        let before = |at: usize| text.get(..at).unwrap_or("");
        for at in find_iter(text.as_bytes(), "open(") {
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            if !before(at).ends_with(is_part) {
                self.overwrite(at + 3, "q");
            }
        }
        for at in find_iter(text.as_bytes(), "suspend {") {
            if before(at).trim_end().ends_with(['=', '(', ',']) {
                self.blank(at..at + "suspend".len());
            }
        }
        // `a { … } get b` calls `get`; an accessor would have a bracket behind it.
        for word in [" get ", " set "] {
            for at in find_iter(text.as_bytes(), word) {
                let after = text.get(at + word.len()..).unwrap_or("");
                if is_infix(before(at), after) {
                    self.overwrite(at + word.len() - 2, "q");
                }
            }
        }
        // The grammar knows no empty list of an annotation; a number has no facts, either.
        for at in find_iter(text.as_bytes(), "[]") {
            if before(at).trim_end().ends_with(['=', '(', ',']) {
                self.overwrite(at, "10");
            }
        }
        self.mask_dollars();
    }

    /// Masks the prefix that tells how many `$` begin a template, and the fewer ones in the text, which begin none.
    fn mask_dollars(&mut self) {
        let text = self.text;
        let mut end = 0;
        for at in find_iter(text.as_bytes(), "$$\"") {
            if at < end {
                continue;
            }
            let start = text.get(..at).unwrap_or("").trim_end_matches('$').len();
            let quote = at + "$$".len();
            self.blank(start..quote);
            let (content, mut offset) = content(text, quote);
            end = offset + content.len();
            let mut rest = content;
            while let Some(found) = rest.find('$') {
                let run = rest.get(found..).unwrap_or("");
                rest = run.trim_start_matches('$');
                let len = run.len() - rest.len();
                // The last one begins a template if there are enough.
                let kept = usize::from(len >= quote - start);
                self.blank(offset + found..offset + found + len - kept);
                offset += found + len;
            }
        }
    }

    /// Masks what depends on how a line begins. It is at `start`, and followed by the line `next`.
    fn mask_line(&mut self, start: usize, (line, next): (&str, Option<&str>), words: Words) {
        let mut unknown = Vec::new();
        if words.context {
            unknown.extend(context_parameters(line, next));
            unknown.extend(context_type(line));
        }
        unknown.extend(guard(line));
        if words.constructor {
            unknown.extend(primary_constructor(line));
            unknown.extend(actual_constructor(line));
        }
        if words.quotes {
            unknown.extend(quotes_at_ends(line));
        }
        for range in unknown {
            self.blank(start + range.start..start + range.end);
        }
        if let Some(comma) = comma_before_bracket(line, next) {
            self.blank(start + comma..start + comma + 1);
        }
        if words.class
            && let Some(word) = modifier_of_class(line)
            && (line.contains('@') || self.is_below_annotation(start))
        {
            self.blank(start + word.start..start + word.end);
        }
        let code = line.trim_start();
        let indent = line.len() - code.len();
        if let Some(word) = misread(code) {
            // No keyword ends in this letter.
            self.overwrite(start + indent + word.len() - 1, "q");
        }
        for at in unended_members(line) {
            self.overwrite(start + at, ";");
        }
        if words.class && is_class_head(line) {
            self.join_constructor(start + line.len());
        }
        let is_unexpected = |next: &str| is_constructor(next) || is_accessor(next);
        if code.starts_with('@') && next.is_some_and(is_unexpected) {
            self.blank(start..start + line.trim_end().len());
        }
    }

    /// Whether the line before `start` is an annotation, or may be the end of one.
    fn is_below_annotation(&self, start: usize) -> bool {
        let before = self.text.get(..start).unwrap_or("").trim_end();
        let line = before.rsplit('\n').next().unwrap_or("");
        line.trim_start().starts_with('@') || line.ends_with(')')
    }
}

/// Longest text between the name of a class and the parameters of its constructor, in characters.
const MAX_CONSTRUCTOR_HEAD: usize = 400;

/// Whether a line ends with the name of a class, or with its type parameters.
fn is_class_head(line: &str) -> bool {
    let Some(at) = line.rfind("class ") else {
        return false;
    };
    let (before, name) = line.split_at(at);
    let name = name.strip_prefix("class ").unwrap_or(name).trim();
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let parameters = name.trim_start_matches(is_part);
    let is_list = parameters.starts_with('<') && parameters.ends_with('>');
    name.starts_with(is_part)
        && (parameters.is_empty() || is_list)
        && !before.ends_with(is_part)
        && !before.trim_start().starts_with(['*', '/'])
}

/// Returns `@B(3) private constructor` and the blanks around it, from the start of a text to the bracket behind it.
fn constructor_head(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        if let Some(annotation) = rest.strip_prefix('@') {
            let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':');
            rest = annotation.trim_start_matches(is_part);
            if let Some(arguments) = rest.strip_prefix('(') {
                rest = arguments.split_once(')')?.1;
            }
            continue;
        }
        let word = rest.split(|c: char| !c.is_ascii_alphabetic()).next()?;
        rest = rest.strip_prefix(word)?;
        if word == "constructor" {
            let rest = rest.trim_start();
            let has_parameters = rest.starts_with('(');
            return text.strip_suffix(rest).filter(|_| has_parameters);
        }
        if word != "actual" && !MODIFIERS.contains(&word) {
            return None;
        }
    }
}

/// Returns the first word of a line if it is a name that looks like a keyword.
fn misread(line: &str) -> Option<&str> {
    let len = line.find(|c: char| !c.is_ascii_alphabetic())?;
    let (word, rest) = line.split_at_checked(len)?;
    let is_set = || rest.trim_start().starts_with('=') && !rest.trim_start().starts_with("==");
    let is_name = if SCANNER_KEYWORDS.contains(&word) {
        rest.starts_with(|c: char| c.is_ascii_digit() || c == '_' || c == '.')
            || rest.starts_with("?.")
            || rest.starts_with("!!")
            || is_set()
            || is_call(word, rest)
    } else {
        // `suspend() -> Unit` is a type.
        let is_called = rest.starts_with('(') && word != "suspend";
        MODIFIERS.contains(&word) && (rest.starts_with('.') || is_called || is_set())
    };
    is_name.then_some(word)
}

/// Whether a line that begins with `get` or `set` calls a function of that name, instead of defining how a property is
/// read or written. The scanner takes both for the latter, even after a local variable.
fn is_call(word: &str, rest: &str) -> bool {
    if rest.trim_start().starts_with('{') {
        return matches!(word, "get" | "set");
    }
    let Some(inner) = rest.strip_prefix('(') else {
        return false;
    };
    let Some((inside, after)) = inner.split_once(')') else {
        // Arguments in several lines, or calls among them.
        return matches!(word, "get" | "set");
    };
    let has_body = after.trim_start().starts_with(['{', '=', ':']);
    let is_parameter = |text: &str| {
        let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        !text.contains([',', '(', '"', '.', '+', '[']) && words.any(|word| !word.is_empty())
    };
    match word {
        "get" => !inside.trim().is_empty(),
        "set" => !has_body || !is_parameter(inside),
        _ => false,
    }
}

/// Whether the word between two texts is called like an operator: `a get b`. An accessor has its brackets at once.
fn is_infix(before: &str, after: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let has_operand = after.starts_with(|c: char| is_part(c) || c == '`')
        || after.starts_with('(') && !after.starts_with("()");
    has_operand && before.ends_with(|c: char| is_part(c) || matches!(c, '}' | ')' | ']'))
}

/// Returns the content of the string literal whose quotes are at `quote`, and its offset.
fn content(text: &str, quote: usize) -> (&str, usize) {
    let literal = text.get(quote..).unwrap_or("");
    if let Some(raw) = literal.strip_prefix("\"\"\"") {
        return (raw.split("\"\"\"").next().unwrap_or(raw), quote + 3);
    }
    let inner = literal.get(1..).unwrap_or("");
    let mut is_escaped = false;
    let end = inner.find(|c: char| {
        let is_end = c == '\n' || c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end
    });
    let end = end.unwrap_or(inner.len());
    (inner.get(..end).unwrap_or(inner), quote + 1)
}

/// Returns the offset of the last comma of a list in brackets, which the next line closes. The grammar does not expect it.
fn comma_before_bracket(line: &str, next: Option<&str>) -> Option<usize> {
    let code = line.trim_end().strip_suffix(',')?;
    next?.trim_start().starts_with(']').then_some(code.len())
}

/// Returns the range of the guard of a branch of `when` in a line: `if x > 0` in `is Int if x > 0 ->`. The grammar does not
/// know guards.
fn guard(line: &str) -> Option<Range<usize>> {
    let start = guard_start(line)?;
    let end = start + line.get(start..)?.find(" ->")?;
    is_condition(line.get(start..end)?).then_some(start..end)
}

/// Returns where the guard of the branch that a line begins with begins.
fn guard_start(line: &str) -> Option<usize> {
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

/// Words that begin declarations.
const DECLARATIONS: &[&str] = &["class", "fun", "interface", "object", "val", "var"];

/// Returns the range of the context parameters in a line: `context(a: A)` before a declaration in this line or the
/// `next` one. The grammar does not know them.
fn context_parameters(line: &str, next: Option<&str>) -> Option<Range<usize>> {
    let indent = line.len() - line.trim_start().len();
    let rest = line.get(indent..)?.strip_prefix("context(")?;
    let close = closing_bracket(rest)?;
    let after = match rest.get(close + 1..)?.trim() {
        "" => next?.trim(),
        after => after,
    };
    let word = after.split_whitespace().next()?;
    let is_declaration =
        word.starts_with('@') || MODIFIERS.contains(&word) || DECLARATIONS.contains(&word);
    is_declaration.then(|| indent..line.len() - rest.len() + close + 1)
}

/// Returns the offset of the bracket that closes the one before a text.
fn closing_bracket(text: &str) -> Option<usize> {
    let mut depth = 1;
    text.find(|c| {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        depth == 0
    })
}

/// Returns the range of the context parameters of a function type: `context(A)` in `f: context(A) () -> Unit`. The grammar
/// does not know them.
fn context_type(line: &str) -> Option<Range<usize>> {
    let start = line.find("context(")?;
    let (before, context) = line.split_at_checked(start)?;
    let rest = context.strip_prefix("context(")?;
    let end = line.len() - rest.len() + closing_bracket(rest)? + 1;
    let after = line.get(end..)?;
    let before = before.trim_end();
    let follows_mark = before.ends_with([':', '<']) && !before.ends_with("?:");
    let is_type = follows_mark || before.ends_with("suspend");
    let has_parameters = after
        .trim_start()
        .starts_with(|c: char| c == '(' || c.is_uppercase());
    (is_type && has_parameters && after.contains("->")).then_some(start..end)
}

/// Quotes of a raw string with one beside them.
const FOUR_QUOTES: &str = "\"\"\"\"";

/// Returns the ranges of the quotes that a raw string begins or ends with, beside its own three.
fn quotes_at_ends(line: &str) -> Vec<Range<usize>> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(start) = line.get(at..).and_then(|rest| rest.find(FOUR_QUOTES)) {
        let start = at + start;
        let run = line.get(start..).unwrap_or("");
        let count = run.len() - run.trim_start_matches('"').len();
        // Six may be an empty string.
        if count < 6 {
            found.push(start..start + count - 3);
        }
        at = start + count;
    }
    found
}

/// What the braces in a line contain, by the text before them.
#[derive(Clone, Copy)]
enum Body {
    Type,
    /// Perhaps the members of an entry of an enum: `A { … }`, `A(1) { … }`.
    Entry,
    Other,
}

impl Body {
    fn after(head: &str) -> Self {
        let mut words = head
            .split_whitespace()
            .map(|word| word.trim_end_matches(':'));
        if words.any(|word| matches!(word, "class" | "interface" | "object")) {
            return Self::Type;
        }
        let entry = head.trim_start_matches([',', ' ', '\t']).trim_end();
        let name = entry.split('(').next().unwrap_or("");
        let is_name = name.starts_with(char::is_uppercase)
            && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        match is_name && (entry == name || entry.ends_with(')')) {
            true => Self::Entry,
            false => Self::Other,
        }
    }

    /// Whether a text in the braces has members.
    fn has_members(self, text: &str) -> bool {
        let mut words = text.split_whitespace();
        match self {
            Self::Type => words.next().is_some(),
            // A call with a lambda looks alike.
            Self::Entry => words.any(|word| DECLARATIONS.contains(&word)),
            Self::Other => false,
        }
    }
}

/// Maximum number of braces around a body in one line. Each of them has the text of the body, too.
const MAX_BRACES_AROUND: usize = 16;

/// Returns the offsets of the blanks before the braces that close bodies of types and of entries of enums in the line
/// that opens them: the grammar wants an end of the last member there. Two such bodies can spoil the parse of a file.
fn unended_members(line: &str) -> Vec<usize> {
    let (mut found, mut open) = (Vec::new(), Vec::new());
    let first = memchr(b'{', line.as_bytes());
    let rest = first.and_then(|first| line.as_bytes().get(first..));
    if rest.is_none_or(|rest| memchr(b'}', rest).is_none()) {
        return found;
    }
    let (mut head, mut in_text) = (0, false);
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        match c {
            '"' if before != '\\' => in_text = !in_text,
            _ if in_text => {}
            '{' => {
                open.push((Body::after(line.get(head..at).unwrap_or("")), at + 1));
                head = at + 1;
            }
            '}' => {
                if let Some((body, start)) = open.pop()
                    && before == ' '
                    && open.len() < MAX_BRACES_AROUND
                    && line
                        .get(start..at)
                        .is_some_and(|text| body.has_members(text))
                {
                    found.push(at - 1);
                }
                head = at + 1;
            }
            ';' => head = at + 1,
            _ => {}
        }
        before = c;
    }
    found
}

/// Whether a line begins with a constructor. The grammar expects no annotation between it and its class on
/// another line.
fn is_constructor(line: &str) -> bool {
    let mut words = line
        .trim_start()
        .split(' ')
        .skip_while(|word| MODIFIERS.contains(word));
    words
        .next()
        .is_some_and(|word| word.starts_with("constructor("))
}

/// Whether a line defines how a property is read or written. The grammar expects no annotation between it and a property
/// without a type.
fn is_accessor(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("get()") || line.starts_with("set(")
}

/// Returns the range of `protected constructor` in the head of a class, which hides the class if annotations in several
/// lines precede it. Without these words the class has the same constructor. After an annotation only the first word goes:
/// the parameters would become the arguments of the annotation.
fn primary_constructor(line: &str) -> Option<Range<usize>> {
    let end = line.find(" constructor(")? + " constructor".len();
    let head = line.get(..end)?.strip_suffix(" constructor")?;
    let (before, visibility) = head.rsplit_once(' ')?;
    let (_, class) = before.rsplit_once("class ")?;
    let end = match class.contains('@') {
        true => head.len(),
        false => end,
    };
    let is_visibility = matches!(visibility, "internal" | "private" | "protected" | "public");
    is_visibility.then(|| before.len() + 1..end)
}

/// Returns the range of the word `annotation` or `actual` before `class`. The grammar may take such a class and the
/// annotations before it for an expression of names. Without the word it is the same class.
fn modifier_of_class(line: &str) -> Option<Range<usize>> {
    let end = line.find(" class ")?;
    let before = line.get(..end)?;
    let mut words = ["annotation", "actual"].into_iter();
    let word = words.find(|word| before.ends_with(*word))?;
    let start = end - word.len();
    // After other words it is prose.
    let is_modifier =
        |word: &str| word == "actual" || word.starts_with('@') || MODIFIERS.contains(&word);
    let mut others = line.get(..start)?.split_whitespace();
    others.all(is_modifier).then_some(start..end)
}

/// Returns the range of `actual` in a line that begins with a constructor. The grammar does not expect it there, on another
/// line than the class.
fn actual_constructor(line: &str) -> Option<Range<usize>> {
    let at = line.find("actual constructor")?;
    let before = line.get(..at)?.trim();
    let is_first = before.is_empty() || MODIFIERS.contains(&before);
    is_first.then(|| at..at + "actual".len())
}

#[cfg(test)]
mod tests {
    use super::{guard, masked};

    /// It would take minutes if the text of each body were read.
    #[test]
    fn nested_braces_in_a_line_take_linear_time() {
        let text = format!("{}{}", "A { ".repeat(50_000), " }".repeat(50_000));
        assert_eq!(masked(&text), text);
    }

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
            assert_eq!(guard(line).and_then(|range| line.get(range)), found);
        }
    }

    #[test]
    fn misread_and_unknown_words_are_masked() {
        for (text, read) in [
            ("val x = 1\n  in1.close()\n", "val x = 1\n  iq1.close()\n"),
            ("by.write()\nas_x = 1\n", "bq.write()\naq_x = 1\n"),
            ("  set = 0\n  final = true\n", "  seq = 0\n  finaq = true\n"),
            (
                "set(value) { }\n  get() = 1\n",
                "set(value) { }\n  get() = 1\n",
            ),
            (
                "in 1..2 -> x\nopen class A\n", "in 1..2 -> x\nopen class A\n",
            ),
            ("f { open(x) }; reopen(x)", "f { opeq(x) }; reopen(x)"),
            ("internal set\n  by lazy\n", "internal set\n  by lazy\n"),
            ("inner == x", "inner == x"),
            (
                "\tinternal actual constructor(x: A)",
                "\tinternal        constructor(x: A)",
            ),
            ("class A { val x = 1 }", "class A { val x = 1;}"),
            ("get(x)\n set(a, b)\n", "geq(x)\n seq(a, b)\n"),
            ("set(f(a))\nset(x)\nget(\n", "seq(f(a))\nseq(x)\ngeq(\n"),
            (
                "set(@A value: Int) {\nget(): Int {\nset(v) = f(v)\n",
                "set(@A value: Int) {\nget(): Int {\nset(v) = f(v)\n",
            ),
            (
                "context(a: A, f: (B) -> C)\nprivate fun f()\n",
                "                          \nprivate fun f()\n",
            ),
            ("context(a: A) fun f()\n", "              fun f()\n"),
            ("context(a)\nf()\n", "context(a)\nf()\n"),
            ("  is A if b(c) -> d\n", "  is A         -> d\n"),
            (
                "f(\"\"\"\"\"a\"\"\"\", \"\"\"\"\"\")",
                "f(  \"\"\"a \"\"\", \"\"\"\"\"\")",
            ),
            ("val a = $$$\"b $$c\"", "val a =    \"b   c\""),
            (
                "f($$\"${a} $$b\", $$\"\"\"$c\n$${d}\"\"\")",
                "f(  \" {a}  $b\",   \"\"\" c\n ${d}\"\"\")",
            ),
            (
                "  where?.let { }\n  by!!.a\n", "  wherq?.let { }\n  bq!!.a\n",
            ),
            ("a as? B\n  as? C\n", "a as? B\n  as? C\n"),
            (
                "override()\n  suspend() -> A\n",
                "overridq()\n  suspend() -> A\n",
            ),
            (
                "val a = b { } get C.d\nval e = f set (g)\n",
                "val a = b { } geq C.d\nval e = f seq (g)\n",
            ),
            ("val a: B get() = c\n", "val a: B get() = c\n"),
            ("var a = b private set\n", "var a = b private set\n"),
            (
                "val a: Array<B> = [], val b = c[0]",
                "val a: Array<B> = 10, val b = c[0]",
            ),
            ("a = [\n  b,\n]\n", "a = [\n  b \n]\n"),
            ("get { x }\nset {\n", "geq { x }\nseq {\n"),
            ("val a = suspend { x }", "val a =         { x }"),
            ("@A\n  get() = 1\n", "  \n  get() = 1\n"),
            (
                "class K private constructor(a: B)\n",
                "class K                    (a: B)\n",
            ),
            (
                "class K<T> @A internal constructor(a: B)\n",
                "class K<T> @A          constructor(a: B)\n",
            ),
            (
                "@A public annotation class B\n",
                "@A public            class B\n",
            ),
            ("@A\nactual class B {\n", "@A\n       class B {\n"),
            ("a = b\nactual class B {\n", "a = b\nactual class B {\n"),
            ("// One annotation class B\n", "// One annotation class B\n"),
            (
                "f: context(A) (B) -> C,\ng: suspend context(A) B.() -> C\n",
                "f:            (B) -> C,\ng: suspend            B.() -> C\n",
            ),
            ("a ?: context(b) (c) -> d\n", "a ?: context(b) (c) -> d\n"),
            ("  else if a -> d\n", "  else      -> d\n"),
            ("else if (a) f { b -> c }\n", "else if (a) f { b -> c }\n"),
            (
                "class A\n  @B(3)\n  internal constructor() : C {",
                "class A(       \n                      \n) : C {",
            ),
            (
                "  public class A<T : B>\n  private constructor(val x: T) {\n",
                "  public class A<T : B>(                     \nval x: T) {\n",
            ),
            (
                "class A\n\nprivate val x = f(1)\n",
                "class A\n\nprivate val x = f(1)\n",
            ),
            (
                "// of a class A\nconstructor(x: B)\n",
                "// of a class A\nconstructor(x: B)\n",
            ),
            (
                "object A : B { fun f() { g() } }\n",
                "object A : B { fun f() { g() };}\n",
            ),
            (
                "  New { override fun next() = Paid },\n  Paid(f(1)) { val x = 1 };\n",
                "  New { override fun next() = Paid;},\n  Paid(f(1)) { val x = 1;};\n",
            ),
            ("Column { Text(a) }\n", "Column { Text(a) }\n"),
            ("class A { }\nclass B {\n", "class A { }\nclass B {\n"),
            ("f(\"class { } \") { x }", "f(\"class { } \") { x }"),
        ] {
            assert_eq!(masked(text), read, "{text}");
        }
    }
}

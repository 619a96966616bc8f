//! Removes conditionals that the grammars cannot parse: those inside expressions and lists, and those whose
//! branches contain parts of statements. The preprocessor lines of such a conditional are removed. If its
//! branches are alternatives, all but the first with code are removed too.

use std::mem::take;

use super::macro_names::is_macro;
use super::tokens::{IsNever, Kind, Token};
use super::{Changes, UnseenName};

/// Maximum nesting of brackets and of conditionals that is followed; deeper texts are not changed.
const MAX_BRACKETS: usize = 256;
const MAX_CONDITIONALS: usize = 64;
/// Maximum number of macros in a row that are taken for declarations of their own.
const MAX_MACROS: usize = 8;
/// Maximum number of directives and dropped tokens between a conditional and the token before it.
const MAX_PASSED_OVER: usize = 4_096;

/// The content of an open bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bracket {
    /// Parameters, arguments, indices.
    List,
    /// The values of an initializer.
    Values,
    /// The members of an enum.
    Enumerators,
    /// Declarations: of a type, a namespace, `extern "C"`.
    Declarations,
    Statements,
}

/// Returns what a `{` opens, judged by the tokens of the statement before it.
pub(super) fn brace(bytes: &[u8], statement: &[Token], around: Option<Bracket>) -> Bracket {
    if matches!(around, Some(Bracket::Values | Bracket::List)) {
        // A block among arguments ends with a statement, a value does not; both can be parsed as values.
        return match statement.last() {
            Some(last) if last.is(b')') => Bracket::Statements,
            _ => Bracket::Values,
        };
    }
    let statement = past_template_heads(bytes, after_template(bytes, statement));
    match statement.last() {
        Some(last) if last.is(b'=') || last.is(b',') || last.is(b']') => Bracket::Values,
        Some(last) if last.is(b')') => Bracket::Statements,
        Some(last) if last.kind == Kind::Word && last.of(bytes) == b"return" => Bracket::Values,
        _ => of_head(bytes, statement),
    }
}

/// Returns what the `{` behind a head opens. Parameters have values and types of their own:
/// `void f(struct a *b = 0) const {`.
fn of_head(bytes: &[u8], statement: &[Token]) -> Bracket {
    let mut kind = Bracket::Statements;
    let mut depth = 0_usize;
    let mut is_operator = false;
    for (at, token) in statement.iter().enumerate() {
        match token.kind {
            Kind::Mark(b'(') => {
                // A function that returns a struct; `struct ALIGN(8) a` is not one.
                let before = at.checked_sub(1).and_then(|at| statement.get(at));
                let before = before.map_or(&b""[..], |before| before.of(bytes));
                let is_called = before != b"alignas" && !is_macro(before);
                if kind == Bracket::Declarations && depth == 0 && is_called {
                    return Bracket::Statements;
                }
                depth += 1;
                is_operator = false;
            }
            Kind::Mark(b')') => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            Kind::Mark(b'=') if !is_operator => return Bracket::Values,
            Kind::Mark(b':') if kind == Bracket::Declarations => return kind,
            Kind::Word => match token.of(bytes) {
                b"enum" => return Bracket::Enumerators,
                b"namespace" => return Bracket::Declarations,
                b"struct" | b"class" | b"union" | b"extern" => kind = Bracket::Declarations,
                b"operator" => is_operator = true,
                _ => {}
            },
            _ => {}
        }
    }
    kind
}

/// Returns what follows the `template <…>` at the start of a statement, whose defaults look like initial values. A label
/// such as `public:` may stand before it.
fn past_template_heads<'s>(bytes: &[u8], mut statement: &'s [Token]) -> &'s [Token] {
    if let [label, colon, rest @ ..] = statement
        && matches!(label.of(bytes), b"public" | b"private" | b"protected")
        && colon.is(b':')
    {
        statement = rest;
    }
    while let [first, open, ..] = statement {
        if first.of(bytes) != b"template" || !open.is(b'<') {
            break;
        }
        match template_end(statement.get(1..).unwrap_or_default()) {
            Some(end) => statement = statement.get(end + 2..).unwrap_or_default(),
            None => break,
        }
    }
    statement
}

/// Returns the position of the `>` that closes the first token. A `>` in round brackets compares, one behind `-` is an
/// arrow.
fn template_end(tokens: &[Token]) -> Option<usize> {
    let (mut angles, mut round) = (0_usize, 0_usize);
    let mut before = None;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Mark(b'(') => round += 1,
            Kind::Mark(b')') => round = round.saturating_sub(1),
            Kind::Mark(b'<') if round == 0 => angles += 1,
            Kind::Mark(b'>') if round == 0 && before != Some(Kind::Mark(b'-')) => {
                angles = angles.saturating_sub(1);
                if angles == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
        before = Some(token.kind);
    }
    None
}

/// Returns the head of a type without its `template <…>`, whose defaults look like those of values.
pub(super) fn after_template<'s>(bytes: &[u8], statement: &'s [Token]) -> &'s [Token] {
    let is_head = |token: &Token| matches!(token.of(bytes), b"class" | b"struct" | b"union");
    let head = statement
        .windows(2)
        .rposition(|pair| matches!(pair, [end, head] if end.is(b'>') && is_head(head)));
    head.and_then(|at| statement.get(at + 1..))
        .unwrap_or(statement)
}

/// One branch of a conditional.
#[derive(Debug, Default)]
struct Branch {
    /// Its first token and the one after its last, without its directive.
    tokens: (usize, usize),
    is_never: bool,
    /// The brackets that are open after it.
    brackets: Vec<Bracket>,
    /// Whether it leaves the open brackets unchanged.
    is_balanced: bool,
}

struct Conditional {
    /// Token positions of its directives.
    directives: Vec<usize>,
    brackets: Vec<Bracket>,
    /// Smallest number of open brackets within the current branch.
    lowest: usize,
    before: Option<usize>,
    start: usize,
    is_never: bool,
    branches: Vec<Branch>,
}

/// Processes the conditionals and returns the remaining tokens, without preprocessor lines. `None` if the
/// nesting is too deep to follow.
pub(super) fn mask_conditionals(
    bytes: &[u8],
    tokens: &[Token],
    changes: &mut Changes,
) -> Option<Vec<Token>> {
    let mut masker = ConditionalMasker {
        bytes,
        tokens,
        changes,
        brackets: Vec::new(),
        open: Vec::new(),
        last: None,
        statement: 0,
        dropped: vec![false; tokens.len()],
    };
    for (at, token) in tokens.iter().enumerate() {
        masker.token(at, *token)?;
    }
    let dropped = take(&mut masker.dropped);
    let kept = tokens.iter().zip(dropped);
    let kept = kept.filter(|(token, dropped)| token.is_code() && !dropped);
    Some(kept.map(|(token, _)| *token).collect())
}

struct ConditionalMasker<'s> {
    bytes: &'s [u8],
    tokens: &'s [Token],
    changes: &'s mut Changes,
    brackets: Vec<Bracket>,
    open: Vec<Conditional>,
    /// Position of the last token that is no directive.
    last: Option<usize>,
    /// Position of the first token of the statement.
    statement: usize,
    dropped: Vec<bool>,
}

impl ConditionalMasker<'_> {
    fn token(&mut self, at: usize, token: Token) -> Option<()> {
        match token.kind {
            Kind::If(IsNever(is_never)) => {
                if self.open.len() >= MAX_CONDITIONALS || self.brackets.len() >= MAX_BRACKETS {
                    return None;
                }
                self.open.push(Conditional {
                    directives: vec![at],
                    brackets: self.brackets.clone(),
                    lowest: self.brackets.len(),
                    before: self.last,
                    start: at + 1,
                    is_never,
                    branches: Vec::new(),
                });
            }
            Kind::Else => self.next_branch(at),
            Kind::Endif => self.end(at),
            Kind::Directive => {
                let inside = self.brackets.last();
                let is_list = matches!(
                    inside,
                    Some(Bracket::List | Bracket::Values | Bracket::Enumerators)
                );
                let line = token.of(self.bytes).get(1..).unwrap_or_default();
                let is_include = line.trim_ascii_start().starts_with(b"include");
                if is_include && (is_list || inside == Some(&Bracket::Declarations)) {
                    self.changes.includes.push(token.start..token.end);
                    self.changes.blanks.push(token.start..token.end);
                } else if is_list {
                    self.changes.blanks.push(token.start..token.end);
                }
            }
            Kind::Mark(mark) => {
                self.mark(at, mark);
                self.last = Some(at);
            }
            Kind::Word | Kind::Number | Kind::Text => self.last = Some(at),
        }
        Some(())
    }

    fn mark(&mut self, at: usize, mark: u8) {
        match mark {
            b'(' | b'[' => self.brackets.push(Bracket::List),
            b'{' => {
                let statement = self.tokens.get(self.statement..at).unwrap_or_default();
                // Heads are short; a longer run of tokens is not one.
                let from = statement.len().saturating_sub(64);
                let statement = statement.get(from..).unwrap_or_default();
                let around = self.brackets.last().copied();
                self.brackets.push(brace(self.bytes, statement, around));
                self.statement = at + 1;
            }
            b')' | b']' | b'}' => {
                self.brackets.pop();
                let depth = self.brackets.len();
                if let Some(conditional) = self.open.last_mut() {
                    conditional.lowest = conditional.lowest.min(depth);
                }
                if mark == b'}' {
                    self.statement = at + 1;
                }
            }
            b';' => self.statement = at + 1,
            _ => {}
        }
    }

    fn finish_branch(&mut self, at: usize) {
        let Some(conditional) = self.open.last_mut() else {
            return;
        };
        let is_balanced = conditional.lowest >= conditional.brackets.len()
            && self.brackets.len() == conditional.brackets.len();
        conditional.branches.push(Branch {
            tokens: (conditional.start, at),
            is_never: take(&mut conditional.is_never),
            brackets: take(&mut self.brackets),
            is_balanced,
        });
    }

    fn next_branch(&mut self, at: usize) {
        self.finish_branch(at);
        if let Some(conditional) = self.open.last_mut() {
            conditional.directives.push(at);
            conditional.start = at + 1;
            conditional.lowest = conditional.brackets.len();
            self.brackets.clone_from(&conditional.brackets);
            self.last = conditional.before;
            self.statement = at + 1;
        }
    }

    fn end(&mut self, at: usize) {
        self.finish_branch(at);
        let Some(mut conditional) = self.open.pop() else {
            return;
        };
        conditional.directives.push(at);
        let kept = self.decide(&conditional, at);
        // The code after the conditional continues the kept branch.
        if let Some(branch) = conditional.branches.get_mut(kept) {
            self.brackets = take(&mut branch.brackets);
            self.last = self.last_of(branch).or(conditional.before);
        }
        let depth = self.brackets.len();
        if let Some(around) = self.open.last_mut() {
            around.lowest = around.lowest.min(conditional.lowest).min(depth);
        }
    }

    /// Blanks out what the grammar cannot parse; returns the position of the kept branch.
    fn decide(&mut self, conditional: &Conditional, end: usize) -> usize {
        let branches = &conditional.branches;
        let has_code = |branch: &Branch| !branch.is_never && self.last_of(branch).is_some();
        let kept = branches.iter().position(has_code).unwrap_or(0);
        let is_regular = self.is_regular(conditional, end);
        let inside = conditional.brackets.last();
        let is_list = matches!(inside, Some(Bracket::Values | Bracket::Enumerators));
        let are_parts = is_list
            && branches.iter().all(|branch| {
                branch.is_balanced
                    && self
                        .last_of(branch)
                        .is_none_or(|last| self.ends(last, b","))
            });
        // At the level of declarations a name before brackets is declared, not called.
        let is_code = !matches!(inside, None | Some(Bracket::Declarations));
        for (at, branch) in branches.iter().enumerate() {
            if branch.is_never || !(is_regular || are_parts || at == kept) {
                if is_code && !branch.is_never {
                    self.note_uses(branch);
                }
                drop_branch(self.tokens, &mut self.dropped, self.changes, branch);
            }
        }
        if !is_regular {
            let directives = conditional.directives.iter();
            let directives = directives.filter_map(|at| self.tokens.get(*at));
            for directive in directives {
                note_condition(self.bytes, directive, self.changes);
                self.changes.blanks.push(directive.start..directive.end);
            }
        }
        kept
    }

    /// Records the functions that a branch calls by their plain names, and its macros, before it is dropped.
    fn note_uses(&mut self, branch: &Branch) {
        let (start, end) = branch.tokens;
        for at in start..end {
            let is_dropped = self.dropped.get(at).copied().unwrap_or(true);
            let word = self.word_at(at);
            if is_dropped || word.is_empty() {
                continue;
            }
            let is_called = self.ends(at + 1, b"(") && self.begins_call(at);
            if !is_called && !is_macro(word) {
                continue;
            }
            self.changes.note_use(self.tokens.get(at), is_called);
        }
    }

    /// Returns the word at a position; empty if there is another token.
    fn word_at(&self, at: usize) -> &[u8] {
        let token = self.tokens.get(at);
        token
            .filter(|token| token.kind == Kind::Word)
            .map_or(b"", |token| token.of(self.bytes))
    }

    /// Whether a word before brackets calls a function: no type stands before it, as in `Lock lock(mutex);`, and no
    /// object or scope.
    fn begins_call(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else {
            return true;
        };
        let is_member = self.ends(before, b".")
            || before > 0 && self.ends(before, b">") && self.ends(before - 1, b"-")
            || before > 0 && self.ends(before, b":") && self.ends(before - 1, b":");
        let word = self.word_at(before);
        let is_statement = matches!(
            word,
            b"" | b"return" | b"else" | b"do" | b"case" | b"throw" | b"co_await" | b"co_return"
        );
        is_statement && !is_member
    }

    /// Whether the grammars can parse a conditional: its branches are whole statements or members.
    fn is_regular(&self, conditional: &Conditional, end: usize) -> bool {
        let marks: &[u8] = match conditional.brackets.last() {
            Some(Bracket::List | Bracket::Values) => return false,
            Some(Bracket::Enumerators) => b",",
            _ => b";}:",
        };
        let starts = self
            .before_macros(conditional)
            .is_none_or(|at| self.ends(at, marks) || self.ends(at, b"{"));
        starts
            && !self.is_before_else(end + 1)
            && conditional.branches.iter().all(|branch| {
                branch.is_never
                    || branch.is_balanced
                        && self.word_at(branch.tokens.0) != b"else"
                        && self
                            .last_of(branch)
                            .is_none_or(|last| self.ends(last, marks))
            })
    }

    /// Whether the next code is an `else`, possibly in another conditional.
    fn is_before_else(&self, at: usize) -> bool {
        const MAX_TOKENS: usize = 4;
        let next = self.tokens.get(at..).unwrap_or_default();
        let code = next.iter().take(MAX_TOKENS).find(|token| token.is_code());
        code.is_some_and(|code| code.of(self.bytes) == b"else")
    }

    /// Returns the last token before a conditional. Macros that stand for whole declarations, such as
    /// `BEGIN_NAMESPACE`, are passed over: nothing ends them.
    fn before_macros(&self, conditional: &Conditional) -> Option<usize> {
        let mut before = conditional.before;
        if !matches!(
            conditional.brackets.last(),
            None | Some(Bracket::Declarations)
        ) {
            return before;
        }
        for _ in 0..MAX_MACROS {
            let Some(at) = before else { break };
            if !is_macro(self.word_at(at)) {
                break;
            }
            before = self.last_in(0, at);
        }
        before
    }

    fn ends(&self, at: usize, marks: &[u8]) -> bool {
        let token = self.tokens.get(at);
        token.is_some_and(|token| matches!(token.kind, Kind::Mark(mark) if marks.contains(&mark)))
    }

    /// Returns the last token of a branch that is neither dropped nor a directive.
    fn last_of(&self, branch: &Branch) -> Option<usize> {
        self.last_in(branch.tokens.0, branch.tokens.1)
    }

    fn last_in(&self, start: usize, end: usize) -> Option<usize> {
        (start..end).rev().take(MAX_PASSED_OVER).find(|at| {
            let is_dropped = self.dropped.get(*at).copied().unwrap_or(true);
            !is_dropped && self.tokens.get(*at).is_some_and(Token::is_code)
        })
    }
}

/// Records the macros that a condition names.
fn note_condition(bytes: &[u8], directive: &Token, changes: &mut Changes) {
    if matches!(directive.kind, Kind::Endif) {
        return;
    }
    let line = directive.of(bytes);
    let end = line.iter().position(|byte| *byte == b'/');
    let condition = line.get(..end.unwrap_or(line.len())).unwrap_or_default();
    let mut start = directive.start;
    for word in condition.split(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_')) {
        if is_macro(word) {
            changes.names.push(UnseenName {
                place: start..start + word.len(),
                is_called: false,
            });
        }
        start += word.len() + 1;
    }
}

fn drop_branch(tokens: &[Token], dropped: &mut [bool], changes: &mut Changes, branch: &Branch) {
    let (start, end) = branch.tokens;
    if let (Some(first), Some(last)) = (tokens.get(start), tokens.get(end.wrapping_sub(1)))
        && start < end
    {
        changes.blanks.push(first.start..last.end);
        dropped.get_mut(start..end).unwrap_or_default().fill(true);
    }
}

//! Masks macros among statements: around exceptions (`TRY { … } CATCH(…) { … }`), before conditions
//! (`if CONSTEXPR (…)`) and blocks (`ON_EXIT { … };`), and without an end (`PUSH_WARNING`). Also masks casts that
//! look like functions (`unsigned(x) < y`), which the grammars take for types, and finds macros that give a block
//! a title (`SECTION("…") {`).

use super::lookahead::{closing, is_type};
use super::macro_names::{is_macro, is_prefixed_macro};
use super::macros::MacroMasker;
use super::tokens::{Kind, Token};

impl MacroMasker<'_> {
    /// Examines a word inside a function; returns the position of the next token to examine.
    pub(super) fn word_of_statement(&mut self, at: usize) -> usize {
        let word = self.text(at);
        if matches!(word, b"if" | b"while") && is_macro(self.text(at + 1)) && self.is(at + 2, b'(')
        {
            self.blank(at + 1, at + 2);
            self.statement.last = Some(at);
            return at + 2;
        }
        let surplus = match word {
            b"typename" => self.typename_of_value(at),
            _ => self.exception_macro(at, word),
        };
        if let Some(after) = surplus.or_else(|| self.attribute_behind_name(at, word)) {
            self.blank(at, after);
            return after;
        }
        if let Some(after) = self.whole_statement(at, word) {
            self.note_use(at, after > at + 1 || self.is(after, b'{'));
            self.blank(at, after);
            return after;
        }
        if self.is_cast(at, word) {
            self.blank(at, at + 1);
            return at + 1;
        }
        if self.is_before_titled_block(at, word) {
            self.rewrite_titled(at);
        }
        self.statement.last = Some(at);
        at + 1
    }

    /// Whether a macro gives the block behind it a title: `SECTION("adds") {`, `SUBCASE("adds") {`.
    fn is_before_titled_block(&self, at: usize, word: &[u8]) -> bool {
        let title = self.tokens.get(at + 2);
        let has_title = title.is_some_and(|title| title.kind == Kind::Text);
        let is_first = self.statement.last.is_none() && !self.is_in_list();
        if !is_first || !has_title || !is_macro(word) || !self.is(at + 1, b'(') {
            return false;
        }
        let Some(close) = closing(self.tokens, at + 1) else {
            return false;
        };
        self.is(close + 1, b'{') && !(at + 2..close).any(|inside| is_type(self.text(inside)))
    }

    /// Returns the position after a macro that is a statement without a `;`: before a block (`ON_EXIT { close(); };`), or
    /// alone on its line (`PUSH_WARNING`, `DISABLE("-Wshadow")`). The grammars take it for a type, and may lose the code
    /// around it.
    fn whole_statement(&self, at: usize, word: &[u8]) -> Option<usize> {
        let is_first = self.statement.last.is_none() && self.is_in_block();
        if !is_first || !is_macro(word) && !is_prefixed_macro(word) {
            return None;
        }
        let kind = |at: usize| self.tokens.get(at).map(|token| token.kind);
        let has_text =
            self.is(at + 1, b'(') && kind(at + 2) == Some(Kind::Text) && self.is(at + 3, b')');
        let after = if has_text { at + 4 } else { at + 1 };
        let is_whole = match kind(after) {
            Some(Kind::Mark(b'{')) => !has_text && self.holds_statements(after),
            Some(Kind::Word | Kind::Mark(b'}')) => self.has_own_lines(at, after),
            _ => false,
        };
        is_whole.then_some(after)
    }

    /// Whether a `;` is in the braces at a position; in those of values there is none.
    fn holds_statements(&self, open: usize) -> bool {
        const MAX_TOKENS: usize = 512;
        let mut depth = 0_usize;
        let inside = self.tokens.get(open..).unwrap_or_default();
        for token in inside.iter().take(MAX_TOKENS) {
            match token.kind {
                Kind::Mark(b'{') => depth += 1,
                Kind::Mark(b'}') if depth <= 1 => return false,
                Kind::Mark(b'}') => depth -= 1,
                Kind::Mark(b';') => return true,
                _ => {}
            }
        }
        false
    }

    /// Returns the position after a macro that stands for `try` or `catch (…)`.
    fn exception_macro(&self, at: usize, word: &[u8]) -> Option<usize> {
        if self.statement.last.is_some() || !is_macro(word) {
            return None;
        }
        if word.ends_with(b"TRY") && self.is(at + 1, b'{') {
            return Some(at + 1);
        }
        if !word.windows(5).any(|part| part == b"CATCH") {
            return None;
        }
        if !self.is(at + 1, b'(') {
            return (!self.is(at + 1, b';')).then_some(at + 1);
        }
        let after = closing(self.tokens, at + 1)? + 1;
        self.is(after, b'{').then_some(after)
    }

    /// Whether a type converts a value like a function: `= unsigned(x)`. At the start of a statement and in type
    /// arguments it declares something.
    fn is_cast(&self, at: usize, word: &[u8]) -> bool {
        let opens = self.is(at + 1, b'(') && !self.is(at + 2, b'*') && !self.is(at + 2, b')');
        let is_value = |before: &Token| match before.kind {
            Kind::Mark(mark) => b"(,=+-/%!&|?:>".contains(&mark),
            _ => false,
        };
        let before = self
            .statement
            .last
            .and_then(|before| self.tokens.get(before));
        opens
            && is_type(word)
            && match before {
                Some(before) => is_value(before) || self.text(at - 1) == b"return",
                // The first one of a list.
                None => self.is_in_list(),
            }
    }
}

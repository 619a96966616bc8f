//! Masks constructs that the grammars do not know, other than macros before declarations: conditions in
//! type parameter lists, `typename` before values, arguments that are no expressions, old-style parameters.
//! Uncovers declarations that are arguments of a macro.

use super::lookahead::{self, closing, is_beginning, is_type};
use super::macro_names::{
    is_attribute, is_calling_convention, is_macro, is_nullability, is_small_attribute,
};
use super::macros::MacroMasker;
use super::tokens::Kind;

impl MacroMasker<'_> {
    /// Blanks out the parameter types of an old-style definition: `int f(a, b) int a; char *b; {`.
    pub(super) fn old_parameters(&mut self, start: usize) {
        const MAX_TOKENS: usize = 128;
        if !self.is_word(start) || is_macro(self.text(start)) {
            return;
        }
        for at in start..start + MAX_TOKENS {
            match self.tokens.get(at).map(|token| token.kind) {
                Some(Kind::Word | Kind::Mark(b';' | b'*' | b',' | b'[' | b']')) => {}
                Some(Kind::Mark(b'{')) if self.is(at - 1, b';') => {
                    return self.blank(start, at);
                }
                _ => return,
            }
        }
    }

    /// Returns the position after a word that the grammars do not know in this place; `None` for any other
    /// word.
    pub(super) fn unknown_word(&self, at: usize, word: &[u8]) -> Option<usize> {
        let next = self.text(at + 1);
        let is_unknown = match word {
            // It begins a section of a class, as `public:` does.
            b"signals" | b"Q_SIGNALS" if next == b":" && !self.is(at + 2, b':') => {
                return Some(at + 2);
            }
            // `extern template class A<int>;`
            b"extern" => next == b"template",
            b"template" => matches!(next, b"class" | b"struct" | b"union"),
            b"slots" | b"Q_SLOTS" => next == b":",
            // Its semicolon is in the macro.
            b"PyObject_HEAD" | b"PyObject_VAR_HEAD" => next != b";",
            b"alignas" | b"_Alignas" => return self.alignment_of_type(at),
            b"export" | b"import" => return self.module_word(at, word),
            b"typename" => return self.typename_of_value(at),
            _ => is_calling_convention(word) || is_nullability(word) && self.is_after(b'*'),
        };
        is_unknown.then_some(at + 1)
    }

    /// Returns the position after the `typename` before a construction: `= typename A<B>::c()`. The grammars know the word
    /// only in declarations.
    pub(super) fn typename_of_value(&self, at: usize) -> Option<usize> {
        const MAX_NAMES: usize = 8;
        if self.statement.last.is_none() && !self.is_in_list() {
            return None;
        }
        let mut after = at + 1;
        for _ in 0..MAX_NAMES {
            after += usize::from(self.text(after) == b"template");
            if !self.is_word(after) {
                return None;
            }
            after += 1;
            if self.is(after, b'<') {
                after = self.past_type_arguments(after)?;
            }
            if !(self.is(after, b':') && self.is(after + 1, b':')) {
                let is_made = matches!(self.text(after), b"(" | b"{");
                return is_made.then_some(at + 1);
            }
            after += 2;
        }
        None
    }

    /// Returns the position after the `export` of a declaration, or that of the `;` in `import a.b;` and
    /// `export module a:b;`.
    fn module_word(&self, at: usize, word: &[u8]) -> Option<usize> {
        if self.statement.last.is_some() || self.is_in_list() {
            return None;
        }
        let next = self.text(at + 1);
        if word == b"import" || matches!(next, b"import" | b"module") {
            return self.end_of_module_line(at);
        }
        let is_declared = next == b"{" || self.is_word(at + 1);
        is_declared.then_some(at + 1)
    }

    fn end_of_module_line(&self, at: usize) -> Option<usize> {
        const MAX_TOKENS: usize = 32;
        for end in at..at + MAX_TOKENS {
            match self.tokens.get(end)?.kind {
                Kind::Mark(b';') => return Some(end),
                Kind::Word | Kind::Text | Kind::Mark(b'.' | b':' | b'<' | b'>' | b'/') => {}
                _ => return None,
            }
        }
        None
    }

    /// Returns the position after an attribute macro in small letters behind a name, parameters or members:
    /// `int a __maybe_unused;`, `void f(void) __pure;`, `struct b { … } __packed;`.
    pub(super) fn attribute_behind_name(&self, at: usize, word: &[u8]) -> Option<usize> {
        if !is_small_attribute(word) {
            return None;
        }
        let after = match self.is(at + 1, b'(') {
            true => closing(self.tokens, at + 1)? + 1,
            false => at + 1,
        };
        let next = self.text(after);
        let Some(before) = self.statement.last else {
            let is_behind_members = at.checked_sub(1).is_some_and(|last| self.is(last, b'}'));
            let continues = next == b";" || self.is_word(after);
            return (is_behind_members && continues).then_some(after);
        };
        let is_behind = match self.text(before) {
            b")" => !self.is_in_list(),
            b"]" => true,
            name => self.is_name(before, name),
        };
        let ends = matches!(next, b";" | b"=" | b"," | b")" | b"{")
            || is_small_attribute(next)
            || is_attribute(next);
        (is_behind && ends).then_some(after)
    }

    /// Whether a word may be the name of a variable or parameter that a type precedes.
    fn is_name(&self, at: usize, word: &[u8]) -> bool {
        let has_type = at.checked_sub(1).is_some_and(|before| {
            let is_mark = self.is(before, b'*') || self.is(before, b',') && !self.is_in_list();
            self.is_word(before) || is_mark
        });
        self.is_word(at) && has_type && !is_type(word) && !is_beginning(word)
    }

    /// Returns the position after the alignment in `struct alignas(8) A {`.
    fn alignment_of_type(&self, at: usize) -> Option<usize> {
        let is_head = matches!(
            self.text(self.statement.last?),
            b"struct" | b"class" | b"union"
        );
        let close = closing(self.tokens, at + 1).filter(|_| is_head && self.is(at + 1, b'('))?;
        Some(close + 1)
    }

    /// Uncovers the parameters of `int f OF((int a, int b))`; returns the position of their bracket.
    pub(super) fn parameters_in_macro(&mut self, at: usize) -> Option<usize> {
        let is_after_name = self.statement.words >= 2 && !self.is_in_list();
        if !is_after_name || !self.is(at + 1, b'(') || !self.is(at + 2, b'(') {
            return None;
        }
        let (close, inner) = (closing(self.tokens, at + 1)?, closing(self.tokens, at + 2)?);
        let is_whole = inner + 1 == close && matches!(self.text(close + 1), b"{" | b";");
        is_whole.then(|| self.uncover(at, close))
    }

    /// Uncovers a whole declaration, `API(static int f(int a)) {`; returns the position after the macro's bracket.
    pub(super) fn declaration_in_macro(&mut self, at: usize, word: &[u8]) -> Option<usize> {
        let is_first = self.statement.last.is_none() && !self.is_in_list();
        if !is_first || !is_macro(word) || !self.is(at + 1, b'(') {
            return None;
        }
        let close = closing(self.tokens, at + 1)?;
        let inside = self.tokens.get(at + 2..close)?;
        // The parameters are the last thing in the brackets of the macro.
        let open = at + 2 + inside.iter().position(|token| token.is(b'('))?;
        let is_whole = closing(self.tokens, open)? + 1 == close
            && matches!(self.text(close + 1), b"{" | b";")
            && self.is_type_list(at + 2, open)
            && lookahead::words(self.bytes, inside) >= 2;
        is_whole.then(|| self.uncover(at, close))
    }

    /// Uncovers the only word in a macro: the type of a parameter, `MY(node) *x`, or the name of a function,
    /// `void MY(free)(int a) {`. Returns the position after it.
    pub(super) fn name_in_macro(&mut self, at: usize, word: &[u8]) -> Option<usize> {
        let is_only = is_macro(word)
            && self.is(at + 1, b'(')
            && self.is_word(at + 2)
            && self.is(at + 3, b')');
        let after = at + 4;
        let is_named = match (is_only, self.is_in_list()) {
            (false, _) => false,
            (_, true) => self.statement.words == 0 && self.is_pointer(after),
            (_, false) => self.statement.words > 0 && self.is_head_of_parameters(after),
        };
        is_named.then(|| {
            self.blank(at, at + 2);
            self.blank(at + 3, after);
            self.statement.words += 1;
            self.statement.last = Some(at + 3);
            after
        })
    }

    /// Whether the rest of a parameter with a pointer type is at a position: `*x`, `**x[]`.
    fn is_pointer(&self, at: usize) -> bool {
        let name = (at + 1..at + 3).find(|at| !self.is(*at, b'*'));
        let is_named =
            |name: usize| self.is_word(name) && matches!(self.text(name + 1), b"," | b")" | b"[");
        self.is(at, b'*') && name.is_some_and(is_named)
    }

    /// Whether the parameters of a function are at a position, with its body or a `;` behind them.
    fn is_head_of_parameters(&self, at: usize) -> bool {
        let close = closing(self.tokens, at).filter(|_| self.is(at, b'('));
        close.is_some_and(|close| matches!(self.text(close + 1), b"{" | b";"))
    }

    /// Blanks out the condition in `template <typename T, ENABLE_IF(…)>`; returns the position after it.
    pub(super) fn template_condition(
        &mut self,
        at: usize,
        after: usize,
        close: Option<usize>,
    ) -> Option<usize> {
        let before = self.statement.last.filter(|_| close.is_some())?;
        let is_template = self.text(self.statement.start) == b"template";
        if !is_template || !matches!(self.text(after), b"," | b">") {
            return None;
        }
        match self.text(before) {
            b"," => self.blank(before, after),
            b"<" if self.is(after, b',') => {
                self.blank(at, after + 1);
                return Some(after + 1);
            }
            b"<" => self.blank(at, after),
            _ => return None,
        }
        Some(after)
    }

    /// Blanks out the arguments of `NAME(void, );`, which may be none that the grammars know.
    pub(super) fn plain_arguments(&mut self, start: usize, close: usize) {
        let is_known = |at: usize| match self.tokens.get(at).map(|token| token.kind) {
            Some(Kind::Word) => !is_type(self.text(at)) && !is_beginning(self.text(at)),
            Some(Kind::Number | Kind::Text | Kind::Mark(b'&' | b':' | b'.')) => true,
            Some(Kind::Mark(b',')) => at > start && !matches!(self.text(at + 1), b"," | b")"),
            _ => false,
        };
        let is_statement = self.is(close + 1, b';') && !self.is_in_list();
        if is_statement && start < close && !(start..close).all(is_known) {
            self.blank(start, close);
        }
    }
}

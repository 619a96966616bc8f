//! Masks macros among declarations: before types (`API int f()`), after parameters (`int f() NOTHROW;`), in
//! heads of types (`class API A {`), and in place of heads of functions (`TEST(a, b) {`). A macro is
//! recognised by its capitals and its context: `BOOL f();` has a type, `API BOOL f();` has one word too
//! many.

use super::conditionals::{Bracket, after_template, brace};
use super::lookahead::{self, closing, is_beginning, is_type};
use super::macro_names::{is_attribute, is_calling_convention, is_macro};
use super::tokens::{Kind, Token};
use super::{Changes, MacroHead};

/// The state of the current statement up to a token.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Statement {
    /// Position of its first token.
    pub(super) start: usize,
    /// Position of its last token.
    pub(super) last: Option<usize>,
    /// Number of its words, without those that only begin a declaration.
    pub(super) words: usize,
}

pub(super) fn mask_macros(bytes: &[u8], tokens: &[Token], changes: &mut Changes) {
    let mut masker = MacroMasker {
        bytes,
        tokens,
        changes,
        brackets: Vec::new(),
        statement: Statement::default(),
        uncovered: None,
    };
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at = match token.kind {
            Kind::Mark(_) if masker.uncovered == Some(at) => at + 1,
            Kind::Mark(mark) => {
                masker.mark(at, mark);
                at + 1
            }
            Kind::Word if masker.is_among_declarations() => masker.word(at),
            Kind::Word => masker.word_of_statement(at),
            _ => {
                masker.statement.last = Some(at);
                at + 1
            }
        };
    }
}

/// An open bracket, the statement that contains it, and the name of the type whose body it is.
struct Open<'s> {
    bracket: Bracket,
    around: Statement,
    type_name: &'s [u8],
}

pub(super) struct MacroMasker<'s> {
    pub(super) bytes: &'s [u8],
    pub(super) tokens: &'s [Token],
    changes: &'s mut Changes,
    brackets: Vec<Open<'s>>,
    pub(super) statement: Statement,
    /// Position of the bracket that closes a macro whose opening bracket was skipped.
    uncovered: Option<usize>,
}

impl<'s> MacroMasker<'s> {
    fn bracket(&self, up: usize) -> Option<Bracket> {
        let at = self.brackets.len().checked_sub(up + 1)?;
        self.brackets.get(at).map(|open| open.bracket)
    }

    /// Whether the current bracket holds declarations or the parameters of one.
    fn is_among_declarations(&self) -> bool {
        let is_outer = |bracket| matches!(bracket, None | Some(Bracket::Declarations));
        is_outer(self.bracket(0))
            || self.bracket(0) == Some(Bracket::List) && is_outer(self.bracket(1))
    }

    pub(super) fn is_in_block(&self) -> bool {
        self.bracket(0) == Some(Bracket::Statements)
    }

    pub(super) fn is_in_list(&self) -> bool {
        self.bracket(0) == Some(Bracket::List)
    }

    pub(super) fn text(&self, at: usize) -> &'s [u8] {
        self.tokens
            .get(at)
            .map_or(b"", |token| token.of(self.bytes))
    }

    pub(super) fn is(&self, at: usize, mark: u8) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is(mark))
    }

    pub(super) fn is_word(&self, at: usize) -> bool {
        let token = self.tokens.get(at);
        token.is_some_and(|token| token.kind == Kind::Word)
    }

    pub(super) fn is_after(&self, mark: u8) -> bool {
        self.statement.last.is_some_and(|last| self.is(last, mark))
    }

    fn begin(&mut self, at: usize) {
        self.statement = Statement {
            start: at,
            ..Statement::default()
        };
    }

    fn mark(&mut self, at: usize, mark: u8) {
        match mark {
            b'(' | b'[' | b'{' => {
                let bracket = match mark {
                    b'{' => self.brace(at),
                    _ => Bracket::List,
                };
                self.brackets.push(Open {
                    bracket,
                    around: self.statement,
                    type_name: self.type_name(at, bracket),
                });
                self.begin(at + 1);
            }
            b')' | b']' | b'}' => {
                let open = self.brackets.pop();
                let around = open.as_ref().map(|open| open.around);
                let ends = open.is_none_or(|open| {
                    matches!(open.bracket, Bracket::Declarations | Bracket::Statements)
                });
                match around {
                    Some(around) if !ends => self.statement = around,
                    _ => self.begin(at + 1),
                }
                self.statement.last = (!ends).then_some(at);
                if mark == b')' && self.is_among_declarations() && !self.is_in_list() {
                    self.old_parameters(at + 1);
                }
            }
            b';' => self.begin(at + 1),
            b',' if self.is_in_list() => self.begin(at + 1),
            b':' if self.is_label(at) => self.begin(at + 1),
            _ => self.statement.last = Some(at),
        }
    }

    fn brace(&self, at: usize) -> Bracket {
        brace(self.bytes, self.head(at), self.bracket(0))
    }

    /// Returns `B` of `class A B : C {`.
    fn type_name(&self, at: usize, bracket: Bracket) -> &'s [u8] {
        if bracket != Bracket::Declarations {
            return b"";
        }
        let mut name: &[u8] = b"";
        let mut is_head = false;
        for token in after_template(self.bytes, self.head(at)) {
            match token.kind {
                Kind::Word => {
                    let word = token.of(self.bytes);
                    let begins = matches!(word, b"class" | b"struct" | b"union");
                    is_head |= begins;
                    if is_head && !begins && word != b"final" {
                        name = word;
                    }
                }
                Kind::Mark(b':' | b'<') if is_head && !name.is_empty() => return name,
                _ => {}
            }
        }
        name
    }

    /// Returns the tokens of the statement before a brace. Heads are short; a longer run of tokens is not one.
    fn head(&self, brace: usize) -> &'s [Token] {
        let start = self.statement.start.max(brace.saturating_sub(64));
        self.tokens.get(start..brace).unwrap_or_default()
    }

    /// Whether a `:` ends an access label such as `public:`. `: public ::B` has none.
    fn is_label(&self, at: usize) -> bool {
        if self.is(at + 1, b':') {
            return false;
        }
        let before = at
            .checked_sub(1)
            .map_or(&b""[..], |before| self.text(before));
        matches!(
            before,
            b"public" | b"private" | b"protected" | b"signals" | b"slots"
        )
    }

    /// Examines a word; returns the position of the next token to examine.
    fn word(&mut self, at: usize) -> usize {
        let word = self.text(at);
        let surplus = self.unknown_word(at, word);
        if let Some(after) = surplus.or_else(|| self.attribute_behind_name(at, word)) {
            self.blank(at, after);
            return after;
        }
        let uncovered = self.parameters_in_macro(at);
        if let Some(inside) = uncovered.or_else(|| self.declaration_in_macro(at, word)) {
            return inside;
        }
        if let Some(after) = self.name_in_macro(at, word) {
            return after;
        }
        if is_macro(word) {
            let close = self
                .is(at + 1, b'(')
                .then(|| closing(self.tokens, at + 1))
                .flatten();
            let after = close.map_or(at + 1, |close| close + 1);
            if is_attribute(word) {
                self.blank(at, after);
                return after;
            }
            if let Some(after) = self.template_condition(at, after, close) {
                return after;
            }
            if self.is_head_of_function(at, after, close) {
                return after;
            }
            if self.is_surplus(at, after, close) {
                self.note_declarations(at, after, close);
                self.blank(at, after);
                return after;
            }
            if let Some(close) = close.filter(|_| self.statement.last.is_none()) {
                self.plain_arguments(at + 2, close);
            }
        }
        let is_scoped = at >= 2 && self.is(at - 1, b':') && self.is(at - 2, b':');
        if !is_beginning(word) && !is_scoped {
            self.statement.words += 1;
        }
        self.statement.last = Some(at);
        at + 1
    }

    pub(super) fn blank(&mut self, at: usize, after: usize) {
        let (first, last) = (self.tokens.get(at), self.tokens.get(after - 1));
        if let (Some(first), Some(last)) = (first, last) {
            self.changes.blanks.push(first.start..last.end);
        }
    }

    /// Gives a macro before a title and a block, `SECTION("adds") {`, the form of an `if`.
    pub(super) fn rewrite_titled(&mut self, at: usize) {
        if let Some(name) = self.tokens.get(at) {
            self.changes.titled.push(name.start..name.end);
        }
    }

    /// Blanks out a macro and its brackets around something; returns the position of that.
    pub(super) fn uncover(&mut self, at: usize, close: usize) -> usize {
        self.blank(at, at + 2);
        self.blank(close, close + 1);
        self.uncovered = Some(close);
        at + 2
    }

    /// Whether a macro is the head of a function, `NAME(…) {`, among declarations. Records the head.
    fn is_head_of_function(&mut self, at: usize, after: usize, close: Option<usize>) -> bool {
        let is_first = self.statement.last.is_none() && !self.is_in_list();
        let (Some(close), true, true) = (close, is_first, self.is(after, b'{')) else {
            return false;
        };
        let place = |at: usize| self.tokens.get(at).map(|token| token.start);
        if let (Some(start), Some(open), Some(close)) = (place(at), place(at + 1), place(close)) {
            self.changes.heads.push(MacroHead { start, open, close });
            self.statement.last = Some(at);
        }
        true
    }

    /// Whether the declaration is complete without the macro at a position.
    fn is_surplus(&mut self, at: usize, after: usize, close: Option<usize>) -> bool {
        let before = self.statement.last;
        if let Some(before) = before
            && let b"struct" | b"class" | b"union" | b"enum" = self.text(before)
        {
            return self.is_in_head_of_type(before, after);
        }
        let last = before.map_or(&b""[..], |before| self.text(before));
        if matches!(
            last,
            b"namespace" | b"typename" | b"using" | b"operator" | b"~" | b"." | b"=" | b":"
        ) || last == b"<"
            || last == b">" && before.is_some_and(|at| at > 0 && self.is(at - 1, b'-'))
        {
            return last == b":"
                && !self.is_scope(before)
                && self.is_before_declaration(at, after, close);
        }
        let next = self.tokens.get(after).map(|next| next.kind);
        match next {
            None | Some(Kind::Mark(b'}')) => before.is_none(),
            Some(Kind::Mark(b'~')) => before.is_none(),
            // `(CALL *f)(…)` is a pointer to a function.
            Some(Kind::Mark(b'*')) if self.is_in_list() && before.is_none() => {
                self.is(after + 2, b')') && self.is(after + 3, b'(')
            }
            Some(Kind::Mark(b'[')) if self.is(after + 1, b'[') => before.is_none(),
            Some(Kind::Mark(b';' | b'{' | b'=' | b'-' | b':' | b',' | b')')) => {
                let is_scope = self.is(after, b':') && self.is(after + 1, b':');
                !is_scope && self.is_trailing(last)
            }
            // `UINT __stdcall f(…)`: before a calling convention stands the type.
            Some(Kind::Word) if is_calling_convention(self.text(after)) => false,
            Some(Kind::Word) => {
                before.is_none() && self.ends_body(after)
                    || self.is_before_declaration(at, after, close)
            }
            _ => false,
        }
    }

    /// Whether only macros follow up to the end of a body: `struct a { FIELDS OTHERS(int) };`
    fn ends_body(&self, at: usize) -> bool {
        const MAX_MACROS: usize = 16;
        let mut at = at;
        for _ in 0..MAX_MACROS {
            if self.is(at, b'}') {
                return true;
            }
            if !is_macro(self.text(at)) {
                return false;
            }
            at += 1;
            if self.is(at, b'(') {
                match closing(self.tokens, at) {
                    Some(close) => at = close + 1,
                    None => return false,
                }
            }
        }
        false
    }

    /// Records the use of a macro that ends a body or has lines of its own: it stands for declarations, or for what all
    /// functions of a kind have before their types. One on the line of its declaration is an attribute of it.
    fn note_declarations(&mut self, at: usize, after: usize, close: Option<usize>) {
        let is_alone = self.has_own_lines(at, after) || self.ends_body(after);
        if is_alone && self.statement.last.is_none() && !self.is_in_list() {
            self.note_use(at, close.is_some());
        }
    }

    /// Records the use of a macro that becomes blank.
    pub(super) fn note_use(&mut self, at: usize, is_called: bool) {
        self.changes.note_use(self.tokens.get(at), is_called);
    }

    /// Whether no other token is on the lines of those from `at` to before `after`.
    pub(super) fn has_own_lines(&self, at: usize, after: usize) -> bool {
        self.begins_line(at) && self.begins_line(after)
    }

    /// Whether a line ends before a token, or there is none on one side.
    fn begins_line(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.tokens.get(before));
        let (Some(before), Some(token)) = (before, self.tokens.get(at)) else {
            return true;
        };
        let between = self.bytes.get(before.end..token.start).unwrap_or_default();
        between.contains(&b'\n')
    }

    fn is_scope(&self, at: Option<usize>) -> bool {
        at.is_some_and(|at| at > 0 && self.is(at - 1, b':'))
    }

    /// Returns the position after an attribute in double brackets, `[[nodiscard]]`, or `at` if there is none.
    fn past_attribute(&self, at: usize) -> usize {
        let is_attribute = self.is(at, b'[') && self.is(at + 1, b'[');
        let close = is_attribute.then(|| closing(self.tokens, at)).flatten();
        close.map_or(at, |close| close + 1)
    }

    /// Whether a macro is in the head of a type: `class API A {`, `struct API PACKED A : B`,
    /// `class API [[nodiscard]] A {`. `struct A b` declares a variable.
    fn is_in_head_of_type(&self, keyword: usize, after: usize) -> bool {
        const MAX_MACROS: usize = 4;
        let mut after = after;
        for _ in 0..MAX_MACROS {
            if !is_macro(self.text(after)) {
                break;
            }
            let past = match self.is(after + 1, b'(') {
                true => closing(self.tokens, after + 1).map_or(after, |close| close + 1),
                false => after + 1,
            };
            if !self.is_word(past) || self.text(past) == b"final" {
                break;
            }
            after = past;
        }
        after = self.past_attribute(after);
        let then = self.text(after + 1);
        self.is_word(after)
            && self.text(after) != b"final"
            && (matches!(then, b"{" | b"<" | b"final")
                || then == b":" && !self.is(after + 2, b':')
                || then == b";" && self.text(keyword) == b"class")
    }

    /// Whether a macro comes after parameters, or after a type and a name.
    fn is_trailing(&self, last: &[u8]) -> bool {
        match last {
            b")" | b"]" => !self.is_in_list() || last == b"]",
            b"&" => !self.is_in_list() && self.is_reference_qualifier(),
            b"const" | b"override" | b"noexcept" | b"final" => self.statement.words > 1,
            _ => {
                let is_word = self.statement.last.is_some_and(|at| self.is_word(at));
                is_word && self.statement.words >= 2 && !is_type(last) && !is_beginning(last)
            }
        }
    }

    /// Whether the statement ends in a method's `&` or `&&`: `f() &`, `f() const &&`.
    fn is_reference_qualifier(&self) -> bool {
        let Some(mut at) = self.statement.last else {
            return false;
        };
        for _ in 0..2 {
            at -= usize::from(at > 0 && self.is(at, b'&'));
        }
        at -= usize::from(at > 0 && self.text(at) == b"const");
        self.is(at, b')')
    }

    /// Whether a macro comes before a type and a name, or between them.
    fn is_before_declaration(&mut self, at: usize, after: usize, close: Option<usize>) -> bool {
        let next = self.text(after);
        let begins = is_beginning(next) && !matches!(next, b"const" | b"volatile");
        if begins || is_type(next) {
            return true;
        }
        let rest = self.tokens.get(after..).unwrap_or_default();
        let count = lookahead::words(self.bytes, rest);
        let last = self
            .statement
            .last
            .map_or(&b""[..], |before| self.text(before));
        if self.is_constructor(after) {
            return true;
        }
        let has_type = self.statement.words > 0 || last == b"*" || last == b"&";
        if count >= 2 {
            return next != b"operator";
        }
        if has_type || (last == b"*" && is_beginning(next)) {
            return true;
        }
        if next == b"operator" {
            return self.is_word(after + 1) && !matches!(self.text(after + 1), b"new" | b"delete");
        }
        let of_class = self.brackets.last().map_or(&b""[..], |open| open.type_name);
        if !of_class.is_empty() && next == of_class && self.is(after + 1, b'(') {
            return true;
        }
        let Some(close) = close else {
            // `Q_OBJECT` before `Q_PROPERTY(…)` before a declaration.
            let calls = is_macro(next) && self.is(after + 1, b'(');
            let end = calls.then(|| closing(self.tokens, after + 1)).flatten();
            return end.is_some_and(|end| self.is_word(end + 1));
        };
        if is_macro(next) || !self.is_type_list(at + 2, close) {
            return true;
        }
        // `PyAPI_FUNC(int) f();` has its type in brackets.
        self.blank(at, at + 2);
        self.blank(close, close + 1);
        false
    }

    /// Whether a constructor or destructor outside its class begins at a position: `C::C(`, `a::C<T>::~C(`.
    fn is_constructor(&self, at: usize) -> bool {
        let mut at = at;
        let mut class: &[u8] = b"";
        while self.is_word(at) {
            let name = self.text(at);
            if self.is(at + 1, b'(') {
                return name == class;
            }
            class = name;
            at += 1;
            if self.is(at, b'<') {
                match self.past_type_arguments(at) {
                    Some(after) => at = after,
                    None => return false,
                }
            }
            if !(self.is(at, b':') && self.is(at + 1, b':')) {
                return false;
            }
            at += 2 + usize::from(self.is(at + 2, b'~'));
        }
        false
    }

    pub(super) fn past_type_arguments(&self, open: usize) -> Option<usize> {
        const MAX_TOKENS: usize = 32;
        let mut depth = 0;
        for at in open..open + MAX_TOKENS {
            match self.tokens.get(at)?.kind {
                Kind::Mark(b'<') => depth += 1,
                Kind::Mark(b'>') => depth -= 1,
                Kind::Mark(b';' | b'{') => return None,
                _ => {}
            }
            if depth == 0 {
                return Some(at + 1);
            }
        }
        None
    }

    /// Whether all tokens may belong to a type and a name.
    pub(super) fn is_type_list(&self, start: usize, end: usize) -> bool {
        let tokens = self.tokens.get(start..end).unwrap_or_default();
        !tokens.is_empty()
            && tokens.iter().all(|token| {
                matches!(
                    token.kind,
                    Kind::Word | Kind::Mark(b'*' | b'<' | b'>' | b':' | b'&')
                )
            })
    }
}

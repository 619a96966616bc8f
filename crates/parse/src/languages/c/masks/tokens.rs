//! Splits a text into words and marks, without comments. A preprocessor line is one token.

use std::ops::Range;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Number,
    Text,
    Mark(u8),
    /// `#if`, `#ifdef`, `#ifndef`; whether its branch is never compiled.
    If(IsNever),
    /// `#else`, `#elif`, `#elifdef`.
    Else,
    Endif,
    /// Any other preprocessor line.
    Directive,
}

/// Whether the condition is `0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IsNever(pub(super) bool);

#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Token {
    pub(super) fn is(&self, mark: u8) -> bool {
        self.kind == Kind::Mark(mark)
    }

    /// Whether it is no preprocessor line.
    pub(super) fn is_code(&self) -> bool {
        matches!(
            self.kind,
            Kind::Word | Kind::Number | Kind::Text | Kind::Mark(_)
        )
    }

    pub(super) fn of<'t>(&self, bytes: &'t [u8]) -> &'t [u8] {
        bytes.get(self.start..self.end).unwrap_or_default()
    }
}

#[derive(Debug, Default)]
pub(super) struct TokenStream {
    pub(super) tokens: Vec<Token>,
    /// Comments inside preprocessor lines, at which the grammars end those lines.
    pub(super) blanks: Vec<Range<usize>>,
}

pub(super) fn lex(bytes: &[u8]) -> TokenStream {
    let mut lexer = Lexer {
        bytes,
        at: 0,
        lexed: TokenStream::default(),
    };
    lexer.lexed.tokens.reserve(bytes.len() / 6);
    let mut begins_line = true;
    while let Some(byte) = lexer.peek(0) {
        let start = lexer.at;
        match byte {
            b'\n' => {
                begins_line = true;
                lexer.at += 1;
                continue;
            }
            b'#' if begins_line => lexer.directive(),
            b'/' if lexer.peek(1) == Some(b'/') => lexer.at = lexer.line_end(start),
            b'/' if lexer.peek(1) == Some(b'*') => {
                lexer.at = past_comment(bytes, start);
                continue;
            }
            byte if byte.is_ascii_whitespace() || byte == b'\\' => {
                lexer.at += 1;
                continue;
            }
            b'"' | b'\'' => {
                lexer.at = past_literal(bytes, start);
                lexer.push(Kind::Text, start);
            }
            b'0'..=b'9' => {
                lexer.at = past_number(bytes, start);
                lexer.push(Kind::Number, start);
            }
            byte if is_word(byte) => lexer.word(),
            mark => {
                lexer.at += 1;
                lexer.push(Kind::Mark(mark), start);
            }
        }
        begins_line = false;
    }
    lexer.lexed
}

struct Lexer<'t> {
    bytes: &'t [u8],
    at: usize,
    lexed: TokenStream,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn push(&mut self, kind: Kind, start: usize) {
        let end = self.at;
        self.lexed.tokens.push(Token { kind, start, end });
    }

    /// Returns the end of a line, which a backslash may continue.
    fn line_end(&self, from: usize) -> usize {
        let mut at = from;
        while let Some(rest) = self.bytes.get(at..) {
            let Some(len) = rest.iter().position(|byte| *byte == b'\n') else {
                break;
            };
            let line = rest.get(..len).unwrap_or_default();
            if !line.trim_ascii_end().ends_with(b"\\") {
                return at + len;
            }
            at += len + 1;
        }
        self.bytes.len()
    }

    fn word(&mut self) {
        let start = self.at;
        self.at = past_word(self.bytes, start);
        let word = self.bytes.get(start..self.at).unwrap_or_default();
        if self.peek(0) == Some(b'"') && matches!(word, b"R" | b"LR" | b"u8R" | b"uR" | b"UR") {
            self.at = past_raw(self.bytes, self.at);
            self.push(Kind::Text, start);
        } else {
            self.push(Kind::Word, start);
        }
    }

    fn directive(&mut self) {
        let start = self.at;
        let mut end = self.line_end(start);
        let mut at = start;
        while at < end {
            let here = self.bytes.get(at..).unwrap_or_default();
            if here.starts_with(b"//") {
                break;
            }
            if here.starts_with(b"/*") {
                let after = past_comment(self.bytes, at);
                if after > end {
                    end = self.line_end(after);
                }
                let rest = self.bytes.get(after..end).unwrap_or_default();
                let is_last = rest.trim_ascii().is_empty() || rest.trim_ascii().starts_with(b"//");
                let is_one_line = !self
                    .bytes
                    .get(at..after)
                    .unwrap_or_default()
                    .contains(&b'\n');
                if !is_last && is_one_line {
                    self.lexed.blanks.push(at..after);
                }
                at = after;
            } else if here.starts_with(b"\"") {
                let end = past_literal(self.bytes, at);
                let text = self.bytes.get(at..end).unwrap_or_default();
                // The grammars parse `/*` in a literal as a comment.
                if let Some(open) = text.windows(2).position(|window| window == b"/*") {
                    self.lexed.blanks.push(at + open + 1..at + open + 2);
                }
                at = end;
            } else {
                at += 1;
            }
        }
        self.at = end;
        let line = self.bytes.get(start + 1..end).unwrap_or_default();
        self.push(kind_of(line.trim_ascii_start()), start);
    }
}

fn kind_of(line: &[u8]) -> Kind {
    let end = line.iter().position(|byte| !is_word(*byte));
    let (word, rest) = line.split_at(end.unwrap_or(line.len()));
    match word {
        b"if" => {
            let condition = rest.trim_ascii();
            let is_never = condition.strip_prefix(b"0").is_some_and(|rest| {
                rest.first()
                    .is_none_or(|byte| byte.is_ascii_whitespace() || *byte == b'/')
            });
            Kind::If(IsNever(is_never))
        }
        b"ifdef" | b"ifndef" => Kind::If(IsNever(false)),
        b"else" | b"elif" | b"elifdef" | b"elifndef" => Kind::Else,
        b"endif" => Kind::Endif,
        _ => Kind::Directive,
    }
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn past_word(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let len = rest.iter().position(|byte| !is_word(*byte));
    at + len.unwrap_or(rest.len())
}

/// Returns the end of a number, also of `1'000`, `1e-5` and `0x1p+3`.
fn past_number(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while let Some(byte) = bytes.get(end).copied() {
        let before = bytes.get(end - 1).copied().unwrap_or(0);
        let is_sign = matches!(byte, b'+' | b'-') && matches!(before, b'e' | b'E' | b'p' | b'P');
        let is_separator = byte == b'\'' && bytes.get(end + 1).is_some_and(u8::is_ascii_hexdigit);
        if !(is_word(byte) || byte == b'.' || is_sign || is_separator) {
            break;
        }
        end += 1;
    }
    end
}

/// Returns the end of a literal. An unterminated literal ends with its line.
fn past_literal(bytes: &[u8], at: usize) -> usize {
    let quote = bytes.get(at).copied();
    let mut end = at + 1;
    while let Some(byte) = bytes.get(end).copied() {
        match byte {
            b'\\' => end += 2,
            b'\n' => return end,
            byte if Some(byte) == quote => return end + 1,
            _ => end += 1,
        }
    }
    bytes.len()
}

fn past_raw(bytes: &[u8], quote: usize) -> usize {
    let rest = bytes.get(quote + 1..).unwrap_or_default();
    let Some(open) = rest.iter().take(17).position(|byte| *byte == b'(') else {
        return past_literal(bytes, quote);
    };
    let mut close = vec![b')'];
    close.extend(rest.get(..open).unwrap_or_default());
    close.push(b'"');
    let body = rest.get(open..).unwrap_or_default();
    let found = body.windows(close.len()).position(|window| window == close);
    found.map_or(bytes.len(), |found| quote + 1 + open + found + close.len())
}

fn past_comment(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at + 2..).unwrap_or_default();
    let found = rest.windows(2).position(|window| window == b"*/");
    found.map_or(bytes.len(), |found| at + 2 + found + 2)
}

#[cfg(test)]
mod tests {
    use super::lex;

    /// It would take minutes if the end of the line were searched after each comment.
    #[test]
    fn comments_in_a_directive_take_linear_time() {
        let count = 100_000;
        let text = format!("#define A {}1\nint b;\n", "/* c */ ".repeat(count));
        let lexed = lex(text.as_bytes());
        assert_eq!((lexed.tokens.len(), lexed.blanks.len()), (4, count));
    }

    #[test]
    fn comment_of_several_lines_continues_a_directive() {
        let text = b"#define A /* b\nc */ 1\nint d;\n";
        let first = lex(text).tokens.first().map(|token| token.of(text).len());
        assert_eq!(first, Some("#define A /* b\nc */ 1".len()));
    }
}

//! Examines the tokens after a word that may be a macro, as much of a declaration as is needed.

use super::tokens::{Kind, Token};

/// Maximum number of tokens that are examined.
const MAX_TOKENS: usize = 48;

/// Words that begin a declaration or precede its type, sorted.
const BEGINNINGS: [&[u8]; 21] = [
    b"class", b"const", b"constexpr", b"enum", b"explicit", b"extern", b"friend", b"inline",
    b"namespace", b"private", b"protected", b"public", b"register", b"static", b"struct",
    b"template", b"typedef", b"union", b"using", b"virtual", b"volatile",
];

/// Types that can consist of several words, and other built-in types, sorted.
const TYPES: [&[u8]; 14] = [
    b"_Bool", b"auto", b"bool", b"char", b"double", b"float", b"int", b"long", b"short", b"signed",
    b"size_t", b"unsigned", b"void", b"wchar_t",
];

pub(super) fn is_beginning(word: &[u8]) -> bool {
    BEGINNINGS.binary_search(&word).is_ok()
}

pub(super) fn is_type(word: &[u8]) -> bool {
    TYPES.binary_search(&word).is_ok()
}

/// Counts the words of a declaration from its first token to its parameters or value. Scopes and type
/// arguments are parts of words.
pub(super) fn words(bytes: &[u8], tokens: &[Token]) -> usize {
    let (mut count, mut angles) = (0, 0_usize);
    let mut is_scoped = false;
    let mut tokens = tokens.iter().take(MAX_TOKENS).peekable();
    while let Some(token) = tokens.next() {
        match token.kind {
            _ if angles > 0 => match token.kind {
                Kind::Mark(b'<') => angles += 1,
                Kind::Mark(b'>') => angles -= 1,
                Kind::Mark(b';' | b'{') => break,
                _ => {}
            },
            Kind::Word => {
                let word = token.of(bytes);
                if !is_beginning(word) && !is_scoped {
                    count += 1;
                }
                is_scoped = false;
                if word == b"operator" {
                    break;
                }
            }
            Kind::Mark(b':') => {
                let next = tokens.next_if(|next| next.is(b':') && next.start == token.end);
                if next.is_none() {
                    break;
                }
                is_scoped = true;
            }
            Kind::Mark(b'<') => angles += 1,
            Kind::Mark(b'*' | b'&' | b'~') => is_scoped = false,
            _ => break,
        }
    }
    count
}

/// Returns the position of the bracket that closes the one at `open`.
pub(super) fn closing(tokens: &[Token], open: usize) -> Option<usize> {
    const MAX_ARGUMENTS: usize = 512;
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open).take(MAX_ARGUMENTS) {
        match token.kind {
            Kind::Mark(b'(' | b'[' | b'{') => depth += 1,
            Kind::Mark(b')' | b']' | b'}') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

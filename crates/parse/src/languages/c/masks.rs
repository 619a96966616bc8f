//! What the grammars see instead of the text. They know no macros, and conditionals only around whole
//! statements; what they cannot read is blanked out, byte by byte, so that every place stays where it
//! is. Nothing is added, except that a function whose head is a macro gets the form of a function.
//!
//! Start at [`masked`]. Definitions, references and spans are taken from the text itself.

mod conditionals;
mod follow;
mod tokens;
mod words;

use std::borrow::Cow;
use std::ops::Range;

pub(super) use words::is_macro;

/// The bytes of a text as its grammar is to see them.
pub(super) fn masked(text: &str) -> Cow<'_, [u8]> {
    let bytes = text.as_bytes();
    let lexed = tokens::lex(bytes);
    let mut changes = Changes {
        blanks: lexed.blanks,
        heads: Vec::new(),
    };
    let Some(kept) = conditionals::settle(bytes, &lexed.tokens, &mut changes) else {
        return Cow::Borrowed(bytes);
    };
    words::settle(bytes, &kept, &mut changes);
    if changes.blanks.is_empty() && changes.heads.is_empty() {
        return Cow::Borrowed(bytes);
    }
    let mut masked = bytes.to_vec();
    for range in &changes.blanks {
        blank(&mut masked, range.clone());
    }
    for head in &changes.heads {
        head.write(&mut masked);
    }
    Cow::Owned(masked)
}

/// What is changed.
#[derive(Debug, Default)]
struct Changes {
    /// Becomes blank, line ends aside.
    blanks: Vec<Range<usize>>,
    /// Become heads of functions.
    heads: Vec<MacroHead>,
}

/// `NAME(…)` before the body of a function.
#[derive(Clone, Copy, Debug)]
struct MacroHead {
    start: usize,
    /// Its brackets.
    open: usize,
    close: usize,
}

impl MacroHead {
    /// `TEST(a, b)` becomes `T ST(    )`: a type, a name, and no parameters.
    fn write(self, masked: &mut [u8]) {
        blank(masked, self.start + 1..self.start + 2);
        blank(masked, self.open + 1..self.close);
    }
}

fn blank(masked: &mut [u8], range: Range<usize>) {
    for byte in masked.get_mut(range).unwrap_or_default() {
        if *byte != b'\n' && *byte != b'\r' {
            *byte = b' ';
        }
    }
}

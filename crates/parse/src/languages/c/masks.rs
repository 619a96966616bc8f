//! Masks the text that the grammars parse. They know no macros, and conditionals only around whole
//! statements. What they cannot parse is blanked out byte by byte, so that all positions stay the same.
//! Nothing is added, except that a function whose head is a macro gets the form of a function, and a block with a title
//! that of an `if`.
//!
//! Start at [`masked`]. Definitions, references and spans are taken from the text itself.

mod conditionals;
mod lookahead;
mod macro_names;
mod macros;
mod statements;
mod tokens;
mod unsupported;

use std::borrow::Cow;
use std::ops::Range;

use tokens::Token;

pub(super) use macro_names::is_macro;

/// A text as its grammar sees it.
pub(super) struct MaskedText<'t> {
    pub(super) bytes: Cow<'t, [u8]>,
    /// Lines that include files but are blanked out for the grammar.
    pub(super) includes: Vec<Range<usize>>,
    /// Names that are used where the grammar sees blanks.
    pub(super) names: Vec<UnseenName>,
}

/// A name in a part of the text that is blanked out.
#[derive(Clone, Debug)]
pub(super) struct UnseenName {
    pub(super) place: Range<usize>,
    /// Whether brackets with arguments follow.
    pub(super) is_called: bool,
}

pub(super) fn masked(text: &str) -> MaskedText<'_> {
    let mut changes = Changes::default();
    MaskedText {
        bytes: changed(text, &mut changes),
        includes: changes.includes,
        names: changes.names,
    }
}

fn changed<'t>(text: &'t str, changes: &mut Changes) -> Cow<'t, [u8]> {
    let bytes = text.as_bytes();
    let lexed = tokens::lex(bytes);
    changes.blanks = lexed.blanks;
    let Some(kept) = conditionals::mask_conditionals(bytes, &lexed.tokens, changes) else {
        changes.includes.clear();
        changes.names.clear();
        return Cow::Borrowed(bytes);
    };
    macros::mask_macros(bytes, &kept, changes);
    if changes.blanks.is_empty() && changes.heads.is_empty() && changes.titled.is_empty() {
        return Cow::Borrowed(bytes);
    }
    let mut masked = bytes.to_vec();
    for range in &changes.blanks {
        blank(&mut masked, range.clone());
    }
    for head in &changes.heads {
        head.write(&mut masked);
    }
    for name in &changes.titled {
        blank(&mut masked, name.clone());
        if let Some(start) = masked.get_mut(name.start..name.start + 2) {
            start.copy_from_slice(b"if");
        }
    }
    Cow::Owned(masked)
}

#[derive(Debug, Default)]
struct Changes {
    /// Ranges that become blank, except for line ends.
    blanks: Vec<Range<usize>>,
    /// Lines that include files and become blank.
    includes: Vec<Range<usize>>,
    /// Names in what becomes blank that are uses: of macros that stand for declarations or statements, and in dropped
    /// branches.
    names: Vec<UnseenName>,
    /// Macros that become heads of functions.
    heads: Vec<MacroHead>,
    /// Macros before a title and a block, which become `if`.
    titled: Vec<Range<usize>>,
}

impl Changes {
    /// Records the use of a name in what becomes blank.
    fn note_use(&mut self, name: Option<&Token>, is_called: bool) {
        self.names.extend(name.map(|name| UnseenName {
            place: name.start..name.end,
            is_called,
        }));
    }
}

/// `NAME(…)` before the body of a function.
#[derive(Clone, Copy, Debug)]
struct MacroHead {
    start: usize,
    /// Positions of its brackets.
    open: usize,
    close: usize,
}

impl MacroHead {
    /// Rewrites `TEST(a, b)` to `T ST(    )`: a type, a name, and no parameters.
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

//! Recognises macros by their spelling.

/// Whether a word looks like a macro.
pub(in super::super) fn is_macro(word: &[u8]) -> bool {
    let is_constant = word.len() > 2
        && word
            .first()
            .is_some_and(|byte| byte.is_ascii_uppercase() || *byte == b'_')
        && word.iter().any(u8::is_ascii_uppercase)
        && !word.iter().any(u8::is_ascii_lowercase);
    is_constant
        || is_attribute(word)
        || matches!(word, b"__init" | b"__exit" | b"__user")
        || word.starts_with(b"Py") && word.ends_with(b"_FUNC")
}

pub(super) fn is_calling_convention(word: &[u8]) -> bool {
    matches!(
        word,
        b"__cdecl" | b"__fastcall" | b"__stdcall" | b"__vectorcall"
    )
}

/// Whether a word after the `*` of a pointer says whether it may be null: `_Nonnull`, `my_nullable`.
pub(super) fn is_nullability(word: &[u8]) -> bool {
    [&b"nonnull"[..], b"nullable"].into_iter().any(|end| {
        let start = word.len().saturating_sub(end.len());
        word.len() > end.len() && word.split_at(start).1.eq_ignore_ascii_case(end)
    })
}

/// Whether a word introduces an attribute in brackets, in any position.
pub(super) fn is_attribute(word: &[u8]) -> bool {
    matches!(
        word,
        b"__attribute__" | b"__attribute" | b"__declspec" | b"_Pragma" | b"__pragma"
    )
}

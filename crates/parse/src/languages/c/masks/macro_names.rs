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

/// Whether a word looks like a macro behind the prefix of its library: `Py_BEGIN_ALLOW_THREADS`.
pub(super) fn is_prefixed_macro(word: &[u8]) -> bool {
    let prefix = word.iter().position(|byte| *byte == b'_');
    let name = prefix.and_then(|prefix| word.get(prefix + 1..));
    word.first().is_some_and(u8::is_ascii_uppercase) && name.is_some_and(is_macro)
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

/// Attribute macros in small letters of operating systems and their libraries.
const SMALL_ATTRIBUTES: &[&[u8]] = &[
    b"__acquires", b"__aligned", b"__always_unused", b"__bitwise", b"__cacheline_aligned",
    b"__cacheline_aligned_in_smp", b"__cold", b"__counted_by", b"__dead", b"__dead2",
    b"__deprecated", b"__exitdata", b"__guarded_by", b"__hot", b"__initconst", b"__initdata",
    b"__kprobes", b"__malloc", b"__maybe_unused", b"__must_check", b"__must_hold", b"__noclone",
    b"__nonnull", b"__nonstring", b"__noreturn", b"__packed", b"__percpu", b"__printf",
    b"__printflike", b"__pure", b"__randomize_layout", b"__read_mostly", b"__refdata",
    b"__releases", b"__ro_after_init", b"__scanf", b"__sched", b"__section", b"__unused",
    b"__used", b"__visible", b"__weak", b"__wur",
];

/// Whether a word is an attribute macro in small letters, in any position: `__maybe_unused`,
/// `__attribute_const__`.
pub(super) fn is_small_attribute(word: &[u8]) -> bool {
    let is_named_so = word.starts_with(b"__attribute_") && !is_attribute(word);
    is_named_so || word.starts_with(b"__") && SMALL_ATTRIBUTES.contains(&word)
}

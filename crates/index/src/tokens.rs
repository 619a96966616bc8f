//! Splits text into index terms, the same for code, prose, paths and queries: an identifier gives the whole
//! in lower case and its parts (camel humps, snake parts, digit runs, acronyms), each in American spelling and
//! stemmed (Snowball, English). Characters other than letters, digits and underscores separate identifiers. Chinese and
//! Japanese put no spaces between words, Korean only between phrases: every two adjacent characters are a
//! term, and names of code between them are split off.

mod spelling;

use std::cell::RefCell;
use std::hash::BuildHasher;

use foldhash::HashMap;
use foldhash::fast::FixedState;
use rust_stemmers::{Algorithm, Stemmer};

/// Maximum length in bytes; longer identifiers are data (hashes, base64), not names.
const MAX_IDENTIFIER_LENGTH: usize = 80;

/// Identifiers cached per thread (about 3 MB): the load limit of a table whose size is a power of two. The
/// cache is cleared at this size, so that hostile input cannot make it grow without bound.
const MAX_CACHED: usize = (1 << 15) / 8 * 7;
/// Maximum length in bytes of a cached identifier; longer ones are rare.
const MAX_CACHED_LENGTH: usize = 40;

thread_local! {
    static TERMS: RefCell<Terms> = RefCell::new(Terms {
        stemmer: Stemmer::create(Algorithm::English),
        cache: HashMap::default(),
        lower: String::new(),
        found: String::new(),
    });
}

struct Terms {
    stemmer: Stemmer,
    /// Terms by identifier, each term followed by a space: text repeats its identifiers.
    cache: HashMap<Box<str>, Box<str>>,
    lower: String,
    found: String,
}

/// Calls `emit` for every term of `text`, in order; a compound identifier's whole precedes its parts. Terms
/// of one byte are left out. `emit` must not split text itself.
pub fn for_each_term(text: &str, mut emit: impl FnMut(&str)) {
    TERMS.with_borrow_mut(|terms| {
        for identifier in identifiers(text) {
            if identifier.starts_with(is_unspaced) {
                bigrams(identifier).for_each(&mut emit);
                continue;
            }
            terms.visit(identifier, |found| {
                found.split_terminator(' ').for_each(&mut emit);
            });
        }
    });
}

/// Returns a hash of a term that is the same in every run.
pub fn hash(term: &str) -> u64 {
    FixedState::default().hash_one(term)
}

/// Returns all terms of `text`.
pub fn terms(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for_each_term(text, |term| out.push(term.to_owned()));
    out
}

/// Returns the runs of letters, digits and underscores, without leading and trailing underscores. A run also
/// ends between a script with spaces and one without.
pub(crate) fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest
            .split_at(prefix_length(rest, |c| !is_alphanumeric(c)))
            .1;
        let unspaced = rest.starts_with(is_unspaced);
        let is_inside = |c| c == '_' || is_alphanumeric(c) && is_unspaced(c) == unspaced;
        let (word, tail) = rest.split_at(prefix_length(rest, is_inside));
        rest = tail;
        (!word.is_empty()).then(|| word.trim_end_matches('_'))
    })
}

/// Returns the length in bytes of the longest prefix of `text` whose characters all match. ASCII is read byte
/// by byte, because all indexed text passes through here.
fn prefix_length(text: &str, matches_kind: impl Fn(char) -> bool) -> usize {
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        let next = if byte.is_ascii() {
            Some(char::from(*byte))
        } else {
            text[at..].chars().next()
        };
        match next {
            Some(c) if matches_kind(c) => at += c.len_utf8(),
            _ => break,
        }
    }
    at
}

fn is_alphanumeric(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_alphanumeric()
    } else {
        c.is_alphanumeric()
    }
}

/// Whether a character belongs to a script that puts no spaces between words, or only between phrases:
/// Chinese, Japanese or Korean.
pub fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{11ff}' // Hangul
        | '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}' // Han
        | '\u{3041}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' // Kana
        | '\u{3131}'..='\u{318e}' // Hangul
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' // Han
        | '\u{ac00}'..='\u{d7af}' // Hangul
        | '\u{f900}'..='\u{faff}' // Han
        | '\u{ff66}'..='\u{ffdc}' // Kana and Hangul of half the width
        | '\u{20000}'..='\u{3fffd}') // Han
}

/// Returns every two adjacent characters; a single character is returned as it is.
fn bigrams(text: &str) -> impl Iterator<Item = &str> {
    let ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
    let mut seconds = ends.clone().skip(1);
    let first = seconds.next().unwrap_or(text.len());
    let ends_of_pairs = std::iter::once(first).chain(seconds);
    let starts = text.char_indices().map(|(at, _)| at);
    starts
        .zip(ends_of_pairs)
        .map(|(start, end)| &text[start..end])
}

/// Returns the parts of an identifier: `parseHTTPBody2` gives `parse`, `HTTP`, `Body`, `2`.
fn parts(identifier: &str) -> impl Iterator<Item = &str> {
    let mut rest = identifier;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches('_');
        if rest.is_empty() {
            return None;
        }
        let (part, tail) = rest.split_at(part_end(rest));
        rest = tail;
        Some(part)
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Upper,
    Lower,
    Digit,
    Underscore,
}

fn class(c: char) -> Class {
    if c == '_' {
        Class::Underscore
    } else if c.is_numeric() {
        Class::Digit
    } else if c.is_uppercase() {
        Class::Upper
    } else {
        Class::Lower
    }
}

/// Returns the end of the first part of `word`, in bytes; `word` is not empty and does not start with an
/// underscore.
fn part_end(word: &str) -> usize {
    let mut chars = word.char_indices().map(|(at, c)| (at, class(c))).peekable();
    let Some((_, mut previous)) = chars.next() else {
        return 0;
    };
    while let Some((at, current)) = chars.next() {
        let next = chars.peek().map(|(_, class)| *class);
        let border = match (previous, current) {
            (_, Class::Underscore) => true,
            (Class::Lower, Class::Lower) | (Class::Digit, Class::Digit) => false,
            // An acronym ends before the hump that follows it: HTTP|Body.
            (Class::Upper, Class::Upper) => next == Some(Class::Lower),
            (Class::Upper, Class::Lower) => false,
            _ => true,
        };
        if border {
            return at;
        }
        previous = current;
    }
    word.len()
}

impl Terms {
    /// Calls `visit` with the terms of an identifier, each followed by a space.
    fn visit(&mut self, identifier: &str, mut visit: impl FnMut(&str)) {
        if let Some(found) = self.cache.get(identifier) {
            return visit(found);
        }
        if identifier.len() > MAX_IDENTIFIER_LENGTH {
            return;
        }
        self.found.clear();
        self.split(identifier);
        visit(&self.found);
        if identifier.len() <= MAX_CACHED_LENGTH {
            if self.cache.len() >= MAX_CACHED {
                self.cache.clear();
            }
            self.cache
                .insert(identifier.into(), self.found.as_str().into());
        }
    }

    fn split(&mut self, identifier: &str) {
        if part_end(identifier) < identifier.len() {
            self.fold(identifier);
            self.found.push_str(&self.lower);
            self.found.push(' ');
            for part in parts(identifier) {
                self.stem(part);
            }
        } else {
            self.stem(identifier);
        }
    }

    fn fold(&mut self, word: &str) {
        self.lower.clear();
        if word.is_ascii() {
            self.lower.push_str(word);
            self.lower.make_ascii_lowercase();
        } else {
            self.lower.push_str(&word.to_lowercase());
        }
    }

    fn stem(&mut self, word: &str) {
        if word.len() < 2 {
            return;
        }
        self.fold(word);
        if word.len() < 4 || !word.is_ascii() {
            self.found.push_str(&self.lower);
        } else {
            spelling::americanize(&mut self.lower);
            self.found.push_str(&self.stemmer.stem(&self.lower));
        }
        self.found.push(' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(terms(text), expected, "terms of {text:?}");
    }

    #[test]
    fn identifiers_give_whole_and_parts() {
        check("parseHTTPBody", &["parsehttpbody", "pars", "http", "bodi"]);
        check("max_length", &["max_length", "max", "length"]);
        check("sha256sum", &["sha256sum", "sha", "256", "sum"]);
        check("__init__", &["init"]);
        check("self._connect()", &["self", "connect"]);
        check("HTTPServer2", &["httpserver2", "http", "server"]);
    }

    #[test]
    fn other_characters_separate_identifiers() {
        let found = |text| identifiers(text).collect::<Vec<_>>();
        assert_eq!(
            found("__a_b__ __ (c1)_é·日本_x_"),
            ["a_b", "c1", "é", "日本", "x"]
        );
        assert_eq!(found("_\u{1f600}_²—z"), ["²", "z"]);
        assert!(found("").is_empty() && found("__ · _").is_empty());
    }

    #[test]
    fn british_words_have_the_terms_of_american_ones() {
        assert_eq!(
            terms("the colours of the catalogue are normalised"),
            terms("the colors of the catalog are normalized")
        );
        check("normaliseColour", &["normalisecolour", "normal", "color"]);
    }

    #[test]
    fn words_are_stemmed_and_short_ones_kept() {
        check("Connections are failing", &["connect", "are", "fail"]);
        check("x = f(a)", &[]);
        check("größe_änderung", &["größe_änderung", "größe", "änderung"]);
    }

    #[test]
    fn unspaced_scripts_give_bigrams() {
        check(
            "修复parse_config函数",
            &["修复", "parse_config", "pars", "config", "函数"],
        );
        check("読み込む。値 a値b", &["読み", "み込", "込む", "値", "値"]);
        check("config를 설정", &["config", "를", "설정"]);
        let long = "的".repeat(200);
        assert_eq!(terms(&long).len(), 199);
    }

    #[test]
    fn terms_are_correct_after_cache_is_cleared() {
        let numbers = 10..MAX_CACHED * 2;
        let text: String = numbers.clone().map(|n| format!("part{n} ")).collect();
        let of = |n: usize| [format!("part{n}"), "part".to_owned(), n.to_string()];
        let expected: Vec<String> = numbers.flat_map(of).collect();
        for _ in 0..2 {
            assert!(terms(&text) == expected, "numbered parts");
            TERMS.with_borrow(|terms| assert!(terms.cache.len() <= MAX_CACHED));
        }
    }

    #[test]
    fn overlong_identifiers_are_ignored() {
        check(&"a".repeat(100), &[]);
    }
}

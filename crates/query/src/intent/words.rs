//! Splits a text into words and clauses, and matches patterns over words.
//!
//! A pattern is a sequence of elements separated by spaces. `add|write` is one of several words,
//! `fail*` a word with this start, `*s` a word with this end, `<code>` a word of a class of
//! [`super::lexicon`] in its base form (`<use:s>`, `<use:past>`, `<use:ing>` and `<use:any>` in other
//! forms), `NAME` an identifier, `TYPE` an identifier or a capitalised word, `..` up to four words of
//! any kind, `__` up to six words of the same phrase, `?x` an optional x, and `$` the end.

use super::lexicon::{self, ClassSet, Classes, Form};

/// A word of a query.
#[derive(Clone, Debug, Default)]
pub(super) struct Word {
    /// In lower case without apostrophes (`doesnt`); an identifier as it is written.
    pub text: String,
    pub classes: Classes,
    /// Whether it is an identifier or a path: `Pool.take`, `src/lib.rs`.
    pub is_name: bool,
    /// Whether it begins with an upper-case letter; false for a name.
    pub is_capitalised: bool,
    /// Whether it is the name of a type of errors, which counts as the word "error": `KeyError`.
    pub is_error_type: bool,
}

impl Word {
    pub(super) fn plain(text: String) -> Self {
        Self {
            classes: lexicon::classes(&text),
            text,
            ..Self::default()
        }
    }

    pub(super) fn name(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            is_name: true,
            ..Self::default()
        }
    }

    /// Whether it belongs to any of the classes in this form.
    pub(super) fn is(&self, classes: ClassSet, form: Form) -> bool {
        self.classes.in_form(form) & classes != 0
    }
}

/// Returns the words of a text, at most `max_words`; a question mark is a separate word.
pub(super) fn split(text: &str, max_words: usize) -> Vec<Word> {
    let mut words = Vec::new();
    let mut chunks = text.split_whitespace().peekable();
    while let Some(chunk) = chunks.next() {
        if words.len() >= max_words {
            break;
        }
        if matches!(chunk, "&" | "+") {
            words.push(Word::plain("and".to_owned()));
            continue;
        }
        let bare = chunk
            .trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '@' | '/'));
        if bare.ends_with("Error") || bare.ends_with("Exception") {
            // `KeyError` counts as the word "error".
            words.push(Word {
                is_capitalised: true,
                is_error_type: !matches!(bare, "Error" | "Exception"),
                ..Word::plain("error".to_owned())
            });
        } else if is_name(bare, chunk) && !is_brand(bare) {
            words.push(Word::name(bare));
        } else {
            let plain = bare.replace(['\'', '’', '`'], "").to_lowercase();
            let parts = plain.split(|c: char| !c.is_alphanumeric());
            let is_capitalised = bare.starts_with(char::is_uppercase);
            let word = |part: &str| Word {
                is_capitalised,
                ..Word::plain(part.to_owned())
            };
            words.extend(parts.filter(|part| !part.is_empty()).map(word));
        }
        // The name of a Ruby method may end in a question mark: `File.exist?`.
        let goes_on = chunks
            .peek()
            .is_some_and(|next| next.starts_with(char::is_lowercase));
        let is_method =
            goes_on && bare.contains(['.', '#', ':']) && chunk.starts_with(char::is_uppercase);
        if chunk.trim_end_matches(['"', ')', '.', '!']).ends_with('?') && !is_method {
            words.push(Word::plain("?".to_owned()));
        }
    }
    words.truncate(max_words);
    words
}

/// Whether a word is a brand, which is spelled like an identifier but is none: "GitHub".
fn is_brand(bare: &str) -> bool {
    const BRAND: ClassSet = lexicon::set(&["brand"]);
    Word::plain(bare.to_lowercase()).is(BRAND, Form::Base)
}

/// Whether a chunk of text is spelled like an identifier or a path. `bare` is the chunk without the marks around it.
fn is_name(bare: &str, chunk: &str) -> bool {
    let letters: Vec<char> = bare.chars().collect();
    let has_letter = |part: &str| part.contains(char::is_alphabetic);
    let is_dotted = || {
        bare.rsplit_once('.').is_some_and(|(owner, member)| {
            has_letter(owner) && has_letter(member) && owner.len() + member.len() > 2
        })
    };
    let is_camel_case = || {
        letters
            .windows(2)
            .any(|pair| matches!(pair, [a, b] if a.is_lowercase() && b.is_uppercase()))
    };
    has_letter(bare)
        && (bare.contains(['_', '(', '@', '#', '=', '<'])
            || bare.contains("::")
            || bare.starts_with("--")
            || chunk.contains("()")
            || bare.starts_with('/')
            || bare.ends_with('/')
            || bare.matches('/').count() > 1
            || is_dotted()
            || is_camel_case())
}

/// Maximum words of a clause; the rest is ignored.
const MAX_CLAUSE_WORDS: usize = 60;

/// A clause of a text.
#[derive(Debug)]
pub(super) struct Clause {
    pub words: Vec<Word>,
    /// Whether a sentence starts with it.
    pub opens_sentence: bool,
}

/// Returns the clauses of a text that have words.
pub(super) fn clauses(text: &str) -> Vec<Clause> {
    let mut clauses = Vec::new();
    let mut rest = text;
    let mut opens_sentence = true;
    while !rest.is_empty() {
        let (clause, later) = rest.split_at(clause_end(rest));
        let words = split(clause, MAX_CLAUSE_WORDS);
        if !words.is_empty() {
            clauses.push(Clause {
                words,
                opens_sentence,
            });
        }
        opens_sentence = clause.ends_with(['.', '?', '!', '\n']);
        rest = later;
    }
    clauses
}

/// Returns where the first clause ends: at a mark before white space (`a.b, c` has two clauses), at a dash
/// between spaces, at an empty line, or before a list item. The mark of a macro ends none.
fn clause_end(text: &str) -> usize {
    text.match_indices(['.', '?', '!', ';', ',', ':', '-', '–', '—', '\n'])
        .find(|(at, mark)| {
            let is_spaced = |rest: &str| rest.starts_with(char::is_whitespace);
            let is_abbreviated = |before: &str| before.ends_with(" vs");
            let is_macro = |before: &str| before.ends_with(|c: char| c.is_alphanumeric());
            let (before, after) = (text.get(..*at), text.get(at + mark.len()..));
            match *mark {
                "-" | "–" | "—" => {
                    before.is_some_and(|b| b.ends_with(' ')) && after.is_some_and(is_spaced)
                }
                "\n" => after.is_some_and(|rest| rest.starts_with(['\n', '-', '*'])),
                "." if before.is_some_and(is_abbreviated) => false,
                "!" if before.is_some_and(is_macro) => {
                    after.is_some_and(|rest| is_spaced(rest) && !goes_on_about_macro(rest))
                }
                _ => after.is_some_and(is_spaced),
            }
        })
        .map_or(text.len(), |(at, mark)| at + mark.len())
}

/// Whether a text that begins with white space goes on about the macro that is named before it: "where is check!
/// defined?". Marks within a word are not asked about: for each of them, the rest of the word would be read.
fn goes_on_about_macro(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "called", "declared", "defined", "implemented", "invoked", "located", "macro", "used",
    ];
    let word = text.split_whitespace().next().unwrap_or("");
    let word = word.trim_end_matches(|c: char| !c.is_alphanumeric());
    text.starts_with(' ') && WORDS.contains(&word)
}

/// Maximum words that `..` matches.
const MAX_GAP: usize = 4;
/// Maximum words that `__` matches.
const MAX_PHRASE_GAP: usize = 6;

/// A set of first letters of words: one bit for each of `a` to `z`, one for all other characters.
type Letters = u32;

/// Returns the first letter of a word.
fn first_letter(word: &str) -> Letters {
    match word.bytes().next() {
        Some(letter @ b'a'..=b'z') => 1 << (letter - b'a'),
        _ => 1 << 26,
    }
}

#[derive(Debug)]
enum Element {
    Word {
        choice: Choice,
        optional: bool,
    },
    Gap,
    /// Words of one phrase: none of them starts a new phrase or clause.
    PhraseGap,
}

/// The alternatives for one word of a pattern.
#[derive(Debug, Default)]
struct Choice {
    words: Vec<&'static str>,
    starts: Vec<&'static str>,
    ends: Vec<&'static str>,
    /// Classes per form, in the order of [`Form::ALL`].
    classes: [ClassSet; 4],
    name: bool,
    /// Whether it matches capitalised words, beside names.
    capitalised: bool,
    /// Whether it matches the end of the words.
    end: bool,
    /// The first letters of `words` and `starts`, to reject most words quickly.
    firsts: Letters,
}

impl Choice {
    fn new(text: &'static str) -> Self {
        let mut choice = Self::default();
        for part in text.split('|') {
            if part == "NAME" {
                choice.name = true;
            } else if part == "TYPE" {
                choice.name = true;
                choice.capitalised = true;
            } else if part == "$" {
                choice.end = true;
            } else if let Some(class) = part.strip_prefix('<') {
                choice.add_class(class.trim_end_matches('>'));
            } else if let Some(start) = part.strip_suffix('*') {
                choice.firsts |= first_letter(start);
                choice.starts.push(start);
            } else if let Some(end) = part.strip_prefix('*') {
                choice.ends.push(end);
            } else {
                choice.firsts |= first_letter(part);
                choice.words.push(part);
            }
        }
        choice
    }

    fn add_class(&mut self, class: &str) {
        let (name, form) = class.split_once(':').unwrap_or((class, ""));
        let bit = lexicon::class(name).unwrap_or_default();
        debug_assert!(bit != 0, "no class has the name {name}");
        let forms: &[Form] = match form {
            "" => &[Form::Base],
            "s" => &[Form::WithS],
            "past" => &[Form::Past],
            "ing" => &[Form::Gerund],
            _ => &Form::ALL,
        };
        for (classes, own_form) in self.classes.iter_mut().zip(Form::ALL) {
            if forms.contains(&own_form) {
                *classes |= bit;
            }
        }
    }

    /// Returns the first letters of all alternatives.
    fn first_letters(&self) -> Letters {
        let has_classes = self.classes.iter().any(|classes| *classes != 0);
        match self.name || self.end || has_classes || !self.ends.is_empty() {
            true => Letters::MAX,
            false => self.firsts,
        }
    }

    /// Returns how many words it matches at the start of `words`: 1, or 0 at the end.
    fn width(&self, words: &[Word]) -> Option<usize> {
        match words.first() {
            Some(word) => self.has(word).then_some(1),
            None => self.end.then_some(0),
        }
    }

    fn has(&self, word: &Word) -> bool {
        let text = word.text.as_str();
        let is_listed = self.firsts & first_letter(text) != 0
            && (self.words.contains(&text)
                || self.starts.iter().any(|start| text.starts_with(start)));
        is_listed
            || self.name && word.is_name
            || self.capitalised && word.is_capitalised
            || self.ends.iter().any(|end| text.ends_with(end))
            || self
                .classes
                .iter()
                .zip(Form::ALL)
                .any(|(classes, form)| word.is(*classes, form))
    }
}

/// A compiled pattern.
#[derive(Debug)]
pub(super) struct Pattern {
    elements: Vec<Element>,
    /// The first letters that a match can start with.
    firsts: Letters,
}

impl Pattern {
    pub(super) fn new(text: &'static str) -> Self {
        let element = |part: &'static str| match part {
            ".." => Element::Gap,
            "__" => Element::PhraseGap,
            _ => {
                let optional = part.strip_prefix('?').filter(|rest| !rest.is_empty());
                Element::Word {
                    choice: Choice::new(optional.unwrap_or(part)),
                    optional: optional.is_some(),
                }
            }
        };
        let elements: Vec<Element> = text.split(' ').map(element).collect();
        let firsts = match elements.first() {
            Some(Element::Word {
                choice,
                optional: false,
            }) => choice.first_letters(),
            _ => Letters::MAX,
        };
        Self { elements, firsts }
    }

    /// Whether it matches anywhere.
    pub(super) fn is_in(&self, words: &[Word]) -> bool {
        let mut words_from = words.iter().enumerate();
        words_from
            .any(|(at, word)| self.firsts & first_letter(&word.text) != 0 && self.is_at(words, at))
    }

    /// Whether it matches from word `at`.
    pub(super) fn is_at(&self, words: &[Word], at: usize) -> bool {
        self.end_at(words, at).is_some()
    }

    /// Returns the index after its shortest match from word `at`.
    pub(super) fn end_at(&self, words: &[Word], at: usize) -> Option<usize> {
        let rest = words.get(at..)?;
        let left = match_elements(&self.elements, rest, 0)?;
        Some(words.len() - left)
    }

    /// Like [`Self::is_at`], but every `__` must match a word.
    pub(super) fn is_filled_at(&self, words: &[Word], at: usize) -> bool {
        let rest = words.get(at..);
        rest.is_some_and(|rest| match_elements(&self.elements, rest, 1).is_some())
    }
}

/// Returns how many words are left after a match at the start. Each `__` matches at least `min_phrase` words.
fn match_elements(elements: &[Element], words: &[Word], min_phrase: usize) -> Option<usize> {
    let Some((first, rest)) = elements.split_first() else {
        return Some(words.len());
    };
    let skip = |count: usize| match_elements(rest, words.get(count..)?, min_phrase);
    match first {
        Element::Gap => (0..=MAX_GAP.min(words.len())).find_map(skip),
        Element::PhraseGap => {
            let phrase = words.iter().take_while(|word| !starts_phrase(word)).count();
            (min_phrase..=MAX_PHRASE_GAP.min(phrase)).find_map(skip)
        }
        Element::Word { choice, optional } => {
            let taken = choice.width(words).and_then(skip);
            taken.or_else(|| if *optional { skip(0) } else { None })
        }
    }
}

/// Whether a word starts a new phrase or clause: "for", "that".
fn starts_phrase(word: &Word) -> bool {
    const STARTS: ClassSet = lexicon::set(&["preposition", "relative"]);
    word.is(STARTS, Form::Base)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::processor_time::processor_time;

    #[test]
    fn question_mark_of_a_method_asks_nothing() {
        for (text, asks) in [
            ("File.exist? is called twice", false),
            ("Foo#bar? returns nil", false),
            ("What is Foo.bar?", true),
            ("Is it in config.py? if so, why", true),
            ("Is this a bug? if so, why", true),
        ] {
            let words = split(text, 100);
            assert_eq!(words.iter().any(|word| word.text == "?"), asks, "{text}");
        }
    }

    #[test]
    fn patterns_match_words() {
        for (pattern, text, wanted) in [
            ("fail*", "It is FAILING", true),
            ("fail*", "it works", false),
            (
                "add|write .. test*",
                "please add a few small unit tests",
                true,
            ),
            (
                "add|write .. test*",
                "add this and that and then some more tests",
                false,
            ),
            (
                "does|do not work",
                "this doesn't work; they do not work",
                true,
            ),
            ("doesnt work", "it doesn’t work", true),
            ("how is NAME used", "How is Pool.get used?", true),
            ("not ?really work*", "it is not working", true),
            ("*s extend TYPE", "which books extend Shelf?", true),
            ("*s extend TYPE", "which books extend my_shelf?", true),
            ("*s extend TYPE", "which books extend shelves?", false),
        ] {
            assert_eq!(
                Pattern::new(pattern).is_in(&split(text, 100)),
                wanted,
                "{pattern}: {text}"
            );
        }
    }

    #[test]
    fn clauses_end_at_a_mark_before_white_space() {
        let found: Vec<String> = clauses("See pool.rs, it is long. Split it!")
            .iter()
            .map(|clause| {
                clause
                    .words
                    .iter()
                    .map(|word| word.text.as_str())
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect();
        assert_eq!(found, ["see pool.rs", "it is long", "split it"]);
        assert_eq!(clauses("Pool.take vs. Pool.get").len(), 1);
        for (text, number) in [
            ("where is check! defined?", 1),
            ("It works! Defined by hand", 2),
            ("It works!\ndefined by hand", 2),
        ] {
            assert_eq!(clauses(text).len(), number, "{text}");
        }
    }

    #[test]
    fn marks_within_a_word_take_linear_time() {
        let before = processor_time();
        assert_eq!(clauses(&"a!".repeat(100_000)).len(), 1);
        // Quadratic work takes a minute without optimisation.
        assert!(processor_time().saturating_sub(before) < Duration::from_secs(10));
    }
}

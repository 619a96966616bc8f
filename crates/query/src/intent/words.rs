//! Words of a text, and patterns over them.
//!
//! A pattern is a sequence of elements separated by spaces: `fail*` is a word with this start,
//! `add|write` one of several, `..` up to four words of any kind, and `?x` an x that may be missing.

/// The lower-case words of a text, at most `most`; apostrophes are taken out (`doesnt`), and a
/// question mark is a word of its own.
pub(super) fn split(text: &str, most: usize) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for c in text.chars() {
        match c {
            '\'' | '’' | '`' => {}
            c if c.is_alphanumeric() || c == '_' => word.extend(c.to_lowercase()),
            c => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                if c == '?' {
                    words.push("?".to_owned());
                }
                if words.len() >= most {
                    return words;
                }
            }
        }
    }
    if !word.is_empty() && words.len() < most {
        words.push(word);
    }
    words
}

/// Whether words say something, as the title of an issue does, and do not just name something or
/// ask: they have a word that only clauses have.
pub(super) fn is_statement(words: &[String]) -> bool {
    const QUESTION_WORDS: &[&str] = &[
        "what", "whats", "where", "wheres", "which", "who", "how", "when", "?",
    ];
    const CLAUSE_WORDS: &[&str] = &[
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "being",
        "has",
        "have",
        "had",
        "does",
        "do",
        "did",
        "can",
        "could",
        "will",
        "would",
        "should",
        "must",
        "may",
        "might",
        "its",
        "it",
        "i",
        "we",
        "you",
        "they",
        "she",
        "he",
        "when",
        "whenever",
        "if",
        "unless",
        "while",
        "after",
        "before",
        "although",
        "though",
        "because",
        "since",
        "until",
        "as",
        "than",
        "but",
        "not",
        "never",
        "always",
        "still",
        "only",
        "even",
        "twice",
        "again",
        "already",
        "too",
        "just",
        "suddenly",
        "gets",
        "get",
        "got",
        "comes",
        "goes",
        "gives",
        "makes",
        "takes",
        "keeps",
        "leaves",
        "says",
        "shows",
        "prints",
        "returns",
        "sends",
        "drops",
        "closes",
        "opens",
        "needs",
        "uses",
        "causes",
        "adds",
        "removes",
        "overwrites",
        "overrides",
        "swallows",
        "skips",
        "reports",
        "accepts",
        "allows",
        "writes",
        "reads",
        "sets",
        "becomes",
        "stays",
        "disappears",
    ];
    let is_one_of = |list: &[&str], word: &String| list.contains(&word.as_str());
    let asks = words
        .first()
        .is_some_and(|word| is_one_of(QUESTION_WORDS, word))
        || words.last().is_some_and(|word| word == "?");
    !asks && words.iter().any(|word| is_one_of(CLAUSE_WORDS, word))
}

/// Longest gap that `..` stands for, in words.
const GAP: usize = 4;

#[derive(Debug)]
enum Element {
    /// Any of these words, or of these starts.
    Word {
        words: Vec<&'static str>,
        starts: Vec<&'static str>,
        optional: bool,
    },
    Gap,
}

/// A compiled pattern.
#[derive(Debug)]
pub(super) struct Pattern {
    elements: Vec<Element>,
    /// One bit per first letter that a match can start with: most words are passed over by it.
    firsts: u32,
}

/// The bit of a word's first letter; all other characters share one.
fn first_bit(word: &str) -> u32 {
    match word.bytes().next() {
        Some(letter @ b'a'..=b'z') => 1 << (letter - b'a'),
        _ => 1 << 26,
    }
}

impl Pattern {
    pub(super) fn new(text: &'static str) -> Self {
        let element = |part: &'static str| {
            if part == ".." {
                return Element::Gap;
            }
            let (part, optional) = part
                .strip_prefix('?')
                .filter(|rest| !rest.is_empty())
                .map_or((part, false), |rest| (rest, true));
            let (starts, words): (Vec<_>, Vec<_>) =
                part.split('|').partition(|word| word.ends_with('*'));
            let starts = starts
                .into_iter()
                .map(|start| start.trim_end_matches('*'))
                .collect();
            Element::Word {
                words,
                starts,
                optional,
            }
        };
        let elements: Vec<Element> = text.split(' ').map(element).collect();
        let firsts = match elements.first() {
            Some(Element::Word {
                words,
                starts,
                optional: false,
            }) => words
                .iter()
                .chain(starts)
                .fold(0, |bits, word| bits | first_bit(word)),
            _ => u32::MAX,
        };
        Self { elements, firsts }
    }

    /// Whether it matches anywhere.
    pub(super) fn is_in(&self, words: &[String]) -> bool {
        words
            .iter()
            .enumerate()
            .any(|(at, word)| self.firsts & first_bit(word) != 0 && self.is_at(words, at))
    }

    /// Whether it matches from word `at`.
    pub(super) fn is_at(&self, words: &[String], at: usize) -> bool {
        matches(&self.elements, words.get(at..).unwrap_or_default())
    }
}

fn matches(elements: &[Element], words: &[String]) -> bool {
    let Some((first, rest)) = elements.split_first() else {
        return true;
    };
    match first {
        Element::Gap => (0..=GAP.min(words.len()))
            .any(|skipped| matches(rest, words.get(skipped..).unwrap_or_default())),
        Element::Word {
            words: exact,
            starts,
            optional,
        } => {
            let here = words.first().is_some_and(|word| {
                exact.contains(&word.as_str()) || starts.iter().any(|start| word.starts_with(start))
            });
            here && matches(rest, words.get(1..).unwrap_or_default())
                || *optional && matches(rest, words)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
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
            ("how is .. used", "How is `Pool.get` used?", true),
            ("not ?really work*", "it is not working", true),
        ] {
            assert_eq!(
                Pattern::new(pattern).is_in(&split(text, 100)),
                wanted,
                "{pattern}: {text}"
            );
        }
    }
}

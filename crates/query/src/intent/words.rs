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

/// More words of one clause are not looked at.
const MAX_CLAUSE_WORDS: usize = 60;

/// The words of each clause of a text that has any.
pub(super) fn clauses(text: &str) -> Vec<Vec<String>> {
    let mut clauses = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        // The mark of a clause's end stands before white space: `a.b, c` has two clauses.
        let end = rest
            .match_indices(['.', '?', '!', ';', ','])
            .map(|(at, mark)| at + mark.len())
            .find(|end| {
                rest.get(*end..)
                    .is_some_and(|r| r.starts_with(char::is_whitespace))
            })
            .unwrap_or(rest.len());
        let (clause, later) = rest.split_at(end);
        clauses.push(split(clause, MAX_CLAUSE_WORDS));
        rest = later;
    }
    clauses.retain(|clause| !clause.is_empty());
    clauses
}

/// Words that a question starts with, and its mark.
const QUESTION_WORDS: &[&str] = &[
    "what", "whats", "where", "wheres", "which", "who", "how", "when", "?",
];

/// Words that only clauses have.
const CLAUSE_WORDS: &[&str] = &[
    "is", "are", "was", "were", "be", "been", "being", "has", "have", "had", "does", "do", "did",
    "can", "could", "will", "would", "should", "must", "may", "might", "its", "it", "i", "we",
    "you", "they", "she", "he", "when", "whenever", "if", "unless", "while", "after", "before",
    "although", "though", "because", "since", "until", "as", "than", "but", "not", "never",
    "always", "still", "only", "even", "twice", "again", "already", "too", "just", "suddenly",
    "gets", "get", "got", "comes", "goes", "gives", "makes", "takes", "keeps", "leaves", "says",
    "shows", "prints", "returns", "sends", "drops", "closes", "opens", "needs", "uses", "causes",
    "adds", "removes", "swallows", "skips", "reports", "accepts", "allows", "writes", "reads",
    "sets", "becomes", "stays",
];

/// Whether words say something, as the title of an issue does, and do not just name something or
/// ask: they have a word of a clause or a verb before its object.
pub(super) fn is_statement(words: &[String]) -> bool {
    let asks = words
        .first()
        .is_some_and(|word| QUESTION_WORDS.contains(&word.as_str()))
        || words.last().is_some_and(|word| word == "?");
    let has_verb = || {
        words.windows(2).any(
            |pair| matches!(pair, [verb, object] if is_third_person(verb) && is_determiner(object)),
        )
    };
    !asks
        && (words
            .iter()
            .any(|word| CLAUSE_WORDS.contains(&word.as_str()))
            || has_verb())
}

/// Whether words order something: an unknown word, which should be a verb, stands before its object.
pub(super) fn is_order(words: &[String]) -> bool {
    const PREPOSITIONS: &[&str] = &[
        "in", "on", "at", "for", "from", "with", "without", "by", "of", "to", "under", "over",
        "into", "about", "during", "through", "all", "every", "any", "no",
    ];
    matches!(words, [verb, object, ..] if is_determiner(object)
        && !is_inflected(verb)
        && !is_determiner(verb)
        && !PREPOSITIONS.contains(&verb.as_str())
        && !QUESTION_WORDS.contains(&verb.as_str())
        && !CLAUSE_WORDS.contains(&verb.as_str()))
}

fn is_determiner(word: &str) -> bool {
    const DETERMINERS: &[&str] = &[
        "a", "an", "the", "this", "these", "that", "those", "all", "every", "each", "any", "no",
        "my", "our", "your", "its", "their", "both", "one", "two", "three", "some",
    ];
    DETERMINERS.contains(&word)
}

/// Whether a word ends as verbs do that are no order: "uploads", "configured".
fn is_inflected(word: &str) -> bool {
    word.ends_with("ing") || word.ends_with("ed") || is_third_person(word)
}

fn is_third_person(word: &str) -> bool {
    word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us")
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

    #[test]
    fn clauses_end_at_a_mark_before_white_space() {
        let found: Vec<String> = clauses("See a.b, it is long. Split it!")
            .iter()
            .map(|clause| clause.join(" "))
            .collect();
        assert_eq!(found, ["see a b", "it is long", "split it"]);
    }

    #[test]
    fn statements_and_orders() {
        for (text, says, orders) in [
            ("the job uploads an empty report", true, false),
            ("the footer is empty", true, false),
            ("cache the answers of the mirror", false, true),
            ("caching the answers", false, false),
            ("which job is it", false, false),
            ("token middleware", false, false),
        ] {
            let words = split(text, 100);
            assert_eq!(
                (is_statement(&words), is_order(&words)),
                (says, orders),
                "{text}"
            );
        }
    }
}

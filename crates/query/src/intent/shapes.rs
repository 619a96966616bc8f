//! Determines the shape of a clause: a question, an order, a statement or a mere phrase. Must not know
//! which intent a clause indicates; the rules for each shape decide that.

use std::sync::LazyLock;

use super::lexicon::{self, ClassSet, Form};
use super::words::{Pattern, Word};

// Classes of words that the shape depends on.
const ADVERB: ClassSet = lexicon::set(&["adverb"]);
const ASSERT: ClassSet = lexicon::set(&["assert"]);
const AUX: ClassSet = lexicon::set(&["aux"]);
const CODE: ClassSet = lexicon::set(&["code"]);
const DET: ClassSet = lexicon::set(&["det"]);
const FAULTY: ClassSet = lexicon::set(&["faulty"]);
const IMPERATIVE: ClassSet = lexicon::set(&["imperative"]);
const MODAL: ClassSet = lexicon::set(&["modal"]);
const NAMING: ClassSet = lexicon::set(&["naming"]);
const NEGATION: ClassSet = lexicon::set(&["negation"]);
const NOUNISH: ClassSet = lexicon::set(&["nounish"]);
const OBJECT: ClassSet = lexicon::set(&["object"]);
const PREPOSITION: ClassSet = lexicon::set(&["preposition"]);
const PRONOUN: ClassSet = lexicon::set(&["pronoun"]);
const RELATIVE: ClassSet = lexicon::set(&["relative"]);
const RESTRUCTURE: ClassSet = lexicon::set(&["restructure"]);
const SUBJECT: ClassSet = lexicon::set(&["subject"]);
const WH: ClassSet = lexicon::set(&["wh"]);

/// How a clause is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClauseShape {
    /// "where is x", "does x do y".
    Question,
    /// "add x", "please move y".
    Order,
    /// "x does y", "x is empty".
    Statement,
    /// "support for x", "the handler of y".
    Phrase,
}

/// Fillers that may precede an order or a question; several may follow each other.
static FILLERS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    [
        "please|pls|plz|kindly|just|also|now|then|and|so|well|hey|hi|hello|ok|okay|first|next|finally|todo|lets|maybe|perhaps|possibly",
        "would|do you mind",
        "can|could|would|will|should|must you|we|someone|somebody|anyone|u ?please",
        "can|could|would i ?please get|have",
        "you|we|i should|must",
        "you|we|i have|need to",
        "i|we want|need|have|plan|wish|like|love ?you|us ?to",
        "i|we would|do ?really ?also like|love|want|need ?you|us ?to",
        "id|wed ?really like|love|prefer ?you|us ?to",
        "im|were trying|going|about to",
        "let us|me",
        "consider|suggest|propose|recommend",
        "it would|might ?be|make ?really ?nice|good|great|better|sense|cool|helpful|useful to",
        "would ?it ?be|make ?nice|good|great|better|sense|cool|helpful|useful|cleaner|simpler|worth to",
        "your|the|my|our task|goal|job|aim is to",
        "help me|us ?to",
        "go ahead and",
        "try|be|able to",
        "?does anyone|anybody|somebody|someone know|remember",
        "tell|show|ask me|us ?exactly",
        "know|learn|see ?exactly",
        "to",
    ]
    .map(Pattern::new)
    .into()
});

/// Returns the index of the first word after the fillers of a clause.
pub(super) fn start(clause: &[Word]) -> usize {
    let mut start = 0;
    while let Some(end) = FILLERS.iter().find_map(|filler| {
        filler
            .end_at(clause, start)
            .filter(|end| *end < clause.len())
    }) {
        start = end;
    }
    // "Show me the class" orders to show, "show me how" asks how.
    const TELLING: &[&str] = &["tell", "show", "ask", "know", "learn", "see"];
    let fillers = clause.get(..start).unwrap_or_default();
    let telling = fillers
        .iter()
        .rposition(|word| TELLING.contains(&word.text.as_str()));
    match (telling, clause.get(start)) {
        (Some(at), Some(next)) if !is(next, WH) => at,
        _ => start,
    }
}

/// Verbs for the work of a pull request; "reading the code" orders nothing.
const CHANGES: ClassSet = lexicon::set(&["build", "restructure", "repair", "assert"]);

/// Rewrites a clause as an order if a pull request states it in another form: "adds tests", "moved x to y",
/// "(would you mind) adding tests".
pub(super) fn imperative(clause: &[Word], start: usize) -> Option<Vec<Word>> {
    let (verb, rest) = clause.get(start..)?.split_first()?;
    let object = rest.first()?;
    let is_verb = [Form::WithS, Form::Past, Form::Gerund]
        .iter()
        .any(|form| verb.is(CHANGES, *form));
    const NOUNS: ClassSet = lexicon::set(&["nounish", "test", "reference", "code", "malfunction"]);
    let is_noun = Form::ALL.iter().any(|form| verb.is(NOUNS, *form));
    let has_object = is(object, DET) || object.is_name;
    if !is_verb
        || is(verb, AUX)
        || is_noun && !has_object
        || is(object, PREPOSITION)
        || is_statement(rest)
    {
        return None;
    }
    let base = lexicon::verb(&verb.text)?;
    let mut clause = clause.to_vec();
    *clause.get_mut(start)? = Word::plain(base.to_owned());
    Some(clause)
}

/// Whether the writer is the subject: "I want to".
pub(super) fn is_intention(clause: &[Word]) -> bool {
    clause.first().is_some_and(|word| is(word, SUBJECT))
}

fn is(word: &Word, class: ClassSet) -> bool {
    word.is(class, Form::Base)
}

/// Returns the shape of a clause whose fillers end before word `start`.
pub(super) fn shape(clause: &[Word], start: usize) -> ClauseShape {
    let words = clause.get(start..).unwrap_or_default();
    if starts_question(words) || start == 0 && starts_inverted(clause) {
        ClauseShape::Question
    } else if is_order(words, start > 0) {
        ClauseShape::Order
    } else if starts_inverted(clause) || clause.last().is_some_and(|word| word.text == "?") {
        ClauseShape::Question
    } else if is_statement(clause) {
        ClauseShape::Statement
    } else {
        ClauseShape::Phrase
    }
}

fn starts_question(words: &[Word]) -> bool {
    static STARTS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
        [
            "?in|on|under|at|from|to|for ?how what|whats|where|wheres|which|who|whos|how|hows|why|whose",
            "when|whens ?exactly <aux>",
        ]
        .map(Pattern::new)
        .into()
    });
    STARTS.iter().any(|pattern| pattern.is_at(words, 0))
}

/// Whether words start with a verb before its subject: "is the", "does anybody".
fn starts_inverted(words: &[Word]) -> bool {
    static START: LazyLock<Pattern> =
        LazyLock::new(|| Pattern::new("<aux> <pronoun>|<det>|<anyone>|NAME|there"));
    static DO: LazyLock<Pattern> = LazyLock::new(|| Pattern::new("do|have a|an|some"));
    START.is_at(words, 0) && !DO.is_at(words, 0)
}

const IMPERATIVES: ClassSet = lexicon::set(&[
    "build", "restructure", "repair", "explain", "look", "assert", "imperative",
]);

const VERBS: ClassSet = lexicon::set(&[
    "build", "restructure", "repair", "explain", "look", "assert", "use", "break", "malfunction",
    "say", "alter",
]);

/// Whether words start with a verb before its object. After a filler any word may be the verb.
fn is_order(words: &[Word], has_filler: bool) -> bool {
    let Some((verb, rest)) = words.split_first() else {
        return false;
    };
    if verb.is_name || rest.is_empty() && !has_filler && !is(verb, RESTRUCTURE) {
        return false;
    }
    let is_known = verb.is(IMPERATIVES, Form::Base);
    let Some(object) = rest.first() else {
        return is_known;
    };
    let has_object = is(object, DET) || object.is_name || is(object, OBJECT);
    if is_known {
        // "Don't have" orders.
        let is_subject = !is(verb, AUX) && is_predicate(rest) || is_noun(verb) && has_verb_of(rest);
        return has_object || !is_compound(verb, object) && !is_subject;
    }
    let is_verb = !is_function_word(verb) && !is_inflected(verb);
    has_object && is_verb && !has_verb_of(rest)
}

/// Whether what follows a verb says what the thing of this name does: "replace drops the newline", "restore is slow". Without
/// an article the next word may be a plural noun: "follow redirects".
fn is_predicate(rest: &[Word]) -> bool {
    const OBJECTS: [&str; 5] = ["the", "a", "an", "its", "wrong"];
    let Some(verb) = rest.first() else {
        return false;
    };
    let next = rest.get(1).map_or("", |next| next.text.as_str());
    is(verb, AUX) || verb.is(VERBS, Form::WithS) && OBJECTS.contains(&next)
}

/// Whether a verb may be a noun: "build fails on x" says something about a build.
fn is_noun(verb: &Word) -> bool {
    is(verb, NOUNISH) || is(verb, NAMING)
}

/// Whether two words name something: "query cache for x".
fn is_compound(first: &Word, second: &Word) -> bool {
    is(first, NOUNISH)
        && !is(first, ASSERT)
        && !is(first, IMPERATIVE)
        && (is(second, NOUNISH) || is(second, CODE) && !is(first, RESTRUCTURE))
}

/// Whether a word can precede a determiner without being a verb: "in the", "not a".
fn is_function_word(word: &Word) -> bool {
    const CLASSES: ClassSet = lexicon::set(&[
        "det", "preposition", "relative", "aux", "pronoun", "negation", "adverb", "wh", "faulty",
        "code", "keyword",
    ]);
    word.is(CLASSES, Form::Base)
}

/// Whether a word has an ending that imperatives do not have: "uploads", "configured".
fn is_inflected(word: &Word) -> bool {
    let text = word.text.as_str();
    text.ends_with("ing")
        || text.ends_with("ed")
        || text.ends_with('s') && !text.ends_with("ss") && !text.ends_with("us")
        || text.chars().all(|c| c.is_numeric())
}

/// Whether a finite verb follows a noun, before any relative clause.
fn has_verb_of(rest: &[Word]) -> bool {
    let end = rest
        .iter()
        .position(|word| is(word, RELATIVE))
        .unwrap_or(rest.len());
    (0..end).any(|at| is_finite_verb(rest, at))
}

/// Whether a clause is a statement: it has a verb with a subject outside its relative clauses.
fn is_statement(clause: &[Word]) -> bool {
    let end = clause
        .iter()
        .skip(1)
        .position(|word| is(word, RELATIVE))
        .map_or(clause.len(), |at| at + 1);
    clause.first().is_some_and(|word| is(word, PRONOUN))
        || (1..end).any(|at| is_finite_verb(clause, at))
}

/// Whether the word at index `at` is the verb of a statement.
fn is_finite_verb(words: &[Word], at: usize) -> bool {
    let Some(word) = words.get(at) else {
        return false;
    };
    if word.is_name {
        return false;
    }
    if is(word, AUX) || is(word, MODAL) || is(word, SUBJECT) {
        return true;
    }
    let before = at.checked_sub(1).and_then(|at| words.get(at));
    let after = words.get(at + 1);
    let is_nounish = Form::ALL.iter().any(|form| word.is(NOUNISH, *form));
    // "Reports the wrong total", "requests to x never finish".
    let has_complement = after.is_some_and(|next| {
        is(next, DET) && !is(next, RELATIVE)
            || is(next, PRONOUN)
            || next.is_name
            || is(next, ADVERB)
            || is(next, NEGATION)
            || is(next, FAULTY)
    });
    let follows_noun = before.is_some_and(|noun| {
        !is(noun, PREPOSITION)
            && !is(noun, DET)
            && !is(noun, RELATIVE)
            && noun.text != "and"
            && noun.text != "or"
    });
    if word.is(VERBS, Form::WithS) {
        return (at == 0 || follows_noun) && (!is_nounish || has_complement);
    }
    if word.is(VERBS, Form::Past) && !word.is(VERBS, Form::Base) {
        // "Quantities accepted in x"; before a noun it is an adjective.
        return follows_noun
            && after
                .is_none_or(|next| is(next, PREPOSITION) || is(next, ADVERB) || is(next, FAULTY));
    }
    // "Images appear on x": a plural before the base form.
    let is_plural = before.is_some_and(|noun| noun.text.ends_with('s'));
    word.is(VERBS, Form::Base)
        && follows_noun
        && (has_complement && (is_plural || !is_nounish) || is_plural && !is_nounish)
}

#[cfg(test)]
mod tests {
    use super::super::words::split;
    use super::*;

    #[test]
    fn clause_shapes_are_recognised() {
        for (text, wanted) in [
            ("the job uploads an empty report", ClauseShape::Statement),
            ("the footer is empty", ClauseShape::Statement),
            ("Images in the list appear rotated", ClauseShape::Statement),
            ("build fails on Windows", ClauseShape::Statement),
            ("replace drops the newline", ClauseShape::Statement),
            ("restore is slow with many files", ClauseShape::Statement),
            (
                "archive cleanup deletes other files",
                ClauseShape::Statement,
            ),
            ("cleanup removes files of others", ClauseShape::Statement),
            ("cleanup imports of the parser", ClauseShape::Order),
            ("follow redirects to the mirror", ClauseShape::Order),
            ("don't have menus overlap", ClauseShape::Order),
            ("cache the answers of the mirror", ClauseShape::Order),
            (
                "could you please frobnicate the answers",
                ClauseShape::Order,
            ),
            ("show me the class", ClauseShape::Order),
            ("show me how it works", ClauseShape::Question),
            ("which job is it", ClauseShape::Question),
            ("does the queue keep its order", ClauseShape::Question),
            ("caching the answers", ClauseShape::Phrase),
            ("token middleware", ClauseShape::Phrase),
        ] {
            let words = split(text, 100);
            assert_eq!(shape(&words, start(&words)), wanted, "{text}");
        }
    }
}

//! Finds the word of a question that says what is asked of its subject: `uses` of "who uses x", `defined` of "where is x
//! defined". Must not know what the repository defines.

use super::lexicon::{self, ClassSet, Form};
use super::words::Word;
use super::{IntentKind, LookUp};

const DEPEND: ClassSet = lexicon::set(&["depend"]);
const REFERENCE: ClassSet = lexicon::set(&["reference"]);

/// Verbs of look-ups, which belong to no class of their own.
const DEFINING: &[&str] = &[
    "define", "defines", "defined", "declare", "declares", "declared", "implement", "implements",
    "implemented", "located",
];

/// Nouns of look-ups. Most words of their class are more often the subject: path, source, body.
const DEFINITIONS: &[&str] = &["definition", "definitions", "declaration", "declarations"];

/// Returns the word of a clause by which it asks, if there is one. Only one word of a clause asks; another one of its kind
/// is the subject, as in "who uses the call graph".
pub(super) fn word(clause: &[Word]) -> Option<&Word> {
    let asks = |(at, word): &(usize, &Word)| {
        // "Which tests cover Consumer" is about a class.
        let is_subject = word.is_name || *at > 0 && word.is_capitalised;
        !is_subject && (is_use(word) || is_definition(word))
    };
    let opens_with = |words: &[&str]| {
        let first = clause.first();
        first.is_some_and(|first| words.contains(&first.text.as_str()))
    };
    let mut words = clause.iter().enumerate();
    if opens_with(&["where", "wheres", "how"]) {
        // The subject stands before the verb: "where is the call graph defined".
        return words.rev().find(asks).map(|(_, word)| word);
    }
    words.find(asks).map(|(_, word)| word)
}

/// Returns the word of a clause by which it asks what its subject depends on. The subject, which may be the call graph, stands
/// before it.
pub(super) fn dependency_word(clause: &[Word]) -> Option<&Word> {
    let mut words = clause.iter().rev();
    words.find(|word| !word.is_name && !word.is_capitalised && is_use(word))
}

/// Returns what a clause of a kind of intent looks up about its subject: its definition, or its uses.
pub(super) fn look_up(kind: IntentKind, clause: &[Word]) -> Option<LookUp> {
    let word = word(clause)?;
    match kind {
        IntentKind::DefinitionLookup if is_definition(word) => Some(LookUp::Definition),
        IntentKind::UsageExploration if is_use(word) => Some(LookUp::Uses),
        _ => None,
    }
}

fn is_use(word: &Word) -> bool {
    let is = |classes: ClassSet| Form::ALL.iter().any(|form| word.is(classes, *form));
    is(DEPEND) || is(REFERENCE)
}

fn is_definition(word: &Word) -> bool {
    let text = word.text.as_str();
    DEFINING.contains(&text) || DEFINITIONS.contains(&text)
}

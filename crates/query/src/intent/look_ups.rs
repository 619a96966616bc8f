//! Recognises short questions that look something up about a name: "who calls `x`?", "list all tests of `x`". A question is
//! recognised only as a whole: "`x` tests fail on Windows" reports something. Must not know what the repository defines.
//! Looser forms are left to [`super::rules`]. Start at [`read`].

use std::sync::LazyLock;

use super::lexicon::{self, ClassSet, Form};
use super::words::{Clause, Pattern, Word};
use super::{IntentKind, Query, shapes};
use crate::text::{MentionKind, QueryText};

/// What a short question looks up about a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LookUp {
    /// Where it is defined.
    Definition,
    /// What uses it.
    Uses,
    /// What calls it, or a member of it.
    Calls,
    /// Which types extend or implement it.
    Implementers,
    /// Which methods override it.
    Overrides,
    /// Which tests test it.
    Tests,
    /// What it refers to.
    Dependencies,
    /// What it does: its code, and what that refers to.
    Behaviour,
    /// How it differs from another one.
    Difference,
}

/// The forms of a question.
pub(super) struct Question {
    pub asks: LookUp,
    /// The kind of intent of such a question.
    pub kind: IntentKind,
    /// Whether the form alone decides the kind: "difference between x and y" may also be the title of an issue.
    pub is_sure: bool,
    /// Whole clauses, after fillers such as "please". [`super::words`] describes the pattern language.
    patterns: &'static [&'static str],
}

/// Returns a table of questions, each with what it asks, its kind and whether it is sure, and its patterns.
macro_rules! questions {
    ($($asks:ident: $kind:ident, $is_sure:literal { $($pattern:expr),+ $(,)? })+) => {
        &[$(Question {
            asks: LookUp::$asks,
            kind: IntentKind::$kind,
            is_sure: $is_sure,
            patterns: &[$($pattern),+],
        }),+]
    };
}

/// Prepends the words of a request for a list: "show me all".
macro_rules! list {
    ($rest:literal) => {
        concat!(
            "?<look> ?me|us ?for|to|at ?a ?list ?of ?all|every|each|any ?of ?the ",
            $rest
        )
    };
}

/// Puts words for tests between two parts of a pattern.
macro_rules! tests {
    ($before:literal, $after:literal) => {
        concat!(
            $before,
            "?unit|integration|existing|other test|tests|testcases|unittests|specs ",
            $after
        )
    };
}

/// The first question with a form that fits counts, so that the more special ones stand first.
const QUESTIONS: &[Question] = questions![
    Overrides: UsageExploration, true {
        "who|whos|what|whats|which ?is|are ?else ?<code:any> override|overrides|overriding|reimplement|reimplements|redefine|redefines __ ?? $",
        "where|wheres ?is|are __ overridden|overriden|reimplemented|redefined ?? $",
        list!("overrides|overriders of|for __ ?? $"),
        "what|which|whats ?are ?the ?all overrides ?of|for|does|do|are __ ?of|for|have|has|exist|there __ ?? $",
        "NAME overrides ?? $",
    }
    Implementers: UsageExploration, true {
        "who|whos|what|which ?else ?<code:any> implements|implement|extends|extend|subclasses|subclass|inherits|inherit|derives|derive ?from ?the ?interface|class|trait|type|protocol TYPE ?interface|class|trait|type|protocol ?? $",
        "what|which ?other classes|types|structs|enums|interfaces implement|implements|extend|extends|inherit|inherits|subclass|derive ?from __ ?? $",
        "what|which ?other *s implement|extend|inherit|subclass|derive ?from ?the TYPE ?class|interface|trait|type|protocol ?? $",
        // A mixin is a base of the classes that include it.
        "what|which ?other classes|modules include|includes|prepend|prepends ?the TYPE ?module|mixin|concern|trait ?? $",
        list!(
            "implementations|implementers|implementors|subclasses|subtypes|descendants of|for __ ?? $"
        ),
        "<look> ?me|us ?for|to|at ?a ?list ?of ?all|every|each|any ?of ?the classes|types|structs|enums|interfaces ?that|which implement|implementing|extend|extending|inherit|inheriting|subclass|subclassing|derive|deriving ?from __ ?? $",
        // "Classes implementing x should be exported" is no question.
        "all|every classes|types|structs|enums|interfaces implementing|extending|inheriting|subclassing ?from __ ?? $",
        "classes|types|structs|enums|interfaces implementing|extending|inheriting|subclassing ?from TYPE ?? $",
        "what|which|whats ?are ?the ?all implementations|implementers|implementors|subclasses|subtypes of|does|do|has|have __ ?have|has|exist|there ?? $",
        "NAME implementations|implementers|implementors|subclasses|subtypes ?? $",
    }
    Tests: UsageExploration, true {
        tests!(
            "what|which|whats ?of ?the|my|our ",
            "cover|covers|covering|test|tests|testing|exercise|exercises|exercising|check|checks|checking|verify|verifies|call|calls|use|uses|touch|touches|hit|hits|reference|references __ ?? $"
        ),
        tests!(
            "what|which|whats ?are ?the|my|our ",
            "?are ?exist|exists ?there of|for __ ?? $"
        ),
        tests!(
            "what|which ",
            "do|does ?we|i|you ?have|exist for|of __ ?? $"
        ),
        "where|wheres ?is|are|do|does ?we|you __ ?being ?get tested|covered ?by|in ?tests ?? $",
        "where ?else do|did we|you|they test|cover __ ?? $",
        tests!(
            "where|wheres is|are ?the|our|my ",
            "of|for|covering|that ?cover|test|exercise __ ?? $"
        ),
        tests!(
            "<look> ?me|us ?for|to|at ?a ?list ?of ?all|every|each|any ?of ?the ",
            "of|for|covering|that|which ?cover|test|exercise|covers|tests|exercises __ ?? $"
        ),
        tests!("?all ?the ", "of __ ?? $"),
        tests!("?all the ", "of|for|covering __ ?? $"),
        "NAME tests ?? $",
    }
    Tests: TestWriting, false {
        tests!("", "for NAME ?? $"),
    }
    Calls: UsageExploration, true {
        "who|whos|what|whats|which ?is|are ?else ?other ?<code:any> call|calls|calling|invoke|invokes|invoking __ ?? $",
        "?from where|wheres ?else ?is|are|do|does|did __ ?being ?get|gets called|invoked ?from ?? $",
        "where ?else do|does|did we|they|you|i ?still call|invoke __ ?? $",
        list!("?direct callers|caller of|for|to __ ?? $"),
        list!("calls|invocations of|to NAME ?? $"),
        list!("call sites|site of|for|to __ ?? $"),
        "who|what|which|whos|whats ?are|is ?all ?the callers|caller of|for|to __ ?? $",
        "NAME callers ?? $",
        "NAME call sites ?? $",
    }
    Dependencies: Explanation, true {
        "what|which|whom|who ?else ?other ?functions|methods|classes|types|modules|files|services|code does|do|did __ ?directly|actually|internally call|depend|invoke|use|import|need|require|rely ?on|upon ?? $",
        "what|which ?other ?functions|methods|classes|types|modules|files|services|code is|are called|used|invoked|needed|required|imported by __ ?? $",
        "what|whats|which ?are ?the ?all ?direct dependencies|callees of|for|does|do __ ?have ?? $",
        list!("?direct dependencies|callees of|for __ ?? $"),
        "NAME dependencies|callees ?? $",
    }
    Behaviour: DefinitionLookup, true {
        "what does|did ?the ?<code> NAME ?actually|exactly do ?? $",
    }
    Difference: Explanation, true {
        "what|whats ?is|are ?the difference|differences between __ and __ ?? $",
        "<look>|<explain> ?me|us ?the difference|differences between __ and __ ?? $",
        "how do|does|is|are __ ?and __ differ|different|differs ?from __ ?? $",
        "compare ?the NAME and|with|to|against ?the NAME ?? $",
    }
    Difference: Explanation, false {
        "?the difference|differences between __ and __ ?? $",
        "compare __ and|with|to|against __ ?? $",
        "NAME vs|versus NAME ?? $",
    }
    Uses: UsageExploration, true {
        "who|whos|what|whats|which ?is|are ?else ?<code:any> uses|using|references|referencing|imports|importing|consumes|consuming|instantiates|instantiating ?from __ ?? $",
        "what|which ?other *s use|reference|import|consume|instantiate|depend|rely ?on|upon|from __ ?? $",
        "who|whos|what|whats|which ?is|are ?else ?<code:any> includes|including ?the TYPE ?header|file|module|mixin|concern|trait ?? $",
        "what|which ?other *s include|includes ?the TYPE ?header|file|module|mixin|concern|trait ?? $",
        "who|what|which ?else ?<code:any> depends|relies on|upon __ ?? $",
        // Errors are used where they are raised and caught.
        "who|whos|what|whats|which ?is|are ?else ?<code:any> raises|raise|raising|throws|throw|throwing|catches|catch|catching|rescues|rescue|rescuing ?the TYPE ?? $",
        "where|wheres ?else ?is|are ?the TYPE ?being raised|thrown|caught|rescued ?? $",
        "where ?else do|does|did we|they|you|i ?still raise|throw|catch|rescue ?the TYPE ?? $",
        "where|wheres ?else ?is|are|do|does|did __ ?being ?get|gets used|referenced|imported|included|consumed|instantiated ?? $",
        "where ?else do|does|did we|they|you|i ?still use|reference|import|consume|instantiate __ ?? $",
        list!(
            "usages|uses|references|occurrences|consumers|importers|dependents of|to|for __ ?? $"
        ),
        list!(
            "places|files|code where|that|which ?uses|use|references|reference __ ?is|are used|referenced ?? $"
        ),
        "who|what|which|whats ?are|is ?all ?the usages|uses|references|occurrences|consumers|importers|dependents of|to|for __ ?? $",
        "NAME usages|uses|references|occurrences|consumers ?? $",
    }
    Definition: DefinitionLookup, true {
        "where|wheres ?is|are|can|do|does ?i|we|you ?find __ defined|declared|implemented|located ?at|in ?? $",
        "where|wheres ?is|can|do ?i|we|you ?find the __ function|method|class|struct|trait|interface|enum|macro|decorator|constant ?? $",
        "where|wheres ?is|can|do ?i|we|you ?find the function|method|class|struct|trait|interface|enum|macro|decorator|constant TYPE ?? $",
        "where|wheres is TYPE ?? $",
        "<look> ?me|us ?for|to|at ?the definition|declaration|implementation|source ?code of|for __ ?? $",
        "?the definition|declaration of __ ?? $",
        "NAME definition|declaration ?? $",
    }
];

static COMPILED: LazyLock<Vec<(&'static Question, Vec<Pattern>)>> = LazyLock::new(|| {
    let compiled = |question: &'static Question| {
        let patterns = question.patterns.iter().copied().map(Pattern::new);
        (question, patterns.collect::<Vec<_>>())
    };
    QUESTIONS.iter().map(compiled).collect()
});

// Words of reports: "callers of x never get a reply", "calls to x hang".
const FAULTY: ClassSet = lexicon::set(&["faulty", "negation"]);
const FAILING: ClassSet = lexicon::set(&["malfunction", "break"]);

/// Words that stand beside a name, as in "the x method", and are none themselves.
const BESIDE_NAMES: [&str; 12] = [
    "?", "a", "an", "class", "constant", "enum", "function", "interface", "method", "the", "trait",
    "type",
];

/// Whether a clause that asks nothing reports a fault.
pub(super) fn reports(clause: &[Word]) -> bool {
    clause.iter().any(names_fault)
}

fn names_fault(word: &Word) -> bool {
    let fails = || Form::ALL.iter().any(|form| word.is(FAILING, *form));
    word.is(FAULTY, Form::Base) || fails()
}

/// Whether words that have the form of a question report a fault: "calls to x hang". A word for a fault may also be the
/// name that is looked up: it is spelled like a type (`Undefined`), or without it nothing is looked up ("who calls abort?").
fn reports_fault(words: &[Word]) -> bool {
    let mut later = words.iter().skip(1);
    let is_title_case = later.all(|word| word.is_capitalised || word.is_name);
    let is_type = |word: &Word| word.is_capitalised && !is_title_case;
    let is_fault = |at: usize, word: &Word| names_fault(word) && (at == 0 || !is_type(word));
    let is_beside = |word: &Word| {
        !word.is_capitalised && !word.is_name && BESIDE_NAMES.contains(&word.text.as_str())
    };
    let numbered = || words.iter().enumerate();
    let rest = numbered().filter(|(at, word)| !is_fault(*at, word) && !is_beside(word));
    let rest: Vec<Word> = rest.map(|(_, word)| word.clone()).collect();
    numbered().any(|(at, word)| is_fault(at, word))
        && of_form(&rest, Pattern::is_filled_at).is_some()
}

/// Returns the first question with a pattern that fits the words.
fn of_form(
    words: &[Word],
    is_at: fn(&Pattern, &[Word], usize) -> bool,
) -> Option<&'static Question> {
    let start = shapes::start(words);
    let fits = |pattern: &Pattern| is_at(pattern, words, start) || is_at(pattern, words, 0);
    let mut questions = COMPILED.iter();
    let found = questions.find(|(_, patterns)| patterns.iter().any(fits));
    found.map(|(question, _)| *question)
}

/// Returns the question that a short query is, if it is nothing but one.
pub(super) fn read(text: &QueryText, query: &Query) -> Option<&'static Question> {
    let [clause] = query.clauses.as_slice() else {
        return None;
    };
    if !query.is_short || !query.prose.is_empty() || !text.frames.is_empty() {
        return None;
    }
    let words = with_names(text, clause);
    let found = of_form(&words, Pattern::is_at)?;
    (!reports_fault(&words)).then_some(found)
}

/// Returns the words of a clause. Those that the query marks as code are names, however they are spelled, and so are types
/// of errors.
fn with_names(text: &QueryText, clause: &Clause) -> Vec<Word> {
    let quoted = text.mentions.iter();
    let quoted: Vec<String> = quoted
        .filter(|mention| mention.kind == MentionKind::InlineCode)
        .map(|mention| mention.name.to_lowercase())
        .collect();
    let named = |word: &Word| match word.is_error_type || quoted.contains(&word.text) {
        true => Word::name(&word.text),
        false => word.clone(),
    };
    clause.words.iter().map(named).collect()
}

/// Returns the words by which a question asks, beyond those of [`super::asking`]. They name no code.
pub(super) fn asking_words(asks: LookUp) -> &'static [&'static str] {
    match asks {
        LookUp::Tests => &[
            "test", "tests", "testing", "tested", "cover", "covers", "covering", "covered",
            "exercise", "exercises", "exercising", "check", "checks", "checking", "verify",
            "verifies", "unit",
        ],
        LookUp::Overrides => &[
            "override", "overrides", "overriding", "overridden", "redefine", "redefines",
            "redefined",
        ],
        LookUp::Dependencies => &[
            "dependencies", "require", "required", "need", "needed", "callees", "rely", "upon",
            "directly", "actually", "internally",
        ],
        LookUp::Difference => &["difference", "differences", "differ", "compare"],
        LookUp::Implementers => &[
            "implement", "implements", "implementing", "implementations", "implementers",
            "implementors", "extend", "extends", "extending", "inherit", "inherits", "inheriting",
            "subclass", "subclasses", "subclassing", "subtypes", "derive", "derives", "deriving",
            "descendants", "include", "includes", "prepend", "prepends", "classes", "types",
            "structs", "enums", "interfaces",
        ],
        LookUp::Uses => &["include", "includes", "included", "including"],
        LookUp::Definition | LookUp::Calls | LookUp::Behaviour => &[],
    }
}

/// Verbs for what code does with errors.
const RAISING: &[&str] = &[
    "catch", "catches", "catching", "caught", "raise", "raised", "raises", "raising", "rescue",
    "rescued", "rescues", "rescuing", "throw", "throwing", "thrown", "throws",
];

/// Returns further words by which a question asks. One for implementers says of what kind the answers are: `commands` of
/// "which commands extend x". One for uses may ask where an error is raised or caught: "what throws ShelfError". Without a
/// name beside it, such a verb is the name.
pub(super) fn kinds_and_verbs(asks: LookUp, clause: &Clause) -> Vec<&Word> {
    let is_plain = |word: &&Word| !word.is_name && !word.is_capitalised;
    let words = clause.words.as_slice();
    match asks {
        LookUp::Implementers => {
            let is_before = |word: &&Word| !asking_words(asks).contains(&word.text.as_str());
            let before = words.iter().take_while(is_before);
            before.filter(is_plain).collect()
        }
        // A sentence begins in upper case.
        LookUp::Uses if words.iter().skip(1).any(|word| !is_plain(&word)) => {
            let is_raising = |word: &&Word| RAISING.contains(&word.text.as_str());
            words.iter().filter(is_plain).filter(is_raising).collect()
        }
        _ => Vec::new(),
    }
}

//! Applies rules over words. [`readings`] has the rules that read one clause by its shape,
//! [`mod@signals`] those whose words indicate a kind anywhere in a text.

mod readings;
mod signals;

use std::sync::LazyLock;

use super::IntentKind;
use super::shapes::{self, ClauseShape};
use super::words::{Clause, Pattern, Word};

use readings::FIX_ORDER;
pub(super) use readings::HOW_TO;

#[derive(Debug)]
pub(super) struct Rule {
    /// The stable name of the signal.
    pub name: &'static str,
    /// The kind that it indicates.
    pub kind: IntentKind,
    /// How strongly, 0 to 1.
    pub weight: f32,
    patterns: &'static [&'static str],
}

/// Returns a table of rules, each with its name, kind and weight, and its patterns.
macro_rules! rules {
    ($($name:tt: $kind:ident, $weight:tt { $($pattern:literal),+ $(,)? })+) => {
        &[$(Rule {
            name: $name,
            kind: $kind,
            weight: $weight,
            patterns: &[$($pattern),+],
        }),+]
    };
}
use rules;

#[derive(Debug)]
struct Compiled {
    rule: &'static Rule,
    patterns: Vec<Pattern>,
}

fn compile(rules: &'static [Rule]) -> Vec<Compiled> {
    rules
        .iter()
        .map(|rule| Compiled {
            rule,
            patterns: rule.patterns.iter().copied().map(Pattern::new).collect(),
        })
        .collect()
}

impl Compiled {
    fn is_in(&self, words: &[Word]) -> bool {
        self.patterns.iter().any(|pattern| pattern.is_in(words))
    }

    fn is_at(&self, words: &[Word], at: usize) -> bool {
        self.patterns.iter().any(|pattern| pattern.is_at(words, at))
    }
}

static QUESTIONS: LazyLock<Vec<Compiled>> = LazyLock::new(|| compile(readings::QUESTIONS));
static ORDERS: LazyLock<Vec<Compiled>> = LazyLock::new(|| compile(readings::ORDERS));
static STATEMENTS: LazyLock<Vec<Compiled>> = LazyLock::new(|| compile(readings::STATEMENTS));
static PHRASES: LazyLock<Vec<Compiled>> = LazyLock::new(|| compile(readings::PHRASES));
/// Clauses that only point to where more is said, and order nothing: "see line 12 of a.py".
static POINTER: LazyLock<Pattern> = LazyLock::new(|| {
    Pattern::new("see|cf ?also ?the line|lines|above|below|attached|screenshot|screenshots")
});
/// Words between the two things that one clause orders.
const JOINING: &[&str] = &["and", "plus", "with"];
/// Repairs that are ordered beside tests. A resolver, correctness and a fixed clock are what tests are about.
static REPAIRS: LazyLock<[Pattern; 2]> = LazyLock::new(|| {
    [
        "?the|a|then fix|fixes|fixing|repair|repairs|repairing|resolve|resolves|resolving",
        "fixed|repaired|resolved|correct|corrects|corrected the|a|an|its|their|this|that|it",
    ]
    .map(Pattern::new)
});
/// Tests that are ordered beside something else: "a few unit tests for them".
static TESTS_BESIDE: LazyLock<Pattern> = LazyLock::new(|| {
    Pattern::new(
        "?add|adds|added|adding|include|includes|including ?its|their|the|a|some|two ?few|related|associated|passing|new ?<testkind> ?<testkind> <test:any>",
    )
});
static TEST_WORD: LazyLock<Pattern> =
    LazyLock::new(|| Pattern::new("<test:any>|<testkind>|fixture*|mock*"));
static TESTS: LazyLock<Vec<Pattern>> =
    LazyLock::new(|| readings::TESTS.iter().copied().map(Pattern::new).collect());
static WORDS: LazyLock<Vec<Compiled>> = LazyLock::new(|| compile(signals::WORDS));
static LABELS: LazyLock<Vec<Compiled>> = LazyLock::new(|| compile(signals::LABELS));

/// Weight of an intention relative to an order: less than a question that follows it.
const INTENTION_FACTOR: f32 = 0.9;

/// How a clause is read: its shape and the first rule that fits.
pub(super) struct Reading<'a> {
    pub clause: &'a Clause,
    pub shape: ClauseShape,
    pub rule: &'static Rule,
    /// How strongly it indicates the kind of its rule.
    pub weight: f32,
    /// Whether the clause starts with fillers such as "please".
    pub is_polite: bool,
}

impl Reading<'_> {
    /// Multiplies the weight by `factor`.
    pub(super) fn scaled(mut self, factor: f32) -> Self {
        self.weight *= factor;
        self
    }
}

/// Whether the words of a question ask for tests of existing code.
pub(super) fn is_about_tests(words: &[Word]) -> bool {
    TESTS.iter().any(|pattern| pattern.is_in(words))
}

/// Reads a clause, if any rule fits.
pub(super) fn read(clause: &Clause) -> Option<Reading<'_>> {
    let words = clause.words.as_slice();
    let start = shapes::start(words);
    if POINTER.is_at(words, start) {
        return None;
    }
    let is_polite = start > 0;
    // "…, including the x" orders nothing.
    let imperative = if clause.opens_sentence || is_polite {
        shapes::imperative(words, start)
    } else {
        None
    };
    let words = imperative.as_deref().unwrap_or(words);
    let shape = shapes::shape(words, start);
    let rule = fitting_rule(words, start, shape)?;
    let may_be_beside = rule.kind == IntentKind::TestWriting && shape != ClauseShape::Question;
    let other = may_be_beside.then(|| beside_tests(words, start, shape));
    let rule = other.flatten().unwrap_or(rule);
    // "I want to move x. Who uses it?"
    let is_intention = is_polite && shapes::is_intention(words);
    let factor = if is_intention { INTENTION_FACTOR } else { 1.0 };
    Some(Reading {
        clause,
        shape,
        rule,
        weight: rule.weight * factor,
        is_polite,
    })
}

/// Returns the rule of the change that an order for tests also asks for: "add a limit and tests", "test and fix x". The
/// tests are then those of the change.
fn beside_tests(words: &[Word], start: usize, shape: ClauseShape) -> Option<&'static Rule> {
    let is_joining = |word: &Word| JOINING.contains(&word.text.as_str());
    let mut joints = (start + 1..words.len()).filter(|at| words.get(*at).is_some_and(is_joining));
    joints.find_map(|at| {
        let (before, after) = (words.get(..at)?, words.get(at + 1..)?);
        if REPAIRS.iter().any(|repair| repair.is_at(after, 0)) {
            return rule_named(FIX_ORDER);
        }
        let is_change = at > start + 1 && !TEST_WORD.is_in(before);
        let adds_tests = is_change && TESTS_BESIDE.is_at(after, 0);
        adds_tests
            .then(|| fitting_rule(before, start, shape))
            .flatten()
    })
}

/// Returns the rule for orders that has this name.
fn rule_named(name: &str) -> Option<&'static Rule> {
    let mut rules = ORDERS.iter().map(|compiled| compiled.rule);
    rules.find(|rule| rule.name == name)
}

/// Returns the first rule of a shape that fits. Questions, orders and phrases must match at their first words,
/// statements anywhere.
fn fitting_rule(words: &[Word], start: usize, shape: ClauseShape) -> Option<&'static Rule> {
    let at_start = |rules: &'static [Compiled]| {
        let fits = |compiled: &&Compiled| compiled.is_at(words, start) || compiled.is_at(words, 0);
        rules.iter().find(fits)
    };
    let compiled = match shape {
        ClauseShape::Question => at_start(&QUESTIONS).or_else(|| at_start(&PHRASES)),
        ClauseShape::Order => at_start(&ORDERS),
        ClauseShape::Statement => STATEMENTS.iter().find(|compiled| compiled.is_in(words)),
        ClauseShape::Phrase => at_start(&PHRASES),
    };
    compiled.map(|compiled| compiled.rule)
}

/// Returns each signal that occurs anywhere in the words.
pub(super) fn signals(words: &[Word]) -> impl Iterator<Item = &'static Rule> {
    WORDS
        .iter()
        .filter(|compiled| compiled.is_in(words))
        .map(|compiled| compiled.rule)
}

/// Returns each label rule that matches a label.
pub(super) fn label_signals(label: &[Word]) -> impl Iterator<Item = &'static Rule> {
    LABELS
        .iter()
        .filter(|compiled| compiled.is_in(label))
        .map(|compiled| compiled.rule)
}

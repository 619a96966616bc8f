//! Rules over words: patterns, where they must stand, what they speak for, and how much. [`table`]
//! lists them.

mod table;

use std::sync::LazyLock;

use super::words::{self, Pattern};
use super::{IntentKind, PROSE_FACTOR};

/// Where a pattern must stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    /// At the start of the title: an order. Fillers such as "please" may stand before it. For less
    /// at the start of a later sentence or clause of a short query's title.
    Order,
    /// Anywhere in the title of a short query; for less at the start of a sentence of its prose, or
    /// in the title of a longer query.
    Question,
    /// In the title or, for less, in the prose.
    Anywhere,
}

/// One rule.
#[derive(Debug)]
pub(super) struct Rule {
    /// The stable name of the sign.
    pub name: &'static str,
    /// What it speaks for.
    pub kind: IntentKind,
    /// How much, 0 to 1.
    pub weight: f32,
    position: Position,
    patterns: &'static [&'static str],
}

impl Rule {
    /// Whether it is an order of the title.
    pub(super) fn is_order(&self) -> bool {
        self.position == Position::Order
    }
}

const fn rule(
    name: &'static str,
    kind: IntentKind,
    weight: f32,
    position: Position,
    patterns: &'static [&'static str],
) -> Rule {
    Rule {
        name,
        kind,
        weight,
        position,
        patterns,
    }
}

/// What an order in a later clause of the title counts, where 1 is one at its start.
const LATER_FACTOR: f32 = 0.85;

/// The words of a query.
pub(super) struct Query {
    /// Of the title.
    pub title: Vec<String>,
    /// Of each clause of the title; only the whole title where the query is long.
    pub clauses: Vec<Vec<String>>,
    /// Of the prose below the title.
    pub prose: Vec<String>,
    /// Of each clause of the prose; none where the query is long.
    pub prose_clauses: Vec<Vec<String>>,
    /// Whether it is a question or an order rather than an issue.
    pub is_short: bool,
    /// Whether the title says something and does not ask.
    pub is_statement: bool,
}

impl Query {
    /// Whether the title seems to order something, by a verb that no rule knows.
    pub(super) fn is_order(&self) -> bool {
        words::is_order(
            self.title
                .get(order_start(&self.title)..)
                .unwrap_or_default(),
        )
    }
}

struct Compiled {
    rule: &'static Rule,
    patterns: Vec<Pattern>,
}

impl Compiled {
    /// Whether a clause starts with one of the patterns, or has one after its fillers.
    fn starts(&self, clause: &[String]) -> bool {
        let start = order_start(clause);
        self.patterns
            .iter()
            .any(|pattern| pattern.is_at(clause, start) || pattern.is_at(clause, 0))
    }
}

/// Whether any of the clauses starts with a pattern of the rule.
fn is_started_by(compiled: &Compiled, clauses: &[Vec<String>]) -> bool {
    clauses.iter().any(|clause| compiled.starts(clause))
}

fn compile(rules: &'static [Rule]) -> Vec<Compiled> {
    rules
        .iter()
        .map(|rule| Compiled {
            rule,
            patterns: rule
                .patterns
                .iter()
                .map(|pattern| Pattern::new(pattern))
                .collect(),
        })
        .collect()
}

static WORDS: LazyLock<Vec<Compiled>> = LazyLock::new(|| compile(table::RULES));
static LABEL_WORDS: LazyLock<Vec<Compiled>> = LazyLock::new(|| compile(table::LABELS));

/// Gives each rule that fires for the title and prose, with its weight there.
pub(super) fn word_rules(query: &Query, mut fired: impl FnMut(&'static Rule, f32)) {
    let Query {
        title,
        prose,
        is_short,
        ..
    } = query;
    let (first, later) = query.clauses.split_first().unwrap_or((title, &[]));
    // In the prose a question is a sentence of its own; "I wonder how does …" in passing is none.
    let asked_in_prose =
        |compiled: &Compiled| !query.is_statement && is_started_by(compiled, &query.prose_clauses);
    for compiled in WORDS.iter() {
        let any = |words: &[String]| compiled.patterns.iter().any(|pattern| pattern.is_in(words));
        let rule = compiled.rule;
        match rule.position {
            Position::Order => {
                if compiled.starts(first) {
                    fired(rule, rule.weight);
                } else if is_started_by(compiled, later) {
                    fired(rule, rule.weight * LATER_FACTOR);
                }
            }
            Position::Question => {
                if *is_short && any(title) {
                    fired(rule, rule.weight);
                } else if any(title) || asked_in_prose(compiled) {
                    // A long text is an issue, not a question, even where its title has the words.
                    fired(rule, rule.weight * PROSE_FACTOR);
                }
            }
            Position::Anywhere => {
                if any(title) {
                    fired(rule, rule.weight);
                } else if any(prose) {
                    fired(rule, rule.weight * PROSE_FACTOR);
                }
            }
        }
    }
}

/// Gives each rule that fires for a label.
pub(super) fn label_rules(label: &str, mut fired: impl FnMut(&'static Rule)) {
    let words: Vec<String> = label.split(' ').map(str::to_owned).collect();
    for compiled in LABEL_WORDS.iter() {
        if compiled
            .patterns
            .iter()
            .any(|pattern| pattern.is_in(&words))
        {
            fired(compiled.rule);
        }
    }
}

/// Where the order starts: after "please", "can you", "we should", "I want to", and after those tags
/// of commits that say nothing about the kind.
fn order_start(clause: &[String]) -> usize {
    const FILLERS: &[&str] = &[
        "please", "can", "could", "would", "you", "we", "i", "should", "need", "want", "to",
        "lets", "id", "like", "help", "me", "just", "hey", "hi", "hello", "must", "try", "now",
        "also", "ill", "us", "go", "ahead", "and", "a", "an", "the", "some", "tell", "do", "know",
        "chore", "style", "ci",
    ];
    clause
        .iter()
        .take_while(|word| FILLERS.contains(&word.as_str()))
        .count()
}

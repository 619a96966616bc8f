//! Rules over words: patterns, where they must stand, what they speak for, and how much. [`table`]
//! lists them.

mod table;

use std::sync::LazyLock;

use super::words::Pattern;
use super::{IntentKind, PROSE_FACTOR};

/// Where a pattern must stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// At the start of the title: an order. Fillers such as "please" may stand before it.
    Order,
    /// Anywhere in a short query; in a longer one in the title, for less.
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
    place: Place,
    patterns: &'static [&'static str],
}

impl Rule {
    /// Whether it is an order of the title.
    pub(super) fn is_order(&self) -> bool {
        self.place == Place::Order
    }
}

const fn rule(
    name: &'static str,
    kind: IntentKind,
    weight: f32,
    place: Place,
    patterns: &'static [&'static str],
) -> Rule {
    Rule {
        name,
        kind,
        weight,
        place,
        patterns,
    }
}

struct Compiled {
    rule: &'static Rule,
    patterns: Vec<Pattern>,
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
pub(super) fn words(
    title: &[String],
    prose: &[String],
    is_short: bool,
    mut fired: impl FnMut(&'static Rule, f32),
) {
    let start = order_start(title);
    for compiled in WORDS.iter() {
        let any = |words: &[String]| compiled.patterns.iter().any(|pattern| pattern.is_in(words));
        let rule = compiled.rule;
        match rule.place {
            Place::Order => {
                if compiled
                    .patterns
                    .iter()
                    .any(|pattern| pattern.is_at(title, start))
                {
                    fired(rule, rule.weight);
                }
            }
            Place::Question => {
                if is_short && any(title) {
                    fired(rule, rule.weight);
                } else if any(title) || is_short && any(prose) {
                    // A long text is an issue, not a question, even where its title has the words.
                    fired(rule, rule.weight * PROSE_FACTOR);
                }
            }
            Place::Anywhere => {
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
pub(super) fn label(label: &str, mut fired: impl FnMut(&'static Rule)) {
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
fn order_start(title: &[String]) -> usize {
    const FILLERS: &[&str] = &[
        "please", "can", "could", "would", "you", "we", "i", "should", "need", "want", "to",
        "lets", "id", "like", "help", "me", "just", "hey", "hi", "hello", "must", "try", "now",
        "also", "ill", "us", "go", "ahead", "and", "a", "an", "the", "some", "tell", "do", "know",
        "chore", "style", "ci",
    ];
    title
        .iter()
        .take_while(|word| FILLERS.contains(&word.as_str()))
        .count()
}

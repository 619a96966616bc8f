//! What is asked for: rules over the query's words and structure, no model. [`rules`] has them as a
//! table, [`words`] matches their patterns. Start at [`detect`].

mod rules;
mod words;

#[cfg(test)]
mod tests;

use foveate_parse::traces;

use self::rules::Query;
use crate::text::{QueryText, SegmentKind};

/// The kinds of task that shape a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum IntentKind {
    BugFix,
    TestWriting,
    Refactor,
    Implementation,
    UsageExploration,
    DefinitionLookup,
    Explanation,
}

impl IntentKind {
    /// The stable name used on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::BugFix => "BUG_FIX",
            Self::TestWriting => "TEST_WRITING",
            Self::Refactor => "REFACTOR",
            Self::Implementation => "IMPLEMENTATION",
            Self::UsageExploration => "USAGE_EXPLORATION",
            Self::DefinitionLookup => "DEFINITION_LOOKUP",
            Self::Explanation => "EXPLANATION",
        }
    }

    /// Whether something has to be changed, as opposed to looked up or understood.
    pub fn is_change(self) -> bool {
        !matches!(
            self,
            Self::UsageExploration | Self::DefinitionLookup | Self::Explanation
        )
    }

    /// All kinds.
    pub const ALL: [Self; 7] = [
        Self::BugFix,
        Self::TestWriting,
        Self::Refactor,
        Self::Implementation,
        Self::UsageExploration,
        Self::DefinitionLookup,
        Self::Explanation,
    ];
}

/// A detected intent.
#[derive(Clone, Debug, PartialEq)]
pub struct Intent {
    /// What is asked for.
    pub kind: IntentKind,
    /// How sure, 0 to 1; 1 where the caller said it.
    pub confidence: f32,
    /// Names of the rules that fired for it.
    pub signals: Vec<&'static str>,
}

/// Fewer words than this make a short query: a question or an order rather than an issue.
const SHORT_WORDS: usize = 60;
/// So many words of the prose are looked at: what is asked for is said early.
const PROSE_WORDS: usize = 600;
/// What a sign in the prose counts, where 1 is a sign in the title.
const PROSE_FACTOR: f32 = 0.6;
/// What signs of a bug count where the title orders something else: "refactor the crash handler".
const OVERRULED: f32 = 0.4;
/// A stack trace makes a bug report, whatever the words say.
const TRACEBACK: f32 = 0.93;

/// Detects the intent of a query; `given` is the caller's own word and wins.
pub fn detect(text: &QueryText, given: Option<IntentKind>) -> Intent {
    if let Some(kind) = given {
        return Intent {
            kind,
            confidence: 1.0,
            signals: vec!["given"],
        };
    }
    let query = query(text);
    let mut scores = Scores::default();
    structure(text, &mut scores);
    for label in &text.labels {
        rules::label_rules(label, |rule| scores.add(rule.kind, rule.weight, rule.name));
    }
    rules::word_rules(&query, |rule, weight| {
        scores.add(rule.kind, weight, rule.name);
        if rule.is_order() {
            scores.ordered = scores.ordered.or(Some(rule.kind));
        }
    });
    if scores.is_empty() {
        return fallback(text, &query);
    }
    scores.decide()
}

/// The words that the rules look at.
fn query(text: &QueryText) -> Query {
    let title = words::split(text.title(), PROSE_WORDS);
    let prose = prose(text);
    let is_short = title.len() + prose.len() <= SHORT_WORDS && !follows_template(text);
    let mut clauses = vec![title.clone()];
    let mut prose_clauses = Vec::new();
    if is_short {
        clauses = words::clauses(text.title());
        prose_clauses = text
            .of_kind(SegmentKind::Prose)
            .flat_map(words::clauses)
            .collect();
    }
    let is_statement = words::is_statement(&title);
    Query {
        title,
        clauses,
        prose,
        prose_clauses,
        is_short,
        is_statement,
    }
}

/// Whether the text has the headings of an issue template: then it is no question, however short.
fn follows_template(text: &QueryText) -> bool {
    text.labels.iter().any(|label| label != "question")
}

/// Words of the prose, in order.
fn prose(text: &QueryText) -> Vec<String> {
    let mut prose = Vec::new();
    for part in text.of_kind(SegmentKind::Prose) {
        let left = PROSE_WORDS.saturating_sub(prose.len());
        prose.extend(words::split(part, left));
        // Signs do not reach across segments.
        prose.push(String::new());
    }
    prose
}

/// Signs that are no words: stack traces and error messages.
fn structure(text: &QueryText, scores: &mut Scores) {
    if !text.frames.is_empty() {
        let general = traces::signal(None);
        let traces = text.segments.iter();
        let name = traces
            .filter(|segment| segment.kind == SegmentKind::Traceback)
            .map(|segment| traces::signal(segment.language))
            .find(|signal| *signal != general)
            .unwrap_or(general);
        scores.add(IntentKind::BugFix, TRACEBACK, name);
    }
    if text.of_kind(SegmentKind::ErrorMessage).next().is_some() {
        scores.add(IntentKind::BugFix, 0.6, "error_message");
    }
}

/// No sign at all: a bare name or a few words without a clause are looked up, an unknown verb
/// before its object is an order, and what says something is most likely an issue about something
/// that is wrong.
fn fallback(text: &QueryText, query: &Query) -> Intent {
    const FEW_WORDS: usize = 12;
    let is_one_token = query.prose.is_empty() && !text.title().trim().contains(char::is_whitespace);
    let (kind, confidence, signal) = match query.title.len() + query.prose.len() {
        0..=3 => (IntentKind::DefinitionLookup, 0.5, "bare_name"),
        _ if is_one_token => (IntentKind::DefinitionLookup, 0.5, "bare_name"),
        _ if query.is_short && query.is_order() => (IntentKind::Implementation, 0.4, "some_order"),
        4..=FEW_WORDS if text.segments.len() <= 1 && !query.is_statement => {
            (IntentKind::DefinitionLookup, 0.35, "few_words")
        }
        _ => (IntentKind::BugFix, 0.4, "issue_text"),
    };
    Intent {
        kind,
        confidence,
        signals: vec![signal],
    }
}

/// What speaks for each kind.
#[derive(Default)]
struct Scores {
    signs: Vec<(IntentKind, f32, &'static str)>,
    /// The kind that the title orders.
    ordered: Option<IntentKind>,
}

impl Scores {
    fn add(&mut self, kind: IntentKind, weight: f32, name: &'static str) {
        self.signs.push((kind, weight, name));
    }

    fn is_empty(&self) -> bool {
        self.signs.is_empty()
    }

    /// Noisy-or of a kind's signs.
    fn score(&self, kind: IntentKind) -> f32 {
        let overruled = kind == IntentKind::BugFix && self.ordered.is_some_and(|k| k != kind);
        let misses = self.signs.iter().filter(|sign| sign.0 == kind).map(|sign| {
            // A stack trace stays one, whatever is ordered.
            let factor = if overruled && sign.1 < TRACEBACK {
                OVERRULED
            } else {
                1.0
            };
            1.0 - sign.1 * factor
        });
        1.0 - misses.product::<f32>()
    }

    fn decide(self) -> Intent {
        let mut ranked: Vec<(IntentKind, f32)> = IntentKind::ALL
            .iter()
            .map(|kind| (*kind, self.score(*kind)))
            .collect();
        // Stable: of two equal ones the first in declaration order wins.
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        let (kind, score) = ranked.first().copied().unwrap_or((IntentKind::BugFix, 0.0));
        let second = ranked.get(1).map_or(0.0, |(_, score)| *score);
        let mut signals: Vec<&'static str> = Vec::new();
        for (_, _, name) in self.signs.iter().filter(|sign| sign.0 == kind) {
            if !signals.contains(name) {
                signals.push(name);
            }
        }
        // Doubt where two kinds are close; none about a stack trace.
        let has_trace = self
            .signs
            .iter()
            .any(|sign| sign.0 == kind && sign.1 >= TRACEBACK);
        let doubt = if has_trace {
            0.0
        } else {
            0.4 * second * second / score.max(0.01)
        };
        let confidence = score * (1.0 - doubt);
        Intent {
            kind,
            confidence: confidence.clamp(0.05, 0.99),
            signals,
        }
    }
}

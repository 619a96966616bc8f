//! Detects the intent of a query. [`rules`] read the clauses of the query by their [`shapes`];
//! [`wording`], a small linear model over the same words, covers what no rule names; the scores of both are
//! added. [`look_ups`] recognises short questions about a name, [`release_questions`] those for the release of a change;
//! [`other_languages`] has the commonest words of titles that are not English.
//! [`words`] splits a text and matches patterns, [`lexicon`] has the classes of words. [`asking`] finds the word that says
//! what a question asks; [`asked_kinds`], another [`linear`] model, estimates which kinds of files a query is about. Start
//! at [`detect`].

mod asked_kinds;
mod asking;
mod lexicon;
mod linear;
mod look_ups;
mod other_languages;
mod release_questions;
mod rules;
mod shapes;
mod wording;
mod words;

#[cfg(test)]
mod tests;

use foveate_parse::traces;

pub(crate) use self::asked_kinds::AskedKinds;
pub use self::look_ups::LookUp;

use self::rules::Reading;
use self::shapes::ClauseShape;
use self::words::{Clause, Word};
use crate::text::{QueryText, SegmentKind, is_error_chain};

foveate_model::named_enum! {
    /// The kinds of task that shape a context.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[allow(missing_docs)]
    pub enum IntentKind {
        BugFix = "BUG_FIX",
        TestWriting = "TEST_WRITING",
        Refactor = "REFACTOR",
        Implementation = "IMPLEMENTATION",
        UsageExploration = "USAGE_EXPLORATION",
        DefinitionLookup = "DEFINITION_LOOKUP",
        Explanation = "EXPLANATION",
    }
}

impl IntentKind {
    /// Whether something has to be changed, as opposed to looked up or understood.
    pub fn is_change(self) -> bool {
        !matches!(
            self,
            Self::UsageExploration | Self::DefinitionLookup | Self::Explanation
        )
    }
}

/// A detected intent.
#[derive(Clone, Debug, PartialEq)]
pub struct Intent {
    /// What is asked for.
    pub kind: IntentKind,
    /// How certain, 0 to 1; 1 if the caller gave the intent.
    pub confidence: f32,
    /// Names of the rules that fired for it.
    pub signals: Vec<&'static str>,
    /// Whether it is a short question about tests of existing code: "which tests cover `x`?".
    pub asks_for_tests: bool,
    /// What it looks up about a name, if it is a short question for that: "who calls `x`?". What is merely near the name
    /// is then no part of the answer.
    pub look_up: Option<LookUp>,
}

impl Intent {
    /// Returns an intent that need not be detected.
    pub(crate) fn certain(kind: IntentKind, signal: &'static str) -> Self {
        Self {
            kind,
            confidence: 1.0,
            signals: vec![signal],
            asks_for_tests: false,
            look_up: None,
        }
    }

    /// Returns the kind of intent that decides which files and sections get the budget. A question about tests is a
    /// lookup that needs what writing a test needs: the tests, beside the code that they test.
    pub fn profile(&self) -> IntentKind {
        match self.asks_for_tests {
            true => IntentKind::TestWriting,
            false => self.kind,
        }
    }
}

/// Maximum words of a short query: a question or an order rather than an issue.
const MAX_SHORT_WORDS: usize = 60;
/// Maximum words of the prose that are read: queries state their intent early.
const MAX_PROSE_WORDS: usize = 300;
/// Weight of a signal in the prose relative to one in the title.
const PROSE_FACTOR: f32 = 0.6;
/// Factor of the signals of one kind if another kind is clearly asked for: "refactor the crash handler".
const OVERRULED: f32 = 0.4;
/// Minimum weight of a reading that is clear enough to overrule signals.
const MIN_CLEAR: f32 = 0.8;
/// Minimum weight of a signal that decides alone: a stack trace makes a bug report, and the type of a commit
/// gives its kind.
const DECISIVE: f32 = 0.97;

/// Share of the wording in a kind's score; the remainder comes from the rules.
const WORDING_SHARE: f32 = 0.7;

/// Detects the intent of a query; an intent `given` by the caller wins.
pub fn detect(text: &QueryText, given: Option<IntentKind>) -> Intent {
    if let Some(kind) = given {
        return Intent::certain(kind, "given");
    }
    let query = Query::new(text);
    let mut scores = Scores::default();
    structure(text, &mut scores);
    for label in &text.labels {
        for rule in rules::label_signals(&words::split(label, MAX_PROSE_WORDS)) {
            scores.add(rule.kind, rule.weight, rule.name);
        }
    }
    let unspaced = match scores.is_decided() {
        true => None,
        false => other_languages::read_unspaced(text.title()),
    };
    if let Some((kind, name)) = unspaced {
        scores.add(kind, DECISIVE, name);
    }
    let question = look_ups::read(text, &query).filter(|_| unspaced.is_none());
    if let Some(question) = question.filter(|question| question.is_sure) {
        scores.add(question.kind, DECISIVE, "look_up");
    }
    let reading = query.reading();
    if let Some(reading) = &reading {
        let rule = reading.rule;
        scores.add(rule.kind, reading.weight, rule.name);
        scores.clear = Some(rule.kind).filter(|_| reading.weight >= MIN_CLEAR);
    }
    if !text.frames.is_empty() || !text.failed_tests.is_empty() || is_error_chain(text.title()) {
        scores.clear = Some(IntentKind::BugFix);
    }
    for (words, factor) in [(&query.title, 1.0), (&query.prose, PROSE_FACTOR)] {
        for rule in rules::signals(words) {
            scores.add(rule.kind, rule.weight * factor, rule.name);
        }
    }
    if scores.signals.is_empty() {
        match other_languages::read(text.title()) {
            Some((kind, name)) => scores.add(kind, DECISIVE, name),
            None => {
                let (kind, weight, name) = fallback(text, &query);
                scores.add(kind, weight, name);
            }
        }
    }
    let found = scores.decide(wording::probabilities(&query, reading.as_ref()));
    let look_up = look_up(&found, &query, question, reading.as_ref());
    let is_about_tests = query.is_short && rules::is_about_tests(&query.title);
    Intent {
        asks_for_tests: look_up == Some(LookUp::Tests) || !found.kind.is_change() && is_about_tests,
        look_up,
        ..found
    }
}

/// Returns what a query of the `found` intent looks up about a name. `question` is the form that the whole query has,
/// `reading` the reading of its clearest clause.
fn look_up(
    found: &Intent,
    query: &Query,
    question: Option<&look_ups::Question>,
    reading: Option<&Reading<'_>>,
) -> Option<LookUp> {
    let is_meant = |question: &&look_ups::Question| {
        question.kind == found.kind || !found.kind.is_change() && !question.is_sure
    };
    if let Some(question) = question.filter(is_meant) {
        return Some(question.asks);
    }
    if !query.is_short || rules::is_about_tests(&query.title) {
        return None;
    }
    let reading = reading?;
    let rule = reading.rule;
    let words = &reading.clause.words;
    let is_report = reading.shape == ClauseShape::Phrase && look_ups::reports(words);
    // "How do I use x" asks for a guide or an example.
    if rule.kind != found.kind || rule.name == rules::HOW_TO || is_report {
        return None;
    }
    asking::look_up(found.kind, words)
}

/// Whether the query asks how something is done, which a guide would answer.
pub(crate) fn asks_how_to(text: &QueryText) -> bool {
    let query = Query::new(text);
    let reading = query.reading();
    query.is_short && reading.is_some_and(|reading| reading.rule.name == rules::HOW_TO)
}

/// Whether the query is a short question for the release that brought a change, which notes on releases would answer.
pub(crate) fn asks_for_release(text: &QueryText) -> bool {
    release_questions::is_one(&Query::new(text))
}

/// Whether a short query is about the default of something.
pub(crate) fn is_about_default(text: &QueryText) -> bool {
    let query = Query::new(text);
    let mut words = query.title.iter().map(|word| word.text.as_str());
    query.is_short && words.any(|word| matches!(word, "default" | "defaults"))
}

/// Returns the words by which a short question asks for a definition or for uses, in lower case: `uses` of "who uses x".
/// They name no code.
pub(crate) fn asking_words(text: &QueryText) -> Vec<String> {
    let query = Query::new(text);
    if !query.is_short {
        return Vec::new();
    }
    let asks = look_ups::read(text, &query).map(|question| question.asks);
    let of_question = asks.map_or(&[][..], look_ups::asking_words);
    let mut words = asking_verbs(&query, asks);
    if let (Some(asks), Some(clause)) = (asks, query.clauses.first()) {
        words.extend(look_ups::kinds_and_verbs(asks, clause));
    }
    let words = words.iter().map(|word| word.text.as_str());
    words
        .chain(of_question.iter().copied())
        .map(str::to_owned)
        .collect()
}

/// Returns the verbs and nouns by which the clauses of a short query ask for a definition, uses or dependencies.
fn asking_verbs(query: &Query, asks: Option<LookUp>) -> Vec<&Word> {
    let clauses = query.clauses.iter();
    if asks == Some(LookUp::Dependencies) {
        return clauses
            .filter_map(|clause| asking::dependency_word(&clause.words))
            .collect();
    }
    let readings = clauses.filter_map(rules::read);
    let readings = readings.filter(|reading| {
        let kind = reading.rule.kind;
        reading.shape != ClauseShape::Statement
            && matches!(
                kind,
                IntentKind::UsageExploration | IntentKind::DefinitionLookup
            )
    });
    readings
        .filter_map(|reading| asking::word(&reading.clause.words))
        .collect()
}

/// Returns what a query looks up about a name, if it is nothing but a short question for that.
pub(crate) fn look_up_of(text: &QueryText) -> Option<LookUp> {
    let question = look_ups::read(text, &Query::new(text));
    question.map(|question| question.asks)
}

/// The words of a query.
struct Query {
    title: Vec<Word>,
    /// Words of the prose below the title, in order.
    prose: Vec<Word>,
    /// Clauses of the title.
    clauses: Vec<Clause>,
    /// Clauses of the prose; empty for a long query.
    prose_clauses: Vec<Clause>,
    /// Whether it is a question or an order rather than an issue.
    is_short: bool,
    /// Whether the title starts with an upper-case letter.
    is_capitalised: bool,
    /// Labels from the template and the title; see [`QueryText::labels`].
    labels: Vec<String>,
}

impl Query {
    fn new(text: &QueryText) -> Self {
        let title = words::split(text.title(), MAX_PROSE_WORDS);
        let mut prose = Vec::new();
        for part in text.of_kind(SegmentKind::Prose) {
            let left = MAX_PROSE_WORDS.saturating_sub(prose.len());
            prose.extend(words::split(part, left));
            // Signals do not reach across segments.
            prose.push(Word::default());
        }
        let is_short = title.len() + prose.len() <= MAX_SHORT_WORDS && !follows_template(text);
        let prose_clauses = match is_short {
            true => text
                .of_kind(SegmentKind::Prose)
                .flat_map(words::clauses)
                .collect(),
            false => Vec::new(),
        };
        Self {
            title,
            prose,
            clauses: words::clauses(text.title()),
            prose_clauses,
            is_short,
            labels: text.labels.clone(),
            is_capitalised: text.title().starts_with(char::is_uppercase),
        }
    }

    /// Returns the reading with the largest weight, the first of equal ones.
    fn reading(&self) -> Option<Reading<'_>> {
        let title = self.clauses.iter().filter_map(rules::read);
        let mut readings: Vec<Reading> = title
            .map(|reading| {
                // A long text is an issue, not a question, even where its title asks.
                let is_doubtful = reading.shape == ClauseShape::Question && !self.is_short;
                reading.scaled(if is_doubtful { PROSE_FACTOR } else { 1.0 })
            })
            .collect();
        let reports = readings
            .iter()
            .any(|reading| reading.shape == ClauseShape::Statement);
        for reading in self.prose_clauses.iter().filter_map(rules::read) {
            let factor = match reading.shape {
                // Below a report, "how does it read x" is a passing remark.
                ClauseShape::Question if reading.clause.opens_sentence && !reports => 1.0,
                // Without "please" an order is a step to reproduce.
                ClauseShape::Order if reading.is_polite => 1.0,
                ClauseShape::Order => PROSE_FACTOR,
                _ => continue,
            };
            readings.push(reading.scaled(factor));
        }
        readings.into_iter().reduce(|best, next| {
            if next.weight > best.weight {
                next
            } else {
                best
            }
        })
    }
}

/// Whether the text follows an issue template: then it is an issue, however short.
fn follows_template(text: &QueryText) -> bool {
    text.labels.iter().any(|label| label != "question")
}

/// Adds the signals of the structure: stack traces, failed tests and error messages.
fn structure(text: &QueryText, scores: &mut Scores) {
    if !text.frames.is_empty() {
        let general = traces::signal(None);
        let traces = text.segments.iter();
        let name = traces
            .filter(|segment| segment.kind == SegmentKind::Traceback)
            .map(|segment| traces::signal(segment.language))
            .find(|signal| *signal != general)
            .unwrap_or(general);
        scores.add(IntentKind::BugFix, DECISIVE, name);
    }
    if !text.failed_tests.is_empty() {
        scores.add(IntentKind::BugFix, DECISIVE, "failed_test");
    }
    // The links of a chain read like orders: "open a.db: permission denied".
    if is_error_chain(text.title()) {
        scores.add(IntentKind::BugFix, DECISIVE, "error_chain");
    }
    if text.of_kind(SegmentKind::ErrorMessage).next().is_some() {
        scores.add(IntentKind::BugFix, 0.6, "error_message");
    }
}

/// Returns the kind of a query without any signal: a name or a few words are a lookup, a lone capitalised title
/// that names no code is a wish, and a longer text most likely an issue about a bug.
fn fallback(text: &QueryText, query: &Query) -> (IntentKind, f32, &'static str) {
    const FEW_WORDS: usize = 12;
    let title = text.title().trim();
    let is_title = title.starts_with(char::is_uppercase)
        && query.title.len() > 1
        && !query.title.iter().any(|word| word.is_name);
    match query.title.len() + query.prose.len() {
        _ if is_title && query.prose.is_empty() => (IntentKind::Implementation, 0.35, "bare_title"),
        0..=3 => (IntentKind::DefinitionLookup, 0.5, "bare_name"),
        4..=FEW_WORDS if text.segments.len() <= 1 => {
            (IntentKind::DefinitionLookup, 0.35, "few_words")
        }
        _ => (IntentKind::BugFix, 0.4, "issue_text"),
    }
}

/// The signals of each kind.
#[derive(Default)]
struct Scores {
    signals: Vec<(IntentKind, f32, &'static str)>,
    /// The kind that a clause or a stack trace clearly indicates.
    clear: Option<IntentKind>,
}

impl Scores {
    fn add(&mut self, kind: IntentKind, weight: f32, name: &'static str) {
        self.signals.push((kind, weight, name));
    }

    /// Whether a signal decides alone.
    fn is_decided(&self) -> bool {
        self.signals.iter().any(|signal| signal.1 >= DECISIVE)
    }

    /// Returns the noisy-or of a kind's signals.
    fn score(&self, kind: IntentKind) -> f32 {
        let overruled = self.clear.is_some_and(|k| k != kind);
        let misses = self
            .signals
            .iter()
            .filter(|signal| signal.0 == kind)
            .map(|signal| {
                // A decisive signal, such as a stack trace, is never overruled.
                let is_overruled = overruled && signal.1 < DECISIVE;
                let factor = if is_overruled { OVERRULED } else { 1.0 };
                1.0 - signal.1 * factor
            });
        1.0 - misses.product::<f32>()
    }

    /// Returns the kind that is most likely by the rules and the wording together.
    fn decide(self, wording: [f32; IntentKind::ALL.len()]) -> Intent {
        let is_decided = self.is_decided();
        let mut ranked: Vec<(IntentKind, f32)> = IntentKind::ALL
            .into_iter()
            .zip(wording)
            .map(|(kind, wording)| {
                let score = self.score(kind);
                // A decisive signal says more than any wording.
                let share = if is_decided { 0.0 } else { WORDING_SHARE };
                (kind, score * (1.0 - share) + wording * share)
            })
            .collect();
        // Stable: of equal kinds the first in declaration order wins.
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        let (kind, score) = ranked.first().copied().unwrap_or((IntentKind::BugFix, 0.0));
        let second = ranked.get(1).map_or(0.0, |(_, score)| *score);
        let mut signals: Vec<&'static str> = Vec::new();
        for (_, _, name) in self.signals.iter().filter(|signal| signal.0 == kind) {
            if !signals.contains(name) {
                signals.push(name);
            }
        }
        if signals.is_empty() {
            signals.push("wording");
        }
        // The confidence is lower if two kinds are close.
        let doubt = match is_decided {
            true => 0.0,
            false => 0.4 * second * second / score.max(0.01),
        };
        let confidence = score * (1.0 - doubt);
        Intent {
            kind,
            confidence: confidence.clamp(0.05, 0.99),
            signals,
            asks_for_tests: false,
            look_up: None,
        }
    }
}

//! Scores one answer against its case. Only what was delivered is scored: the ranked lists in their order, and the
//! lines that the context shows. A missing answer scores like an empty one.

use std::collections::BTreeSet;

use foveate_model::Lines;
use foveate_query::Answer;
use foveate_query::assemble::{Fidelity, Pack};
use foveate_query::rank::ListedPlace;

use crate::eval::aggregate::Predictions;
use crate::eval::calibration::Prediction;
use crate::eval::case::{Case, Edit, EnclosingKind, GoldFunction};
use crate::eval::metric::{BUDGETS, Metric, Scores};

/// The parts of an answer that scores need. `Default` is the empty answer.
#[derive(Clone, Debug, Default)]
pub struct DeliveredAnswer {
    /// Paths of the ranked files, best first.
    pub files: Vec<String>,
    /// The ranked functions, best first.
    pub functions: Vec<Location>,
    /// Wire name of the detected intent.
    pub intent: String,
    /// The contexts at [`BUDGETS`].
    pub contexts: [Context; BUDGETS.len()],
}

/// The location of a definition.
#[derive(Clone, Debug)]
pub struct Location {
    /// Path of its file.
    pub path: String,
    /// Qualified name.
    pub name: String,
    /// Its lines in the file.
    pub lines: Lines,
}

/// The content of one context.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// Tokens used.
    pub used: usize,
    /// Files of which anything is shown.
    pub files: BTreeSet<String>,
    /// Lines that are shown verbatim, by file.
    pub lines: Vec<(String, Lines)>,
    /// Definitions that are shown with their documentation folded, by file.
    pub folded: Vec<(String, Lines)>,
}

impl DeliveredAnswer {
    /// Takes the rankings of `answer` and the contexts of all budgets.
    pub fn new(answer: &Answer, contexts: [Context; BUDGETS.len()]) -> Self {
        Self {
            files: answer.files.iter().map(|f| f.path.clone()).collect(),
            functions: answer.functions.iter().map(Location::from).collect(),
            intent: answer.intent.kind.name().to_owned(),
            contexts,
        }
    }
}

impl From<&ListedPlace> for Location {
    fn from(place: &ListedPlace) -> Self {
        Self {
            path: place.path.clone(),
            name: place.name.clone(),
            lines: place.lines,
        }
    }
}

impl From<&Pack> for Context {
    fn from(pack: &Pack) -> Self {
        let items = || pack.sections.iter().flat_map(|section| &section.items);
        Self {
            used: pack.used,
            files: items().map(|item| item.path.clone()).collect(),
            lines: items()
                .filter(|item| item.fidelity == Fidelity::Full)
                .flat_map(|item| item.shown.iter().map(|lines| (item.path.clone(), *lines)))
                .collect(),
            folded: items()
                .filter(|item| item.folded)
                .map(|item| (item.path.clone(), item.lines))
                .collect(),
        }
    }
}

/// The 1-based rank of each gold file and gold function; `None` if it was not delivered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranks {
    /// In the order of `gold_files`.
    pub files: Vec<Option<usize>>,
    /// In the order of `gold_functions`.
    pub functions: Vec<Option<usize>>,
}

fn rank<T>(ranking: &[T], hit: impl Fn(&T) -> bool) -> Option<usize> {
    ranking.iter().position(hit).map(|position| position + 1)
}

/// Whether a ranked definition counts as a gold function: it lies within the function's lines, and covers at least
/// half of them or has its name. So a function nested in the gold one counts for it if it is the larger part, and a
/// class never counts for its method.
pub fn hits(place: &Location, gold: &GoldFunction) -> bool {
    let lines = gold.lines();
    place.path == gold.file
        && lines.covers(place.lines)
        && (2 * place.lines.count() >= lines.count()
            || own_name(&place.name) == own_name(&gold.name))
}

/// Returns the last part of a qualified name, in the notation of any language.
fn own_name(qualified: &str) -> &str {
    let start = qualified.rfind(['.', ':', '#', '/']).map_or(0, |at| at + 1);
    &qualified[start..]
}

/// Computes all scores of a case.
pub fn score(case: &Case, delivered: &DeliveredAnswer) -> (Ranks, Scores) {
    let file_rank = |gold: &String| rank(&delivered.files, |path| path == gold);
    let function_rank = |gold: &GoldFunction| rank(&delivered.functions, |place| hits(place, gold));
    let ranks = Ranks {
        files: case.gold_files.iter().map(file_rank).collect(),
        functions: case.gold_functions.iter().map(function_rank).collect(),
    };
    let mut scores = Scores::default();
    score_files(case, &ranks.files, delivered, &mut scores);
    if !case.gold_functions.is_empty() {
        scores.set(Metric::FunctionAcc(5), accuracy(&ranks.functions, 5));
        scores.set(Metric::FunctionAcc(10), accuracy(&ranks.functions, 10));
    }
    for (context, budget) in delivered.contexts.iter().zip(BUDGETS) {
        score_context(case, context, budget, &mut scores);
    }
    if let Some(intent) = &case.intent {
        scores.set(Metric::Intent, f64::from(*intent == delivered.intent));
    }
    (ranks, scores)
}

fn score_files(
    case: &Case,
    ranks: &[Option<usize>],
    delivered: &DeliveredAnswer,
    scores: &mut Scores,
) {
    for best in [1, 3, 5, 10] {
        scores.set(Metric::FileAcc(best), accuracy(ranks, best));
        scores.set(Metric::FileAny(best), f64::from(within(ranks, best) > 0));
    }
    let first = ranks.iter().flatten().min();
    scores.set(Metric::Mrr, first.map_or(0.0, |rank| 1.0 / *rank as f64));
    scores.set(Metric::Precision(3), within(ranks, 3) as f64 / 3.0);
    scores.set(Metric::Precision(10), within(ranks, 10) as f64 / 10.0);
    let recall = share(within(ranks, 10), case.gold_files.len());
    scores.set(Metric::Recall(10), recall);
    scores.set(Metric::Ndcg(10), ndcg(ranks, 10));
    let critical = match case.critical_files.as_slice() {
        [] => &case.gold_files,
        files => files,
    };
    let found = delivered.files.iter().take(3).any(|f| critical.contains(f));
    scores.set(Metric::Critical(3), f64::from(found));
}

/// Adds the scores of one context.
pub fn score_context(case: &Case, context: &Context, budget: usize, scores: &mut Scores) {
    scores.set(Metric::WrongFiles(budget), wrong_files(case, context));
    scores.set(Metric::Used(budget), context.used as f64);
    if !case.gold_functions.is_empty() {
        let shown = shown_share(case, context);
        scores.set(Metric::Shown(budget), shown);
        let efficiency = match context.used {
            0 => 0.0,
            used => shown * 1000.0 / used as f64,
        };
        scores.set(Metric::Efficiency(budget), efficiency);
    }
    score_edits(case, context, budget, scores);
}

/// Number of predictions of each ranking that count: those that a reader looks at.
const TOP_K: usize = 10;

/// Pairs the predictions of an answer with their outcomes. The answer's context is the last one delivered.
pub fn predictions(case: &Case, answer: &Answer, delivered: &DeliveredAnswer) -> Predictions {
    let prediction = |probability: f32, right: bool| Prediction {
        probability: f64::from(probability),
        right,
    };
    let files = answer.files.iter().take(TOP_K);
    let functions = answer.functions.iter().zip(&delivered.functions);
    let last = delivered.contexts.last();
    let confidence = last
        .filter(|_| !case.gold_functions.is_empty())
        .map(|context| prediction(answer.pack.confidence, shown_share(case, context) > 0.0));
    let places = answer.places.iter().take(TOP_K);
    let places = places.map(|place| prediction(place.probability, is_changed(case, place)));
    Predictions {
        files: files
            .map(|file| prediction(file.probability, case.gold_files.contains(&file.path)))
            .collect(),
        functions: functions
            .take(TOP_K)
            .map(|(listed, place)| prediction(listed.probability, is_gold(case, place)))
            .collect(),
        places: if case.edits.is_empty() {
            Vec::new()
        } else {
            places.collect()
        },
        confidence: confidence.into_iter().collect(),
    }
}

/// Whether a place is a gold function, or holds an edited line outside functions.
fn is_changed(case: &Case, place: &ListedPlace) -> bool {
    is_gold(case, &Location::from(place)) || is_edited_outside(case, &place.path, place.lines)
}

/// Whether a ranked definition counts as one of the gold functions.
pub fn is_gold(case: &Case, place: &Location) -> bool {
    case.gold_functions.iter().any(|gold| hits(place, gold))
}

/// Whether one of the lines was edited outside functions and imports; edits of imports follow from other edits.
pub fn is_edited_outside(case: &Case, path: &str, lines: Lines) -> bool {
    case.edits.iter().any(|edit| {
        !matches!(edit.inside, EnclosingKind::Import | EnclosingKind::Function)
            && edit.file == path
            && edit.lines().overlap(lines) > 0
    })
}

/// Scores the edited stretches, if they are known. Edits of imports do not count: they follow from other edits.
fn score_edits(case: &Case, context: &Context, budget: usize, scores: &mut Scores) {
    let edits = || {
        case.edits
            .iter()
            .filter(|edit| edit.inside != EnclosingKind::Import)
    };
    let is_shown = |edit: &&Edit| shows(context, &edit.file, edit.lines());
    let mut set = |metric: Metric, wanted: &dyn Fn(&&Edit) -> bool| {
        let of = || edits().filter(wanted);
        if of().next().is_some() {
            scores.set(metric, share(of().filter(is_shown).count(), of().count()));
        }
    };
    set(Metric::Edits(budget), &|_| true);
    set(Metric::EditsInside(budget), &|edit| {
        edit.inside == EnclosingKind::Function
    });
    set(Metric::EditsOutside(budget), &|edit| {
        edit.inside != EnclosingKind::Function
    });
    if case.edits.is_empty() && case.gold_functions.is_empty() {
        return;
    }
    let edited = case.edits.iter();
    let edited = edited.map(|edit| (&*edit.file, edit.lines()));
    let functions = case.gold_functions.iter();
    let functions = functions.map(|gold| (&*gold.file, gold.lines()));
    let gold = numbers(edited.chain(functions));
    let shown = numbers(context.lines.iter().map(|(path, lines)| (&**path, *lines)));
    let right = shown.intersection(&gold).count();
    scores.set(Metric::LinePrecision(budget), share(right, shown.len()));
    scores.set(Metric::LineRecall(budget), share(right, gold.len()));
}

/// Expands stretches to single lines, by file.
fn numbers<'a>(stretches: impl Iterator<Item = (&'a str, Lines)>) -> BTreeSet<(&'a str, u32)> {
    stretches
        .flat_map(|(path, lines)| (lines.start..=lines.end).map(move |line| (path, line)))
        .collect()
}

/// 1 if all gold results are within the first `k`, else 0; of more than `k` gold results, `k` hits suffice.
fn accuracy(ranks: &[Option<usize>], k: usize) -> f64 {
    f64::from(!ranks.is_empty() && within(ranks, k) >= ranks.len().min(k))
}

fn within(ranks: &[Option<usize>], k: usize) -> usize {
    ranks.iter().flatten().filter(|rank| **rank <= k).count()
}

/// Normalised discounted cumulative gain with binary relevance (Järvelin and Kekäläinen 2002):
/// the sum of 1 / log2(rank + 1) over the gold results found, divided by that of the best order.
fn ndcg(ranks: &[Option<usize>], k: usize) -> f64 {
    let gain = |rank: usize| 1.0 / (rank as f64 + 1.0).log2();
    let found: f64 = ranks
        .iter()
        .flatten()
        .filter(|rank| **rank <= k)
        .map(|rank| gain(*rank))
        .sum();
    let best: f64 = (1..=ranks.len().min(k)).map(gain).sum();
    if best > 0.0 { found / best } else { 0.0 }
}

/// Share of the gold functions of which every line is shown. A function with folded documentation counts if every
/// edited line in it is shown.
pub fn shown_share(case: &Case, context: &Context) -> f64 {
    let is_shown = |gold: &&GoldFunction| {
        shows(context, &gold.file, gold.lines()) || shows_edits(case, context, gold)
    };
    let shown = case.gold_functions.iter().filter(is_shown).count();
    share(shown, case.gold_functions.len())
}

fn shows_edits(case: &Case, context: &Context, gold: &GoldFunction) -> bool {
    let mut folded = context.folded.iter();
    let is_folded = folded.any(|(file, lines)| *file == gold.file && lines.covers(gold.lines()));
    let edits = case
        .edits
        .iter()
        .filter(|edit| edit.file == gold.file && gold.lines().overlap(edit.lines()) > 0);
    let mut edits = edits.peekable();
    is_folded
        && edits.peek().is_some()
        && edits.all(|edit| shows(context, &edit.file, edit.lines()))
}

/// Whether the shown stretches of a file together cover all of these lines.
fn shows(context: &Context, file: &str, lines: Lines) -> bool {
    let mut stretches: Vec<Lines> = context
        .lines
        .iter()
        .filter(|(path, _)| path == file)
        .map(|(_, lines)| *lines)
        .collect();
    stretches.sort();
    let mut next = lines.start;
    for stretch in stretches {
        if stretch.start <= next {
            next = next.max(stretch.end + 1);
        }
    }
    next > lines.end
}

/// Share of the files in the context that are not gold; 1 for an empty context, which shows no gold file.
fn wrong_files(case: &Case, context: &Context) -> f64 {
    let is_wrong = |path: &&String| !case.gold_files.contains(path);
    match context.files.len() {
        0 => 1.0,
        all => share(context.files.iter().filter(is_wrong).count(), all),
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

#[cfg(test)]
#[path = "score_tests.rs"]
mod tests;

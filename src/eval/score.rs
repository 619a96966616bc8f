//! Scores one answer against its case. Everything is scored on what was delivered: the ranked
//! lists as they came, and the lines that really stand in the context. A missing answer scores as
//! an empty one.

use std::collections::BTreeSet;

use foveate_model::Lines;
use foveate_query::Answer;
use foveate_query::assemble::{Fidelity, Pack};

use crate::eval::case::{Case, GoldFunction};
use crate::eval::metric::{Metric, Scores};

/// The budgets, in tokens, at which contexts are scored.
pub const BUDGETS: [usize; 3] = [2000, 4000, 8000];

/// What an answer delivered, as far as scores need it. `Default` is the empty answer.
#[derive(Clone, Debug, Default)]
pub struct Delivered {
    /// Paths of the ranked files, best first.
    pub files: Vec<String>,
    /// The ranked functions, best first.
    pub functions: Vec<Place>,
    /// Wire name of the detected intent.
    pub intent: String,
    /// The contexts at [`BUDGETS`].
    pub contexts: [Context; BUDGETS.len()],
}

/// A definition's place.
#[derive(Clone, Debug)]
pub struct Place {
    /// Path of its file.
    pub path: String,
    /// Qualified name.
    pub name: String,
    /// Where it stands.
    pub lines: Lines,
}

/// What stands in one context.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// Tokens used.
    pub used: usize,
    /// Every file that anything is shown of.
    pub files: BTreeSet<String>,
    /// Lines that are shown in full, by file.
    pub full: Vec<(String, Lines)>,
}

impl Delivered {
    /// Takes the rankings of `answer` and the contexts of all budgets.
    pub fn new(answer: &Answer, contexts: [Context; BUDGETS.len()]) -> Self {
        Self {
            files: answer.files.iter().map(|f| f.path.clone()).collect(),
            functions: answer
                .functions
                .iter()
                .map(|f| Place {
                    path: f.path.clone(),
                    name: f.name.clone(),
                    lines: f.lines,
                })
                .collect(),
            intent: answer.intent.kind.name().to_owned(),
            contexts,
        }
    }
}

impl From<&Pack> for Context {
    fn from(pack: &Pack) -> Self {
        let items = || pack.sections.iter().flat_map(|section| &section.items);
        Self {
            used: pack.used,
            files: items().map(|item| item.path.clone()).collect(),
            full: items()
                .filter(|item| item.fidelity == Fidelity::Full && !item.cut)
                .map(|item| (item.path.clone(), item.lines))
                .collect(),
        }
    }
}

/// The 1-based rank of each gold file and gold function; `None` where it was not delivered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranks {
    /// In the order of `gold_files`.
    pub files: Vec<Option<usize>>,
    /// In the order of `gold_functions`.
    pub functions: Vec<Option<usize>>,
}

impl Ranks {
    /// Finds the gold of `case` in what was delivered.
    pub fn find(case: &Case, delivered: &Delivered) -> Self {
        Self {
            files: case
                .gold_files
                .iter()
                .map(|gold| rank(&delivered.files, |path| path == gold))
                .collect(),
            functions: case
                .gold_functions
                .iter()
                .map(|gold| rank(&delivered.functions, |place| hits(place, gold)))
                .collect(),
        }
    }
}

fn rank<T>(ranking: &[T], hit: impl Fn(&T) -> bool) -> Option<usize> {
    ranking.iter().position(hit).map(|position| position + 1)
}

/// Whether a ranked definition stands for a gold function: it lies within the function's lines,
/// and covers at least half of them or has its name. So a function nested in the gold one counts
/// for it where it is the larger part, and a class never counts for its method.
pub fn hits(place: &Place, gold: &GoldFunction) -> bool {
    let lines = gold.lines();
    place.path == gold.file
        && lines.covers(place.lines)
        && (2 * place.lines.count() >= lines.count()
            || own_name(&place.name) == own_name(&gold.name))
}

/// The last part of a qualified name, in the notation of any language.
fn own_name(qualified: &str) -> &str {
    let start = qualified.rfind(['.', ':', '#', '/']).map_or(0, |at| at + 1);
    &qualified[start..]
}

/// All scores of a case.
pub fn score(case: &Case, delivered: &Delivered) -> (Ranks, Scores) {
    let ranks = Ranks::find(case, delivered);
    let mut scores = Scores::default();
    score_files(case, &ranks.files, delivered, &mut scores);
    if !case.gold_functions.is_empty() {
        scores.set(Metric::FunctionAcc5, accuracy(&ranks.functions, 5));
        scores.set(Metric::FunctionAcc10, accuracy(&ranks.functions, 10));
    }
    score_contexts(case, delivered, &mut scores);
    if let Some(intent) = &case.intent {
        scores.set(Metric::Intent, one_if(*intent == delivered.intent));
    }
    (ranks, scores)
}

fn score_files(case: &Case, ranks: &[Option<usize>], delivered: &Delivered, scores: &mut Scores) {
    scores.set(Metric::FileAcc1, accuracy(ranks, 1));
    scores.set(Metric::FileAcc3, accuracy(ranks, 3));
    scores.set(Metric::FileAcc5, accuracy(ranks, 5));
    scores.set(Metric::FileAcc10, accuracy(ranks, 10));
    scores.set(Metric::FileAny1, one_if(within(ranks, 1) > 0));
    scores.set(Metric::FileAny3, one_if(within(ranks, 3) > 0));
    scores.set(Metric::FileAny5, one_if(within(ranks, 5) > 0));
    scores.set(Metric::FileAny10, one_if(within(ranks, 10) > 0));
    let first = ranks.iter().flatten().min();
    scores.set(Metric::Mrr, first.map_or(0.0, |rank| 1.0 / *rank as f64));
    scores.set(Metric::Precision3, within(ranks, 3) as f64 / 3.0);
    scores.set(Metric::Precision10, within(ranks, 10) as f64 / 10.0);
    scores.set(
        Metric::Recall10,
        share(within(ranks, 10), case.gold_files.len()),
    );
    scores.set(Metric::Ndcg10, ndcg(ranks, 10));
    let critical = match case.critical_files.as_slice() {
        [] => &case.gold_files,
        files => files,
    };
    let found = delivered.files.iter().take(3).any(|f| critical.contains(f));
    scores.set(Metric::Critical3, one_if(found));
}

fn score_contexts(case: &Case, delivered: &Delivered, scores: &mut Scores) {
    const METRICS: [(Metric, Metric, Metric); BUDGETS.len()] = [
        (
            Metric::Shown2000,
            Metric::WrongFiles2000,
            Metric::Efficiency2000,
        ),
        (
            Metric::Shown4000,
            Metric::WrongFiles4000,
            Metric::Efficiency4000,
        ),
        (
            Metric::Shown8000,
            Metric::WrongFiles8000,
            Metric::Efficiency8000,
        ),
    ];
    for (context, (shown, wrong, efficiency)) in delivered.contexts.iter().zip(METRICS) {
        scores.set(wrong, wrong_files(case, context));
        if case.gold_functions.is_empty() {
            continue;
        }
        let share_shown = shown_share(case, context);
        scores.set(shown, share_shown);
        scores.set(efficiency, per_thousand(share_shown, context.used));
    }
}

/// 1 where all gold is within the first `k`; with more than `k` gold, `k` hits suffice.
fn accuracy(ranks: &[Option<usize>], k: usize) -> f64 {
    one_if(!ranks.is_empty() && within(ranks, k) >= ranks.len().min(k))
}

fn within(ranks: &[Option<usize>], k: usize) -> usize {
    ranks.iter().flatten().filter(|rank| **rank <= k).count()
}

/// Normalised discounted cumulative gain with binary relevance (Järvelin and Kekäläinen 2002):
/// the sum of 1 / log2(rank + 1) over the gold found, divided by that of the best order.
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

/// Share of the gold functions of which every line is shown in full.
fn shown_share(case: &Case, context: &Context) -> f64 {
    let shown = case
        .gold_functions
        .iter()
        .filter(|gold| is_shown(gold, context))
        .count();
    share(shown, case.gold_functions.len())
}

/// Whether the stretches shown of the file cover every line of the function together.
fn is_shown(gold: &GoldFunction, context: &Context) -> bool {
    let mut stretches: Vec<Lines> = context
        .full
        .iter()
        .filter(|(path, _)| *path == gold.file)
        .map(|(_, lines)| *lines)
        .collect();
    stretches.sort();
    let mut next = gold.start;
    for stretch in stretches {
        if stretch.start <= next {
            next = next.max(stretch.end + 1);
        }
    }
    next > gold.end
}

/// Share of the files in the context that are not gold; 1 for an empty context, which shows
/// nothing right.
fn wrong_files(case: &Case, context: &Context) -> f64 {
    let wrong = context
        .files
        .iter()
        .filter(|path| !case.gold_files.contains(path))
        .count();
    if context.files.is_empty() {
        1.0
    } else {
        share(wrong, context.files.len())
    }
}

/// Per 1,000 tokens delivered; 0 where nothing was.
fn per_thousand(value: f64, tokens: usize) -> f64 {
    if tokens == 0 {
        0.0
    } else {
        value * 1000.0 / tokens as f64
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

fn one_if(condition: bool) -> f64 {
    if condition { 1.0 } else { 0.0 }
}

#[cfg(test)]
#[path = "score_tests.rs"]
mod tests;

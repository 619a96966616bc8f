//! The whole query path, and what it returns.

use foveate_index::{DefId, FileId, Snapshot};
use foveate_model::{DefinitionKind, Lines, Role};

use crate::assemble::{self, Pack};
use crate::config::RankingConfig;
use crate::intent::{self, Intent};
use crate::rank;
use crate::request::Request;
use crate::resolve;
use crate::text::QueryText;

/// One reason for a score. The signals of a result sum up to its score.
#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    /// Its stable name.
    pub name: &'static str,
    /// What it adds.
    pub value: f32,
}

/// A file in the ranking.
#[derive(Clone, Debug)]
pub struct RankedFile {
    /// Which file.
    pub id: FileId,
    /// Where it is.
    pub path: String,
    /// Its role.
    pub role: Role,
    /// Sum of the signals.
    pub score: f32,
    /// Why it is here, largest first.
    pub signals: Vec<Signal>,
}

/// A function (or class without methods, or other definition) in the ranking.
#[derive(Clone, Debug)]
pub struct RankedFunction {
    /// Which definition.
    pub id: DefId,
    /// The file that it is in.
    pub path: String,
    /// Its qualified name.
    pub name: String,
    /// What it is.
    pub kind: DefinitionKind,
    /// Where it stands.
    pub lines: Lines,
    /// Sum of the signals.
    pub score: f32,
    /// Why it is here, largest first.
    pub signals: Vec<Signal>,
}

/// How a symbol of the query was found.
#[derive(Clone, Debug)]
pub struct ResolvedSymbol {
    /// The name in the query.
    pub name: String,
    /// Where in the query it stood and how it was matched: `backtick`, `traceback`, `fuzzy`, ….
    pub from: &'static str,
    /// The definitions, best first, as `path:qualified_name`.
    pub resolved: Vec<String>,
    /// How many definitions it may mean, those not listed in `resolved` included.
    pub total: usize,
}

/// Something that the answer could not do or that the reader should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// Stable code: `no_match`, `budget_too_small`, ….
    pub code: &'static str,
    /// One sentence for people.
    pub detail: String,
}

/// Milliseconds per stage, measured by the caller-supplied clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timings {
    /// Reading the query and detecting its intent.
    pub intent: f64,
    /// Resolving symbols.
    pub resolve: f64,
    /// Ranking.
    pub rank: f64,
    /// Assembling.
    pub assemble: f64,
}

/// What the reader must see.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What is asked for.
    pub intent: Intent,
    /// The symbols of the query.
    pub symbols: Vec<ResolvedSymbol>,
    /// Ranked files: the first `limit` of the order, which does not depend on the budget.
    pub files: Vec<RankedFile>,
    /// Ranked functions, likewise.
    pub functions: Vec<RankedFunction>,
    /// The context, what is in it, and what did not fit.
    pub pack: Pack,
    /// What the reader should know.
    pub issues: Vec<Issue>,
    /// Milliseconds per stage.
    pub timings: Timings,
}

/// Answers `request` from `snapshot`. `now` gives milliseconds of a monotonic clock and is used for
/// `timings` alone, so that the rest of the answer depends on nothing but its inputs.
pub fn answer(
    snapshot: &Snapshot,
    request: &Request,
    config: &RankingConfig,
    now: &dyn Fn() -> f64,
) -> Answer {
    let start = now();
    let text = QueryText::parse(&request.query);
    let intent = intent::detect(&text, request.intent);
    let detected = now();
    let candidates = resolve::resolve(snapshot, &text, &request.focus, &config.resolve);
    let resolved = now();
    let ranked = rank::rank(snapshot, &text, &candidates, &config.rank);
    let done = now();
    let mut issues = Vec::new();
    if ranked.files.is_empty() {
        issues.push(Issue {
            code: "no_match",
            detail: "nothing in the repository matches the words of the query".to_owned(),
        });
    }
    let mut pack = assemble::assemble(snapshot, request, &intent, &candidates, &ranked, config);
    issues.append(&mut pack.notes);
    let end = now();
    let mut files = ranked.files;
    let mut functions = ranked.functions;
    files.truncate(request.limit);
    functions.truncate(request.limit);
    Answer {
        intent,
        symbols: candidates.symbols,
        files,
        functions,
        pack,
        issues,
        timings: Timings {
            intent: detected - start,
            resolve: resolved - detected,
            rank: done - resolved,
            assemble: end - done,
        },
    }
}

//! Runs the whole query path, and defines the answer that it returns.

use foldhash::HashMap;
use foveate_index::{FileId, Files, Snapshot};

use crate::assemble::{self, Pack, StageResults};
use crate::config::RankingConfig;
use crate::deadline::Deadline;
use crate::intent::{self, Intent, IntentKind};
use crate::issue::{Issue, IssueCode};
use crate::rank::{self, ListedFile, ListedPlace, Ranked, RankedFile, RankedPlace, WordHits};
use crate::request::{Hunk, Request};
use crate::resolve::{self, ListedSymbol, Resolution, ResolvedSymbol};
use crate::text::QueryText;
use crate::{tokenizer, unsafe_text};

/// Milliseconds per stage, measured by the caller-supplied clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timings {
    /// Parsing the query and detecting its intent.
    pub intent: f64,
    /// Resolving symbols, and searching the words in parallel.
    pub resolve: f64,
    /// Ranking files, functions and places.
    pub rank: f64,
    /// Assembling and rendering the context.
    pub assemble: f64,
}

/// The answer to one request.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What is asked for.
    pub intent: Intent,
    /// The symbols of the query.
    pub symbols: Vec<ListedSymbol>,
    /// Ranked files: the first `limit` of the order, which does not depend on the budget.
    pub files: Vec<ListedFile>,
    /// Ranked functions, likewise.
    pub functions: Vec<ListedPlace>,
    /// Ranked places, everything that can be edited, likewise.
    pub places: Vec<ListedPlace>,
    /// The assembled context, its items, and what did not fit.
    pub pack: Pack,
    /// Problems and limits of this answer that the reader should know.
    pub issues: Vec<Issue>,
    /// Milliseconds per stage.
    pub timings: Timings,
}

impl Answer {
    /// Iterates over the paths and names that it takes from the repository.
    fn names(&self) -> impl Iterator<Item = &str> {
        let symbols = self.symbols.iter().flat_map(|symbol| &symbol.resolved);
        let files = self.files.iter().map(|file| &file.path);
        let functions = self.functions.iter().flat_map(|f| [&f.path, &f.name]);
        let places = self.places.iter().flat_map(|p| [&p.path, &p.name]);
        let items = self.pack.sections.iter().flat_map(|section| &section.items);
        let items = items.flat_map(|item| [&item.path, &item.name]);
        let dropped = self.pack.dropped.iter().flat_map(|d| [&d.path, &d.name]);
        let names = symbols.chain(files).chain(functions).chain(places);
        names.chain(items).chain(dropped).map(String::as_str)
    }
}

/// Builds the lazy tables of the intent rules and of the tokenizer, so that the first answer need not wait for them.
pub fn warm() {
    // A question and an order together use all tables.
    for text in ["How does it work?", "Add a test for it"] {
        intent::detect(&QueryText::parse(text), None);
    }
    tokenizer::warm();
}

/// Answers `request` from `snapshot`. A second thread of the current rayon pool is used if one is idle; the answer
/// does not depend on that. `now` returns milliseconds of a monotonic clock and is used for `timings` alone, so that
/// the rest of the answer depends only on its inputs. Exception: once the `deadline` has passed, the answer lacks
/// what its issue `deadline` names.
pub fn answer(
    snapshot: &Snapshot,
    request: &Request,
    config: &RankingConfig,
    deadline: &Deadline,
    now: &dyn Fn() -> f64,
) -> Answer {
    let start = now();
    let request = request.without_review_words();
    let request = &*request;
    let text = request.text();
    let intent = intent(&text, request);
    let detected = now();
    let (words, resolution) = rayon::join(
        || WordHits::search(snapshot, &text, &config.rank, deadline),
        || resolve::resolve(snapshot, &text, request, &config.resolve, deadline),
    );
    let resolved = now();
    let mut ranked = rank::rank(
        snapshot,
        words,
        &resolution,
        intent.profile(),
        &config.rank,
        request.limit,
    );
    let scored = now();
    let mut issues = issues_of_ranking(&mut ranked, &resolution, request, &snapshot.files);
    let found = StageResults {
        intent: &intent,
        resolution: &resolution,
        ranked: &ranked,
    };
    let mut pack = assemble::assemble(snapshot, request, found, &config.assemble, deadline);
    issues.append(&mut pack.issues);
    issues.extend(deadline.issue());
    let files = &snapshot.files;
    let max_definitions = config.resolve.max_listed_definitions;
    let symbols = listed_symbols(resolution.symbols, &ranked.files, files, max_definitions);
    let (files, functions, places) = listed(ranked, files, &resolution.changed, request.limit);
    let mut answer = Answer {
        intent,
        symbols,
        files,
        functions,
        places,
        pack,
        issues,
        timings: Timings::default(),
    };
    let unsafe_names = unsafe_text::in_names(answer.names());
    answer.issues.extend(unsafe_names);
    answer.timings = Timings {
        intent: detected - start,
        resolve: resolved - detected,
        rank: scored - resolved,
        assemble: now() - scored,
    };
    answer
}

/// Returns the issues of what is known before the context is assembled.
fn issues_of_ranking(
    ranked: &mut Ranked,
    resolution: &Resolution,
    request: &Request,
    files: &Files,
) -> Vec<Issue> {
    let mut issues = std::mem::take(&mut ranked.issues);
    issues.extend(resolution.unknown_focus());
    issues.extend(no_match(ranked, request, files));
    issues
}

/// Returns the issue `no_match` if no file was found and no change was given.
fn no_match(ranked: &Ranked, request: &Request, files: &Files) -> Option<Issue> {
    if !ranked.files.is_empty() || request.has_change() {
        return None;
    }
    let detail = if files.is_empty() {
        "the repository has no files at this revision"
    } else if request.query.trim().is_empty() {
        "the query has no words, and there is no change to ask about"
    } else if files.ids().all(|file| files.content(file).is_none()) {
        "no file of the repository has text to search: all are binary, or skipped for another reason"
    } else {
        "nothing in the repository matches the words of the query; the name of a function or a file, or an error \
         message, as the repository spells it would help"
    };
    Some(Issue::new(IssueCode::NoMatch, detail))
}

/// Lists the symbols of the query, each with at most `max_definitions`, those in the best of the `ranked` files first.
fn listed_symbols(
    symbols: Vec<ResolvedSymbol>,
    ranked: &[RankedFile],
    files: &Files,
    max_definitions: usize,
) -> Vec<ListedSymbol> {
    let ranks = ranked.iter().enumerate();
    let ranks: HashMap<FileId, usize> = ranks.map(|(rank, file)| (file.id, rank)).collect();
    let listed = |symbol: ResolvedSymbol| symbol.listed(files, &ranks, max_definitions);
    symbols.into_iter().map(listed).collect()
}

/// Returns the first `limit` entries of each ranking.
fn listed(
    ranked: Ranked,
    files: &Files,
    changed: &[(FileId, Hunk)],
    limit: usize,
) -> (Vec<ListedFile>, Vec<ListedPlace>, Vec<ListedPlace>) {
    let functions = ranked.functions.into_iter().take(limit);
    let places = ranked.places.into_iter().take(limit);
    let listed_files = ranked.files.into_iter().take(limit);
    let with_changes = |place: RankedPlace| ListedPlace {
        changed: assemble::changed_ranges(files, changed, &place),
        ..place.listed(files)
    };
    (
        listed_files.map(|file| file.listed(files)).collect(),
        functions.map(|function| function.listed(files)).collect(),
        places.map(with_changes).collect(),
    )
}

/// Determines the intent. A request with a change but without text asks for the code related to the change, as a
/// refactoring does.
fn intent(text: &QueryText, request: &Request) -> Intent {
    let is_silent = request.query.trim().is_empty() && request.has_change();
    match request.intent {
        None if is_silent => Intent::certain(IntentKind::Refactor, "change"),
        requested => intent::detect(text, requested),
    }
}

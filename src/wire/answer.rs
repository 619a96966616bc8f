//! Defines the answer to a question, as JSON. Start at [`ContextAnswer::new`].

use foveate_model::escape::escape;
use foveate_query::assemble::{Dropped, Item, Pack, Section};
use foveate_query::rank::{ListedFile, ListedPlace, Signal};
use foveate_query::resolve::ListedSymbol;
use foveate_query::{Intent, Issue, Timings};
use serde::Serialize;
use utoipa::ToSchema;

use crate::engine::AnswerWithSnapshot;
use crate::telemetry::round_milliseconds;

/// The code that the reader must see, and how it was chosen.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContextAnswer {
    /// Id of the request, as in the `x-request-id` header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// Name of the repository.
    pub repo: String,
    /// The searched commit; of a working tree, its `HEAD`. Empty if there is none.
    pub commit: String,
    /// Number of indexes published so far for what was searched.
    pub generation: u64,
    /// The intent that was recognized in the query.
    pub intent: IntentAnswer,
    /// The names in the query and the definitions they were resolved to.
    pub symbols: Vec<SymbolAnswer>,
    /// The ranking of files, independent of the budget.
    pub files: Vec<FileAnswer>,
    /// The ranking of functions, independent of the budget.
    pub functions: Vec<FunctionAnswer>,
    /// The ranking of everything that can be edited, independent of the budget.
    pub places: Vec<PlaceAnswer>,
    /// Probability that a right place is shown whole in `context`, 0 to 1.
    pub confidence: f32,
    /// The contents of `context`.
    pub sections: Vec<SectionAnswer>,
    /// The context itself, in the requested format.
    pub context: String,
    /// Token counts of `context`.
    pub tokens: TokensAnswer,
    /// State of the searched files.
    pub tree: TreeAnswer,
    /// Relevant code that is not in `context`.
    pub dropped: Vec<DroppedAnswer>,
    /// Milliseconds per stage.
    pub timings_ms: TimingsAnswer,
    /// Notes for the reader.
    pub issues: Vec<IssueAnswer>,
}

/// A recognized intent.
#[derive(Debug, Serialize, ToSchema)]
pub struct IntentAnswer {
    /// Name of the intent.
    pub kind: String,
    /// 0 to 1; 1 if the request named the intent.
    pub confidence: f32,
    /// The rules that fired.
    pub signals: Vec<String>,
}

/// A name in the query.
#[derive(Debug, Serialize, ToSchema)]
pub struct SymbolAnswer {
    /// As written in the query.
    pub name: String,
    /// Where in the query it was found, or how it was matched: `inline_code`, `title`, `prose`, `error_message`,
    /// `code_block`, `import`, `literal` (a string literal of the code has it), `traceback` (a stack frame), `line` (of a
    /// file), `word` or joined `words` of the title, `fuzzy` or `words_fuzzy` (a similar spelling), or `focus`.
    pub from: String,
    /// Definitions as `path:qualified_name`, those in the best files first.
    pub resolved: Vec<String>,
    /// Number of definitions that it may refer to, including those not listed.
    pub total: usize,
}

/// One reason for a score.
#[derive(Debug, Serialize, ToSchema)]
pub struct SignalAnswer {
    /// Name of the signal.
    pub name: String,
    /// Its contribution to the score.
    pub value: f32,
}

/// A ranked file.
#[derive(Debug, Serialize, ToSchema)]
pub struct FileAnswer {
    /// Path of the file.
    pub path: String,
    /// Sum of the signals.
    pub score: f32,
    /// Probability that the change touches it, 0 to 1.
    pub probability: f32,
    /// `source`, `test`, `documentation`, `configuration`, `generated` or `data`.
    pub role: String,
    /// The signals; absent if the request has `"signals": false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signals: Option<Vec<SignalAnswer>>,
}

/// A ranked function or other definition.
#[derive(Debug, Serialize, ToSchema)]
pub struct FunctionAnswer {
    /// Path of its file.
    pub path: String,
    /// Qualified name.
    pub name: String,
    /// `function`, `method`, `class`, ….
    pub kind: String,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// Sum of its signals.
    pub score: f32,
    /// Probability that the change touches it, 0 to 1.
    pub probability: f32,
    /// The signals; only with `explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signals: Option<Vec<SignalAnswer>>,
}

/// A ranked place: code that can be edited as one unit.
#[derive(Debug, Serialize, ToSchema)]
pub struct PlaceAnswer {
    /// Path of its file.
    pub path: String,
    /// Qualified name; of a stretch, that of its class or of its only definition. May be empty.
    pub name: String,
    /// `function`, `method`, `class`, `constant`, …, `section` (prose, settings) or `stretch`.
    pub kind: String,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// Lines that the diff changed in it, such as `12-15,20,deleted after line 31`; only if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<String>,
    /// Sum of its signals.
    pub score: f32,
    /// Probability that the change touches it, 0 to 1.
    pub probability: f32,
    /// The signals; only with `explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signals: Option<Vec<SignalAnswer>>,
}

/// One part of the context.
#[derive(Debug, Serialize, ToSchema)]
pub struct SectionAnswer {
    /// `definitions`, `snippets`, `imports`, `tests` or `callers`.
    pub name: String,
    /// Its share in tokens, before unused shares were redistributed.
    pub budget: usize,
    /// Tokens used.
    pub used: usize,
    /// Its items.
    pub items: Vec<ItemAnswer>,
}

/// One item of the context.
#[derive(Debug, Serialize, ToSchema)]
pub struct ItemAnswer {
    /// Path of its file.
    pub path: String,
    /// Qualified name; empty for a stretch of a file.
    pub name: String,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// Lines that the diff changed in it, such as `12-15,20,deleted after line 31`; only if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<String>,
    /// `compact`, `standard` or `full`.
    pub fidelity: String,
    /// Whether lines inside it were left out; the text marks where.
    pub cut: bool,
    /// The tokens of it alone. In the text, items of adjacent lines share their markup.
    pub tokens: usize,
    /// Why it is included, such as `uses Flask.url_for`.
    pub reason: String,
    /// Web link to its lines, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// The value to send back in `seen.places`, such as `src/app.py:10-40@9f2c01d4a7b35e68`, so that it is
    /// not shown again while it is unchanged; only if all of it is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen_as: Option<String>,
}

/// Token counts of the context.
#[derive(Debug, Serialize, ToSchema)]
pub struct TokensAnswer {
    /// The requested limit.
    pub budget: usize,
    /// Tokens of `context`, never above the budget.
    pub used: usize,
    /// Name of the tokenizer.
    pub tokenizer: String,
}

/// State of the searched files.
#[derive(Debug, Serialize, ToSchema)]
pub struct TreeAnswer {
    /// The commit.
    pub commit: String,
    /// Whether a working tree was searched that differs from the commit.
    pub dirty: bool,
    /// Changed files that were noticed but not indexed yet.
    pub pending_files: usize,
}

/// Relevant code that is not in the context.
#[derive(Debug, Serialize, ToSchema)]
pub struct DroppedAnswer {
    /// Path of its file.
    pub path: String,
    /// Qualified name; empty for a stretch of a file.
    pub name: String,
    /// First line, 1-based; missing for a whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_line: Option<u32>,
    /// Last line, inclusive; missing for a whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
    /// Tokens it would have taken; 0 if it could not be read.
    pub tokens: usize,
    /// `budget` (it does not fit into `budget_tokens`, `max_files` or `max_chars`), `low_value` (not likely enough for
    /// the `breadth`), `duplicate` (another body in `context` is nearly the same), or why the file is not indexed.
    pub reason: String,
}

/// Milliseconds per stage.
#[derive(Debug, Serialize, ToSchema)]
#[allow(missing_docs)]
pub struct TimingsAnswer {
    pub intent: f64,
    /// Resolving symbols, and the concurrent word search.
    pub resolve: f64,
    pub rank: f64,
    pub assemble: f64,
    /// From receiving the question to the answer, including waiting.
    pub total: f64,
}

/// A limitation of the answer, or a note for the reader.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct IssueAnswer {
    /// Stable: `no_match`, `low_confidence`, `unknown_focus`, `unknown_seen`, `skipped_files`, `unsafe_characters`,
    /// `degraded`, `deadline`, ….
    pub code: String,
    /// For people: one line, in which characters that are unsafe to display are escaped.
    pub detail: String,
}

impl From<Issue> for IssueAnswer {
    fn from(issue: Issue) -> Self {
        Self {
            code: issue.code.name().to_owned(),
            detail: escape(&issue.detail).into_owned(),
        }
    }
}

/// Request options that the answer depends on.
#[derive(Clone, Debug, Default)]
pub struct AnswerOptions {
    /// The request's id.
    pub request_id: Option<String>,
    /// The budget in tokens.
    pub budget_tokens: usize,
    /// Whether functions and places include their signals.
    pub explain: bool,
    /// Whether signals are included at all.
    pub signals: bool,
}

impl ContextAnswer {
    /// Converts an answer to its JSON form.
    pub fn new(answered: AnswerWithSnapshot, options: AnswerOptions) -> Self {
        let AnswerWithSnapshot {
            repo,
            snapshot,
            answer,
            pending_files,
            total_ms,
        } = answered;
        let revision = &snapshot.revision;
        let signals = options.signals;
        let explain = options.explain && signals;
        let Pack {
            context,
            sections,
            used,
            dropped,
            confidence,
            ..
        } = answer.pack;
        Self {
            request_id: options.request_id,
            repo,
            commit: revision.commit.clone(),
            generation: snapshot.generation,
            intent: intent(answer.intent),
            symbols: collected(answer.symbols, symbol),
            files: collected(answer.files, |f| file(f, signals)),
            functions: collected(answer.functions, |f| function(f, explain)),
            places: collected(answer.places, |p| place(p, explain)),
            confidence,
            sections: collected(sections, section),
            context,
            tokens: TokensAnswer {
                budget: options.budget_tokens,
                used,
                tokenizer: "o200k_base".to_owned(),
            },
            tree: TreeAnswer {
                commit: revision.commit.clone(),
                dirty: revision.dirty,
                pending_files,
            },
            dropped: collected(dropped, dropped_answer),
            timings_ms: timings(answer.timings, total_ms),
            issues: collected(answer.issues, Into::into),
        }
    }
}

fn collected<T, W>(things: Vec<T>, on_the_wire: impl FnMut(T) -> W) -> Vec<W> {
    things.into_iter().map(on_the_wire).collect()
}

fn intent(intent: Intent) -> IntentAnswer {
    IntentAnswer {
        kind: intent.kind.name().to_owned(),
        confidence: intent.confidence,
        signals: collected(intent.signals, str::to_owned),
    }
}

fn symbol(symbol: ListedSymbol) -> SymbolAnswer {
    SymbolAnswer {
        name: symbol.name,
        from: symbol.from.name().to_owned(),
        resolved: symbol.resolved,
        total: symbol.total,
    }
}

fn file(file: ListedFile, with_signals: bool) -> FileAnswer {
    FileAnswer {
        path: file.path,
        score: file.score,
        probability: file.probability,
        role: file.role.name().to_owned(),
        signals: with_signals.then(|| signals(file.signals)),
    }
}

fn function(function: ListedPlace, explain: bool) -> FunctionAnswer {
    FunctionAnswer {
        path: function.path,
        name: function.name,
        kind: function.kind.to_owned(),
        start_line: function.lines.start,
        end_line: function.lines.end,
        score: function.score,
        probability: function.probability,
        signals: explain.then(|| signals(function.signals)),
    }
}

fn place(place: ListedPlace, explain: bool) -> PlaceAnswer {
    PlaceAnswer {
        path: place.path,
        name: place.name,
        kind: place.kind.to_owned(),
        start_line: place.lines.start,
        end_line: place.lines.end,
        changed: place.changed,
        score: place.score,
        probability: place.probability,
        signals: explain.then(|| signals(place.signals)),
    }
}

fn signals(signals: Vec<Signal>) -> Vec<SignalAnswer> {
    collected(signals, |signal| SignalAnswer {
        name: signal.name.to_owned(),
        value: signal.value,
    })
}

fn section(section: Section) -> SectionAnswer {
    SectionAnswer {
        name: section.name.to_owned(),
        budget: section.budget,
        used: section.used,
        items: collected(section.items, item),
    }
}

fn item(item: Item) -> ItemAnswer {
    ItemAnswer {
        path: item.path,
        name: item.name,
        start_line: item.lines.start,
        end_line: item.lines.end,
        changed: item.changed,
        fidelity: item.fidelity.name().to_owned(),
        cut: item.cut,
        tokens: item.tokens,
        reason: item.reason,
        link: item.link,
        seen_as: item.seen_as,
    }
}

fn dropped_answer(dropped: Dropped) -> DroppedAnswer {
    DroppedAnswer {
        path: dropped.path,
        name: dropped.name,
        start_line: dropped.lines.map(|lines| lines.start),
        end_line: dropped.lines.map(|lines| lines.end),
        tokens: dropped.tokens,
        reason: dropped.reason.name().to_owned(),
    }
}

fn timings(stages: Timings, total: f64) -> TimingsAnswer {
    TimingsAnswer {
        intent: round_milliseconds(stages.intent),
        resolve: round_milliseconds(stages.resolve),
        rank: round_milliseconds(stages.rank),
        assemble: round_milliseconds(stages.assemble),
        total: round_milliseconds(total),
    }
}

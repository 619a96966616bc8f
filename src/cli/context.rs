//! `foveate context`: indexes a directory or a commit, answers one question and exits, without a server. The
//! index is cached for the next run ([`super::cache`]).

mod event;
mod evidence;
mod focus;
mod output;
mod remote;
mod text;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use foveate_index::Snapshot;
use foveate_model::SkipReason;
use foveate_parse::Limits;
use foveate_query::{Deadline, Issue, IssueCode, Request};

use self::evidence::{ComposedQuestion, EvidenceArgs};
use super::cache::{CacheArgs, RunCache};
use super::progress::ProgressThread;
use super::{NOTHING_FOUND, UsageError};
use crate::engine::{
    AnswerWithSnapshot, Diff, DiffEnds, Parsers, RepoName, answer_now, history_issue, this_program,
    without_git,
};
use crate::ingest::git::{GitError, HistoryLimits, HistoryStep};
use crate::ingest::one_shot::{self, BuiltIndex, OneShotIndexer, OneShotSettings, Repository};
use crate::wire::request::{Field, InvalidRequest, RawRequest};
use crate::wire::{BreadthName, FormatName, IntentName, diff_range, whole_number};

/// Time limit for reading the files that past commits touched. The next run continues from there if there is a
/// cache.
const FILES_TIMEOUT: Duration = Duration::from_secs(30);
/// Time limit for also reading the functions that past commits changed, when the user chose to wait.
const FUNCTIONS_TIMEOUT: Duration = Duration::from_secs(3600);

/// Answer one question about a directory or a commit, without a server.
#[derive(Debug, clap::Args)]
pub struct ContextArgs {
    /// A directory: a working tree, a plain directory or a bare repository; with --server, the name of a
    /// repository there.
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Issue text, question or stack trace, in quotes; `-` reads it from standard input. A text that begins with `-`
    /// must have more than one word, or follow `--`.
    #[arg(value_name = "TEXT")]
    query: Option<String>,
    #[command(flatten)]
    evidence: EvidenceArgs,
    /// Commit, branch or tag to answer from, instead of the current files.
    #[arg(long, value_name = "REF")]
    r#ref: Option<String>,
    /// A change to ask about, such as a pull request: what HEAD changed since it branched off BASE. Answers from
    /// HEAD. An end that is left out is the checked-out commit: `main..`.
    #[arg(long, value_name = "BASE..HEAD", value_parser = diff_range::ends)]
    diff: Option<DiffEnds>,
    #[command(flatten)]
    size: SizeArgs,
    /// Address of the repository on the web, such as `https://github.com/pallets/flask`, for links to
    /// the code that is shown.
    #[arg(long, value_name = "URL")]
    link_base: Option<String>,
    /// How to render the context.
    #[arg(
        long,
        default_value = "xml",
        ignore_case = true,
        hide_possible_values = true,
        value_name = "xml|markdown|json"
    )]
    format: FormatName,
    /// The intent, instead of detecting it: BUG_FIX, TEST_WRITING, REFACTOR, IMPLEMENTATION, USAGE_EXPLORATION,
    /// DEFINITION_LOOKUP or EXPLANATION.
    #[arg(
        long,
        ignore_case = true,
        hide_possible_values = true,
        value_name = "INTENT"
    )]
    intent: Option<IntentName>,
    /// Number of ranked files, functions and places to list, 1 to 100.
    #[arg(
        long,
        default_value_t = 20,
        value_parser = whole_number::parse::<u64>,
        value_name = "N"
    )]
    limit: u64,
    #[command(flatten)]
    hints: HintArgs,
    /// A ranking file to use instead of the built-in ranking numbers.
    #[arg(long, value_name = "FILE")]
    ranking: Option<PathBuf>,
    /// Print the whole answer as JSON instead of the context alone.
    #[arg(long)]
    json: bool,
    /// Write the output to this file instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print the ranking with its reasons on standard error; with --json, add the reasons of functions to the JSON.
    #[arg(long)]
    explain: bool,
    /// Wait until the functions that past commits changed have been read. Without it they are used only if the cache
    /// has all but a few of them; the files that commits touched are always used.
    #[arg(long)]
    wait_history: bool,
    /// Ask the server at this address instead of reading the files here.
    #[arg(long, value_name = "URL", conflicts_with_all = ["ranking", "wait_history"])]
    server: Option<String>,
    /// A file with the token to send in its first line; FOVEATE_TOKEN may hold the token itself.
    #[arg(long, env = "FOVEATE_TOKEN_FILE", value_name = "FILE")]
    token_file: Option<PathBuf>,
    #[command(flatten)]
    cache: CacheArgs,
}

/// The arguments that limit the size of the context.
#[derive(Debug, clap::Args)]
struct SizeArgs {
    /// Tokens (o200k_base) that the context may cost, 200 to 128000.
    #[arg(
        long,
        default_value_t = 8000,
        value_parser = whole_number::parse::<u64>,
        value_name = "TOKENS"
    )]
    budget: u64,
    /// How much of the budget to use: `precise` shows only what is likely to be changed, `balanced` what is worth
    /// its tokens, `wide` whatever fits.
    #[arg(
        long,
        default_value = "balanced",
        ignore_case = true,
        hide_possible_values = true,
        value_name = "precise|balanced|wide"
    )]
    breadth: BreadthName,
    /// Minimum probability (0 to 1) of the places to show, instead of the default of --breadth.
    #[arg(long, value_name = "P")]
    min_probability: Option<f32>,
    /// Maximum number of files in the context, 1 to 1000.
    #[arg(long, value_parser = whole_number::parse::<u64>, value_name = "N")]
    max_files: Option<u64>,
    /// Maximum number of characters in the context, 1000 to 10000000.
    #[arg(long, value_parser = whole_number::parse::<u64>, value_name = "N")]
    max_chars: Option<u64>,
}

/// The arguments that name code which matters, and code that the reader already has.
#[derive(Debug, clap::Args)]
struct HintArgs {
    /// A file in DIR that is known to matter: a path relative to DIR or to the current directory, or
    /// absolute. May be given more than once.
    #[arg(long, value_name = "PATH")]
    focus_path: Vec<String>,
    /// A definition that is known to matter. May be given more than once.
    #[arg(long, value_name = "NAME")]
    focus_symbol: Vec<String>,
    /// A file that the reader already has, so that it is not shown: a path as for --focus-path. May be given more
    /// than once.
    #[arg(long, value_name = "PATH")]
    seen_path: Vec<String>,
    /// A place that the reader already has: path:name of a definition, path:start-end of lines, or `seen_as` of an
    /// earlier answer. May be given more than once.
    #[arg(long, value_name = "PLACE")]
    seen_place: Vec<String>,
}

/// Indexes, answers, and prints the context on standard output and the rest on standard error.
///
/// # Errors
/// When the arguments cannot be used, or the directory cannot be read.
pub fn run(args: ContextArgs) -> anyhow::Result<ExitCode> {
    let start = Instant::now();
    args.output.as_deref().map(output::check_file).transpose()?;
    if let Some(server) = &args.server {
        return remote::run(&args, server);
    }
    let root =
        one_shot::canonical(&args.directory).map_err(|error| UsageError(error.to_string()))?;
    let asked = ComposedQuestion::gather(&args)?;
    let cache = RunCache::open(&args.cache, &root);
    let repository = Repository::of(root);
    let mut request = request(&args, &asked, &repository)?;
    let ranking = super::ranking(args.ranking.as_deref())?;
    let diff = asked.diff.as_ref().map(|ends| repository.diff(ends));
    let diff = diff.transpose()?;
    let git_issue = repository
        .error()
        .map(|error| without_git(&one_shot::explain(error)));
    let indexer = OneShotIndexer::new(settings(&args, repository, &cache, diff.as_ref()));
    let diff_issue = diff.as_ref().and_then(Diff::issue);
    if let Some(diff) = diff {
        diff.add_to(&mut request);
    }
    let progress = ProgressThread::start(indexer.progress());
    // The first answer needs these tables: they are loaded while the files are indexed.
    let tables = std::thread::spawn(foveate_query::warm);
    let indexed = indexer.index();
    progress.stop();
    let indexed = indexed?;
    let _ = tables.join();
    let snapshot = Arc::clone(&indexed.snapshot);
    let mut answer = answer_now(&snapshot, &request, &ranking, &Deadline::none());
    answer.issues.extend(git_issue);
    answer.issues.extend(missing_parts(&indexed));
    answer.issues.extend(diff_issue);
    let history_error = indexed.history_error.as_ref().map(history_reason);
    let history_issue = history_issue(&snapshot, &history_error.unwrap_or_default());
    answer.issues.extend(history_issue);
    let is_shown = !answer.pack.sections.is_empty();
    let unreadable = unreadable(&snapshot);
    let answered = AnswerWithSnapshot {
        repo: name_of(&args.directory).to_string(),
        snapshot: Arc::clone(&snapshot),
        answer,
        pending_files: 0,
        total_ms: start.elapsed().as_secs_f64() * 1000.0,
    };
    let printed = output::print(&args, &request, answered);
    cache.close(indexer.save(&indexed));
    printed?;
    if let Some(reason) = unreadable {
        anyhow::bail!("no file can be read: {reason}");
    }
    Ok(if is_shown {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(NOTHING_FOUND)
    })
}

/// Moves a text that begins with a hyphen to the end of the program's arguments, behind `--`, so that it is not parsed
/// as an option: pasted lists and diffs begin so, and no option has white space in its name. `None` if there is no
/// such text.
pub(super) fn with_text_last(arguments: &[OsString]) -> Option<Vec<OsString>> {
    let is_text = |argument: &OsString| {
        let text = argument.to_string_lossy();
        let name = text.split('=').next().unwrap_or_default();
        name.starts_with('-') && name.contains(char::is_whitespace)
    };
    if !is_context(arguments) || arguments.iter().any(|argument| argument == "--") {
        return None;
    }
    let mut arguments = arguments.to_vec();
    let text = arguments.remove(arguments.iter().position(is_text)?);
    arguments.extend(["--".into(), text]);
    Some(arguments)
}

/// Adds advice to the error of a text whose words are separate arguments. They are not joined: the shell may have
/// changed them, and they may be files that belong to an option.
pub(super) fn with_quoting_tip(arguments: &[OsString], mut error: clap::Error) -> clap::Error {
    let is_word = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(argument)) => !argument.starts_with('-'),
        _ => false,
    };
    if is_context(arguments) && error.kind() == ErrorKind::UnknownArgument && is_word {
        let tip = "quote the text: foveate context DIR \"url_for is broken\"";
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![tip.into()]),
        );
    }
    error
}

fn is_context(arguments: &[OsString]) -> bool {
    arguments.get(1).is_some_and(|command| command == "context")
}

/// Returns the issues of the parts of the repository that could not be read.
fn missing_parts(indexed: &BuiltIndex) -> impl Iterator<Item = Issue> {
    let issue = |detail: &String| Issue::new(IssueCode::MissingFiles, detail.as_str());
    indexed.missing_parts.iter().map(issue)
}

/// Returns why no file can be read; `None` if any can.
fn unreadable(snapshot: &Snapshot) -> Option<&str> {
    let files = snapshot.files.as_slice();
    if files.iter().any(|file| file.content.is_some()) {
        return None;
    }
    files.iter().find_map(|file| match &file.skipped {
        Some(SkipReason::Unreadable(reason) | SkipReason::UnreadableDirectory(reason)) => {
            Some(reason.as_str())
        }
        _ => None,
    })
}

fn settings(
    args: &ContextArgs,
    repository: Repository,
    cache: &RunCache,
    diff: Option<&Diff>,
) -> OneShotSettings {
    let (step, timeout) = if args.wait_history {
        (HistoryStep::Functions, FUNCTIONS_TIMEOUT)
    } else {
        (HistoryStep::Files, FILES_TIMEOUT)
    };
    OneShotSettings {
        repository,
        reference: diff.map(|diff| diff.head.clone()).or(args.r#ref.clone()),
        // The limits of a server, so that the answers are equal.
        history: HistoryLimits {
            timeout,
            ..HistoryLimits::default()
        },
        step,
        excluded: cache.path(),
        parsers: Parsers::in_workers(Limits::default(), this_program()),
        location: cache.location(),
    }
}

/// Explains why past commits could not be read, and what to do.
fn history_reason(error: &GitError) -> String {
    match error {
        GitError::Timeout {
            setting: "history.timeout_seconds",
            ..
        } => {
            "reading them took too long; the next run continues from there, and --wait-history waits \
             for them"
                .to_owned()
        }
        error => one_shot::explain(error),
    }
}

/// Validates the request. The length of the text is not limited: the user of the command line is trusted.
fn request(
    args: &ContextArgs,
    asked: &ComposedQuestion,
    repository: &Repository,
) -> anyhow::Result<Request> {
    let below = |field: Field, paths: &[String]| -> Result<Vec<String>, UsageError> {
        let paths = paths.iter();
        let paths = paths.map(|path| focus::path(field.argument(), repository.root(), path));
        paths.collect()
    };
    let raw = RawRequest {
        repo: Some(name_of(&args.directory).to_string()),
        query: asked.text.clone(),
        reference: args.r#ref.clone(),
        diff: asked.diff.clone(),
        budget_tokens: Some(args.size.budget),
        breadth: Some(args.size.breadth),
        min_probability: args.size.min_probability,
        max_files: args.size.max_files,
        max_chars: args.size.max_chars,
        link_base: asked.link_base.clone(),
        format: Some(args.format),
        intent: args.intent,
        limit: Some(args.limit),
        focus_paths: below(Field::FocusPaths, &args.hints.focus_path)?,
        focus_symbols: args.hints.focus_symbol.clone(),
        seen_paths: below(Field::SeenPaths, &args.hints.seen_path)?,
        seen_places: args.hints.seen_place.clone(),
    };
    let question = raw.validate(usize::MAX);
    let refuse = |error: InvalidRequest| UsageError(error.detail(error.field.argument()));
    let mut request = question.map_err(refuse)?.request;
    if let Some(page) = request.web_page.take() {
        request.web_page = Some(page.below(repository.directory().to_owned()));
    }
    Ok(request)
}

fn name_of(directory: &Path) -> RepoName {
    let real = std::fs::canonicalize(directory).unwrap_or_else(|_| directory.to_owned());
    let name = real.file_name().unwrap_or_default().to_string_lossy();
    RepoName::from_directory(&name)
}

//! `foveate feedback`: shows, exports and deletes recorded answers and their feedback. It works on the database
//! of a data directory, whether a server uses it or not.

use std::io::{self, Write as _};
use std::process::ExitCode;
use std::time::Duration;

use foveate_model::escape::{self, escape};
use indicatif::HumanDuration;
use serde_json::{Value, json};

use super::database::DatabaseArgs;
use super::{NOTHING_FOUND, print_json, stdout};
use crate::engine::RepoName;
use crate::store::{AnswerFilter, AnswerRow, FeedbackRow, Store, now_millis};
use crate::wire::whole_number;

/// Answers that are read from the database at a time.
const PAGE: u32 = 500;
const DAY_MS: i64 = 86_400_000;

/// Show, export and delete recorded answers and their feedback, also while a server runs.
#[derive(Debug, clap::Args)]
pub struct FeedbackArgs {
    #[command(flatten)]
    database: DatabaseArgs,
    #[command(subcommand)]
    command: FeedbackCommand,
}

#[derive(Debug, clap::Subcommand)]
enum FeedbackCommand {
    /// List the recorded answers, oldest first, with their feedback.
    List {
        /// Only answers from this repository.
        #[arg(long, value_name = "NAME", value_parser = RepoName::new)]
        repo: Option<RepoName>,
        /// Print JSON, without the rankings.
        #[arg(long)]
        json: bool,
    },
    /// Write all recorded answers to standard output, one JSON object a line, each with its ranking and its
    /// feedback.
    Export {
        /// Only answers from this repository.
        #[arg(long, value_name = "NAME", value_parser = RepoName::new)]
        repo: Option<RepoName>,
    },
    /// Delete answers with their feedback, and every trace of them in the database's files.
    Delete(DeleteArgs),
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct DeleteArgs {
    /// The answers to the request with this id.
    request_id: Option<String>,
    /// All answers from this repository, registered or not.
    #[arg(long, value_name = "NAME", value_parser = RepoName::new)]
    repo: Option<RepoName>,
    /// All answers that were given this many days ago or earlier.
    #[arg(long, value_parser = whole_number::parse::<u32>, value_name = "DAYS")]
    older_than: Option<u32>,
    /// All answers.
    #[arg(long)]
    all: bool,
}

/// Runs the command.
///
/// # Errors
/// When the data directory has no database, or the database fails.
pub fn run(args: &FeedbackArgs) -> anyhow::Result<ExitCode> {
    args.database.with_store(async |store| match &args.command {
        FeedbackCommand::List { repo, json } => list(store, repo.as_ref(), *json).await,
        FeedbackCommand::Export { repo } => export(store, repo.as_ref()).await,
        FeedbackCommand::Delete(which) => delete(store, which).await,
    })
}

/// Calls `take` with each answer, oldest first, and the feedback on it, one row for each origin.
///
/// # Errors
/// When the database fails, or `take` does.
pub async fn for_each(
    store: &Store,
    repo: Option<&RepoName>,
    mut take: impl FnMut(AnswerRow, Vec<FeedbackRow>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let repo = repo.map(RepoName::as_str);
    let mut after = 0;
    loop {
        let page = store.answers(after, repo, PAGE).await?;
        let (Some(first), Some(last)) = (page.first(), page.last()) else {
            return Ok(());
        };
        after = last.id;
        let mut feedback = store.feedback(first.id, last.id).await?;
        for answer in page {
            let (of_answer, others) = feedback.into_iter().partition(|f| f.answer == answer.id);
            feedback = others;
            take(answer, of_answer)?;
        }
    }
}

async fn list(store: &Store, repo: Option<&RepoName>, as_json: bool) -> anyhow::Result<ExitCode> {
    let mut out = stdout();
    let mut entries = Vec::new();
    let mut count = 0_u64;
    for_each(store, repo, |answer, feedback| {
        count += 1;
        if as_json {
            let mut value = to_json(&answer, &feedback);
            if let Some(fields) = value.as_object_mut() {
                fields.remove("ranking");
            }
            entries.push(value);
            return Ok(());
        }
        Ok(line(&mut out, &answer, &feedback)?)
    })
    .await?;
    if as_json {
        print_json(&mut out, &json!({ "answers": entries }))?;
    }
    match repo {
        // The name may be misspelt.
        Some(repo) if count == 0 => {
            let _ = writeln!(io::stderr(), "no answers are recorded for {repo}");
            Ok(ExitCode::from(NOTHING_FOUND))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

fn line(
    out: &mut impl io::Write,
    AnswerRow { answer, .. }: &AnswerRow,
    feedback: &[FeedbackRow],
) -> io::Result<()> {
    let age = Duration::from_millis(now_millis().abs_diff(answer.created_at));
    write!(
        out,
        "{}  {}  {}  confidence {:.2}, {} ago",
        escape(&answer.request_id),
        escape(&answer.repo),
        escape(answer.thread.as_deref().unwrap_or(&answer.intent)),
        answer.confidence,
        HumanDuration(age)
    )?;
    for given in feedback {
        let counts = &given.counts;
        write!(
            out,
            "; {} {}: {} of {} files and {} of {} functions in the context",
            given.source.name(),
            escape(&given.origin),
            counts.files_in_context,
            counts.files,
            counts.functions_in_context,
            counts.functions
        )?;
    }
    writeln!(out)
}

async fn export(store: &Store, repo: Option<&RepoName>) -> anyhow::Result<ExitCode> {
    let mut out = stdout();
    for_each(store, repo, |answer, feedback| {
        let text = serde_json::to_string(&to_json(&answer, &feedback))?;
        Ok(writeln!(out, "{}", escape::json(&text))?)
    })
    .await?;
    Ok(ExitCode::SUCCESS)
}

fn to_json(AnswerRow { answer, .. }: &AnswerRow, feedback: &[FeedbackRow]) -> Value {
    // These columns hold JSON: they are shown as JSON, not as strings.
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
    let feedback = feedback.iter().map(|given| {
        json!({
            "source": given.source.name(),
            "origin": given.origin,
            "created_at_ms": given.created_at,
            "useful": read(&given.useful),
            "changed": read(&given.changed),
            "comment": given.comment,
            "base_commit": given.base_commit,
            "files": given.counts.files,
            "files_in_context": given.counts.files_in_context,
            "functions": given.counts.functions,
            "functions_in_context": given.counts.functions_in_context,
        })
    });
    json!({
        "request_id": answer.request_id,
        "repo": answer.repo,
        "thread": answer.thread,
        "commit": answer.commit,
        "created_at_ms": answer.created_at,
        "intent": answer.intent,
        "confidence": answer.confidence,
        "used_tokens": answer.used_tokens,
        "query": answer.query,
        "ranking": read(&answer.ranking),
        "feedback": feedback.collect::<Vec<_>>(),
    })
}

async fn delete(store: &Store, which: &DeleteArgs) -> anyhow::Result<ExitCode> {
    let which = match (&which.request_id, &which.repo, which.older_than) {
        (Some(id), _, _) => AnswerFilter::WithRequestId(id),
        (_, Some(repo), _) => AnswerFilter::OfRepository(repo.as_str()),
        (_, _, Some(days)) => AnswerFilter::Before(now_millis() - i64::from(days) * DAY_MS),
        (None, None, None) => AnswerFilter::All,
    };
    let count = store.delete_answers(which).await?;
    if count > 0 {
        store.scrub().await?;
    }
    let plural = if count == 1 { "" } else { "s" };
    writeln!(stdout(), "{count} answer{plural} deleted")?;
    match (count, which) {
        (0, AnswerFilter::WithRequestId(_)) => Ok(ExitCode::from(NOTHING_FOUND)),
        _ => Ok(ExitCode::SUCCESS),
    }
}

//! `foveate jobs`: lists the jobs that webhooks queued, and retries failed ones. It reads the database of a
//! server, whether the server runs or not.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use foveate_model::escape::escape;
use indicatif::HumanDuration;
use serde_json::json;

use super::database::DatabaseArgs;
use super::{NotFound, print_json, stdout};
use crate::store::{JobRow, Store, now_millis};
use crate::wire::whole_number;

/// Show the jobs that webhooks queued, and retry those that were given up.
#[derive(Debug, clap::Args)]
pub struct JobsArgs {
    #[command(flatten)]
    database: DatabaseArgs,
    #[command(subcommand)]
    command: JobsCommand,
}

#[derive(Debug, clap::Subcommand)]
enum JobsCommand {
    /// List the pending jobs and those that were given up, oldest first.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Queue jobs again that were given up; a running server starts them within a second.
    Retry(RetryArgs),
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct RetryArgs {
    /// The number of a job, as `list` shows it.
    #[arg(value_parser = whole_number::parse::<i64>)]
    id: Option<i64>,
    /// All jobs that were given up.
    #[arg(long)]
    all: bool,
}

/// Runs the command.
///
/// # Errors
/// When the data directory has no database, or the database fails.
pub fn run(args: &JobsArgs) -> anyhow::Result<ExitCode> {
    args.database.with_store(async |store| match &args.command {
        JobsCommand::List { json } => list(store, *json).await,
        JobsCommand::Retry(which) => retry(store, which.id).await,
    })
}

async fn list(store: &Store, as_json: bool) -> anyhow::Result<ExitCode> {
    let jobs = store.jobs().await?;
    let mut out = stdout();
    if as_json {
        let jobs: Vec<_> = jobs.iter().map(to_json).collect();
        print_json(&mut out, &json!({ "jobs": jobs }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if jobs.is_empty() {
        writeln!(out, "no jobs are pending, and none were given up")?;
    }
    for job in &jobs {
        let age = HumanDuration(Duration::from_millis(now_millis().abs_diff(job.created_at)));
        let error = job
            .error
            .as_ref()
            .map(|error| format!(": {}", escape(error)));
        writeln!(
            out,
            "{}  {}  {}  queued {age} ago, {} attempts{}",
            job.id,
            state(job),
            escape(&job.subject),
            job.attempts,
            error.unwrap_or_default()
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

fn to_json(job: &JobRow) -> serde_json::Value {
    json!({
        "id": job.id,
        "state": state(job),
        "subject": job.subject,
        "attempts": job.attempts,
        "created_at_ms": job.created_at,
        "due_at_ms": job.due_at,
        "error": job.error,
    })
}

fn state(job: &JobRow) -> &'static str {
    match job.leased_until {
        _ if job.is_dead => "dead",
        Some(until) if until > now_millis() => "running",
        _ => "pending",
    }
}

async fn retry(store: &Store, id: Option<i64>) -> anyhow::Result<ExitCode> {
    let count = store.retry_jobs(id, now_millis()).await?;
    if let (0, Some(id)) = (count, id) {
        return Err(not_queued(store, id).await?.into());
    }
    writeln!(stdout(), "jobs queued again: {count}")?;
    Ok(ExitCode::SUCCESS)
}

/// Says why a job was not queued again.
async fn not_queued(store: &Store, id: i64) -> anyhow::Result<NotFound> {
    let jobs = store.jobs().await?;
    let reason = match jobs.iter().find(|job| job.id == id) {
        Some(job) => {
            let state = state(job);
            format!("job {id} is {state}: only a job that was given up can be queued again")
        }
        None => format!("there is no job {id}; `foveate jobs list` shows all jobs"),
    };
    Ok(NotFound(reason))
}

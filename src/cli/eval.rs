//! `foveate eval`: measures answers on cases with known answers, in process, and compares them with an earlier
//! run.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Context as _;
use foveate_model::escape::escape;
use indicatif::{ProgressBar, ProgressStyle};

use super::cases::{CaseArgs, WalkArgs};
use super::database::DatabaseArgs;
use super::{feedback_cases, stdout};
use crate::eval::aggregate::{CaseResult, Evaluation, FORMAT};
use crate::eval::case::Case;
use crate::eval::{compare, curve, report, run};
use crate::wire::BreadthName;

/// Measure answers on cases with known answers.
///
/// The cases come from files or, with --from-feedback, from the answers that a server recorded: the question,
/// and the places that were changed in the end. For the latter, the repositories are those of its data directory.
///
/// Each case's repository is indexed at the case's commit from its git objects; the commit's
/// ancestors are the only history that is used. A case whose repository or commit is missing
/// counts as a miss and is listed.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "foveate eval [OPTIONS] --repos <TEMPLATE> <CASES.jsonl>...
       foveate eval [OPTIONS] --from-feedback [--data-dir <DIR>]"
)]
pub struct EvalArgs {
    #[command(flatten)]
    cases: Option<CaseArgs>,
    /// Make the cases from the answers that a server recorded.
    #[arg(long, conflicts_with = "CaseArgs")]
    from_feedback: bool,
    #[command(flatten)]
    database: DatabaseArgs,
    #[command(flatten)]
    walk: WalkArgs,
    /// Write every case and all means as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Compare with the JSON of an earlier run, case by case.
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// A ranking file to use instead of the built-in ranking numbers or, with --from-feedback, the server's.
    #[arg(long, value_name = "FILE")]
    ranking: Option<PathBuf>,
    /// How much of the budget to use.
    #[arg(
        long,
        default_value = "balanced",
        ignore_case = true,
        hide_possible_values = true,
        value_name = "precise|balanced|wide"
    )]
    breadth: BreadthName,
    /// Also ask each case with other thresholds; print how much is shown for how many tokens, and draw the curve.
    #[arg(long, value_name = "FILE.svg")]
    curve: Option<PathBuf>,
    /// Exit with code 1 when a case has no answer.
    #[arg(long)]
    strict: bool,
}

/// Runs the cases, prints the report on standard output and progress on standard error.
///
/// # Errors
/// When an input cannot be read or an output cannot be written.
pub fn run(args: &EvalArgs) -> anyhow::Result<ExitCode> {
    let earlier = args.compare.as_ref().map(read_earlier).transpose()?;
    let (cases, walk) = match &args.cases {
        Some(cases) => cases.load(&args.walk)?,
        // The parser of arguments requires one of the two.
        None => feedback_cases::load(&args.database, &args.walk)?,
    };
    let file = match args.from_feedback {
        true => args.database.ranking_file(args.ranking.as_deref())?,
        false => args.ranking.clone(),
    };
    let ranking = super::ranking(file.as_deref())?;
    let options = run::Options {
        walk,
        ranking,
        breadth: args.breadth.into(),
        curve: args.curve.is_some(),
    };
    let progress = Progress::new(cases.len());
    let evaluation = run::run(&cases, &options, &|case, output| {
        progress.step(case, output)
    });
    progress.bar.finish_and_clear();
    // The files are written even if the report cannot be.
    let text = text(args, &evaluation, earlier.as_ref());
    let printed = stdout().write_all(text.as_bytes());
    write_files(args, &evaluation)?;
    let failed = evaluation.cases.iter().any(|case| case.failure.is_some());
    if args.strict && failed {
        return Ok(ExitCode::FAILURE);
    }
    printed?;
    Ok(ExitCode::SUCCESS)
}

fn text(args: &EvalArgs, evaluation: &Evaluation, earlier: Option<&Evaluation>) -> String {
    let mut text = report::render(evaluation);
    if args.curve.is_some() {
        text.push('\n');
        text.push_str(&curve::table(&evaluation.cases));
    }
    if let Some(earlier) = earlier {
        let changes = compare::compare(earlier, evaluation);
        text.push('\n');
        text.push_str(&compare::render(&changes));
        text.push_str(&compare::equal(earlier, evaluation));
    }
    text
}

fn write_files(args: &EvalArgs, evaluation: &Evaluation) -> anyhow::Result<()> {
    if let Some(path) = &args.curve {
        std::fs::write(path, curve::svg(&evaluation.cases))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let Some(path) = &args.json {
        let json = serde_json::to_vec_pretty(evaluation)?;
        std::fs::write(path, json).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn read_earlier(path: &PathBuf) -> anyhow::Result<Evaluation> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let earlier: Evaluation = serde_json::from_str(&text)
        .with_context(|| format!("{} is not the JSON of an evaluation", path.display()))?;
    anyhow::ensure!(
        earlier.format == FORMAT,
        "{} has format {}, but this version reads {FORMAT}: repeat the earlier run",
        path.display(),
        earlier.format
    );
    Ok(earlier)
}

/// A bar on a terminal, else a line every few cases.
struct Progress {
    bar: ProgressBar,
    done: AtomicUsize,
    right: AtomicUsize,
    failed: AtomicUsize,
}

/// Cases between two lines where there is no terminal.
const LINE_EVERY: usize = 25;

impl Progress {
    fn new(total: usize) -> Self {
        let bar = ProgressBar::new(total as u64);
        let template = "{bar:30} {pos}/{len} {elapsed} (eta {eta}) {msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self {
            bar,
            done: AtomicUsize::new(0),
            right: AtomicUsize::new(0),
            failed: AtomicUsize::new(0),
        }
    }

    fn step(&self, case: &Case, output: &Result<CaseResult, String>) {
        let count = |counter: &AtomicUsize, is_counted: bool| {
            let added = usize::from(is_counted);
            counter.fetch_add(added, Ordering::Relaxed) + added
        };
        let done = count(&self.done, true);
        let is_right = |result: &CaseResult| result.file_ranks.contains(&Some(1));
        let right = count(&self.right, output.as_ref().is_ok_and(is_right));
        let failed = count(&self.failed, output.is_err());
        let share = 100.0 * right as f64 / done as f64;
        let id = escape(&case.id);
        let message = format!("first file right {share:.1} %, {failed} failed, {id}");
        let total = self.bar.length().unwrap_or_default() as usize;
        if !self.bar.is_hidden() {
            self.bar.set_message(message);
            self.bar.inc(1);
        } else if done.is_multiple_of(LINE_EVERY) || done == total {
            // A closed standard error must not end the run.
            let _ = writeln!(std::io::stderr(), "{done}/{total}: {message}");
        }
    }
}

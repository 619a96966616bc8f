//! `foveate train`: fits the weights of the ranking's signals to cases with known answers, or to the
//! commits of one repository ([`own_commits`]).

mod own_commits;
mod ranking_file;
mod table;

use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::bail;
use foveate_model::escape::escape;
use foveate_query::RankingConfig;

use self::own_commits::AdjustedWeights;
use self::ranking_file::{CONFIDENCE_KEY, Fitted, FittedLine, Weights, calibration_key};
use self::table::{Table, reliability};
use super::cases::{CaseArgs, WalkArgs};
use super::database::DatabaseArgs;
use super::{UsageError, feedback_cases, stdout};
use crate::eval::case::Case;
use crate::eval::mine::Choice;
use crate::eval::train::Kind;
use crate::eval::train::calibrate::{Calibrated, calibrate, calibrate_confidence};
use crate::eval::train::examples::{self, Example};
use crate::eval::visit::Walk;
use crate::wire::whole_number;

/// Default of --strength, with which weights are pulled toward 0. Functions have ten times the candidates, and
/// signals that matter only beside others: those vanish when pulled as strongly as the signals of files.
fn default_strength(kind: Kind) -> f64 {
    match kind {
        Kind::Files => 0.01,
        Kind::Functions | Kind::Places => 0.001,
    }
}

/// Fit the weights of the ranking's signals to cases with known answers, to own commits, or to feedback.
///
/// From cases: each is indexed as by `eval`. The weights are those of a linear listwise model, pulled toward 0
/// with --strength; small regression trees then correct the files' sums. The accuracy is reported on repositories that
/// neither was fitted to. Since the
/// functions' signals depend on the order of the files, run it again after --write until nothing changes: twice
/// is enough.
///
/// From a repository's own commits, with --repo: each commit message is a question about the tree and history of
/// the commit's parent; its answer is the source files that the commit changed. The files' weights are adjusted,
/// pulled toward the present ones; their accuracy is reported on the newest fifth of the commits, with weights
/// fitted to the others. Functions keep their weights.
///
/// From the answers that a server recorded, with --from-feedback: likewise; the answer to a question is what was
/// changed in the end. The weights are only written if those fitted to the older four fifths are no worse on the
/// newest fifth than the present ones.
///
/// The weights are printed, and --write puts them into a file. They take effect only where `[ranking] file` of
/// the configuration or --ranking names that file.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "foveate train [OPTIONS] --repos <TEMPLATE> <CASES.jsonl>...
       foveate train [OPTIONS] --repo <PATH>
       foveate train [OPTIONS] --from-feedback [--data-dir <DIR>]
       foveate train [OPTIONS] --from-examples <FILE>..."
)]
pub struct TrainArgs {
    #[command(flatten)]
    cases: Option<CaseArgs>,
    /// Adjust the weights to the commits of this repository, bare or a clone, instead of cases.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["CaseArgs", "ablation"])]
    repo: Option<PathBuf>,
    /// Adjust the weights to the answers that a server recorded.
    #[arg(long, conflicts_with_all = ["CaseArgs", "repo", "ablation"])]
    from_feedback: bool,
    #[command(flatten)]
    database: DatabaseArgs,
    /// With --repo: how many commits to use, the newest ones. Merges, bots' commits, and those that change no source
    /// file or more than 5 are skipped.
    #[arg(
        long,
        default_value = "200",
        value_name = "N",
        conflicts_with = "CaseArgs"
    )]
    commits: NonZeroUsize,
    /// With --repo: commits whose messages have fewer words are skipped.
    #[arg(long, default_value = "3", value_parser = whole_number::parse::<usize>, value_name = "N", conflicts_with = "CaseArgs")]
    min_words: usize,
    #[command(flatten)]
    walk: WalkArgs,
    /// A ranking file to use instead of the built-in ranking numbers or, with --from-feedback, the server's.
    #[arg(long, value_name = "FILE")]
    ranking: Option<PathBuf>,
    /// How strongly the weights are pulled toward 0, with --repo and --from-feedback toward the present ones
    /// [default: 0.01 for files and 0.001 for functions, toward the present ones 0.03].
    #[arg(long, value_name = "NUMBER")]
    strength: Option<f64>,
    /// Write the weights into this ranking file and leave the rest of it as it is; if it does not exist, write
    /// them into a copy of the present numbers.
    #[arg(long, value_name = "RANKING.toml")]
    write: Option<PathBuf>,
    /// Also fit without each signal in turn.
    #[arg(long)]
    ablation: bool,
    /// Keep the weights, and fit only the lines that calibrate scores to probabilities.
    #[arg(long, conflicts_with_all = ["repo", "from_feedback", "strength", "ablation"])]
    calibration: bool,
    /// Keep the weights, and fit only the trees that correct the files' sums.
    #[arg(long, conflicts_with_all = ["repo", "from_feedback", "strength", "ablation", "calibration"])]
    interactions: bool,
    /// Write the candidates of all cases with their signals, one JSON object a line.
    #[arg(long, value_name = "FILE")]
    examples: Option<PathBuf>,
    /// Fit to the candidates that earlier runs wrote with --examples, instead of indexing cases.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["CaseArgs", "repo", "from_feedback", "examples"])]
    from_examples: Vec<PathBuf>,
}

/// Fits the weights, and prints them with their accuracy.
///
/// # Errors
/// When an input cannot be read or an output cannot be written.
pub fn run(args: &TrainArgs) -> anyhow::Result<ExitCode> {
    let file = match args.from_feedback {
        true => args.database.ranking_file(args.ranking.as_deref())?,
        false => args.ranking.clone(),
    };
    let ranking = super::ranking(file.as_deref())?;
    let examples = match args.from_examples.as_slice() {
        [] => {
            let (cases, walk) = load(args)?;
            collect(&cases, &walk, &ranking)
        }
        written => examples::read(written)?,
    };
    if let Some(path) = &args.examples {
        examples::write(path, &examples)?;
    }
    let mut report = String::new();
    let fitted = match &args.repo {
        _ if args.from_feedback => adjust(args, &examples, &ranking, "answers", &mut report)?,
        Some(_) => adjust(args, &examples, &ranking, "commits", &mut report)?,
        None if args.calibration => fit_lines(&examples, &ranking, &mut report),
        None if args.interactions => fit_trees(&examples, &ranking, &mut report),
        None => fit(args, &examples, &ranking, &mut report),
    };
    // The weights are written even if the report cannot be.
    let printed = stdout().write_all(report.as_bytes());
    if let Some(path) = &args.write {
        ranking_file::write(path, file.as_deref(), &fitted)?;
    }
    printed?;
    Ok(ExitCode::SUCCESS)
}

/// Loads the cases, from files, commits or recorded answers.
fn load(args: &TrainArgs) -> anyhow::Result<(Vec<Case>, Walk)> {
    match (&args.repo, &args.cases) {
        (Some(path), _) => {
            let choice = Choice {
                limit: args.commits.get(),
                min_words: args.min_words,
            };
            own_commits::load(path, choice, &args.walk)
        }
        (None, Some(cases)) => cases.load(&args.walk),
        (None, None) if args.from_feedback => feedback_cases::load(&args.database, &args.walk),
        // The parser of arguments accepts --commits alone.
        (None, None) => bail!(UsageError(
            "give files of cases with --repos, a repository with --repo, --from-examples, or --from-feedback"
                .to_owned()
        )),
    }
}

fn collect(cases: &[Case], walk: &Walk, ranking: &RankingConfig) -> Vec<Example> {
    let done = AtomicUsize::new(0);
    examples::collect(cases, walk, ranking, &|id, failure| {
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        let id = escape(id);
        // A closed standard error must not end the run.
        if let Some(why) = failure {
            let _ = writeln!(std::io::stderr(), "{id}: skipped: {}", escape(why));
        }
        if done.is_multiple_of(25) || done == cases.len() {
            let _ = writeln!(std::io::stderr(), "{done}/{}: {id}", cases.len());
        }
    })
}

/// Returns the kinds for which the examples have data, and reports the others.
fn known_kinds(examples: &[Example], report: &mut String) -> Vec<Kind> {
    let mut kinds = vec![Kind::Files, Kind::Functions];
    if examples.iter().any(|example| !example.places.is_empty()) {
        kinds.push(Kind::Places);
    } else {
        report.push_str("stretches are not fitted: give the edited lines with --edits\n");
    }
    kinds
}

/// Fits all tables of weights to cases of many repositories.
fn fit(
    args: &TrainArgs,
    examples: &[Example],
    ranking: &RankingConfig,
    report: &mut String,
) -> Fitted {
    let mut fitted = Fitted::default();
    for kind in known_kinds(examples, report) {
        let strength = args.strength.unwrap_or(default_strength(kind));
        let table = Table::fit(kind, examples, ranking, strength);
        report.push_str(&table.report());
        if args.ablation {
            report.push_str(&table.ablation(strength));
        }
        fitted.weights.push(table.weights);
        fitted.trees = table.trees.or(fitted.trees);
        fitted.lines.push(table.line);
    }
    fitted
}

/// Fits only the trees that correct the files' sums, and the line for the scores that result.
fn fit_trees(examples: &[Example], ranking: &RankingConfig, report: &mut String) -> Fitted {
    let table = Table::fit_trees(examples, ranking);
    report.push_str(&table.report());
    Fitted {
        weights: Vec::new(),
        trees: table.trees,
        lines: vec![table.line],
    }
}

/// Fits only the calibration lines, for the present weights.
fn fit_lines(examples: &[Example], ranking: &RankingConfig, report: &mut String) -> Fitted {
    let kinds = known_kinds(examples, report);
    let mut fitted = Fitted::default();
    let mut add = |path, (line, predictions): Calibrated| {
        let line = FittedLine { path, line };
        report.push_str(&format!("{}{}\n", line.report(), reliability(&predictions)));
        fitted.lines.push(line);
    };
    for kind in kinds {
        let present = Weights::present(kind, ranking).values;
        let repositories = examples.iter().map(|example| example.repo.as_str());
        let weights = repositories.map(|repo| (repo, present.clone())).collect();
        add(calibration_key(kind), calibrate(examples, kind, &weights));
    }
    if examples.iter().any(|example| example.shown.is_some()) {
        add(CONFIDENCE_KEY, calibrate_confidence(examples));
    }
    fitted
}

/// Adjusts the files' weights to the commits of one repository, or to recorded answers.
fn adjust(
    args: &TrainArgs,
    examples: &[Example],
    ranking: &RankingConfig,
    noun: &'static str,
    report: &mut String,
) -> anyhow::Result<Fitted> {
    let strength = args.strength.unwrap_or(own_commits::DEFAULT_STRENGTH);
    let own = AdjustedWeights::fit(examples, ranking, strength, noun)?;
    report.push_str(&own.report());
    if args.from_feedback && args.write.is_some() && own.is_worse() {
        let _ = stdout().write_all(report.as_bytes());
        bail!(
            "nothing was written: on the newest answers the adjusted weights are worse than the present ones"
        );
    }
    Ok(Fitted {
        weights: vec![own.weights],
        ..Fitted::default()
    })
}

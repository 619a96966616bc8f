//! `foveate train`: fits the weights of the ranking's signals to cases with known answers, or to the
//! commits of one repository ([`own_commits`]).

mod own_commits;

use std::collections::BTreeSet;
use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, bail};
use foveate_model::escape::escape;
use foveate_query::config::DEFAULT_RANKING;
use foveate_query::{RankingConfig, SignalValues};
use toml_edit::{DocumentMut, value};

use self::own_commits::AdjustedWeights;
use super::cases::{CaseArgs, WalkArgs};
use super::database::DatabaseArgs;
use super::stdout::Report;
use super::{UsageError, feedback_cases};
use crate::eval::calibration::{Prediction, Reliability};
use crate::eval::case::Case;
use crate::eval::sweep::Walk;
use crate::eval::train::calibrate::{Calibrated, Line, calibrate, calibrate_confidence};
use crate::eval::train::examples::{self, Example};
use crate::eval::train::{
    Accuracy, CUTOFFS, CorrectByCutoff, Kind, accuracy, fitted, fitted_to_others, held_out, rights,
    without,
};

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
/// with --strength; their accuracy is reported on repositories that they were not fitted to. Since the
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
       foveate train [OPTIONS] --from-feedback [--data-dir <DIR>]"
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
    /// Write the candidates of all cases with their signals, one JSON object a line.
    #[arg(long, value_name = "FILE")]
    examples: Option<PathBuf>,
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
    let (cases, walk) = load(args)?;
    let examples = collect(&cases, &walk, &ranking);
    if let Some(path) = &args.examples {
        examples::write(path, &examples)?;
    }
    let mut report = Report::default();
    let fitted = match &args.repo {
        _ if args.from_feedback => adjust(args, &examples, &ranking, "answers", &mut report)?,
        Some(_) => adjust(args, &examples, &ranking, "commits", &mut report)?,
        None if args.calibration => fit_lines(&examples, &ranking, &mut report),
        None => fit(args, &examples, &ranking, &mut report),
    };
    if let Some(path) = &args.write {
        write(path, file.as_deref(), &fitted)?;
    }
    report.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// Loads the cases, from files, commits or recorded answers.
fn load(args: &TrainArgs) -> anyhow::Result<(Vec<Case>, Walk)> {
    match (&args.repo, &args.cases) {
        _ if args.from_feedback => feedback_cases::load(&args.database, &args.walk),
        (Some(path), _) => own_commits::load(path, args.commits.get(), &args.walk),
        (None, Some(cases)) => cases.load(&args.walk),
        (None, None) => bail!(UsageError(
            "give files of cases with --repos, a repository with --repo, or --from-feedback"
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

/// The numbers that were fitted.
#[derive(Default)]
struct Fitted {
    weights: Vec<Weights>,
    lines: Vec<FittedLine>,
}

/// Returns the kinds for which the examples have data, and reports the others.
fn known_kinds(examples: &[Example], report: &mut Report) -> Vec<Kind> {
    let mut kinds = vec![Kind::Files, Kind::Functions];
    if examples.iter().any(|example| !example.places.is_empty()) {
        kinds.push(Kind::Places);
    } else {
        report.print("stretches are not fitted: give the edited lines with --edits\n");
    }
    kinds
}

/// Fits all tables of weights to cases of many repositories.
fn fit(
    args: &TrainArgs,
    examples: &[Example],
    ranking: &RankingConfig,
    report: &mut Report,
) -> Fitted {
    let mut fitted = Fitted::default();
    for kind in known_kinds(examples, report) {
        let strength = args.strength.unwrap_or(default_strength(kind));
        let table = Table::fit(kind, examples, ranking, strength);
        report.print(&table.report());
        if args.ablation {
            report.print(&table.ablation(strength));
        }
        fitted.weights.push(table.weights);
        fitted.lines.push(table.line);
    }
    fitted
}

/// Fits only the calibration lines, for the present weights.
fn fit_lines(examples: &[Example], ranking: &RankingConfig, report: &mut Report) -> Fitted {
    let kinds = known_kinds(examples, report);
    let mut fitted = Fitted::default();
    let mut add = |path, (line, predictions): Calibrated<'_>| {
        let line = FittedLine { path, line };
        report.print(&format!("{}{}\n", line.report(), reliability(&predictions)));
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
    report: &mut Report,
) -> anyhow::Result<Fitted> {
    let strength = args.strength.unwrap_or(own_commits::DEFAULT_STRENGTH);
    let own = AdjustedWeights::fit(examples, ranking, strength, noun)?;
    report.print(&own.report());
    if args.from_feedback && args.write.is_some() && own.is_worse() {
        bail!(
            "nothing was written: on the newest answers the adjusted weights are worse than the present ones"
        );
    }
    Ok(Fitted {
        weights: vec![own.weights],
        lines: Vec::new(),
    })
}

/// The weights of one kind of result.
struct Weights {
    kind: Kind,
    names: Vec<&'static str>,
    values: Vec<f64>,
}

/// A line that calibrates scores to probabilities, and its key in a ranking file.
struct FittedLine {
    path: [&'static str; 3],
    line: Line,
}

/// Returns the key of a ranking's calibration line in a ranking file.
fn calibration_key(kind: Kind) -> [&'static str; 3] {
    let key = match kind {
        Kind::Files => "file",
        Kind::Functions => "function",
        Kind::Places => "place",
    };
    ["rank", "calibration", key]
}

const CONFIDENCE_KEY: [&str; 3] = ["assemble", "confidence", "line"];

impl FittedLine {
    fn report(&self) -> String {
        let [above, table, key] = self.path;
        let Line { slope, intercept } = self.line;
        format!("[{above}.{table}]\n{key} = {{ slope = {slope:.3}, intercept = {intercept:.3} }}\n")
    }

    fn write(&self, document: &mut DocumentMut) -> anyhow::Result<()> {
        let [above, table, key] = self.path;
        let numbers = document[above][table][key].as_inline_table_mut();
        let numbers = numbers.with_context(|| format!("there is no {key} in [{above}.{table}]"))?;
        for (name, number) in [
            ("slope", self.line.slope),
            ("intercept", self.line.intercept),
        ] {
            numbers.insert(name, ((number * 1000.0).round() / 1000.0).into());
        }
        Ok(())
    }
}

/// The first signal of a place: the score of its function. Its weight is always 1.
const FUNCTION_SCORE: &str = "function_score";

impl Weights {
    /// Returns the weights of a ranking configuration.
    fn present(kind: Kind, ranking: &RankingConfig) -> Self {
        let rank = &ranking.rank;
        let (names, values) = match kind {
            Kind::Files => (SignalValues::FILE_SIGNALS, rank.file.as_slice()),
            Kind::Functions => (SignalValues::FUNCTION_SIGNALS, rank.function.as_slice()),
            Kind::Places => (SignalValues::STRETCH_SIGNALS, rank.stretch.as_slice()),
        };
        let mut names = names.to_vec();
        let mut values: Vec<f64> = values.iter().map(|weight| f64::from(*weight)).collect();
        if kind == Kind::Places {
            names.insert(0, FUNCTION_SCORE);
            values.insert(0, 1.0);
        }
        Self {
            kind,
            names,
            values,
        }
    }

    /// Returns the weights that a fit from scratch is pulled toward: 0, but 1 for a function's score.
    fn prior(&self) -> Vec<f64> {
        let of = |name: &&str| f64::from(u8::from(*name == FUNCTION_SCORE));
        self.names.iter().map(of).collect()
    }

    /// Returns other weights for the same signals, rounded as they are written. Those of stretches are divided by
    /// the fitted weight of the functions' scores, so that it is 1.
    fn with(&self, values: Vec<f64>) -> Self {
        let scale = match (self.kind, values.first()) {
            (Kind::Places, Some(scale)) if *scale > 0.0 => *scale,
            _ => 1.0,
        };
        Self {
            kind: self.kind,
            names: self.names.clone(),
            values: values
                .into_iter()
                .map(|weight| (weight / scale * 1000.0).round() / 1000.0)
                .collect(),
        }
    }

    /// Returns the key of the table of weights in a ranking file.
    fn key(&self) -> &'static str {
        match self.kind {
            Kind::Files => "file",
            Kind::Functions => "function",
            Kind::Places => "stretch",
        }
    }

    /// Iterates over the weights that a ranking file holds.
    fn written(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let all = self.names.iter().copied().zip(self.values.iter().copied());
        all.filter(|(name, _)| *name != FUNCTION_SCORE)
    }

    fn report(&self) -> String {
        let mut text = format!("[rank.{}]\n", self.key());
        for (name, weight) in self.written() {
            text.push_str(&format!("{name} = {weight:.3}\n"));
        }
        text
    }
}

/// Formats, per language, the held-out predictions of each case's first ten results beside their outcome.
fn reliability(predictions: &[(&str, Prediction)]) -> String {
    let languages: BTreeSet<&str> = predictions.iter().map(|(name, _)| *name).collect();
    let mut text = "\ncalibration, held out: predicted/right (number), in percent\n".to_owned();
    for language in languages {
        let of = predictions.iter().filter(|(name, _)| *name == language);
        let reliability = Reliability::of(of.map(|(_, prediction)| *prediction));
        text.push_str(&format!("{language:12} error {:.3} ", reliability.error()));
        for bin in reliability.bins.iter().filter(|bin| bin.count > 0) {
            let (predicted, right) = (bin.predicted * 100.0, bin.right * 100.0);
            text.push_str(&format!(" {predicted:.0}/{right:.0} ({})", bin.count));
        }
        text.push('\n');
    }
    text
}

/// The fitted weights of one kind, and their accuracy.
struct Table<'a> {
    weights: Weights,
    line: FittedLine,
    examples: &'a [Example],
    before: Vec<CorrectByCutoff>,
    held_out: Vec<CorrectByCutoff>,
    own: Vec<CorrectByCutoff>,
    predictions: Vec<(&'a str, Prediction)>,
}

impl<'a> Table<'a> {
    fn fit(kind: Kind, examples: &'a [Example], ranking: &RankingConfig, strength: f64) -> Self {
        let present = Weights::present(kind, ranking);
        let toward = present.prior();
        let of_others = fitted_to_others(examples, kind, &toward, strength);
        let (line, predictions) = calibrate(examples, kind, &of_others);
        let weights = present.with(fitted(examples, kind, &toward, strength));
        Self {
            examples,
            before: rights(examples, kind, &present.values),
            held_out: held_out(examples, kind, &of_others),
            own: rights(examples, kind, &weights.values),
            weights,
            line: FittedLine {
                path: calibration_key(kind),
                line,
            },
            predictions,
        }
    }

    /// Formats the held-out accuracy without each signal in turn.
    fn ablation(&self, strength: f64) -> String {
        let Weights { kind, names, .. } = &self.weights;
        let toward = self.weights.prior();
        let mut text = format!("{:28}{}\n", "without", cutoffs());
        for (signal, name) in names.iter().enumerate() {
            let rights = without(self.examples, *kind, &toward, strength, signal);
            let accuracy = accuracy(self.examples, &rights, |_| true);
            text.push_str(&format!("{name:28}{}\n", figures(&accuracy)));
        }
        text.push('\n');
        text
    }

    fn report(&self) -> String {
        let mut text = self.weights.report() + &self.line.report();
        text.push_str(&self.figures("all cases", &|_| true));
        let sets: BTreeSet<&str> = self.examples.iter().map(|e| e.set.as_str()).collect();
        for set in sets {
            text.push_str(&self.figures(set, &|e| e.set == set));
            let single = |e: &Example| e.set == set && e.single_file && e.gold[1] > 0;
            let label = format!("{set}, one file, functions known");
            text.push_str(&self.figures(&label, &single));
        }
        text.push_str(&reliability(&self.predictions));
        text.push('\n');
        text
    }

    fn figures(&self, label: &str, counts: &dyn Fn(&Example) -> bool) -> String {
        let accuracy = |rights: &[CorrectByCutoff]| accuracy(self.examples, rights, counts);
        let cases = accuracy(&self.before).cases;
        if cases == 0 {
            return String::new();
        }
        let mut text = format!("\n{:28}{}\n", format!("{label}: {cases}"), cutoffs());
        for (label, rights) in [
            ("present weights", &self.before),
            ("fitted, held out", &self.held_out),
            ("fitted, on the same cases", &self.own),
        ] {
            text.push_str(&format!("{label:28}{}\n", figures(&accuracy(rights))));
        }
        text
    }
}

fn cutoffs() -> String {
    let cutoffs = CUTOFFS.map(|cutoff| format!("{:>7}", format!("@{cutoff}")));
    cutoffs.concat()
}

fn figures(accuracy: &Accuracy) -> String {
    let figures = accuracy.at.map(|share| format!("{:>7.1}", share * 100.0));
    figures.concat()
}

/// Writes the fitted numbers into a ranking file. A new file starts as a copy of the present numbers.
fn write(path: &Path, ranking: Option<&Path>, fitted: &Fitted) -> anyhow::Result<()> {
    let text = match path.try_exists() {
        Ok(false) => ranking.map_or(Ok(DEFAULT_RANKING.to_owned()), read)?,
        _ => read(path)?,
    };
    let text = with_fitted(&text, fitted).with_context(|| format!("{}", path.display()))?;
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn read(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Replaces the fitted numbers in the text of a ranking file and keeps its comments.
fn with_fitted(text: &str, fitted: &Fitted) -> anyhow::Result<String> {
    let mut document: DocumentMut = text.parse()?;
    for weights in &fitted.weights {
        let Some(table) = document["rank"][weights.key()].as_table_mut() else {
            bail!("there is no table [rank.{}]", weights.key());
        };
        for (name, weight) in weights.written() {
            table[name] = value(weight);
        }
    }
    for line in &fitted.lines {
        line.write(&mut document)?;
    }
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_weights_are_read_back_and_comments_stay() {
        let ranking = RankingConfig::default();
        let tables = [Kind::Files, Kind::Functions].map(|kind| {
            let present = Weights::present(kind, &ranking);
            present.with(vec![0.125; present.names.len()])
        });
        let fitted = Fitted {
            weights: tables.into(),
            lines: Vec::new(),
        };
        let after = with_fitted(DEFAULT_RANKING, &fitted).unwrap();
        let comments = |text: &str| text.lines().filter(|l| l.starts_with('#')).count();
        assert_eq!(comments(&after), comments(DEFAULT_RANKING));
        let config = RankingConfig::parse(&after).unwrap();
        assert!(config.rank.file.as_slice().iter().all(|w| *w == 0.125));
        assert!(config.rank.function.as_slice().iter().all(|w| *w == 0.125));
        assert!(with_fitted("[rank]\n", &fitted).is_err());
    }

    #[test]
    fn missing_file_starts_with_present_numbers() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("own.toml");
        let ranking = RankingConfig::default();
        let files = Weights::present(Kind::Files, &ranking);
        let files = Fitted {
            weights: vec![files.with(vec![0.125; files.names.len()])],
            lines: Vec::new(),
        };
        write(&path, None, &files).unwrap();
        let config = super::super::ranking(Some(&path)).unwrap();
        assert!(config.rank.file.as_slice().iter().all(|w| *w == 0.125));
        let (now, before) = (&config.rank.function, &ranking.rank.function);
        assert_eq!(now.as_slice(), before.as_slice());
        assert!(write(&directory.path().join("none/own.toml"), None, &files).is_err());
    }
}

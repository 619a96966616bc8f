//! Composes the question from the text and the evidence of a CI job: the event that started it, test reports, logs.
//! Start at [`ComposedQuestion::gather`].

use std::fmt::Display;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use foveate_model::escape::escape;
use foveate_query::failure::junit::{self, JunitError, MAX_REPORT_BYTES};
use foveate_query::failure::{self, Failures, log};

use super::{ContextArgs, event, output, text};
use crate::cli::{NothingToAsk, UsageError};
use crate::engine::DiffEnds;

/// Maximum number of reports that are read from a directory.
const MAX_REPORTS: usize = 2_000;
/// Greatest depth of a report below a directory.
const MAX_DEPTH: usize = 8;
/// The argument that means standard input.
const STDIN: &str = "-";

/// The arguments that name the evidence of a CI job.
#[derive(Debug, Default, clap::Args)]
#[group(id = "evidence", multiple = true)]
pub struct EvidenceArgs {
    /// A test report in JUnit's XML, as most test runners write it: asks about its failed tests, with their names,
    /// messages and traces. In a directory, all reports are read. May be given more than once.
    #[arg(long, value_name = "FILE")]
    junit: Vec<PathBuf>,
    /// The log of a CI job, of any size, as text or compressed with gzip: asks about the traces and compiler errors
    /// in the step that failed, or else about its last lines; `-` reads it from standard input. May be given more
    /// than once.
    #[arg(long, value_name = "FILE")]
    log: Vec<PathBuf>,
    /// The event that started a GitHub Actions job, in the file `$GITHUB_EVENT_PATH`: asks about the issue and its
    /// comment, the pull request with its change and the text of a review, or the pushed change.
    #[arg(long, value_name = "FILE")]
    github_event: Option<PathBuf>,
}

#[derive(Debug, Default)]
pub(super) struct ComposedQuestion {
    pub(super) text: Option<String>,
    /// The change that is asked about.
    pub(super) diff: Option<DiffEnds>,
    /// The web address of the repository.
    pub(super) link_base: Option<String>,
}

impl ComposedQuestion {
    /// Reads everything that the arguments name. If there is nothing to ask, the output file becomes empty, as
    /// standard output is: the context of an earlier run would be taken for this one's.
    ///
    /// # Errors
    /// When something cannot be read, or nothing is asked.
    pub(super) fn gather(args: &ContextArgs) -> anyhow::Result<Self> {
        let asked = Self::read(args);
        if asked
            .as_ref()
            .is_err_and(|error| error.is::<NothingToAsk>())
            && let Some(path) = &args.output
        {
            output::write_file(path, &[])?;
        }
        asked
    }

    /// Reads everything that the arguments name. The text comes first, then the event's, then failures, because the
    /// first line becomes the title of the question.
    fn read(args: &ContextArgs) -> anyhow::Result<Self> {
        let EvidenceArgs {
            junit,
            log,
            github_event,
        } = &args.evidence;
        let has_evidence = !junit.is_empty() || !log.is_empty() || github_event.is_some();
        if args.query.is_none() && args.diff.is_none() && !has_evidence {
            let text = "nothing is asked: give a TEXT (`-` reads it from standard input), --diff, --junit, --log or --github-event";
            return Err(UsageError(text.to_owned()).into());
        }
        let reads = log.iter().filter(|path| is_stdin(path)).count();
        let reads = reads + usize::from(args.query.as_deref() == Some(STDIN));
        if reads > 1 {
            let text = "standard input can be read only once: give `-` for TEXT or for one --log, and files for the rest";
            return Err(UsageError(text.to_owned()).into());
        }
        let mut asked = Self {
            diff: args.diff.clone(),
            link_base: args.link_base.clone(),
            text: None,
        };
        let (mut texts, mut notes) = (Vec::new(), Vec::new());
        texts.extend(text_argument(args)?);
        if let Some(path) = github_event {
            let event = event::read(path)?;
            texts.extend(event.text);
            asked.diff = asked.diff.or(event.diff);
            let note = event.note.filter(|_| asked.diff.is_none());
            notes.extend(note.map(|note| format!("--github-event: {note}")));
            asked.link_base = asked.link_base.or(event.link_base);
        }
        if !junit.is_empty() {
            texts.extend(reports_question(junit, &mut notes)?);
        }
        for path in log {
            texts.extend(log_question(path, &mut notes)?);
        }
        let is_empty = texts.iter().all(|text| text.trim().is_empty());
        if is_empty && asked.diff.is_none() && !notes.is_empty() {
            return Err(NothingToAsk(notes.join("; ")).into());
        }
        print_notes(&notes);
        let text = texts.join("\n\n");
        asked.text = (!texts.is_empty()).then_some(text);
        Ok(asked)
    }
}

/// Prints on standard error what the question lacks.
fn print_notes(notes: &[String]) {
    use std::io::Write as _;
    let mut out = std::io::stderr().lock();
    for note in notes {
        let _ = writeln!(out, "note: {}", escape(note));
    }
}

/// Returns the text of the argument or of standard input.
fn text_argument(args: &ContextArgs) -> anyhow::Result<Option<String>> {
    if args.query.as_deref() != Some(STDIN) {
        return Ok(args.query.clone());
    }
    let mut input = Vec::new();
    text::open(std::io::stdin().lock())
        .and_then(|mut text| text.read_to_end(&mut input))
        .context("cannot read the query from standard input")?;
    Ok(Some(String::from_utf8_lossy(&input).into_owned()))
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == STDIN
}

/// Makes a question from the failed tests of reports; `None` if no test failed.
fn reports_question(paths: &[PathBuf], notes: &mut Vec<String>) -> anyhow::Result<Option<String>> {
    let mut failures = Failures::default();
    let mut count = 0;
    for path in paths {
        let is_directory = path.is_dir();
        let reports = match is_directory {
            true => reports_below(path)?,
            false => vec![path.clone()],
        };
        for report in reports {
            match read_report(&report, &mut failures) {
                // Other XML may lie beside the reports.
                Err(error)
                    if is_directory
                        && matches!(error.downcast_ref(), Some(JunitError::NoSuite)) => {}
                read => {
                    read.map_err(|error| refusal(&report, error))?;
                    count += 1;
                }
            }
        }
    }
    if count == 0 {
        notes.push(
            "--junit: the directory contains no report: pass the one that the test runner wrote to"
                .to_owned(),
        );
    } else if failures.total() == 0 {
        notes.push("--junit: no test failed in the report".to_owned());
    }
    Ok(question("--junit", &failures, notes))
}

/// Makes a question from the failures in a log, or else from its last lines.
fn log_question(path: &Path, notes: &mut Vec<String>) -> anyhow::Result<Option<String>> {
    let (name, log) = match is_stdin(path) {
        true => (
            "standard input".to_owned(),
            text::open(std::io::stdin().lock()),
        ),
        false => (
            path.display().to_string(),
            File::open(path).and_then(text::open),
        ),
    };
    let unread = || format!("--log: cannot read {name}");
    let log = log.map_err(|error| usage(unread(), error))?;
    let found = log::read(log).with_context(unread)?;
    if found.failures.total() > 0 {
        return Ok(question("--log", &found.failures, notes));
    }
    if found.tail.trim().is_empty() {
        notes.push("--log: the log is empty".to_owned());
        return Ok(None);
    }
    if found.has_succeeded {
        notes.push("--log: its last lines report success".to_owned());
        return Ok(None);
    }
    let lines = match found.tail.lines().count() {
        1 => "line".to_owned(),
        count => format!("{count} lines"),
    };
    notes.push(format!(
        "--log: no trace or error was recognised; the question is the last {lines}"
    ));
    Ok(Some(found.tail))
}

fn question(argument: &str, failures: &Failures, notes: &mut Vec<String>) -> Option<String> {
    let (text, shown) = failures.question(failure::MAX_BYTES);
    if shown < failures.total() {
        notes.push(format!(
            "{argument}: the question includes only {shown} of {} failures",
            failures.total()
        ));
    }
    (shown > 0).then_some(text)
}

fn refusal(path: &Path, error: impl Display) -> UsageError {
    usage(format!("--junit: cannot read {}", path.display()), error)
}

fn usage(what: String, error: impl Display) -> UsageError {
    UsageError(format!("{what}: {error}"))
}

fn read_report(path: &Path, failures: &mut Failures) -> anyhow::Result<()> {
    let mut bytes = Vec::new();
    let limit = MAX_REPORT_BYTES as u64 + 1;
    text::open(File::open(path)?)?
        .take(limit)
        .read_to_end(&mut bytes)?;
    if bytes.len() > MAX_REPORT_BYTES {
        let limit = MAX_REPORT_BYTES >> 20;
        bail!("it is larger than {limit} MiB: pass only the reports of the job that failed");
    }
    Ok(junit::read(&String::from_utf8_lossy(&bytes), failures)?)
}

/// Lists the XML files below a directory, sorted by path. Links are not followed.
fn reports_below(directory: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let walk = ignore::WalkBuilder::new(directory)
        .standard_filters(false)
        .max_depth(Some(MAX_DEPTH))
        .sort_by_file_path(Path::cmp)
        .build();
    let mut reports = Vec::new();
    for entry in walk {
        let entry = entry.map_err(|error| refusal(directory, error))?;
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        let extension = entry.path().extension();
        if is_file && extension.is_some_and(|extension| extension == "xml") {
            reports.push(entry.into_path());
        }
        if reports.len() > MAX_REPORTS {
            let text = format!(
                "--junit: {} holds more than {MAX_REPORTS} reports: pass only those of the failed job",
                directory.display()
            );
            return Err(UsageError(text).into());
        }
    }
    Ok(reports)
}

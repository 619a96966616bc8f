//! The past commits of a revision, bounded in size: messages, files and functions. What a commit
//! changed is read once and recorded ([`records`]); whether it counts for a revision, that is
//! whether it is an ancestor, is asked of git each time. Files come first and fast, functions need
//! every blob and come later, if at all. [`heads`] reads the messages, [`present`] puts it together.
//! Start at [`load`].

mod changes;
mod codec;
mod heads;
mod hunks;
mod names;
mod present;
mod record;
pub mod records;

use std::collections::{HashMap, HashSet};
use std::io::Write as _;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use foveate_model::{ObjectId, RepoPath, TouchedFunctions};
use sha1::{Digest, Sha1};
use tokio_util::sync::CancellationToken;

use super::access::read_start;
use super::process::{self, Patience};
use super::{GitError, GitRepo, stream};
use crate::engine::CommitHistory;
pub use changes::CommitChange;
use hunks::{Changed, HunksReader};
use names::{NamesReader, Renames};
use present::assemble;
use record::Names;
use records::Records;

/// Most that is read of the list of a shallow clone's edges, in bytes: those of 400,000.
const MAX_SHALLOW_BYTES: u64 = 1 << 24;

/// How much of the history is kept.
#[derive(Clone, Copy, Debug)]
pub struct HistoryLimits {
    /// Commits; merges are not counted, and only count where their message says what they bring.
    pub commits: usize,
    /// Newest of them whose functions are read.
    pub function_commits: usize,
    /// Bytes of one message; the rest is cut.
    pub message_bytes: usize,
    /// Paths of one commit. One that touched more (a reformatting, an import) keeps its message
    /// and no path: it says nothing about any of them.
    pub paths_per_commit: usize,
    /// Time for each step of reading.
    pub timeout: Duration,
}

impl Default for HistoryLimits {
    fn default() -> Self {
        Self {
            commits: 20_000,
            function_commits: 20_000,
            message_bytes: 4096,
            paths_per_commit: 200,
            timeout: Duration::from_secs(120),
        }
    }
}

/// How far to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Messages and files; functions where only few commits lack them.
    Files,
    /// Everything.
    Functions,
}

/// Counts the changes of which commits are taken for a history, and what of them.
const VERSION: u16 = 1;
/// Functions of so few commits are read along with the files.
const FEW: usize = 300;
/// Commits that one git is asked about: what was read is kept so often.
const BATCH: usize = 2000;

/// Reads the ancestors of a commit.
pub(super) fn load(
    repo: &GitRepo,
    commit: &str,
    limits: &HistoryLimits,
    records: &Records,
    (step, stop): (Step, &CancellationToken),
) -> Result<CommitHistory, GitError> {
    if limits.commits == 0 {
        return Ok(CommitHistory::default());
    }
    let reader = Reader {
        repo,
        limits,
        records,
        patience: patience(repo, limits, stop),
    };
    let _reading = records.begin(reader.settings(), limits.commits);
    let heads = reader.heads(commit)?;
    let shallow = reader.shallow()?;
    let known: Vec<ObjectId> = heads
        .iter()
        .map(|head| head.id)
        .filter(|id| !shallow.contains(id))
        .collect();
    reader.read_names(&known)?;
    let newest = &known[..known.len().min(limits.function_commits)];
    let functions = reader.read_functions(newest, step)?;
    // Of which commits some are known depends on what was asked before; an answer must not.
    let counted = match functions {
        TouchedFunctions::Reading => 0,
        TouchedFunctions::Read | TouchedFunctions::Unreadable => newest.len(),
    };
    Ok(CommitHistory {
        history: Arc::new(assemble(
            heads,
            (&known, counted),
            records,
            reader.files(commit)?,
        )),
        functions,
    })
}

/// All that the history of a commit depends on beside the objects of the repository, as a text: where it is
/// the same, so is the history, but for functions that were not read.
pub(super) fn key(
    repo: &GitRepo,
    commit: &str,
    limits: &HistoryLimits,
) -> Result<String, GitError> {
    let stop = CancellationToken::new();
    let reader = Reader {
        repo,
        limits,
        records: &Records::in_memory(),
        patience: patience(repo, limits, &stop),
    };
    let mut shallow: Vec<ObjectId> = reader.shallow()?.into_iter().collect();
    shallow.sort_unstable();
    let shallow: Vec<String> = shallow.iter().map(ObjectId::to_string).collect();
    let HistoryLimits {
        commits,
        function_commits,
        message_bytes,
        paths_per_commit,
        timeout: _,
    } = limits;
    let (prefix, records) = (&repo.prefix, codec::VERSION);
    Ok(format!(
        "{VERSION} {records} {commit} {commits} {function_commits} {message_bytes} \
         {paths_per_commit} {prefix:?} {shallow:?}"
    ))
}

/// What the ancestors of a commit changed, one by one: those of a range of positions, newest first.
pub(super) fn changes(
    repo: &GitRepo,
    commit: &str,
    positions: Range<usize>,
    stop: &CancellationToken,
) -> Result<Vec<CommitChange>, GitError> {
    let limits = HistoryLimits::default();
    let reader = Reader {
        repo,
        limits: &limits,
        records: &Records::in_memory(),
        patience: patience(repo, &limits, stop),
    };
    reader.changes(commit, positions)
}

fn patience<'a>(
    repo: &GitRepo,
    limits: &HistoryLimits,
    stop: &'a CancellationToken,
) -> Patience<'a> {
    Patience::new(stop, limits.timeout, "log", "history.timeout_seconds")
        .with_memory(repo.access.memory_bytes)
}

struct Reader<'a> {
    repo: &'a GitRepo,
    limits: &'a HistoryLimits,
    records: &'a Records,
    patience: Patience<'a>,
}

impl Reader<'_> {
    /// Hash of the settings that records depend on.
    fn settings(&self) -> u64 {
        let settings = format!("{} {}", self.limits.paths_per_commit, self.repo.prefix);
        let digest = Sha1::digest(settings);
        digest
            .iter()
            .take(8)
            .fold(0, |hash, byte| hash << 8 | u64::from(*byte))
    }

    /// The commits whose parents a shallow clone left out: what they changed cannot be told.
    fn shallow(&self) -> Result<HashSet<ObjectId>, GitError> {
        let mut command = self.repo.command()?;
        command.args([
            "rev-parse",
            "--path-format=absolute",
            "--git-path",
            "shallow",
        ]);
        let path = process::stdout(&mut command, &self.patience)?;
        let path = String::from_utf8_lossy(&path);
        let path = Path::new(path.trim_end_matches('\n'));
        let text = read_start(path, MAX_SHALLOW_BYTES).unwrap_or_default();
        Ok(text
            .split(|byte| *byte == b'\n')
            .filter_map(names::id)
            .collect())
    }

    /// The files at a commit.
    fn files(&self, commit: &str) -> Result<HashSet<RepoPath>, GitError> {
        let mut command = self.repo.command()?;
        command
            .args(["ls-tree", "-r", "-z", "--name-only", "--full-tree"])
            .args(["--end-of-options", &self.repo.tree_of(commit)]);
        let mut files = HashSet::new();
        let mut take = |path: &[u8]| {
            let path = std::str::from_utf8(path).ok();
            files.extend(path.and_then(|path| self.records.intern(path)));
        };
        stream::pieces(
            &mut command,
            b"",
            (0, names::LONGEST),
            &self.patience,
            &mut take,
        )?;
        Ok(files)
    }

    fn read_names(&self, commits: &[ObjectId]) -> Result<(), GitError> {
        let turn = &self.records.names_turn;
        let _turn = turn.lock();
        let missing = self.records.without_names(commits);
        self.records.want(missing.len());
        for batch in missing.chunks(BATCH) {
            let mut left = Left::new(batch);
            while let Some(asked) = left.next() {
                let run = self.names_of(asked, Renames::Found)?;
                self.records.add_names(run.done);
                left.ran(asked.len(), run.failed_at);
            }
            // Where blobs are missing, old names are not followed.
            let run = self.names_of(&left.lost, Renames::Ignored)?;
            self.records.add_names(run.done);
            run.failed_at.map_or(Ok(()), |failure| Err(failure.error))?;
        }
        Ok(())
    }

    fn names_of(&self, commits: &[ObjectId], renames: Renames) -> Result<Run<Names>, GitError> {
        let mut command = self.repo.command()?;
        names::add_arguments(&mut command, renames);
        command.args(["--name-status", "-z"]);
        self.add_prefix(&mut command, &[]);
        let mut intern = |path: &str| self.records.intern(path);
        let mut reader = NamesReader::new(self.limits.paths_per_commit, &mut intern);
        let end = (0, names::LONGEST);
        let ran = self.run(&mut command, commits, end, &mut |piece| reader.take(piece));
        let current = reader.current.as_ref().map(|(id, _)| *id);
        if ran.is_ok() {
            reader.finish();
        }
        Run::new(commits, reader.done, current, ran)
    }

    fn read_functions(
        &self,
        commits: &[ObjectId],
        step: Step,
    ) -> Result<TouchedFunctions, GitError> {
        let missing = self.records.without_functions(commits).len();
        if step == Step::Files && missing > FEW {
            return Ok(TouchedFunctions::Reading);
        }
        self.records.want(missing);
        loop {
            let turn = &self.records.functions_turn;
            let _turn = turn.lock();
            // Another revision may have read some meanwhile.
            let missing = self.records.without_functions(commits);
            if missing.is_empty() {
                break;
            }
            match self.read_batch(&missing[..missing.len().min(BATCH)]) {
                Ok(()) => {}
                Err(error @ GitError::Cancelled(_)) => return Err(error),
                Err(error) => {
                    self.complain(&error);
                    return Ok(TouchedFunctions::Unreadable);
                }
            }
        }
        if self.records.gave_up() || self.records.lost_all(commits) {
            return Ok(TouchedFunctions::Unreadable);
        }
        Ok(TouchedFunctions::Read)
    }

    /// Says once that functions are missing. What git said may name paths, and is left out.
    fn complain(&self, error: &GitError) {
        if !self.records.may_complain() {
            return;
        }
        let reason = match error {
            GitError::Timeout { .. } => error.to_string(),
            GitError::Io(error) => error.to_string(),
            _ => "git could not read blobs".to_owned(),
        };
        tracing::warn!(
            reason,
            "which functions past commits changed is not known of all of them"
        );
    }

    fn read_batch(&self, commits: &[ObjectId]) -> Result<(), GitError> {
        let mut left = Left::new(commits);
        while let Some(asked) = left.next() {
            let run = self.functions_of(asked)?;
            let files = self.records.find(asked);
            let mut changed: HashMap<ObjectId, Changed> = run.done.into_iter().collect();
            // Git says nothing of a commit that touched no file with functions, so what stands
            // before the place of a failure is known.
            let settled = run.failed_at.as_ref().map_or(asked.len(), |f| f.position);
            let functions = asked
                .iter()
                .zip(files)
                .take(settled)
                .filter_map(|(id, record)| {
                    let changed = changed.remove(id).unwrap_or_default();
                    Some((*id, by_file(&record?.names, changed)))
                })
                .collect();
            self.records.add_functions(functions);
            let lost_before = left.lost.len();
            left.ran(asked.len(), run.failed_at);
            let lost = &left.lost[lost_before..];
            self.records.lose(lost);
            let error = GitError::Output("log");
            if self.records.gave_up() {
                return Err(error);
            }
            if !lost.is_empty() {
                self.complain(&error);
            }
        }
        Ok(())
    }

    fn functions_of(&self, commits: &[ObjectId]) -> Result<Run<Changed>, GitError> {
        // Named by the commits' own files alone: those of the working directory and of the
        // repository have no say.
        let mut attributes = tempfile::NamedTempFile::new()?;
        attributes.write_all(foveate_parse::hunks::attributes().as_bytes())?;
        let mut command = self.repo.command()?;
        let digits = commits.first().map_or(0, |id| 2 * id.as_bytes().len());
        let tree = empty_tree(digits);
        command.arg(format!("--attr-source={tree}"));
        let mut setting = std::ffi::OsString::from("core.attributesFile=");
        setting.push(attributes.path());
        command.arg("-c").arg(setting);
        command.args(["-c", "core.bigFileThreshold=2m"]);
        for setting in foveate_parse::hunks::settings() {
            command.args(["-c", &setting]);
        }
        names::add_arguments(&mut command, Renames::Found);
        command.args([
            "-p",
            "-U0",
            "--inter-hunk-context=0",
            "--diff-algorithm=myers",
        ]);
        command.args([
            "--no-indent-heuristic",
            "--src-prefix=a/",
            "--dst-prefix=b/",
        ]);
        let files: Vec<String> = foveate_parse::hunks::extensions()
            .map(|extension| format!(":(top,glob)**/*.{extension}"))
            .collect();
        self.add_prefix(&mut command, &files);
        let mut reader = HunksReader::default();
        let end = (b'\n', hunks::LONGEST);
        let ran = self.run(&mut command, commits, end, &mut |line| reader.take(line));
        let current = reader.current.as_ref().map(|(id, _)| *id);
        if ran.is_ok() {
            reader.finish();
        }
        Run::new(commits, reader.done, current, ran)
    }

    /// Looks only below the part of the tree that counts, or at `files` where all of it does.
    fn add_prefix(&self, command: &mut std::process::Command, files: &[String]) {
        let prefix = &self.repo.prefix;
        if prefix.is_empty() {
            command.arg("--").args(files);
        } else {
            command.arg(format!("--relative={prefix}"));
            command.args(["--", &format!(":(top,literal){prefix}")]);
        }
    }

    fn run(
        &self,
        command: &mut std::process::Command,
        commits: &[ObjectId],
        end: (u8, usize),
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<(), GitError> {
        if commits.is_empty() {
            return Ok(());
        }
        let input: String = commits.iter().map(|id| format!("{id}\n")).collect();
        stream::pieces(command, input.as_bytes(), end, &self.patience, take)
    }
}

/// What one run of git gave.
struct Run<T> {
    done: Vec<(ObjectId, T)>,
    failed_at: Option<Failure>,
}

/// Where a run failed.
struct Failure {
    /// The commit that was being read, or one before the one that git could not read.
    position: usize,
    error: GitError,
}

impl<T> Run<T> {
    fn new(
        commits: &[ObjectId],
        done: Vec<(ObjectId, T)>,
        current: Option<ObjectId>,
        ran: Result<(), GitError>,
    ) -> Result<Self, GitError> {
        let failed_at = match ran {
            Ok(()) => None,
            Err(error @ GitError::Failed { .. }) => Some(Failure {
                position: commits
                    .iter()
                    .position(|id| Some(*id) == current)
                    .unwrap_or_default(),
                error,
            }),
            Err(error) => return Err(error),
        };
        Ok(Self { done, failed_at })
    }
}

/// Works through commits of which git may fail on some. Git does not say on which: it may have
/// written of it or not. So after a failure the next commit is asked for alone.
struct Left<'a> {
    commits: &'a [ObjectId],
    at_once: usize,
    lost: Vec<ObjectId>,
}

impl<'a> Left<'a> {
    fn new(commits: &'a [ObjectId]) -> Self {
        Self {
            commits,
            at_once: BATCH,
            lost: Vec::new(),
        }
    }

    fn next(&self) -> Option<&'a [ObjectId]> {
        let asked = &self.commits[..self.commits.len().min(self.at_once)];
        (!asked.is_empty()).then_some(asked)
    }

    fn ran(&mut self, asked: usize, failure: Option<Failure>) {
        match failure {
            None => {
                self.commits = &self.commits[asked..];
                self.at_once = BATCH;
            }
            Some(failure) if asked > 1 => {
                self.commits = &self.commits[failure.position..];
                self.at_once = 1;
            }
            Some(_) => {
                self.lost.extend_from_slice(&self.commits[..1]);
                self.commits = &self.commits[1..];
                self.at_once = BATCH;
            }
        }
    }
}

/// The tree without files, which every repository has, by the number of digits of its ids.
pub(super) fn empty_tree(digits: usize) -> &'static str {
    match digits {
        64 => "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
        _ => "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    }
}

fn by_file(names: &Names, mut changed: Changed) -> Vec<Vec<Box<str>>> {
    let functions = |file: &RepoPath| {
        changed
            .iter_mut()
            .find(|(path, _)| path == file.as_str())
            .map(|(_, functions)| std::mem::take(functions))
            .unwrap_or_default()
    };
    names.files.iter().map(functions).collect()
}

#[cfg(test)]
#[path = "history/tests.rs"]
mod tests;

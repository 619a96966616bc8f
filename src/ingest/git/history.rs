//! Reads the past commits of a revision, limited in number and size: messages, touched files and functions.
//! The changes of a commit are read once and recorded ([`record_cache`]); git is asked each time which commits are
//! ancestors of a revision. Files are read first and fast; functions need every blob and come later, if at
//! all. [`commit_metadata`] reads the messages, [`current_paths`] assembles the history. Start at
//! [`GitRepo::history`].

mod changes;
mod commit_metadata;
mod commit_queue;
mod commit_record;
mod current_paths;
mod hunks;
pub mod record_cache;
mod touched_files;

use std::collections::{HashMap, HashSet};
use std::io::Write as _;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use foveate_model::{ObjectId, RepoPath, TouchedFunctions};
use sha1::{Digest, Sha1};
use tokio_util::sync::CancellationToken;

use super::command::LARGE_FILES;
use super::process::RunLimits;
use super::read_limits::read_start;
use super::{GitError, GitRepo, stream};
use crate::engine::CommitHistory;
pub use changes::CommitChange;
use commit_queue::{BATCH, CommitQueue, Run};
use commit_record::TouchedFiles;
use current_paths::assemble;
use hunks::{FunctionsByFile, HunksReader};
use record_cache::CommitRecordCache;
use touched_files::{Renames, TouchedFilesReader};

/// Largest part of a shallow clone's list of boundary commits that is read, in bytes: 400,000 ids.
const MAX_SHALLOW_BYTES: u64 = 1 << 24;

/// Limits of the history that is kept.
#[derive(Clone, Copy, Debug)]
pub struct HistoryLimits {
    /// Maximum number of commits. Merges are not counted; only those with an informative message are kept.
    pub commits: usize,
    /// Number of the newest of them whose touched functions are read.
    pub function_commits: usize,
    /// Bytes at which a message is truncated.
    pub message_bytes: usize,
    /// Maximum paths of one commit. A commit that touched more (a reformatting, an import) keeps its
    /// message but no paths: it is no evidence about any of them.
    pub paths_per_commit: usize,
    /// Time limit of each step of reading.
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
pub enum HistoryStep {
    /// Messages and touched files; touched functions too if few commits lack them.
    Files,
    /// Everything.
    Functions,
}

/// Version of the rules that select the commits of a history and the data kept of them.
const VERSION: u16 = 1;
/// Maximum commits whose functions are read already in the step [`HistoryStep::Files`].
const MAX_EARLY_FUNCTIONS: usize = 300;

impl GitRepo {
    /// Reads the history of a commit, newest first, as far as `step` says. Commits in `records` are not
    /// read again.
    ///
    /// # Errors
    /// When git fails, takes too long, or the work is asked to stop. Functions that cannot be read
    /// are not an error.
    pub fn history(
        &self,
        commit: &str,
        limits: &HistoryLimits,
        records: &CommitRecordCache,
        step: HistoryStep,
        stop: &CancellationToken,
    ) -> Result<CommitHistory, GitError> {
        if limits.commits == 0 {
            return Ok(CommitHistory::default());
        }
        let reader = Reader {
            repo: self,
            limits,
            records,
            run_limits: run_limits(self, limits, stop),
        };
        let _reading = records.begin(reader.settings(), limits.commits);
        let selected = reader.commit_metadata(commit)?;
        let shallow = self.shallow_commits();
        let known: Vec<ObjectId> = selected
            .iter()
            .map(|metadata| metadata.id)
            .filter(|id| !shallow.contains(id))
            .collect();
        reader.read_touched_files(&known)?;
        let newest = &known[..known.len().min(limits.function_commits)];
        let functions = reader.read_functions(newest, step)?;
        // Functions that earlier questions cached do not count: an answer must not depend on those questions.
        let counted = match functions {
            TouchedFunctions::Reading => 0,
            TouchedFunctions::Read | TouchedFunctions::Unreadable => newest.len(),
        };
        Ok(CommitHistory {
            history: Arc::new(assemble(
                selected,
                (&known, counted),
                records,
                reader.files(commit)?,
            )),
            functions,
        })
    }

    /// Returns a cache key of [`Self::history`]: everything it depends on besides the objects of the repository.
    /// Equal keys mean equal histories, except for functions that were not read.
    pub fn history_key(&self, commit: &str, limits: &HistoryLimits) -> String {
        let shallow = self.shallow_commits();
        let mut shallow: Vec<String> = shallow.iter().map(ObjectId::to_string).collect();
        shallow.sort_unstable();
        let HistoryLimits {
            commits,
            function_commits,
            message_bytes,
            paths_per_commit,
            timeout: _,
        } = limits;
        let (prefix, records) = (&self.prefix, commit_record::VERSION);
        format!(
            "{VERSION} {records} {commit} {commits} {function_commits} {message_bytes} \
             {paths_per_commit} {prefix:?} {shallow:?}"
        )
    }

    /// Returns the commits whose parents a shallow clone lacks: their changes cannot be determined.
    fn shallow_commits(&self) -> HashSet<ObjectId> {
        let file = self.shallow_file();
        let text = file.and_then(|path| read_start(&path, MAX_SHALLOW_BYTES).ok());
        text.unwrap_or_default()
            .split(|byte| *byte == b'\n')
            .filter_map(touched_files::id)
            .collect()
    }

    /// Reads the ancestors of a commit that have one parent, newest first, each with the files that it
    /// changed; only those at a range of positions.
    ///
    /// # Errors
    /// When git fails, takes too long, or the work is asked to stop.
    pub fn changes(
        &self,
        commit: &str,
        positions: Range<usize>,
        stop: &CancellationToken,
    ) -> Result<Vec<CommitChange>, GitError> {
        let limits = HistoryLimits::default();
        let reader = Reader {
            repo: self,
            limits: &limits,
            records: &CommitRecordCache::in_memory(),
            run_limits: run_limits(self, &limits, stop),
        };
        reader.changes(commit, positions)
    }
}

fn run_limits<'a>(
    repo: &GitRepo,
    limits: &HistoryLimits,
    stop: &'a CancellationToken,
) -> RunLimits<'a> {
    let memory = repo.read_limits.memory_bytes;
    RunLimits::new(stop, limits.timeout, memory, "history.timeout_seconds")
}

struct Reader<'a> {
    repo: &'a GitRepo,
    limits: &'a HistoryLimits,
    records: &'a CommitRecordCache,
    run_limits: RunLimits<'a>,
}

impl Reader<'_> {
    /// Returns a hash of the settings that records depend on.
    fn settings(&self) -> u64 {
        let settings = format!("{} {}", self.limits.paths_per_commit, self.repo.prefix);
        let digest = Sha1::digest(settings);
        digest
            .iter()
            .take(8)
            .fold(0, |hash, byte| hash << 8 | u64::from(*byte))
    }

    /// Lists the files of a commit.
    fn files(&self, commit: &str) -> Result<HashSet<RepoPath>, GitError> {
        let mut command = self.repo.ls_tree("--name-only", commit)?;
        let mut files = HashSet::new();
        let mut take = |path: &[u8]| {
            let path = path.strip_prefix(self.repo.prefix.as_bytes());
            let path = path.and_then(|path| std::str::from_utf8(path).ok());
            files.extend(path.and_then(|path| self.records.intern(path)));
        };
        stream::pieces(
            &mut command,
            b"",
            (0, touched_files::MAX_PATH_BYTES),
            &self.run_limits,
            &mut take,
        )?;
        Ok(files)
    }

    fn read_touched_files(&self, commits: &[ObjectId]) -> Result<(), GitError> {
        let _alone = self.records.reading_touched_files.lock();
        let missing = self.records.without_touched_files(commits);
        self.records.expect_reads(missing.len());
        for batch in missing.chunks(BATCH) {
            let mut queue = CommitQueue::new(batch);
            while let Some(requested) = queue.next() {
                let run = self.touched_files_of(requested, Renames::Found)?;
                self.records.add_touched_files(run.done);
                queue.advance(requested.len(), run.failed_at);
            }
            // Commits whose blobs are missing are read without detecting renames.
            let run = self.touched_files_of(&queue.lost, Renames::Ignored)?;
            self.records.add_touched_files(run.done);
            run.failed_at.map_or(Ok(()), |failure| Err(failure.error))?;
        }
        Ok(())
    }

    fn touched_files_of(
        &self,
        commits: &[ObjectId],
        renames: Renames,
    ) -> Result<Run<TouchedFiles>, GitError> {
        let mut command = self.repo.command()?;
        touched_files::add_arguments(&mut command, renames);
        command.args(["--name-status", "-z"]);
        self.add_prefix(&mut command, &[]);
        let mut intern = |path: &str| self.records.intern(path);
        let mut reader = TouchedFilesReader::new(self.limits.paths_per_commit, &mut intern);
        let end = (0, touched_files::MAX_PATH_BYTES);
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
        step: HistoryStep,
    ) -> Result<TouchedFunctions, GitError> {
        let missing = self.records.without_functions(commits).len();
        if step == HistoryStep::Files && missing > MAX_EARLY_FUNCTIONS {
            return Ok(TouchedFunctions::Reading);
        }
        self.records.expect_reads(missing);
        loop {
            let _alone = self.records.reading_functions.lock();
            // Another revision may have read some of them meanwhile.
            let missing = self.records.without_functions(commits);
            if missing.is_empty() {
                break;
            }
            match self.read_batch(&missing[..missing.len().min(BATCH)]) {
                Ok(()) => {}
                Err(error @ GitError::Cancelled(_)) => return Err(error),
                Err(error) => {
                    self.warn_once(&error);
                    return Ok(TouchedFunctions::Unreadable);
                }
            }
        }
        if self.records.gave_up() || self.records.lost_all(commits) {
            return Ok(TouchedFunctions::Unreadable);
        }
        Ok(TouchedFunctions::Read)
    }

    /// Warns once that functions are missing. Git's message may name paths, and is left out.
    fn warn_once(&self, error: &GitError) {
        if !self.records.may_warn() {
            return;
        }
        let reason = match error {
            GitError::Timeout { .. } => error.to_string(),
            GitError::Io(error) => error.to_string(),
            _ => "git could not read blobs".to_owned(),
        };
        tracing::warn!(
            reason,
            "cannot read the changed functions of some past commits"
        );
    }

    fn read_batch(&self, commits: &[ObjectId]) -> Result<(), GitError> {
        let mut queue = CommitQueue::new(commits);
        while let Some(requested) = queue.next() {
            let run = self.functions_of(requested)?;
            let files = self.records.find(requested);
            let mut changed: HashMap<ObjectId, FunctionsByFile> = run.done.into_iter().collect();
            // Git prints nothing for a commit that touched no file with functions, so all commits
            // before a failure are complete.
            let complete = run
                .failed_at
                .as_ref()
                .map_or(requested.len(), |f| f.position);
            let functions = requested
                .iter()
                .zip(files)
                .take(complete)
                .filter_map(|(id, record)| {
                    let changed = changed.remove(id).unwrap_or_default();
                    Some((*id, by_file(&record?.touched, changed)))
                })
                .collect();
            self.records.add_functions(functions);
            let lost_before = queue.lost.len();
            queue.advance(requested.len(), run.failed_at);
            let lost = &queue.lost[lost_before..];
            self.records.mark_lost(lost);
            let error = GitError::UnexpectedOutput("log");
            if self.records.gave_up() {
                return Err(error);
            }
            if !lost.is_empty() {
                self.warn_once(&error);
            }
        }
        Ok(())
    }

    fn functions_of(&self, commits: &[ObjectId]) -> Result<Run<FunctionsByFile>, GitError> {
        // Only these attributes apply, and those in the repository's `info/attributes`: `.gitattributes` files of
        // the commits and of the working tree do not.
        let mut attributes = tempfile::NamedTempFile::new()?;
        attributes.write_all(foveate_parse::hunks::attributes().as_bytes())?;
        let mut command = self.repo.command()?;
        let digits = commits.first().map_or(0, |id| 2 * id.as_bytes().len());
        let tree = empty_tree(digits);
        command.arg(format!("--attr-source={tree}"));
        let mut setting = std::ffi::OsString::from("core.attributesFile=");
        setting.push(attributes.path());
        command.arg("-c").arg(setting);
        command.args(["-c", LARGE_FILES]);
        for setting in foveate_parse::hunks::settings() {
            command.args(["-c", &setting]);
        }
        touched_files::add_arguments(&mut command, Renames::Found);
        command.args([
            "-p", "-U0", "--inter-hunk-context=0", "--diff-algorithm=myers",
        ]);
        command.args([
            "--no-indent-heuristic", "--src-prefix=a/", "--dst-prefix=b/",
        ]);
        let files: Vec<String> = foveate_parse::hunks::extensions()
            .map(|extension| format!(":(top,glob)**/*.{extension}"))
            .collect();
        self.add_prefix(&mut command, &files);
        let mut reader = HunksReader::default();
        let end = (b'\n', hunks::MAX_LINE_BYTES);
        let mut take = |line: &[u8]| {
            reader.take(line);
            self.records.set_in_batch(reader.done.len());
        };
        let ran = self.run(&mut command, commits, end, &mut take);
        let current = reader.current.as_ref().map(|(id, _)| *id);
        if ran.is_ok() {
            reader.finish();
        }
        let run = Run::new(commits, reader.done, current, ran);
        run.inspect_err(|_| self.records.set_in_batch(0))
    }

    /// Limits a command to the repository's prefix, or to `files` if there is no prefix.
    fn add_prefix(&self, command: &mut std::process::Command, files: &[String]) {
        command.arg(self.repo.relative_option()).arg("--");
        match self.repo.pathspec() {
            Some(pathspec) => command.arg(pathspec),
            None => command.args(files),
        };
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
        stream::pieces(command, input.as_bytes(), end, &self.run_limits, take)
    }
}

/// Returns the id of the empty tree, which every repository has, for ids of this many digits.
pub(super) fn empty_tree(digits: usize) -> &'static str {
    match digits {
        64 => "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
        _ => "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    }
}

fn by_file(touched: &TouchedFiles, mut changed: FunctionsByFile) -> Vec<Vec<Box<str>>> {
    let functions = |file: &RepoPath| {
        changed
            .iter_mut()
            .find(|(path, _)| path == file.as_str())
            .map(|(_, functions)| std::mem::take(functions))
            .unwrap_or_default()
    };
    touched.files.iter().map(functions).collect()
}

#[cfg(test)]
#[path = "history/tests.rs"]
mod tests;

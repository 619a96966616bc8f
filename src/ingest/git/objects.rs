//! Reads the files of a commit: lists them with one `ls-tree`, or a `diff-tree` against a commit whose files
//! are known, and reads them with one `cat-file --batch` ([`cat_file`]). Objects that the repository lacks are listed as
//! unreadable files.

mod cat_file;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use foveate_model::{Content, Language, ObjectId, RepoPath, SkipReason, SourceFile};
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::{GitError, GitRepo, process};
use crate::engine::{BlobCache, Phase, Progress, skipped_file, source_file};
use crate::ingest::max_size::{indexable_bytes, skip_unread};

/// One entry of a commit's listing.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Path below the listed directory.
    pub path: RepoPath,
    /// Id of its blob, or of a submodule's commit.
    pub blob: ObjectId,
    /// Size in bytes; `None` if the repository lacks the blob.
    pub size: Option<u64>,
    /// Why it is not a file to be read; `None` if it is one.
    pub skipped: Option<SkipReason>,
}

/// Differences between the files of two commits: by path, the later commit's entry, without its size, or `None` if it has
/// none.
pub type Differences = BTreeMap<RepoPath, Option<Entry>>;

impl GitRepo {
    /// Lists path, id, size and kind of every entry of a commit; the size of a blob that the repository lacks, and of a
    /// submodule, is `None`. A commit without the directory to which reading is limited has no entries.
    ///
    /// # Errors
    /// When the commit's tree cannot be listed, or the work is asked to stop.
    pub fn list(&self, commit: &str, stop: &CancellationToken) -> Result<Vec<Entry>, GitError> {
        let mut command = self.ls_tree("-l", commit)?;
        let output = process::stdout(&mut command, &self.reading(stop));
        let output = output.map_err(|error| match error {
            GitError::Failed { .. } if self.is_partial() => GitError::Treeless,
            error => error,
        })?;
        output
            .split(|b| *b == 0)
            .filter(|line| !line.is_empty())
            .filter_map(|line| parse_entry(line, &self.prefix).transpose())
            .collect()
    }

    /// Reads the files of a commit, in no particular order; those that cannot be indexed carry the
    /// reason. Blobs cached in `blobs` are not read. `before` holds earlier files in path order: parts that a
    /// file has in common with the earlier one at its path may not be parsed again. Parses on the current
    /// rayon pool.
    ///
    /// # Errors
    /// When the commit's tree cannot be listed, or the work is asked to stop.
    pub fn files(
        &self,
        commit: &str,
        before: &[SourceFile],
        blobs: &BlobCache,
        progress: &Progress,
    ) -> Result<Vec<SourceFile>, GitError> {
        progress.enter(Phase::Listing, 0);
        let entries = self.list(commit, progress.stop())?;
        check_size(self, &[], &entries, blobs)?;
        progress.enter(Phase::Reading, entries.len());
        gather(self, entries, before, blobs, progress)
    }

    /// Returns [`Self::files`], in path order, of a commit that differs by `differences` from one whose
    /// files are `before`.
    ///
    /// # Errors
    /// When git cannot be asked for objects, or the work is asked to stop.
    pub fn files_with(
        &self,
        before: &[SourceFile],
        mut differences: Differences,
        blobs: &BlobCache,
        progress: &Progress,
    ) -> Result<Vec<SourceFile>, GitError> {
        // An object that was missing may have been fetched since.
        for file in before {
            if matches!(file.skipped, Some(SkipReason::Unreadable(_))) {
                let again = || {
                    Some(Entry {
                        path: file.path.clone(),
                        blob: file.blob,
                        size: None,
                        skipped: None,
                    })
                };
                differences.entry(file.path.clone()).or_insert_with(again);
            }
        }
        let is_kept = |file: &&SourceFile| !differences.contains_key(&file.path);
        let mut files: Vec<SourceFile> = before.iter().filter(is_kept).cloned().collect();
        let mut entries: Vec<Entry> = differences.into_values().flatten().collect();
        // A submodule's commit is not an object of this repository.
        let is_object = |entry: &&mut Entry| entry.skipped != Some(SkipReason::Submodule);
        let mut objects: Vec<&mut Entry> = entries.iter_mut().filter(is_object).collect();
        let ids: Vec<ObjectId> = objects.iter().map(|entry| entry.blob).collect();
        let sizes = cat_file::sizes(self, &ids, progress.stop())?;
        for (entry, size) in objects.iter_mut().zip(sizes) {
            entry.size = size;
        }
        check_size(self, &files, &entries, blobs)?;
        progress.enter(Phase::Reading, entries.len());
        files.extend(gather(self, entries, before, blobs, progress)?);
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }

    /// Returns the differences between the files of two commits.
    ///
    /// # Errors
    /// When the tree of one of them cannot be read, or the work is asked to stop.
    pub fn differences(
        &self,
        before: &str,
        after: &str,
        stop: &CancellationToken,
    ) -> Result<Differences, GitError> {
        let mut command = self.command()?;
        command
            .args(["diff-tree", "-r", "-z", "--raw", "--no-abbrev"])
            // Overrides the repository's settings.
            .args(["--no-renames", "--ignore-submodules=none", "--no-relative"])
            .args(["--end-of-options", &self.tree_of(before)])
            .arg(self.tree_of(after));
        let output = process::stdout(&mut command, &self.reading(stop))?;
        let mut fields = output.split(|b| *b == 0).filter(|field| !field.is_empty());
        let mut differences = Differences::new();
        while let Some(head) = fields.next() {
            let path = fields
                .next()
                .ok_or(GitError::UnexpectedOutput("diff-tree"))?;
            if let Ok(listed) = RepoPath::escaped(path) {
                differences.insert(listed.clone(), parse_difference(head, path, listed)?);
            }
        }
        Ok(differences)
    }
}

/// Parses a `mode type id size<TAB>path` line; the path of the entry is that below `prefix`. Returns `None` for a path
/// that could leave the root, which git itself refuses to check out, and for one outside `prefix`.
fn parse_entry(line: &[u8], prefix: &str) -> Result<Option<Entry>, GitError> {
    const UNEXPECTED: GitError = GitError::UnexpectedOutput("ls-tree");
    let tab = line.iter().position(|b| *b == b'\t').ok_or(UNEXPECTED)?;
    let (head, path) = (&line[..tab], &line[tab + 1..]);
    let head = std::str::from_utf8(head).map_err(|_| UNEXPECTED)?;
    let fields: Vec<&str> = head.split_ascii_whitespace().collect();
    let [mode, _, id, size] = fields[..] else {
        return Err(UNEXPECTED);
    };
    let Some(path) = path.strip_prefix(prefix.as_bytes()) else {
        return Ok(None);
    };
    let Ok(listed) = RepoPath::escaped(path) else {
        return Ok(None);
    };
    Ok(Some(Entry {
        path: listed,
        blob: ObjectId::from_hex(id).ok_or(UNEXPECTED)?,
        size: size.parse().ok(),
        skipped: skipped(mode, path),
    }))
}

fn skipped(mode: &str, path: &[u8]) -> Option<SkipReason> {
    match mode {
        "120000" => Some(SkipReason::Symlink),
        "160000" => Some(SkipReason::Submodule),
        _ => std::str::from_utf8(path)
            .is_err()
            .then_some(SkipReason::NotUtf8),
    }
}

/// Checks the size of known files and entries together against the limit, before anything is read.
fn check_size(
    repo: &GitRepo,
    known: &[SourceFile],
    entries: &[Entry],
    blobs: &BlobCache,
) -> Result<(), GitError> {
    let limits = blobs.limits();
    let read_bytes = |entry: &Entry| {
        let bytes = entry.size.filter(|_| entry.skipped.is_none())?;
        Some(indexable_bytes(&entry.path, bytes, limits))
    };
    let indexed = known.iter().filter(|file| file.content.is_some());
    let indexed = indexed.map(|file| file.size.min(limits.max_bytes));
    let bytes = indexed.chain(entries.iter().filter_map(read_bytes)).sum();
    repo.read_limits
        .max_size
        .check(known.len() + entries.len(), bytes)?;
    Ok(())
}

/// Reads the files of entries, in no particular order. `before` are files of the same repository in path order:
/// parts that a file has in common with the earlier one at its path are not parsed again.
fn gather(
    repo: &GitRepo,
    entries: Vec<Entry>,
    before: &[SourceFile],
    blobs: &BlobCache,
    progress: &Progress,
) -> Result<Vec<SourceFile>, GitError> {
    let mut files = Vec::with_capacity(entries.len());
    // Blobs to read, each with the paths that have it: one blob is often at many paths.
    let mut wanted: HashMap<(ObjectId, Option<Language>), Wanted> = HashMap::new();
    let limits = blobs.limits();
    for entry in entries {
        let (path, blob) = (entry.path, entry.blob);
        let size = entry.size.unwrap_or(0);
        let reason = entry.skipped.or_else(|| match entry.size {
            Some(bytes) => skip_unread(&path, bytes, limits),
            None => Some(missing()),
        });
        let named = foveate_parse::language_by_name(&path);
        let file = match reason {
            Some(reason) => skipped_file(path, blob, size, reason),
            None => match blobs.get(blob, named) {
                Some(reading) => source_file(path, blob, size, reading),
                None => {
                    let wanted = wanted.entry((blob, named)).or_insert_with(|| Wanted {
                        blob,
                        named,
                        size,
                        earlier: content_at(before, &path),
                        paths: Vec::new(),
                    });
                    wanted.paths.push(path);
                    continue;
                }
            },
        };
        progress.step()?;
        files.push(file);
    }
    if !wanted.is_empty() {
        let mut wanted: Vec<Wanted> = wanted.into_values().collect();
        // The largest first, so that no thread is left with a large file at the end.
        wanted.sort_by(|a, b| b.size.cmp(&a.size).then_with(|| a.blob.cmp(&b.blob)));
        files.extend(read_all(repo, wanted, blobs, progress)?);
    }
    Ok(files)
}

/// Parses `:mode mode id id status` before a path that is `listed` in a revision; returns `None` for a deleted file.
fn parse_difference(head: &[u8], path: &[u8], listed: RepoPath) -> Result<Option<Entry>, GitError> {
    const UNEXPECTED: GitError = GitError::UnexpectedOutput("diff-tree");
    let head = std::str::from_utf8(head).map_err(|_| UNEXPECTED)?;
    let fields: Vec<&str> = head.split_ascii_whitespace().collect();
    let [_, mode, _, id, status] = fields[..] else {
        return Err(UNEXPECTED);
    };
    if status == "D" {
        return Ok(None);
    }
    Ok(Some(Entry {
        path: listed,
        blob: ObjectId::from_hex(id).ok_or(UNEXPECTED)?,
        size: None,
        skipped: skipped(mode, path),
    }))
}

struct Wanted {
    blob: ObjectId,
    named: Option<Language>,
    size: u64,
    /// Earlier content at the first of the paths.
    earlier: Option<Arc<Content>>,
    paths: Vec<RepoPath>,
}

fn content_at(files: &[SourceFile], path: &RepoPath) -> Option<Arc<Content>> {
    let at = files.binary_search_by(|file| file.path.cmp(path)).ok()?;
    files[at].content.clone()
}

const MISSING: &str = "the repository lacks this object, as a partial clone does";

fn missing() -> SkipReason {
    SkipReason::Unreadable(MISSING.to_owned())
}

/// Whether a file is skipped because the repository lacks its blob.
pub fn is_missing(file: &SourceFile) -> bool {
    matches!(&file.skipped, Some(SkipReason::Unreadable(reason)) if reason == MISSING)
}

/// Maximum bytes read but not yet parsed. Git reads ten times faster than files are parsed, so without
/// a limit most of a large repository would be in memory.
const MAX_AHEAD_BYTES: usize = 32 << 20;

/// Reads blobs through one git process on this thread and parses them on the rayon pool.
fn read_all(
    repo: &GitRepo,
    wanted: Vec<Wanted>,
    blobs: &BlobCache,
    progress: &Progress,
) -> Result<Vec<SourceFile>, GitError> {
    let ids: Vec<ObjectId> = wanted.iter().map(|w| w.blob).collect();
    let read = Mutex::new(Vec::with_capacity(wanted.len()));
    let ahead = AtomicUsize::new(0);
    cat_file::run(repo, "--batch", &ids, progress.stop(), |stdout| {
        rayon::in_place_scope(|scope| {
            for blob in wanted {
                wait_below(&ahead, MAX_AHEAD_BYTES);
                progress.check()?;
                let bytes = cat_file::read_blob(stdout)?;
                let size = bytes.as_ref().map_or(0, Vec::len);
                ahead.fetch_add(size, Ordering::Relaxed);
                let (read, ahead) = (&read, &ahead);
                scope.spawn(move |_| {
                    ahead.fetch_sub(size, Ordering::Relaxed);
                    let files = files_of(blob, bytes, blobs, progress);
                    read.lock().extend(files);
                });
            }
            Ok(())
        })
    })?;
    progress.check()?;
    Ok(read.into_inner())
}

/// Waits until other threads have brought `count` below `limit`. On a thread of the pool it runs their jobs
/// meanwhile, since the pool may have no other thread.
fn wait_below(count: &AtomicUsize, limit: usize) {
    while count.load(Ordering::Relaxed) >= limit {
        if rayon::yield_now() != Some(rayon::Yield::Executed) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

fn files_of(
    wanted: Wanted,
    bytes: Option<Vec<u8>>,
    blobs: &BlobCache,
    progress: &Progress,
) -> Vec<SourceFile> {
    if progress.check().is_err() {
        return Vec::new();
    }
    let Wanted {
        blob,
        named,
        size,
        earlier,
        paths,
    } = wanted;
    let reading = bytes.map(|bytes| blobs.read(blob, named, &bytes, earlier.as_deref()));
    paths
        .into_iter()
        .map(|path| {
            // Only counts: a stop was checked above, once per blob.
            let _ = progress.step();
            match &reading {
                Some(reading) => source_file(path, blob, size, reading.clone()),
                None => skipped_file(path, blob, size, missing()),
            }
        })
        .collect()
}

//! The cache of `foveate context`, and `foveate cache`, which lists and clears it.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use clap::builder::FalseyValueParser;
use foveate_model::escape::escape;
use indicatif::{HumanBytes, HumanDuration};
use serde_json::json;

use super::{NOTHING_FOUND, UsageError, stdout};
use crate::disk::{
    CacheDir, CacheEntry, CacheLimits, CachedRepository, ReadOnlyReason, restrict_umask,
};
use crate::engine::StoreLocation;
use crate::wire::whole_number;

/// Entries that were not used for this long are removed.
const MAX_AGE: Duration = Duration::from_secs(30 * 24 * 3600);

/// The argument that selects the cache directory.
#[derive(Debug, clap::Args)]
pub struct CacheDirArgs {
    /// Directory of the cache [default: $XDG_CACHE_HOME/foveate, or ~/.cache/foveate].
    #[arg(long, global = true, env = "FOVEATE_CACHE_DIR", value_name = "DIR")]
    cache_dir: Option<PathBuf>,
}

/// The arguments that select and limit the cache.
#[derive(Debug, clap::Args)]
pub struct CacheArgs {
    #[command(flatten)]
    pub directory: CacheDirArgs,
    /// Read nothing from the cache and store nothing in it.
    #[arg(long, env = "FOVEATE_NO_CACHE", value_parser = FalseyValueParser::new())]
    pub no_cache: bool,
    /// Largest size of the cache in bytes; the least recently used repositories are removed first.
    #[arg(
        long,
        default_value_t = 2 << 30,
        value_parser = whole_number::parse::<u64>,
        env = "FOVEATE_CACHE_MAX_BYTES",
        value_name = "BYTES"
    )]
    cache_max_bytes: u64,
}

impl CacheDirArgs {
    /// Returns the cache; `None` where neither an argument nor the environment locates it.
    pub fn open(&self) -> Option<CacheDir> {
        let directory = self.cache_dir.clone().or_else(default_directory);
        directory.map(CacheDir::new)
    }
}

/// The cache of one run. It reads the entry of its repository, and writes it unless another run does.
#[derive(Debug)]
pub struct RunCache {
    directory: Option<CacheDir>,
    entry: Option<CacheEntry>,
    limits: CacheLimits,
    /// Why the cache cannot be used as intended.
    problem: Option<String>,
}

impl RunCache {
    /// Opens the cache for the repository at `root`, which is canonical.
    pub fn open(args: &CacheArgs, root: &Path) -> Self {
        if !args.no_cache {
            // The cache holds source code.
            restrict_umask();
        }
        let directory = args.directory.open();
        let (entry, problem) = match &directory {
            _ if args.no_cache => (None, None),
            Some(directory) => match directory.entry(root) {
                Ok(entry) => (Some(entry), None),
                Err(error) => (None, Some(error.to_string())),
            },
            None => {
                let problem = "neither XDG_CACHE_HOME nor HOME is an absolute path";
                (None, Some(problem.to_owned()))
            }
        };
        let read_only = match entry.as_ref().and_then(CacheEntry::read_only) {
            // The run that holds the lock stores what both runs read.
            None | Some(ReadOnlyReason::InUse) => None,
            Some(ReadOnlyReason::Io(error)) => Some(error.to_string()),
        };
        Self {
            directory,
            entry,
            limits: CacheLimits {
                max_bytes: args.cache_max_bytes,
                max_age: MAX_AGE,
            },
            problem: problem.or(read_only),
        }
    }

    /// Returns the cache directory, whether it is used or not: it may lie inside the directory that is indexed.
    pub fn path(&self) -> Option<PathBuf> {
        self.directory.as_ref()?.path().canonicalize().ok()
    }

    /// Returns where the index of the repository is stored, and under which name.
    pub fn location(&self) -> (StoreLocation, String) {
        let (Some(directory), Some(entry)) = (&self.directory, &self.entry) else {
            return (StoreLocation::Memory, String::new());
        };
        let path = directory.path().to_owned();
        let location = match entry.read_only() {
            None => StoreLocation::Directory(path),
            Some(reason) => StoreLocation::ReadOnly(path, reason.to_string()),
        };
        (location, entry.name().to_owned())
    }

    /// Ends the use of the cache after the save whose result is `saved`: removes entries above the limits, and
    /// reports problems on standard error.
    pub fn close(mut self, saved: io::Result<()>) {
        let mut result = saved;
        if let (Some(directory), Some(entry)) = (&self.directory, self.entry.take()) {
            drop(entry);
            result = result.and(directory.trim(&self.limits).map(drop));
        }
        let problem = self.problem.or_else(|| Some(result.err()?.to_string()));
        let Some(problem) = problem else {
            return;
        };
        let path = self
            .directory
            .map(|directory| format!(" {}", shown(directory.path())));
        let problem = escape(&problem);
        // A closed standard error must not end the run.
        let _ = writeln!(
            io::stderr(),
            "cache: cannot fully use the directory{}: {problem}; choose another one with --cache-dir, \
             or disable the cache with --no-cache",
            path.unwrap_or_default()
        );
    }
}

/// The user's cache directory by the XDG Base Directory Specification, which requires relative paths to be ignored.
fn default_directory() -> Option<PathBuf> {
    let absolute = |name: &str| {
        let path = std::env::var_os(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    let caches = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    Some(caches?.join("foveate"))
}

/// List or clear the repositories that `foveate context` has cached.
#[derive(Debug, clap::Args)]
pub struct CacheCommandArgs {
    #[command(flatten)]
    directory: CacheDirArgs,
    #[command(subcommand)]
    command: CacheCommand,
}

#[derive(Debug, clap::Subcommand)]
enum CacheCommand {
    /// List the repositories in the cache, most recently used first.
    List {
        /// Print the list as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Remove one repository from the cache, or all.
    Clear {
        /// The repository's directory, which need not exist any more [default: all].
        #[arg(value_name = "DIR")]
        repository: Option<PathBuf>,
    },
}

/// Runs one `cache` command.
///
/// # Errors
/// When the cache cannot be read or an entry cannot be removed.
pub fn run(args: &CacheCommandArgs) -> anyhow::Result<ExitCode> {
    let unknown = "no cache directory is known: set one with --cache-dir, or set HOME";
    let cache = args
        .directory
        .open()
        .ok_or_else(|| UsageError(unknown.to_owned()))?;
    let unusable = || format!("cannot use the cache directory {}", cache.path().display());
    let mut entries = cache.repositories().with_context(unusable)?;
    match &args.command {
        CacheCommand::List { json: true } => list_as_json(&cache, &entries)?,
        CacheCommand::List { json: false } => list(&cache, &entries)?,
        CacheCommand::Clear { repository } => {
            if let Some(path) = repository {
                // A directory that no longer exists was cached under its absolute path.
                let absolute = path.canonicalize().or_else(|_| std::path::absolute(path));
                let path = absolute.unwrap_or_else(|_| path.clone());
                entries.retain(|entry| entry.repository == path);
                if entries.is_empty() {
                    let _ = writeln!(
                        io::stderr(),
                        "{} is not in the cache; `foveate cache list` shows what is",
                        shown(&path)
                    );
                    return Ok(ExitCode::from(NOTHING_FOUND));
                }
            }
            clear(&cache, &entries).with_context(unusable)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Formats a path for people.
fn shown(path: &Path) -> String {
    escape(&path.to_string_lossy()).into_owned()
}

fn list(cache: &CacheDir, entries: &[CachedRepository]) -> anyhow::Result<()> {
    let mut out = stdout();
    for entry in entries {
        let age = SystemTime::now()
            .duration_since(entry.used)
            .unwrap_or_default();
        writeln!(
            out,
            "{:>10}  {:>12} ago  {}",
            HumanBytes(entry.bytes).to_string(),
            HumanDuration(age).to_string(),
            shown(&entry.repository)
        )?;
    }
    let total = entries.iter().map(|entry| entry.bytes).sum();
    writeln!(out, "{} in {}", HumanBytes(total), shown(cache.path()))?;
    Ok(())
}

fn list_as_json(cache: &CacheDir, entries: &[CachedRepository]) -> anyhow::Result<()> {
    let entry = |entry: &CachedRepository| {
        let used = entry.used.duration_since(UNIX_EPOCH).unwrap_or_default();
        json!({
            "repository": entry.repository.to_string_lossy(),
            "bytes": entry.bytes,
            "last_used": used.as_secs(),
        })
    };
    let list: Vec<_> = entries.iter().map(entry).collect();
    let mut out = stdout();
    let answer = json!({"directory": cache.path().to_string_lossy(), "repositories": list});
    super::print_json(&mut out, &answer)
}

fn clear(cache: &CacheDir, entries: &[CachedRepository]) -> io::Result<()> {
    let (mut removed, mut freed) = (0, 0);
    for entry in entries {
        if cache.remove(entry)? {
            removed += 1;
            freed += entry.bytes;
        } else {
            let repository = shown(&entry.repository);
            let _ = writeln!(
                io::stderr(),
                "{repository} is in use by another process and was not removed"
            );
        }
    }
    let repositories = if removed == 1 {
        "repository"
    } else {
        "repositories"
    };
    let freed = HumanBytes(freed);
    writeln!(stdout(), "removed {removed} {repositories}, {freed}")
}

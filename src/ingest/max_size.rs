//! Limits the size of a repository: a larger one would take the memory that everything else needs.

use foveate_model::{RepoPath, SkipReason};
use foveate_parse::Limits;

use crate::telemetry::process;

/// Memory that building an index takes, in bytes per byte of its files: 3 to 5 were measured.
const MEMORY_PER_BYTE: usize = 5;

/// Largest size of one revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaxSize {
    /// Number of files, including those that are only listed, and in a working tree also of directories.
    pub files: usize,
    /// Total bytes of the indexable files: those that neither their name nor their size excludes. Of a notebook, as much
    /// counts as its text may have.
    pub bytes: u64,
}

/// The repository exceeds the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what failed")]
pub enum TooLarge {
    #[error("it holds more than {max} files or directories (`index.max_files`): {ADVICE}")]
    Files { max: usize },
    #[error(
        "its files have {} MB; at most {} MB are indexed (`index.max_bytes`): {ADVICE}",
        .bytes / 1_000_000,
        .max / 1_000_000
    )]
    Bytes { bytes: u64, max: u64 },
}

const ADVICE: &str = "index only one of its directories, exclude files with a .foveateignore, or, on a server, raise the limit";

impl Default for MaxSize {
    /// The size whose indexing takes half of the available memory.
    fn default() -> Self {
        let memory = process::memory_limit().unwrap_or(usize::MAX) / 2;
        Self {
            files: 500_000,
            bytes: (memory / MEMORY_PER_BYTE) as u64,
        }
    }
}

/// Returns why a file of `bytes` bytes is not read, judged by its name and size; `None` if it is.
pub(super) fn skip_unread(path: &RepoPath, bytes: u64, limits: &Limits) -> Option<SkipReason> {
    let limit = limits.max_bytes_of(foveate_parse::language_by_name(path));
    foveate_parse::skip_by_name(path)
        .or_else(|| (bytes > limit).then_some(SkipReason::TooLarge { bytes, limit }))
}

/// Returns the maximum size of the text of a file of `bytes` bytes: 0 if it is not read.
pub(super) fn indexable_bytes(path: &RepoPath, bytes: u64, limits: &Limits) -> u64 {
    match skip_unread(path, bytes, limits) {
        Some(_) => 0,
        None => bytes.min(limits.max_bytes),
    }
}

impl MaxSize {
    /// Checks a revision of `files` files (or as many directories) with `bytes` indexable bytes against the limit.
    ///
    /// # Errors
    /// When it exceeds the limit.
    pub fn check(&self, files: usize, bytes: u64) -> Result<(), TooLarge> {
        if files > self.files {
            return Err(TooLarge::Files { max: self.files });
        }
        if bytes > self.bytes {
            let max = self.bytes;
            return Err(TooLarge::Bytes { bytes, max });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_above_limit_are_refused() {
        let max = MaxSize {
            files: 2,
            bytes: 10_000_000,
        };
        assert_eq!(max.check(2, 10_000_000), Ok(()));
        let files = max.check(3, 0).unwrap_err().to_string();
        assert!(files.starts_with("it holds more than 2 files "), "{files}");
        let bytes = max.check(0, 11_000_000).unwrap_err().to_string();
        assert!(bytes.contains("11 MB; at most 10 MB"), "{bytes}");
    }

    #[test]
    fn outputs_of_a_notebook_do_not_count() {
        let limits = Limits {
            max_bytes: 1_000,
            ..Limits::default()
        };
        let counted = |path, bytes| {
            let path = RepoPath::new(path).unwrap();
            indexable_bytes(&path, bytes, &limits)
        };
        assert_eq!(counted("cart.py", 900), 900);
        assert_eq!(counted("cart.py", 1_001), 0);
        assert_eq!(counted("cart.ipynb", 900), 900);
        assert_eq!(counted("cart.ipynb", 16_000), 1_000);
        assert_eq!(counted("cart.ipynb", 16_001), 0);
        assert_eq!(counted("cart.png", 900), 0);
    }
}

//! How large a repository may be: what is larger would take the memory of everything else.

use crate::telemetry::process;

/// Memory that an index takes while it is built, in bytes for each byte of the files: 3 to 5 were measured.
const MEMORY_PER_BYTE: usize = 5;

/// The most that one revision may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaxSize {
    /// Files, those included that are only listed.
    pub files: usize,
    /// Bytes of the files that may be indexed: those that neither their name nor their size leaves out.
    pub bytes: u64,
}

/// A repository holds more than it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TooLarge {
    /// More files.
    #[error("it holds {files} files; at most {max} are indexed (`index.max_files`): {ADVICE}")]
    Files {
        /// How many it holds.
        files: usize,
        /// How many it may hold.
        max: usize,
    },
    /// More bytes.
    #[error(
        "its files have {} MB; at most {} MB are indexed (`index.max_bytes`): {ADVICE}",
        .bytes / 1_000_000,
        .max / 1_000_000
    )]
    Bytes {
        /// How many it holds.
        bytes: u64,
        /// How many it may hold.
        max: u64,
    },
}

const ADVICE: &str =
    "index a part of it (a directory, or what a .foveateignore leaves), or raise the limit";

impl Default for MaxSize {
    /// What is indexed in half of the memory that there is.
    fn default() -> Self {
        let memory = process::memory_limit().unwrap_or(usize::MAX) / 2;
        Self {
            files: 500_000,
            bytes: (memory / MEMORY_PER_BYTE) as u64,
        }
    }
}

impl MaxSize {
    /// # Errors
    /// When `files` files, of which `bytes` bytes may be indexed, are more than may be.
    pub fn check(&self, files: usize, bytes: u64) -> Result<(), TooLarge> {
        if files > self.files {
            let max = self.files;
            return Err(TooLarge::Files { files, max });
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
    fn a_limit_is_the_most_that_is_let_in() {
        let max = MaxSize {
            files: 2,
            bytes: 10_000_000,
        };
        assert_eq!(max.check(2, 10_000_000), Ok(()));
        let files = max.check(3, 0).unwrap_err().to_string();
        assert!(files.starts_with("it holds 3 files; at most 2 "), "{files}");
        let bytes = max.check(0, 11_000_000).unwrap_err().to_string();
        assert!(bytes.contains("11 MB; at most 10 MB"), "{bytes}");
    }
}

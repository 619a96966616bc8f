//! Defines paths inside a repository: relative, `/`-separated, never leaving the root.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

/// A path relative to a repository's root. Its segments are separated by `/` and none of them is
/// empty, `.` or `..`, so that joining it to a root never leaves the root.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(Arc<str>);

/// Why a string is not a path inside a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathError {
    input: String,
    reason: &'static str,
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} is not a path inside a repository: {}",
            self.input, self.reason
        )
    }
}

impl std::error::Error for PathError {}

impl RepoPath {
    /// Creates a path after checking `path`.
    ///
    /// # Errors
    /// When the path is empty, absolute, longer than 4,096 bytes, contains a NUL byte, or has an
    /// empty, `.` or `..` segment.
    pub fn new(path: &str) -> Result<Self, PathError> {
        let reason = if path.is_empty() {
            Some("it is empty")
        } else if path.len() > 4096 {
            Some("it is longer than 4096 bytes")
        } else if path.contains('\0') {
            Some("it contains a NUL byte")
        } else if path.starts_with('/') {
            Some("it is absolute; give it relative to the repository's root")
        } else if path.split('/').any(|s| matches!(s, "" | "." | "..")) {
            Some("it has an empty, `.` or `..` segment")
        } else {
            None
        };
        match reason {
            None => Ok(Self(path.into())),
            Some(reason) => Err(PathError {
                input: path.chars().take(200).collect(),
                reason,
            }),
        }
    }

    /// Like [`Self::new`], for a name that is not UTF-8: invalid bytes are escaped (`\xe9`), so that it can
    /// be listed. No file can be opened by the result.
    pub fn escaped(path: &[u8]) -> Result<Self, PathError> {
        let mut text = String::new();
        for chunk in path.utf8_chunks() {
            text.push_str(chunk.valid());
            text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
        }
        Self::new(&text)
    }

    /// Like [`Self::new`], for a path as a person or a shell writes it: leading `./` is dropped.
    pub fn from_typed(path: &str) -> Result<Self, PathError> {
        let mut rest = path;
        while let Some(tail) = rest.strip_prefix("./") {
            rest = tail;
        }
        Self::new(rest).map_err(|error| PathError {
            input: path.chars().take(200).collect(),
            ..error
        })
    }

    /// Returns the path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the directory, without a trailing `/`; empty at the root.
    pub fn directory(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(dir, _)| dir)
    }

    /// Returns the last segment.
    pub fn file_name(&self) -> &str {
        self.0.rsplit_once('/').map_or(&self.0, |(_, name)| name)
    }

    /// Returns the file name without its last extension (`a.test.ts` gives `a.test`; `.env` stays whole).
    pub fn stem(&self) -> &str {
        let name = self.file_name();
        match name.rfind('.') {
            Some(dot) if dot > 0 => &name[..dot],
            _ => name,
        }
    }

    /// Returns the last extension without its dot, or the empty string.
    pub fn extension(&self) -> &str {
        let name = self.file_name();
        match name.rfind('.') {
            Some(dot) if dot > 0 => &name[dot + 1..],
            _ => "",
        }
    }

    /// Returns the segments from the root down.
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/')
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Borrow<str> for RepoPath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_could_leave_the_root_are_refused() {
        for bad in [
            "", "/etc/passwd", "../a", "a/../b", "a//b", "a/", "./a", "a\0b",
        ] {
            assert!(RepoPath::new(bad).is_err(), "{bad:?} must be refused");
        }
    }

    #[test]
    fn typed_paths_may_start_with_dot_slash() -> Result<(), PathError> {
        for typed in ["src/a.py", "./src/a.py", "././src/a.py"] {
            assert_eq!(RepoPath::from_typed(typed)?.as_str(), "src/a.py");
        }
        for bad in ["./", ".", "./..", ".//a", "./../a", "/a", "a/./b", ""] {
            let error = RepoPath::from_typed(bad).err().map(|e| e.to_string());
            assert!(
                error.is_some_and(|e| e.starts_with(&format!("{bad:?} "))),
                "{bad}"
            );
        }
        Ok(())
    }

    #[test]
    fn path_parts_are_split() -> Result<(), PathError> {
        let path = RepoPath::new("src/app/model.test.ts")?;
        assert_eq!(path.directory(), "src/app");
        assert_eq!(path.file_name(), "model.test.ts");
        assert_eq!(path.stem(), "model.test");
        assert_eq!(path.extension(), "ts");
        assert_eq!(RepoPath::new(".env")?.extension(), "");
        Ok(())
    }
}

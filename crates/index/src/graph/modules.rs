//! Which file a module specifier stands for. Each family of languages has its own rules, in a room
//! of its own; what they share (families, joining paths) is here. Nothing is configured: roots,
//! packages and aliases are found from the tree.

use foveate_model::{ImportKind, Language};

use crate::files::{FileId, Files};
use crate::graph::ecmascript::EcmascriptModules;
use crate::graph::python::PythonModules;

/// Languages that share one module system, so that names of one are never taken for names of
/// another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    Python,
    Ecmascript,
    /// A language without a module resolver: only scopes within a file are known.
    Other(Language),
}

impl Family {
    pub(super) fn of(language: Language) -> Self {
        match language {
            Language::Python => Self::Python,
            Language::JavaScript | Language::TypeScript | Language::Tsx => Self::Ecmascript,
            other => Self::Other(other),
        }
    }
}

/// The module resolvers of one revision.
#[derive(Debug, Default)]
pub(super) struct Modules {
    pub(super) python: PythonModules,
    pub(super) ecmascript: EcmascriptModules,
}

impl Modules {
    pub(super) fn new(files: &Files) -> Self {
        let (python, ecmascript) = rayon::join(
            || PythonModules::new(files),
            || EcmascriptModules::new(files),
        );
        Self { python, ecmascript }
    }

    /// The file that `module`, as written in `importer`, stands for. `None` where it lies outside
    /// the repository.
    pub(super) fn resolve(
        &self,
        files: &Files,
        importer: FileId,
        module: &str,
        kind: ImportKind,
    ) -> Option<FileId> {
        match Family::of(files.file(importer).language) {
            Family::Python if kind == ImportKind::Dynamic && module.starts_with('.') => None,
            Family::Python => self.python.resolve(files, importer, module),
            Family::Ecmascript => self.ecmascript.resolve(files, importer, module),
            Family::Other(_) => None,
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.python.heap_bytes() + self.ecmascript.heap_bytes()
    }
}

/// Joins a relative `/`-separated path to a directory and resolves `.` and `..`; `None` where that
/// leaves the repository's root.
pub(super) fn join(directory: &str, relative: &str) -> Option<String> {
    let mut path = String::with_capacity(directory.len() + relative.len() + 16);
    path.push_str(directory);
    for segment in relative.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                if path.is_empty() {
                    return None;
                }
                path.truncate(path.rfind('/').unwrap_or(0));
            }
            name => {
                if !path.is_empty() {
                    path.push('/');
                }
                path.push_str(name);
            }
        }
    }
    Some(path)
}

/// The directory of a path; empty at the root.
pub(super) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// Whether `path` lies below `directory` or is it.
pub(super) fn is_below(path: &str, directory: &str) -> bool {
    directory.is_empty()
        || path
            .strip_prefix(directory)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// How many leading segments two paths share.
pub(super) fn shared_segments(a: &str, b: &str) -> usize {
    a.split('/')
        .zip(b.split('/'))
        .take_while(|(a, b)| a == b)
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_inside_the_root_only() {
        assert_eq!(join("a/b", "../c.ts").as_deref(), Some("a/c.ts"));
        assert_eq!(join("", "./c").as_deref(), Some("c"));
        assert_eq!(join("a", "..").as_deref(), Some(""));
        assert_eq!(join("a", "../../x"), None);
    }

    #[test]
    fn below_is_by_segments() {
        assert!(is_below("a/b", "a"));
        assert!(!is_below("ab", "a"));
        assert!(is_below("a", ""));
    }
}

//! Finds the directory that a query names: `pkg/registry` of "what does pkg/registry depend on?".

use foveate_index::{FileId, Files};
use foveate_model::{Role, SourceFile};

/// Maximum files below a directory.
const MAX_FILES: usize = 1_000;

/// Maximum words of a query that are looked at: questions about a directory are short.
const MAX_WORDS: usize = 200;

/// Words before a directory that is not what the question is about: "who uses the cache in src/shop?".
const WITHIN: [&str; 5] = ["in", "within", "inside", "under", "from"];

/// Words before the name of a directory: "the directory docs".
const KINDS: [&str; 2] = ["directory", "folder"];

/// Returns the path of the only directory that a query names, by its path or as "the directory docs".
pub(super) fn path<'f>(files: &'f Files, query: &str) -> Option<&'f str> {
    let is_name = |before: &str, word: &str| word.contains('/') || KINDS.contains(&before);
    only(files, query, is_name).map(|directory| directory.path)
}

/// Returns the sources below the only directory that a question names by its path, in path order; none if it names no
/// directory, or several. A name without a slash may mean anything.
pub(super) fn sources(files: &Files, query: &str) -> Vec<FileId> {
    let is_about = |before: &str, word: &str| word.contains('/') && !WITHIN.contains(&before);
    let Some(directory) = only(files, query, is_about) else {
        return Vec::new();
    };
    let is_source =
        |(_, file): &(usize, &SourceFile)| file.role == Role::Source && file.language.is_code();
    let below = (directory.first..).zip(directory.below);
    let sources = below.filter(is_source).take(MAX_FILES);
    sources.map(|(at, _)| FileId(at as u32)).collect()
}

/// A directory that a query names.
struct Directory<'f> {
    path: &'f str,
    /// All files below it, and the position of the first of them.
    below: &'f [SourceFile],
    first: usize,
}

/// Returns the only directory that words of a query name. `is_name` says which words may, given the word before and the word.
fn only<'f>(
    files: &'f Files,
    query: &str,
    is_name: impl Fn(&str, &str) -> bool,
) -> Option<Directory<'f>> {
    let words = query.split_whitespace().take(MAX_WORDS);
    let before = std::iter::once("").chain(words.clone());
    let mut named = before
        .zip(words)
        .filter(|(before, word)| is_name(before, word))
        .filter_map(|(_, word)| directory(files, word));
    let first = named.next()?;
    named.all(|other| other.path == first.path).then_some(first)
}

/// Returns the directory whose path is a word, if the repository has files below it.
fn directory<'f>(files: &'f Files, word: &str) -> Option<Directory<'f>> {
    let is_outside = |c: char| !(c.is_alphanumeric() || "/._-@+".contains(c));
    let path = word.trim_matches(is_outside);
    let path = path.strip_prefix("./").unwrap_or(path);
    let path = path.trim_end_matches(['.', '/']).trim_start_matches('/');
    let prefix = format!("{path}/");
    // Files are in path order, so that those below a directory are contiguous.
    let all = files.as_slice();
    let first = all.partition_point(|file| file.path.as_str() < prefix.as_str());
    let rest = all.get(first..)?;
    let count = rest.partition_point(|file| file.path.as_str().starts_with(&prefix));
    let below = rest.get(..count)?;
    let path = below.first()?.path.as_str().get(..path.len())?;
    Some(Directory { path, below, first })
}

#[cfg(test)]
mod tests {
    use foveate_fixture::snapshot::of_text;

    use super::*;

    #[test]
    fn only_directory_of_a_question_gives_its_sources() {
        let snapshot = of_text(
            "
            //- pkg/registry-old/a.go
            package old

            //- pkg/registry.go
            package pkg

            //- pkg/registry/README.md
            # Registry

            //- pkg/registry/auth/token.go
            package auth

            //- pkg/registry/client.go
            package registry

            //- pkg/registry/client_test.go
            package registry

            //- pkg/repo/repo.go
            package repo
            ",
        );
        let files = &snapshot.files;
        let of = |query: &str| {
            let found = sources(files, query).into_iter();
            found.map(|id| files.path(id)).collect::<Vec<_>>()
        };
        let wanted = ["pkg/registry/auth/token.go", "pkg/registry/client.go"];
        for query in [
            "what does pkg/registry depend on?",
            "who imports `./pkg/registry/`?",
            "what depends on /pkg/registry.",
        ] {
            assert_eq!(of(query), wanted, "{query}");
        }
        for query in [
            "what does registry depend on?",
            "what does pkg/reg depend on?",
            "what does pkg/registry/client.go depend on?",
            "what do pkg/registry and pkg/repo depend on?",
            "who uses tokens in pkg/registry?",
            "what does / depend on?",
        ] {
            assert_eq!(of(query), [""; 0], "{query}");
        }
    }

    #[test]
    fn only_directory_of_a_query_is_named() {
        let snapshot = of_text(
            "
            //- pkg/registry/client.go
            package registry

            //- pkg/repo/repo.go
            package repo
            ",
        );
        let files = &snapshot.files;
        for (query, named) in [
            ("what is in `pkg/registry`?", Some("pkg/registry")),
            (
                "pkg/registry/, that is ./pkg/registry",
                Some("pkg/registry"),
            ),
            ("what does the directory pkg do?", Some("pkg")),
            ("what does the package pkg do?", None),
            ("the directory of pkg/registry and pkg/repo", None),
            ("what is in pkg/registry/client.go?", None),
        ] {
            assert_eq!(path(files, query), named, "{query}");
        }
    }
}

//! Finds the files of the directory that a short question names: `pkg/registry` of "what does pkg/registry depend on?".

use foveate_index::{FileId, Files};
use foveate_model::{Role, SourceFile};

/// Maximum files below a directory.
const MAX_FILES: usize = 1_000;

/// Words before a directory that is not what the question is about: "who uses the cache in src/shop?".
const WITHIN: [&str; 5] = ["in", "within", "inside", "under", "from"];

/// Returns the sources below the only directory that a question names by its path, in path order; none if it names no
/// directory, or several. A name without a slash may mean anything.
pub(super) fn sources(files: &Files, query: &str) -> Vec<FileId> {
    let words = query.split_whitespace();
    let before = std::iter::once("").chain(words.clone());
    let about = before
        .zip(words)
        .filter(|(before, word)| word.contains('/') && !WITHIN.contains(before));
    let mut directories = about
        .map(|(_, word)| below(files, word))
        .filter(|(_, below)| !below.is_empty());
    let Some((first, below)) = directories.next() else {
        return Vec::new();
    };
    if directories.next().is_some() {
        return Vec::new();
    }
    let is_source =
        |(_, file): &(usize, &SourceFile)| file.role == Role::Source && file.language.is_code();
    let sources = (first..).zip(below).filter(is_source).take(MAX_FILES);
    sources.map(|(at, _)| FileId(at as u32)).collect()
}

/// Returns the position of the first file below a directory, and all files below it.
fn below<'f>(files: &'f Files, word: &str) -> (usize, &'f [SourceFile]) {
    let is_outside = |c: char| !(c.is_alphanumeric() || "/._-@+".contains(c));
    let path = word.trim_matches(is_outside);
    let path = path.strip_prefix("./").unwrap_or(path);
    let path = path.trim_end_matches(['.', '/']).trim_start_matches('/');
    let prefix = format!("{path}/");
    // Files are in path order, so that those below a directory are contiguous.
    let all = files.as_slice();
    let first = all.partition_point(|file| file.path.as_str() < prefix.as_str());
    let rest = all.get(first..).unwrap_or_default();
    let count = rest.partition_point(|file| file.path.as_str().starts_with(&prefix));
    let below = rest.get(..count).filter(|_| !path.is_empty());
    (first, below.unwrap_or_default())
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
}

//! Defines where the data of repositories lie in the data directory. What is written there must be found again when its
//! repository is gone.

use std::path::{Path, PathBuf};

use crate::engine::RepoName;

/// Directory, in the data directory, of the on-disk indexes: one subdirectory per repository.
pub const INDEX: &str = "index";
/// Directory, in the data directory, of the clones of remote repositories: one subdirectory each.
pub const CLONES: &str = "git";
/// Directory, in the data directory, of the credentials taken from URLs: one file per repository.
pub const CREDENTIALS: &str = "credentials";

/// Extension of a credentials file.
const LOGIN: &str = "json";
/// Extension of the directory of a clone.
const CLONE: &str = "git";
/// Extension of a clone that another one replaces.
pub(super) const DAMAGED: &str = "damaged";
/// Extension of the directory of a clone that is not complete.
pub(super) const UNFINISHED: &str = "unfinished";

/// The directories of the data of repositories, with the extensions of their entries. Unfinished clones are no data:
/// they are removed at the start.
pub(super) const ENTRIES: [(&str, &str); 4] = [
    (INDEX, ""),
    (CREDENTIALS, LOGIN),
    (CLONES, CLONE),
    (CLONES, DAMAGED),
];

/// Returns the path of a remote repository's clone in a data directory.
pub fn clone_path(data_dir: &Path, name: &RepoName) -> PathBuf {
    data_dir.join(CLONES).join(entry(name, CLONE))
}

/// Returns the name of a repository's file in the directory of credentials.
pub(super) fn login_file(name: &RepoName) -> String {
    entry(name, LOGIN)
}

fn entry(name: &RepoName, extension: &str) -> String {
    format!("{}.{extension}", name.segment())
}

/// Returns the repository of an entry that has one of the extensions in [`ENTRIES`].
pub(super) fn repository_of(entry: &str, extension: &str) -> Option<RepoName> {
    let segment = match extension {
        "" => entry,
        extension => entry.strip_suffix(extension)?.strip_suffix('.')?,
    };
    RepoName::from_segment(segment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_a_repository_are_found_by_name() {
        let name = RepoName::new("acme/shop.js").unwrap();
        let clone = clone_path(Path::new("/data"), &name);
        assert_eq!(clone, Path::new("/data/git/acme%2Fshop.js.git"));
        let damaged = clone.with_extension(DAMAGED);
        for (entry, extension) in [
            (&*name.segment(), ""),
            (&*login_file(&name), LOGIN),
            (clone.file_name().unwrap().to_str().unwrap(), CLONE),
            (damaged.file_name().unwrap().to_str().unwrap(), DAMAGED),
        ] {
            let found = repository_of(entry, extension);
            assert_eq!(found.as_ref(), Some(&name), "{entry}");
        }
        for entry in ["shop", ".git", "shopgit", "shop.git.unfinished"] {
            assert_eq!(repository_of(entry, CLONE), None, "{entry}");
        }
    }
}

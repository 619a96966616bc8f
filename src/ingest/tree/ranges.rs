//! Finds the paths of an ordered map that lie in one directory, without going over all the others.

use std::collections::{BTreeMap, btree_map};
use std::ops::Bound;

use foveate_model::RepoPath;

/// Returns the paths directly in a directory (empty: the root). What lies deeper is jumped over, so that a directory
/// near the root does not cost as much as the whole tree.
pub(super) fn children<'m, V>(
    map: &'m BTreeMap<RepoPath, V>,
    directory: &str,
) -> impl Iterator<Item = &'m RepoPath> + use<'m, V> {
    let prefix = prefix(directory);
    let mut rest = starting_at(map, &prefix);
    std::iter::from_fn(move || {
        loop {
            let (path, _) = rest.next()?;
            let below = path.as_str().strip_prefix(prefix.as_str())?;
            let Some((subdirectory, _)) = below.split_once('/') else {
                return Some(path);
            };
            // `0` is the character after `/`: all paths in the subdirectory are smaller.
            rest = starting_at(map, &format!("{prefix}{subdirectory}0"));
        }
    })
}

/// Returns the paths anywhere below a directory.
pub(super) fn below<'m, V>(
    map: &'m BTreeMap<RepoPath, V>,
    directory: &str,
) -> impl Iterator<Item = &'m RepoPath> + use<'m, V> {
    let prefix = prefix(directory);
    let paths = starting_at(map, &prefix).map(|(path, _)| path);
    paths.take_while(move |path| path.as_str().starts_with(&prefix))
}

/// Returns the text with which all paths below a directory begin.
fn prefix(directory: &str) -> String {
    match directory {
        "" => String::new(),
        directory => format!("{directory}/"),
    }
}

fn starting_at<'m, V>(
    map: &'m BTreeMap<RepoPath, V>,
    start: &str,
) -> btree_map::Range<'m, RepoPath, V> {
    map.range::<str, _>((Bound::Included(start), Bound::Unbounded))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_by_directory() {
        let paths = [
            "a", "a-b", "a-b/x", "a.py", "a/b", "a/b-c", "a/b/c", "a/b/c/d", "a/b0", "a/z", "a0",
            "a0/y", "b/c/d/e", "b/c/f", "ä/ö", "z",
        ];
        let map: BTreeMap<RepoPath, ()> = paths
            .iter()
            .map(|path| (RepoPath::new(path).unwrap(), ()))
            .collect();
        for directory in ["", "a", "a-b", "a/b", "a0", "b", "b/c", "b/c/d", "c", "ä"] {
            let direct: Vec<_> = map.keys().filter(|p| p.directory() == directory).collect();
            assert_eq!(
                children(&map, directory).collect::<Vec<_>>(),
                direct,
                "{directory}"
            );
            let prefix = prefix(directory);
            let all: Vec<_> = map
                .keys()
                .filter(|p| p.as_str().starts_with(&prefix))
                .collect();
            assert_eq!(
                below(&map, directory).collect::<Vec<_>>(),
                all,
                "{directory}"
            );
        }
    }
}

//! Joins, compares and climbs paths inside a repository, as text.

/// Joins a relative `/`-separated path to a directory and resolves `.` and `..`; `None` if that leaves the
/// repository's root.
pub(crate) fn join(directory: &str, relative: &str) -> Option<String> {
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

/// Returns the directory of a path; empty at the root.
pub(crate) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// Whether `path` is `directory` or below it.
pub(crate) fn is_below(path: &str, directory: &str) -> bool {
    directory.is_empty()
        || path
            .strip_prefix(directory)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the number of leading segments that two paths share.
pub(crate) fn shared_segments(a: &str, b: &str) -> usize {
    a.split('/')
        .zip(b.split('/'))
        .take_while(|(a, b)| a == b)
        .count()
}

/// Returns a directory and those above it, innermost first.
pub(crate) fn ancestors(directory: &str) -> impl Iterator<Item = &str> {
    let mut next = Some(directory);
    std::iter::from_fn(move || {
        let current = next?;
        next = (!current.is_empty()).then(|| parent(current));
        Some(current)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn join_refuses_paths_outside_the_root() {
        assert_eq!(join("a/b", "../c.ts").as_deref(), Some("a/c.ts"));
        assert_eq!(join("", "./c").as_deref(), Some("c"));
        assert_eq!(join("a", "..").as_deref(), Some(""));
        assert_eq!(join("a", "../../x"), None);
    }

    #[test]
    fn is_below_compares_whole_segments() {
        assert!(is_below("a/b", "a"));
        assert!(!is_below("ab", "a"));
        assert!(is_below("a", ""));
    }
}

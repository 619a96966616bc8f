//! Paths inside a repository as text: joining, comparing, climbing.

/// Joins a relative `/`-separated path to a directory and resolves `.` and `..`; `None` where that
/// leaves the repository's root.
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

/// The directory of a path; empty at the root.
pub(crate) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// Whether `path` lies below `directory` or is it.
pub(crate) fn is_below(path: &str, directory: &str) -> bool {
    directory.is_empty()
        || path
            .strip_prefix(directory)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// How many leading segments two paths share.
pub(crate) fn shared_segments(a: &str, b: &str) -> usize {
    a.split('/')
        .zip(b.split('/'))
        .take_while(|(a, b)| a == b)
        .count()
}

/// A directory and those above it, the innermost first.
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

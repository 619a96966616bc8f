//! Reads the memory limits of a process's control groups (Linux, versions 1 and 2): those of a container or a systemd
//! unit.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// Limits from here on mean no limit: version 1 writes such a number of bytes where memory is unlimited.
const UNLIMITED: u64 = 1 << 60;

/// Returns the bytes of memory that a process and all others of its groups may use together; `None` if that is
/// unlimited. `root` is `/`, `process` a number or `self`.
pub(super) fn memory_limit(root: &Path, process: &str) -> Option<u64> {
    let groups = fs::read_to_string(root.join("proc").join(process).join("cgroup")).ok();
    let mounted = root.join("sys/fs/cgroup");
    let unified = if mounted.join("unified").is_dir() {
        mounted.join("unified")
    } else {
        mounted.clone()
    };
    // In a container, its own group is mounted at the root, whatever path the process has.
    let mut limits = vec![
        limit(&unified.join("memory.max")),
        limit(&mounted.join("memory/memory.limit_in_bytes")),
    ];
    for line in groups.iter().flat_map(|text| text.lines()) {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next().unwrap_or(""), fields.next().unwrap_or("/"));
        let (base, file) = if controllers.is_empty() {
            (unified.clone(), "memory.max")
        } else if controllers.split(',').any(|name| name == "memory") {
            (mounted.join("memory"), "memory.limit_in_bytes")
        } else {
            continue;
        };
        // The limits of all ancestors of a group apply, too.
        let mut group: PathBuf = base;
        for part in Path::new(path).components() {
            if let Component::Normal(name) = part {
                group.push(name);
                limits.push(limit(&group.join(file)));
            }
        }
    }
    limits.into_iter().flatten().min()
}

/// Reads the limit in a file; `None` for `max`.
fn limit(file: &Path) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let bytes = text.trim().parse().ok()?;
    (bytes < UNLIMITED).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes files, given as path and content, below a temporary root.
    fn root(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a temporary directory");
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().expect("a file in a directory")).expect("it is made");
            fs::write(path, text).expect("it is written");
        }
        root
    }

    #[test]
    fn smallest_limit_of_ancestors_applies() {
        let unit = "sys/fs/cgroup/system.slice/foveate.service/memory.max";
        let slice = "sys/fs/cgroup/system.slice/memory.max";
        let group = ("proc/7/cgroup", "0::/system.slice/foveate.service\n");
        for (files, wanted) in [
            (vec![group, (unit, "1000\n"), (slice, "max\n")], Some(1000)),
            (vec![group, (unit, "1000"), (slice, "900")], Some(900)),
            (vec![group, (unit, "max")], None),
            (vec![("sys/fs/cgroup/memory.max", "500")], Some(500)),
            (vec![], None),
        ] {
            let root = root(&files);
            assert_eq!(memory_limit(root.path(), "7"), wanted, "{files:?}");
        }
    }

    #[test]
    fn limits_of_cgroup_version_1_apply() {
        let group = (
            "proc/self/cgroup",
            "5:cpu,memory:/docker/ab\n1:name=systemd:/\n0::/\n",
        );
        let files = [
            group,
            (
                "sys/fs/cgroup/memory/memory.limit_in_bytes",
                "9223372036854771712",
            ),
            (
                "sys/fs/cgroup/memory/docker/ab/memory.limit_in_bytes",
                "700",
            ),
        ];
        assert_eq!(memory_limit(root(&files).path(), "self"), Some(700));
        let odd = [("proc/self/cgroup", "nonsense\n0::/../../etc\n:\n")];
        assert_eq!(memory_limit(root(&odd).path(), "self"), None);
    }
}

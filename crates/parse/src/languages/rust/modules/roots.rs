//! Finds the root of the crate that a file is part of, by the layout of its package.

use foveate_model::FileId;
use foveate_model::resolution::FileTree;

use super::Package;
use crate::paths::{join, parent};

/// Returns the root of a file's crate by the package's layout. Each file directly in `tests`,
/// `examples`, `benches` and `src/bin` is a root, as is `main.rs` in a directory there.
pub(super) fn own_root(files: &dyn FileTree, package: &Package, path: &str) -> Option<FileId> {
    let below = path
        .strip_prefix(&*package.directory)?
        .trim_start_matches('/');
    for group in ["src/bin/", "tests/", "examples/", "benches/"] {
        let Some(rest) = below.strip_prefix(group) else {
            continue;
        };
        let (first, has_more) = match rest.split_once('/') {
            Some((first, _)) => (first, true),
            None => (rest, false),
        };
        let at = |name: String| files.find(&join(&package.directory, &name)?);
        return match has_more {
            true => at(format!("{group}{first}/main.rs"))
                .or_else(|| at(format!("{group}{first}.rs")))
                .or_else(|| at(format!("{group}main.rs"))),
            false => files.find(path),
        };
    }
    match below {
        "src/main.rs" | "build.rs" => files.find(path),
        _ if below.starts_with("src/") => {
            let main = files.find(&join(&package.directory, "src/main.rs")?);
            package.library.or(main)
        }
        // A build script, or a crate that the manifest places elsewhere.
        _ => {
            let mut directory = parent(path);
            while directory.len() > package.directory.len() {
                let main = format!("{directory}/main.rs");
                if let Some(main) = files.find(&main) {
                    return Some(main);
                }
                directory = parent(directory);
            }
            package.library
        }
    }
}

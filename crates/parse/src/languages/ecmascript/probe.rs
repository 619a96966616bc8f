//! Finds the file for a path in a script that has no ending, has the ending of a compiled file, or lies in
//! a directory of build outputs.

use std::collections::BTreeSet;

use foveate_model::FileId;
use foveate_model::resolution::FileTree;

/// Endings tried after a specifier without one, in this order: sources before declarations.
const ENDINGS: &[&str] = &[
    ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".d.ts", ".d.mts", ".d.cts",
    ".vue", ".svelte",
];

/// Endings of specifiers, each with those of the sources that it may be compiled from.
const COMPILED: &[(&str, &[&str])] = &[
    (".d.ts", &[".ts", ".tsx", ".d.ts"]),
    (".d.mts", &[".mts", ".d.mts"]),
    (".d.cts", &[".cts", ".d.cts"]),
    (".js", &[".ts", ".tsx", ".js", ".jsx", ".mts", ".d.ts"]),
    (".jsx", &[".tsx", ".jsx", ".d.ts"]),
    (".mjs", &[".mts", ".mjs", ".ts", ".d.mts"]),
    (".cjs", &[".cts", ".cjs", ".ts", ".d.cts"]),
];

/// Directories that builds write to.
const OUTPUTS: &[&str] = &[
    "lib", "dist", "build", "out", "output", "es", "esm", "cjs", "umd", "types", "typings", "libs",
    "compiled", "_build",
];

/// Returns the file at `path`, tried with all endings and as a directory with an index.
pub(super) fn probe(files: &dyn FileTree, path: &str) -> Option<FileId> {
    let mut candidate = String::with_capacity(path.len() + 12);
    for (compiled, sources) in COMPILED {
        if let Some(stem) = path.strip_suffix(compiled) {
            let found = with_endings(files, &mut candidate, stem, sources);
            if found.is_some() {
                return found;
            }
            break;
        }
    }
    if let Some(id) = files.find(path) {
        return Some(id);
    }
    with_endings(files, &mut candidate, path, ENDINGS).or_else(|| {
        let index = if path.is_empty() {
            String::from("index")
        } else {
            format!("{path}/index")
        };
        with_endings(files, &mut candidate, &index, ENDINGS)
    })
}

/// Returns the declarations that a file of declarations means by a path: `index.d.ts` by `./index.js`, although that
/// file exists, too.
pub(super) fn probe_declarations(files: &dyn FileTree, path: &str) -> Option<FileId> {
    let endings = [(".js", ".d.ts"), (".mjs", ".d.mts"), (".cjs", ".d.cts")];
    let mut written = endings.iter();
    let (stem, ending) = written
        .find_map(|(compiled, ending)| Some((path.strip_suffix(compiled)?, *ending)))
        .unwrap_or((path, ".d.ts"));
    files.find(&format!("{stem}{ending}"))
}

/// Whether a file has declarations alone.
pub(super) fn is_declaration_file(name: &str) -> bool {
    [".d.ts", ".d.mts", ".d.cts"]
        .iter()
        .any(|ending| name.ends_with(ending))
}

/// Returns the file that [`probe`] finds, or else the source that a build would create it from.
pub(super) fn probe_source(files: &dyn FileTree, path: &str) -> Option<FileId> {
    probe(files, path).or_else(|| {
        let mut end = path.len();
        // The innermost output directory is tried first.
        while let Some(start) = path.get(..end).map(|p| p.rfind('/').map_or(0, |s| s + 1)) {
            let segment = path.get(start..end).unwrap_or("");
            if end < path.len() && OUTPUTS.contains(&segment) {
                let found = probe_output(files, path.get(..start)?, path.get(end + 1..)?);
                if found.is_some() {
                    return found;
                }
            }
            if start == 0 {
                break;
            }
            end = start - 1;
        }
        None
    })
}

/// Returns the source of the file `rest` in an output directory below `base` (empty or ending in `/`).
fn probe_output(files: &dyn FileTree, base: &str, rest: &str) -> Option<FileId> {
    let source = format!("{base}src/{rest}");
    let found = probe(files, &source).or_else(|| probe(files, &format!("{base}{rest}")));
    if found.is_some() {
        return found;
    }
    // `dist/esm/index.js`: one more level of output.
    let (first, deeper) = rest.split_once('/')?;
    if OUTPUTS.contains(&first) || matches!(first, "node" | "browser" | "module" | "common") {
        return probe(files, &format!("{base}src/{deeper}"));
    }
    None
}

fn with_endings(
    files: &dyn FileTree,
    candidate: &mut String,
    stem: &str,
    endings: &[&str],
) -> Option<FileId> {
    endings.iter().find_map(|ending| {
        candidate.clear();
        candidate.push_str(stem);
        candidate.push_str(ending);
        files.find(candidate)
    })
}

/// Returns all JSON files with a wanted name, with directory and text, in path order.
pub(super) fn json_files<'a>(
    files: &'a dyn FileTree,
    is_wanted: impl Fn(&str) -> bool + 'a,
) -> impl Iterator<Item = (FileId, &'a str, &'a str)> {
    files.ids().filter_map(move |id| {
        let file = files.file(id);
        let text = file.content.as_ref().map(|content| &*content.text);
        text.filter(|_| is_wanted(file.path.file_name()))
            .map(|text| (id, file.path.directory(), text))
    })
}

/// Keeps the first of equal values.
pub(super) fn unique(values: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    values
        .into_iter()
        .filter(|value| seen.insert(value.clone()))
        .collect()
}

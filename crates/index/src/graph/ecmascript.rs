//! ECMAScript modules: what a specifier in an import stands for. Relative specifiers are probed
//! with the extensions that compilers and bundlers try; others go through the nearest
//! `tsconfig.json`, then through the packages of the repository. Built outputs that are not in the
//! repository are mapped back to the sources that they come from.

use std::collections::BTreeSet;

use foveate_model::Language;

use crate::files::{FileId, Files};
use crate::graph::modules::{Family, join, parent};
use crate::graph::packages::Packages;
use crate::graph::tsconfig::Configs;

/// Endings tried after a specifier without one, in this order: sources before declarations.
const ENDINGS: &[&str] = &[
    ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".d.ts", ".d.mts", ".d.cts",
    ".vue", ".svelte",
];

/// A specifier's own ending, and those of the sources that it may have been compiled from.
const COMPILED: &[(&str, &[&str])] = &[
    (".d.ts", &[".ts", ".tsx", ".d.ts"]),
    (".d.mts", &[".mts", ".d.mts"]),
    (".d.cts", &[".cts", ".d.cts"]),
    (".js", &[".ts", ".tsx", ".js", ".jsx", ".mts", ".d.ts"]),
    (".jsx", &[".tsx", ".jsx", ".d.ts"]),
    (".mjs", &[".mts", ".mjs", ".ts", ".d.mts"]),
    (".cjs", &[".cts", ".cjs", ".ts", ".d.cts"]),
];

/// Directories that builds write into.
const OUTPUTS: &[&str] = &[
    "lib", "dist", "build", "out", "output", "es", "esm", "cjs", "umd", "types", "typings", "libs",
    "compiled", "_build",
];

/// The packages and compiler settings of one revision.
#[derive(Debug, Default)]
pub(super) struct EcmascriptModules {
    packages: Packages,
    configs: Configs,
}

impl EcmascriptModules {
    /// Reads all `package.json`, `tsconfig*.json` and `jsconfig.json` files that have content.
    pub(super) fn new(files: &Files) -> Self {
        let uses = files
            .as_slice()
            .iter()
            .any(|file| Family::of(file.language) == Family::Ecmascript);
        if !uses {
            return Self::default();
        }
        let packages = Packages::new(files);
        let configs = Configs::new(files, &packages);
        Self { packages, configs }
    }

    /// The file that `specifier`, as written in `importer`, stands for.
    pub(super) fn resolve(
        &self,
        files: &Files,
        importer: FileId,
        specifier: &str,
    ) -> Option<FileId> {
        // Bundlers take options after a question mark or before an exclamation mark.
        let specifier = specifier.split('?').next().unwrap_or(specifier);
        let specifier = specifier.rsplit('!').next().unwrap_or(specifier);
        let directory = files.file(importer).path.directory();
        if specifier == "."
            || specifier == ".."
            || specifier.starts_with("./")
            || specifier.starts_with("../")
        {
            let path = join(directory, specifier)?;
            return probe_source(files, &path)
                .or_else(|| self.packages.resolve_directory(files, &path));
        }
        if specifier.is_empty() || specifier.starts_with('/') || specifier.contains(':') {
            return None;
        }
        self.configs
            .targets(directory, specifier)
            .iter()
            .find_map(|path| probe_source(files, path))
            .or_else(|| self.packages.resolve_internal(files, directory, specifier))
            .or_else(|| self.packages.resolve(files, directory, specifier))
            .or_else(|| self.resolve_alias(files, directory, specifier))
    }

    /// The file of a package specifier (`@scope/core/lib/x`), for callers without an importer.
    pub(super) fn resolve_package(&self, files: &Files, specifier: &str) -> Option<FileId> {
        self.packages.resolve(files, "", specifier)
    }

    /// The aliases that bundlers are commonly given: `@/x` and `~/x` for the sources of the nearest
    /// package, and a path from that package's directory.
    fn resolve_alias(&self, files: &Files, directory: &str, specifier: &str) -> Option<FileId> {
        let root = self.packages.nearest_directory(directory);
        if let Some(rest) = specifier
            .strip_prefix("@/")
            .or_else(|| specifier.strip_prefix("~/"))
        {
            return ["src", "app", "."]
                .iter()
                .find_map(|top| probe(files, &join(&join(root, top)?, rest)?));
        }
        let first = specifier.split('/').next().unwrap_or(specifier);
        if first == "src" && specifier != first {
            return probe(files, &join(root, specifier)?);
        }
        None
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.packages.heap_bytes() + self.configs.heap_bytes()
    }
}

/// The file at `path`, tried with all endings and as a directory with an index.
pub(super) fn probe(files: &Files, path: &str) -> Option<FileId> {
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

/// [`probe`]; where nothing is there, the source that a build would have made it from.
pub(super) fn probe_source(files: &Files, path: &str) -> Option<FileId> {
    probe(files, path).or_else(|| {
        let mut end = path.len();
        // The innermost output directory first.
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

/// The source of the output `rest` of an output directory below `base` (empty or ending in `/`).
fn probe_output(files: &Files, base: &str, rest: &str) -> Option<FileId> {
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
    files: &Files,
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

/// All JSON files with one of these names, with their directory, in path order.
pub(super) fn json_files<'a>(
    files: &'a Files,
    is_wanted: impl Fn(&str) -> bool + 'a,
) -> impl Iterator<Item = (FileId, &'a str, &'a str)> {
    files.ids().filter_map(move |id| {
        let file = files.file(id);
        let json = file.language == Language::Json;
        let text = file.content.as_ref().map(|content| &*content.text);
        text.filter(|_| json && is_wanted(file.path.file_name()))
            .map(|text| (id, file.path.directory(), text))
    })
}

/// A directory and those above it, the innermost first.
pub(super) fn ancestors(directory: &str) -> impl Iterator<Item = &str> {
    let mut next = Some(directory);
    std::iter::from_fn(move || {
        let current = next?;
        next = (!current.is_empty()).then(|| parent(current));
        Some(current)
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

//! Indexes the npm packages of a repository. Every `package.json` with a name is a package that the others
//! can import by that name, whether or not a workspace lists it.

use foldhash::HashMap;
use serde_json::Value;

use super::probe::{json_files, probe, probe_source, unique};
use crate::paths::{ancestors, join, parent, shared_segments};
use foveate_model::FileId;
use foveate_model::resolution::FileTree;

/// Maximum number of targets of one `exports` or `imports` map that are read.
const MAX_TARGETS: usize = 512;
/// Deepest nesting of export conditions.
const MAX_DEPTH: usize = 8;
/// Largest `package.json` that is read, in bytes.
const MAX_BYTES: usize = 512 * 1024;

/// One `package.json`.
#[derive(Debug, PartialEq)]
struct Package {
    directory: Box<str>,
    /// Targets of the package itself, in order of preference.
    entries: Box<[String]>,
    /// Subpath patterns (`./lib/*`) and internal ones (`#x`), each with its targets in order of preference.
    subpaths: Box<[(String, Box<[String]>)]>,
}

/// All packages of one revision.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Packages {
    packages: Vec<Package>,
    by_name: HashMap<Box<str>, Vec<u32>>,
    by_directory: HashMap<Box<str>, u32>,
    /// By the last segment of a package's name, or of its directory if no name ends with that segment.
    by_last_segment: HashMap<Box<str>, u32>,
}

impl Packages {
    pub(super) fn new(files: &dyn FileTree) -> Self {
        let mut packages = Self::default();
        for (_, directory, text) in json_files(files, |name| name == "package.json") {
            if text.len() > MAX_BYTES {
                continue;
            }
            let Ok(Value::Object(json)) = serde_json::from_str::<Value>(text) else {
                continue;
            };
            let number = packages.packages.len() as u32;
            if let Some(Value::String(name)) = json.get("name") {
                let numbers = packages.by_name.entry(name.as_str().into()).or_default();
                numbers.push(number);
            }
            packages.by_directory.insert(directory.into(), number);
            packages.packages.push(Package {
                directory: directory.into(),
                entries: entries(&json).into(),
                subpaths: subpaths(&json).into(),
            });
        }
        packages.by_last_segment = packages.last_segments();
        packages
    }

    fn last_segments(&self) -> HashMap<Box<str>, u32> {
        let names = self.by_name.iter().filter_map(|(name, numbers)| {
            let number = numbers.first()?;
            Some((&**name, *number))
        });
        let directories = (0..).zip(&self.packages);
        let directories = directories.map(|(number, package)| (&*package.directory, number));
        let mut segments = HashMap::default();
        for named in [names.collect::<Vec<_>>(), directories.collect()] {
            let mut own: HashMap<Box<str>, u32> = HashMap::default();
            for (text, number) in named {
                let last = text.rsplit('/').next().unwrap_or(text);
                let first = own.entry(last.into()).or_insert(number);
                *first = number.min(*first);
            }
            for (last, number) in own {
                segments.entry(last).or_insert(number);
            }
        }
        segments
    }

    /// Returns the file of `name` or `name/sub/path`. Of several packages with that name, the one nearest
    /// to the importing directory wins.
    pub(super) fn resolve(
        &self,
        files: &dyn FileTree,
        directory: &str,
        specifier: &str,
    ) -> Option<FileId> {
        let (name, subpath) = split_specifier(specifier);
        let numbers = self.by_name.get(name)?;
        numbers
            .iter()
            .filter_map(|number| self.packages.get(*number as usize))
            .filter_map(|package| Some((package, package.resolve(files, subpath)?)))
            .min_by_key(|(package, _)| {
                let shared = shared_segments(directory, &package.directory);
                let depth = package.directory.split('/').count();
                (std::cmp::Reverse(shared), depth, &package.directory)
            })
            .map(|(_, file)| file)
    }

    /// Returns the target of the package in a directory, for a relative import of the directory.
    pub(super) fn resolve_directory(
        &self,
        files: &dyn FileTree,
        directory: &str,
    ) -> Option<FileId> {
        let number = *self.by_directory.get(directory)?;
        self.packages.get(number as usize)?.resolve(files, "")
    }

    /// Returns the sources of the package whose built entry a path names: if it is `dist/shop.mjs`, also for `dist/shop`
    /// and `dist/shop.prod.cjs`. A build names its output after the package, so that no source has that name.
    pub(super) fn sources_of_entry(&self, files: &dyn FileTree, path: &str) -> Option<FileId> {
        let number = *self
            .by_directory
            .get(self.nearest_directory(parent(path)))?;
        let package = self.packages.get(number as usize)?;
        let named = without_endings(path);
        let names_path = |entry: &String| {
            let entry = join(&package.directory, entry);
            entry.is_some_and(|entry| without_endings(&entry) == named)
        };
        if !package.entries.iter().any(names_path) {
            return None;
        }
        probe(files, &join(&package.directory, "src")?)
    }

    /// Resolves a specifier that begins with `#` through the nearest package's `imports`.
    pub(super) fn resolve_internal(
        &self,
        files: &dyn FileTree,
        directory: &str,
        specifier: &str,
    ) -> Option<FileId> {
        if !specifier.starts_with('#') {
            return None;
        }
        ancestors(directory)
            .find_map(|directory| self.by_directory.get(directory))
            .and_then(|number| self.packages.get(*number as usize))
            .and_then(|package| package.through_subpaths(files, specifier))
    }

    /// Returns the directory of the package that a directory belongs to; the root if there is none.
    pub(super) fn nearest_directory<'a>(&self, directory: &'a str) -> &'a str {
        ancestors(directory)
            .find(|directory| self.by_directory.contains_key(*directory))
            .unwrap_or("")
    }

    pub(super) fn directory_of(&self, name: &str) -> Option<&str> {
        let number = *self.by_name.get(name)?.first()?;
        Some(&self.packages.get(number as usize)?.directory)
    }

    /// Returns the directory of the package whose name or directory ends with a segment: for `core`, that
    /// of `@scope/core`, or else of the package in `packages/core`.
    pub(super) fn directory_like(&self, segment: &str) -> Option<&str> {
        let number = *self.by_last_segment.get(segment)?;
        Some(&self.packages.get(number as usize)?.directory)
    }
}

impl Package {
    fn resolve(&self, files: &dyn FileTree, subpath: &str) -> Option<FileId> {
        if subpath.is_empty() {
            return self
                .entries
                .iter()
                .find_map(|entry| probe_source(files, &join(&self.directory, entry)?))
                .or_else(|| {
                    ["src", ".", "lib", "src/main"]
                        .iter()
                        .find_map(|top| probe(files, &join(&self.directory, top)?))
                });
        }
        self.through_subpaths(files, &format!("./{subpath}"))
            .or_else(|| probe_source(files, &join(&self.directory, subpath)?))
            .or_else(|| probe(files, &join(&join(&self.directory, "src")?, subpath)?))
    }

    /// Returns the file of the most specific pattern that matches `subpath`.
    fn through_subpaths(&self, files: &dyn FileTree, subpath: &str) -> Option<FileId> {
        let (_, middle, targets) = self
            .subpaths
            .iter()
            .filter_map(|(pattern, targets)| {
                let middle = match_pattern(pattern, subpath)?;
                Some((pattern.len(), middle, targets))
            })
            .max_by_key(|(length, middle, _)| (middle.is_empty(), *length))?;
        targets.iter().find_map(|target| {
            let target = target.replace('*', middle);
            probe_source(files, &join(&self.directory, &target)?)
        })
    }
}

/// Returns the text that `*` of a pattern matches, or the empty string for a pattern without one.
pub(super) fn match_pattern<'a>(pattern: &str, text: &'a str) -> Option<&'a str> {
    match pattern.split_once('*') {
        None if pattern.ends_with('/') && pattern.len() > 2 => {
            // The form that preceded patterns: a directory.
            text.strip_prefix(pattern)
        }
        None => (pattern == text).then_some(""),
        Some((prefix, suffix)) => text.strip_prefix(prefix)?.strip_suffix(suffix),
    }
}

/// Returns a path up to the first dot in the name of its file.
fn without_endings(path: &str) -> &str {
    let start = path.rfind('/').map_or(0, |slash| slash + 1);
    let name = path.get(start..).unwrap_or("");
    let end = name.find('.').map_or(path.len(), |dot| start + dot);
    path.get(..end).unwrap_or(path)
}

/// Splits `@scope/name/sub/path` into `@scope/name` and `sub/path`.
fn split_specifier(specifier: &str) -> (&str, &str) {
    let from = if specifier.starts_with('@') {
        specifier
            .find('/')
            .map_or(specifier.len(), |slash| slash + 1)
    } else {
        0
    };
    match specifier.get(from..).and_then(|rest| rest.find('/')) {
        Some(slash) => (&specifier[..from + slash], &specifier[from + slash + 1..]),
        None => (specifier, ""),
    }
}

/// Returns the targets of the package's own name: `exports` at its root, then the older fields.
fn entries(json: &serde_json::Map<String, Value>) -> Vec<String> {
    let mut entries = Vec::new();
    if let Some(Value::String(source)) = json.get("source") {
        entries.push(source.clone());
    }
    match json.get("exports") {
        Some(Value::Object(map)) if map.keys().any(|key| key.starts_with('.')) => {
            if let Some(root) = map.get(".") {
                targets(root, 0, &mut entries);
            }
        }
        Some(exports) => targets(exports, 0, &mut entries),
        None => {}
    }
    for field in ["module", "main", "types", "typings", "browser"] {
        if let Some(Value::String(path)) = json.get(field) {
            entries.push(path.clone());
        }
    }
    unique(entries)
}

/// Returns the patterns of `exports` below the root, and of `imports`.
fn subpaths(json: &serde_json::Map<String, Value>) -> Vec<(String, Box<[String]>)> {
    let mut patterns = Vec::new();
    for (field, mark) in [("exports", "./"), ("imports", "#")] {
        let Some(Value::Object(map)) = json.get(field) else {
            continue;
        };
        for (pattern, value) in map.iter().take(MAX_TARGETS) {
            if !pattern.starts_with(mark) {
                continue;
            }
            let mut found = Vec::new();
            targets(value, 0, &mut found);
            if pattern.ends_with('/') {
                for target in &mut found {
                    target.push('*');
                }
            }
            patterns.push((pattern.clone(), unique(found).into()));
        }
    }
    patterns
}

/// Collects all paths of an export target regardless of their conditions. They are tried until one exists.
fn targets(value: &Value, depth: usize, found: &mut Vec<String>) {
    if depth > MAX_DEPTH || found.len() > MAX_TARGETS {
        return;
    }
    match value {
        Value::String(path) => found.push(path.clone()),
        Value::Array(list) => list.iter().for_each(|v| targets(v, depth + 1, found)),
        Value::Object(conditions) => {
            // A condition that names sources is preferred; declarations come last.
            let rank = |key: &str| match key {
                "source" | "development" => 0,
                "types" | "typings" => 2,
                _ => 1,
            };
            let mut sorted: Vec<_> = conditions.iter().collect();
            sorted.sort_by_key(|(key, _)| rank(key));
            for (_, value) in sorted {
                targets(value, depth + 1, found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifiers_split_after_the_name() {
        assert_eq!(split_specifier("@a/b/c/d"), ("@a/b", "c/d"));
        assert_eq!(split_specifier("@a/b"), ("@a/b", ""));
        assert_eq!(split_specifier("a/b"), ("a", "b"));
        assert_eq!(split_specifier("@a"), ("@a", ""));
    }

    #[test]
    fn patterns_match_one_star() {
        assert_eq!(match_pattern("./lib/*", "./lib/a/b"), Some("a/b"));
        assert_eq!(match_pattern("./*.js", "./a.js"), Some("a"));
        assert_eq!(match_pattern("./a", "./b"), None);
        assert_eq!(match_pattern("./f/", "./f/x"), Some("x"));
    }
}

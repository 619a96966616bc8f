//! Reads `tsconfig.json` and `jsconfig.json`: `paths`, `baseUrl`, `extends`. The files are JSON with
//! comments and trailing commas; a file that cannot be parsed is ignored.

use foldhash::HashMap;
use serde_json::Value;

use super::packages::{Packages, match_pattern};
use super::probe::json_files;
use crate::paths::{ancestors, join};
use foveate_model::FileId;
use foveate_model::resolution::FileTree;

/// Maximum number of files that one file extends, directly or not.
const MAX_EXTENDS: usize = 32;
/// Maximum number of path patterns of one file that are read.
const MAX_PATTERNS: usize = 1024;
/// Largest file that is read, in bytes.
const MAX_BYTES: usize = 256 * 1024;

/// Settings of one file, with `extends` applied. Paths are relative to the repository's root.
#[derive(Clone, Debug, Default, PartialEq)]
struct Config {
    base: Option<String>,
    paths: Vec<(String, Vec<String>)>,
}

/// The settings of each directory that has a settings file.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Configs {
    by_directory: HashMap<Box<str>, Config>,
}

impl Configs {
    pub(super) fn new(files: &dyn FileTree, packages: &Packages) -> Self {
        let mut configs = Self::default();
        let is_config = |name: &str| {
            name == "jsconfig.json" || (name.starts_with("tsconfig") && name.ends_with(".json"))
        };
        for (id, directory, text) in json_files(files, is_config) {
            let name = files.file(id).path.file_name();
            let main = matches!(name, "tsconfig.json" | "jsconfig.json");
            let Some(json) = read(text) else { continue };
            let config = follow(files, packages, directory, &json, &mut Vec::new());
            if config.base.is_none() && config.paths.is_empty() {
                continue;
            }
            // `tsconfig.app.json` applies if `tsconfig.json`, which refers to it, sets nothing.
            let slot = configs.by_directory.entry(directory.into()).or_default();
            if main || slot.paths.is_empty() {
                let paths = std::mem::take(&mut slot.paths);
                *slot = config;
                if slot.paths.is_empty() {
                    slot.paths = paths;
                }
            }
        }
        configs
    }

    /// Returns the paths that a specifier in a directory may refer to, relative to the root and without
    /// endings, in the order in which they are tried.
    pub(super) fn targets(&self, directory: &str, specifier: &str) -> Vec<String> {
        let mut targets = Vec::new();
        if self.by_directory.is_empty() {
            return targets;
        }
        for config in ancestors(directory).filter_map(|d| self.by_directory.get(d)) {
            let best = config
                .paths
                .iter()
                .filter_map(|(pattern, paths)| {
                    let middle = match_pattern(pattern, specifier)?;
                    let prefix = pattern.find('*').unwrap_or(usize::MAX);
                    Some((prefix, middle, paths))
                })
                .max_by_key(|(prefix, _, _)| *prefix);
            if let Some((_, middle, paths)) = best {
                targets.extend(paths.iter().map(|path| path.replace('*', middle)));
            }
            if let Some(base) = &config.base {
                targets.extend(join(base, specifier));
            }
        }
        targets
    }
}

/// Returns the settings of one file; settings that it lacks come from the files that it extends, except those in
/// `extended_files`, which were read already.
fn follow(
    files: &dyn FileTree,
    packages: &Packages,
    directory: &str,
    json: &Value,
    extended_files: &mut Vec<FileId>,
) -> Config {
    let mut config = own(directory, json);
    let extended = match json.get("extends") {
        Some(Value::String(one)) => vec![one.as_str()],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).take(8).collect(),
        _ => Vec::new(),
    };
    // If several set the same, the last wins.
    for specifier in extended.into_iter().rev() {
        let Some(path) = extended_path(files, packages, directory, specifier) else {
            continue;
        };
        let Some((text, id)) = files.find(&path).map(|id| (files.text(id), id)) else {
            continue;
        };
        if extended_files.len() >= MAX_EXTENDS || extended_files.contains(&id) {
            continue;
        }
        extended_files.push(id);
        let Some(json) = read(text) else { continue };
        let directory = files.file(id).path.directory();
        let inherited = follow(files, packages, directory, &json, extended_files);
        config.base = config.base.or(inherited.base);
        if config.paths.is_empty() {
            config.paths = inherited.paths;
        }
    }
    config
}

fn own(directory: &str, json: &Value) -> Config {
    let mut config = Config::default();
    let Some(options) = json.get("compilerOptions") else {
        return config;
    };
    if let Some(Value::String(base)) = options.get("baseUrl") {
        config.base = join(directory, base);
    }
    let base = config.base.as_deref().unwrap_or(directory);
    if let Some(Value::Object(paths)) = options.get("paths") {
        for (pattern, targets) in paths.iter().take(MAX_PATTERNS) {
            let targets = targets.as_array().map_or(&[][..], Vec::as_slice);
            let targets: Vec<String> = targets
                .iter()
                .take(16)
                .filter_map(|target| join(base, target.as_str()?))
                .collect();
            config.paths.push((pattern.clone(), targets));
        }
    }
    config
}

/// Returns the path of a file that `extends` names: relative, or inside a package of the repository.
fn extended_path(
    files: &dyn FileTree,
    packages: &Packages,
    directory: &str,
    specifier: &str,
) -> Option<String> {
    let path = if specifier.starts_with('.') {
        join(directory, specifier)?
    } else {
        let scoped = usize::from(specifier.starts_with('@'));
        let slash = specifier.match_indices('/').nth(scoped).map(|(at, _)| at);
        let (name, rest) = slash.map_or((specifier, "tsconfig.json"), |at| {
            (&specifier[..at], &specifier[at + 1..])
        });
        join(packages.directory_of(name)?, rest)?
    };
    let with_ending = format!("{path}.json");
    [path.as_str(), &with_ending]
        .into_iter()
        .find(|candidate| files.find(candidate).is_some())
        .map(String::from)
}

/// Parses JSON with comments and trailing commas.
fn read(text: &str) -> Option<Value> {
    if text.len() > MAX_BYTES {
        return None;
    }
    serde_json::from_str(text)
        .or_else(|_| serde_json::from_str(&strip(text)))
        .ok()
}

/// Removes comments and trailing commas from JSON.
fn strip(text: &str) -> String {
    let text = text.trim_start_matches('\u{feff}');
    let mut stripped = String::with_capacity(text.len());
    // Position in `stripped` of a comma that is followed by blanks and comments only.
    let mut comma = None;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' => {
                comma = None;
                stripped.push('"');
                while let Some(inner) = characters.next() {
                    stripped.push(inner);
                    match inner {
                        '\\' => stripped.extend(characters.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            '/' if characters.peek() == Some(&'/') => {
                while characters.next_if(|c| *c != '\n').is_some() {}
            }
            '/' if characters.peek() == Some(&'*') => {
                characters.next();
                let mut star = false;
                for inner in characters.by_ref() {
                    if star && inner == '/' {
                        break;
                    }
                    star = inner == '*';
                }
            }
            '}' | ']' => {
                if let Some(at) = comma.take() {
                    stripped.replace_range(at..=at, " ");
                }
                stripped.push(character);
            }
            ',' => {
                comma = Some(stripped.len());
                stripped.push(',');
            }
            blank if blank.is_whitespace() => stripped.push(blank),
            other => {
                comma = None;
                stripped.push(other);
            }
        }
    }
    stripped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_trailing_commas_are_removed() {
        let json = read("{ // a\n \"a//b\": [1, 2, /* x */ ], \"c\": \"\\\"/*\", }\n/* end");
        assert_eq!(json, Some(serde_json::json!({"a//b": [1, 2], "c": "\"/*"})));
    }
}

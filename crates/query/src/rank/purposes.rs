//! Finds the well-known files that a query describes by what they decide: "tolerate less coverage" is about
//! `codecov.yml`, which need not have any of these words.

use std::collections::{BTreeMap, BTreeSet};

use foldhash::HashMap;
use foveate_index::tokens::{self, for_each_term};
use foveate_index::{FileId, Files};
use foveate_model::Role;

/// Minimum source files that tell what a project calls itself, and the maximum that are looked at.
const MIN_SOURCES: usize = 8;
const MAX_SOURCES: usize = 1_000;

/// Returns the described files, each with the strength of its best entry of words, 0 to 1:
/// `1 - Π(1 - 1 / (1 + n))` over the terms that the entry shares with the query, where `n` is the number of different
/// entries in the repository with the term. `is_asked` tells whether the query has a term, by its hash. In the repository of
/// a tool, the name of the tool stands for the code and not for the tool's settings: see [`own_names`].
pub(super) fn described(files: &Files, is_asked: impl Fn(u64) -> bool) -> HashMap<FileId, f32> {
    let own_names = own_names(files);
    let mut files_of: BTreeMap<(&str, Option<&str>), Vec<FileId>> = BTreeMap::new();
    for file in files.well_known() {
        let own_name = own_names.get(&tool_name(files, *file)).map(String::as_str);
        for words in &files.file(*file).purpose.words {
            files_of.entry((*words, own_name)).or_default().push(*file);
        }
    }
    let asked = |words: &str, own_name: Option<&str>| {
        let mut terms = BTreeSet::new();
        for_each_term(words, |term| {
            terms.extend(Some(tokens::hash(term)).filter(|term| is_asked(*term)));
        });
        for_each_term(own_name.unwrap_or(""), |term| {
            terms.remove(&tokens::hash(term));
        });
        terms
    };
    let entries: Vec<(BTreeSet<u64>, Vec<FileId>)> = files_of
        .into_iter()
        .map(|((words, own_name), files)| (asked(words, own_name), files))
        .collect();
    let mut entries_with: HashMap<u64, u32> = HashMap::default();
    for term in entries.iter().flat_map(|(terms, _)| terms) {
        *entries_with.entry(*term).or_default() += 1;
    }
    let mut described: HashMap<FileId, f32> = HashMap::default();
    for (terms, files) in entries.iter().filter(|(terms, _)| !terms.is_empty()) {
        let numbers = terms.iter().filter_map(|term| entries_with.get(term));
        let absent = numbers.map(|number| 1.0 - 1.0 / (1.0 + *number as f32));
        let strength = 1.0 - absent.product::<f32>();
        for file in files {
            let best = described.entry(*file).or_default();
            *best = best.max(strength);
        }
    }
    described
}

/// Returns the names of tools after which a directory above most source files is named, `composer` for
/// `src/Composer/Cache.php`: the repository is that of the tool.
fn own_names(files: &Files) -> BTreeSet<String> {
    let well_known = files.well_known().iter();
    let mut counts: BTreeMap<String, usize> = well_known
        .map(|file| (tool_name(files, *file), 0))
        .collect();
    if counts.is_empty() {
        return BTreeSet::new();
    }
    let step = files.len().div_ceil(MAX_SOURCES).max(1);
    let mut sources = 0;
    for file in files.ids().step_by(step).map(|id| files.file(id)) {
        if file.role != Role::Source {
            continue;
        }
        sources += 1;
        let segments = file.path.directory().split('/');
        let segments: BTreeSet<String> = segments.map(str::to_lowercase).collect();
        for segment in segments {
            if let Some(count) = counts.get_mut(&segment) {
                *count += 1;
            }
        }
    }
    counts.retain(|_, count| sources >= MIN_SOURCES && 2 * *count > sources);
    counts.into_keys().collect()
}

/// Returns the name of a well-known file without its endings, which is that of the tool for many: `composer`.
fn tool_name(files: &Files, file: FileId) -> String {
    let name = files.file(file).path.file_name().trim_start_matches('.');
    name.split('.').next().unwrap_or(name).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strength_of_a_word_is_shared_by_the_purposes_that_have_it() {
        let snapshot = foveate_fixture::snapshot::of_text(
            "
            //- codecov.yml
            a: 1
            //- tox.ini
            [tox]
            //- web/package.json
            {}
            //- package.json
            {}
            //- src/coverage.py
            a = 1
            ",
        );
        let files = &snapshot.files;
        let found = |query: &str| {
            let mut terms = BTreeSet::new();
            for_each_term(query, |term| {
                terms.insert(tokens::hash(term));
            });
            let found = described(files, |term| terms.contains(&term));
            let found = found.into_iter();
            let found =
                found.map(|(file, strength)| (files.path(file), (100.0 * strength).round()));
            found.collect::<BTreeMap<&str, f32>>()
        };
        let all = |paths: &[(&'static str, f32)]| paths.iter().copied().collect::<BTreeMap<_, _>>();
        assert_eq!(found("less coverage"), all(&[("codecov.yml", 50.0)]));
        assert_eq!(
            found("a npm script"),
            all(&[("package.json", 75.0), ("web/package.json", 75.0)])
        );
        assert_eq!(
            found("the flags of the tests"),
            all(&[("codecov.yml", 50.0), ("tox.ini", 50.0)])
        );
        assert_eq!(found("it crashes"), all(&[]));
    }

    #[test]
    fn name_of_the_tool_describes_nothing_in_its_own_repository() {
        let strength = |directory: &str, query: &str| {
            let mut code = "//- composer.json\n{}\n".to_owned();
            for number in 0..10 {
                code.push_str(&format!(
                    "//- src/{directory}/Part{number}.php\n<?php\nclass Part{number} {{}}\n"
                ));
            }
            let snapshot = foveate_fixture::snapshot::of_text(&code);
            let mut terms = BTreeSet::new();
            for_each_term(query, |term| {
                terms.insert(tokens::hash(term));
            });
            let found = described(&snapshot.files, |term| terms.contains(&term));
            found.values().copied().fold(0.0, f32::max)
        };
        let warning = "Composer gives no warning";
        assert!(strength("Shop", warning) > 0.0);
        assert!(strength("Composer", warning).abs() < f32::EPSILON);
        assert!(strength("Composer", "Composer lacks an autoload rule") > 0.0);
    }
}

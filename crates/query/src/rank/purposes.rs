//! Finds the well-known files that a query describes by what they decide: "tolerate less coverage" is about
//! `codecov.yml`, which need not have any of these words.

use std::collections::{BTreeMap, BTreeSet};

use foldhash::HashMap;
use foveate_index::tokens::{self, for_each_term};
use foveate_index::{FileId, Files};

use super::project_names::{ProjectNames, tool_name};

/// Returns the described files, each with the strength of its best entry of words, 0 to 1:
/// `1 - Π(1 - 1 / (1 + n))` over the terms that the entry shares with the query, where `n` is the number of different
/// entries in the repository with the term. `is_asked` tells whether the query has a term, by its hash. In the repository of
/// a tool, the name of the tool stands for the code and not for the tool's settings.
pub(super) fn described(
    files: &Files,
    project: &ProjectNames,
    is_asked: impl Fn(u64) -> bool,
) -> HashMap<FileId, f32> {
    let mut files_of: BTreeMap<(&str, Option<String>), Vec<FileId>> = BTreeMap::new();
    for file in files.well_known() {
        let own_name = Some(tool_name(files, *file)).filter(|name| project.contain(name));
        for words in &files.file(*file).purpose.words {
            let entry = files_of.entry((*words, own_name.clone()));
            entry.or_default().push(*file);
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
        .map(|((words, own_name), files)| (asked(words, own_name.as_deref()), files))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RankingConfig;
    use crate::text::QueryText;

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
            let found = described(files, &ProjectNames::default(), |term| {
                terms.contains(&term)
            });
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
            let config = RankingConfig::default().rank.role;
            let project = ProjectNames::of(&snapshot, &QueryText::parse(query), &config);
            let found = described(&snapshot.files, &project, |term| terms.contains(&term));
            found.values().copied().fold(0.0, f32::max)
        };
        let warning = "Composer gives no warning";
        assert!(strength("Shop", warning) > 0.0);
        assert!(strength("Composer", warning).abs() < f32::EPSILON);
        assert!(strength("Composer", "Composer lacks an autoload rule") > 0.0);
    }
}

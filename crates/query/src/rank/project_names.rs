//! Finds the names of the project in its own repository, where they ask for none of the settings that they ask for elsewhere:
//! "ESLint ignores a comment" is about the code of ESLint there, not about its configuration.

use std::collections::{BTreeMap, BTreeSet};

use foveate_index::{FileId, Files, Snapshot};
use foveate_model::Role;

use super::adjustments::{may_ask_for_kinds, title_words};
use super::weights::RoleConfig;
use crate::text::QueryText;

/// Minimum source files that tell what a project calls itself, and the maximum that are looked at.
const MIN_SOURCES: usize = 8;
const MAX_SOURCES: usize = 1_000;

/// The names of a project among those that a query or a well-known file has, in lower case.
#[derive(Clone, Debug, Default)]
pub(super) struct ProjectNames(BTreeSet<String>);

impl ProjectNames {
    /// Finds the names of a project: of the package at the root, and of the directories above most sources, as `composer`
    /// for `src/Composer/Cache.php`. Directories count for words that ask for settings, and for the names of tools.
    pub(super) fn of(snapshot: &Snapshot, text: &QueryText, config: &RoleConfig) -> Self {
        let compounds = parts_of_compounds(text.title());
        // A package called `docs` does not keep its word from asking for documentation.
        let others = config.documentation_words.iter().chain(&config.data_words);
        let others: BTreeSet<&String> = others.collect();
        let title = title_words(text);
        let title = title.iter().map(|word| word.to_lowercase());
        let title: BTreeSet<String> = title
            .filter(|word| !compounds.contains(word) && !others.contains(word))
            .collect();
        let settings = config
            .configuration_words
            .iter()
            .chain(&config.configuration_orders);
        let settings = settings.filter(|word| title.contains(*word)).cloned();
        let mut candidates: Vec<String> = settings.collect();
        let may_ask = may_ask_for_kinds(text, config);
        if candidates.is_empty() && !may_ask {
            return Self::default();
        }
        if may_ask {
            let tools = snapshot.files.well_known().iter();
            candidates.extend(tools.map(|file| tool_name(&snapshot.files, *file)));
        }
        let mut names = above_most_sources(&snapshot.files, candidates);
        let is_package = |word: &String| snapshot.graph.package_like(word) == Some("");
        names.extend(title.into_iter().filter(is_package));
        Self(names)
    }

    /// Whether a word is a name of the project.
    pub(super) fn contain(&self, word: &str) -> bool {
        self.0.contains(&word.to_lowercase())
    }
}

/// Returns the parts of words such as `eslint-scope` and `tox.ini`, in lower case: they name something else.
fn parts_of_compounds(title: &str) -> BTreeSet<String> {
    let words = title.split(|c: char| c.is_whitespace() || matches!(c, '\'' | '’'));
    let parts = words.flat_map(|word| {
        let parts = word.split(|c: char| !c.is_alphanumeric());
        let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        if parts.len() > 1 { parts } else { Vec::new() }
    });
    parts.map(str::to_lowercase).collect()
}

/// Returns the names after which a directory above most source files is named.
fn above_most_sources(files: &Files, names: Vec<String>) -> BTreeSet<String> {
    let mut counts: BTreeMap<String, usize> = names.into_iter().map(|name| (name, 0)).collect();
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
pub(super) fn tool_name(files: &Files, file: FileId) -> String {
    let name = files.file(file).path.file_name().trim_start_matches('.');
    name.split('.').next().unwrap_or(name).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RankingConfig;

    #[test]
    fn directory_of_most_sources_and_the_package_at_the_root_name_the_project() {
        let names = |directory: &str, package: &str, query: &str| {
            let mut code = format!("//- package.json\n{{\"name\": \"{package}\"}}\n");
            for number in 0..10 {
                code.push_str(&format!(
                    "//- src/{directory}/part{number}.js\nlet a = 1;\n"
                ));
            }
            let snapshot = foveate_fixture::snapshot::of_text(&code);
            let config = RankingConfig::default().rank.role;
            ProjectNames::of(&snapshot, &QueryText::parse(query), &config).0
        };
        let found = |directory, package, query| Vec::from_iter(names(directory, package, query));
        let query = "ESLint ignores a comment of tox";
        assert_eq!(found("eslint", "shop", query), ["eslint"]);
        assert_eq!(found("rules", "eslint", query), ["eslint"]);
        assert_eq!(found("tox", "eslint", query), ["eslint", "tox"]);
        assert!(found("cart", "shop", query).is_empty());
        assert_eq!(
            found("eslint", "shop", "ESLint's cache is stale"),
            ["eslint"]
        );
        assert!(found("eslint", "shop", "Update eslint-scope").is_empty());
        // Neither is one where its word asks for data or documentation.
        assert!(found("locale", "shop", "The locale is wrong").is_empty());
        assert!(found("cart", "docs", "The docs are wrong").is_empty());
    }
}

//! Estimates which kinds of files a query is about from its words: a linear model, fitted to the messages of past
//! commits and the kinds of the files that they changed.
//!
//! The weights are in `asked_kinds/weights.txt`, written by `asked_kinds/fit.rs`; `build.rs` turns them into the tables
//! that are read here.

#[cfg(test)]
mod fit;

use std::sync::LazyLock;

use foveate_model::FileKind;

use super::lexicon;
use super::linear::{self, LinearModel};
use super::words::{self, Word};
use crate::log_prefix::is_number;
use crate::text::{QueryText, SegmentKind};

const KINDS: usize = FileKind::ALL.len();

/// Maximum words of the title and of the prose that become features.
const MAX_TITLE_WORDS: usize = 40;
const MAX_PROSE_WORDS: usize = 60;
/// A query with fewer known features counts as one with so many.
const MIN_FEATURES: usize = 16;

static MODEL: LazyLock<LinearModel<KINDS>> = LazyLock::new(|| {
    LinearModel::new(
        include_bytes!(concat!(env!("OUT_DIR"), "/asked_kinds.fst")),
        include_bytes!(concat!(env!("OUT_DIR"), "/asked_kinds.rows")),
    )
});

/// How likely the fix is to change files of each kind, compared with a usual issue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AskedKinds {
    /// In the order of [`FileKind::ALL`].
    probabilities: [f32; KINDS],
    /// The natural logarithms of the probabilities for a usual issue.
    usual: [f32; KINDS],
}

impl AskedKinds {
    /// Estimates the kinds that a query asks for. The names of the project tell no more than other names.
    pub(crate) fn of(text: &QueryText, is_project: impl Fn(&str) -> bool) -> Self {
        let features = features(text, is_project);
        Self {
            probabilities: probabilities(&features, |feature| MODEL.row(feature)),
            usual: MODEL.row("usual").unwrap_or_default(),
        }
    }

    /// Returns the natural logarithm of how much likelier than usual a file of a kind is changed.
    pub(crate) fn lift(&self, kind: FileKind) -> f32 {
        let at = kind as usize;
        self.probabilities[at].ln() - self.usual[at]
    }

    /// Returns the probability that the fix changes files of these kinds.
    pub(crate) fn probability(&self, is_meant: impl Fn(FileKind) -> bool) -> f32 {
        let kinds = FileKind::ALL.into_iter().zip(self.probabilities);
        kinds
            .filter(|(kind, _)| is_meant(*kind))
            .map(|(_, p)| p)
            .sum()
    }
}

/// Returns the probability of each kind. The sum of the weights is divided by the square root of their number, because a
/// long query has more features without being clearer.
fn probabilities<'f>(
    features: &'f [String],
    row: impl Fn(&'f str) -> Option<[f32; KINDS]>,
) -> [f32; KINDS] {
    let rows: Vec<[f32; KINDS]> = features.iter().filter_map(|feature| row(feature)).collect();
    let scale = scale(rows.len());
    let mut scores = row("bias").unwrap_or_default();
    for row in &rows {
        for (score, weight) in scores.iter_mut().zip(row) {
            *score += weight * scale;
        }
    }
    linear::softmax(scores)
}

/// Returns the factor of the weights of so many known features. A text of a few words is little evidence.
fn scale(features: usize) -> f32 {
    1.0 / (features.max(MIN_FEATURES) as f32).sqrt()
}

/// Returns the features of a query by name, each once.
fn features(text: &QueryText, is_project: impl Fn(&str) -> bool) -> Vec<String> {
    let title = words::split(text.title(), MAX_TITLE_WORDS);
    let names: Vec<&str> = title.iter().map(|word| name(word, &is_project)).collect();
    let mut features: Vec<String> = names.iter().map(|name| format!("word {name}")).collect();
    features.extend(names.windows(2).filter_map(|pair| match pair {
        [first, second] => Some(format!("pair {first} {second}")),
        _ => None,
    }));
    features.extend(names.first().map(|name| format!("first {name}")));
    let mut left = MAX_PROSE_WORDS;
    for part in text.of_kind(SegmentKind::Prose) {
        let prose = words::split(part, left);
        left -= prose.len();
        let names = prose.iter().map(|word| name(word, &is_project));
        features.extend(names.map(|name| format!("prose {name}")));
    }
    features.sort_unstable();
    features.dedup();
    features
}

/// Returns a word without its inflection; numbers and identifiers have one name each, files one for each extension.
fn name(word: &Word, is_project: impl Fn(&str) -> bool) -> &str {
    if is_project(&word.text) {
        return "NAME";
    }
    if word.is_name {
        let extension = word.text.rsplit_once('.').map(|(_, extension)| extension);
        return match extension {
            Some("md" | "markdown") => ".md",
            Some("rst") => ".rst",
            Some("yml" | "yaml") => ".yml",
            Some("json") => ".json",
            Some("toml") => ".toml",
            Some("cfg" | "ini") => ".cfg",
            Some("txt") => ".txt",
            Some("xml") => ".xml",
            _ => "NAME",
        };
    }
    if is_number(&word.text) {
        return "NUMBER";
    }
    lexicon::stem(&word.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likeliest(query: &str) -> FileKind {
        let asked = AskedKinds::of(&QueryText::parse(query), |_| false);
        let by_lift = |a: &FileKind, b: &FileKind| asked.lift(*a).total_cmp(&asked.lift(*b));
        FileKind::ALL.into_iter().max_by(by_lift).unwrap()
    }

    // None of these sentences was looked at while the model was fitted.
    #[test]
    fn words_tell_which_kind_of_file_is_meant() {
        for (query, kind) in [
            ("The nightly job ran into its timeout", FileKind::Workflow),
            (
                "Cache the dependencies in the release workflow",
                FileKind::Workflow,
            ),
            (
                "Drop the upper bound of the numpy dependency",
                FileKind::Manifest,
            ),
            (
                "The badge at the top of the readme is broken",
                FileKind::Readme,
            ),
        ] {
            assert_eq!(likeliest(query), kind, "{query}");
        }
    }

    #[test]
    fn probabilities_sum_to_one_and_a_report_is_about_code() {
        for query in [
            "",
            "Saving fails with a TypeError",
            "The parser loses the last line",
        ] {
            let asked = AskedKinds::of(&QueryText::parse(query), |_| false);
            assert!((asked.probability(|_| true) - 1.0).abs() < 1e-3, "{query}");
            assert!(
                asked.probability(|kind| kind == FileKind::Source) > 0.6,
                "{query}"
            );
        }
    }
}

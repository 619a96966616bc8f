//! Recognises questions about releases ("what changed in 3.1.2?"), and parses version numbers. Issues name versions, too, to
//! say where something fails: a text that says more than which release it is about is no such question.

use super::{QueryText, SegmentKind};

/// Maximum words of a question about releases.
const MAX_WORDS: usize = 16;
/// Maximum releases that a question is about.
const MAX_RELEASES: usize = 3;
/// Maximum numbers of a version.
const MAX_NUMBERS: usize = 4;
/// Maximum bytes of what follows them.
const MAX_SUFFIX: usize = 20;
/// First year that makes three numbers a date.
const FIRST_YEAR: u32 = 1900;

/// Words for what a release brings.
const CHANGES: [&str; 29] = [
    "addition", "additions", "breaking", "change", "changed", "changelog", "changelogs", "changes",
    "deprecated", "deprecation", "deprecations", "difference", "differences", "feature",
    "features", "fixed", "fixes", "highlights", "improved", "improvements", "migration", "new",
    "news", "notes", "released", "removal", "removals", "removed", "whatsnew",
];
/// Words that begin a question about them.
const QUESTIONS: [&str; 3] = ["what", "whats", "which"];
/// Words beside a version number.
const VERSIONS: [&str; 5] = ["version", "versions", "release", "releases", "v"];
/// Words before the name of what was released: "in flask 3.1.2".
const PREPOSITIONS: [&str; 10] = [
    "and", "between", "by", "for", "from", "in", "of", "since", "to", "with",
];
/// Other words of such a question.
const OTHERS: [&str; 46] = [
    "a", "about", "all", "an", "any", "are", "at", "been", "be", "compared", "describe", "did",
    "do", "does", "explain", "find", "get", "give", "guide", "has", "have", "how", "is", "it",
    "list", "me", "on", "or", "our", "please", "read", "see", "show", "some", "summarise",
    "summarize", "tell", "than", "that", "the", "there", "us", "was", "were", "when", "where",
];

/// The number of a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    /// Without zeros at the end: 3.0 is 3.0.0.
    numbers: Vec<u32>,
    /// What follows them, in lower case: `rc1`.
    suffix: String,
}

impl Version {
    /// Parses a word of at least two numbers: `3.1`, `v3.1.2`, `2.0.0-beta.1`, `core@7.0.1`.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        let word = word.rsplit('@').next().unwrap_or(word);
        let word = word.strip_prefix(['v', 'V']).unwrap_or(word);
        let is_of_numbers = |c: char| c.is_ascii_digit() || c == '.';
        let end = word.find(|c| !is_of_numbers(c)).unwrap_or(word.len());
        let (numbers, suffix) = word.split_at(end);
        // A dot may precede letters: `3.0.0.dev1`.
        let numbers = numbers.strip_suffix('.').unwrap_or(numbers).split('.');
        let numbers: Option<Vec<u32>> = numbers.map(|number| number.parse().ok()).collect();
        let mut numbers = numbers.filter(|numbers| (2..=MAX_NUMBERS).contains(&numbers.len()))?;
        while numbers.last() == Some(&0) && numbers.len() > 1 {
            numbers.pop();
        }
        let signs = ['-', '.', '_', '+'];
        let suffix = suffix.trim_start_matches(signs);
        let is_suffix = |c: char| c.is_ascii_alphanumeric() || signs.contains(&c);
        (suffix.len() <= MAX_SUFFIX && suffix.chars().all(is_suffix)).then(|| Self {
            numbers,
            suffix: suffix.to_ascii_lowercase(),
        })
    }

    /// Whether it may be a date: `2025.08.19`.
    fn is_date(&self) -> bool {
        self.numbers.len() == 3 && self.numbers.first() >= Some(&FIRST_YEAR)
    }

    /// Whether a heading names this version and no other: `Version 3.1.2`, `## [3.1.2] - 2025-08-19`.
    pub(crate) fn heads(&self, heading: &str) -> bool {
        let is_separator = |c: char| c.is_whitespace() || "[](){},:;|*`~\"'#=<>".contains(c);
        let mut versions = heading.split(is_separator).filter_map(Self::parse);
        versions.next().as_ref() == Some(self) && versions.all(|other| other.is_date())
    }
}

/// Returns the releases that a question is about, in its order: it asks for their changes, or names nothing else.
pub(crate) fn asked_releases(text: &QueryText) -> Vec<Version> {
    let is_of_words = |kind: SegmentKind| {
        use SegmentKind::{InlineCode, Prose, Quoted, Title};
        matches!(kind, Title | Prose | InlineCode | Quoted)
    };
    let has_code = !text.segments.iter().all(|of| is_of_words(of.kind));
    // The headings of a template make an issue.
    let has_template = text.labels.iter().any(|label| label != "question");
    if has_code || has_template || !text.frames.is_empty() {
        return Vec::new();
    }
    // The title and the prose have the words of inline code and quotations, too.
    let texts = text.of_kind(SegmentKind::Title);
    let words = texts
        .chain(text.of_kind(SegmentKind::Prose))
        .flat_map(str::split_whitespace)
        .map(bare)
        .filter(|word| !word.is_empty());
    let words: Vec<String> = words.take(MAX_WORDS + 1).collect();
    let releases: Vec<Version> = words
        .iter()
        .filter_map(|word| Version::parse(word))
        .collect();
    let is_short = words.len() <= MAX_WORDS && releases.len() <= MAX_RELEASES;
    match is_short && asks_for_changes(&words) {
        true => releases,
        false => Vec::new(),
    }
}

/// Whether words ask for the changes of releases, or are nothing but the numbers of releases. A question may have one word
/// more: "what changed for sessions in 3.1.2?".
fn asks_for_changes(words: &[String]) -> bool {
    let has = |list: &[&str], word: &str| list.contains(&word);
    let is_release = |word: &str| Version::parse(word).is_some() || has(&VERSIONS, word);
    if words.iter().all(|word| is_release(word)) {
        return true;
    }
    let is_known = |word: &str| {
        let lists: [&[&str]; 4] = [&CHANGES, &QUESTIONS, &PREPOSITIONS, &OTHERS];
        is_release(word) || lists.iter().any(|list| has(list, word))
    };
    // The name of what was released is between a preposition and a version.
    let is_name = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        before.is_some_and(|word| has(&PREPOSITIONS, word))
            && words.get(at + 1).is_some_and(|word| is_release(word))
    };
    let numbered = words.iter().enumerate();
    let unknown = numbered.filter(|(at, word)| !is_known(word) && !is_name(*at));
    let is_question = words.first().is_some_and(|word| has(&QUESTIONS, word));
    words.iter().any(|word| has(&CHANGES, word)) && unknown.count() <= usize::from(is_question)
}

/// Returns a word in lower case, without apostrophes and the marks around it.
fn bare(word: &str) -> String {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    word.replace(['\'', '’'], "").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(query: &str) -> usize {
        asked_releases(&QueryText::parse(query)).len()
    }

    #[test]
    fn questions_about_releases_are_recognised() {
        for query in [
            "What changed in 3.1.2",
            "what's new in version 3.1.2?",
            "What’s new in `3.1.2`?",
            "Which features are new in Flask 3.1.2?",
            "What changed for sessions in v3.1.2?",
            "[Question] What was removed in 3.0?",
            "release notes of v2.0",
            "breaking changes in 3.0",
            "Show me the changelog for flask version 2.3.1",
            "When was 3.0.0rc1 released?",
            "3.1.2",
            "version 3.1.2",
        ] {
            assert_eq!(asked(query), 1, "{query}");
        }
        assert_eq!(asked("What changed between 3.0 and 3.1?"), 2);
    }

    #[test]
    fn issues_that_name_a_version_are_no_questions_about_it() {
        for query in [
            "Session is lost after a redirect in 3.1.2",
            "Upgrade to 3.1.2 breaks sessions",
            "Deprecated warning 3.1.2",
            "Changed order of blueprints in 3.1.2 breaks url_for",
            "Add release notes for 3.1.2",
            "Crash\n\nFlask 3.1.2",
            "It crashes.\n\n- Python 3.12.1\n- Flask 3.1.2",
            "What changed in 3.1.2\n\n```\napp.run()\n```",
            "What changed in 3.1.2? My application no longer starts since I installed it, and the log has no error at all.",
            "How does it use 127 workers?",
            "What changed in the router?",
            "",
        ] {
            assert_eq!(asked(query), 0, "{query}");
        }
    }

    #[test]
    fn headings_name_one_version() {
        let release = Version::parse("3.1.2").unwrap();
        for (heading, is_meant) in [
            ("Version 3.1.2", true),
            ("## [3.1.2] - 2025-08-19", true),
            (
                "## [3.1.2](https://example.org/compare/v3.1.1...v3.1.2) (2025-08-19)",
                true,
            ),
            ("v3.1.2", true),
            ("3.1.2 (unreleased)", true),
            ("3.1.2 (2025.08.19)", true),
            ("## core@3.1.2", true),
            ("Version 3.1.20", false),
            ("3.1.2rc1", false),
            ("13.1.2", false),
            ("From 3.1.2 to 3.2.0", false),
            ("From 3.1.1 to 3.1.2", false),
            ("Changes", false),
        ] {
            assert_eq!(release.heads(heading), is_meant, "{heading}");
        }
        let major = Version::parse("3.0").unwrap();
        assert!(major.heads("Version 3.0.0") && !major.heads("Version 3.0.1"));
        for word in [
            "3", "v3", "3.", "3..1", "3.x", "v", "2025-08-19", "1.2.3.4.5", "99999999999.1", "",
        ] {
            assert_eq!(Version::parse(word), None, "{word}");
        }
    }
}

//! Recognises queries whose words for kinds of files would mislead: questions for the release of a change, which the version
//! in a manifest does not answer, and queries about comments in code, which are no documents.

use foveate_model::FileKind;

use super::weights::RoleConfig;
use crate::intent;
use crate::text::QueryText;

/// Words for comments of which documents are made.
const DOC_COMMENTS: &[&str] = &[
    "docblock", "docblocks", "docstring", "docstrings", "javadoc", "javadocs", "jsdoc", "kdoc",
    "phpdoc", "phpdocs", "tsdoc",
];
/// Words before and after which they are two words: "doc block".
const DOCS: &[&str] = &["doc", "documentation"];
const COMMENTS: &[&str] = &[
    "block", "blocks", "comment", "comments", "string", "strings",
];
/// Words for documentation that are said of such comments, too.
const FAULTS: &[&str] = &["documented", "typo", "undocumented"];

/// What a query is about, as far as it tells which kinds of files it asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// The release that brought a change.
    Release,
    /// Comments in code of which documents are made.
    DocComments,
    /// Anything else.
    Other,
}

impl Subject {
    pub(super) fn of(text: &QueryText, title_words: &[&str], config: &RoleConfig) -> Self {
        if intent::asks_for_release(text) {
            return Self::Release;
        }
        match names_doc_comments(title_words, config) && !intent::asks_how_to(text) {
            true => Self::DocComments,
            false => Self::Other,
        }
    }

    /// Whether a query of this subject may be about files of a kind, whatever its words are.
    pub(super) fn may_be_in(self, kind: FileKind) -> bool {
        match self {
            Self::Release => kind == FileKind::Source || kind.is_documentation(),
            Self::DocComments => !kind.is_documentation(),
            Self::Other => true,
        }
    }
}

/// Whether a title names comments in code, and no documents beside them.
fn names_doc_comments(title_words: &[&str], config: &RoleConfig) -> bool {
    let words: Vec<String> = title_words.iter().map(|word| word.to_lowercase()).collect();
    let has = |list: &[&str], word: &str| list.contains(&word);
    let mut names_comments = false;
    let mut others = Vec::with_capacity(words.len());
    let mut rest = words.iter().map(String::as_str).peekable();
    while let Some(word) = rest.next() {
        let is_pair = has(DOCS, word) && rest.peek().is_some_and(|next| has(COMMENTS, next));
        match is_pair || has(DOC_COMMENTS, word) {
            true => names_comments = true,
            false => others.push(word),
        }
    }
    let documents = config.documentation_words.iter();
    let mut documents = documents.chain(&config.documentation_orders);
    let is_named = |document: &String| !has(FAULTS, document) && has(&others, document);
    names_comments && !documents.any(is_named)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RankingConfig;

    #[test]
    fn comments_are_told_from_documents() {
        let config = &RankingConfig::default().rank.role;
        let subject = |title: &str| {
            let words: Vec<&str> = title.split([' ', '?']).collect();
            Subject::of(&QueryText::parse(title), &words, config)
        };
        for title in [
            "Fix example in doc block",
            "Typo in the KDoc of uploads",
            "Wrong type in the Documentation comments",
            "Undocumented parameter in the docstring",
        ] {
            assert_eq!(subject(title), Subject::DocComments, "{title}");
        }
        for title in [
            "Fix example in the docs",
            "Typo in the comments",
            "Block uploads in the doc",
            "Explain the docstring in the guide",
            "How do I write a docstring?",
        ] {
            assert_eq!(subject(title), Subject::Other, "{title}");
        }
    }
}

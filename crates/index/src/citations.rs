//! Finds references to a repository's past in text: commits by the digits of their ids, issues and pull
//! requests by their numbers. Commit messages and queries are read alike.

/// A reference to the past.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Citation {
    /// A commit: the first hexadecimal digits of its id, at least seven, in lower case.
    Commit(String),
    /// An issue, a ticket, a pull request or a merge request.
    Number(u32),
}

/// Number of digits of a commit id: fewer are a number or a word, and no id has more.
const ID_DIGITS: std::ops::RangeInclusive<usize> = 7..=64;

/// Numbers of one digit are more often list items (`#1`, `#2`) than citations.
const MIN_NUMBER: u32 = 10;

/// Segments of a link that precede the number of an issue or the id of a commit.
const KINDS: [&str; 8] = [
    "issues", "issue", "pull", "ticket", "merge_requests", "commit", "commits", "changeset",
];

/// Returns the citations in `text`, in order: `#123`, `GH-123`, links to issues and commits of a forge, and
/// words of hexadecimal digits. Digits in another link (a file at a commit) are no citation, and neither is
/// `owner/name#123`, which means another repository. If the name of the text's own `repository` is known, links to
/// issues and pull requests of repositories of other names are no citations either.
pub fn citations(text: &str, repository: Option<&str>) -> impl Iterator<Item = Citation> {
    let words = text.split_whitespace();
    words.flat_map(move |word| citations_in_word(word, repository))
}

fn citations_in_word(word: &str, repository: Option<&str>) -> Vec<Citation> {
    match word.find("://") {
        Some(at) => citation_in_link(&word[at + 3..], repository)
            .into_iter()
            .collect(),
        None => citations_in_plain_word(word),
    }
}

/// Reads a citation from a link: one segment of the path names the kind, the next one holds the number or id.
fn citation_in_link(link: &str, repository: Option<&str>) -> Option<Citation> {
    let mut parts = link.split('/').skip(1);
    let mut above = Vec::new();
    let kind = loop {
        let part = parts.next()?;
        if KINDS.contains(&part) {
            break part;
        }
        above.push(part);
    };
    let id = parts.next()?;
    let end = id.find(|c: char| !c.is_ascii_alphanumeric());
    let id = &id[..end.unwrap_or(id.len())];
    match kind {
        "commit" | "commits" | "changeset" => commit(id),
        _ if is_elsewhere(&above, repository) => None,
        _ => number(id),
    }
}

/// Whether the first segments of a link are those of a repository of another name. The owner is not compared: a fork
/// cites the issues of the repository that it comes from. A tracker at an address of its own has no such segments.
fn is_elsewhere(segments: &[&str], repository: Option<&str>) -> bool {
    // GitLab separates the pages of a repository from its address by `-`.
    let linked = match segments {
        [address @ .., "-"] => address,
        address => address,
    };
    match (linked, repository) {
        ([_, .., name], Some(own)) => !name.eq_ignore_ascii_case(own),
        _ => false,
    }
}

fn citations_in_plain_word(word: &str) -> Vec<Citation> {
    let mut found = Vec::new();
    let mut at = 0;
    for part in word.split(|c: char| !c.is_alphanumeric()) {
        let before = &word[..at];
        let number_of = |marked: &str| {
            let is_own = !marked.ends_with(|c: char| c == '&' || c.is_alphanumeric());
            is_own.then(|| number(part)).flatten()
        };
        found.extend(match before.strip_suffix('#') {
            Some(marked) => number_of(marked),
            None => match before.strip_suffix("GH-").or(before.strip_suffix("gh-")) {
                Some(marked) => number_of(marked),
                None => commit(part),
            },
        });
        let after = word[at + part.len()..].chars().next();
        at += part.len() + after.map_or(0, char::len_utf8);
    }
    found
}

fn commit(digits: &str) -> Option<Citation> {
    let is_id = ID_DIGITS.contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
    is_id.then(|| Citation::Commit(digits.to_ascii_lowercase()))
}

fn number(digits: &str) -> Option<Citation> {
    let number = digits.parse().ok()?;
    (number >= MIN_NUMBER).then_some(Citation::Number(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cited(text: &str, repository: Option<&str>) -> Vec<String> {
        citations(text, repository)
            .map(|citation| match citation {
                Citation::Commit(digits) => digits,
                Citation::Number(number) => format!("#{number}"),
            })
            .collect()
    }

    #[test]
    fn issue_numbers_and_commit_ids_are_cited() {
        let cases: [(&str, &[&str]); 14] = [
            ("Fixed #1234 -- (#56, #57)", &["#1234", "#56", "#57"]),
            ("GH-123 and gh-45", &["#123", "#45"]),
            ("numpy/numpy#123", &[]),
            ("bug #1, &#39; #", &[]),
            ("since 5A4D728 or (0a1b2c3d4e)", &["5a4d728", "0a1b2c3d4e"]),
            ("`5a4d7285`: regression", &["5a4d7285"]),
            ("0x7f12ab34cd address", &[]),
            ("#aabbccdd is a colour", &[]),
            ("ab12cd, too short", &[]),
            ("https://github.com/o/r/issues/77#issuecomment-1", &["#77"]),
            ("[x](https://host/o/r/pull/78/files).", &["#78"]),
            ("https://code.djangoproject.com/ticket/28)", &["#28"]),
            ("https://github.com/o/r/commit/5a4d7285f", &["5a4d7285f"]),
            ("https://github.com/o/r/blob/5a4d7285f/a.py#L77", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(cited(text, None), expected, "{text}");
        }
    }

    #[test]
    fn issues_of_other_repositories_are_not_cited() {
        let cases: [(&str, &[&str]); 9] = [
            ("https://github.com/ada/shop/issues/77", &["#77"]),
            ("https://GitHub.com/Ada/Shop/pull/78/files", &["#78"]),
            // A fork's own name is that of the repository that it comes from.
            ("https://github.com/grace/shop/issues/79", &["#79"]),
            ("https://gitlab.com/g/s/shop/-/merge_requests/80", &["#80"]),
            ("https://code.shop.org/ticket/81", &["#81"]),
            ("[x](https://github.com/ada/till/issues/82).", &[]),
            ("https://gitlab.com/g/shop/till/-/issues/83", &[]),
            // Commits are shared by repositories of all names.
            (
                "https://github.com/ada/till/commit/5a4d7285f",
                &["5a4d7285f"],
            ),
            ("#84", &["#84"]),
        ];
        for (text, expected) in cases {
            assert_eq!(cited(text, Some("shop")), expected, "{text}");
        }
    }
}

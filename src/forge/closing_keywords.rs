//! Finds the issues that the text of a pull request closes, by the keywords that forges document: `Fixes
//! #12`, `closes: corner/shop#3 and #4`, `Resolves https://github.com/corner/shop/issues/5`.

/// Maximum closed issues that one pull request can have; further ones are ignored.
const MAX_ISSUES: usize = 20;
/// Maximum words that are scanned.
const MAX_WORDS: usize = 50_000;
/// Keywords before the number of a closed issue.
const KEYWORDS: [&str; 16] = [
    "close", "closes", "closed", "closing", "fix", "fixes", "fixed", "fixing", "resolve",
    "resolves", "resolved", "resolving", "implement", "implements", "implemented", "implementing",
];

/// Returns the numbers of the issues of `project` that a text closes, in order of appearance. `page` is the
/// URL of the project's web page.
pub fn closed_issues(text: &str, project: &str, page: &str) -> Vec<u64> {
    let text = without_comments(text);
    let mut closed = Vec::new();
    let mut is_closing = false;
    let words = text.split(|c: char| c.is_whitespace() || c == ',');
    for word in words.filter(|word| !word.is_empty()).take(MAX_WORDS) {
        let is_around = |c: char| "*_()[]<>\"'.:;`".contains(c);
        let bare = word.trim_matches(is_around);
        let lower = bare.to_ascii_lowercase();
        if KEYWORDS.contains(&&*lower) {
            is_closing = true;
        } else if let (true, Some(number)) = (is_closing, issue_number(bare, project, page)) {
            if !closed.contains(&number) {
                closed.push(number);
            }
            if closed.len() == MAX_ISSUES {
                break;
            }
        } else {
            is_closing &= matches!(&*lower, "and" | "&" | "issue" | "issues");
        }
    }
    closed
}

/// Removes HTML comments, such as the hints of a template.
fn without_comments(text: &str) -> String {
    let mut parts = text.split("<!--");
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        if let Some((_, rest)) = part.split_once("-->") {
            shown.push(' ');
            shown.push_str(rest);
        }
    }
    shown
}

/// Parses `#12`, `corner/shop#12`, or the URL of an issue of the project.
fn issue_number(word: &str, project: &str, page: &str) -> Option<u64> {
    let digits = match word.split_once('#') {
        Some((of, digits)) if of.is_empty() || of.eq_ignore_ascii_case(project) => digits,
        Some(_) => return None,
        None if page.is_empty() => return None,
        None => {
            let path = word.strip_prefix(page.trim_end_matches('/'))?;
            let path = path.strip_prefix("/-").unwrap_or(path);
            path.strip_prefix("/issues/")?
        }
    };
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_keywords_are_recognized() {
        let page = "https://github.com/corner/shop";
        for (text, expected) in [
            ("Closes #12.", &[12][..]),
            ("fixes: #1, #2 and #3; see #4", &[1, 2, 3]),
            ("**Resolves** Corner/Shop#5 (part of #6)", &[5]),
            ("Fixed https://github.com/corner/shop/issues/7\n", &[7]),
            ("closing issue #8 and issues #9,#9", &[8, 9]),
            ("Closes https://github.com/corner/shop/-/issues/10", &[10]),
            ("Fix the price of #11", &[]),
            ("Closes other/shop#12 and fixes #13", &[13]),
            ("Closes https://github.com/corner/shopping/issues/1", &[]),
            ("<!-- Closes #14 --> fixes #15 <!-- closes #16", &[15]),
            ("Closes #-1 #+2 #1x # closes", &[]),
            ("Closes #99999999999999999999999", &[]),
            ("prefixes #17 closest #18", &[]),
            ("", &[]),
        ] {
            assert_eq!(closed_issues(text, "corner/shop", page), expected, "{text}");
        }
        let many: Vec<String> = (1..99).map(|n| format!("#{n}")).collect();
        let many = format!("Closes {}", many.join(", "));
        assert_eq!(closed_issues(&many, "a/b", "").len(), MAX_ISSUES);
        assert!(closed_issues("Closes /issues/3", "a/b", "").is_empty());
    }
}

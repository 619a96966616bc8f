//! Checks texts that name a commit. Git's own revision syntax also has searches of messages by regular
//! expression, dates, types and ranges: they are refused, since their cost depends on the text, and queries
//! about code do not need them.

use super::GitError;

/// Longest accepted text, in characters.
const MAX_CHARS: usize = 255;
/// Maximum digits after `~` and `^`.
const MAX_DIGITS: usize = 6;

/// Accepts a commit id, full or abbreviated, a branch, a tag or `HEAD`, each followed by any number of
/// `~N` and `^N`.
///
/// # Errors
/// [`GitError::MalformedRef`] with the reason.
pub fn check(reference: &str) -> Result<(), GitError> {
    match refusal(reference) {
        None => Ok(()),
        Some(reason) => Err(GitError::MalformedRef {
            reference: reference.chars().take(MAX_CHARS).collect(),
            reason,
        }),
    }
}

fn refusal(reference: &str) -> Option<&'static str> {
    if reference.is_empty() {
        return Some("it is empty");
    }
    if reference.chars().count() > MAX_CHARS {
        return Some("it is longer than 255 characters");
    }
    if reference.contains("@{") {
        return Some("dates, reflogs and upstreams (`@{…}`) are not supported; give the commit");
    }
    if reference.contains(":/") || reference.contains("^{/") {
        return Some("searching in messages (`:/`, `^{/…}`) is not supported; give the commit");
    }
    let end = reference.find(['~', '^']).unwrap_or(reference.len());
    let (name, steps) = reference.split_at(end);
    name_refusal(name).or_else(|| steps_refusal(steps))
}

/// Returns why git itself refuses the name of a branch or tag.
fn name_refusal(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        Some("no commit, branch or tag stands before the `~` or `^`")
    } else if name == "@" {
        Some("write `HEAD` instead of `@`")
    } else if name.starts_with('-') {
        Some("it begins with `-`")
    } else if name.contains("..") {
        Some("it contains `..`; give one commit, not a range")
    } else if name.contains(|c: char| c.is_control() || " :?*[\\".contains(c)) {
        Some("it contains a space, a control character or one of `:?*[\\`")
    } else if name.starts_with('/') || name.ends_with(['/', '.']) || name.contains("//") {
        Some("it begins or ends with `/`, contains `//`, or ends with `.`")
    } else if name
        .split('/')
        .any(|part| part.starts_with('.') || part.ends_with(".lock"))
    {
        Some("a part of it begins with `.` or ends with `.lock`")
    } else {
        None
    }
}

/// Returns why steps to parents (`~`, `^`, `~3`, `^2`, one after another) are refused.
fn steps_refusal(steps: &str) -> Option<&'static str> {
    for step in steps.split(['~', '^']).skip(1) {
        if !step.bytes().all(|byte| byte.is_ascii_digit()) {
            return Some("only numbers may follow `~` and `^`, such as `HEAD~2` or `v1.0^2`");
        }
        if step.len() > MAX_DIGITS {
            return Some("the number after `~` or `^` is too large");
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refs_with_parent_steps_are_accepted() {
        for good in [
            "HEAD",
            "main",
            "v1.0",
            "feature/a-b_c.d",
            "refs/heads/main",
            "origin/main",
            "d16bfe0",
            "0123456789012345678901234567890123456789",
            "HEAD~",
            "HEAD^",
            "HEAD~3",
            "v1.0^2~10^",
            "d16bfe05a744909de4b27f5875fe0d4ed41ce607~1",
            "bräunch",
            "a@b",
            "v1.0-3-gd16bfe0",
        ] {
            assert!(check(good).is_ok(), "{good}");
        }
    }

    #[test]
    fn other_revision_syntax_is_refused() {
        for bad in [
            "",
            "HEAD^{/((a{1,120}){1,120}){1,120}}",
            "HEAD^{/x}",
            ":/fix",
            "main:/fix",
            "HEAD@{yesterday}",
            "main@{1}",
            "@{u}",
            "@{-1}",
            "@",
            "HEAD^{commit}",
            "HEAD^{}",
            "v1.0^{tree}",
            "HEAD^-",
            "HEAD^@",
            "HEAD^!",
            "HEAD~1000000",
            "^main",
            "~1",
            "a..b",
            "a...b",
            "HEAD:src/a.py",
            ":0:a",
            "--all",
            "-x",
            "a b",
            "a\nb",
            "a*",
            "a?",
            "a[b",
            "a\\b",
            "/main",
            "main/",
            "a//b",
            ".hidden",
            "a/.b",
            "a.lock",
            "main.",
            &"a".repeat(256),
        ] {
            assert!(check(bad).is_err(), "{bad:?}");
        }
    }
}

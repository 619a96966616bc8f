//! Recognises text from issue templates and tools that says nothing about the code: environment sections,
//! version lists, checklists, standard headings, trailers of commits.

use foveate_parse::code::strip_prompt;
use foveate_parse::traces;

use super::names;
use crate::log_prefix::is_number;

/// Maximum words of a value about the reporter's machine that has no version: `macOS`, `Windows 11 Pro`.
const MAX_PLAIN_VALUE: usize = 3;

/// Maximum words of a value about the reporter's machine.
const MAX_VALUE: usize = 9;

/// Headings of sections about the reporter's machine that no rule of [`is_environment`] covers. Compared with
/// [`fold`]ed text.
const ENVIRONMENT: &[&str] = &[
    "additional dependencies", "backers", "blas", "browser", "browsers", "code of conduct",
    "commit to help", "desktop", "device", "env", "environment", "environment info",
    "environment information", "extra tools", "first check", "installation", "issuehunt summary",
    "mvce confirmation", "operating system", "operating system details", "os", "packages",
    "pip freeze", "pip list", "platform", "preflight checklist", "prerequisites",
    "python dependencies", "python deps", "runtime", "screenshots", "severity", "smartphone",
    "submitted pull requests", "system", "system details", "system info", "system information",
    "system specs", "tips", "version", "version info", "version information", "versions",
    "your project",
];

/// Words of standard headings. A heading of only these words is not searched.
const HEADING_WORDS: &[&str] = &[
    "a", "actual", "actually", "add", "additional", "alternative", "alternatives", "and", "any",
    "anything", "are", "background", "behavior", "behaviour", "be", "bug", "can", "changes",
    "checks", "checklist", "code", "command", "comments", "complete", "component", "considered",
    "context", "copy", "current", "currently", "d", "describe", "described", "description",
    "desired", "details", "did", "discussion", "do", "does", "else", "enable", "encountered",
    "error", "example", "examples", "expect", "expectation", "expected", "explain", "feature",
    "fix", "for", "happen", "happened", "happening", "happens", "have", "how", "i", "if",
    "important", "information", "initial", "instead", "is", "issue", "it", "know", "like", "link",
    "log", "logs", "mcve", "message", "minimal", "more", "motivation", "mvce", "name", "need",
    "note", "notes", "observed", "of", "or", "other", "outcome", "output", "pastable", "please",
    "possible", "problem", "proposal", "propose", "proposed", "question", "rationale", "related",
    "relevant", "repro", "reproduce", "reproducible", "reproducing", "reproduction", "request",
    "result", "results", "s", "sample", "scenario", "section", "see", "should", "snippet",
    "solution", "solutions", "source", "steps", "step", "suggested", "suggestion", "summary",
    "task", "template", "that", "the", "this", "title", "to", "trace", "traceback", "type", "use",
    "used", "using", "verifiable", "wanted", "want", "was", "we", "were", "what", "when", "which",
    "why", "will", "with", "workaround", "workarounds", "workflow", "would", "you", "your", "case",
    "cases", "stack", "stacktrace", "implementation",
];

/// First words of lines about the reporter's machine.
const MACHINE_KEYS: &[&str] = &[
    "os", "platform", "browser", "python", "node", "nodejs", "npm", "yarn", "java", "jdk", "ruby",
    "macos", "windows", "linux", "ubuntu", "kernel", "machine", "processor", "arch",
    "architecture", "version", "device", "locale", "lc", "lang", "byteorder",
];

/// Tags that may stand in brackets before a title.
const TAGS: &[&str] = &[
    "bug", "bug report", "bugfix", "docs", "documentation", "enh", "enhancement", "epic", "feat",
    "feature", "feature request", "fix", "idea", "improvement", "issue", "perf", "performance",
    "proposal", "question", "refactor", "regression", "request", "rfc", "rfe", "support", "task",
    "test", "tests",
];

/// Folds a text to lower case, and every run of characters other than letters and digits to one space.
pub(super) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_alphanumeric() {
            folded.extend(c.to_lowercase());
        } else if !folded.is_empty() && !folded.ends_with(' ') {
            folded.push(' ');
        }
    }
    folded.truncate(folded.trim_end().len());
    folded
}

/// Whether a heading (folded) opens a section about the reporter's machine.
pub(super) fn is_environment(heading: &str) -> bool {
    let words = heading.split(' ').count();
    ENVIRONMENT.binary_search(&heading).is_ok()
        || (words <= 4 && (heading.ends_with(" version") || heading.ends_with(" versions")))
        || (words <= 5 && heading.ends_with(" environment"))
        || (words <= 4 && heading.ends_with(" environment information"))
        || (words <= 4 && heading.ends_with(" system information"))
        || (words <= 6 && heading.starts_with("desktop "))
        || (words <= 6 && heading.starts_with("smartphone "))
        || heading.starts_with("what version of ")
        || heading.starts_with("what operating system")
        || heading.starts_with("which version of ")
        || heading.starts_with("how did you install")
        || heading.starts_with("backers ")
        || heading.starts_with("sponsors ")
        || (words <= 6 && heading.starts_with("information about your "))
        || (words <= 6 && heading.contains("show versions"))
        || (words <= 6 && heading.starts_with("output of pip"))
}

/// Whether a summary (folded) promises a stack trace, a log or an example.
pub(super) fn promises_code(summary: &str) -> bool {
    const WORDS: &[&str] = &[
        "backtrace", "code", "error", "example", "examples", "log", "logs", "mcve", "minimal",
        "mre", "output", "repro", "reproduce", "reproduction", "script", "snippet", "stack",
        "stacktrace", "trace", "traceback", "tracebacks",
    ];
    !is_environment(summary) && summary.split(' ').any(|word| WORDS.contains(&word))
}

/// Whether a heading (folded) is made of standard words alone.
pub(super) fn is_standard_heading(heading: &str) -> bool {
    !heading.is_empty()
        && heading.len() < 120
        && heading
            .split(' ')
            .all(|word| HEADING_WORDS.contains(&word) || word.bytes().all(|b| b.is_ascii_digit()))
}

/// Maximum bytes of a tag before a title.
const MAX_TAG: usize = 60;

/// Splits `[Bug]: …`, `[Feature Request] …`, `bug: …` into the folded tag and the rest. Of `fix(core): …`, the rest is
/// `(core): …`.
pub(super) fn tag(title: &str) -> Option<(String, &str)> {
    let (tag, rest) = match title.strip_prefix('[') {
        Some(inner) => inner.split_once(']')?,
        None => type_of_commit(title)?,
    };
    if tag.len() > MAX_TAG {
        return None;
    }
    let folded = fold(tag);
    let rest = rest.trim_start_matches([':', '-', ' ']);
    // `[1.2](…)` is a link.
    let names_branch = || title.starts_with('[') && !rest.starts_with('(') && is_branch(tag);
    let is_tag = TAGS.contains(&folded.as_str()) || names_branch();
    (is_tag && !rest.is_empty()).then_some((folded, rest))
}

/// Whether a tag in brackets names the branch of a release, or says that the change comes from another branch: `3.14`,
/// `release-1.2`, `7.x`, `PR #12/3f2a9c1d backport`.
fn is_branch(tag: &str) -> bool {
    const WORDS: &[&str] = &[
        "backport", "branch", "manual", "pr", "release", "stable", "to",
    ];
    let is_separator = |c: char| matches!(c, ' ' | '-' | '_' | '/' | '#');
    let words = tag.split(is_separator).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_lowercase).collect();
    let is_known = |word: &String| WORDS.contains(&word.as_str()) || is_release(word);
    words
        .iter()
        .any(|word| word == "backport" || is_release(word))
        && words
            .iter()
            .all(|word| is_known(word) || is_number(word) || is_commit_id(word))
}

/// Whether a word is a version or a line of versions, `7.x`, without marks around it.
fn is_release(word: &str) -> bool {
    let is_plain = word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.');
    is_plain && (is_version_number(word) || word.strip_suffix(".x").is_some_and(is_number))
}

fn is_commit_id(word: &str) -> bool {
    (7..=40).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Splits the type of a conventional commit, or a word before a colon, from what follows. The scope stays with the title:
/// it names the package, the module or the function that the change is about.
fn type_of_commit(title: &str) -> Option<(&str, &str)> {
    let (tag, rest) = title.split_at(title.find(['(', ':'])?);
    let is_split = match rest.strip_prefix('(') {
        Some(scope) => scope.contains("):") || scope.contains(")!:"),
        // `Request::parse` is a name.
        None => !rest.starts_with("::"),
    };
    is_split.then_some((tag, rest))
}

/// Whether a line of prose is a checklist item of a template, an empty answer, a horizontal rule, a picture,
/// a commit trailer, or what mail programs and forges add to a reply.
pub(super) fn is_noise(line: &str) -> bool {
    let line = line.trim();
    if is_template_check(line)
        || is_mail_footer(line)
        || is_lone_link(line)
        || is_trailer(line)
        || is_change_of_notes(line)
    {
        return true;
    }
    const WHOLE: &[&str] = &[
        "_No response_", "No response", "N.A.", "N/A", "n/a", "None", "--", "---", "***", "___",
        "-->",
    ];
    const STARTS: &[&str] = &[
        "_Originally posted by", "Originally posted by", "Migrated from", "(last modified by",
        "Cc: @", "/cc @", "cc @", "(cherry picked from commit ", "<img ", "![", "[![",
    ];
    WHOLE.contains(&line) || STARTS.iter().any(|start| line.starts_with(start))
}

/// Whether a line is a trailer of a commit about people or other commits: `Signed-off-by: Ada`.
pub fn is_trailer(line: &str) -> bool {
    let Some((key, value)) = line.split_once(": ") else {
        return false;
    };
    let key = key.to_ascii_lowercase();
    let is_key = key.bytes().all(|b| b.is_ascii_alphabetic() || b == b'-');
    let is_known = || match key.strip_suffix("-by") {
        Some(done) => done.ends_with("ed") || done.ends_with("off"),
        None => matches!(key.as_str(), "change-id" | "git-svn-id" | "original-merge"),
    };
    is_key && !value.trim().is_empty() && is_known()
}

/// Whether a line of the body says no more than that the notes on releases were changed as well: `* Update CHANGELOG.md`.
fn is_change_of_notes(line: &str) -> bool {
    const VERBS: [&str; 8] = [
        "add", "added", "adds", "edit", "fix", "update", "updated", "updates",
    ];
    const NOTES: [&str; 5] = [
        "changelog", "changelog.md", "changelogs", "changes.md", "news.md",
    ];
    const OTHERS: [&str; 9] = [
        "a", "an", "entry", "file", "for", "line", "note", "the", "this",
    ];
    let line = line
        .trim_start_matches(['-', '*', '+', ' '])
        .to_ascii_lowercase();
    let mut words = line
        .split_whitespace()
        .map(|word| word.trim_matches(['.', '`', ',']));
    let is_begun = words.next().is_some_and(|first| VERBS.contains(&first));
    let mut has_notes = false;
    let is_about_notes = words.all(|word| {
        let is_notes = NOTES.contains(&word);
        has_notes |= is_notes;
        is_notes || OTHERS.contains(&word)
    });
    is_begun && is_about_notes && has_notes
}

/// Whether a line is the title that a forge or git gives to a merge: `Merge pull request #12 from ada/fix`. What is merged
/// is said below.
pub(super) fn is_title_of_merge(line: &str) -> bool {
    const STARTS: [&str; 2] = ["Merge branch '", "Merge remote-tracking branch '"];
    let words: Vec<&str> = line.split_whitespace().take(5).collect();
    let is_request = matches!(
        words.as_slice(),
        ["Merge" | "Backport" | "Cherry-pick", "pull", "request", number, "from"]
            if number.starts_with('#')
    );
    is_request || STARTS.iter().any(|start| line.starts_with(start))
}

/// Whether a line is nothing but a link to a reproduction elsewhere: `[Playground link](https://…)`.
fn is_lone_link(line: &str) -> bool {
    const WORDS: &[&str] = &[
        "a", "codepen", "codesandbox", "demo", "example", "here", "jsfiddle", "link", "live",
        "minimal", "online", "playground", "repro", "reproduction", "sandbox", "screenshot",
        "stackblitz", "the", "to", "video",
    ];
    // A link to a file, a commit or an issue says what the text is about.
    const PLACES: &[&str] = &[
        " ", "/blob/", "/commit/", "/issues/", "/merge_requests/", "/pull/", "/tree/",
    ];
    let link = line
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(')'));
    let Some((text, url)) = link.and_then(|link| link.split_once("](")) else {
        return false;
    };
    let is_place = || PLACES.iter().any(|place| url.contains(place));
    url.starts_with("http")
        && !is_place()
        && fold(text).split(' ').all(|word| WORDS.contains(&word))
}

/// Whether a line is a box that the reporter ticks (`- [x] I have searched …`), not a task of the issue.
pub(super) fn is_template_check(line: &str) -> bool {
    let Some((mark, item)) = line
        .strip_prefix(['-', '*', '+'])
        .map(str::trim_start)
        .and_then(|rest| rest.strip_prefix('['))
        .and_then(|rest| rest.split_once(']'))
    else {
        return false;
    };
    if !is_tick(mark) {
        return false;
    }
    let item = fold(item);
    const STARTS: &[&str] = &[
        "i ", "i m ", "this ", "my ", "you ", "we ", "after submitting", "minimal example",
        "complete example", "verifiable example", "new issue", "yes", "no", "checked",
    ];
    const CONTAINS: &[&str] = &[
        "search", "duplicate", "latest version", "documentation", "contribut", "code of conduct",
        "guidelines",
    ];
    STARTS.iter().any(|start| item.starts_with(start))
        || CONTAINS.iter().any(|part| item.contains(part))
}

/// Whether a text is what stands in a box, ticked or not. Forms are also filled in with symbols: `[✅]`.
fn is_tick(mark: &str) -> bool {
    const EMOJI_STYLE: char = '\u{fe0f}';
    let ticked = mark.trim().trim_end_matches(EMOJI_STYLE);
    mark == " " || matches!(ticked, "x" | "X" | "✅" | "✔" | "✓" | "☑")
}

/// Whether a line is what mail programs and forges add below a reply.
fn is_mail_footer(line: &str) -> bool {
    const STARTS: &[&str] = &[
        "Reply to this email directly, view",
        "Reply to this email directly or view",
        "You are receiving this because",
        "You are receiving this email because",
        "You received this message because",
        "Get Outlook for iOS",
        "Get Outlook for Android",
        "Sent from Mail for ",
        "Sent from Outlook for ",
        "Sent from my Android",
        "Sent from my Samsung",
        "Sent from my iPad",
        "Sent from my iPhone",
        "Sent from my mobile",
        "unsubscribe <http",
    ];
    STARTS.iter().any(|start| line.starts_with(start))
}

/// Whether a line states a version: `python: 3.8.1`, `- OS: macOS 12.4`, `numpy 1.19.2`.
pub(super) fn is_version_line(line: &str) -> bool {
    let line = line
        .trim()
        .trim_start_matches(['-', '*', '+', '>', '|', ' ']);
    if line.is_empty()
        || line.len() > 160
        || has_call(line)
        || quotes_a_name(line)
        || traces::is_error(line)
    {
        return false;
    }
    if let Some((key, value)) = line.split_once(':') {
        let is_code = names_code(value);
        if is_code && !has_version(value) {
            return false;
        }
        if !is_code && key.len() <= 40 && is_machine_value(value) && is_machine_line(line) {
            return true;
        }
    }
    has_version(line)
        && fold(line)
            .split(' ')
            .filter(|w| w.len() > 2 && w.bytes().all(|b| b.is_ascii_alphabetic()))
            .count()
            <= 4
}

/// Whether a line begins with a word about the reporter's machine, and a colon: `OS: a fork of Linux`.
pub(super) fn is_machine_line(line: &str) -> bool {
    let Some((key, _)) = line.split_once(':') else {
        return false;
    };
    let key = fold(key);
    let mut words = key.split(' ');
    let names_version = |word: &str| matches!(word, "version" | "versions");
    words.clone().any(names_version)
        || words
            .next()
            .is_some_and(|word| MACHINE_KEYS.contains(&word))
}

/// Whether a text is short enough to state a fact about a machine. A text without a version may as well say what goes
/// wrong there: `Windows: the last bytes are lost`.
fn is_machine_value(value: &str) -> bool {
    let words = value.split_whitespace().count();
    !value.contains(['(', '{', '='])
        && (words <= MAX_PLAIN_VALUE
            || words <= MAX_VALUE && (has_version(value) || has_release(value)))
}

/// Whether a number follows a name: `Windows 10`.
fn has_release(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.windows(2).any(|pair| match pair {
        [name, number] => {
            name.contains(char::is_uppercase) && number.starts_with(|c: char| c.is_ascii_digit())
        }
        _ => false,
    })
}

/// Whether a text names code: `url_for`, `urlFor` or `url.build`. Systems have names such as `CentOS`, machines such as
/// `x86_64`.
fn names_code(text: &str) -> bool {
    let is_code = |name: &str| {
        let is_system = name.starts_with(char::is_uppercase) && !name.contains(['_', '.']);
        !is_system && !is_locale(name) && names::is_identifier_like(name)
    };
    !text.contains("://") && names::scan(text).iter().any(|name| is_code(name.trimmed()))
}

/// Whether a name is that of a locale: `en_US`, `en_US.UTF`, `C.UTF`.
fn is_locale(name: &str) -> bool {
    let place = name.split('.').next().unwrap_or(name);
    name == "C.UTF"
        || matches!(place.as_bytes(), [a, b, b'_', c, d]
            if [a, b].iter().all(|byte| byte.is_ascii_lowercase())
                && [c, d].iter().all(|byte| byte.is_ascii_uppercase()))
}

fn has_version(text: &str) -> bool {
    words_of_versions(text).any(is_version_number)
}

fn words_of_versions(line: &str) -> impl Iterator<Item = &str> {
    line.split([' ', ':', '=', '\t', '|', '@', '`'])
}

/// Whether a line states the version of something: there is a word before the number, unlike in a list of results.
fn names_what_has_version(line: &str) -> bool {
    words_of_versions(line)
        .take_while(|word| !is_version_number(word))
        .any(|word| word.contains(char::is_alphabetic))
}

/// Whether a line calls a function: `name(`. `Intel(R)` and `CPU(s)` are no calls.
fn has_call(line: &str) -> bool {
    const MARKS: &[&str] = &["R)", "TM)", "C)", "r)", "tm)", "c)", "s)"];
    line.match_indices('(').any(|(at, _)| {
        let (before, after) = line.split_at(at);
        let name = before
            .rsplit(|c: char| !(c.is_alphanumeric() || c == '_'))
            .next()
            .unwrap_or("");
        let after = after.get(1..).unwrap_or("");
        name.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && !MARKS.iter().any(|mark| after.starts_with(mark))
    })
}

/// Whether there is text without a version between backticks.
fn quotes_a_name(line: &str) -> bool {
    let mut quoted = line.split('`').skip(1).step_by(2);
    quoted.any(|text| !text.trim().is_empty() && !has_version(text))
}

/// Whether a line assigns a value to a name: `alpha = 0.5`. `python = 3.8` and `numpy = 1.19.2` state versions.
fn is_assignment(line: &str) -> bool {
    let Some((name, value)) = line.split_once(" = ") else {
        return false;
    };
    let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
    let folded = fold(name);
    let is_version = is_version_number(value) && value.matches('.').count() > 1
        || folded.split(' ').any(|word| MACHINE_KEYS.contains(&word));
    is_name && !is_version
}

/// Whether a line is code of a program or a command, unless it asks for versions (`>>> np.show_versions()`, `$ pip freeze`).
fn is_code_or_command(line: &str) -> bool {
    let is_code = is_typed_or_import(line) || is_assignment(line) || has_call(line);
    (is_code || line.starts_with("$ ")) && !asks_for_versions(line)
}

/// Whether a line has the prompt of an interpreter or imports something.
fn is_typed_or_import(line: &str) -> bool {
    // A list that was cut ends in `...`, which is a prompt, too.
    let has_prompt = strip_prompt(line).len() < line.len() && !line.starts_with("...");
    has_prompt
        || line.starts_with("import ")
        || line.starts_with("from ") && line.contains(" import ")
}

/// Whether a line asks for versions, or states the answer.
pub(super) fn asks_for_versions(line: &str) -> bool {
    const WORDS: &[&str] = &["version", "versions", "freeze", "pip", "platform", "v"];
    fold(line).split(' ').any(|word| WORDS.contains(&word))
}

/// Whether a line is code of a program even among facts about a machine, where `$ uname -a` is none, nor
/// `libyaml = True`, nor a call inside a dump.
pub(super) fn is_sure_code(line: &str) -> bool {
    let line = line.trim();
    let value = line.split_once(" = ").map(|(_, value)| value);
    let sure = is_typed_or_import(line)
        || begins_with_call(line)
        || is_assignment(line) && value.is_some_and(begins_with_call);
    sure && !asks_for_versions(line)
}

fn begins_with_call(text: &str) -> bool {
    let end = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.')));
    let call = end.and_then(|end| text.get(..=end));
    call.is_some_and(has_call) && has_call(text)
}

/// Whether a word is a version number: `1.2`, `v3.8.1`, `0.24.0.dev0`.
fn is_version_number(word: &str) -> bool {
    let word = word.trim_start_matches(['v', 'V', '(', '^', '~', '>', '<']);
    let mut parts = word.split('.');
    let major = parts.next().unwrap_or("");
    let minor = parts.next().unwrap_or("");
    !major.is_empty()
        && major.len() <= 4
        && major.bytes().all(|b| b.is_ascii_digit())
        && minor.bytes().next().is_some_and(|b| b.is_ascii_digit())
}

/// Whether lines are a list of versions: at least three lines, of which at least 60 % state one, and neither code
/// nor commands.
pub(super) fn is_version_list<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    let (mut all, mut versions) = (0usize, 0usize);
    for line in lines {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        if is_code_or_command(line) {
            return false;
        }
        all += 1;
        versions += usize::from(
            is_version_line(line) && names_what_has_version(line)
                || line.ends_with(": None")
                || line.starts_with("INSTALLED VERSIONS"),
        );
    }
    all >= 3 && versions * 5 >= all * 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environment_headings_are_sorted_for_the_search() {
        assert!(ENVIRONMENT.is_sorted());
    }

    #[test]
    fn qualified_name_is_no_tag() {
        assert_eq!(tag("Request::parse returns nothing"), None);
        let found = tag("request: parse nothing");
        assert_eq!(found, Some(("request".to_owned(), "parse nothing")));
    }

    #[test]
    fn scope_of_a_conventional_commit_stays() {
        for (title, kind, rest) in [
            ("fix(lit-query): add a tag", "fix", "(lit-query): add a tag"),
            ("feat(core)!: drop it", "feat", "(core)!: drop it"),
            (
                "fix(tanstack-react-query): a", "fix", "(tanstack-react-query): a",
            ),
            ("perf!: cache it", "perf", "cache it"),
        ] {
            assert_eq!(tag(title), Some((kind.to_owned(), rest)), "{title}");
        }
        for title in ["(core): add it", "fix (not only) this", "select(a): fails"] {
            assert_eq!(tag(title), None, "{title}");
        }
    }

    #[test]
    fn branches_before_a_title_are_tags() {
        for tag in [
            "3.14", "v2.1", "7.x", "release-1.2", "backport", "Backport 2.x", "stable/2.9",
            "PR #12796/a927da16 backport",
        ] {
            assert!(is_branch(tag), "{tag}");
        }
        for no in [
            "404", "0.5, 1.0", "release notes 1.2", "core", "3f2a9c1d", "",
        ] {
            assert!(!is_branch(no), "{no}");
        }
        let title = "[PR #12/a927da16 backport][3.14] Fix it";
        assert_eq!(tag(title).map(|(_, rest)| rest), Some("[3.14] Fix it"));
        assert_eq!(tag("3.14: Fix it"), None);
        assert_eq!(tag("[1.2](https://acme.example) Fix it"), None);
    }

    #[test]
    fn headings_are_classified() {
        for yes in [
            "OS / Environment",
            "Ansible Version",
            "**System details**",
            "What version of gRPC are you using?",
            "Output of ``xr.show_versions()``",
        ] {
            assert!(is_environment(&fold(yes)), "{yes}");
        }
        for no in [
            "Steps to reproduce",
            "Version comparison of wheels is wrong",
            "Problem",
        ] {
            assert!(!is_environment(&fold(no)), "{no}");
        }
        for yes in [
            "Describe the bug",
            "🎯 Changes",
            "What did you expect to see?",
            "Code Sample, a copy-pastable example if possible",
        ] {
            assert!(is_standard_heading(&fold(yes)), "{yes}");
        }
        assert!(!is_standard_heading("the cache key"));
    }

    #[test]
    fn lists_of_versions_hold_no_code() {
        let is_list = |text: &str| is_version_list(text.lines());
        for yes in [
            "numpy==1.2\nscipy==1.3\nattrs==20.1.0",
            "$ pip freeze\nnumpy==1.2\nscipy==1.3",
            ">>> xr.show_versions()\nINSTALLED VERSIONS\n-----\npython: 3.8.1\nnumpy: 1.19\nscipy: None",
            "OS: macOS 10.15\nCPU: (8) x64 Intel(R) Core(TM) i7\nNode: 12.16.1\nnpm: 6.14",
            "python = 3.8\nnumpy = 1.19.2\nscipy = 1.3.1",
        ] {
            assert!(is_list(yes), "{yes}");
        }
        for no in [
            ">>> set_alpha(x)\n1.0\n2.0\n3.0",
            "1.0\n2.0\n3.0",
            "alpha = 0.5\nbeta = 1.5\nset_alpha(alpha)",
            "alpha = 0.5\nbeta = 1.5\ngamma = 2.5",
            "$ shop total\na 1.0\nb 2.0\nc 2.5",
        ] {
            assert!(!is_list(no), "{no}");
        }
    }

    #[test]
    fn version_and_noise_lines_are_recognised() {
        for yes in [
            "- OS: Windows 10", "python: 3.8.1", "numpy 1.19.2", "libhdf5: 1.10.4",
        ] {
            assert!(is_version_line(yes), "{yes}");
        }
        for no in [
            "It broke in 3.2 after the router learned to follow links",
            "def f(x):",
            "value: Optional",
        ] {
            assert!(!is_version_line(no), "{no}");
        }
        for no in [
            "- Call `set_alpha(x=0.5)`",
            "Decimal conversion: `set_alpha` loses digits",
            "Decimal conversion: the last digits are lost",
            "ConversionError: cannot convert timeout",
            "UnsupportedVersionError: Foo.bar cannot call set_alpha",
            "| `set_alpha` | 0.5 |",
            "| set_alpha(x) | 0.5 |",
        ] {
            assert!(!is_version_line(no), "{no}");
        }
        for no in [
            "Windows: named_pipe loses the last bytes",
            "- Linux: url_for loses the port",
            "Ruby: node_pattern breaks",
            "Node: fs.read hangs",
            "Browser: urlFor loops",
            "Windows: the last bytes are lost",
            "Python 3.8: url_for fails",
            "Python: as of 3.12 url_for loses the port",
        ] {
            assert!(!is_version_line(no), "{no}");
        }
        for yes in [
            "Version: `1.2.3`",
            "- Library version: main",
            "CPU(s): 2.1",
            "Python 3.8.1 (default)",
            "- OS: CentOS",
            "OS: openSUSE Leap",
            "Device: iPhone 12 Pro Max",
            "machine: x86_64",
            "LC_ALL: en_US.UTF-8",
            "LANG: C.UTF-8",
            "typing_extensions: 4.0.1",
            "OS: Windows 10 Home, 64 bit",
            "Platform: Linux-5.4.0-42-generic-x86_64-with-glibc2.29",
            "processor: Intel64 Family 6 Model 142 Stepping 10, GenuineIntel",
        ] {
            assert!(is_version_line(yes), "{yes}");
        }
        for box_mark in ["x", "X", " ", "x ", "✅", "✔\u{fe0f}"] {
            let line = format!("- [{box_mark}] I have searched the existing issues");
            assert!(is_noise(&line), "{line}");
        }
        for yes in [
            "Signed-off-by: Ada <ada@acme.io>",
            "Backported-by: Ada",
            "Co-Authored-By: Ada",
            "Original-merge: 3f2a9c1d",
            "(cherry picked from commit 3f2a9c1d)",
            "* Update CHANGELOG.md",
            "- Added an entry for the changelog.",
        ] {
            assert!(is_noise(yes), "{yes}");
        }
        for no in [
            "- [ ] Router follows links",
            "- [a] I have links",
            "- [] I have",
            "Sorted by: name",
            "group-by: fails",
            "* Update README.md",
            "- Update the changelog parser",
        ] {
            assert!(!is_noise(no), "{no}");
        }
    }
}

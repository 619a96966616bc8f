//! Reads paths, test ids and links to files.

use std::ops::Range;

use foveate_index::tokens::is_unspaced;
use foveate_parse::languages::{is_ambiguous_extension, is_code_extension};
use foveate_parse::traces::clean_path;
use percent_encoding::percent_decode_str;

use super::PathMention;
use super::names::{self, is_product};
use crate::log_prefix::is_number;

/// Extensions of other files than code that an issue may name, and of languages known by name whose extensions are no
/// names of members.
const EXTENSIONS: &[&str] = &[
    "bat", "bzl", "cfg", "clj", "cljs", "cmake", "coffee", "conf", "cshtml", "csproj", "dart",
    "elm", "erb", "erl", "exs", "f90", "glsl", "gradle", "graphql", "groovy", "hlsl", "hs", "ini",
    "jl", "json", "lock", "lua", "m", "md", "mdx", "mk", "mli", "nim", "nix", "pl", "po", "proto",
    "qml", "razor", "rst", "sln", "sol", "svg", "tf", "toml", "tpl", "txt", "vhd", "vim", "yaml",
    "yml", "zig",
];

/// Longest extension and longest name of a file that is not known by its extension, in bytes.
const MAX_EXTENSION: usize = 10;
const MAX_FILE_NAME: usize = 255;

/// Where a word stands, which decides how strictly it is checked for being a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Context {
    /// Prose, or a line of a code block: a known extension is needed. A word with slashes and another extension, or the
    /// name of a file such as `Dockerfile`, may be a path, and so may `.editorconfig`.
    Prose,
    /// Code between backticks: several segments with slashes are enough.
    Code,
}

/// Reads a word (no spaces) as a path, with its line if one is given.
pub(super) fn read(word: &str, context: Context) -> Option<PathMention> {
    // `reply.json()` is a call.
    let is_call = word.contains("()");
    let (word, bracketed) = split_bracketed_line(bare(word));
    let (word, quoted) = split_quoted_line(word);
    // Routes have such names: `app/[id]/page.tsx`, `(group)`, `$id`.
    let slash = word.find('/').unwrap_or(word.len());
    let has_bracket = word.contains(BRACKETS);
    let is_code = |c: char| "=|\"'<>{*@".contains(c);
    if is_call
        || word.len() < 3
        || word.len() > 300
        || word.find(BRACKETS).is_some_and(|at| at < slash)
        || word.contains(is_code) && !word.starts_with('@')
    {
        return None;
    }
    let (path, lines) = split_line(word);
    let bracketed = bracketed.map(|line| (line, line));
    let (line, last_line) = bracketed.or(quoted).unwrap_or(lines);
    let path = without_anchor(path).replace('\\', "/");
    let path = path.trim_start_matches("./").trim_matches('/');
    let name = path.rsplit('/').next().unwrap_or("");
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let segments = path.split('/').count();
    let plain = path
        .chars()
        .all(|c| c.is_alphanumeric() || "/._-@+~#".contains(c) || BRACKETS.contains(&c))
        && !path.split('/').any(|segment| segment.is_empty());
    if !plain || path.starts_with("..") && segments < 2 {
        return None;
    }
    let known = is_known_file(path);
    // `and/or`, `read/write`: two plain words are no path unless code marks say so.
    let listed =
        context == Context::Code && path.split('/').all(|s| s.chars().any(char::is_alphabetic));
    let is_name = match extension {
        "" => name.starts_with(char::is_uppercase),
        _ => {
            extension.len() <= MAX_EXTENSION
                && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
        }
    };
    let possible = segments >= 2 && !has_bracket && (listed || is_name && !stem.is_empty())
        || is_dot_file(path);
    (known || possible).then(|| PathMention {
        path: path.to_owned(),
        line,
        last_line,
        is_certain: known || listed && segments >= 2,
        from_url: false,
    })
}

/// Reads a word as the name of a file whose extension is not known, with its line if one is given: `rules-base.neon:3`.
/// Code may be spelled like this (`cart.total`).
pub(super) fn read_other_file(word: &str) -> Option<PathMention> {
    let (name, (line, last_line)) = split_line(bare(word));
    let (stem, extension) = name.rsplit_once('.')?;
    let is_stem = stem.contains(char::is_alphabetic)
        && stem
            .chars()
            .all(|c| c.is_alphanumeric() || "._-+~".contains(c));
    let is_extension = extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && extension.len() <= MAX_EXTENSION
        && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_stem && is_extension && name.len() <= MAX_FILE_NAME).then(|| PathMention {
        path: name.to_owned(),
        line,
        last_line,
        is_certain: false,
        from_url: false,
    })
}

/// Returns where a line of output has words that are paths of files, in bytes. A file without a directory counts with a
/// line (`main.py:3:`) and in a command (`$ python main.py`): elsewhere, `request.json` may be code.
pub(super) fn files_in(line: &str) -> Vec<Range<usize>> {
    let is_command = line.starts_with("$ ");
    let mut files = Vec::new();
    let mut end = 0;
    for word in line.split_inclusive(char::is_whitespace) {
        let start = end;
        end += word.len();
        let path = read(word.trim_end(), Context::Prose).filter(|path| path.is_certain);
        if path.is_some_and(|path| is_command || path.line > 0 || word.contains('/')) {
            files.push(start..end);
        }
    }
    files
}

/// Strips from a word what is no part of a path: punctuation around it, `file://`, the ending of `a.py's` and a drive.
fn bare(word: &str) -> &str {
    let is_outside = |c: char| !(c.is_alphanumeric() || "/\\._-@+~#$%:".contains(c));
    let word = word
        .trim_start_matches(is_outside)
        .trim_end_matches(|c: char| is_outside(c) || matches!(c, '.' | ':'));
    let possessive = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s"));
    let word = possessive.unwrap_or(word);
    let path = word.strip_prefix("file://");
    strip_drive(path.map_or(word, |path| path.trim_start_matches('/')))
}

/// Whether a word is spelled like the name of a hidden file: `.rspec`, `.env.example`. It may also be a method or an
/// extension.
fn is_dot_file(word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-.".contains(c);
    let name = word.strip_prefix('.').unwrap_or("");
    name.len() > 1
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(is_part)
}

/// Whether a path ends in the name of a file with a known extension. Without a directory, `x.re` may be code.
fn is_known_file(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let is_code = |extension: &str| {
        is_code_extension(extension) && (name != path || !is_ambiguous_extension(extension))
    };
    let is_known = |(stem, extension): (&str, &str)| {
        (is_code(extension) || EXTENSIONS.contains(&extension))
            && !stem.is_empty()
            && !is_product(name)
    };
    name.rsplit_once('.').is_some_and(is_known)
}

/// Whether a path ends in the name of a file (`a.py`, `messages.properties`) rather than of code (`HashSyntax`,
/// `User.save`).
pub(super) fn ends_in_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_file = |(stem, extension): (&str, &str)| {
        !stem.starts_with(char::is_uppercase)
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    is_known_file(path) || name.rsplit_once('.').is_some_and(is_file)
}

/// Strips the anchor of `a.rst#usage`.
fn without_anchor(path: &str) -> &str {
    match path.split_once('#') {
        Some((file, _)) if is_known_file(file) => file,
        _ => path,
    }
}

/// Strips the drive of `C:\src\a.py`: its colon would be read as the start of a line number.
fn strip_drive(word: &str) -> &str {
    match word.split_once(':') {
        Some((drive, path))
            if drive.len() == 1
                && drive.starts_with(|c: char| c.is_ascii_alphabetic())
                && path.starts_with(['\\', '/'])
                && !path.starts_with("//") =>
        {
            path
        }
        _ => word,
    }
}

/// Punctuation of Chinese and Japanese, which has no spaces around it.
pub(super) const FULL_WIDTH: [char; 17] = [
    '（', '）', '，', '。', '：', '；', '「', '」', '『', '』', '【', '】', '、', '！', '？', '《',
    '》',
];

/// Splits a text without spaces where the script changes (`在src/a.py中`) and around full-width punctuation, which is
/// left out. A name that begins in ASCII and is a path as a whole is not split: `docs/API说明.md`.
pub(super) fn split_scripts(word: &str) -> impl Iterator<Item = &str> {
    word.split(FULL_WIDTH)
        .filter(|part| !part.is_empty())
        .flat_map(|part| {
            let starts = if is_ascii_path(part) {
                Vec::new()
            } else {
                script_changes(part)
            };
            let ends = starts.clone().into_iter().chain([part.len()]);
            let starts = [0].into_iter().chain(starts);
            starts
                .zip(ends)
                .filter_map(move |(start, end)| part.get(start..end))
        })
}

fn is_ascii_path(word: &str) -> bool {
    word.is_ascii()
        || word.starts_with(|c: char| c.is_ascii()) && read(word, Context::Prose).is_some()
}

/// Returns where letters of a script without spaces adjoin ASCII letters or digits.
fn script_changes(word: &str) -> Vec<usize> {
    let mut before = ' ';
    let mut changes = Vec::new();
    for (at, c) in word.char_indices() {
        let changed = is_unspaced(before) && c.is_ascii_alphanumeric()
            || before.is_ascii_alphanumeric() && is_unspaced(c);
        if changed {
            changes.push(at);
        }
        before = c;
    }
    changes
}

/// Characters of paths that mean something else in prose and code, unless a slash precedes them.
const BRACKETS: [char; 5] = ['(', ')', '[', ']', '$'];

/// Reads `tests/a.py::TestB::test_c[1]` as the file and `TestB.test_c`.
pub(super) fn read_test(word: &str) -> Option<(PathMention, String)> {
    let (file, rest) = word.split_once(".py::")?;
    let file = read(&format!("{file}.py"), Context::Prose)?;
    let end = rest
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | ':')))
        .unwrap_or(rest.len());
    let name = rest.get(..end)?.trim_end_matches(':').replace("::", ".");
    (!name.is_empty() && !name.contains(':')).then_some((file, name))
}

/// Reads a word as the place of a log entry in logfmt: `caller=db.go:908`.
pub(super) fn read_keyed(word: &str) -> Option<PathMention> {
    const KEYS: [&str; 6] = ["caller", "file", "filename", "location", "source", "src"];
    let (_, value) = word.split_once('=').filter(|(key, _)| KEYS.contains(key))?;
    read(value, Context::Prose).filter(|mention| mention.is_certain && mention.line > 0)
}

/// Reads `src/a.py:B.c`, as Foveate writes names with their files, as the file and `B.c`. After `#`, only a name that
/// is written like one in code counts: others are anchors of a text.
pub(super) fn read_named(word: &str) -> Option<(PathMention, String)> {
    let word = bare(word);
    let (file, rest) = word.split_at(word.find([':', '#'])?);
    // Where words have no spaces between them, a sentence may follow.
    let begins_name = |c: char| c == '_' || c.is_alphabetic() && !is_unspaced(c);
    let written = rest.get(1..).filter(|rest| rest.starts_with(begins_name))?;
    let file = read(file, Context::Prose).filter(|file| file.is_certain)?;
    let name = names::scan(written).into_iter().next()?;
    let text = name.trimmed();
    let is_meant = match rest.starts_with('#') {
        true => name.is_identifier_like(),
        // `L12` and `line` announce a line.
        false => {
            !matches!(text, "line" | "lines") && !text.strip_prefix('L').is_some_and(is_number)
        }
    };
    is_meant.then(|| (file, text.to_owned()))
}

/// Splits `a.py":12`, as the end of a path in quotes is written, into the path and the lines.
fn split_quoted_line(word: &str) -> (&str, Option<(u32, u32)>) {
    let quoted = word.split_once(['"', '\'', '`', '”', '’', '“', '»']);
    match quoted.and_then(|(path, rest)| Some((path, line_after_quote(rest)?))) {
        Some((path, lines)) => (path, Some(lines)),
        None => (word, None),
    }
}

/// Reads the lines that directly follow a path in quotes or backticks: `:12`.
pub(super) fn line_after_quote(text: &str) -> Option<(u32, u32)> {
    let lines = lines_after_colon(text.strip_prefix(':')?);
    (lines.0 > 0).then_some(lines)
}

/// Splits `a.cs(12` or `a.cs(12,5)`, as compilers of Microsoft write lines, into the path and the line.
fn split_bracketed_line(word: &str) -> (&str, Option<u32>) {
    let is_place = |place: &str| {
        place.starts_with(|c: char| c.is_ascii_digit())
            && place
                .chars()
                .all(|c| c.is_ascii_digit() || ",-)".contains(c))
    };
    match word.split_once('(') {
        Some((path, place)) if is_place(place) => (path, Some(leading_number(place))),
        _ => (word, None),
    }
}

/// Returns the lines that the words beside a path give: `line 12 of a.rs`, `a.rs, lines 10-20`, `a.rs L12`.
/// Zero if they give none. The words before it come last to first.
pub(super) fn lines_beside<'w>(
    before: impl Iterator<Item = &'w str>,
    after: impl Iterator<Item = &'w str>,
) -> (u32, u32) {
    lines_after(after)
        .or_else(|| lines_before(before))
        .unwrap_or_default()
}

fn lines_after<'w>(words: impl Iterator<Item = &'w str>) -> Option<(u32, u32)> {
    let mut words = plain_words(words);
    let mut word = words.next()?;
    if matches!(word, "at" | "on" | "in" | "around" | "near") {
        word = words.next()?;
    }
    stated_lines(word, || words.next())
}

fn lines_before<'w>(words: impl Iterator<Item = &'w str>) -> Option<(u32, u32)> {
    let mut words = plain_words(words);
    let mut word = words.next()?;
    for filler in ["file", "the"] {
        if word == filler {
            word = words.next()?;
        }
    }
    if !matches!(word, "of" | "in") {
        return None;
    }
    let number = words.next()?;
    stated_lines(number, || None).or_else(|| stated_lines(words.next()?, || Some(number)))
}

fn plain_words<'w>(words: impl Iterator<Item = &'w str>) -> impl Iterator<Item = &'w str> {
    words
        .map(|word| word.trim_matches(|c: char| "(),:;.*".contains(c)))
        .filter(|word| !word.is_empty())
}

/// Reads `line 12`, `lines 10-20` or `L12`.
fn stated_lines<'w>(word: &str, next: impl FnOnce() -> Option<&'w str>) -> Option<(u32, u32)> {
    let lines = match word {
        "line" | "lines" | "Line" | "Lines" => line_range(next()?.trim_start_matches(['L', '#'])),
        _ => line_range(word.strip_prefix('L').or(word.strip_prefix("#L"))?),
    };
    (lines.0 > 0).then_some(lines)
}

/// Splits `a.py:12`, `a.py:12:3`, `a.py:12-20` or `a.py#L12-L20` into the path and the first and last line.
fn split_line(word: &str) -> (&str, (u32, u32)) {
    if let Some((path, fragment)) = word.split_once("#L") {
        return (path, line_range(fragment));
    }
    match word.split_once(':') {
        Some((path, rest)) => (path, lines_after_colon(rest)),
        None => (word, (0, 0)),
    }
}

fn lines_after_colon(text: &str) -> (u32, u32) {
    // What follows a second colon is a column.
    let lines = text.split(':').next().unwrap_or(text);
    line_range(lines.trim_start_matches('L'))
}

/// Reads `10-L20`, `10-20`, `10:L20` or `10` as the first and the last line.
fn line_range(fragment: &str) -> (u32, u32) {
    let first = leading_number(fragment);
    let digits = fragment.bytes().take_while(u8::is_ascii_digit).count();
    let rest = fragment.get(digits..).unwrap_or("");
    let last = leading_number(rest.trim_start_matches(['-', ':', 'L', 'l']));
    (first, last.max(first))
}

fn leading_number(text: &str) -> u32 {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    text.get(..end)
        .and_then(|digits| digits.parse().ok())
        .unwrap_or(0)
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// A link to a file of a repository.
    File(PathMention),
    /// Any other link, with the words of its path that may help a search.
    Other(String),
}

/// Reads a URL.
pub(super) fn read_url(url: &str) -> Link {
    let url = url.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '"', '*', '_']);
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let raw = host.starts_with("raw.");
    // GitLab's repositories can be in groups of groups.
    let below = match path.split_once("/-/") {
        Some((_, below)) => below,
        None => path.splitn(3, '/').nth(2).unwrap_or(""),
    };
    let file = ["blob/", "blame/", "tree/", "raw/", "src/", "edit/"]
        .iter()
        .find_map(|kind| below.strip_prefix(kind))
        .or_else(|| raw.then_some(below))
        .and_then(|rest| rest.split_once('/'))
        .map(|(_reference, path)| path);
    let is_forge = |label: &str| {
        label.starts_with("git") || label.contains("bitbucket") || label.contains("codeberg")
    };
    let forge = host.split('.').any(is_forge);
    if let Some(path) = file.filter(|path| forge && !path.is_empty()) {
        let (path, fragment) = path.split_once('#').unwrap_or((path, ""));
        let path = path.split('?').next().unwrap_or(path);
        // Bitbucket writes `#lines-3:9`.
        let fragment = fragment.trim_start_matches("lines-");
        let (line, last_line) = line_range(fragment.trim_start_matches(['L', 'l']));
        let path = percent_decode_str(path).decode_utf8_lossy();
        return Link::File(PathMention {
            path: clean_path(&path).trim_matches('/').to_owned(),
            line,
            last_line,
            is_certain: true,
            from_url: true,
        });
    }
    // A forge's other pages (issues, pull requests, users) and pictures name no code.
    const PICTURES: &[&str] = &[".png", ".jpg", ".jpeg", ".gif", ".svg", ".mp4"];
    if forge
        || host
            .split('.')
            .any(|label| matches!(label, "play" | "playground"))
        || path.len() > 150
        || path.contains("?")
        || PICTURES.iter().any(|p| path.ends_with(p))
    {
        return Link::Other(String::new());
    }
    Link::Other(path.replace(['/', '-', '#', '%'], " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(word: &str, context: Context, wanted: Option<(&str, u32)>) {
        let found = read(word, context);
        let found = found.as_ref().map(|m| (m.path.as_str(), m.line));
        assert_eq!(found, wanted, "{word}");
    }

    #[test]
    fn words_are_read_as_paths() {
        use Context::{Code, Prose};
        check("src/pool.py:123,", Prose, Some(("src/pool.py", 123)));
        check(
            "(lib/a.test.ts#L10-L20)",
            Prose,
            Some(("lib/a.test.ts", 10)),
        );
        check("src\\win\\path.cs", Prose, Some(("src/win/path.cs", 0)));
        check("settings.py", Prose, Some(("settings.py", 0)));
        check("Node.js", Prose, None);
        check("and/or", Prose, None);
        check("a/mod.py", Prose, Some(("a/mod.py", 0)));
        check("app/[id]/page.tsx:3", Prose, Some(("app/[id]/page.tsx", 3)));
        check("src/(web)/$id.tsx", Prose, Some(("src/(web)/$id.tsx", 0)));
        check("f(a/b)", Code, None);
        check("a/b[0]", Code, None);
        check("App.csproj", Prose, Some(("App.csproj", 0)));
        let is_certain = |word| read(word, Prose).map(|found| found.is_certain);
        assert_eq!(is_certain("src/a.py"), Some(true));
        assert_eq!(is_certain("src/messages.properties"), Some(false));
        assert_eq!(is_certain("docker/Dockerfile"), Some(false));
        for context in [Prose, Code] {
            let found = read(".rspec", context).map(|found| found.is_certain);
            assert_eq!(found, Some(false));
        }
        check("`.env.example`,", Prose, Some((".env.example", 0)));
        for word in [".NET", ".5", "...and", ".then()", "."] {
            check(word, Prose, None);
        }
        check("3.8", Prose, None);
        check("foo.bar", Prose, None);
        check("packages/core/src", Code, Some(("packages/core/src", 0)));
        check("@scope/core", Code, Some(("@scope/core", 0)));
        check("src/a.cs(12,5):", Prose, Some(("src/a.cs", 12)));
        check("src/a.cs(12)", Prose, Some(("src/a.cs", 12)));
        check("src/a.rs:L12", Prose, Some(("src/a.rs", 12)));
        check("1/2", Code, None);
        check("f(a.py)", Code, None);
        check("C:\\src\\a.py:14", Prose, Some(("src/a.py", 14)));
        check("c:/src/a.py", Prose, Some(("src/a.py", 0)));
        check("c://src/a.py", Prose, None);
        check("src/a.py's", Prose, Some(("src/a.py", 0)));
        check("src/a.py’s,", Prose, Some(("src/a.py", 0)));
        for word in [
            "src/a.py？", "src/a.py…", "«src/a.py»", "„src/a.py“", "(src/a.py):", "└──src/a.py",
            "file:///src/a.py", "src/a.py#usage",
        ] {
            check(word, Prose, Some(("src/a.py", 0)));
        }
        check("%s/a.py", Prose, None);
        check("\"src/a.py\":325,", Prose, Some(("src/a.py", 325)));
        check("'src/a.py':12:5", Prose, Some(("src/a.py", 12)));
        check("\"src/a.py\":x", Prose, None);
        check(
            "<file:///home/ada/a.py:12>",
            Code,
            Some(("home/ada/a.py", 12)),
        );
        check("file:///C:/src/a.py:12", Prose, Some(("src/a.py", 12)));
        check("src/C#/a.cs", Prose, Some(("src/C#/a.cs", 0)));
        check("docs/a.rst#usage", Code, Some(("docs/a.rst", 0)));
    }

    #[test]
    fn names_of_files_with_any_extension_are_read() {
        for (word, wanted) in [
            ("`rules-base.neon`", Some(("rules-base.neon", 0))),
            ("(rules-base.neon:3),", Some(("rules-base.neon", 3))),
            ("a_page.bash.roff.", Some(("a_page.bash.roff", 0))),
            ("shop.pc.in's", Some(("shop.pc.in", 0))),
            ("3.8", None),
            ("1.x", None),
            ("v1.2", None),
            ("f(a.b)", None),
            ("a/b.neon", None),
            (".neon", None),
            ("shop", None),
        ] {
            let found = read_other_file(word);
            let found = found.as_ref().map(|m| (m.path.as_str(), m.line));
            assert_eq!(found, wanted, "{word}");
        }
    }

    #[test]
    fn places_of_logfmt_are_read() {
        for (word, wanted) in [
            ("caller=db.go:908", Some(("db.go", 908))),
            ("source=\"tsdb/head.go:123\"", Some(("tsdb/head.go", 123))),
            ("file=db.go", None),
            ("source=main:3", None),
            ("path=db.go:908", None),
        ] {
            let found = read_keyed(word);
            let found = found.as_ref().map(|it| (it.path.as_str(), it.line));
            assert_eq!(found, wanted, "{word}");
        }
    }

    #[test]
    fn names_behind_paths_are_read() {
        for (word, wanted) in [
            ("src/a.py:open_all,", Some(("src/a.py", "open_all"))),
            ("`src/a.py:Cart.total()`", Some(("src/a.py", "Cart.total"))),
            ("b/form.go:setByForm", Some(("b/form.go", "setByForm"))),
            ("src/a.rs:Pool::get", Some(("src/a.rs", "Pool.get"))),
            ("C:\\src\\a.py:_run", Some(("src/a.py", "_run"))),
            ("a.rb#to_s", Some(("a.rb", "to_s"))),
            ("a.rst#usage", None),
            ("a.py#L10", None),
            ("src/a.py:12", None),
            ("src/a.py:L12", None),
            ("src/a.py:line", None),
            ("src/a.py:", None),
            ("src/a.py:报错", None),
            ("tests/a.py::test_b", None),
            ("std:io", None),
            ("http://a.py/b", None),
        ] {
            let found = read_named(word);
            let found = found
                .as_ref()
                .map(|(file, name)| (file.path.as_str(), name.as_str()));
            assert_eq!(found, wanted, "{word}");
        }
    }

    #[test]
    fn paths_of_code_end_in_no_file() {
        for path in ["src/a.py", "User.py", "src/messages.properties", "a/.env"] {
            assert!(ends_in_file(path), "{path}");
        }
        for path in [
            "Style/HashSyntax", "models/User.save", "a/b.c_d", "src/core",
        ] {
            assert!(!ends_in_file(path), "{path}");
        }
    }

    #[test]
    fn words_of_mixed_scripts_are_split() {
        for (word, wanted) in [
            (
                "错误发生在src/a.py文件中。",
                vec!["错误发生在", "src/a.py", "文件中"],
            ),
            (
                "错误（src/a.py:14）发生",
                vec!["错误", "src/a.py:14", "发生"],
            ),
            ("src/a.py？为什么", vec!["src/a.py", "为什么"]),
            ("docs/API说明.md", vec!["docs/API说明.md"]),
            ("docs/中文/a.md", vec!["docs/中文/a.md"]),
            ("f(x):g", vec!["f(x):g"]),
        ] {
            assert_eq!(split_scripts(word).collect::<Vec<_>>(), wanted);
        }
    }

    #[test]
    fn test_ids_and_line_ranges_are_read() {
        let (file, name) = read_test("tests/a.py::TestB::test_c[x-1],").unwrap();
        assert_eq!(
            (file.path.as_str(), name.as_str()),
            ("tests/a.py", "TestB.test_c")
        );
        assert_eq!(read_test("a.py::"), None);
        assert_eq!(line_range("10-L20"), (10, 20));
        assert_eq!(line_range("10-20"), (10, 20));
        assert_eq!(line_range("10"), (10, 10));
        assert_eq!(line_range(""), (0, 0));
    }

    #[test]
    fn lines_beside_paths_are_read() {
        for (before, after, wanted) in [
            ("see", "line 12 again", (12, 12)),
            ("see", ", lines 10-20)", (10, 20)),
            ("see", "on line 12.", (12, 12)),
            ("see", "L12", (12, 12)),
            ("in line 12 of the file", "too", (12, 12)),
            ("lines 10-20 in", "", (10, 20)),
            ("see L10-L20 of", "", (10, 20)),
            ("12 of", "and 13", (0, 0)),
            ("line 12", "", (0, 0)),
            ("", "has one line", (0, 0)),
            ("", "Later", (0, 0)),
        ] {
            let found = lines_beside(before.split_whitespace().rev(), after.split_whitespace());
            assert_eq!(found, wanted, "{before} … {after}");
        }
        assert_eq!(split_line("a.py:12:30"), ("a.py", (12, 12)));
        assert_eq!(split_line("a.py:12-30"), ("a.py", (12, 30)));
    }

    #[test]
    fn links_to_files_are_read() {
        let file = |url| match read_url(url) {
            Link::File(mention) => (mention.path, mention.line),
            Link::Other(words) => (format!("words:{words}"), 0),
        };
        assert_eq!(
            file("https://github.com/o/r/blob/0a1b/src/a.py#L10-L20"),
            ("src/a.py".to_owned(), 10)
        );
        assert_eq!(
            file("https://gitlab.com/o/r/-/blob/main/a/b.rb#L3"),
            ("a/b.rb".to_owned(), 3)
        );
        assert_eq!(
            file("https://raw.githubusercontent.com/o/r/main/x.js"),
            ("x.js".to_owned(), 0)
        );
        for (url, path, line) in [
            ("https://gitlab.com/g/s/p/-/blob/main/b.py#L3", "b.py", 3),
            (
                "https://bitbucket.org/o/r/src/main/a.py#lines-3:9",
                "a.py",
                3,
            ),
            (
                "https://github.com/o/r/blob/main/app/%5Bid%5D/a%20b.tsx",
                "app/[id]/a b.tsx",
                0,
            ),
            (
                "https://playwright.dev/docs/legit-locators",
                "words:docs legit locators",
                0,
            ),
            ("https://legit.dev/docs", "words:docs", 0),
            ("https://play.rust-lang.org/gist", "words:", 0),
        ] {
            assert_eq!(file(url), (path.to_owned(), line), "{url}");
        }
        assert_eq!(
            file("https://github.com/o/r/issues/12"),
            ("words:".to_owned(), 0)
        );
    }
}

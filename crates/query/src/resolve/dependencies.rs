//! Resolves a short question about the version of a dependency to the lines of manifests that require it: "bump the kotlin
//! version" to `kotlin = "2.1"`. A search for the words would prefer lines about its plugins, which have more of them.

use foveate_index::{FileId, Files};
use foveate_model::FileKind;

use super::{EvidenceSource, Resolver, is_stop_word};
use crate::deadline::Stage;
use crate::text::{QueryText, SegmentKind};

/// Maximum words of a question.
const MAX_WORDS: usize = 12;
/// Maximum manifests that are read, those nearest to the root first, and maximum bytes of one.
const MAX_MANIFESTS: usize = 64;
const MAX_BYTES: usize = 1 << 16;
/// Maximum manifests that are found: each package of a repository may require the same dependency.
const MAX_FOUND: usize = 4;
/// Maximum bytes of a line: longer ones are data.
const MAX_LINE: usize = 400;

/// Words by which a question asks for a version, of which it must have one.
const ASKING: &[&str] = &[
    "bump", "dependency", "pin", "pinned", "upgrade", "version", "versions",
];

/// Other words of such questions that name no dependency.
const BESIDE: &[&str] = &[
    "depend", "latest", "library", "minimum", "new", "newer", "newest", "package", "please",
    "require", "required", "requires", "supported", "update", "we",
];

impl Resolver<'_> {
    /// Resolves the dependency that a question is about.
    pub(super) fn dependencies(&mut self, text: &QueryText) {
        let Some(name) = asked_dependency(text) else {
            return;
        };
        if !self.deadline.allows(Stage::Names) {
            return;
        }
        let snapshot = self.snapshot;
        let files = &snapshot.files;
        let found = manifests(files).into_iter().filter_map(|manifest| {
            let mut lines = files.text(manifest).lines().zip(1..);
            let (_, line) =
                lines.find(|(line, _)| required(line).is_some_and(|key| is_of(key, &name)))?;
            Some((manifest, line))
        });
        for (manifest, line) in found.take(MAX_FOUND) {
            let strength = self.config.strength.literal;
            self.add_file(manifest, EvidenceSource::Line, strength);
            self.add_line(manifest, line, false);
        }
    }
}

/// Returns the manifests that are read, those nearest to the root first. Those that are code have no keys.
fn manifests(files: &Files) -> Vec<FileId> {
    let found = files.ids().filter(|file| {
        let of = files.file(*file);
        of.purpose.kind == Some(FileKind::Manifest)
            && !of.language.is_code()
            && files.text(*file).len() <= MAX_BYTES
    });
    let mut found: Vec<FileId> = found.collect();
    found.sort_by_key(|file| (files.file(*file).path.segments().count(), *file));
    found.truncate(MAX_MANIFESTS);
    found
}

/// Returns the name of the dependency whose version a short question is about, without separators and in lower case.
fn asked_dependency(text: &QueryText) -> Option<String> {
    let mut segments = text.segments.iter();
    if !segments.all(|segment| matches!(segment.kind, SegmentKind::Title | SegmentKind::InlineCode))
    {
        return None;
    }
    let words = text.title().split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    let words: Vec<String> = words.take(1 + MAX_WORDS).map(str::to_lowercase).collect();
    let is_asking = words.iter().any(|word| ASKING.contains(&word.as_str()));
    if !is_asking || words.len() > MAX_WORDS {
        return None;
    }
    let is_name = |word: &&String| {
        let word = word.as_str();
        let has_letter = word.contains(char::is_alphabetic);
        has_letter && !is_stop_word(word) && !ASKING.contains(&word) && !BESIDE.contains(&word)
    };
    let name: String = words.iter().filter(is_name).map(String::as_str).collect();
    (name.len() >= 2).then_some(name)
}

/// Returns the key of a line of a manifest that sets a version (`kotlin = "2.1"`, `"kotlin": "^2.1"`, `kotlin>=2.1`,
/// `<kotlin.version>2.1<`, `example.org/kotlin v2.1`), or that begins a table (`[dependencies.kotlin]`).
fn required(line: &str) -> Option<&str> {
    if line.len() > MAX_LINE {
        return None;
    }
    let line = line.trim_start();
    if let Some(table) = line.strip_prefix('[') {
        let (name, _) = table.split_once(']')?;
        return name.rsplit('.').next();
    }
    let line = line.trim_start_matches(['"', '\'', '<', '-', ' ']);
    let is_key = |c: char| c.is_alphanumeric() || "_-./@".contains(c);
    let end = line.find(|c: char| !is_key(c))?;
    let (key, rest) = line.split_at(end);
    let rest = rest.trim_start_matches(['"', '\'', ' ']);
    let is_go_version = || {
        let version = rest.strip_prefix('v');
        version.is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit()))
    };
    let is_set = rest.starts_with(['=', ':', '>', '<', '~', '!', '[']) || is_go_version();
    let has_version = rest.contains(|c: char| c.is_ascii_digit());
    (is_set && has_version).then_some(key)
}

/// Whether a key is that of a dependency, whole or after its owner: `org/kotlin`, `kotlin.version`, `kotlinVersion`.
fn is_of(key: &str, name: &str) -> bool {
    let folded = |text: &str| {
        let letters = text.chars().filter(|c| c.is_alphanumeric());
        let text: String = letters.flat_map(char::to_lowercase).collect();
        match text.strip_suffix("version") {
            Some(start) => start.to_owned(),
            None => text,
        }
    };
    let last = key.rsplit('/').next().unwrap_or(key);
    folded(key) == name || folded(last) == name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_of_a_dependency_is_what_else_a_question_says() {
        let asked = |query: &str| asked_dependency(&QueryText::parse(query));
        for query in [
            "bump the kotlin version",
            "Upgrade Kotlin to 2.1",
            "which version of `kotlin` do we depend on?",
        ] {
            assert_eq!(asked(query).as_deref(), Some("kotlin"), "{query}");
        }
        assert_eq!(asked("pin spring-boot").as_deref(), Some("springboot"));
        for query in [
            "bump the version",
            "how is kotlin compiled?",
            "bump kotlin\n\nIt does not compile with the old one.",
        ] {
            assert_eq!(asked(query), None, "{query}");
        }
    }

    #[test]
    fn lines_that_require_a_dependency_are_recognised() {
        let is_required = |line: &str| required(line).is_some_and(|key| is_of(key, "kotlin"));
        for line in [
            "kotlin = \"2.1\"",
            "  \"kotlin\": \"^2.1\",",
            "    \"jetbrains/kotlin\": \"~2.1\"",
            "kotlin>=2.1",
            "  \"kotlin >= 2.1\",",
            "kotlin[extra] ~= 2.1",
            "  <kotlin.version>2.1</kotlin.version>",
            "\tgithub.com/jetbrains/kotlin v2.1.0",
            "kotlinVersion=2.1",
            "[dependencies.kotlin]",
        ] {
            assert!(is_required(line), "{line}");
        }
        for line in [
            "kotlin-plugin = { version.ref = \"kotlin\", level = 2 }",
            "\"kotlin\": \"kotlinc --all\"",
            "# kotlin = 2.1",
            "kotlin",
            "kotlin = { workspace = true }",
            "kotlin 2.1 is needed",
            "",
        ] {
            assert!(!is_required(line), "{line}");
        }
    }
}

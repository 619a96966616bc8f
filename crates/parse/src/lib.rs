//! Extracts facts from bytes: definitions, references, imports, messages, chunks and regions of one file.
//!
//! It has no error type: any text gives facts, with issues if necessary. It opens no file, knows only the
//! file that it is given, and is bounded in time and memory.
//!
//! Start at [`read`]. The table of [`languages`] holds the differences between languages. [`sections`]
//! finds the structure of documentation and settings, which have no definitions; [`code`], [`traces`] and
//! [`hunks`] read code elsewhere: in issues, stack traces and changes.

use std::sync::Arc;

use foveate_model::{
    Content, FileFacts, Language, ParseIssue, Purpose, RepoPath, Role, SkipReason,
};

mod chunks;
pub mod code;
mod collect;
mod content;
mod documentation;
mod file_names;
pub mod hunks;
pub mod languages;
mod limits;
mod lines;
mod messages;
pub mod origin;
mod paths;
mod purpose;
mod role;
pub mod sections;
mod syntax;
#[cfg(test)]
mod testing;
pub mod traces;
mod values;
mod walk;

pub use limits::Limits;

/// Version of the facts that a text gives: facts of another version must not be used. A test compares it
/// with the facts of fixed texts.
pub const VERSION: u16 = 25;

/// Returns the language that a path's name tells; `None` if only the content can tell.
pub fn language_by_name(path: &RepoPath) -> Option<Language> {
    languages::by_path(path)
}

/// Returns the reason why a path's content need not be read (binary formats and data); `None` otherwise.
pub fn skip_by_name(path: &RepoPath) -> Option<SkipReason> {
    file_names::skip_by_name(path)
}

/// Reads one blob: decides whether it is worth reading, in which language, and parses it.
///
/// Returns the language even if the blob is skipped. The content decides on the language without `by_name`
/// (`#!` line, otherwise plain text), and where two languages share a name (`.h`).
pub fn read(
    by_name: Option<Language>,
    bytes: &[u8],
    limits: &Limits,
) -> (Language, Result<Content, SkipReason>) {
    read_after(by_name, bytes, None, limits)
}

/// Reads a blob like [`read`], given an `earlier` version of the file. The result is the same, but costs
/// less if most functions are unchanged and the language's walker reuses them.
pub fn read_after(
    by_name: Option<Language>,
    bytes: &[u8],
    earlier: Option<&Content>,
    limits: &Limits,
) -> (Language, Result<Content, SkipReason>) {
    read_with(by_name, bytes, limits, |language, text| {
        parse_after(language, text, earlier, limits)
    })
}

/// Reads a blob whose parsing was abandoned, without parsing it: as the facts of plain text, with an issue
/// that says so.
pub fn read_unparsed(
    by_name: Option<Language>,
    bytes: &[u8],
    limits: &Limits,
) -> (Language, Result<Content, SkipReason>) {
    read_with(by_name, bytes, limits, |language, text| {
        complete(unparsed(language, text), text)
    })
}

/// Whether a file is parsed, judged by its name alone, provided that its content is worth reading.
pub fn may_be_parsed(by_name: Option<Language>) -> bool {
    by_name.is_none_or(|language| {
        let spec = languages::spec(language);
        spec.parser.is_some() || spec.embedded_text.is_some()
    })
}

fn read_with(
    by_name: Option<Language>,
    bytes: &[u8],
    limits: &Limits,
    facts: impl FnOnce(Language, &str) -> FileFacts,
) -> (Language, Result<Content, SkipReason>) {
    let text = content::text(bytes, by_name, limits);
    let language = match (by_name, &text) {
        (Some(by_name), Ok(text)) => Some(languages::by_content(by_name, text)),
        (Some(by_name), Err(_)) => Some(by_name),
        (None, Ok(text)) => languages::by_shebang(text),
        (None, Err(_)) => None,
    };
    let language = language.unwrap_or(Language::TEXT);
    let content = text.map(|text| Content {
        facts: facts(language, &text),
        text: Arc::from(text),
    });
    (language, content)
}

/// Whether [`sections`] finds the structure of a file in this language, at this path.
pub fn has_sections(language: Language, path: &str) -> bool {
    (languages::spec(language).sections)(path).is_some()
}

/// Returns the role of a file in its repository, by its path, its language and whether its content says
/// that it is generated.
pub fn role(path: &RepoPath, language: Language, generated: bool) -> Role {
    role::of(path, language, generated)
}

/// Whether a file is where texts of the user interface are, each under a key: `locales/de.json`, `values/strings.xml`.
pub fn is_among_translations(path: &RepoPath) -> bool {
    role::is_among_translations(path)
}

/// Returns what a file of a role is for, by its path and the tools that sections of its text configure.
pub fn purpose(path: &RepoPath, role: Role, text: &str) -> Purpose {
    purpose::of(path, role, text)
}

/// Returns the facts of one text. If parsing fails, they are those of plain text.
pub fn parse(language: Language, text: &str, limits: &Limits) -> FileFacts {
    parse_after(language, text, None, limits)
}

/// Stack bytes that parsing needs at most per byte of a text. Where a text can be parsed in several ways,
/// tree-sitter recurses as deep as its stack of open nodes, with frames of about 100 bytes.
const STACK_PER_BYTE: usize = 256;
/// Stack bytes that parsing needs for any text.
const STACK: usize = 256 << 10;

fn parse_after(
    language: Language,
    text: &str,
    earlier: Option<&Content>,
    limits: &Limits,
) -> FileFacts {
    let spec = languages::spec(language);
    let limits = &limits.for_text(text.len());
    let parsed = spec.parser.map(|parser| {
        let depth = text
            .len()
            .min(usize::try_from(limits.max_steps).unwrap_or(usize::MAX));
        let stack = STACK.saturating_add(depth.saturating_mul(STACK_PER_BYTE));
        // A stack overflow ends the process. A large stack takes memory only for the part that is used.
        stacker::maybe_grow(stack, stack, || parser(language, text, earlier, limits))
    });
    let facts = match parsed {
        Some(Some(facts)) => facts,
        Some(None) => unparsed(language, text),
        None => content::plain(language, text),
    };
    complete(facts, text)
}

fn unparsed(language: Language, text: &str) -> FileFacts {
    FileFacts {
        issues: vec![ParseIssue::Timeout],
        ..content::plain(language, text)
    }
}

/// Adds the facts that need no grammar.
fn complete(mut facts: FileFacts, text: &str) -> FileFacts {
    if let Some(form) = &languages::spec(facts.language).values {
        facts.values = values::of(text, &facts, form);
    }
    facts.generated = content::says_generated(text);
    facts
}

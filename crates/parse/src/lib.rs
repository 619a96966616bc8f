//! Bytes to facts: definitions, references, imports, messages, chunks and regions of one file.
//!
//! It has no error type: any text gives facts, if need be with issues. It opens no file, knows no
//! other file than the one it is given, and is bounded in time and memory.
//!
//! Start at [`read`]; what differs between languages stands in the table of [`languages`]. [`sections`]
//! finds the structure of documentation and settings, which have no definitions; [`code`], [`traces`]
//! and [`hunks`] read code where it stands elsewhere: in issues, stack traces and changes.

use std::sync::Arc;

use foveate_model::{Content, FileFacts, Language, ParseIssue, RepoPath, Role, SkipReason};

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
mod role;
pub mod sections;
mod syntax;
#[cfg(test)]
mod testing;
pub mod traces;
mod values;
mod walk;

pub use limits::Limits;

/// Counts the changes of what a text gives: facts of an earlier version must not be used again. A
/// test compares it with the facts of fixed texts.
pub const VERSION: u16 = 5;

/// The language that a path's name says; `None` when only the content can tell.
pub fn language_by_name(path: &RepoPath) -> Option<Language> {
    languages::by_path(path)
}

/// Whether a path's name says that its content need not be read: binary formats and data.
pub fn skip_by_name(path: &RepoPath) -> Option<SkipReason> {
    file_names::skip_by_name(path)
}

/// Reads one blob: decides whether it is worth reading, in which language, and parses it.
///
/// Returns the language also where the blob is skipped. Without `by_name` the content decides
/// (`#!` line, otherwise plain text), and where two languages share a name (`.h`).
pub fn read(
    by_name: Option<Language>,
    bytes: &[u8],
    limits: &Limits,
) -> (Language, Result<Content, SkipReason>) {
    read_after(by_name, bytes, None, limits)
}

/// The same of a file that was `earlier` before: it gives what [`read`] gives, and costs less where
/// most functions are unchanged and the language's walker takes them over.
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

/// What [`read`] gives of a blob over which the parser gave up: the facts of plain text, and the issue that says so.
pub fn read_unparsed(
    by_name: Option<Language>,
    bytes: &[u8],
    limits: &Limits,
) -> (Language, Result<Content, SkipReason>) {
    read_with(by_name, bytes, limits, |language, text| {
        complete(unparsed(language, text), text)
    })
}

/// Whether a file of which the name says this is parsed, if its content is worth it.
pub fn may_be_parsed(by_name: Option<Language>) -> bool {
    by_name.is_none_or(|language| languages::spec(language).parser.is_some())
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

/// Whether the structure of a file in this language, at this path, is found by [`sections`].
pub fn has_sections(language: Language, path: &str) -> bool {
    (languages::spec(language).sections)(path).is_some()
}

/// The part that a file plays in its repository, by its path, its language and whether its content
/// says that it is generated.
pub fn role(path: &RepoPath, language: Language, generated: bool) -> Role {
    role::of(path, language, generated)
}

/// The facts of one text. Any text gives facts: where a parser fails they are those of plain text.
pub fn parse(language: Language, text: &str, limits: &Limits) -> FileFacts {
    parse_after(language, text, None, limits)
}

/// Bytes of a thread's stack that parsing takes at most for each byte of a text: tree-sitter recurses, with
/// frames of about 100 bytes, as deep as its stack of open nodes is where a text can be read in several ways.
const STACK_PER_BYTE: usize = 256;
/// Bytes that it takes for any text.
const STACK: usize = 256 << 10;

fn parse_after(
    language: Language,
    text: &str,
    earlier: Option<&Content>,
    limits: &Limits,
) -> FileFacts {
    let spec = languages::spec(language);
    let parsed = spec.parser.map(|parser| {
        let depth = text
            .len()
            .min(usize::try_from(limits.max_steps).unwrap_or(usize::MAX));
        let stack = STACK.saturating_add(depth.saturating_mul(STACK_PER_BYTE));
        // A stack that overflows ends the process. Of one that is large enough only what is used takes memory.
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

/// Adds what is read without a grammar.
fn complete(mut facts: FileFacts, text: &str) -> FileFacts {
    if let Some(form) = &languages::spec(facts.language).values {
        facts.values = values::of(text, &facts, form);
    }
    facts.generated = content::says_generated(text);
    facts
}
